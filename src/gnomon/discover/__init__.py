"""Folder to files: what is ours to index, and which rule says so.

``discover`` lists, ``read`` opens one file, ``explain`` names the rule, ``confine`` says whether a typed path is ours.
Names are loaded when first used: a search that filters by path needs ``matches_glob`` and nothing of git.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gnomon.discover.confinement import confine
    from gnomon.discover.discovery import check_folder, discover
    from gnomon.discover.globs import matches_glob, matches_in
    from gnomon.discover.reading import Content, read
    from gnomon.discover.rules import DiscoveryRules
    from gnomon.discover.verdict import Verdict, explain

_HOMES = {
    "Content": "reading",
    "DiscoveryRules": "rules",
    "Verdict": "verdict",
    "check_folder": "discovery",
    "confine": "confinement",
    "discover": "discovery",
    "explain": "verdict",
    "matches_glob": "globs",
    "matches_in": "globs",
    "read": "reading",
}

__all__ = [
    "Content",
    "DiscoveryRules",
    "Verdict",
    "check_folder",
    "confine",
    "discover",
    "explain",
    "matches_glob",
    "matches_in",
    "read",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
