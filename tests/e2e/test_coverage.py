"""Every file of a folder is counted once, with the same verdict on every surface, whatever the folder holds."""

from __future__ import annotations

import os
import shutil
import tempfile
import threading
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from gnomon.config import load_config
from gnomon.config.settings_file import write_raw
from gnomon.corpus import Corpus, status_fields
from gnomon.index.events import Event, FilesFound
from gnomon.index.summary import summary
from gnomon.mcp.progress import Progress
from gnomon.mcp.service import Service
from gnomon.mcp.tools import HANDLERS, Call
from gnomon.values import SkipReason
from tests.fakes.embedder import FakeEmbedder
from tests.fakes.odd_files import odd_paths

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

_CONTENTS: dict[str, bytes] = {
    "text": b"# Title\n\nSome words of a living document.\n",
    "empty": b"",
    "blank": b" \n\n\t\n",
    "front matter": b"---\nstatus: draft\n---\n",
    "binary": b"\x7fELF\0\0\0\0" + bytes(range(256)),
    "large": b"[1]\n" * 130_000,
    "latin": "Prüfung größerer Übersichten".encode("latin-1"),
    "secret": b"token = 'ghp_0a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R'\n",
}
_SPECIAL = ("link", "dangling", "folder link", "pipe")
_ENDINGS = (".md", ".py", ".json", ".png", ".docx", ".pdf", ".pem", "", ".ipynb", ".csv")
_FOLDERS = ("", "a/", "a/b/", "left out/", "node_modules/")
_FILES = st.lists(
    st.tuples(
        st.sampled_from(_FOLDERS),
        st.text("ab -é\u202e\n'\"*?", min_size=1, max_size=6).filter(lambda name: name.strip(" .")),
        st.sampled_from(_ENDINGS),
        st.sampled_from([*_CONTENTS, *_SPECIAL]),
    ),
    min_size=1,
    max_size=14,
)
_CHANGES = st.lists(st.tuples(st.integers(0, 30), st.sampled_from(["touch", "delete", "empty", "text", "binary"])))


@pytest.fixture(scope="module", autouse=True)
def _places(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    fake = FakeEmbedder()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_DATA_HOME", str(tmp_path_factory.mktemp("data")))
        patch.setattr(Corpus, "embedder", property(lambda _: fake))
        yield


@settings(max_examples=60, suppress_health_check=list(HealthCheck), derandomize=True, phases=[Phase.generate])
@given(files=_FILES, changes=_CHANGES)
def test_every_path_is_counted_once_on_every_surface(
    files: list[tuple[str, str, str, str]], changes: list[tuple[int, str]]
) -> None:
    """After the first run, and after whatever changes, also where nothing did."""
    home = Path(tempfile.mkdtemp())
    try:
        root = home / "docs"
        root.mkdir()
        (root / ".indexignore").write_text("left out/\n", "utf-8")
        (root / "kept.md").write_text("A folder that is suddenly empty would keep its index.\n", "utf-8")
        for folder, name, ending, what in files:
            _make(root / folder / (name + ending), what, home)
        write_raw(home / "config.json", {"defaultRoots": [str(root)], "indexPath": str(home / "index")})
        corpus = Corpus(load_config(home / "config.json"))
        _check(corpus, root)
        for number, change in changes:
            paths = sorted(path for path in root.rglob("*") if path.is_file() and not path.is_symlink())
            path = paths[number % len(paths)]
            if path.name not in {".indexignore", "kept.md"}:
                _change(path, change)
        _check(corpus, root)
        corpus.close()
    finally:
        shutil.rmtree(home)


def _make(path: Path, what: str, home: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    if os.path.lexists(path):
        return
    if what == "link":
        path.symlink_to(home / "config.json")
    elif what == "dangling":
        path.symlink_to("nowhere")
    elif what == "folder link":
        path.symlink_to(home)
    elif what == "pipe":
        os.mkfifo(path)
    else:
        path.write_bytes(_CONTENTS[what])


def _change(path: Path, change: str) -> None:
    if change == "delete":
        path.unlink()
    elif change == "touch":
        stat = path.stat()
        os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns - 10**9))
    else:
        path.write_bytes(_CONTENTS[change])


def _check(corpus: Corpus, root: Path) -> None:
    report = corpus.index()
    said = summary(report)
    manifest = corpus.store().manifest(str(root))
    left_out = {path: row.skip for path, row in manifest.items() if row.skip}
    reasons = Counter(str(skip.reason) for skip in left_out.values())
    # A folder left out as a whole is one path; what is below it is not looked at.
    whole = {path for path in left_out if (root / path).is_dir() and not (root / path).is_symlink()}
    seen = {path for path in odd_paths(root) if not any(path.startswith(f"{above}/") for above in whole)}
    assert set(manifest) == seen | whole

    assert said["filesProcessed"] + said["filesUnchanged"] + said["filesNotIndexed"] == len(manifest)
    assert said["filesSkipped"] == said["filesNotIndexed"]
    assert said["skipReasons"] == reasons
    assert {skip.path: skip for skip in report.folders[0].skips} == left_out
    assert {skip.path: skip for _, skip in corpus.skipped()} == left_out

    status = status_fields(corpus.status())
    (folder,) = status["folders"]
    assert (folder["documents"], folder["skipped"]) == (len(manifest) - len(left_out), reasons)
    assert _tool(corpus, "status")["folders"] == status["folders"]
    again = _tool(corpus, "index")
    assert again["filesProcessed"] == 0
    assert (again["filesUnchanged"], again["skipReasons"]) == (folder["documents"], reasons)
    for path, row in manifest.items():
        if (root / path).is_symlink():
            continue  # whether a link may be asked about is for confinement to say
        assert corpus.why(str(root / path))[0].included == (row.skip is None), path


def test_files_that_change_under_the_run_cost_one_skip_each(tmp_path: Path) -> None:
    """Gone, grown, now a pipe, now a link: each has its reason, the others are indexed, and the next run is right."""
    root = tmp_path / "docs"
    root.mkdir()
    for name in ("gone.md", "grown.json", "pipe.md", "link.md", "folder.md", "kept.md"):
        (root / name).write_bytes(_CONTENTS["text"])
    write_raw(tmp_path / "config.json", {"defaultRoots": [str(root)], "indexPath": str(tmp_path / "index")})
    corpus = Corpus(load_config(tmp_path / "config.json"))

    def change(event: Event) -> None:
        if isinstance(event, FilesFound):  # listed, and not read yet
            for name in ("gone.md", "pipe.md", "link.md", "folder.md"):
                (root / name).unlink()
            (root / "grown.json").write_bytes(_CONTENTS["large"])
            os.mkfifo(root / "pipe.md")
            (root / "link.md").symlink_to("/etc/hostname")
            (root / "folder.md").mkdir()

    report = corpus.index(listener=change)
    assert {skip.path: skip.reason for skip in report.folders[0].skips} == {
        "gone.md": SkipReason.VANISHED,
        "grown.json": SkipReason.TOO_LARGE,
        "pipe.md": SkipReason.NOT_REGULAR,
        "link.md": SkipReason.SYMLINK,
        "folder.md": SkipReason.NOT_REGULAR,
    }
    assert report.folders[0].files_processed == 1
    _check(corpus, root)
    corpus.close()


def _tool(corpus: Corpus, name: str) -> dict[str, Any]:
    """The answer of a tool of the server."""
    service = Service(corpus.config)
    try:
        return dict(HANDLERS[name](Call(service, {}, Progress(), threading.Event()))[0])
    finally:
        service.corpus.close()
