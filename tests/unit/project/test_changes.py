"""A plan is carried out as a whole or not at all."""

from __future__ import annotations

import stat
import sys
from pathlib import Path

import pytest

from gnomon.errors import ConfigError, ConfinementError
from gnomon.project.changes import FileChange, apply, confined, read_text, unified_diff


def test_files_are_written_and_folders_made(tmp_path: Path) -> None:
    """Line ends are written as they are."""
    apply([FileChange(tmp_path / "a" / "b.json", None, "x\r\ny\n")])
    assert (tmp_path / "a" / "b.json").read_bytes() == b"x\r\ny\n"
    assert [p.name for p in (tmp_path / "a").iterdir()] == ["b.json"]


def test_file_that_changed_after_the_plan_is_left_alone(tmp_path: Path) -> None:
    """Another program's change is not overwritten, and no other file of the plan is written."""
    (tmp_path / "b").write_text("theirs")
    with pytest.raises(ConfigError, match="changed by another program"):
        apply([FileChange(tmp_path / "a", None, "ours"), FileChange(tmp_path / "b", "old", "ours")])
    assert not (tmp_path / "a").exists()
    assert (tmp_path / "b").read_text() == "theirs"


def test_failure_in_the_middle_puts_back_what_was_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All files are as before, and nothing is left beside them."""
    (tmp_path / "a").write_text("old")
    replace = Path.replace

    def fail_for_c(self: Path, target: Path) -> Path:
        if target.name == "c":
            raise PermissionError(13, "Permission denied", str(target))
        return replace(self, target)

    monkeypatch.setattr(Path, "replace", fail_for_c)
    plan = [
        FileChange(tmp_path / "a", "old", "1"),
        FileChange(tmp_path / "b", None, "2"),
        FileChange(tmp_path / "c", None, "3"),
    ]
    with pytest.raises(ConfigError, match=r"cannot write .*c: Permission denied; nothing was changed"):
        apply(plan)
    assert {p.name: p.read_text() for p in tmp_path.iterdir() if p.is_file()} == {"a": "old"}


@pytest.mark.skipif(sys.platform == "win32", reason="permissions of POSIX")
def test_permissions_stay(tmp_path: Path) -> None:
    """A file that only its owner reads is not opened to others."""
    file = tmp_path / "secret.json"
    file.write_text("{}")
    file.chmod(0o600)
    apply([FileChange(file, "{}", "{ }")])
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_link_to_a_file_stays_a_link(tmp_path: Path) -> None:
    """Settings kept elsewhere (dotfiles) are changed where they are."""
    (tmp_path / "real").write_text("old")
    (tmp_path / "link").symlink_to("real")
    apply([FileChange(tmp_path / "link", "old", "new")])
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_text() == "new"


def test_plan_without_need_touches_nothing(tmp_path: Path) -> None:
    """A file that is as it should be keeps its time; an empty one is not made."""
    file = tmp_path / "a"
    file.write_text("same")
    before = file.stat().st_mtime_ns
    apply([FileChange(file, "same", "same"), FileChange(tmp_path / "none", None, "")])
    assert file.stat().st_mtime_ns == before
    assert not (tmp_path / "none").exists()


def test_diff_is_a_patch(tmp_path: Path) -> None:
    """It shows what a change would do, the missing line end included."""
    assert unified_diff(FileChange(Path("/p/a"), "1\n2", "1\n3\n")) == (
        "--- /p/a\n+++ /p/a\n@@ -1,2 +1,2 @@\n 1\n-2\n\\ No newline at end of file\n+3\n"
    )
    assert unified_diff(FileChange(Path("/p/a"), None, "1\n")).startswith("--- /dev/null\n+++ /p/a\n")
    assert unified_diff(FileChange(Path("/p/a"), "1\n", "1\n")) == ""


def test_link_out_of_the_project_is_refused(tmp_path: Path) -> None:
    """Neither a linked file nor a linked folder leads a write elsewhere."""
    root = (tmp_path / "project").resolve()
    root.mkdir()
    (tmp_path / "outside").mkdir()
    (root / "folder").symlink_to(tmp_path / "outside")
    (root / "file").symlink_to(tmp_path / "outside" / "not-there-yet")
    (root / "inside").symlink_to(root / "real")
    for place in ("folder/x", "file", "../outside/x"):
        with pytest.raises(ConfinementError, match="leads out of the project"):
            confined(root, place)
    assert confined(root, "inside") == root / "inside"


def test_file_that_is_no_text_is_refused(tmp_path: Path) -> None:
    """It is not turned into something else."""
    (tmp_path / "a").write_bytes(b"caf\xe9")
    with pytest.raises(ConfigError, match=r"not UTF-8 \(byte 3\)"):
        read_text(tmp_path / "a")
