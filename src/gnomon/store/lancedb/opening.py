"""Brings a LanceDB store to life: a new place, a known one, or a new index in place of one that cannot be used."""

from __future__ import annotations

import shutil
import time
import uuid
from contextlib import suppress
from dataclasses import replace as altered

import pyarrow as pa

from gnomon.errors import DamagedError, MismatchError
from gnomon.store.base import Fingerprint
from gnomon.store.bm25 import weights_mark
from gnomon.store.lancedb.connections import refuse_other, translated
from gnomon.store.lancedb.database import together
from gnomon.store.lancedb.head import Counts, Head
from gnomon.store.lancedb.place import Place
from gnomon.store.lancedb.tables import INDEXES, make_table
from gnomon.store.schema import marshal


def prepare(place: Place, fingerprint: Fingerprint, *, replace: bool) -> None:
    """See that an index can be written; make it where there is none.

    Raises:
        MismatchError: It has another fingerprint and ``replace`` is off.
        StoreError: It is damaged and ``replace`` is off, or it cannot be written.
    """
    place.make()
    with translated(place), place.heads.turn():
        try:
            with translated(place):
                _create_or_check(place, fingerprint)
        except MismatchError:
            if not replace:
                raise
            _reset(place, fingerprint)
        except DamagedError:
            if not replace or place.folder is None:
                raise
            _discard(place)
            _create_or_check(place, fingerprint)


def _discard(place: Place) -> None:
    assert place.folder is not None  # noqa: S101 - the caller has looked
    (place.folder / "head.json").unlink(missing_ok=True)
    for table in place.folder.glob("*.lance"):
        shutil.rmtree(table)


def _create_or_check(place: Place, fingerprint: Fingerprint) -> None:
    if place.heads.mark() is None:
        if place.folder:
            _discard(place)  # of a process that was killed before it made the head
        _make(place, fingerprint)
        return
    head = place.heads.read()
    refuse_other(place, head, fingerprint)
    if head.extractor != fingerprint.extractor:
        place.heads.publish(head, head.next(extractor=fingerprint.extractor))


def _make(place: Place, fingerprint: Fingerprint) -> None:
    head = _new(place, fingerprint)
    try:
        place.heads.publish(None, head)
    except (RuntimeError, ValueError, OSError):
        # In a bucket another process may have made the same index at the same moment.
        _drop_tables(place, head)
        if place.heads.mark() is None:
            raise
        refuse_other(place, place.heads.read(), fingerprint)


def _new(place: Place, fingerprint: Fingerprint) -> Head:
    """Empty tables under names nobody has, and the head that names them."""
    mark = uuid.uuid4().hex[:8]
    versions = {}
    for name in INDEXES:
        table = make_table(place.database, name, f"{name}_{mark}", fingerprint.dim)
        versions[name] = (f"{name}_{mark}", table.version())
    return Head(
        serial=1,
        generation=1,
        last_document=0,
        fingerprint=marshal(fingerprint),
        weights=weights_mark(),
        extractor=fingerprint.extractor,
        versions=versions,
    )


def _reset(place: Place, fingerprint: Fingerprint) -> None:
    """Put an empty index in place in one step for every reader; vectors of the same model stay."""
    old = place.heads.read()
    # Serial, generation and ids go on rising, so that readers who remember the old index see that it changed.
    head = altered(
        _new(place, fingerprint),
        serial=old.serial + 1,
        generation=old.generation + 1,
        last_document=old.last_document,
    )
    stored = old.stored_fingerprint
    if all(getattr(stored, name) == getattr(fingerprint, name) for name in ("schema", "model", "dim")):
        head = _keep_vectors(place, old, head)
    place.heads.publish(old, head)
    _drop_tables(place, old)


def _drop_tables(place: Place, head: Head) -> None:
    for name, _ in head.versions.values():
        with suppress(RuntimeError, ValueError, OSError):  # a reader may hold a file; it is no part of any index
            place.database.drop(name)


def _keep_vectors(place: Place, old: Head, head: Head) -> Head:
    now = int(time.time())
    seen: dict[str, int] = {}
    physical, _ = head.versions["kept"]
    kept = place.database.open(physical)
    for name in ("vectors", "kept"):
        rows = place.database.open_at(*old.versions[name]).rows("", ["key", "vector"])
        fresh = []
        for position, key in enumerate(rows["key"].to_pylist()):
            if key not in seen:
                seen[key] = position
                fresh.append(position)
        if fresh:
            rows = rows.take(fresh)
            idle = pa.array([now] * len(fresh), pa.int64())
            together([kept.change("", pa.table({"key": rows["key"], "idle_since": idle, "vector": rows["vector"]}))])
    counts = Counts(kept=len(seen), peak=(len(seen), now))
    return altered(head, versions=dict(head.versions) | {"kept": (physical, kept.version())}, counts=counts)
