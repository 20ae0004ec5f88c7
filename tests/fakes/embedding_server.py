"""An embedding server on the loopback that speaks Ollama's and OpenAI's API, with faults to order."""

from __future__ import annotations

import contextlib
import json
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.fakes.embedder import FakeEmbedder

Answer = tuple[int, Any]

_EMBED_PATHS = ("/api/embed", "/v1/embeddings")


@dataclass(slots=True)
class EmbeddingServer:
    """What the server holds, does wrong, and has seen.

    Attributes:
        url: Base address.
        models: Digest by full model name, as Ollama lists them.
        faults: Consumed one per embedding request, before anything else: a status to answer with, or "drop" (close
            the connection), "hang" (never answer), "drip" (a byte now and then), "redirect", "not json", "fewer" (a
            vector too few), "other dim", "nan", "zero", "odd" (no numbers), "other form" (JSON of another shape).
        chokes_on: Texts for which it is true are answered with 500, as Ollama does for vectors of NaN.
        longest_chars: Longer texts are answered with 400; 0 takes all.
        scale: Vectors are multiplied by it: servers need not give unit vectors.
        requests: (method, path, decoded body, headers) of each request, in order.
    """

    url: str = ""
    models: dict[str, str] = field(default_factory=lambda: {"bge-m3:latest": "d" * 64})
    faults: deque[int | str] = field(default_factory=deque)
    chokes_on: Callable[[str], bool] = lambda text: False
    longest_chars: int = 0
    scale: float = 3.0
    requests: list[tuple[str, str, Any, dict[str, str]]] = field(default_factory=list)
    stopped: threading.Event = field(default_factory=threading.Event)

    @property
    def embedded(self) -> list[list[str]]:
        """The texts of each embedding request, in order."""
        return [body["input"] for _, path, body, _ in self.requests if path in _EMBED_PATHS]

    def answer(self, path: str, body: Any) -> Answer:
        """Status and JSON for a request that no fault took."""
        if path == "/api/tags":
            return 200, {"models": [{"name": name, "digest": digest} for name, digest in self.models.items()]}
        if path not in _EMBED_PATHS:
            return 404, {"error": "no such path"}
        name = body["model"]
        if name not in self.models and f"{name}:latest" not in self.models:
            return 404, {"error": f'model "{name}" not found, try pulling it first'}
        if any(self.longest_chars and len(text) > self.longest_chars for text in body["input"]):
            return 400, {"error": {"message": "the input length exceeds the context length"}}
        if any(self.chokes_on(text) for text in body["input"]):
            return 500, {"error": "failed to encode response: json: unsupported value: NaN"}
        return 200, self.shape(path, self.vectors(body["input"]))

    def vectors(self, texts: list[str]) -> list[list[float]]:
        """What the model gives: the fake embedder's vectors, not of unit length."""
        return [[self.scale * float(x) for x in row] for row in FakeEmbedder().embed_passages(texts)]

    def shape(self, path: str, vectors: list[Any]) -> Any:
        """Vectors as the API of the path gives them; OpenAI's carry an index, so theirs come in another order."""
        if path == "/api/embed":
            return {"embeddings": vectors}
        return {"data": [{"index": at, "embedding": row} for at, row in reversed(list(enumerate(vectors)))]}

    def faulty(self, fault: str, path: str, body: Any) -> Answer:
        """An answer of status 200 that is wrong."""
        vectors: list[Any] = self.vectors(body["input"])
        if fault == "fewer":
            vectors = vectors[:-1]
        elif fault == "other dim":
            vectors = [row[:-1] for row in vectors]
        elif fault == "odd":
            vectors = [None for _ in vectors]
        elif fault in ("nan", "zero"):
            vectors[0] = [float("nan") if fault == "nan" else 0.0 for _ in vectors[0]]
        elif fault == "other form":
            return 200, ["what", "is", "this"]
        else:
            raise AssertionError(fault)
        return 200, self.shape(path, vectors)


class _Handler(BaseHTTPRequestHandler):
    state: EmbeddingServer

    def do_GET(self) -> None:
        self._serve(None)

    def do_POST(self) -> None:
        size = int(self.headers["Content-Length"])
        body = self.rfile.read(size)
        if len(body) < size:  # the client was killed while it spoke
            self.close_connection = True
        else:
            self._serve(json.loads(body))

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class names it so
        """Say nothing."""

    def _serve(self, body: Any) -> None:
        self.state.requests.append((self.command, self.path, body, dict(self.headers)))
        fault = self.state.faults.popleft() if self.state.faults and self.path in _EMBED_PATHS else None
        if fault == "drop":
            self.close_connection = True
        elif fault == "hang":
            self.state.stopped.wait()
        elif fault == "drip":
            self._drip()
        elif fault == "redirect":
            self._send(307, b"", Location="http://198.51.100.7/api/embed")
        elif fault == "not json":
            self._send(200, b"<html>Welcome</html>")
        elif isinstance(fault, int):
            self._send(fault, json.dumps({"error": "ordered by the test"}).encode())
        else:
            status, answer = self.state.faulty(fault, self.path, body) if fault else self.state.answer(self.path, body)
            self._send(status, json.dumps(answer).encode())

    def _drip(self) -> None:
        self.send_response(200)
        self.send_header("Content-Length", "1000000")
        self.end_headers()
        with contextlib.suppress(ConnectionError):
            while not self.state.stopped.wait(0.005):
                self.wfile.write(b" ")

    def _send(self, status: int, content: bytes, **headers: str) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)


class _Server(ThreadingHTTPServer):
    def handle_error(self, request: Any, client_address: Any) -> None:
        """Clients that were killed are no error of ours."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


@contextmanager
def running_server(state: EmbeddingServer | None = None) -> Iterator[EmbeddingServer]:
    """A server on a free port of the loopback, gone at the end of the block."""
    state = state or EmbeddingServer()
    handler = type("Handler", (_Handler,), {"state": state})
    server = _Server(("127.0.0.1", 0), handler)
    state.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield state
    finally:
        state.stopped.set()
        server.shutdown()
        server.server_close()
        thread.join()
