"""Places with an index that is up to date, for what happens to it next."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.faults.place import Place, new_place


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    """Twenty files, indexed."""
    with new_place(tmp_path, 7, files=20) as place:
        place.run("index", "--quiet")
        yield place
