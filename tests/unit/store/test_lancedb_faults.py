"""What goes wrong around a LanceDB folder: damage, half a commit, another program's files, other versions."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from gnomon.errors import MismatchError, MissingExtraError, StoreError
from gnomon.store import has_index, open_store
from gnomon.store.base import Store
from tests.contract.store.builders import FINGERPRINT, FOLDER, embed_all, found_texts, nearest_texts, write

pytest.importorskip("lancedb", reason="the extra gnomon[lancedb] is not installed")


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A folder with an index of two documents, closed."""
    place = tmp_path / "index"
    with open_index(place) as store:
        store.write([write("a.md", "alpha"), write("b.md", "beta")])
        embed_all(store)
    return place


def open_index(place: Path, *, writable: bool = True, force: bool = False) -> Store:
    """The index, for writing unless told otherwise."""
    return open_store("lancedb", place, fingerprint=FINGERPRINT, writable=writable, replace=force)


def head_of(place: Path) -> dict[str, Any]:
    """What the index says of itself."""
    head: dict[str, Any] = json.loads((place / "head.json").read_text("utf-8"))
    return head


def test_half_a_commit_of_a_killed_writer_never_was(place: Path) -> None:
    """Tables are put back to what the head names by the next writer; readers never saw them."""
    with open_index(place) as store, open_index(place, writable=False) as reader:
        with store._writer.commit() as (transaction, _):  # type: ignore[attr-defined]
            transaction.delete("chunks", "true")
            transaction.delete("vectors", "true")
            transaction.flush({})  # and no head follows
        assert sorted(found_texts(reader, "alpha", "beta")) == ["alpha", "beta"]
        with open_index(place) as other:
            other.write([write("c.md", "gamma")])
            assert sorted(found_texts(other, "alpha", "beta", "gamma")) == ["alpha", "beta", "gamma"]
            assert nearest_texts(other, "alpha")[0] == "alpha"


def test_damage_is_named_with_the_way_out(place: Path) -> None:
    """A head that does not read, and a file that is gone; --force starts anew."""
    good = (place / "head.json").read_bytes()
    (place / "head.json").write_bytes(good[:40])
    for writable in (True, False):
        with pytest.raises(StoreError, match=r"damaged.*gnomon index --force"):
            open_index(place, writable=writable)
    (place / "head.json").write_bytes(good)
    for file in place.glob("chunks_*.lance/data/*"):
        file.unlink()
    with open_index(place, writable=False) as reader, pytest.raises(StoreError, match="damaged"):
        found_texts(reader, "alpha")
    (place / "head.json").write_bytes(b"{}")
    with open_index(place, force=True) as store:
        assert store.status().documents == 0
        store.write([write("a.md", "alpha")])
        assert found_texts(store, "alpha") == ["alpha"]


def test_folder_of_another_program_is_left_alone(tmp_path: Path) -> None:
    """Whatever is asked for."""
    (tmp_path / "precious.txt").write_text("mine", "utf-8")
    for force in (False, True):
        with pytest.raises(StoreError, match=r"other files \(precious\.txt\)"):
            open_index(tmp_path, force=force)
    assert [entry.name for entry in tmp_path.iterdir()] == ["precious.txt"]


def test_index_is_readable_by_its_owner_only(place: Path) -> None:
    """It holds the text of what was indexed."""
    assert place.stat().st_mode & 0o077 == 0
    assert (place / "head.json").stat().st_mode & 0o077 == 0


def test_other_schema_or_weights_are_refused(place: Path) -> None:
    """Nothing is mixed: neither a newer program's tables nor counts with other weights in them."""
    head = head_of(place)
    newer = json.loads(head["fingerprint"]) | {"schema": 99}
    (place / "head.json").write_text(json.dumps(head | {"fingerprint": json.dumps(newer)}), "utf-8")
    with pytest.raises(MismatchError, match="newer gnomon"):
        open_index(place)
    (place / "head.json").write_text(json.dumps(head | {"weights": "1-1-1-1"}), "utf-8")
    with pytest.raises(MismatchError, match=r"weights \(1-1-1-1, now .*gnomon index --force"):
        open_index(place, writable=False)
    with open_index(place, force=True) as store:
        assert store.write([write("a.md", "alpha")]) == 1


def test_old_versions_go_while_nobody_holds_them(place: Path) -> None:
    """A snapshot keeps its version; without one the space is given back at once."""
    with open_index(place) as store, open_index(place, writable=False) as reader:
        for n in range(5):
            store.write([write("a.md", f"alpha {n}")])
        with reader.snapshot():
            before = found_texts(reader, "alpha")
            store.write([write("a.md", "other")])
            store.optimize()
            assert found_texts(reader, "alpha") == before
        store.write([write("a.md", "last")])
        store.optimize()
        assert all(len(list(table.glob("_versions/*.manifest"))) == 1 for table in place.glob("*.lance"))
        assert found_texts(reader, "alpha", "other", "last") == ["last"]


def test_many_small_commits_are_compacted_by_the_writer(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without being asked, so that an index that is watched does not grow by versions."""
    monkeypatch.setattr("gnomon.store.lancedb.writer.COMMITS_PER_TIDYING", 10)
    monkeypatch.setattr("gnomon.store.lancedb.writer.RETENTION", timedelta(0))
    with open_index(place) as store:
        for n in range(24):
            store.touch(FOLDER, {"a.md": (n, n, n)})
        files = next(place.glob("files_*.lance"))
        assert len(list((files / "data").glob("*.lance"))) <= 12
        assert head_of(place)["commits"] < 10


@pytest.mark.parametrize(("backend", "library"), [("lancedb", "lancedb"), ("postgres", "psycopg")])
def test_missing_library_is_answered_with_the_install_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, backend: str, library: str
) -> None:
    """For opening and for looking alike; nothing is made."""
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(MissingExtraError, match=rf"pip install 'gnomon\[{backend}\]'"):
        open_store(backend, tmp_path / "index", fingerprint=FINGERPRINT, writable=True)
    with pytest.raises(MissingExtraError, match=rf"gnomon\[{backend}\]"):
        has_index(backend, "s3://bucket/index" if backend == "lancedb" else "postgres:team")
    assert not list(tmp_path.iterdir())


def test_extractor_is_recorded_without_a_new_generation(place: Path) -> None:
    """As a newer program opens an index for writing."""
    generation = open_index(place, writable=False).generation
    newer = replace(FINGERPRINT, extractor="extractor-2")
    with open_store("lancedb", place, fingerprint=newer, writable=True) as store:
        assert store.status().fingerprint == newer
        assert store.generation == generation


FULL = """
import random, resource, sys
from pathlib import Path
from gnomon.errors import StoreError
from gnomon.store import open_store
from tests.contract.store.builders import FINGERPRINT, found_texts, write
with open_store("lancedb", Path(sys.argv[1]), fingerprint=FINGERPRINT, writable=True) as store:
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, -1))
    try:
        store.write([write("a.md", "changed"), write("big.md", random.Random(1).randbytes(300_000).hex())])
    except StoreError as e:
        print(e)
    resource.setrlimit(resource.RLIMIT_FSIZE, (-1, -1))
    print(found_texts(store, "alpha", "changed"))
    store.write([write("c.md", "gamma")])
    print(sorted(found_texts(store, "alpha", "beta", "gamma", "changed")))
"""


@pytest.mark.slow
def test_full_disk_costs_the_commit_and_no_more(place: Path) -> None:
    """What was committed before is whole, and writing goes on when there is room again."""
    root = Path(__file__).resolve().parents[3]
    done = subprocess.run(
        [sys.executable, "-c", FULL, place],
        env={"PYTHONPATH": f"{root / 'src'}:{root}"},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    told, before, after = done.stdout.splitlines()
    assert str(place) in told
    assert before == "['alpha']"
    assert after == "['alpha', 'beta', 'gamma']"
