"""What every embedder promises, run over each adapter."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from gnomon.embed import Embedder, EmbedderOptions, open_embedder
from tests.fakes.embedder import FakeEmbedder
from tests.fakes.embedding_server import running_server

TEXTS = ["def close(self): ...", "", "a long text " * 400, "Ä\u0301 日本語 \U0001f600", "lone \udce9 surrogate", "a"]


@pytest.fixture(params=["fake", "ollama", "openai", pytest.param("onnx", marks=pytest.mark.model)])
def embedder(request: pytest.FixtureRequest) -> Iterator[Embedder]:
    """One embedder per adapter."""
    if request.param == "fake":
        yield FakeEmbedder()
        return
    if request.param == "onnx":
        opened = open_embedder(EmbedderOptions(threads=2))
        yield opened
        opened.close()
        return
    with running_server() as server:
        yield open_embedder(EmbedderOptions("bge-m3", api=request.param, url=server.url, batch_size=4))


def test_passages_come_back_as_unit_vectors_in_the_order_given(embedder: Embedder) -> None:
    """Row i belongs to text i, has length 1 and single precision."""
    vectors = embedder.embed_passages(TEXTS)
    assert vectors.dtype == np.float32
    assert vectors.shape == (len(TEXTS), embedder.spec.dim)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    alone = [embedder.embed_passages([text])[0] for text in TEXTS]
    np.testing.assert_array_equal(vectors, np.array(alone))


def test_order_and_batch_mates_do_not_change_a_vector(embedder: Embedder) -> None:
    """The same texts in reverse give the same bits in reverse."""
    forward = embedder.embed_passages(TEXTS)
    backward = embedder.embed_passages(TEXTS[::-1])
    np.testing.assert_array_equal(forward, backward[::-1])


def test_query_is_a_unit_vector(embedder: Embedder) -> None:
    """A query gives one vector of the model's length."""
    vector = embedder.embed_query("where is the session closed")
    assert vector.dtype == np.float32
    assert vector.shape == (embedder.spec.dim,)
    np.testing.assert_allclose(np.linalg.norm(vector), 1, atol=1e-5)


@pytest.mark.parametrize("query", ["", "?", "word " * 5000, "\udce9", "\0"])
def test_any_query_gives_a_finite_vector(embedder: Embedder, query: str) -> None:
    """Empty, odd and very long queries are no error."""
    assert np.isfinite(embedder.embed_query(query)).all()


def test_no_texts_give_no_rows(embedder: Embedder) -> None:
    """Nothing in, an empty matrix of the model's width out."""
    assert embedder.embed_passages([]).shape == (0, embedder.spec.dim)


def test_token_starts_ascend_and_point_at_text(embedder: Embedder) -> None:
    """Offsets are of characters of the text, not of bytes, and none points at white space."""
    text = "caf\u00e9 \u65e5\u672c foo_bar  x\n\tSessionStore.refresh \U0001f600"
    starts = list(embedder.token_starts(text))
    assert starts == sorted(starts)
    assert starts[0] == 0
    assert all(not text[start].isspace() for start in starts)
    assert text.index("foo_bar") in starts


def test_tokens_of_a_slice_are_the_tokens_that_start_in_it(embedder: Embedder) -> None:
    """Cutting at white space neither adds nor loses tokens."""
    text = "def refresh(self):\n    return self.store.create(claims)  # caf\u00e9\n"
    cut = text.index("    return")
    whole = embedder.token_starts(text)
    assert len([s for s in whole if s < cut]) == len(embedder.token_starts(text[:cut]))
    assert len([s for s in whole if s >= cut]) == len(embedder.token_starts(text[cut:]))


def test_fingerprint_does_not_change_by_use(embedder: Embedder) -> None:
    """The fingerprint is the same before and after embedding."""
    before = embedder.fingerprint
    embedder.embed_query("x")
    assert embedder.fingerprint == before


def test_closed_embedder_loads_again(embedder: Embedder) -> None:
    """Closing gives back memory; the next call works and gives the same."""
    before = embedder.embed_query("x")
    embedder.close()
    np.testing.assert_array_equal(embedder.embed_query("x"), before)
