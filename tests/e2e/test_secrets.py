"""No byte of the index holds a secret; what only speaks of secrets is found whole."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from gnomon.config import load_config
from gnomon.config.settings_file import write_raw
from gnomon.corpus import Corpus
from gnomon.index.report import IndexReport
from gnomon.index.summary import summary
from tests.fakes.embedder import FakeEmbedder
from tests.fakes.secret_lines import DECOYS, KEY_BODY, PEM, PLANTED

pytestmark = pytest.mark.slow

_ENDINGS = ("md", "txt", "html", "docx", "ipynb", "eml", "csv", "log", "py", "conf")
_SECRETS = [secret for _, secret in PLANTED] + KEY_BODY


@dataclass(frozen=True)
class Indexed:
    """A folder with a secret in every file, and its index, still open for reading."""

    corpus: Corpus
    report: IndexReport
    places: list[Path]


@pytest.fixture(scope="module")
def indexed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Indexed]:
    """Each secret in a file of its own, in turn of each format; each decoy in one of prose and one of code."""
    home = tmp_path_factory.mktemp("secrets")
    root = home / "docs"
    root.mkdir()
    planted = [*(line.format(secret) for line, secret in PLANTED), PEM]
    for number, line in enumerate(planted):
        _write(root / f"planted{number:02}.{_ENDINGS[number % len(_ENDINGS)]}", line)
    for number, line in enumerate(DECOYS):
        (root / f"decoy{number:02}.md").write_text(f"decoy{number:02}x stands alone\n\n{line}\n", "utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GNOMON_INDEX_DIR", str(home / "index"))
        patch.setenv("XDG_DATA_HOME", str(home / "data"))
        fake = FakeEmbedder()
        patch.setattr(Corpus, "embedder", property(lambda _: fake))
        write_raw(home / "config.json", {"defaultRoots": [str(root)]})
        corpus = Corpus(load_config(home / "config.json"))
        report = corpus.index()
        corpus.store()
        (root / "decoy00.md").write_text("changed, so that the log holds something\n", "utf-8")
        (root / "later.md").write_text(f"later\n\n{planted[0]}\n", "utf-8")
        corpus.index()
        yield Indexed(corpus, report, [home / "index", home / "data", home / "config.json"])
        corpus.close()


def _write(path: Path, line: str) -> None:
    """The line inside a file of the format that the ending says."""
    match path.suffix:
        case ".html":
            body = line.replace("&", "&amp;").replace("<", "&lt;")
            path.write_text(f"<html><body><p>before</p><pre>{body}</pre></body></html>", "utf-8")
        case ".docx":
            path.write_bytes(_docx(line))
        case ".ipynb":
            path.write_text(json.dumps({"cells": [{"cell_type": "markdown", "source": f"before\n\n{line}"}]}), "utf-8")
        case ".eml":
            path.write_bytes(f"Subject: x\nContent-Type: text/plain; charset=utf-8\n\nbefore\n\n{line}\n".encode())
        case _:
            path.write_text(f"before\n\n{line}\n\nafter\n", "utf-8")


def _docx(text: str) -> bytes:
    space = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
    escaped = [line.replace("&", "&amp;").replace("<", "&lt;") for line in text.split("\n")]
    runs = "<w:br/>".join(f'<w:t xml:space="preserve">{line}</w:t>' for line in escaped)
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr(
            "word/document.xml", f"<w:document {space}><w:body><w:p><w:r>{runs}</w:r></w:p></w:body></w:document>"
        )
    return buffer.getvalue()


def test_no_file_of_the_index_holds_a_secret(indexed: Indexed) -> None:
    """Not the database, not its log, not the settings; in no case and no encoding of text."""
    files = [file for place in indexed.places for file in (place.rglob("*") if place.is_dir() else [place])]
    data = {file: file.read_bytes() for file in files if file.is_file()}
    assert any(file.name.endswith("-wal") and content for file, content in data.items())
    spellings = {
        spelling
        for secret in _SECRETS
        for text in (secret, secret.lower())
        for spelling in (text.encode(), text.encode("utf-16-le"))
    }
    assert [(file.name, s) for file, content in data.items() for s in spellings if s in content] == []


def test_no_passage_holds_a_secret(indexed: Indexed) -> None:
    """Stores may pack their texts, so the texts are looked at as well."""
    store = indexed.corpus.store()
    passages = [
        text
        for document in store.documents()
        for stored in store.document_chunks(document.id)
        for text in (stored.chunk.text, stored.chunk.context, stored.chunk.signature, *stored.chunk.symbols)
    ]
    assert len(passages) > len(PLANTED)
    assert [(secret, text) for secret in _SECRETS for text in passages if secret in text] == []


def test_secrets_are_counted(indexed: Indexed) -> None:
    """One for each that was planted, and nothing of a decoy."""
    assert summary(indexed.report)["secretsReplaced"] == len(PLANTED) + 1


def test_neither_grep_nor_cat_shows_a_secret(indexed: Indexed) -> None:
    """Both read the file anew, and replace as the index does."""
    corpus = indexed.corpus
    shown = [match.text for match in corpus.grep(".", max_results=10_000).matches]
    root = corpus.folders[0].root
    shown += [corpus.cat(str(path)).text for path in root.iterdir() if path.name.startswith("planted")]
    assert [(secret, text) for secret in _SECRETS for text in shown if secret in text] == []


def test_every_decoy_is_found_whole(indexed: Indexed) -> None:
    """By its own words, with its line as it was written."""
    wrong = []
    for number, line in enumerate(DECOYS[1:], start=1):
        hits = indexed.corpus.search(f"decoy{number:02}x", indexed.corpus.search_options(), use_model=False).hits
        texts = [hit.text for hit in hits if hit.path == f"decoy{number:02}.md"]
        wrong += [] if any(line.strip() in text for text in texts) else [(line, texts)]
    assert wrong == []
