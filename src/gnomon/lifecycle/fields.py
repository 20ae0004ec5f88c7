"""What a document says of itself, as keys and values with their lines, before anyone judges it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Literal

from gnomon.lifecycle.spellings import FLAGS, KEYS

Key = Literal["status", "successor", "predecessor", "date", "expires", "title", "flag"]
Source = Literal["front matter", "field", "section", "banner"]

_FOLD = re.compile(r"[\s_\-]+")


@dataclass(frozen=True, slots=True)
class Field:
    """One thing a document says of itself.

    Attributes:
        key: What it is about.
        name: The key as written, folded ("last updated").
        value: As written; items of a list are separate fields.
        line: 1-based.
        source: Which part of the document it stands in.
        comment: What stands behind a ``#`` on that line of front matter, where no parser keeps it; else "".
    """

    key: Key
    name: str
    value: str
    line: int
    source: Source
    comment: str = ""


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """What stands before the body.

    Attributes:
        fields: In the order written.
        body_start: First character after it; 0 where there is none or where it does not end.
        warnings: One sentence each.
    """

    fields: tuple[Field, ...] = ()
    body_start: int = 0
    warnings: tuple[str, ...] = ()


def fold_key(key: str) -> str:
    """A key as the table of spellings writes it: "Superseded_By" and "superseded-by" are "superseded by"."""
    return _FOLD.sub(" ", key.strip().strip("\"'").casefold())


@cache
def _keys() -> dict[str, Key]:
    table: dict[str, Key] = {}
    for key, names in KEYS.items():
        for name in names:
            table.setdefault(name, key)  # type: ignore[arg-type]
    for name in FLAGS:
        table.setdefault(name, "flag")
    return table


def known_key(name: str) -> Key | None:
    """What a key is about, None where the table of spellings does not have it."""
    return _keys().get(fold_key(name))
