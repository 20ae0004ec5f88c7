"""An index of a folder, made by the program with vectors from a server on the loopback, and what is in it."""

from __future__ import annotations

import json
import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

from gnomon.config import load_config
from gnomon.corpus import Corpus
from gnomon.corpus.places import INDEX_FILE
from gnomon.store.base import Selection, Store
from gnomon.values import WordQuery
from tests.fakes.embedder import FAKE_SPEC, FakeEmbedder
from tests.fakes.embedding_server import EmbeddingServer, running_server
from tests.faults import process
from tests.faults.tree import WORDS, Tree
from tests.unit.store.invariants import assert_consistent

_MODEL = "fake"
_EVERYTHING = Selection()
_ALL = 100_000


@dataclass(slots=True)
class KillingServer(EmbeddingServer):
    """Embeds; kills a process at a request, which is an exact point of its run.

    Attributes:
        victim: Killed when ``requests_left`` requests were answered.
        requests_left: Until then.
        hold: While it is set, passages wait for their vectors.
        held: Some did, so there are words in the index without vectors.
    """

    victim: BaseProcess | None = None
    requests_left: int = 0
    hold: threading.Event = field(default_factory=threading.Event)
    held: threading.Event = field(default_factory=threading.Event)

    def answer(self, path: str, body: Any) -> tuple[int, Any]:
        """Wait, count, and strike."""
        while self.hold.is_set() and path == "/api/embed" and len(body["input"]) > 1:
            self.held.set()
            time.sleep(0.01)
        if self.victim and path == "/api/embed":
            self.requests_left -= 1
            if self.requests_left < 0 and self.victim.pid:
                os.kill(self.victim.pid, signal.SIGKILL)
                self.victim = None
        return EmbeddingServer.answer(self, path, body)


@dataclass(frozen=True, slots=True)
class Place:
    """Where one folder is indexed.

    Attributes:
        home: Holds settings, index and output.
        tree: The folder.
        server: Embeds.
    """

    home: Path
    tree: Tree
    server: KillingServer
    indexes: list[str] = field(default_factory=list)

    def settings(self, index: str = "index") -> Path:
        """A settings file for an index of this name."""
        file = self.home / f"{index}.json"
        if not file.exists():
            raw = {
                "defaultRoots": [str(self.tree.root)],
                "indexPath": index,
                "embedModel": _MODEL,
                "embedApi": "ollama",
                "embedUrl": self.server.url,
                "embedBatchSize": 8,
            }
            file.write_text(json.dumps(raw), encoding="utf-8")
        return file

    def start(self, *arguments: str, index: str = "index", output: str = "output") -> BaseProcess:
        """Start the program in a process of its own."""
        settings = str(self.settings(index))
        data_home = self.home / f"data-{index}"  # so that a fresh index takes nothing from the one under test
        return process.start(*arguments, "--config", settings, output=self.home / output, data_home=data_home)

    def run(self, *arguments: str, index: str = "index", code: int | None = 0) -> str:
        """What the program prints; checks its exit code (None: any)."""
        ended = process.finish(self.start(*arguments, index=index))
        output = (self.home / "output").read_text("utf-8", "replace")
        assert code is None or ended == code, f"{arguments} ended with {ended}: {output}"
        return output

    def database(self, index: str = "index") -> Path:
        """The file of an index."""
        return self.home / index / INDEX_FILE

    @contextmanager
    def corpus(self, index: str = "index") -> Iterator[Corpus]:
        """The same index, open in this process for reading."""
        with closing(Corpus(load_config(self.settings(index)))) as corpus:
            yield corpus

    def contents(self, index: str = "index") -> dict[str, Any]:
        """All that an index holds, without ids and times: equal for two indexes of the same folder."""
        with self.corpus(index) as corpus:
            return contents(corpus.store(), str(self.tree.root))

    def assert_equal_to_fresh(self, index: str = "index") -> None:
        """The index is sound, all of it has vectors, and it holds what one made from nothing would hold."""
        fresh = f"fresh{len(self.indexes)}"
        self.indexes.append(fresh)
        self.run("index", "--quiet", index=fresh)
        assert_consistent(self.database(index))
        mine, theirs = self.contents(index), self.contents(fresh)
        assert mine["pending"] == 0
        assert mine == theirs


def contents(store: Store, folder: str) -> dict[str, Any]:
    """What a store holds for a folder, without ids and times."""
    names: dict[int, tuple[str, int]] = {}
    documents = []
    for stored in store.documents():
        chunks = store.document_chunks(stored.id)
        names |= {each.id: (stored.document.path, each.chunk.ordinal) for each in chunks}
        still = replace(stored.document, mtime_ns=0, ctime_ns=0)
        documents.append((stored.document.path, still, [each.chunk for each in chunks]))
    question = FakeEmbedder(FAKE_SPEC).embed_query("heron river")
    cosines = store.cosines(question, list(names))
    found = {
        word: sorted(
            (names[number], round(score, 4))
            for number, score in store.search_words(WordQuery((word.lower(),)), limit=_ALL, selection=_EVERYTHING)
        )
        for word in WORDS
    }
    skips = {path: row.skip for path, row in store.manifest(folder).items() if row.skip}
    return {
        "documents": sorted(documents, key=lambda each: each[0]),
        "cosines": sorted((names[number], round(cosine, 5)) for number, cosine in cosines.items()),
        "words": found,
        "skips": skips,
        "pending": store.status().vectors_missing,
    }


@contextmanager
def new_place(home: Path, seed: int, *, files: int) -> Iterator[Place]:
    """A place with a folder of this many files, not indexed yet."""
    home.mkdir(parents=True, exist_ok=True)
    with running_server(KillingServer(models={f"{_MODEL}:latest": "d" * 64})) as server:
        assert isinstance(server, KillingServer)
        yield Place(home, Tree(home / "docs", seed, files=files), server)
