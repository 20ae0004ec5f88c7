"""Hits made ready to be read: lines around them, overlaps told once, and no more text than was asked for."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from gnomon.corpus import Corpus
from gnomon.errors import GnomonError
from gnomon.lines import LineIndex
from gnomon.values import Hit, Span

_CHARS_PER_TOKEN: Final = 3.6  # of English and code with common tokenizers; fewer would promise too much
_EAST_ASIAN = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")  # about one token a character
_OVERHEAD_TOKENS: Final = 40  # head line and fences of one passage
_LEAST_TOKENS: Final = 24  # a shorter rest of a passage says nothing


def tokens(text: str) -> int:
    """About how many tokens a language model reads."""
    wide = len(_EAST_ASIAN.findall(text))
    return wide + int((len(text) - wide) / _CHARS_PER_TOKEN)


def fit(hits: Sequence[Hit], max_tokens: int | None) -> tuple[Hit, ...]:
    """The best hits whose passages fit, ranks as they were; the first is cut where it does not fit by itself.

    Args:
        hits: Best first.
        max_tokens: For passages and their head lines; None keeps all.
    """
    if max_tokens is None:
        return tuple(hits)
    kept: list[Hit] = []
    left = max_tokens
    for hit in hits:
        if not kept and tokens(hit.text) + _OVERHEAD_TOKENS > left:
            kept.append(_cut(hit, max(_LEAST_TOKENS, left - _OVERHEAD_TOKENS)))
            break
        cost = tokens(hit.text) + _OVERHEAD_TOKENS
        if cost <= left:
            kept.append(hit)
            left -= cost
    return tuple(kept)


def _cut(hit: Hit, max_tokens: int) -> Hit:
    """The first whole lines of a passage that fit; of a longer first line its beginning."""
    index = LineIndex(hit.text)
    lines, end = 0, 0
    while lines < index.count and tokens(hit.text[: index.span_of(lines + 1)[1]]) <= max_tokens:
        lines += 1
        end = index.span_of(lines)[1]
    if not lines:
        end = int(max_tokens * _CHARS_PER_TOKEN)
        while tokens(hit.text[:end]) > max_tokens:
            end //= 2
    span = Span(hit.span.start, hit.span.start + end)
    return replace(hit, text=hit.text[:end], span=span, end_line=hit.start_line + max(lines, 1) - 1)


def widen(hits: Sequence[Hit], corpus: Corpus, margin: int) -> tuple[Hit, ...]:
    """Hits with lines of their files around them, as they are on disk now; what overlaps becomes one passage.

    A hit whose file went, changed or has no lines keeps its passage.

    Args:
        hits: Best first.
        corpus: To read the files of.
        margin: Lines before and after, >= 0.
    """
    if not margin:
        return tuple(hits)
    widened: list[Hit] = []
    for hit in hits:
        wide = _widened(hit, corpus, margin)
        at = next((i for i, other in enumerate(widened) if _overlap(other, wide)), None)
        if at is None:
            widened.append(wide)
        else:
            widened[at] = _joined(widened[at], wide)
    return tuple(replace(hit, rank=rank) for rank, hit in enumerate(widened, 1))


def _widened(hit: Hit, corpus: Corpus, margin: int) -> Hit:
    if hit.stale or hit.anchor:
        return hit
    try:
        _, _, document = corpus.document(str(Path(hit.folder) / hit.path))
    except GnomonError:
        return hit
    lines = LineIndex(document.text)
    if hit.end_line > lines.count:
        return hit
    first, last = max(1, hit.start_line - margin), min(lines.count, hit.end_line + margin)
    start, end = lines.span_of(first)[0], lines.span_of(last)[1]
    return replace(hit, text=document.text[start:end], span=Span(start, end), start_line=first, end_line=last)


def _overlap(one: Hit, other: Hit) -> bool:
    same = (one.folder, one.path) == (other.folder, other.path) and one.stale == other.stale
    return same and one.span.start <= other.span.end and other.span.start <= one.span.end


def _joined(one: Hit, other: Hit) -> Hit:
    """Two overlapping passages of one file as one, with the evidence of the better."""
    first, second = sorted((one, other), key=lambda hit: hit.span.start)
    rest = second.text[first.span.end - second.span.start :] if second.span.end > first.span.end else ""
    return replace(
        one,
        text=first.text + rest,
        span=Span(first.span.start, max(first.span.end, second.span.end)),
        start_line=first.start_line,
        end_line=max(first.end_line, second.end_line),
    )
