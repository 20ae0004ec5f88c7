"""Documents, chunks and skips: what is written is what is read."""

from __future__ import annotations

import os
from dataclasses import replace

import pytest

from gnomon.errors import StoreError
from gnomon.store.base import DocumentWrite, FileCounts, SkipWrite, Store
from gnomon.values import PARTLY, Anchor, Chunk, ChunkWords, Skip, SkipReason, Span, Status
from tests.contract.store.builders import FINGERPRINT, FOLDER, document, embed_all, found_texts, nearest_texts, write

UNDECODABLE = os.fsdecode(b"caf\xe9/\xff\xfe.txt")


def test_document_comes_back_with_every_field(store: Store) -> None:
    """What a document says of itself survives the store."""
    full = document(
        "adr/0007.md",
        kind="data",
        language="yaml",
        title="Über Zeiger \ud800",
        status=Status.SUPERSEDED,
        date="2026-01-14",
        expires="2027-01-01",
        successors=("adr/0009.md", "ADR 12"),
        status_line=3,
        anchors=(Anchor(0, "page 1"), Anchor(90, "page 2")),
        warnings=("guessed encoding",),
        redactions=2,
        supersedes=("adr/0001.md",),
    )
    store.write([DocumentWrite(full, [], [])])
    found = store.find_document(FOLDER, "adr/0007.md")
    assert found is not None
    assert found.document == full
    assert store.document(found.id) == found


def test_chunk_comes_back_with_every_field(store: Store) -> None:
    """Texts, spans, lines and names survive, also NUL, lone surrogates and line ends."""
    chunk = Chunk(
        ordinal=0,
        span=Span(5, 40),
        start_line=2,
        end_line=9,
        text="a\r\nb\x00c \ud83d \U0001f600",
        breadcrumb=("Top", "Füße"),
        symbols=("A.b", "A.c"),
        signature="def b(self):",
        context="class A",
        embed_text="only this",
        deprecated=True,
    )
    store.write([DocumentWrite(document("a.py"), [chunk], [ChunkWords(("b",))])])
    number = store.documents()[0].id
    (found,) = store.document_chunks(number)
    assert found.chunk == chunk
    assert found.document_id == number
    assert store.chunks([found.id]) == [found]


def test_heads_come_without_text(store: Store) -> None:
    """Where only the head is asked for, the text is empty and the rest is whole."""
    store.write([write("a.md", "some text")])
    (whole,) = store.document_chunks(store.documents()[0].id)
    (head,) = store.chunks([whole.id], with_text=False)
    assert head.chunk == replace(whole.chunk, text="")


def test_chunks_come_in_the_order_asked_without_those_gone(store: Store) -> None:
    """An id that is gone is left out; the order is the caller's."""
    store.write([write("a.md", "one", "two", "three")])
    ids = [stored.id for stored in store.document_chunks(store.documents()[0].id)]
    asked = [ids[2], ids[0], 1 << 50, ids[1]]
    assert [stored.chunk.text for stored in store.chunks(asked)] == ["three", "one", "two"]


def test_rewriting_replaces_everything_at_once(store: Store) -> None:
    """No trace of the old text is found, by words, by vectors or by id."""
    store.write([write("a.md", "old words", "old more")])
    embed_all(store)
    old = [stored.id for stored in store.document_chunks(store.documents()[0].id)]
    store.write([write("a.md", "new words")])
    embed_all(store)
    assert found_texts(store, "old", "new") == ["new words"]
    assert nearest_texts(store, "old words") == ["new words"]
    assert store.chunks(old) == []
    assert [each.chunk_count for each in store.documents()] == [1]


def test_last_write_of_a_path_in_one_batch_wins(store: Store) -> None:
    """The same path twice in one transaction is one document."""
    store.write([write("a.md", "first"), write("a.md", "second")])
    assert found_texts(store, "first", "second") == ["second"]


def test_skip_takes_the_place_of_a_document_and_back(store: Store) -> None:
    """A path is either indexed or skipped."""
    skip = SkipWrite(FOLDER, Skip("a.md", SkipReason.TOO_LARGE, "limit 500000"), 700_000, 5, 6, "abc")
    store.write([write("a.md", "text")])
    store.write([skip])
    assert found_texts(store, "text") == []
    assert store.manifest(FOLDER)["a.md"].skip == skip.skip
    store.write([write("a.md", "text")])
    assert store.manifest(FOLDER)["a.md"].skip is None
    assert (store.status().documents, store.status().skips) == (1, 0)


def test_manifest_holds_what_planning_compares(store: Store) -> None:
    """Sizes, times, hash, extractor and number of chunks of documents and skips, by path."""
    store.write([write("a.md", "x", "y", size_bytes=3, mtime_ns=4, ctime_ns=5, sha256="h")])
    store.write([SkipWrite(FOLDER, Skip("b.bin", SkipReason.BINARY_CONTENT), 7, 8, 9, "s")])
    rows = store.manifest(FOLDER)
    row = rows["a.md"]
    assert (row.size_bytes, row.mtime_ns, row.ctime_ns, row.sha256, row.chunk_count) == (3, 4, 5, "h", 2)
    assert row.extractor == rows["b.bin"].extractor == FINGERPRINT.extractor
    assert (rows["b.bin"].size_bytes, rows["b.bin"].mtime_ns, rows["b.bin"].ctime_ns) == (7, 8, 9)
    assert store.manifest("/elsewhere") == {}


def test_undecodable_paths_survive(store: Store) -> None:
    """Bytes that are no text go in and come out of every method."""
    folder = os.fsdecode(b"/srv/\xfc")
    store.write([write(UNDECODABLE, "text", folder=folder)])
    store.write([SkipWrite(folder, Skip(f"{UNDECODABLE}.bin", SkipReason.BINARY_CONTENT, f"as {UNDECODABLE}"))])
    assert store.folders() == [folder]
    assert set(store.manifest(folder)) == {UNDECODABLE, f"{UNDECODABLE}.bin"}
    found = store.find_document(folder, UNDECODABLE)
    assert found is not None
    store.touch(folder, {UNDECODABLE: (1, 2, 3)})
    store.forget(folder, [UNDECODABLE])
    assert set(store.manifest(folder)) == {f"{UNDECODABLE}.bin"}


def test_paths_that_differ_by_case_blank_or_underscore_are_two(store: Store) -> None:
    """No name evicts another."""
    paths = ["Readme.md", "README.md", "read me.md", "read_me.md", "é.md", "é.md"]
    store.write([write(path, f"text {n}") for n, path in enumerate(paths)])
    assert set(store.manifest(FOLDER)) == set(paths)


def test_touch_changes_times_and_nothing_else(store: Store) -> None:
    """A file whose content is the same is not indexed again."""
    store.write([write("a.md", "text"), SkipWrite(FOLDER, Skip("b", SkipReason.EMPTY))])
    store.touch(FOLDER, {"a.md": (11, 22, 33), "b": (1, 2, 3)})
    rows = store.manifest(FOLDER)
    assert (rows["a.md"].size_bytes, rows["a.md"].mtime_ns, rows["a.md"].ctime_ns) == (11, 22, 33)
    assert (rows["b"].size_bytes, rows["b"].mtime_ns, rows["b"].ctime_ns) == (1, 2, 3)
    assert store.documents()[0].document.mtime_ns == 22
    assert found_texts(store, "text") == ["text"]


def test_forgotten_paths_are_gone_from_everything(store: Store) -> None:
    """Documents and skips alike; others stay; unknown paths are no error."""
    store.write([write("a.md", "alpha"), write("b.md", "beta"), SkipWrite(FOLDER, Skip("c", SkipReason.EMPTY))])
    embed_all(store)
    store.forget(FOLDER, ["a.md", "c", "never.md"])
    assert set(store.manifest(FOLDER)) == {"b.md"}
    assert found_texts(store, "alpha", "beta") == ["beta"]
    assert nearest_texts(store, "alpha") == ["beta"]
    assert store.document_frequencies(["alpha", "beta"]) == {"alpha": 0, "beta": 1}


def test_forgotten_folder_leaves_others_alone(store: Store) -> None:
    """All of one folder goes, also where another's name starts with it."""
    other = f"{FOLDER}-private"
    store.write([write("a.md", "alpha"), write("b.md", "beta"), write("a.md", "gamma", folder=other)])
    embed_all(store)
    assert store.forget_folder(FOLDER) == 2
    assert store.folders() == [other]
    assert found_texts(store, "alpha", "beta", "gamma") == ["gamma"]
    assert nearest_texts(store, "alpha") == ["gamma"]
    assert store.forget_folder(FOLDER) == 0


def test_unliving_documents_are_found_without_the_rest(store: Store) -> None:
    """By status, expiry, successors or what they supersede."""
    store.write(
        [
            write("living.md", "x"),
            write("old.md", "x", status=Status.SUPERSEDED),
            write("soon.md", "x", expires="2030-01-01"),
            write("split.md", "x", successors=("a",)),
            write("young.md", "x", supersedes=("a",)),
        ]
    )
    found = [each.document.path for each in store.unliving_documents()]
    assert found == ["old.md", "soon.md", "split.md", "young.md"]


def test_documents_read_in_part_are_found_without_the_rest(store: Store) -> None:
    """By what a warning says, not by a title that says the same."""
    told = f"{PARTLY}2 pages hold no text"
    store.write(
        [
            write("whole.md", "x", title=f'"{told}"', warnings=("guessed encoding",)),
            write("scan.pdf", "x", warnings=("guessed encoding", told)),
        ]
    )
    assert [each.document.path for each in store.partial_documents()] == ["scan.pdf"]


def test_files_are_counted_by_folder_and_reason(store: Store) -> None:
    """A folder without files is in no count, nor is one whose files went."""
    other = "/home/user/other"
    large, secret = (Skip(path, reason) for path, reason in (("a.bin", SkipReason.TOO_LARGE), ("b", SkipReason.FAULT)))
    store.write([write("a.md", "x"), write("b.md", "x"), SkipWrite(FOLDER, large), SkipWrite(other, secret)])
    assert store.file_counts() == {
        FOLDER: FileCounts(2, {str(SkipReason.TOO_LARGE): 1}),
        other: FileCounts(0, {str(SkipReason.FAULT): 1}),
    }
    store.forget(other, ["b"])
    store.write([write("a.bin", "x")])
    assert store.file_counts() == {FOLDER: FileCounts(3, {})}


def test_document_that_is_gone_is_said_plainly(store: Store) -> None:
    """An id from an older answer is an error that says so."""
    with pytest.raises(StoreError, match="no longer in the index"):
        store.document(404)
    assert store.find_document(FOLDER, "nothing.md") is None
    assert store.find_document(FOLDER, "\ud800") is None


def test_documents_follow_every_change(store: Store) -> None:
    """The list kept in memory is never an old one."""
    store.write([write("a.md", "x"), write("b.md", "y")])
    assert [each.document.path for each in store.documents()] == ["a.md", "b.md"]
    store.write([write("a.md", "z", title="New")])
    store.forget(FOLDER, ["b.md"])
    assert [each.document.title for each in store.documents()] == ["New"]


def test_generation_rises_with_each_change_only(store: Store) -> None:
    """Reading, small strings and empty changes leave it."""
    seen = [store.generation]
    for change in (
        lambda: store.write([write("a.md", "x")]),
        lambda: embed_all(store),
        lambda: store.touch(FOLDER, {"a.md": (1, 2, 3)}),
        lambda: store.forget(FOLDER, ["a.md"]),
    ):
        change()
        seen.append(store.generation)
    assert seen == list(range(seen[0], seen[0] + 5))
    store.set_meta("lastRun", "today")
    store.write([])
    found_texts(store, "x")
    assert store.generation == seen[-1]


def test_small_strings_are_kept(store: Store) -> None:
    """Beside the data, under names that do not meet the store's own."""
    store.set_meta("generation", "mine")
    store.set_meta("lastRun", "{}")
    store.set_meta("lastRun", '{"ü": 1}')
    assert store.get_meta("lastRun") == '{"ü": 1}'
    assert store.get_meta("absent") == ""
    assert store.get_meta("generation") == "mine"


def test_status_counts(store: Store) -> None:
    """Documents, skips, chunks, vectors that are missing or only kept, bytes."""
    store.write([write("a.md", "one", "two"), write("b.md", "three"), SkipWrite(FOLDER, Skip("c", SkipReason.EMPTY))])
    status = store.status()
    assert (status.documents, status.skips, status.chunks) == (2, 1, 3)
    assert (status.vectors_missing, status.vectors_cached) == (3, 0)
    embed_all(store)
    store.forget(FOLDER, ["b.md"])
    status = store.status()
    assert (status.vectors_missing, status.vectors_cached) == (0, 1)
    assert status.size_bytes > 0
    assert status.exact
    assert status.fingerprint == FINGERPRINT
    assert status.generation == store.generation


def test_unequal_chunks_and_words_are_refused_without_a_trace(store: Store) -> None:
    """A faulty write changes nothing, not even what stood before it in the batch."""
    store.write([write("a.md", "old")])
    broken = DocumentWrite(document("b.md"), write("b.md", "x").chunks, [])
    before = store.generation
    with pytest.raises(ValueError, match=r"b\.md"):
        store.write([write("a.md", "new"), broken])
    assert store.generation == before
    assert found_texts(store, "old", "new") == ["old"]


def test_ids_of_a_documents_chunks_follow_each_other(store: Store) -> None:
    """Also after rewriting: what knows one chunk can ask for its neighbours."""
    for _ in range(2):
        store.write([write(f"{at}.md", *(f"{at} text {n}" for n in range(3))) for at in range(3)])
    for each in store.documents():
        chunks = store.document_chunks(each.id)
        assert len(chunks) == 3
        assert len({stored.id - stored.chunk.ordinal for stored in chunks}) == 1
