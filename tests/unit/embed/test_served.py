"""Embedding servers over real HTTP on the loopback: what goes out, what comes back, and every way it fails."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from gnomon.embed import Embedder, EmbedderOptions, open_embedder
from gnomon.embed import server as transport
from gnomon.embed.ollama import OllamaApi
from gnomon.embed.served import ServedEmbedder
from gnomon.errors import ModelError
from tests.fakes.embedder import FakeEmbedder
from tests.fakes.embedding_server import EmbeddingServer, running_server

APIS = pytest.mark.parametrize("api", ["ollama", "openai"])


@pytest.fixture(autouse=True)
def _no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    """Attempts follow each other at once."""
    monkeypatch.setattr(transport, "RETRY_PAUSES_S", (0.0, 0.0, 0.0))


@pytest.fixture
def server() -> Iterator[EmbeddingServer]:
    """A server that has bge-m3 and nomic-embed-text."""
    with running_server() as running:
        running.models["nomic-embed-text:latest"] = "e" * 64
        yield running


def connect(server: EmbeddingServer, api: Any = "ollama", model: str = "bge-m3", **options: Any) -> Embedder:
    """An embedder for the server."""
    return open_embedder(EmbedderOptions(model, api=api, url=server.url, **options))


@APIS
def test_passages_go_out_in_batches_and_come_back_in_order(server: EmbeddingServer, api: str) -> None:
    """Five texts at two per request are three requests, and row i is the vector of text i."""
    texts = ["one", "two", "three", "four", "five"]
    vectors = connect(server, api, batch_size=2).embed_passages(texts)
    assert server.embedded == [["one", "two"], ["three", "four"], ["five"]]
    np.testing.assert_allclose(vectors, FakeEmbedder().embed_passages(texts), atol=1e-6)


@APIS
def test_prefixes_of_the_model_are_put_before_texts(server: EmbeddingServer, api: str) -> None:
    """A query and a passage are announced as what they are."""
    embedder = connect(server, api, "nomic-embed-text")
    embedder.embed_passages(["the passage"])
    embedder.embed_query("the question")
    assert server.embedded == [["search_document: the passage"], ["search_query: the question"]]


def test_dimension_is_the_servers(server: EmbeddingServer) -> None:
    """What the server gives counts, not what a row of another size of the model says."""
    embedder = connect(server)
    assert embedder.spec.dim == 1024
    embedder.embed_query("x")
    assert embedder.spec.dim == 64


@APIS
@pytest.mark.parametrize("fault", [500, 503, 429, "drop"])
def test_passing_trouble_is_tried_again(server: EmbeddingServer, api: str, fault: int | str) -> None:
    """Two failures in a row do not fail the run."""
    server.faults.extend([fault, fault])
    assert connect(server, api).embed_query("x").shape == (64,)
    assert len(server.requests) == 3


@pytest.mark.parametrize("fault", [503, "drop"])
def test_lasting_trouble_ends_in_a_model_error(server: EmbeddingServer, fault: int | str) -> None:
    """After four attempts it is said what the server did."""
    server.faults.extend([fault] * 10)
    with pytest.raises(ModelError, match=r"503|cannot reach"):
        connect(server).embed_query("x")
    assert len(server.requests) == 4


def test_server_that_always_fails_is_given_up_soon(server: EmbeddingServer) -> None:
    """Looking for a text at fault does not multiply the attempts."""
    server.faults.extend([500] * 1000)
    with pytest.raises(ModelError, match=r"cannot embed a text, even shortened.*ordered by the test"):
        connect(server, batch_size=16).embed_passages(["some text"] * 64)
    assert len(server.requests) <= 4 + 4 + 4


@APIS
def test_one_text_the_server_chokes_on_is_embedded_by_its_beginning(server: EmbeddingServer, api: str) -> None:
    """A vector of NaN for one text neither loses the batch nor the text."""
    server.chokes_on = lambda text: "poison" in text
    texts = ["first", "good start, then a bad poison", "third"]
    vectors = connect(server, api).embed_passages(texts)
    expected = FakeEmbedder().embed_passages(["first", "good start, th", "third"])
    np.testing.assert_allclose(vectors, expected, atol=1e-6)


@APIS
def test_text_too_long_for_the_server_is_embedded_by_its_beginning(server: EmbeddingServer, api: str) -> None:
    """Servers that refuse instead of cutting get a shorter text."""
    server.longest_chars = 40
    vectors = connect(server, api).embed_passages(["short", "word " * 20])
    np.testing.assert_allclose(vectors[1], FakeEmbedder().embed_query("word " * 5), atol=1e-6)


@APIS
@pytest.mark.parametrize("fault", ["nan", "zero"])
def test_vector_that_is_none_is_asked_for_again_alone(server: EmbeddingServer, api: str, fault: str) -> None:
    """A wrong vector once is mended by asking for the texts one by one."""
    server.faults.append(fault)
    vectors = connect(server, api).embed_passages(["one", "two"])
    assert np.isfinite(vectors).all()
    assert server.embedded == [["one", "two"], ["one"], ["two"]]


@APIS
@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ("fewer", "gave 1 vector for 2 texts"),
        ("odd", "not equally long lists of numbers"),
        ("other form", "gave no embeddings"),
        ("not json", "did not answer with JSON"),
        ("redirect", "redirects to http://198.51.100.7/api/embed"),
    ],
)
def test_wrong_answer_is_a_model_error(server: EmbeddingServer, api: str, fault: str, words: str) -> None:
    """An answer that is not what was asked for is never taken for vectors."""
    server.faults.append(fault)
    with pytest.raises(ModelError, match=words):
        connect(server, api).embed_passages(["one", "two"])


def test_change_of_dimension_is_a_model_error(server: EmbeddingServer) -> None:
    """A server that swaps the model under us is noticed."""
    embedder = connect(server)
    embedder.embed_query("x")
    server.faults.append("other dim")
    with pytest.raises(ModelError, match="63 dimensions, before 64"):
        embedder.embed_query("x")


@pytest.mark.parametrize("fault", ["hang", "drip"])
def test_silent_or_dripping_server_runs_into_the_time_limit(server: EmbeddingServer, fault: str) -> None:
    """The limit is for the whole answer: a byte now and then does not extend it."""
    server.faults.append(fault)
    with pytest.raises(ModelError, match=r"no answer .* within 0\.05 s.*ollama serve"):
        connect(server, timeout_s=0.05).embed_query("x")


def test_flood_is_cut_off(server: EmbeddingServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """An answer without end does not fill the memory."""
    monkeypatch.setattr(transport, "_ANSWER_LIMIT_BYTES", 100)
    with pytest.raises(ModelError, match="answer is above"):
        connect(server).embed_query("x")


@APIS
def test_server_that_is_down_is_said_to_be(api: Any) -> None:
    """One attempt, and a sentence that says what to do."""
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
    embedder = open_embedder(EmbedderOptions("bge-m3", api=api, url=f"http://127.0.0.1:{port}"))
    remedy = {"ollama": "Is `ollama serve` running", "openai": "Is the embedding server running"}[api]
    with pytest.raises(ModelError, match=rf"cannot reach http://127.0.0.1:{port}.*{remedy}"):
        embedder.embed_query("x")


def test_model_that_is_not_pulled_is_named_with_the_command(server: EmbeddingServer) -> None:
    """Both the embedding and the fingerprint say which command brings the model."""
    embedder = connect(server, model="mxbai-embed-large")
    with pytest.raises(ModelError, match="ollama pull mxbai-embed-large"):
        embedder.embed_query("x")
    with pytest.raises(ModelError, match="ollama pull mxbai-embed-large"):
        _ = embedder.fingerprint


def test_missing_model_of_an_openai_server_is_named(server: EmbeddingServer) -> None:
    """The message has the model and what the server said."""
    with pytest.raises(ModelError, match=r"has no model my-model.*not found"):
        connect(server, "openai", "my-model").embed_query("x")


def test_what_is_no_ollama_is_said_to_be_none(server: EmbeddingServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another service at that port does not list models."""
    monkeypatch.setattr(EmbeddingServer, "answer", lambda self, path, body: (200, {"hello": "world"}))
    with pytest.raises(ModelError, match="did not list models; is it Ollama"):
        _ = connect(server).fingerprint


def test_fingerprint_follows_the_digest_ollama_names(server: EmbeddingServer) -> None:
    """A model pulled anew under the same name is another model."""
    before = connect(server).fingerprint
    assert connect(server).fingerprint == before
    server.models["bge-m3:latest"] = "f" * 64
    assert connect(server).fingerprint != before


def test_api_key_is_sent_as_bearer_token(server: EmbeddingServer) -> None:
    """OpenAI-compatible servers that want a key get it."""
    connect(server, "openai", api_key="k-123").embed_query("x")
    assert server.requests[0][3]["Authorization"] == "Bearer k-123"


def test_refused_api_key_is_a_model_error(server: EmbeddingServer) -> None:
    """A 401 says that it is about the key."""
    server.faults.append(401)
    with pytest.raises(ModelError, match="wants an API key it accepts"):
        connect(server, "openai").embed_query("x")


def test_proxy_settings_are_not_followed(server: EmbeddingServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """A proxy in the environment sees no text that is meant for this machine."""
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    assert connect(server).embed_query("x").shape == (64,)


@pytest.mark.parametrize(
    "url",
    ["http://192.0.2.1:11434", "https://api.example.com/v1", "http://localhost.example.com", "http://[2001:db8::1]"],
)
def test_other_host_needs_the_users_word(url: str) -> None:
    """Texts leave this machine only when ``allowRemote`` says so; nothing is resolved or sent before."""
    with pytest.raises(ModelError, match=r"not this machine.*allowRemote"):
        open_embedder(EmbedderOptions("bge-m3", url=url))
    open_embedder(EmbedderOptions("bge-m3", url=url, allow_remote=True))


@pytest.mark.parametrize(
    "url", ["http://localhost", "http://127.8.8.8:1/v1/", "https://[::1]:443", "http://LOCALHOST:1"]
)
def test_every_name_of_the_loopback_is_this_machine(url: str) -> None:
    """The whole 127/8, IPv6 and the name itself."""
    open_embedder(EmbedderOptions("bge-m3", url=url))


@pytest.mark.parametrize(
    "url", ["localhost:11434", "ftp://localhost", "http://", "http://[::1", "http://localhost:port"]
)
def test_what_is_no_address_is_refused(url: str) -> None:
    """A typing error is answered with an example."""
    with pytest.raises(ModelError, match="not the address of a server"):
        open_embedder(EmbedderOptions("bge-m3", url=url))


def test_openai_address_may_lack_its_version(server: EmbeddingServer) -> None:
    """``http://host`` and ``http://host/v1`` are the same server."""
    open_embedder(EmbedderOptions("bge-m3", api="openai", url=server.url + "/v1/")).embed_query("x")
    connect(server, "openai").embed_query("x")
    assert [path for _, path, _, _ in server.requests] == ["/v1/embeddings", "/v1/embeddings"]


def test_pauses_between_attempts_grow(server: EmbeddingServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """A busy server gets more room each time."""
    monkeypatch.undo()
    pauses: list[float] = []
    spec = connect(server).spec
    api = OllamaApi(transport.Server(server.url, remedy="", headers={}, sleep=pauses.append), "bge-m3")
    server.faults.extend([503, 503, 503])
    ServedEmbedder(spec, api, batch_size=1, timeout_s=5).embed_query("x")
    assert pauses == sorted(pauses)
    assert len(set(pauses)) == 3
