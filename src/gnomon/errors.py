"""Every exception gnomon raises on purpose, and the exit code of each.

GnomonError                 base; ``exit_code`` 2 unless a leaf says otherwise
├── UsageError              (ValueError) arguments that contradict each other or name nothing
├── ConfigError             (ValueError) a settings file that cannot be read as settings
├── FolderError             (OSError) a folder that is missing, unreadable or not a folder
├── DocumentError           (ValueError) one document that cannot become text; costs that document only
├── ModelError              (RuntimeError) a model file that is absent, altered or not answering
├── MissingExtraError       (ImportError) an optional library that is not installed
├── StoreError              (RuntimeError) the index cannot be read or written
│   ├── DamagedError        the index is there and cannot be used any more
│   ├── MismatchError       the index was written by another model, analyzer, chunker or schema
│   └── BusyError           another process is writing
├── ConfinementError        (PermissionError) a path that is outside the folders or not indexable
│   └── OutsideError        the path is of this system, and is or leads outside the folders
└── Interrupted             (Exception) the user stopped the run; exit code 130

Exit codes: see ``EXIT_CODES``; 3 is any other exception.
"""

from __future__ import annotations

EXIT_DONE = 0
EXIT_NOTHING_FOUND = 1
EXIT_USER = 2
EXIT_FAULT = 3
EXIT_INTERRUPTED = 130

# What each means, for whoever asks for help.
EXIT_CODES = {
    EXIT_DONE: "done",
    EXIT_NOTHING_FOUND: "done, and the answer is no: nothing found, a file that is out, figures below the baseline",
    EXIT_USER: "not done, and you can mend it; standard error says how",
    EXIT_FAULT: "not done, by a fault of gnomon",
    EXIT_INTERRUPTED: "interrupted",
}


class GnomonError(Exception):
    """Base of all deliberate failures; its text says what failed, where, and what to do next."""

    exit_code = EXIT_USER


class UsageError(GnomonError, ValueError):
    """Arguments that contradict each other or name nothing that exists."""


class ConfigError(GnomonError, ValueError):
    """A settings file that cannot be read as settings; the text names file, line and column."""


class FolderError(GnomonError, OSError):
    """A folder that is missing, unreadable or not a folder."""


class DocumentError(GnomonError, ValueError):
    """One document that cannot become text.

    Attributes:
        reason: A member of ``values.SkipReason``, as its string.
    """

    def __init__(self, reason: str, detail: str = "") -> None:
        super().__init__(f"{reason}: {detail}" if detail else reason)
        self.reason = reason
        self.detail = detail


class ModelError(GnomonError, RuntimeError):
    """A model file that is absent, altered or not answering."""


class MissingExtraError(GnomonError, ImportError):
    """An optional library that is not installed; the text is the install line."""

    def __init__(self, *, feature: str, extra: str) -> None:
        super().__init__(f"{feature} needs an optional part: pip install 'gnomon[{extra}]'")
        self.extra = extra


class StoreError(GnomonError, RuntimeError):
    """The index cannot be read or written."""


class DamagedError(StoreError):
    """What is stored is not what was written, so only a new index helps; never for want of space or rights."""


class MismatchError(StoreError):
    """The index was written by another model, analyzer, chunker or schema; nothing is mixed.

    Attributes:
        of_model: Another model is among the reasons, which is what changed settings ask for.
    """

    def __init__(self, message: str, *, of_model: bool = False) -> None:
        super().__init__(message)
        self.of_model = of_model


class BusyError(StoreError):
    """Another process is writing to the index."""


class ConfinementError(GnomonError, PermissionError):
    """A path that is outside the folders or that the indexer would not index."""


class OutsideError(ConfinementError):
    """A path that is in none of the folders, or leads out of its folder.

    Attributes:
        reason: Why, without the path.
    """

    def __init__(self, reason: str, path: str) -> None:
        super().__init__(f"{reason}: {path} (gnomon list shows the folders)")
        self.reason = reason


class Interrupted(GnomonError):  # noqa: N818 - an outcome the user chose, not an error
    """The user stopped the run; what was committed before stays searchable."""

    exit_code = EXIT_INTERRUPTED
