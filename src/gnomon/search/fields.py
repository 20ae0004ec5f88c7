"""A hit as the fields that users read: one shape for the command line's JSON and the server's."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from gnomon.values import Answer, Hit, Status, display_path

if TYPE_CHECKING:
    from gnomon.search.grep import GrepResult


def hit_fields(hit: Hit, *, explain: bool = False) -> dict[str, Any]:
    """All fields of a hit.

    ``filePath`` is absolute and ``path`` relative to ``folder``; lines count from 1, both ends included; ``offset`` is
    in characters of the extracted text; ``cosine`` is null where the passage has no vector yet.
    """
    fields: dict[str, Any] = {
        "rank": hit.rank,
        "filePath": display_path(str(Path(hit.folder) / hit.path)),
        "folder": display_path(hit.folder),
        "path": display_path(hit.path),
        "startLine": hit.start_line,
        "endLine": hit.end_line,
        "anchor": hit.anchor,
        "offset": hit.span.start,
        "text": hit.text,
        "breadcrumb": list(hit.breadcrumb),
        "symbols": list(hit.symbols),
        "score": round(hit.score, 6),
        "cosine": None if hit.cosine is None else round(hit.cosine, 4),
        "bm25": round(hit.bm25, 4),
        "confidence": None if hit.confidence is None else round(hit.confidence, 4),
        "label": hit.label,
        "language": hit.language,
        "kind": hit.kind,
        "status": hit.status.value,
        "date": hit.date,
        "successor": display_path(hit.successor),
        "mark": mark(hit),
        "stale": hit.stale,
    }
    if explain:
        fields["explain"] = {
            "wordRank": hit.evidence.word_rank,
            "vectorRank": hit.evidence.vector_rank,
            "words": list(hit.evidence.words),
            "boosts": [{"name": name, "factor": round(factor, 4)} for name, factor in hit.evidence.boosts],
        }
    return fields


def answer_fields(answer: Answer, *, explain: bool = False) -> dict[str, Any]:
    """A whole answer: hits, and what to know about them."""
    return {
        "hits": [hit_fields(hit, explain=explain) for hit in answer.hits],
        "refusal": answer.refusal,
        "notices": list(answer.notices),
        "generation": answer.generation,
        "vectorsMissing": answer.vectors_missing,
        "staleHits": sum(hit.stale for hit in answer.hits),
    }


def told_evidence(hit: Hit) -> str:
    """Its label as people read it: ``semantic 0.712``, ``both 0.712`` with the cosine, ``exact`` without."""
    return hit.label if hit.label == "exact" or hit.cosine is None else f"{hit.label} {hit.cosine:.3f}"


def told_notes_evidence(hit: Hit) -> str:
    """The same as the second predecessor has it: what rare words alone found is an ``exact match`` there."""
    return "exact match" if hit.label == "exact" else told_evidence(hit)


def mark(hit: Hit) -> str:
    """What to know of the document's life: ``superseded → reference/auth.md; 2026-03-01``, or ""."""
    if hit.status is Status.LIVING:
        return ""
    successor = f" → {display_path(hit.successor)}" if hit.successor else ""
    return hit.status.value + successor + (f"; {hit.date}" if hit.date else "")


def grep_fields(result: GrepResult) -> dict[str, Any]:
    """Matching lines; ``line`` counts from 1 and means nothing to the reader where there is an ``anchor``."""
    return {
        "matches": [
            {
                "folder": display_path(match.folder.name),
                "filePath": display_path(str(match.folder.root / match.path)),
                "path": display_path(match.path),
                "line": match.line,
                "anchor": match.anchor,
                "text": match.text,
            }
            for match in result.matches
        ],
        "truncated": result.truncated,
        "filesSearched": result.files_searched,
        "filesUnread": result.files_unread,
    }
