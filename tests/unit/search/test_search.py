"""Tests of search: one call from question to answer."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gnomon.search import SearchOptions, search
from gnomon.values import Filters, Ranking, Status
from tests.fakes.embedder import FakeEmbedder
from tests.fakes.store import FakeStore

AddFile = Callable[..., int]


def _paths(store: FakeStore, query: str, embedder: FakeEmbedder | None = None, **options: object) -> list[str]:
    answer = search(query, store=store, embedder=embedder, options=SearchOptions(**options))  # type: ignore[arg-type]
    return [hit.path for hit in answer.hits]


def test_the_file_that_answers_comes_first(store: FakeStore, embedder: FakeEmbedder, add: AddFile) -> None:
    """Both arms agree, and the hit says so."""
    add("a.md", "how sessions are refreshed after a timeout")
    add("b.md", "payment terms and invoices")
    (hit, *_) = search("session refresh timeout", store=store, embedder=embedder).hits
    assert (hit.path, hit.rank, hit.label) == ("a.md", 1, "both")
    assert hit.bm25 > 0
    assert hit.cosine is not None


@pytest.mark.parametrize(
    "query",
    [
        "C++",
        "std::vector<int>",
        "src/main.py",
        "@nasa",
        "real-time",
        "2026.4.10",
        "E-1042",
        "ERR_TOKEN_EXPIRED",
        "設定",
    ],
)
def test_odd_queries_find_the_line_that_has_them(store: FakeStore, add: AddFile, query: str) -> None:
    """Punctuation is neither syntax nor lost: near misses come after the literal piece."""
    near = [
        "C and D",
        "std vector of int",
        "main of src in py",
        "nasa",
        "real or time",
        "2026 4 10",
        "E 1042",
        "ERR TOKEN",
    ]
    for at, text in enumerate(near):
        add(f"near{at}.md", f"This line speaks of {text} {text} only")
    add("exact.md", f"This line speaks of {query} as it is")
    assert _paths(store, query)[0] == "exact.md"


def test_without_a_model_words_answer_and_say_so(store: FakeStore, add: AddFile) -> None:
    """No embedder is a notice, not an error."""
    add("a.md", "session refresh")
    answer = search("session", store=store, embedder=None)
    assert [hit.label for hit in answer.hits] == ["exact"]
    assert "words only" in answer.notices[0]


def test_a_failing_model_is_a_notice(store: FakeStore, add: AddFile) -> None:
    """A server that does not answer costs the meaning, not the search."""
    add("a.md", "session refresh")
    answer = search("session", store=store, embedder=FakeEmbedder(failure="refused"))
    assert [hit.path for hit in answer.hits] == ["a.md"]
    assert "refused" in answer.notices[0]


def test_passages_without_a_vector_are_found_by_their_words(
    store: FakeStore, embedder: FakeEmbedder, add: AddFile
) -> None:
    """While vectors arrive, words answer for the rest, and the answer counts what is missing."""
    add("old.md", "payment terms")
    add("new.md", "session refresh", vectors=False)
    answer = search("session refresh", store=store, embedder=embedder)
    assert (answer.hits[0].path, answer.hits[0].cosine, answer.hits[0].label) == ("new.md", None, "exact")
    assert answer.vectors_missing == 1


@pytest.mark.parametrize("query", ["", "   ", "???", "->", '""', "+ - * : ~ ( ) '"])
def test_a_question_without_words_is_told_so(store: FakeStore, embedder: FakeEmbedder, query: str) -> None:
    """Nothing is guessed from punctuation."""
    answer = search(query, store=store, embedder=embedder)
    assert answer.hits == ()
    assert "no word" in answer.refusal


def test_an_empty_index_says_that_nothing_is_relevant(store: FakeStore, embedder: FakeEmbedder) -> None:
    """An empty answer always has a reason."""
    assert search("session", store=store, embedder=embedder).refusal == "No relevant results"


def test_a_phrase_must_stand_together(store: FakeStore, embedder: FakeEmbedder, add: AddFile) -> None:
    """Neither arm returns a passage in which the words are apart."""
    add("apart.md", "the store of every session session session")
    add("together.md", "a session store")
    assert _paths(store, '"session store"', embedder) == ["together.md"]


def test_an_excluded_word_keeps_passages_out(store: FakeStore, embedder: FakeEmbedder, add: AddFile) -> None:
    """In both arms."""
    add("redis.md", "session store in redis")
    add("memory.md", "session store in memory")
    assert _paths(store, "session store -redis", embedder) == ["memory.md"]
    assert _paths(store, 'session store -"in redis"', embedder) == ["memory.md"]


def test_hidden_documents_come_back_when_all_is_asked_for(
    store: FakeStore, embedder: FakeEmbedder, add: AddFile
) -> None:
    """Lifecycle is a filter inside the arms."""
    add("old.md", "session refresh", status=Status.SUPERSEDED)
    add("new.md", "session refresh again")
    assert _paths(store, "session refresh", embedder) == ["new.md"]
    assert set(_paths(store, "session refresh", embedder, filters=Filters(search_all=True))) == {"old.md", "new.md"}


def test_a_superseded_document_never_comes_before_its_successor(
    store: FakeStore, embedder: FakeEmbedder, add: AddFile
) -> None:
    """Even where all is asked for and the old text matches better; it says where to look instead."""
    add("old.md", "session refresh", status=Status.SUPERSEDED, successors=("new.md",))
    add("new.md", "a session is kept until it ends, no refresh of anything any more")
    answer = search(
        "session refresh", store=store, embedder=embedder, options=SearchOptions(filters=Filters(search_all=True))
    )
    assert [(hit.path, hit.successor) for hit in answer.hits] == [("new.md", ""), ("old.md", "new.md")]


def test_the_grounded_policy_refuses_with_its_threshold(store: FakeStore, embedder: FakeEmbedder, add: AddFile) -> None:
    """One call serves both policies."""
    add("a.md", "payment terms and invoices")
    options = SearchOptions(ranking="grounded", min_score=0.9)
    answer = search("session refresh", store=store, embedder=embedder, options=options)
    assert answer.hits == ()
    assert "threshold 0.90" in answer.refusal


def test_filters_apply_before_the_top_is_cut(store: FakeStore, embedder: FakeEmbedder, add: AddFile) -> None:
    """A narrow search finds its file although hundreds of others match better."""
    for at in range(300):
        add(f"many/{at}.md", f"session session session {at}", vectors=False)
    add("few/one.md", "a session among many other things that are not about it", vectors=False)
    assert _paths(store, "session", filters=Filters(paths=("few/**",))) == ["few/one.md"]


def test_one_file_cannot_fill_the_list(store: FakeStore, embedder: FakeEmbedder, add: AddFile) -> None:
    """Passages that are not neighbours count against the file's places."""
    gap = "nothing of interest"
    add("long.md", *["session refresh" if at % 2 == 0 else gap for at in range(20)], vectors=False)
    add("short.md", "one session", vectors=False)
    assert _paths(store, "session refresh", per_file=2, k=3) == ["long.md", "long.md", "short.md"]


def test_neighbours_are_one_passage(store: FakeStore, add: AddFile) -> None:
    """Adjacent chunks come back once, with the lines of both."""
    add("a.md", "session one\n", "session two\n", "else", vectors=False)
    (hit,) = search("session", store=store, embedder=None).hits
    assert hit.text == "session one\n\nsession two\n"
    assert (hit.start_line, hit.end_line) == (1, 4)


def test_plain_fusion_gives_reciprocal_ranks(store: FakeStore, embedder: FakeEmbedder, add: AddFile) -> None:
    """The predecessor's order and scores are still there."""
    add("a.md", "session refresh")
    add("b.md", "payment")
    answer = search("session refresh", store=store, embedder=embedder, options=SearchOptions(fusion="rrf"))
    assert answer.hits[0].score == pytest.approx(2 / 61)
    assert answer.hits[1].score == pytest.approx(1 / 62)


def test_without_the_words_arm_cosines_order(store: FakeStore, embedder: FakeEmbedder, add: AddFile) -> None:
    """``hybrid=False`` labels everything semantic."""
    add("a.md", "session refresh")
    add("b.md", "payment")
    hits = search("session", store=store, embedder=embedder, options=SearchOptions(hybrid=False)).hits
    assert [(hit.path, hit.label, hit.bm25) for hit in hits] == [("a.md", "semantic", 0.0), ("b.md", "semantic", 0.0)]


def test_a_threshold_looks_at_the_cosine(store: FakeStore, embedder: FakeEmbedder, add: AddFile) -> None:
    """Below it there is a refusal with both numbers, however good the fused score is."""
    add("a.md", "session refresh and much else that is not asked for here")
    answer = search("session", store=store, embedder=embedder, options=SearchOptions(min_score=0.99))
    assert answer.hits == ()
    assert "threshold 0.99" in answer.refusal


def test_explain_names_the_words_rarest_first(store: FakeStore, embedder: FakeEmbedder, add: AddFile) -> None:
    """A reader sees what matched."""
    add("a.md", "session refresh")
    add("b.md", "session")
    answer = search("session refresh", store=store, embedder=embedder, options=SearchOptions(explain=True))
    assert answer.hits[0].evidence.words == ("refresh", "session")


@pytest.mark.parametrize("ranking", ["hybrid", "grounded"])
@pytest.mark.parametrize("failure", ["", "the server is gone"])
def test_question_is_embedded_once(
    store: FakeStore, embedder: FakeEmbedder, add: AddFile, ranking: Ranking, failure: str
) -> None:
    """Also where a hidden document and one left out by the settings are looked for too, and where the model fails."""
    add("old.md", "the session is closed at noon", status=Status.SUPERSEDED, successors=("new.md",))
    add("plans/later.md", "the session is closed at one")
    for name in ("new", "a", "b", "c"):
        add(f"{name}.md", f"zebra quartz {name}")
    embedder.failure = failure
    options = SearchOptions(ranking=ranking, filters=Filters(default_exclude=("plans",)))
    told = " ".join(search("session closed", store=store, embedder=embedder, options=options).notices)
    assert embedder.questions_asked == ["session closed"]
    assert ("old.md would have matched" in told, "plans/later.md" in told) == (True, True)


def test_filters_go_over_the_documents_once_until_these_change(
    monkeypatch: pytest.MonkeyPatch, store: FakeStore, add: AddFile
) -> None:
    """What passes, what is left out by the settings and what is hidden are found in one walk, and then known."""
    add("old.md", "the session is closed at noon", status=Status.SUPERSEDED, successors=("new.md",))
    add("new.md", "gates", vectors=False)
    add("plans/later.md", "the session is closed at one", vectors=False)
    options = SearchOptions(filters=Filters(default_exclude=("plans",)))
    readings = itertools.count()
    documents = store.documents
    monkeypatch.setattr(store, "documents", lambda: (next(readings), documents())[1])
    for _ in range(2):
        search("session closed", store=store, embedder=None, options=options)
    assert next(readings) == 2  # one for the fates of all, one for the filters
    add("gates.md", "when the session closed", vectors=False)
    assert _paths(store, "session closed", filters=options.filters) == ["gates.md"]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(query=st.one_of(st.text(max_size=200), st.text(alphabet="+-\":*~()' ab", max_size=5000)))
def test_no_question_is_an_error(store: FakeStore, embedder: FakeEmbedder, query: str) -> None:
    """Any text is answered or refused."""
    answer = search(query, store=store, embedder=embedder)
    assert answer.hits == ()
    assert answer.refusal or answer.notices


@pytest.mark.parametrize(
    "typed",
    [
        "src/click/formatting.py",
        "corpus/src/click/formatting.py",
        "/corpus/src/click/formatting.py",
        "./src/click/formatting.py",
        "src/click/formatting.py:12",
        "SRC/click/Formatting.py",
        "`src/click/formatting.py`",
        "(src/click/formatting.py),",
        "src//click/formatting.py#L12",
        "file:///corpus/src/click/formatting.py",
        "click/formatting.py",
    ],
)
def test_file_whose_path_is_typed_comes_first(store: FakeStore, add: AddFile, typed: str) -> None:
    """However often others speak of it, and whatever the ranking thinks of tests and of other folders."""
    for at in range(80):
        add(f"src/click/core{at}.py", "formatting py click src formatting click src " * 3)
    add("src/click/formatting.py", "wrap(text)")
    assert _paths(store, typed, per_file=1)[0] == "src/click/formatting.py"


@pytest.mark.parametrize("name", ["de", "it", "no", "is", "en"])
def test_names_of_files_that_are_function_words_count(store: FakeStore, add: AddFile, name: str) -> None:
    """Locales are called so."""
    for other in ("de", "it", "no", "is", "en", "fr"):
        add(f"zod/locales/{other}.py", "const error = () => locales")
    assert _paths(store, f"locales/{name}.py")[0] == f"zod/locales/{name}.py"


def test_name_without_an_ending_may_be_a_path(store: FakeStore, add: AddFile) -> None:
    """The file called so comes before what is about it."""
    add("docs/license.md", "license license: which license we use")
    add("LICENSE", "Permission is hereby granted")
    assert _paths(store, "LICENSE")[0] == "LICENSE"


def test_message_is_found_where_it_is_written(store: FakeStore, add: AddFile) -> None:
    """Its function words are most of it; a document called as its one other word does not have it."""
    for at in range(20):
        add(f"docs/options{at}.md", "option option options: every option", title="Options")
    add("click/core.py", "class Context:\n    pass")
    add("click/exceptions.py", 'message = f"No such option: {name}" if option else "and much else besides"')
    assert _paths(store, "No such option: --foo")[0] == "click/exceptions.py"


@pytest.mark.parametrize("path", ["my docs/plan b.md", "app/(group)/[id]/page.tsx", "notes/café.md"])
@pytest.mark.parametrize("above", ["", "corpus/", "/corpus/"])
def test_typed_path_may_hold_blanks_brackets_and_accents(store: FakeStore, add: AddFile, path: str, above: str) -> None:
    """As people's folders and those of web frameworks are called."""
    for at in range(80):
        add(f"other/{at}.md", f"{path} {path} {path} corpus page plan docs")
    add(path, "nothing of the kind")
    assert _paths(store, above + path, per_file=1)[0] == path


def test_threshold_is_met_before_hits_are_cut(store: FakeStore, embedder: FakeEmbedder, add: AddFile) -> None:
    """Few wanted hits are the first of many, and the best of all is named where none is believed."""
    store.set_meta("calibration", '{"model": "fake", "noiseTypical": 0.0, "noiseCeiling": 0.3}')
    add("lock.md", "unrelated words of no kind")
    for at in range(12):
        add(f"n{at}.md", f"lock the store before number {at} is written")
    options = SearchOptions(k=12, min_confidence=0.2)
    many = search("lock.md", store=store, embedder=embedder, options=options).hits
    few = search("lock.md", store=store, embedder=embedder, options=SearchOptions(k=1, min_confidence=0.2)).hits
    assert many
    assert [hit.path for hit in few] == [many[0].path]
    assert few[0].rank == 1
