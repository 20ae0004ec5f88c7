"""Odd questions among many documents: each finds the line that has it, by words and from a real index."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from gnomon.analyze import chunk_words
from gnomon.chunk import ChunkLimits, chunk
from gnomon.search import SearchOptions, search
from gnomon.store import open_store
from gnomon.store.base import DocumentWrite, Fingerprint, Store
from gnomon.values import Document, Extracted, Kind
from tests.fakes.tokens import FakeTokens

_FINGERPRINT = Fingerprint(schema=1, model="none", dim=4, analyzer="1", chunker="1", extractor="1")

# What is asked, and the line that answers.
LINES = {
    "C++": "The parser was rewritten in C++ last year.",
    "C#": "Bindings for C# are in the works.",
    "std::vector<int>": "    std::vector<int> rows;",
    "src/main.py": "Start it by src/main.py and wait.",
    "@nasa": "A picture by @nasa of the moon.",
    "real-time": "It needs a real-time clock.",
    "2026.4.10": "Since 2026.4.10 the cache is shared.",
    "v3.14.0-rc2": "The candidate v3.14.0-rc2 was withdrawn.",
    "E-1042": "Then it stops with E-1042 at once.",
    "ERR_TOKEN_EXPIRED": "    raise Fault(ERR_TOKEN_EXPIRED)",
    "0x8007000E": "Windows says 0x8007000E and goes on.",
    "設定ファイル": "設定ファイルはホームにあります。",
    "首都": "韓国の首都はソウルである。",
    "데이터베이스": "데이터베이스를 연결한다.",
    "数据库": "连接数据库之前先检查。",
    "café noir": "On servit un café noir.",
    "cafe creme": "Elle prit un café crème.",
    "Łódź": "Der Zug nach Łódź fährt um acht.",
    "Uebersicht": "Die Uebersicht steht am Ende.",
    "naïve": "The naive way is slower.",
    "getUserName": "    return getUserName(session)",
    "user_account_id": "    key = user_account_id",
    '"shut the valve"': "First shut the valve, then open it.",
    "--dry-run": "Try it by --dry-run before.",
    "max_file_size=500": "max_file_size=500",
    "127.0.0.1:8080": "It listens on 127.0.0.1:8080 only.",
}
# Of every piece of a question there are several nearby, none of which is the answer.
_DISTRACTORS = (
    "The language C has a preprocessor.",
    "std and vector and int are words.",
    "main goes into src, as py files do.",
    "nasa without a sign, real and time apart.",
    "Since 2026.4.9 and 2026.5.10 and 4.10 it differs.",
    "v3.14.0-rc1, v3.14.0 and v3.13.0-rc2 came before.",
    "E-1041 and E-1043 and E 1042 are others.",
    "ERR_TOKEN, TOKEN_EXPIRED and the err of a token expired.",
    "0x80070005 is another one.",
    "設定はここにありません。ファイルだけです。",
    "首相は東京都にいる。",
    "데이터가 없다.",
    "数据在库里。",
    "A noir film, and a cafe apart.",
    "getUser, setUserName and the name of a user.",
    "user_id, account_id and the id of an account.",
    "the valve was not shut.",
    "a run that is dry.",
    "max size of a file is 400.",
    "127.0.0.2:8080 and 127.0.0.1:8081.",
)


def _documents() -> Iterator[tuple[str, str, Kind, str]]:
    filler = "It was a day like any other and nothing of note came about.\n\n"
    for at, (query, line) in enumerate(LINES.items()):
        is_code = line.startswith("    ")
        body = f"def f{at}():\n{line}\n" if is_code else f"{filler * 3}{line}\n\n{filler * 2}"
        yield f"answers/{at:02d}.{'py' if is_code else 'md'}", body, "code" if is_code else "prose", query
    for at in range(600):
        some = "\n\n".join(_DISTRACTORS[(at + step) % len(_DISTRACTORS)] for step in range(3))
        yield f"notes/{at:03d}.md", f"# Note {at}\n\n{some}\n", "prose", ""


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """Six hundred notes and one document per answer."""
    path = tmp_path_factory.mktemp("odd") / "gnomon.db"
    limits = ChunkLimits(target_tokens=60, overlap_tokens=10, hard_tokens=80)
    writes = []
    for name, text, kind, _ in _documents():
        language = "python" if kind == "code" else "markdown"
        chunks = chunk(Extracted(text, kind, language), path=name, tokens=FakeTokens(), limits=limits)
        document = Document("/corpus", name, 1, 1, 1, "", kind, language)
        writes.append(DocumentWrite(document, chunks, [chunk_words(each, name, "") for each in chunks]))
    with open_store("sqlite", path, fingerprint=_FINGERPRINT, writable=True) as opened:
        opened.write(writes)
        yield opened


@pytest.mark.parametrize("query", LINES)
def test_odd_question_finds_the_line_that_has_it(store: Store, query: str) -> None:
    """First, and the passage holds the line."""
    hits = search(query, store=store, embedder=None, options=SearchOptions(k=3)).hits
    assert LINES[query].strip() in hits[0].text, [hit.text for hit in hits]


@pytest.mark.parametrize(
    ("query", "wanted", "excluded"),
    [("parser C -rewritten", "preprocessor", "rewritten"), ('valve -"shut the valve"', "was not shut", "First shut")],
)
def test_what_is_excluded_stays_away(store: Store, query: str, wanted: str, excluded: str) -> None:
    """The rest of the question still finds its passages."""
    texts = [hit.text for hit in search(query, store=store, embedder=None, options=SearchOptions(k=10)).hits]
    assert wanted in texts[0]
    assert not [text for text in texts if excluded in text]
