"""A corpus of a few files with a real store and an embedder that tests can reason about."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from gnomon.config import Config, load_config
from gnomon.config.settings_file import write_raw
from gnomon.mcp.arguments import check_arguments
from gnomon.mcp.progress import Progress
from gnomon.mcp.schema import TOOLS
from gnomon.mcp.service import Service
from gnomon.mcp.tools import HANDLERS, Call, Result
from tests.fakes.embedder import FakeEmbedder

FILES: dict[str | bytes, str] = {
    "auth.md": "# Sign-in\n\n## Tokens\n\nThe client refreshes its access token early.\n",
    "cache.py": "import os\n\n\ndef evict(key):\n    rows.pop(key)\n\n\ndef keep(key):\n    rows.add(key)\n",
    "old.md": "---\nstatus: superseded\nsuperseded_by: auth.md\ndate: 2026-03-01\n---\n# Old\n\nTokens live a day.\n",
    "trap.md": "# Trap\n\nZanzibar\n\n````\n```\n````\n\n\x1b]0;owned\x07\x1b[31mred\x1b[0m\n",
    b"caf\xe9.md": "# Coffee\n\nThe espresso machine needs descaling.\n",
}
RunTool = Callable[..., Result]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """The folder."""
    root = tmp_path / "docs"
    root.mkdir()
    for name, text in FILES.items():
        path = root / os.fsdecode(name)
        path.write_text(text, encoding="utf-8")
        os.utime(path, (time.time() - 60,) * 2)
    return root


@pytest.fixture
def config(tmp_path: Path, root: Path, monkeypatch: pytest.MonkeyPatch) -> Config:
    """Settings that name the folder; the index beside it, nothing in the user's places."""
    monkeypatch.setenv("GNOMON_INDEX_DIR", str(tmp_path / "index"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    write_raw(tmp_path / "config.json", {"defaultRoots": [str(root)]})
    return load_config(tmp_path / "config.json")


@pytest.fixture
def service(config: Config, embedder: FakeEmbedder) -> Iterator[Service]:
    """Indexed, with a model that is ready, and without threads."""
    service = Service(config)
    service.model.load()
    service.corpus.index()
    yield service
    service.corpus.close()


@pytest.fixture
def run(service: Service) -> RunTool:
    """Runs a tool with checked arguments, as the server does."""
    rows = {row.name: row for row in TOOLS}

    def run_tool(name: str, **arguments: Any) -> Result:
        checked = check_arguments(rows[name], arguments)
        return HANDLERS[name](Call(service, checked, Progress(), threading.Event()))

    return run_tool
