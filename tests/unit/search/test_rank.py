"""Tests of the ranking layer: which of two candidates comes first, all else equal."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gnomon.analyze import analyze_query
from gnomon.search.candidate import Candidate, Evidence
from gnomon.search.names import Terms
from gnomon.search.rank import rank
from gnomon.store.base import StoredChunk
from gnomon.values import Chunk, Document, Kind, Span

_IDS = {"": 0}


def _candidate(path: str, *symbols: str, score: float = 0.5, ordinal: int = 0, kind: Kind = "code") -> Candidate:
    document = Document("/r", path, 0, 0, 0, "", kind, "")
    number = _IDS.setdefault(path, len(_IDS))
    chunk = Chunk(ordinal, Span(0, 1), 1, 1, "", symbols=symbols)
    return Candidate(StoredChunk(number * 100 + ordinal, number, chunk), document, Evidence(bm25=1.0), score=score)


def _first(query: str, *candidates: Candidate) -> str:
    return rank(analyze_query(query), list(candidates))[0].document.path


@pytest.mark.parametrize(
    ("query", "better", "worse"),
    [
        ("SessionStore", _candidate("a.py", "SessionStore"), _candidate("0.py", "open_session")),
        ("how does SessionStore work", _candidate("a.py", "app.SessionStore"), _candidate("0.py")),
        ("view", _candidate("a.js", "view"), _candidate("0.js", "View")),
        ("ZodType", _candidate("a.ts", "$ZodType"), _candidate("0.ts", "ZodTypeDef")),
        ("copytree", _candidate("a.py", "copytree"), _candidate("0.py", "_copytree")),
        ("class Popen", _candidate("a.py", "Popen"), _candidate("0.py", "Popen.wait")),
        ("def copytree", _candidate("a.py", "copytree"), _candidate("0.py")),
        ("refresh the token", _candidate("a.py", "refreshToken"), _candidate("0.py", "load")),
        ("thread pool of workers", _candidate("threadpool.c"), _candidate("0.c")),
        ("handler trait", _candidate("src/handler/mod.rs"), _candidate("src/0.rs")),
        ("alias handling", _candidate("aliases.py"), _candidate("0.py")),
        ("middleware order", _candidate("middleware/z.py"), _candidate("0/z.py")),
        ("session refresh", _candidate("src/a.py"), _candidate("0/tests/a.py")),
        ("union schema", _candidate("lib/v4/a.ts"), _candidate("lib/v3/a.ts")),
        ("accept a connection", _candidate("src/unix/tcp.c"), _candidate("src/win/tcp.c")),
        ("accept a connection", _candidate("pkg/a.py"), _candidate("pkg/_0.py")),
        ("accept a connection", _candidate("src/net/z.py"), _candidate("src/net/0/0.py")),
        ("close twice", _candidate("a.md", kind="prose"), _candidate("NEWS.md", kind="prose")),
        ("zlib inflate window", _candidate("src/zlib/inflate.c"), _candidate("src/brotli/inflate.c")),
        ("where do sessions end", _candidate("src/a.py"), _candidate("0.md", kind="prose")),
        ("how to configure sessions", _candidate("a.md", kind="prose"), _candidate("0.py")),
    ],
)
def test_what_a_reader_wants_comes_first(query: str, better: Candidate, worse: Candidate) -> None:
    """Equal evidence; only the rule decides."""
    better.score = worse.score = 0.5
    better.boosts.clear()
    worse.boosts.clear()
    assert _first(query, worse, better) == better.document.path


@pytest.mark.parametrize(
    ("query", "asked_for", "other"),
    [
        ("tests of session refresh", "tests/session.py", "src/session.py"),
        ("v3 union schema", "lib/v3/a.ts", "lib/v4/a.ts"),
        ("windows sockets", "src/win/tcp.c", "src/unix/tcp.c"),
        ("history of the socket option", "HISTORY.md", "notes.md"),
        ("internals of sessions", "pkg/_session.py", "pkg/0.py"),
    ],
)
def test_penalties_go_where_their_files_are_asked_for(query: str, asked_for: str, other: str) -> None:
    """Slightly better evidence is then enough."""
    assert _first(query, _candidate(other, score=0.5), _candidate(asked_for, score=0.51)) == asked_for


def test_several_good_passages_speak_for_a_code_file_only() -> None:
    """A long document must not win by its length."""
    many = [_candidate("many.py", ordinal=at) for at in range(3)]
    assert _first("x y", _candidate("0.py", score=0.6), *many) == "many.py"
    prose = [_candidate("many.md", ordinal=at, kind="prose") for at in range(3)]
    assert _first("x y", _candidate("0.md", score=0.6, kind="prose"), *prose) == "0.md"


def test_depth_says_no_more_below_two_folders() -> None:
    """Trees of Java lie ten folders deep; the highest of the candidates is what counts, and only of code."""
    deep, deeper = _candidate("a/b/c/d.py"), _candidate("a/b/c/d/e/f.py", score=0.51)
    assert _first("x y", deep, deeper, _candidate("a/0.py", score=0.1)) == "a/b/c/d/e/f.py"
    assert _first("x y", deep, deeper, _candidate("0.md", score=0.1, kind="prose")) == "a/b/c/d.py"


def test_flavours_of_the_best_file_do_not_bury_what_is_none() -> None:
    """The best of them stays first; notes of the same name in two folders are two notes."""
    rows = [("arch/bsd/cpu.c", 0.5), ("arch/sunos/cpu.c", 0.49), ("arch/bsd/times.c", 0.45)]
    ranked = rank(analyze_query("x y"), [_candidate(path, score=score) for path, score in rows])
    assert [each.document.path for each in ranked] == ["arch/bsd/cpu.c", "arch/bsd/times.c", "arch/sunos/cpu.c"]
    notes = [_candidate(path.replace(".c", ".md"), score=score, kind="prose") for path, score in rows]
    assert rank(analyze_query("x y"), list(notes)) == notes


def test_recency_breaks_ties_only() -> None:
    """Of two copies the later one; a better match stays first however old it is."""
    old, new = _candidate("a.md", kind="prose"), _candidate("b.md", kind="prose")
    new.document = replace(new.document, date="2026-01-14")
    assert _first("x y", old, new) == "b.md"
    old.score, new.score = 0.51, 0.5
    assert _first("x y", old, new) == "a.md"


@pytest.mark.parametrize(
    ("query", "score", "first"),
    [
        ("refresh session tokens", 0.3, "0.md"),
        ("refresh session tokens", 0.48, "session/tokens.py"),
        ("where is refresh of session tokens implemented", 0.48, "session/tokens.py"),
        ("how to configure refresh of session tokens", 0.48, "0.md"),
    ],
)
def test_names_of_code_do_not_bury_a_note_that_knows_better(query: str, score: float, first: str) -> None:
    """Rules about names order code among code; beside prose they only decide where the arms hardly do."""
    code = _candidate("session/tokens.py", "refresh", score=score)
    assert _first(query, _candidate("0.md", kind="prose"), code) == first


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("token refresh intervals", "0.md"),
        ("what does the token refresh intervals say of clocks", "0.md"),
        ("token intervals", "z.py"),
        ("where is the token refresh intervals implemented", "z.py"),
    ],
)
def test_a_note_whose_title_is_named_stands_before_code(query: str, first: str) -> None:
    """All of the title, and not where the question is after the implementation."""
    note = _candidate("0.md", kind="prose")
    note.document = replace(note.document, title="7. The token refresh intervals")
    assert _first(query, note, _candidate("z.py", "refresh", score=0.55)) == first


def test_documents_alone_are_not_weighed_by_kind() -> None:
    """The factor would only make scores small."""
    (candidate,) = rank(analyze_query("where"), [_candidate("a.md", kind="prose")])
    assert candidate.score == 0.5


def test_every_factor_is_kept_for_explanation() -> None:
    """The product of the boosts is what the score was multiplied by."""
    candidate = _candidate("tests/session_store.py", "SessionStore")
    (ranked,) = rank(analyze_query("how does SessionStore work"), [candidate])
    product = 0.5
    for _, factor in ranked.boosts:
        product *= factor
    assert ranked.score == pytest.approx(product)
    assert [name for name, _ in ranked.boosts] == ["defines the name", "file name", "test"]


@pytest.mark.parametrize(
    ("part", "words", "contained"),
    [
        ("alias", {"alia"}, True),
        ("alia", {"alias"}, True),
        ("serializ", {"serial"}, True),
        ("pool", {"poolside"}, False),
        ("cat", {"cats"}, False),
        ("", {"a"}, False),
    ],
)
def test_endings_that_stemmers_leave_do_not_part_words(part: str, words: set[str], *, contained: bool) -> None:
    """Two letters at most, and never for short words."""
    assert Terms(words)[part] is contained


@given(
    st.text(max_size=40),
    st.lists(st.tuples(st.text(max_size=20), st.lists(st.text(max_size=10), max_size=3), st.floats(0, 1)), max_size=8),
)
def test_ranking_keeps_every_candidate(query: str, rows: list[tuple[str, list[str], float]]) -> None:
    """Whatever paths and symbols are called, nothing is lost, doubled or made negative."""
    candidates = [_candidate(path, *symbols, score=score, ordinal=at) for at, (path, symbols, score) in enumerate(rows)]
    ranked = rank(analyze_query(query), list(candidates))
    assert {id(each) for each in ranked} == {id(each) for each in candidates}
    assert [each.score for each in ranked] == sorted((each.score for each in ranked), reverse=True)
    assert all(each.score >= 0 for each in ranked)
