"""What an answer lost to the settings' excludes, so that nobody takes an excluded document for a missing one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from gnomon.figures import things
from gnomon.search.filters import reason_by_default
from gnomon.values import Filters, Hit

LIFT: Final = "--all, or searchAll, searches these too"


def tell_left_out(
    lost: Sequence[Hit], hits: Sequence[Hit], *, filters: Filters, relative_cutoff: float, documents: int
) -> tuple[str, ...]:
    """One sentence on the best passage that the excludes cost, or none where it would not have passed either.

    Args:
        lost: What the same search finds in the documents that are left out, best first.
        hits: What it gives.
        filters: With the setting's fragments.
        relative_cutoff: Share of the best cosine that a semantic hit must have.
        documents: How many are left out.
    """
    best = max((hit.cosine or 0.0 for hit in hits), default=0.0)
    floor = relative_cutoff * best
    for hit in lost:
        if hit.label == "exact" or (hit.cosine or 0.0) >= floor:
            score = f" ({hit.cosine:.2f})" if hit.cosine is not None else ""
            rule = reason_by_default(hit.path, filters)
            count = f"{documents:,} {things(documents, 'document')}"
            return (f"{hit.path}{score} would match, but {rule}, which leaves out {count}; {LIFT}",)
    return ()
