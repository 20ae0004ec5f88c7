"""One seeded life of an index: runs that are killed at random points, between edits, and what must hold after each."""

from __future__ import annotations

import json
import random
import time
from pathlib import Path

from gnomon.errors import StoreError
from gnomon.values import Document
from tests.faults import process
from tests.faults.place import Place, new_place

_FILES = 80  # two transactions of words
_KILLS = 3


def crash(seed: int, home: Path) -> None:
    """Kill a few runs of one index; assert after each that nothing is lost or wrong, and mend it in the end."""
    rng = random.Random(seed)
    with new_place(home, seed, files=_FILES) as place:
        begun = time.monotonic()
        if rng.random() < 0.7:  # else the first run is among those killed
            place.run("index", "--quiet")
        seconds = max(time.monotonic() - begun, 0.3)
        for _ in range(rng.randrange(1, _KILLS + 1)):
            place.tree.edit(rng.randrange(1, 30))
            before = kept(place)
            _kill(place, rng, seconds)
            assert_true_after_crash(place, before)
        place.run("index", "--quiet")
        place.assert_equal_to_fresh()


def _kill(place: Place, rng: random.Random, seconds: float) -> None:
    """Kill a run after a random time, or at a random request to the embedding server."""
    victim = place.start("index", "--quiet", *(["--force"] if rng.random() < 0.15 else []))
    if rng.random() < 0.4:
        place.server.requests_left = rng.randrange(12)
        place.server.victim = victim
        process.finish(victim)
    else:
        victim.join(rng.random() * seconds)
        victim.kill()
        process.finish(victim)
    place.server.victim = None


def kept(place: Place) -> dict[str, Document]:
    """What is indexed and still on disk as it was: no crash may lose it."""
    if not place.database().exists():
        return {}
    with place.corpus() as corpus:
        try:
            documents = corpus.store().documents()
        except StoreError:
            return {}  # killed before the index was one
    files = set(place.tree.files())
    return {each.document.path: each.document for each in documents if each.document.path in files}


def assert_true_after_crash(place: Place, before: dict[str, Document]) -> None:
    """The index opens, ``status`` says what is there, no wrong text is returned, nothing committed is lost."""
    told = json.loads(place.run("status", "--json"))
    if not told["indexed"]:
        assert not before
        return
    with place.corpus() as corpus:
        store = corpus.store()
        documents = store.documents()
        chunks = [chunk for each in documents for chunk in store.document_chunks(each.id)]
        vectors = store.cosines(corpus.embedder.embed_query("heron"), [each.id for each in chunks])
        assert (told["documents"], told["chunks"]) == (len(documents), len(chunks))
        assert told["vectorsMissing"] == len(chunks) - len(vectors)
        assert set(before) <= {each.document.path for each in documents}
        paths = {each.id: each.document.path for each in documents}
        for chunk in chunks:
            assert _was_written(place, paths[chunk.document_id], chunk.chunk.text)
        for use_model in (True, False):
            answer = corpus.search("river otter", corpus.search_options(), use_model=use_model)
            assert bool(answer.hits) == any({"river", "otter"} & set(c.chunk.text.split()) for c in chunks)
            assert all(_was_written(place, hit.path, hit.text) for hit in answer.hits)


def _was_written(place: Place, path: str, text: str) -> bool:
    return any(text.strip() in version for version in place.tree.history[path])
