"""What ``gnomon why`` says of a file."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fakes.embedder import FakeEmbedder
from tests.unit.cli.conftest import Run


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
