"""What a command says while another process writes to the index."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

import pytest

from gnomon.cli.progress import IndexProgress
from gnomon.config import load_config
from gnomon.index.events import Event
from gnomon.index.lock import writer_lock
from tests.fakes.embedder import FakeEmbedder
from tests.unit.cli.conftest import Run


@pytest.mark.parametrize(
    "words",
    [
        ["index", "notes"],
        ["optimize"],
        ["remove", "notes"],
        ["bundle", "import", "vectors.bundle"],
        ["migrate", "--to", "sqlite", "--index", "elsewhere"],
    ],
    ids=lambda words: words[0],
)
def test_who_waits_says_for_whom(
    folders: Path, run: Run, embedder: FakeEmbedder, monkeypatch: pytest.MonkeyPatch, words: list[str]
) -> None:
    """Once, for the other is done by then; a run of nine minutes looked like a command that hangs."""
    assert run("index", "--quiet")[0] == 0
    assert run("bundle", "export", "vectors.bundle")[0] == 0
    tell = IndexProgress.__call__
    with ExitStack() as other:
        other.enter_context(writer_lock(load_config(folders.parent / "config" / "gnomon" / "config.json").index_dir))

        def told(progress: IndexProgress, event: Event) -> None:
            tell(progress, event)
            other.close()

        monkeypatch.setattr(IndexProgress, "__call__", told)
        code, _, err = run(*words)
    assert code == 0
    assert err.count("waiting for another process (id ") == 1
    assert "that writes to this index (writing); Ctrl-C is safe and loses nothing" in err
