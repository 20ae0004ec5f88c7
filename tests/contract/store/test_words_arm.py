"""The words arm: every word is one word, nothing is syntax, filters come before the cut."""

from __future__ import annotations

import itertools
import random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gnomon.store.base import DocumentWrite, Selection, Store
from gnomon.values import ChunkWords, WordQuery
from tests.contract.store.builders import EVERYTHING, FOLDER, found_texts, ids_of, write
from tests.fakes.store import FakeStore

STRANGE = [
    '"',
    "a*",
    "NEAR(",
    "body:x",
    "-",
    "^a",
    "c++",
    "2026.4.10",
    "a b",
    "Ab",
    "ab",
    "中文",
    "文字",
    "%41;",
    "a%",
    "",
]


def search(
    store: Store, query: WordQuery, selection: Selection = EVERYTHING, limit: int = 100
) -> list[tuple[int, float]]:
    """The words arm."""
    return store.search_words(query, limit=limit, selection=selection)


def chunks_of(store: Store, path: str) -> list[int]:
    """Ids of a document's chunks, by place."""
    document = store.find_document(FOLDER, path)
    assert document is not None
    return [stored.id for stored in store.document_chunks(document.id)]


def test_rarer_words_and_more_of_them_rank_higher(store: Store) -> None:
    """BM25: all scores are above 0 and fall."""
    store.write([write(f"f{n}.md", "common") for n in range(8)])
    store.write([write("both.md", "common rare"), write("rare.md", "rare filler filler filler")])
    hits = search(store, WordQuery(("common", "rare")))
    assert [found.chunk.text for found in store.chunks([n for n, _ in hits])][:2] == [
        "common rare",
        "rare filler filler filler",
    ]
    scores = [score for _, score in hits]
    assert scores == sorted(scores, reverse=True)
    assert min(scores) > 0


def test_equal_scores_are_ordered_by_id(store: Store) -> None:
    """The same question has the same answer."""
    store.write([write(f"f{n}.md", "same text") for n in range(20)])
    ids = [number for number, _ in search(store, WordQuery(("same",)), limit=5)]
    assert ids == sorted(ids)


def test_names_weigh_more_than_body(store: Store) -> None:
    """A word among symbols, headings or path counts more than in the text."""
    plain = write("body.md", "x", "x", "x", "x")
    fields = [
        ChunkWords(("widget", "other")),
        ChunkWords(("other",), symbols=("widget",)),
        ChunkWords(("other",), headings=("widget",)),
        ChunkWords(("other",), path=("widget",)),
    ]
    store.write([DocumentWrite(plain.document, plain.chunks, fields)])
    hits = search(store, WordQuery(("widget",)))
    ordinals = [found.chunk.ordinal for found in store.chunks([number for number, _ in hits])]
    assert ordinals[0] == 1
    assert ordinals[-1] == 0


@pytest.mark.parametrize("word", [word for word in STRANGE if word])
def test_every_word_is_one_word_and_no_syntax(store: Store, word: str) -> None:
    """Punctuation, operators, versions, capitals, blanks and Chinese find exactly themselves."""
    for number, each in enumerate(STRANGE):
        one = write(f"{number}.md", f"text {number}")
        store.write([DocumentWrite(one.document, one.chunks, [ChunkWords((each, "filler"))])])
    expected = [f"text {STRANGE.index(word)}"]
    assert found_texts(store, word) == expected
    assert store.document_frequencies([word]) == {word: 1}


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(words=st.lists(st.text(st.characters(exclude_categories=[]), max_size=12), max_size=8))
def test_no_query_is_an_error(store: Store, words: list[str]) -> None:
    """Whatever the words hold, also lone surrogates and NUL."""
    query = WordQuery(tuple(dict.fromkeys(words)), tuple(words[:1]), tuple(words[-1:]))
    assert search(store, query) == []


def test_thousand_words_are_no_error(store: Store) -> None:
    """A question of 5,000 characters."""
    store.write([write("a.md", "w7 w8")])
    assert found_texts(store, *(f"w{n}" for n in range(1_000))) == ["w7 w8"]


def test_all_of_must_occur_and_none_of_must_not(store: Store) -> None:
    """Also together; a word that must occur and occurs nowhere finds nothing."""
    store.write([write("a.md", "red green"), write("b.md", "red blue"), write("c.md", "red green blue")])
    assert len(search(store, WordQuery(("red",)))) == 3
    assert {text for text, _ in texts(store, WordQuery(("red", "green"), all_of=("green",)))} == {
        "red green",
        "red green blue",
    }
    assert [t for t, _ in texts(store, WordQuery(("red",), all_of=("green",), none_of=("blue",)))] == ["red green"]
    assert [t for t, _ in texts(store, WordQuery(("red",), none_of=("green",)))] == ["red blue"]
    assert texts(store, WordQuery(("red",), all_of=("green", "pink"))) == []
    assert len(texts(store, WordQuery(("red",), none_of=("pink",)))) == 3


def test_word_that_only_must_occur_does_not_score(store: Store) -> None:
    """Scores are those of ``any_of``; with none, what must occur ranks."""
    store.write([write("a.md", "red green"), write("b.md", "red")])
    (with_filter,) = search(store, WordQuery(("red",), all_of=("green",)))
    without = dict(search(store, WordQuery(("red",))))
    assert with_filter[1] == pytest.approx(without[with_filter[0]])
    assert [text for text, _ in texts(store, WordQuery((), all_of=("green",)))] == ["red green"]


def test_selection_comes_before_the_cut(store: Store) -> None:
    """A scoped search finds what is in its scope, however much elsewhere is better."""
    store.write([write(f"f{n}.md", "needle needle") for n in range(300)])
    store.write([write("weak.md", "needle " + "hay " * 50)])
    only = Selection(only=ids_of(store, ["weak.md"]))
    assert len(found_texts(store, "needle", selection=only, limit=1)) == 1
    rest = Selection(without=ids_of(store, [f"f{n}.md" for n in range(300)]))
    assert len(found_texts(store, "needle", selection=rest, limit=1)) == 1
    both = Selection(only=ids_of(store, ["weak.md", "f1.md"]), without=ids_of(store, ["f1.md"]))
    assert len(found_texts(store, "needle", selection=both)) == 1
    assert found_texts(store, "needle", selection=Selection(only=frozenset())) == []


def test_selection_of_any_size_is_exact(store: Store) -> None:
    """More ids than any statement has room for variables."""
    store.write([write(f"f{n}.md", "needle") for n in range(50)])
    real = ids_of(store, [f"f{n}.md" for n in range(0, 50, 2)])
    many = real | frozenset(range(10**6, 10**6 + 300_000))
    assert len(search(store, WordQuery(("needle",)), Selection(only=many))) == 25
    assert len(search(store, WordQuery(("needle",)), Selection(without=many))) == 25


def test_limit_below_one_finds_nothing(store: Store) -> None:
    """No hits wanted, none given."""
    store.write([write("a.md", "x")])
    assert search(store, WordQuery(("x",)), limit=0) == []
    assert search(store, WordQuery(())) == []


def test_document_frequencies_count_chunks_of_any_field(store: Store) -> None:
    """Each chunk once, however often and in however many fields the word occurs."""
    store.write([write("alpha/x.md", "alpha alpha", "beta"), write("y.md", "alpha")])
    assert store.document_frequencies(["alpha", "beta", "none", "alpha"]) == {"alpha": 3, "beta": 1, "none": 0}


def test_words_held_are_those_of_any_field(store: Store) -> None:
    """Also from the second question on, after a change, and of what is gone."""
    store.write([write("alpha/x.md", "c++ red", "blue"), write("y.md", "alpha a*")])
    asked = ["alpha", "c++", "blue", "none", "", "a*"]
    for _ in range(3):
        (red, blue), (other,) = chunks_of(store, "alpha/x.md"), chunks_of(store, "y.md")
        held = {red: {"alpha", "c++"}, blue: {"alpha", "blue"}, other: {"alpha", "a*"}}
        assert store.words_held(asked, [red, blue, other]) == held
        search(store, WordQuery(("alpha", "c++")))
    store.write([write("y.md", "alpha none")])
    (written,) = chunks_of(store, "y.md")
    assert store.words_held(asked, [blue, other, written]) == {
        blue: {"alpha", "blue"},
        other: frozenset(),
        written: {"alpha", "none"},
    }
    assert store.words_held([], [blue]) == {blue: frozenset()}
    assert store.words_held(asked, []) == {}


def test_scores_agree_with_the_formula(store: Store) -> None:
    """BM25 over weighted fields, as the reference in memory computes it."""
    rng = random.Random(7)
    vocabulary = [f"w{n}" for n in range(40)]
    writes = [
        write(f"d{n}/f.md", *(" ".join(rng.choices(vocabulary, k=rng.randint(1, 30))) for _ in range(3)))
        for n in range(40)
    ]
    reference = FakeStore()
    store.write(writes)
    reference.write(writes)
    for words in itertools.islice(itertools.combinations(vocabulary, 3), 0, 60, 7):
        got = [score for _, score in search(store, WordQuery(words), limit=30)]
        wanted = [score for _, score in reference.search_words(WordQuery(words), limit=30, selection=EVERYTHING)]
        assert got == pytest.approx(wanted)


def texts(store: Store, query: WordQuery) -> list[tuple[str, float]]:
    """(text, score) of each hit."""
    hits = search(store, query)
    return [
        (found.chunk.text, score) for found, (_, score) in zip(store.chunks([n for n, _ in hits]), hits, strict=True)
    ]


def test_words_are_searchable_before_vectors(store: Store) -> None:
    """Words first; meaning follows."""
    assert store.write([write("a.md", "needle")]) == 0
    assert found_texts(store, "needle") == ["needle"]
    assert store.find_document(FOLDER, "a.md") is not None
    assert store.status().vectors_missing == 1
