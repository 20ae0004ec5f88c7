"""A calibration as one page that reads without a network: distributions, thresholds, one's own questions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import Final

from gnomon.figures import number
from gnomon.measure.calibrate import Calibration, Threshold

_WIDTH, _HEIGHT, _LEFT, _BOTTOM = 720, 150, 40, 24  # pixels of one histogram
_LOW, _HIGH, _BINS = -0.2, 1.0, 60

_STYLE: Final = """
:root { color-scheme: light dark; --ink: #222; --paper: #fff; --bar: #4a78b0; --use: #b03a2e; --hint: #2e7d4f; }
@media (prefers-color-scheme: dark) { :root { --ink: #ddd; --paper: #181818; --bar: #7aa5d8; } }
body { font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); margin: 2rem auto;
  max-width: 48rem; padding: 0 1rem; }
svg { width: 100%; height: auto; } svg text { font-size: 11px; fill: var(--ink); }
.bar { fill: var(--bar); } .axis { stroke: var(--ink); } .use { stroke: var(--use); stroke-width: 2; }
.hint { stroke: var(--hint); stroke-width: 2; stroke-dasharray: 6 3; }
table { border-collapse: collapse; } th, td { text-align: right; padding: .15rem .9rem .15rem 0; }
tr.use td { font-weight: bold; }
"""


def render_report(
    calibration: Calibration,
    *,
    title: str,
    own_scores: Sequence[float] = (),
    thresholds: Sequence[Threshold] = (),
) -> str:
    """One self-contained HTML page: inline style and drawings, no script, no address to load from.

    Args:
        calibration: What was measured.
        title: Name of the corpus; any text, it is escaped.
        own_scores: Best cosine of each of the person's own questions.
        thresholds: What each threshold would do to those questions.
    """
    name = escape(title)
    parts = [
        f"<h1>Calibration of {name}</h1>",
        f"<p>{escape(calibration.line())}</p>",
        _legend(calibration),
        _histogram("Random pairs of passages", calibration.pairs, calibration),
        _histogram("Best score of unrelated questions", calibration.unrelated, calibration),
        _histogram("Best score of strings without meaning", calibration.gibberish, calibration),
    ]
    if own_scores:
        parts.append(_histogram("Best score of your own questions", own_scores, calibration))
    if thresholds:
        parts.append(_table(thresholds, calibration.in_use))
    head = f'<meta charset="utf-8"><title>Calibration of {name}</title><style>{_STYLE}</style>'
    return f'<!DOCTYPE html>\n<html lang="en"><head>{head}</head>\n<body>\n' + "\n".join(parts) + "\n</body></html>\n"


def _legend(calibration: Calibration) -> str:
    passages = number(calibration.chunks, "passage")
    return (
        f"<p>Model {escape(calibration.model)}, {passages}. The solid line is the threshold in use "
        f"({calibration.in_use:.2f}), the dashed line the suggested one ({calibration.suggested:.2f}). Nothing was "
        "changed: set <code>minScore</code> to change it.</p>"
    )


def _histogram(title: str, values: Sequence[float], calibration: Calibration) -> str:
    counts = [0] * _BINS
    for value in values:
        place = int((value - _LOW) / (_HIGH - _LOW) * _BINS)
        counts[min(max(place, 0), _BINS - 1)] += 1
    highest = max(counts, default=0) or 1
    width = (_WIDTH - _LEFT) / _BINS
    bars = [
        f'<rect class="bar" x="{_LEFT + index * width:.1f}" y="{_HEIGHT - _BOTTOM - height:.1f}" '
        f'width="{width - 1:.1f}" height="{height:.1f}"><title>{count}</title></rect>'
        for index, count in enumerate(counts)
        if (height := count / highest * (_HEIGHT - _BOTTOM - 8)) > 0
    ]
    lines = [_threshold_line(calibration.in_use, "use"), _threshold_line(calibration.suggested, "hint")]
    ticks = [
        f'<text x="{_x(tick / 10):.1f}" y="{_HEIGHT - 8}" text-anchor="middle">{tick / 10:.1f}</text>'
        for tick in range(-2, 11, 2)
    ]
    axis = f'<line class="axis" x1="{_LEFT}" y1="{_HEIGHT - _BOTTOM}" x2="{_WIDTH}" y2="{_HEIGHT - _BOTTOM}"/>'
    drawing = "".join([*bars, axis, *ticks, *lines])
    label = f"{escape(title)} ({len(values)})"
    return f'<h2>{label}</h2>\n<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="{label}">{drawing}</svg>'


def _x(value: float) -> float:
    return _LEFT + (min(max(value, _LOW), _HIGH) - _LOW) / (_HIGH - _LOW) * (_WIDTH - _LEFT)


def _threshold_line(value: float, name: str) -> str:
    return f'<line class="{name}" x1="{_x(value):.1f}" y1="4" x2="{_x(value):.1f}" y2="{_HEIGHT - _BOTTOM}"/>'


def _table(thresholds: Iterable[Threshold], in_use: float) -> str:
    rows = list(thresholds)
    nearest = min(rows, key=lambda row: abs(row.at - in_use)).at
    body = "".join(
        f"<tr{' class=' + chr(34) + 'use' + chr(34) if row.at == nearest else ''}><td>{row.at:.2f}</td>"
        f"<td>{row.answered} of {row.questions}</td><td>{row.told_precision}</td><td>{row.recall:.2f}</td></tr>"
        for row in rows
    )
    head = "<tr><th>threshold</th><th>answered</th><th>precision</th><th>recall</th></tr>"
    return f"<h2>Your own questions by threshold</h2>\n<table>{head}{body}</table>"
