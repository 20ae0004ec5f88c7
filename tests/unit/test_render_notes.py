"""The result line of the grounded policy, as the second predecessor's users know it."""

from __future__ import annotations

from gnomon.cli.render import notes_answer
from gnomon.values import Answer, Hit, Span, Status

HIT = Hit(
    1,
    "/vault",
    "reference/auth.md",
    Span(0, 9),
    1,
    1,
    "The token",
    0.7,
    "semantic",
    breadcrumb=("Auth", "How the client refreshes the token"),
    cosine=0.712,
    date="2026-01-14",
)


def test_b2_result_line_has_label_path_headings_and_date() -> None:
    """Label with its cosine, path, breadcrumb and date stand on one line."""
    head = "[semantic 0.712]  reference/auth.md › Auth > How the client refreshes the token  [2026-01-14]"
    assert notes_answer(Answer((HIT,)), [], colour=False).splitlines()[0] == head


def test_b1_superseded_result_line_names_its_successor() -> None:
    """Asked for explicitly, a superseded document comes with its mark."""
    from dataclasses import replace

    old = replace(HIT, status=Status.SUPERSEDED, successor="reference/new.md")
    first = notes_answer(Answer((old,)), [], colour=False).splitlines()[0]
    assert first.endswith("[superseded → reference/new.md; 2026-01-14]")


def test_b2_refusal_is_printed_as_it_is() -> None:
    """Nothing left is said with the best score and the threshold."""
    refusal = "No relevant results (best score 0.41, threshold 0.55)"
    assert notes_answer(Answer((), refusal=refusal), [], colour=False) == refusal
