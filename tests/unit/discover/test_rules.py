"""Names and sizes that are left out."""

from __future__ import annotations

from fnmatch import fnmatchcase

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gnomon.discover import DiscoveryRules
from gnomon.discover.rules import BINARY_EXTENSIONS, DOCUMENT_EXTENSIONS
from gnomon.extract.languages import DOCUMENT_LANGUAGES, is_prose_name
from gnomon.values import SkipReason

CREDENTIAL_STORES = """
id_rsa keys/deploy_ed25519 .netrc x/.npmrc a.pem A.KEY .env app/.env.production prod.env .aws/credentials
credentials.json .pgpass .kube/config .docker/config.json vault.kdbx s.jks terraform.tfstate ID_RSA
.ssh/config config/secrets.yml client_secret_12.json x.p12
"""
HARMLESS = """
.env.example x/.env.sample id_rsa.pub credentials.md credentials.py secrets.py config env docs/passwords.md
keys.md monkey docker/config.json environment.yml .env.template key.ts
"""
RULES = DiscoveryRules()


def reason(path: str, rules: DiscoveryRules = RULES) -> SkipReason | None:
    """Why a name is left out."""
    skip = rules.skip_by_name(path)
    return skip.reason if skip else None


@pytest.mark.parametrize("path", CREDENTIAL_STORES.split())
def test_credential_store_is_left_out(path: str) -> None:
    """Keys and stores are known by their names, in any case, at any depth."""
    assert reason(path) is SkipReason.SECRET_FILE


@pytest.mark.parametrize("path", HARMLESS.split())
def test_name_that_only_sounds_secret_stays(path: str) -> None:
    """Templates, public keys, prose and code are searchable."""
    assert reason(path) is None


@given(
    st.lists(st.from_regex(r"!?([ab]/)?[ab.*?]{1,4}", fullmatch=True), min_size=1, max_size=4),
    st.from_regex(r"([ab]/)?[ab.]{1,4}", fullmatch=True),
)
def test_patterns_of_any_shape_mean_what_globs_mean(patterns: list[str], path: str) -> None:
    """Names, endings and globs are asked in three ways, and each gives the answer of the glob."""
    tail = path if "/" in path else f"/{path}"
    speaking = [p for p in patterns if fnmatchcase(tail, p.lstrip("!") if "/" in p else f"*/{p.lstrip('!')}")]
    secret = [p for p in speaking if not p.startswith("!")]

    skip = DiscoveryRules(secret_files=tuple(patterns)).skip_by_name(path)

    expected = f"name matches {secret[0]}" if secret == speaking and secret else ""
    assert (skip.detail if skip and skip.reason is SkipReason.SECRET_FILE else "") == expected


@pytest.mark.parametrize(
    "path",
    ["a.PNG", "x/y.tar.gz", "lib.so", "libz.so.1.2.11", "m.safetensors", "f.woff2", "d.sqlite3", "t.mp4", "c.crt"],
)
def test_binary_is_known_by_extension(path: str) -> None:
    """Images, archives, libraries, weights, fonts, databases, films and certificates are not opened."""
    assert reason(path) is SkipReason.BINARY_EXTENSION


@pytest.mark.parametrize(
    "path", ["a.ts", "a.mts", "Makefile", ".png", "a.dot", "a.asc", "x.so.md", "README.ko", "png", "a.png/b", "a.pdf"]
)
def test_text_with_an_ambiguous_name_stays(path: str) -> None:
    """TypeScript is not MPEG; a file called .png has no extension; a folder's name says nothing of its files."""
    assert reason(path) is None


def test_lists_do_not_contradict_each_other() -> None:
    """A document is not binary by extension, and extensions are written plainly."""
    assert not BINARY_EXTENSIONS & DOCUMENT_EXTENSIONS
    assert all(e == e.lower().strip(". ") and e for e in BINARY_EXTENSIONS | DOCUMENT_EXTENSIONS)


def test_office_formats_are_read_or_listed_with_a_reason() -> None:
    """Every format that a parser reads is a document here, and no other; what has no reader is binary by name."""
    parsed = {extension for row in DOCUMENT_LANGUAGES for extension in row.extensions}
    assert parsed == DOCUMENT_EXTENSIONS
    without_reader = "pages numbers vsd vsdx mpp one wpd wps odb xlam ppam hwp xps"
    assert all(reason(f"a.{extension}") is SkipReason.BINARY_EXTENSION for extension in without_reader.split())


def test_given_extensions_may_have_dots_and_capitals() -> None:
    """Settings files write them both ways."""
    rules = DiscoveryRules(binary_extensions=frozenset({".FOO", "*.bar"}))
    assert [reason(p, rules) for p in ("a.foo", "b.BAR", "c.png")] == [SkipReason.BINARY_EXTENSION] * 2 + [None]


def test_documents_have_a_limit_of_their_own() -> None:
    """A PDF of a megabyte is usual; a text file of a megabyte is skipped, naming the setting that moves it."""
    assert RULES.skip_by_size("a.pdf", 1_000_000) is None
    skip = RULES.skip_by_size("a.txt", 1_000_000)
    assert skip is not None
    assert (skip.reason, skip.detail) == (SkipReason.TOO_LARGE, "1,000,000 bytes; maxFileSizeBytes is 500,000")
    assert RULES.skip_by_size("a.txt", 500_000) is None


def test_prose_has_a_limit_of_its_own() -> None:
    """A book as text is read whole; data, code and what has no known name keep the smaller limit."""
    rules = DiscoveryRules(max_prose_bytes=5_000_000, is_prose=is_prose_name)
    assert [rules.limit_bytes(p) for p in ("a.md", "a.txt", "README")] == [5_000_000] * 3
    assert [rules.limit_bytes(p) for p in ("a.py", "a.json", "a.csv", "a.log", "blob", "a.xyz")] == [500_000] * 6
    skip = rules.skip_by_size("a.md", 5_000_001)
    assert skip is not None
    assert skip.detail == "5,000,001 bytes; maxProseBytes is 5,000,000"
