"""A bundle as a team uses it: exported once, signed, imported by others, refused when it is not theirs."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from tests.e2e.conftest import Program, many_notes

pytestmark = [pytest.mark.model, pytest.mark.slow, pytest.mark.timeout(300)]


def test_team_embeds_once(shared_program: Callable[[str], Program]) -> None:
    """The second machine has all vectors without embedding; a wrong key takes nothing."""
    one, two = shared_program("one"), shared_program("two")
    for name, program in (("ours", one), ("ours", two), ("theirs", two)):
        (program.home / f"{name}.key").write_text(f"a shared key of the team: {name}\n", encoding="utf-8")
    many_notes(one, 20)
    many_notes(two, 20)
    one("index", "--quiet")
    one("bundle", "export", "team.bundle", "--signers", "x", code=2)
    two("bundle", "import", "team.bundle", "--ssh-key", "x", code=2)
    assert "20 vectors" in one("bundle", "export", "team.bundle", "--key-file", "ours.key").stdout
    (two.home / "team.bundle").write_bytes((one.home / "team.bundle").read_bytes())
    assert "another key" in two("bundle", "import", "team.bundle", "--key-file", "theirs.key", code=2).stderr
    assert "20 of them new" in two("bundle", "import", "team.bundle", "--key-file", "ours.key").stdout
    summary = json.loads(two("index", "--json").stdout)
    assert (summary["chunksEmbedded"], summary["chunksPending"], summary["filesProcessed"]) == (0, 0, 20)
    assert json.loads(two("search", "--json", "zebra0007").stdout)[0]["path"] == "n0007.md"
