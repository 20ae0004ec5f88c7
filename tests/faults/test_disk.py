"""A disk that is full or cannot be written: what is stored stays whole and searchable, and the next run goes on."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.faults.crashes import assert_true_after_crash
from tests.faults.place import Place, new_place

pytestmark = [pytest.mark.slow]

_KB = 1024
_DISK_KB = 3 * _KB


def _mount(place: Path) -> None:
    command = ["mount", "-t", "tmpfs", "-o", f"size={_DISK_KB}k", "tmpfs", str(place)]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
    if done.returncode:
        pytest.skip(f"a small file system cannot be mounted here: {done.stderr.strip()}")


@pytest.fixture
def small(tmp_path: Path) -> Iterator[Place]:
    """An index on a file system of three megabytes."""
    disk = tmp_path / "index"
    disk.mkdir()
    _mount(disk)
    try:
        with new_place(tmp_path, 7, files=40) as place:
            place.run("index", "--quiet")
            yield place
    finally:
        subprocess.run(["umount", str(disk)], check=True)


def _fill(disk: Path, *, leave_kb: int) -> Path:
    """Take all space but this much."""
    there = os.statvfs(disk)
    filler = disk / "filler"
    filler.write_bytes(bytes(max(there.f_bavail * there.f_frsize - leave_kb * _KB, 0)))
    return filler


@pytest.mark.parametrize("left_kb", [0, 20, 60, 150, 300])
def test_full_disk_loses_nothing_and_says_so(small: Place, left_kb: int) -> None:
    """However early the space ends; with space again, the next run brings all up to date."""
    small.tree.edit(60)
    filler = _fill(small.home / "index", leave_kb=left_kb)
    told = small.run("index", "--quiet", code=2)
    assert "space" in told or "full" in told
    assert_true_after_crash(small, {})
    filler.unlink()
    assert json.loads(small.run("status", "--json"))["documents"] > 0
    small.run("index", "--quiet")
    small.assert_equal_to_fresh()


def test_full_disk_is_searched(small: Place) -> None:
    """Reading needs no space, also by a process that comes when there is none."""
    _fill(small.home / "index", leave_kb=0)
    assert json.loads(small.run("status", "--json"))["vectorsMissing"] == 0
    assert json.loads(small.run("search", "--json", "heron"))


def test_first_run_on_a_full_disk_says_so(tmp_path: Path) -> None:
    """And leaves nothing that stands in the way of the next."""
    disk = tmp_path / "index"
    disk.mkdir()
    _mount(disk)
    try:
        with new_place(tmp_path, 7, files=40) as place:
            filler = _fill(disk, leave_kb=0)
            told = place.run("index", "--quiet", code=2)
            assert "space" in told or "full" in told
            filler.unlink()
            place.run("index", "--quiet")
            place.assert_equal_to_fresh()
    finally:
        subprocess.run(["umount", str(disk)], check=True)


def test_index_that_cannot_be_written_is_searched(small: Place) -> None:
    """On a medium mounted for reading; a run says what is wrong and changes nothing."""
    small.tree.edit(5)
    subprocess.run(["mount", "-o", "remount,ro", str(small.home / "index")], check=True)
    try:
        lines = small.run("search", "--json", "heron").splitlines()
        assert json.loads("\n".join(line for line in lines if not line.startswith("note: ")))
        assert "note: 1 indexed file changed since; run: gnomon index" in lines
        assert str(small.home / "index") in small.run("index", "--quiet", code=2)
    finally:
        subprocess.run(["mount", "-o", "remount,rw", str(small.home / "index")], check=True)
    small.run("index", "--quiet")
    small.assert_equal_to_fresh()


@pytest.mark.parametrize("left_kb", [0, 8, 24, 40])
def test_index_made_anew_on_a_full_disk_stays(small: Place, left_kb: int) -> None:
    """``--force`` takes want of space for no damage: the file stays in its place, with all that it held."""
    before, held = small.database().stat().st_ino, small.contents()
    filler = _fill(small.home / "index", leave_kb=left_kb)
    assert "no space left" in small.run("index", "--quiet", "--force", code=2)
    assert small.database().stat().st_ino == before
    assert not list((small.home / "index").glob("*.damaged"))
    filler.unlink()
    assert small.contents()["documents"] == held["documents"]
    small.run("index", "--quiet", "--force")
    small.assert_equal_to_fresh()


@pytest.mark.parametrize("limit", [16_000, 40_000])
def test_limit_on_the_size_of_files_is_no_damage(place: Place, limit: int) -> None:
    """As under ``ulimit -f``: said as what it is, and the index stays."""
    before = place.database().stat().st_ino
    program = [sys.executable, "-m", "gnomon", "index", "--quiet", "--force"]
    limited = ["sh", "-c", f'ulimit -f {limit // 512} && exec "$@"', "sh", *program]
    home = {"XDG_DATA_HOME": str(place.home / "data"), "GNOMON_CONFIG_PATH": str(place.settings())}
    done = subprocess.run(limited, env=os.environ | home, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 2
    assert "no space left" in done.stderr
    assert place.database().stat().st_ino == before
    place.run("index", "--quiet", "--force")
    place.assert_equal_to_fresh()


def test_damaged_index_that_is_replaced_is_named(place: Place) -> None:
    """Where the old file went is said, for it takes space and may be looked into."""
    place.database().write_bytes(b"no database" * 1000)
    assert f"{place.database()}.damaged" in place.run("index", "--force")
