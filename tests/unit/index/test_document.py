"""Files go through their steps side by side, and none of them pays for another."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from gnomon.errors import DocumentError
from gnomon.index.document import Touched, build
from gnomon.store.base import DocumentWrite, ManifestRow, SkipWrite
from gnomon.values import Chunk, Extracted, Folder, SkipReason, SourceFile
from tests.fakes.steps import plain_steps


def files_in(root: Path, **texts: str) -> list[SourceFile]:
    """Files of these names with these texts."""
    for name, text in texts.items():
        (root / name).write_text(text, encoding="utf-8")
    return [SourceFile(name, len(text), 10**18, 10**18, "plain file") for name, text in texts.items()]


def test_files_come_back_in_order_whatever_becomes_of_each(tmp_path: Path) -> None:
    """One that cannot be read, one that a step fails on, one as it was, one without text, one document."""
    files = files_in(tmp_path, binary="0", faulty="1", known="2", empty="", good="4")

    def extract(path: str, data: bytes) -> tuple[Extracted, int]:
        if path == "binary":
            raise DocumentError(SkipReason.BINARY_CONTENT)
        if path == "faulty":
            raise LookupError("no such codec")
        return plain_steps().extract(path, data)

    steps = replace(plain_steps(), extract=extract)
    digest = "d4735e3a265e16eee03f59718b9b5d03019c07d8b6c51f90da3a666eec13ab35"
    known = {"known": ManifestRow(1, 1, 1, digest, steps.extractor, 1, None)}
    binary, faulty, touched, empty, good = build(Folder("docs", tmp_path), files, steps=steps, known=known)
    assert isinstance(touched, Touched)
    assert isinstance(good, DocumentWrite)
    skips = [each.skip.reason for each in (binary, faulty, empty) if isinstance(each, SkipWrite)]
    assert skips == [SkipReason.BINARY_CONTENT, SkipReason.FAULT, SkipReason.EMPTY]


def test_all_files_take_a_step_before_any_takes_the_next(tmp_path: Path) -> None:
    """What a step needs is loaded into the processor's caches once for all of them."""
    taken: list[str] = []

    def extract(path: str, data: bytes) -> tuple[Extracted, int]:
        taken.append(f"extract {path}")
        return plain.extract(path, data)

    def chunk(document: Extracted, path: str, start: int) -> list[Chunk]:
        taken.append(f"chunk {path}")
        return plain.chunk(document, path, start)

    plain = plain_steps()
    files = files_in(tmp_path, a="1", b="2")
    build(Folder("docs", tmp_path), files, steps=replace(plain, extract=extract, chunk=chunk))
    assert taken == ["extract a", "extract b", "chunk a", "chunk b"]
