"""What an answer says of passages that have no vector yet: words find them, meaning does not."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from gnomon.figures import things
from gnomon.store.base import Store
from gnomon.values import Answer


def with_gaps_told(answer: Answer, store: Store, index_dir: Path) -> Answer:
    """The answer with a notice, where meaning was searched and could not find everything.

    Args:
        answer: From the store.
        store: Counts the passages.
        index_dir: Where a run at work is seen; there is nothing to advise then.
    """
    if not answer.vectors_missing:
        return answer
    from gnomon.index.activity import what_mends_gaps

    missing, chunks = answer.vectors_missing, store.status().chunks
    verb = "has" if missing == 1 else "have"
    told = f"{missing:,} of {chunks:,} {things(chunks, 'passage')} {verb} no vector yet"
    return replace(answer, notices=(*answer.notices, f"{told}, so meaning is incomplete; {what_mends_gaps(index_dir)}"))
