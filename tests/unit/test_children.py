"""Processes that work for this one are started as this one was."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

_SRC = Path(__file__).resolve().parents[2] / "src"
_CODE = f"""
import sys
sys.path.insert(0, {str(_SRC)!r})
from gnomon import children
children.subprocess.Popen = lambda command, **pipes: print(*command[1:command.index("-c")])
children.start("json.tool")
"""


@pytest.mark.parametrize("flags", [(), ("-E",), ("-s", "-S")])
def test_child_leaves_aside_what_its_parent_does(flags: tuple[str, ...]) -> None:
    """A PYTHONHOME that the parent was told to ignore would keep its children from starting."""
    command = [sys.executable, *flags, "-c", _CODE]
    told = subprocess.run(command, capture_output=True, encoding="utf-8", check=True).stdout.split()
    assert told == ["-P", *flags]


def test_child_takes_no_module_from_the_current_folder(tmp_path: Path) -> None:
    """It may be one that is being indexed."""
    (tmp_path / "json.py").write_text("raise SystemExit(9)", encoding="utf-8")
    code = f"import sys; sys.path.insert(0, {str(_SRC)!r}); from gnomon import children\n"
    code += "with children.start('json.tool') as child: print(child.communicate(b'[1]')[0].decode())"
    command = [sys.executable, "-P", "-c", code]
    told = subprocess.run(command, cwd=tmp_path, capture_output=True, encoding="utf-8", check=True).stdout
    assert told.split() == ["[", "1", "]"]
