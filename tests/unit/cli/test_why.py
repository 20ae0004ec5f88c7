"""What ``gnomon why`` says of a file."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.fakes.embedder import FakeEmbedder
from tests.unit.cli.conftest import Run

_MISSING = "successor 'gone.md' is not among the indexed documents"


@pytest.mark.parametrize("indexed", [False, True])
def test_reason_is_told_once(folders: Path, run: Run, embedder: FakeEmbedder, indexed: bool) -> None:  # noqa: FBT001
    """The last run skipped the file for the reason that the rules give now."""
    (folders / "notes" / "dump.md").write_bytes(b"\0\1\2heron\0\xff")
    if indexed:
        assert run("index", "--quiet")[0] == 0
    code, out, _ = run("why", "notes/dump.md")
    assert (code, out) == (1, "notes/dump.md: out; binary content: a NUL byte in the first 4,096\n")


def test_reason_of_the_last_run_is_told_where_it_is_another(folders: Path, run: Run, embedder: FakeEmbedder) -> None:
    """The file was mended since."""
    (folders / "notes" / "dump.md").write_bytes(b"\0\1\2heron\0\xff")
    assert run("index", "--quiet")[0] == 0
    (folders / "notes" / "dump.md").write_bytes(b"a and b")
    assert "in; plain file; skipped at the last run: binary content" in run("why", "notes/dump.md")[1]


def test_path_that_leads_out_of_the_folders_is_out(folders: Path, run: Run) -> None:
    """An answer like any other, not a failure: links, files elsewhere, files that are nowhere."""
    (folders / "notes" / "link.md").symlink_to(folders / "private.md")
    (folders / "notes" / "far").symlink_to(folders.parent)
    leads_out = f"out; a link leads out of the folder {folders / 'notes'}"
    assert run("why", "notes/link.md") == (1, f"notes/link.md: {leads_out}\n", "")
    assert run("why", "notes/far/top/private.md") == (1, f"notes/far/top/private.md: {leads_out}\n", "")
    assert run("why", "private.md") == (1, "private.md: out; outside the folders\n", "")
    assert run("why", "nowhere.md") == (1, "nowhere.md: out; no such file in any folder\n", "")


@pytest.fixture
def left_out(folders: Path, run: Run, embedder: FakeEmbedder) -> Path:
    """A superseded document and one in a folder that the settings' excludes name, both indexed."""
    (folders / "notes" / "plans").mkdir()
    (folders / "notes" / "plans" / "launch.md").write_text("The launch is in May.\n", "utf-8")
    (folders / "notes" / "old.md").write_text("---\nsuperseded_by: vpn.md\nstatus: superseded\n---\nIbis.\n", "utf-8")
    for path in folders.rglob("*.md"):
        os.utime(path, (1_700_000_000, 1_700_000_000))
    assert run("index", "--quiet")[0] == 0
    return folders


def test_document_that_no_search_returns_is_told_so(left_out: Path, run: Run) -> None:
    """In the index, and what became of it."""
    code, out, _ = run("why", "notes/old.md")
    assert code == 0
    assert "1 passage in the index; searches leave it out: it is superseded and therefore hidden; see vpn.md" in out


@pytest.mark.parametrize("path", ["notes/plans/launch.md", "notes/plans"])
@pytest.mark.parametrize("ranking", ["grounded", "hybrid"])
def test_exclude_of_the_settings_is_told(left_out: Path, run: Run, path: str, ranking: str) -> None:
    """And which searches it concerns."""
    file = left_out.parent / "config" / "gnomon" / "config.json"
    file.write_text(json.dumps({**json.loads(file.read_text("utf-8")), "ranking": ranking}), "utf-8")
    which = "" if ranking == "grounded" else " with --ranking grounded and search_notes"
    rule = f'searches{which} leave it out: its path holds "plans" of the setting defaultExclude; --all'
    assert rule in run("why", path)[1]


def test_document_that_is_found_is_told_nothing_more(left_out: Path, run: Run) -> None:
    """It is just in."""
    assert run("why", "notes/vpn.md")[1] == "notes/vpn.md: in; plain file; 1 passage in the index\n"


def test_status_names_what_searches_leave_out(left_out: Path, run: Run) -> None:
    """Beside what is skipped."""
    rows = [line for line in run("status", "--skipped")[1].splitlines() if "\tindexed, but searches" in line]
    assert [row.split("\t")[1] for row in rows] == ["old.md", "plans/launch.md"]
    told = json.loads(run("status", "--skipped", "--json")[1])["leftOutFiles"]
    assert [row["path"] for row in told] == ["old.md", "plans/launch.md"]


@pytest.mark.parametrize(
    ("head", "told"),
    [
        (
            "status: superseded\nsuperseded_by: gone.md",
            f"its status (line 2) is superseded → gone.md (missing); {_MISSING}",
        ),
        ("status: draft", "its status (line 2) is draft"),
        ("status: accepted\ndate: 2020-13-77", "line 3: '2020-13-77' is no date"),
    ],
)
def test_document_that_is_found_says_what_it_says_of_its_life(
    folders: Path, run: Run, embedder: FakeEmbedder, head: str, told: str
) -> None:
    """As `doctor` has it: a successor that is missing hides nothing, and is what somebody looks for."""
    (folders / "notes" / "old.md").write_text(f"---\n{head}\n---\nIbis.\n", "utf-8")
    assert run("index", "--quiet")[0] == 0
    assert run("why", "notes/old.md")[1] == f"notes/old.md: in; plain file; 1 passage in the index; {told}\n"
