"""Files of the folders as text, as they are on disk now: what ``cat`` and ``grep`` show."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

from gnomon.corpus import parts
from gnomon.errors import ConfinementError, DocumentError
from gnomon.values import Extracted, Folder, SkipReason, SourceFile

if TYPE_CHECKING:
    from gnomon.corpus import Corpus
    from gnomon.search.grep import GrepText


def read_document(corpus: Corpus, path: str) -> tuple[Folder, str, Extracted]:
    """See ``Corpus.document``."""
    from gnomon.corpus.verdicts import verdict_by_rules
    from gnomon.discover import confine

    folder, relative = confine(corpus.folders, path)
    if not relative:
        raise DocumentError(SkipReason.NOT_REGULAR, "a folder")
    verdict = verdict_by_rules(corpus.config, folder, relative, corpus.rules)
    if not verdict.included:
        rule = f" ({verdict.rule})" if verdict.rule else ""
        raise ConfinementError(f"{path} is not shown: {verdict.reason}{rule}")
    return folder, relative, text_of(corpus, folder, relative)


def text_of(corpus: Corpus, folder: Folder, file: SourceFile | str) -> Extracted:
    """The text of one file, secrets replaced; whether it may be shown is for the caller to know.

    Raises:
        DocumentError: It cannot become text.
    """
    from gnomon.discover import read

    path = file if isinstance(file, str) else file.path
    return corpus.extractor.extract(path, read(folder, file, corpus.rules).data)[0]


def texts_of(corpus: Corpus, folders: Sequence[Folder]) -> Iterator[GrepText]:
    """Every file that the indexer would index, read when it is asked for its text."""
    from gnomon.discover import discover
    from gnomon.search.grep import GrepText

    for folder in folders:
        for file in parts.included(corpus.config, folder, discover(folder, corpus.rules, list_ignored=False)):
            if isinstance(file, SourceFile):
                yield GrepText(folder, file.path, partial(text_of, corpus, folder, file))
