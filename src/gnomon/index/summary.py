"""An index run as the fields that users read: one shape for the command line's JSON and the server's."""

from __future__ import annotations

from collections import Counter
from typing import Any

from gnomon.index.report import IndexReport
from gnomon.values import display_path


def summary(report: IndexReport) -> dict[str, Any]:
    """Counts of a run, the first predecessor's keys first.

    ``filesSkipped`` says what the line for people says and ``status --skipped`` lists: paths that are not indexed, each
    with its reason in ``skipReasons``. ``filesNotIndexed`` is the same number. With ``filesProcessed`` and
    ``filesUnchanged`` every discovered path is counted once.
    ``filesPartly`` are those of ``filesProcessed`` that were read in part; ``status --skipped`` says what is missing.
    """
    folders = report.folders
    skips = [skip for folder in folders for skip in folder.skips]
    unchanged = sum(folder.files_unchanged for folder in folders)
    return {
        "filesProcessed": sum(folder.files_processed for folder in folders),
        "filesSkipped": len(skips),
        "filesDeleted": sum(folder.files_deleted for folder in folders),
        "chunksWritten": sum(folder.chunks_written for folder in folders),
        "truncated": any(folder.truncated for folder in folders),
        "filesUnchanged": unchanged,
        "filesNotIndexed": len(skips),
        "filesPartly": sum(folder.files_partly for folder in folders),
        "skipReasons": dict(Counter(str(skip.reason) for skip in skips).most_common()),
        "chunksEmbedded": report.chunks_embedded,
        "chunksReused": report.chunks_reused,
        "chunksPending": report.chunks_pending,
        "secretsReplaced": sum(folder.redactions for folder in folders),
        "interrupted": report.interrupted,
        "generation": report.generation,
        "seconds": round(report.seconds, 3),
        "warnings": [display_path(warning) for folder in folders for warning in folder.warnings],
        "notices": list(report.notices),
    }
