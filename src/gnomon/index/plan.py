"""Decides, without any effect, what an index run has to do in one folder."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from gnomon.store.base import ManifestRow
from gnomon.values import Document, Skip, SourceFile


@dataclass(frozen=True, slots=True)
class Plan:
    """What to do in one folder.

    Attributes:
        read: New files, and files whose size or times differ from what is stored; content decides the rest.
        unchanged: Number of indexed files that need not be read; files known as skips are in ``skips``.
        skips: Every skip of this discovery, for the report.
        new_skips: Those that are not stored yet.
        gone: Stored paths that discovery did not find.
    """

    read: tuple[SourceFile, ...]
    unchanged: int
    skips: tuple[Skip, ...]
    new_skips: tuple[Skip, ...]
    gone: tuple[str, ...]

    @property
    def found_nothing(self) -> bool:
        """Whether discovery yielded no path at all."""
        return not (self.read or self.unchanged or self.skips)


def plan_folder(
    found: Iterable[SourceFile | Skip], manifest: Mapping[str, ManifestRow], *, extractor: str, force: bool = False
) -> Plan:
    """Compare what is on disk with what is stored.

    Args:
        found: Everything discovery yields for the folder.
        manifest: What the store holds for the folder, by path.
        extractor: Version of the extractors in force; a document read by another version is read again.
        force: Read every file, whatever is stored.
    """
    read: list[SourceFile] = []
    skips: list[Skip] = []
    seen: set[str] = set()
    unchanged = 0
    for entry in found:
        seen.add(entry.path)
        row = manifest.get(entry.path)
        if isinstance(entry, Skip):
            skips.append(entry)
        elif force or row is None or not _is_current(entry, row, extractor):
            read.append(entry)
        elif row.skip:
            skips.append(row.skip)
        else:
            unchanged += 1
    new_skips = [skip for skip in skips if (row := manifest.get(skip.path)) is None or row.skip != skip]
    return Plan(
        read=tuple(read),
        unchanged=unchanged,
        skips=tuple(skips),
        new_skips=tuple(new_skips),
        gone=tuple(path for path in manifest if path not in seen),
    )


def is_as_stored(found: tuple[int, int, int], stored: ManifestRow | Document) -> bool:
    """Whether a file need not be read to know that it is what is stored.

    Args:
        found: Its size in bytes, modification time and change time (nanoseconds) on disk now.
        stored: What the store holds for it.
    """
    return found == (stored.size_bytes, stored.mtime_ns, stored.ctime_ns)


def _is_current(file: SourceFile, row: ManifestRow, extractor: str) -> bool:
    return is_as_stored((file.size_bytes, file.mtime_ns, file.ctime_ns), row) and row.extractor == extractor
