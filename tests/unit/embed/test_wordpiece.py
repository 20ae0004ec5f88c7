"""WordPiece apart from its agreement with the library: what a text may not do, and what is kept."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from gnomon.embed import wordpiece
from gnomon.embed.wordpiece import WordPieceTokenizer

if TYPE_CHECKING:
    import pytest

VOCABULARY = b"[PAD]\n[UNK]\n[CLS]\n[SEP]\n[\n]\nsep\nun\n##able\n##a\nable\n\xe6\x9d\xb1\n.\n"
TOKENS = VOCABULARY.decode().splitlines()


def tokens(text: str) -> list[str]:
    """The tokens of a text, by name."""
    (ids,) = WordPieceTokenizer(VOCABULARY).ids([text])
    return [TOKENS[at] for at in ids]


def test_markers_written_in_a_text_are_brackets_and_letters() -> None:
    """A document cannot end its own passage for the model."""
    assert tokens("[SEP]") == ["[CLS]", "[", "sep", "]", "[SEP]"]


def test_longest_token_is_taken_and_the_rest_continues_the_word() -> None:
    """The word "unable" is not "un", "##a" and something else."""
    assert tokens("unable able") == ["[CLS]", "un", "##able", "able", "[SEP]"]


def test_word_with_a_rest_that_is_no_token_is_unknown_as_a_whole() -> None:
    """Nor are its known beginnings given."""
    assert tokens("unablex un") == ["[CLS]", "[UNK]", "un", "[SEP]"]


def test_starts_count_characters_of_the_text_as_given() -> None:
    """Whatever the normaliser takes away, doubles or sets apart."""
    assert list(WordPieceTokenizer(VOCABULARY).starts("\x00\u00dcnable\u0301 \u6771\u6771. ")) == [1, 3, 9, 10, 11]


def test_lone_surrogates_are_counted_as_one_character() -> None:
    """A file name with undecodable bytes in a text does not shift what follows."""
    assert list(WordPieceTokenizer(VOCABULARY).starts("\udce9 un")) == [0, 2]


def test_pieces_kept_are_bounded_and_forgetting_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Memory does not grow with the number of different words."""
    monkeypatch.setattr(wordpiece, "_MAX_PIECES", 10)
    tokenizer = WordPieceTokenizer(VOCABULARY)
    text = " ".join(f"un{at}" for at in range(100)) + " unable"
    first = tokenizer.ids([text])
    assert len(tokenizer._pieces) <= 10
    assert tokenizer.ids([text]) == first


def test_long_pieces_are_not_kept() -> None:
    """Minified code and encoded images come once."""
    tokenizer = WordPieceTokenizer(VOCABULARY)
    tokenizer.ids(["x" * 60_000, "\u3042" * 500])
    assert len(tokenizer._pieces) == 0


def test_threads_that_share_a_tokenizer_get_the_same_tokens(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also while others make it forget."""
    monkeypatch.setattr(wordpiece, "_MAX_PIECES", 5)
    tokenizer = WordPieceTokenizer(VOCABULARY)
    text = " ".join(f"un able unable {at}" for at in range(200))
    with ThreadPoolExecutor(4) as pool:
        rows = list(pool.map(lambda _: tokenizer.ids([text])[0], range(16)))
    assert rows == [WordPieceTokenizer(VOCABULARY).ids([text])[0]] * 16
