"""Shares of a run: together they do everything, none of it twice, and one that dies is finished by the others."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gnomon.errors import UsageError
from gnomon.index.shard import Shard
from gnomon.store.base import Store, text_key
from tests.contract.store.builders import FINGERPRINT, FOLDER, vector, write
from tests.fakes.store import FakeStore


class LeasingStore(FakeStore):
    """Knows who is embedding what; time passes when it is told to."""

    def __init__(self) -> None:
        super().__init__(fingerprint=FINGERPRINT)
        self.now = 0
        self.leases: dict[bytes, tuple[str, int]] = {}

    def claim(self, keys: list[bytes], owner: str, seconds: int) -> set[bytes]:
        """See ``gnomon.index.shard.Leasing``."""
        free = {key for key in keys if self.leases.get(key, (owner, 0))[0] == owner or self.leases[key][1] < self.now}
        self.leases |= dict.fromkeys(free, (owner, self.now + seconds))
        return free


def worker(store: FakeStore, number: int, count: int, name: str) -> Any:
    """A share's view of a store, of a process of that name."""
    share = cast("Any", Shard(number, count).store(cast("Store", store)))
    share._owner = name
    return share


def embed(share: Any, batches: int = 10**6, limit: int = 4) -> list[str]:
    """Embed until nothing is offered; the texts in order."""
    done: list[str] = []
    for _ in range(batches):
        waiting = share.pending(limit=limit)
        if not waiting:
            break
        share.put_vectors([key for key, _ in waiting], np.stack([vector(text) for _, text in waiting]))
        done += [text for _, text in waiting]
    return done


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]), min_size=1), unique=True), st.integers(1, 9))
def test_every_path_and_text_is_of_exactly_one_share(names: list[str], count: int) -> None:
    """Whatever they are called."""
    shares = [Shard(number, count) for number in range(1, count + 1)]
    for name in names:
        assert sum(share.owns_path(name) for share in shares) == 1
        assert sum(share.owns_text(text_key(name)) for share in shares) == 1


@pytest.mark.parametrize("text", ["", "1", "0/2", "3/2", "a/b", "1/2/3", "-1/2", "1/9999", "²/3"])
def test_share_that_is_none_is_refused(text: str) -> None:
    """With how it is written."""
    with pytest.raises(UsageError, match="I/N"):
        Shard.parsed(text)


def test_shares_see_their_own_files() -> None:
    """So that none takes another's for deleted."""
    store = FakeStore(fingerprint=FINGERPRINT)
    store.write([write(f"{n}.md", f"text {n}") for n in range(40)])
    seen = [set(worker(store, number, 3, "w").manifest(FOLDER)) for number in (1, 2, 3)]
    assert set().union(*seen) == {f"{n}.md" for n in range(40)}
    assert sum(map(len, seen)) == 40
    assert all(seen)


@pytest.mark.parametrize("kind", [FakeStore, LeasingStore])
def test_texts_are_embedded_once_by_all_shares_together(kind: type[FakeStore]) -> None:
    """With and without leases, two workers in turns."""
    store = kind()
    store.write([write(f"{n}.md", f"text {n}", "the same") for n in range(40)])
    one, two = worker(store, 1, 2, "one"), worker(store, 2, 2, "two")
    done: list[str] = []
    while more := embed(one, 1) + embed(two, 1):
        done += more
    assert sorted(done) == sorted({*(f"text {n}" for n in range(40)), "the same"})


def test_texts_of_a_worker_that_died_are_finished_by_another() -> None:
    """Not before its lease has run out."""
    store = LeasingStore()
    store.write([write(f"{n}.md", f"text {n}") for n in range(30)])
    one, two = worker(store, 1, 2, "one"), worker(store, 2, 2, "two")
    left = {text for _, text in two.pending(limit=4)}
    done = set(embed(one))
    assert done == {f"text {n}" for n in range(30)} - left
    store.now += 10_000
    assert set(embed(one)) == left
