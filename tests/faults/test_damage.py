"""An index whose file lost or changed bytes: never a wrong text, always the way out, and the way out works."""

from __future__ import annotations

import json
import random
import sqlite3
from pathlib import Path

import pytest

from tests.faults.place import Place

pytestmark = [pytest.mark.slow]


def _flip(file: Path, rng: random.Random, count: int) -> None:
    data = bytearray(file.read_bytes())
    for _ in range(count):
        data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    file.write_bytes(data)


def _cut(file: Path, rng: random.Random) -> None:
    """Torn at a page or anywhere."""
    length = file.stat().st_size
    keep = rng.randrange(length)
    with file.open("r+b") as opened:
        opened.truncate(keep - keep % 4096 if rng.random() < 0.5 else keep)


def _zero(file: Path, rng: random.Random) -> None:
    """A page that never reached the disk."""
    with file.open("r+b") as opened:
        opened.seek(rng.randrange(file.stat().st_size // 4096) * 4096)
        opened.write(bytes(4096))


def _assert_mended(place: Place, rng: random.Random) -> None:
    """Each command works or names the way out; no text comes that nobody wrote; in the end all is as from nothing."""
    for arguments in (("status", "--json"), ("search", "--json", "river otter"), ("search", "--json", "heron")):
        told = place.run(*arguments, code=None)
        assert "a fault of ours" not in told
        if told.startswith("["):
            for hit in json.loads(told):
                written = place.tree.history[hit["path"]]
                assert any(hit["text"].strip() in text for text in written)
        elif not told.startswith("{"):
            assert "gnomon index" in told or "No re" in told or "othing relevant" in told, told
    place.tree.edit(rng.randrange(3))
    told = place.run("index", "--quiet", code=None)
    assert "a fault of ours" not in told
    place.run("index", "--quiet", "--force")
    place.assert_equal_to_fresh()


@pytest.mark.parametrize("seed", range(8))
def test_flipped_bits_are_found_or_harmless(place: Place, seed: int) -> None:
    """One or many, anywhere."""
    rng = random.Random(seed)
    _flip(place.database(), rng, rng.choice((1, 1, 3, 50)))
    _assert_mended(place, rng)


@pytest.mark.parametrize("seed", range(4))
def test_torn_file_is_found_or_harmless(place: Place, seed: int) -> None:
    """Cut short, or with a page of zeros."""
    rng = random.Random(seed)
    (_cut if seed % 2 else _zero)(place.database(), rng)
    _assert_mended(place, rng)


def test_index_of_a_newer_program_is_refused_with_the_way_out(place: Place) -> None:
    """Searching and indexing say so alike; the file is not touched until it is asked for."""
    with sqlite3.connect(place.database()) as connection:
        connection.execute("PRAGMA user_version = 99")
    connection.close()
    before = place.database().read_bytes()
    for arguments in (("search", "heron"), ("status",), ("index", "--quiet")):
        assert "newer gnomon" in place.run(*arguments, code=2)
    assert place.database().read_bytes() == before
    place.run("index", "--quiet", "--force")
    place.assert_equal_to_fresh()
