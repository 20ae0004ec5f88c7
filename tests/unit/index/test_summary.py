"""The summary of a run counts what its line for people counts, under the same words."""

from __future__ import annotations

from pathlib import Path

from gnomon.cli.render import totals
from gnomon.index.report import FolderReport, IndexReport
from gnomon.index.summary import summary
from gnomon.values import Folder, Skip, SkipReason


def test_unchanged_files_are_not_skipped_ones() -> None:
    """One word means one thing: each skipped file has a reason, and none is counted twice."""
    skips = (Skip("a.bin", SkipReason.BINARY_CONTENT),)
    folder = FolderReport(
        folder=Folder("docs", Path("/docs")), files_processed=3, files_unchanged=128, skips=skips, chunks_written=7
    )
    report = IndexReport(folders=(folder,))
    said = summary(report)
    assert (said["filesProcessed"], said["filesUnchanged"], said["filesSkipped"]) == (3, 128, 1)
    assert said["filesSkipped"] == said["filesNotIndexed"] == sum(said["skipReasons"].values())
    assert f"{said['filesProcessed']} indexed, {said['filesSkipped']} skipped" in totals(report)
