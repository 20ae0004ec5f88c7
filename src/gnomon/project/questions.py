"""What ``init`` asks: one row per question, with how a default is shown and what an answer means."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gnomon.config.paths import expanded, real
from gnomon.project.settings import check_settings, relative_vault, split_list

_ALL = "all"


@dataclass(frozen=True, slots=True)
class Question:
    """One question and the key of the settings file that it decides.

    Attributes:
        key: Of the settings file.
        text: What is asked.
        to_text: The value in force -> what is shown as the default; gets the settings file and the project too.
        from_text: An answer -> the value; gets the same.
    """

    key: str
    text: str
    to_text: Callable[[Any, Path, Path], str]
    from_text: Callable[[str, Path, Path], Any]

    def show(self, present: Mapping[str, Any], file: Path, root: Path) -> str:
        """The default as the user reads it."""
        return self.to_text(present.get(self.key, ""), file, root)

    def parse(self, answer: str, file: Path, root: Path) -> Any:
        """The value an answer means.

        Raises:
            UsageError: It makes no sense.
        """
        value = self.from_text(answer, file, root)
        check_settings(file, root, {self.key: value})
        return value


def _text(value: Any, _file: Path, _root: Path) -> str:
    return str(value)


def _same(answer: str, _file: Path, _root: Path) -> str:
    return answer


def _model(value: Any, _file: Path, _root: Path) -> str:
    return str(value) or "the one that comes with gnomon"


def _folder(value: Any, file: Path, root: Path) -> str:
    return Path(os.path.relpath(real(file.parent / str(value)), root)).as_posix()


def _vault(answer: str, file: Path, root: Path) -> str:
    return relative_vault(file, root / expanded(answer))


def _patterns(value: Any, _file: Path, _root: Path) -> str:
    return ", ".join([value] if isinstance(value, str) else value) or _ALL


def _list(answer: str, _file: Path, _root: Path) -> list[str]:
    return [] if answer == _ALL else list(split_list(answer))


QUESTIONS = (
    Question("serverName", "Name of the server, as agents see it", _text, _same),
    Question("toolDescription", "What is in here (agents decide by it whether to search)", _text, _same),
    Question("vaultPath", "Folder with the documents", _folder, _vault),
    Question("include", "Only these folders or globs in it, separated by commas", _patterns, _list),
    Question("embedModel", "Embedding model", _model, _same),
)
