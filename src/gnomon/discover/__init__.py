"""Folder to files: what is ours to index, and which rule says so.

``discover`` lists, ``read`` opens one file, ``explain`` names the rule, ``confine`` says whether a typed path is ours.
Git and its process are loaded at the first call only.
"""

from gnomon.discover.confine import confine
from gnomon.discover.discovery import check_folder, discover
from gnomon.discover.explain import Verdict, explain
from gnomon.discover.globs import matches_glob
from gnomon.discover.reading import Content, read
from gnomon.discover.rules import DiscoveryRules

__all__ = [
    "Content",
    "DiscoveryRules",
    "Verdict",
    "check_folder",
    "confine",
    "discover",
    "explain",
    "matches_glob",
    "read",
]
