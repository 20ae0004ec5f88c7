"""Whether one path is in the index: the rules of discovery, the settings, and whether the file has any text."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from gnomon.corpus.parts import included, own_prefixes, own_skip
from gnomon.errors import DocumentError
from gnomon.index.plan import is_as_stored
from gnomon.values import Extracted, Folder, Skip, SkipReason, SourceFile, size_and_times

if TYPE_CHECKING:
    from gnomon.config import Config
    from gnomon.corpus import Corpus
    from gnomon.discover import DiscoveryRules, Verdict
    from gnomon.store.base import ManifestRow


def verdict_by_rules(config: Config, folder: Folder, path: str, rules: DiscoveryRules) -> Verdict:
    """What the rules of discovery and the settings say of a path; its text is not looked at.

    Raises:
        FolderError: As for ``discover``.
    """
    from gnomon.discover import Verdict, explain

    if own := own_skip(own_prefixes(config, folder), path):
        where = "" if own.path == path else f"by the folder {own.path}"
        return Verdict(included=False, reason=own.reason, rule=where)
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
    if row and is_as_stored(size_and_times(stat), row):
        return _out(row.skip) if row.skip else verdict
    try:
        text = extract().text
    except DocumentError as e:
        return _out(Skip(path, SkipReason(e.reason), e.detail))
    return verdict if text.strip() else _out(Skip(path, SkipReason.EMPTY))


def count_below(corpus: Corpus, path: str) -> tuple[int, int] | None:
    """How many files below a folder are in and out, as the disk and the last run have it; None for a file.

    A folder that is left out as a whole counts as one that is out.

    Args:
        corpus: Nothing need be indexed yet.
        path: As ``confine`` takes it.

    Raises:
        ConfinementError: The path is in none of the folders.
        FolderError: As for ``discover``.
    """
    from gnomon.discover import confine, discover

    folder, relative = confine(corpus.folders, path)
    if not (folder.root / relative).is_dir():
        return None
    rows = corpus.store().manifest(str(folder.root)) if corpus.is_indexed() else {}
    prefix = f"{relative}/" if relative else ""
    counts = [0, 0]
    for found in included(corpus.config, folder, discover(folder, corpus.rules)):
        if found.path.startswith(prefix):
            row = rows.get(found.path)
            counts[isinstance(found, Skip) or bool(row and row.skip)] += 1
    return counts[0], counts[1]


def _out(skip: Skip) -> Verdict:
    from gnomon.discover import Verdict

    return Verdict(included=False, reason=skip.reason, rule=skip.detail)
