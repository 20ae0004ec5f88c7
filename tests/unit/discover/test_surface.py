"""What the step offers, and what it costs to ask for it."""

from __future__ import annotations

import subprocess
import sys

import pytest

import gnomon.discover as step


def test_every_name_offered_is_there() -> None:
    """Names are loaded when used; none of them is a module that hides a function."""
    assert sorted(step.__all__) == step.__all__
    assert [name for name in step.__all__ if not callable(getattr(step, name))] == []


def test_other_names_are_an_attribute_error() -> None:
    """As in any module."""
    with pytest.raises(AttributeError, match="nonsense"):
        _ = step.nonsense


def test_matching_a_glob_loads_nothing_of_git() -> None:
    """A search with a path filter starts quickly."""
    code = "import sys; from gnomon.discover import matches_glob; print(*sys.modules)"
    modules = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, encoding="utf-8", check=True
    ).stdout.split()
    assert "gnomon.discover.globs" in modules
    assert not {"subprocess", "gnomon.discover.git", "gnomon.discover.rules", "logging"} & set(modules)
