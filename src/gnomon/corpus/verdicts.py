"""Whether one path is in the index: the rules of discovery, the settings, and whether the file has any text."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from gnomon.corpus.parts import included
from gnomon.errors import DocumentError
from gnomon.values import Extracted, Folder, Skip, SkipReason, SourceFile

if TYPE_CHECKING:
    from gnomon.config import Config
    from gnomon.discover import DiscoveryRules, Verdict
    from gnomon.store.base import ManifestRow


def verdict_by_rules(config: Config, folder: Folder, path: str, rules: DiscoveryRules) -> Verdict:
    """What the rules of discovery and the settings say of a path; its text is not looked at.

    Raises:
        FolderError: As for ``discover``.
    """
    from gnomon.discover import explain

    verdict = explain(folder, path, rules)
    if not verdict.included or not (folder.root / path).is_file():
        return verdict
    (found,) = included(config, folder, iter([SourceFile(path, 0, 0, 0, verdict.rule)]))
    return _out(found) if isinstance(found, Skip) else verdict


def verdict_by_text(
    verdict: Verdict, folder: Folder, path: str, row: ManifestRow | None, extract: Callable[[], Extracted]
) -> Verdict:
    """The verdict on a file that the rules admit: one without text, damaged or encrypted is out all the same.

    Args:
        verdict: Of the rules.
        folder: Where the file lies.
        path: Relative to the folder.
        row: What the index holds; it answers as long as the file is as it was.
        extract: Reads the file as it is now; a ``DocumentError`` says why it is left out.
    """
    file = folder.root / path
    if not verdict.included or not file.is_file():
        return verdict
    stat = file.lstat()
    if row and (row.size_bytes, row.mtime_ns) == (stat.st_size, stat.st_mtime_ns):
        return _out(row.skip) if row.skip else verdict
    try:
        text = extract().text
    except DocumentError as e:
        return _out(Skip(path, SkipReason(e.reason), e.detail))
    return verdict if text.strip() else _out(Skip(path, SkipReason.EMPTY))


def _out(skip: Skip) -> Verdict:
    from gnomon.discover import Verdict

    return Verdict(included=False, reason=skip.reason, rule=skip.detail)
