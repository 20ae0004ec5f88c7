"""Many processes on one index, and what happens to the folder while they work."""

from __future__ import annotations

import json
import os
import re
import time
from pathlib import Path

import pytest

from gnomon.index.activity import read_activity
from tests.faults import process
from tests.faults.crashes import assert_true_after_crash
from tests.faults.place import Place, new_place

pytestmark = [pytest.mark.slow]


def test_eight_processes_make_one_new_index(tmp_path: Path) -> None:
    """All at once, where there was none: no lock error reaches anybody, and the index is as one alone makes it."""
    with new_place(tmp_path, 3, files=30) as place:
        writers = [place.start("index", "--quiet", output=f"writer{number}") for number in range(8)]
        ended = [process.finish(writer) for writer in writers]
        assert ended == [0] * 8, [(tmp_path / f"writer{n}").read_text("utf-8") for n in range(8)]
        place.assert_equal_to_fresh()


def test_readers_meet_no_lock_while_writers_work(tmp_path: Path) -> None:
    """Searches and status between two indexers."""
    with new_place(tmp_path, 4, files=60) as place:
        place.run("index", "--quiet")
        place.tree.edit(40)
        writers = [place.start("index", "--quiet", output=f"writer{number}") for number in range(2)]
        readers = [
            place.start(*arguments, output=f"reader{number}")
            for number, arguments in enumerate([("search", "heron"), ("status",), ("search", "otter"), ("status",)])
        ]
        ended = [process.finish(reader) for reader in readers]
        assert ended == [0] * 4, [(tmp_path / f"reader{n}").read_text("utf-8") for n in range(4)]
        assert [process.finish(writer) for writer in writers] == [0, 0]
        place.assert_equal_to_fresh()


def test_second_writer_tells_how_far_the_first_is(tmp_path: Path) -> None:
    """It waits, names the other one, and does its own work afterwards."""
    with new_place(tmp_path, 5, files=60) as place:
        place.server.hold.set()
        first = place.start("index", "--quiet", output="first")
        process.until(lambda: (activity := read_activity(place.home / "index")) is not None and activity.total > 0)
        second = place.start("index", output="second")
        output = place.home / "second"
        process.until(lambda: output.exists() and re.search(r"(words|meaning): \d+ of \d+", output.read_text("utf-8")))
        place.server.hold.clear()
        assert (process.finish(first), process.finish(second)) == (0, 0)
        told = output.read_text("utf-8")
        assert f"id {first.pid}" in told
        place.assert_equal_to_fresh()


def test_edits_of_one_second_and_one_size_are_seen(place: Place) -> None:
    """Also where the times of the file were put back to what they were."""
    path = place.tree.files()[0]
    file = place.tree.root / path
    for number in range(4):
        stat = file.stat()
        place.tree.write(path, f"# Note\n\nwombat mark{number}.\n")
        if number:
            os.utime(file, ns=(stat.st_atime_ns, stat.st_mtime_ns))
        place.run("index", "--quiet")
        with place.corpus() as corpus:
            found = corpus.store().find_document(str(place.tree.root), path)
            assert found
            (chunk,) = corpus.store().document_chunks(found.id)
            assert f"mark{number}" in chunk.chunk.text


def test_clock_that_jumps_loses_no_change(place: Place) -> None:
    """Files of tomorrow and of 1970, changed and changed back."""
    for then in (0, int(time.time()) + 10**6, 10**9):
        place.tree.edit(6)
        for path in place.tree.files():
            os.utime(place.tree.root / path, (then, then))
        place.run("index", "--quiet")
    place.assert_equal_to_fresh()


@pytest.mark.parametrize("then", [-(10**9), 2**33, 2**34 - 2**31])
def test_times_that_no_store_holds_cost_no_run(place: Place, then: int) -> None:
    """A file of the year 2300 or 2446, as a wrong clock or an archive makes it, used to fail every run."""
    files = place.tree.files()[:3]
    for path in files:
        place.tree.write(path, "# Note\n\nwombat of another time.\n")
        os.utime(place.tree.root / path, (then, then))
    place.run("index", "--quiet")
    told = place.run("search", "--json", "-k", "50", "wombat")
    assert {hit["path"] for hit in json.loads(told)} >= set(files)
    assert not any(hit["stale"] for hit in json.loads(told))
    place.assert_equal_to_fresh()


def test_file_becomes_a_folder_and_back(place: Place) -> None:
    """And a folder a file; what was below it is forgotten."""
    tree = place.tree
    for text in ("heron", "otter"):
        tree.write("thing.md/inner.md", f"# A\n\n{text} inside\n")
        place.run("index", "--quiet")
        tree.write("thing.md", f"# B\n\n{text} alone\n")
        place.run("index", "--quiet")
        place.assert_equal_to_fresh()


def test_missing_folder_keeps_its_index(place: Place) -> None:
    """Gone, then empty, then back: nothing is forgotten and nothing is embedded again."""
    before = place.contents()
    away = place.home / "away"
    place.tree.root.rename(away)
    assert "not on disk" in place.run("index", "--quiet", code=2)
    place.tree.root.mkdir()
    place.run("index", "--quiet")
    assert place.contents() == before
    assert_true_after_crash(place, {})
    place.tree.root.rmdir()
    away.rename(place.tree.root)
    place.run("index", "--quiet")
    assert place.contents() == before
