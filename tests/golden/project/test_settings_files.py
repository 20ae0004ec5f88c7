"""Agents' settings files before and after the registration, and what ``scaffold`` writes: one file per case.

A case holds the file before and after, parted by a line of ``=====``. The expected half is read by people before it
is committed: these are files of the user.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from gnomon.project.agents import AGENTS, Machine
from gnomon.project.changes import apply
from gnomon.project.registration import SettingsFile, plan_registration, plan_removal
from gnomon.project.scaffold import ScaffoldOptions, plan_scaffold
from gnomon.project.server import Command

CASES = Path(__file__).parent / "cases"
PARTING = "=====\n"
COMMAND = Command("/opt/gnomon/bin/gnomon", ("mcp",))


@pytest.mark.parametrize("case", sorted(CASES.glob("*.case")), ids=lambda path: path.stem)
def test_registration_gives_the_expected_file_and_its_removal_the_former(case: Path, tmp_path: Path) -> None:
    """Letter for letter, in both directions."""
    agent = AGENTS[case.stem]
    before, after = case.read_text("utf-8").split(PARTING)
    place = SettingsFile(tmp_path / "settings", agent.syntax, (agent.key,))
    place.path.write_text(before, "utf-8")
    change = plan_registration(place, "gnomon", COMMAND, agent.extra)
    assert change.after == after
    apply([change])
    assert plan_removal(place, "gnomon").after == before


def test_scaffold_gives_the_expected_files(tmp_path: Path) -> None:
    """All that a new project gets, with every option."""
    root = tmp_path.resolve() / "decisions"
    root.mkdir()
    settings = {"include": ["adr", "*.md"], "toolDescription": "Decisions of the team"}
    plan = plan_scaffold(root, ScaffoldOptions(settings, hook=True), Machine("linux", tmp_path, lambda _: ""))
    written = "".join(f"== {change.path.relative_to(root).as_posix()}\n{change.after}" for change in plan)
    assert written == (CASES / "scaffold.txt").read_text("utf-8")
