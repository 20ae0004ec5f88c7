"""Pages become readable text, however broken, and each block knows its line."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gnomon.errors import DocumentError
from gnomon.extract import extract
from gnomon.extract.markup import tokens
from gnomon.values import SkipReason


def _text(source: str) -> str:
    return extract("a.html", source.encode()).text


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("<h2>Title</h2>text", "## Title\n\ntext\n"),
        ("<p>one<p>two", "one\n\ntwo\n"),
        ("a<br>b<br/>c", "a\nb\nc\n"),
        ("<ul><li>a<ul><li>b</ul><li>c</ul>", "- a\n- b\n\n- c\n"),
        ("<td>a</td><td>b</td>", "a b\n"),
        ("<p>x</p><script>y<p></script>z", "x\n\nz\n"),
        ("x<script>never closed <p>y", "x\n"),
        ("<style>p{}</style><noscript>n</noscript>", "n\n"),
        ("&lt;b&gt; &eacute; &#x1F600;", "<b> é \U0001f600\n"),
        ("1 < 2 and 3 > 2", "1 < 2 and 3 > 2\n"),
        ("<!-- no --><p>yes<!-- never closed <p>no", "yes\n"),
        ("<![CDATA[a < b]]>c", "a < bc\n"),
        ('<a title="a > b">link</a>', "link\n"),
        ("<a title='it is>link</a> more", "link more\n"),
        ('<img alt="a cat" src=x>', "a cat\n"),
        ("<svg><title>icon</title><text>t</text></svg>after", "after\n"),
        ("<head><title>T</title><p>still", "still\n"),
        ("<x:p>prefixed</x:p>", "prefixed\n"),
        ("<p>unended <b", "unended <b\n"),
        ("<pre>a\n  b</pre>", "```\na\n  b\n```\n"),
        ("<table><tr><td>a<table><tr><td>inner</td></tr></table></td><td>b</td></tr></table>", "a inner | b\n"),
        ("<table><tr><td>a<p>b</p></td></tr></table>after", "a b\n\nafter\n"),
        ("<textarea>a<b</textarea>", "a<b\n"),
        ("</p></div>x", "x\n"),
    ],
)
def test_markup_becomes_text(source: str, expected: str) -> None:
    """What a reader sees stays, in order; mark-up goes."""
    assert _text(source) == expected


def test_header_cells_name_the_values_of_each_row() -> None:
    """A row makes sense without the rows above it."""
    source = "<table><tr><th>Year<th>Count</tr><tr><td>2025<td>800</tr></table>"
    assert _text(source) == "Year | Count\nYear: 2025 | Count: 800\n"


def test_block_is_anchored_to_its_line() -> None:
    """The way back is the line of the source, as an editor counts."""
    document = extract("a.html", b"<html>\r\n<p>one\r\n<p>\r\n\r\n  two</html>")
    assert [(anchor.label, document.text[anchor.offset :][:3]) for anchor in document.anchors] == [
        ("line 2", "one"),
        ("line 5", "two"),
    ]


@pytest.mark.parametrize(
    "source",
    [
        "<p>{{ user.name }}</p>",
        "{% if x %}<p>y</p>",
        "<% for %>",
        "<?php echo 1 ?>",
        '<li v-for="x in y">',
        "<p *ngIf='x'>",
    ],
)
def test_template_is_code_and_stays_as_it_is(source: str) -> None:
    """Whoever searches a template looks for its expressions."""
    document = extract("a.html", source.encode())
    assert (document.kind, document.text) == ("code", source)


def test_page_without_text_is_empty() -> None:
    """A shell for scripts says nothing."""
    with pytest.raises(DocumentError) as caught:
        extract("a.html", b'<html><body><div id="root"></div><script>x()</script>')
    assert caught.value.reason == SkipReason.EMPTY


def test_attributes_are_read_whatever_their_quotes() -> None:
    """Quoted, bare, without a value, with entities."""
    (token,) = tokens("<a href=\"x&amp;y\" id='z' class=bare disabled Href=late>")
    assert token.attributes() == {"href": "x&y", "id": "z", "class": "bare", "disabled": ""}


@pytest.mark.parametrize(
    "unit", ["<", "<!--", "<a ", '<a x="', "<p>", "</p>", "<script>", "<td>", "<table>", "&", "<![CDATA[", "<a '"]
)
def test_hostile_repetition_is_linear(unit: str) -> None:
    """Openings without an end are done within the test's own limit."""
    source = unit * (200_000 // len(unit)) + "x"
    try:
        extract("a.html", source.encode())
    except DocumentError as e:
        assert e.reason == SkipReason.EMPTY  # noqa: PT017 - both outcomes are right, a third is not


_TAGS = [
    "<p>",
    "<td>",
    "<table>",
    "</table>",
    "<tr>",
    "<th>",
    "<li>",
    "<pre>",
    "</pre>",
    "<h1>",
    "</h1>",
    "<br>",
    "<svg>",
]
_OTHER = [
    "<script>",
    "</script>",
    "<!--",
    "-->",
    "<title>",
    "</svg>",
    "word",
    "&lt;",
    "<",
    ">",
    " ",
    "\n",
    "<a b='",
    "'>",
]


@given(st.lists(st.sampled_from(_TAGS + _OTHER), max_size=40))
def test_any_page_gives_text_with_anchors_inside_it(pieces: list[str]) -> None:
    """No other exception; anchors ascend and lie within the text."""
    try:
        document = extract("a.html", "".join(pieces).encode())
    except DocumentError:
        return
    offsets = [anchor.offset for anchor in document.anchors]
    assert offsets == sorted(set(offsets))
    assert all(0 <= offset < len(document.text) for offset in offsets)
