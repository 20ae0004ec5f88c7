"""What one index run did, folder by folder."""

from __future__ import annotations

from dataclasses import dataclass

from gnomon.values import Folder, Skip


@dataclass(frozen=True, slots=True)
class FolderReport:
    """What one index run did to one folder. Every discovered path is counted once.

    ``files_partly`` are those of ``files_processed`` whose text is not the whole of them (``values.PARTLY``).
    """

    folder: Folder
    files_processed: int = 0
    files_partly: int = 0
    files_unchanged: int = 0
    files_deleted: int = 0
    chunks_written: int = 0
    skips: tuple[Skip, ...] = ()
    warnings: tuple[str, ...] = ()
    redactions: int = 0
    truncated: bool = False


@dataclass(frozen=True, slots=True)
class IndexReport:
    """What one index run did.

    Attributes:
        folders: In the order they ran.
        chunks_embedded: Vectors computed.
        chunks_reused: Chunks whose vector was already known by content.
        chunks_pending: Chunks without a vector at the end (interrupted, or the model is missing).
        seconds: Wall clock of the run.
        generation: Of the index afterwards.
        notices: One sentence each: calibration, model trouble.
        interrupted: The user stopped it; what was committed stays searchable.
    """

    folders: tuple[FolderReport, ...]
    chunks_embedded: int = 0
    chunks_reused: int = 0
    chunks_pending: int = 0
    seconds: float = 0.0
    generation: int = 0
    notices: tuple[str, ...] = ()
    interrupted: bool = False
