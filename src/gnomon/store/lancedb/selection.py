"""A selection of documents as a condition of LanceDB, short whatever the number of ids."""

from __future__ import annotations

from gnomon.store.base import Selection
from gnomon.store.lancedb.connections import Snapshot
from gnomon.store.lancedb.tables import among_ids

# Above this ids are first compared with those there are: a condition with 50,000 of them costs 300 ms.
_FEW = 500


def admitted(snapshot: Snapshot, selection: Selection) -> str:
    """Condition on the column ``document``: "" where all may come back, "false" where none."""
    only, without = selection.only, selection.without
    if only is None and not without:
        return ""
    if only is not None:
        only = only - without
    if (only is None and len(without) <= _FEW) or (only is not None and len(only) <= _FEW):
        return f"NOT {among_ids('document', without)}" if only is None else among_ids("document", only)
    rows = snapshot.table("files").rows("reason = ''", ["id"])
    present = sorted(rows["id"].to_pylist())
    chosen = [only is None or number in only for number in present]
    if only is None:
        chosen = [number not in without for number in present]
    return _runs(present, chosen)


def _runs(present: list[int], chosen: list[bool]) -> str:
    """The chosen ones as ranges over those present: neighbours among them need not be neighbours as numbers."""
    if all(chosen):
        return ""
    ranges: list[tuple[int, int]] = []
    singles: list[int] = []
    start: int | None = None
    for position, number in enumerate(present):
        if chosen[position] and start is None:
            start = number
        last = position + 1 == len(present) or not chosen[position + 1]
        if chosen[position] and last and start is not None:
            if start == number:
                singles.append(number)
            else:
                ranges.append((start, number))
            start = None
    parts = [f"(document >= {first} AND document <= {last})" for first, last in ranges]
    if singles:
        parts.append(f"document IN ({', '.join(map(str, singles))})")
    return f"({' OR '.join(parts)})" if parts else "false"
