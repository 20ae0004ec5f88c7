"""Words of a question in the line that is shown."""

from __future__ import annotations

import pytest

from gnomon.cli.highlight import highlighted
from gnomon.cli.render import Style, preview


@pytest.mark.parametrize(
    ("question", "line", "shown"),
    [
        ("where is the error raised", "raise is in this thesis", "<raise> is in this thesis"),
        ("session", "Sessions and obsession", "<Sessions> and obsession"),
        ("user name", "getUserName(username)", "<getUserName>(username)"),
        ("heron -zebra", "a heron and a zebra", "a <heron> and a zebra"),
        ("wo ist die Sicherung", "die Sicherungen", "die <Sicherungen>"),
        ("設定", "これは設定です", "これは<設定>です"),
        ("is", "is this", "<is> this"),
        ("a.b* [", "x", "x"),
        ("", "x", "x"),
    ],
)
def test_whole_words_and_their_endings_are_marked(question: str, line: str, shown: str) -> None:
    """No stop word, unless nothing else is asked, and no piece of another word."""
    assert highlighted(line, question.split(), lambda word: f"<{word}>") == shown


def test_words_are_marked_where_there_are_colours() -> None:
    """And nowhere else: a pipe gets the text."""
    assert preview("the gateways", ["gateway"], Style(colour=False)) == "the gateways"
    assert preview("the gateways", ["gateway"], Style(colour=True)) == "the \x1b[1;33mgateways\x1b[0m"
