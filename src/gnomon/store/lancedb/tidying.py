"""Keeps a LanceDB store small and quick: few fragments, indexes up to date, cached vectors bounded."""

from __future__ import annotations

import time
from dataclasses import replace

from gnomon.store.lancedb.approximate import EXACT_BELOW, index_vectors
from gnomon.store.lancedb.head import Counts, Head
from gnomon.store.lancedb.tables import among, make_indexes, schemas
from gnomon.store.lancedb.transaction import Transaction

# As in the default store; see ``gnomon.store.tidying``.
_MAX_IDLE_SECONDS = 30 * 24 * 3600
_MAX_VECTORS_PER_USED = 1.5
# Indexes keep what was removed; with this share of what there is they are made anew, whose cost is in proportion.
_MAX_REMOVED_SHARE = 0.25
# ``frequencies`` is added up when it has this many rows per distinct word.
_MAX_ROWS_PER_WORD = 2


def with_peak(counts: Counts, *, received: bool) -> Counts:
    """Note how many vectors were in use at once.

    Args:
        counts: As they are with the changes of a commit.
        received: Vectors came for texts that are not here yet: they count as used.
    """
    now = int(time.time())
    peak, since = counts.peak
    highest = counts.vectors + (counts.kept if received else 0)
    if highest >= peak or not 0 <= now - since <= _MAX_IDLE_SECONDS:
        return replace(counts, peak=(highest, now))
    return counts


def compact(transaction: Transaction, *, thorough: bool) -> tuple[Head, list[str]]:
    """Bring every table into few fragments and every index up to date; what is found stays the same.

    Args:
        transaction: At work.
        thorough: Whether vectors that are many get an approximate index, which takes a millisecond each.

    Returns:
        The head to be published, and the tables whose old versions may go then.
    """
    head = transaction.head
    counts = _drop_idle(transaction, with_peak(head.counts, received=False))
    counts = _add_up_frequencies(transaction, counts)
    transaction.flush(schemas(head.stored_fingerprint.dim))
    stale = head.removed > _MAX_REMOVED_SHARE * counts.chunks
    at_rest = []
    for name in head.versions:
        table = transaction.table(name)
        if stale:
            make_indexes(table, name)
        if table.compact():
            at_rest.append(name)
    probes = head.probes
    if thorough and counts.vectors >= EXACT_BELOW and (not probes or stale):
        probes = index_vectors(transaction.table("vectors"), counts.vectors)
    removed = 0 if stale else head.removed
    return head.next(versions=transaction.versions(), counts=counts, commits=0, removed=removed, probes=probes), at_rest


def _drop_idle(transaction: Transaction, counts: Counts) -> Counts:
    """Drop vectors that no chunk uses: those unused for long, and the oldest where there are too many."""
    if not counts.kept:
        return counts
    rows = transaction.table("kept").rows("", ["key", "idle_since"]).sort_by([("idle_since", "ascending")])
    earliest = int(time.time()) - _MAX_IDLE_SECONDS
    surplus = counts.vectors + counts.kept - int(_MAX_VECTORS_PER_USED * counts.peak[0])
    idle = sum(since < earliest for since in rows["idle_since"].to_pylist())
    dropped = rows["key"].slice(0, max(idle, surplus, 0)).to_pylist()
    transaction.delete("kept", among("key", dropped))
    return replace(counts, kept=counts.kept - len(dropped))


def _add_up_frequencies(transaction: Transaction, counts: Counts) -> Counts:
    rows = transaction.table("frequencies").rows("", ["word", "chunks"])
    sums = rows.group_by("word").aggregate([("chunks", "sum")])
    if rows.num_rows <= _MAX_ROWS_PER_WORD * sums.num_rows:
        return counts
    found = {word: n for word, n in zip(sums["word"].to_pylist(), sums["chunks_sum"].to_pylist(), strict=True) if n}
    transaction.delete("frequencies", "true")
    transaction.append("frequencies", {"word": sorted(found), "chunks": [found[word] for word in sorted(found)]})
    return replace(counts, frequency_rows=len(found))
