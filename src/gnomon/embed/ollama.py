"""Models run by Ollama (https://ollama.com): ``/api/embed``, and ``/api/tags`` for the digest of the weights."""

from __future__ import annotations

from collections.abc import Sequence

from gnomon.embed.base import EmbedderOptions
from gnomon.embed.models import ModelSpec
from gnomon.embed.served import ServedEmbedder
from gnomon.embed.server import RequestRefusedError, Server, checked_url
from gnomon.errors import ModelError

DEFAULT_URL = "http://127.0.0.1:11434"

_LIST_TIMEOUT_S = 10.0


def open_ollama(spec: ModelSpec, options: EmbedderOptions) -> ServedEmbedder:
    """An embedder for a model that Ollama has pulled; nothing is sent yet.

    Raises:
        ModelError: The address is not on this machine and ``allow_remote`` is off.
    """
    url = checked_url(options.url or DEFAULT_URL, allow_remote=options.allow_remote)
    server = Server(url, remedy="Is `ollama serve` running?", headers={})
    return ServedEmbedder(spec, OllamaApi(server, spec.id), batch_size=options.batch_size, timeout_s=options.timeout_s)


class OllamaApi:
    """The two calls of Ollama's API that are needed."""

    def __init__(self, server: Server, model: str) -> None:
        self._server = server
        self._model = model

    def embed(self, texts: Sequence[str], *, timeout_s: float, retry: bool) -> list[list[float]]:
        """See ``EmbeddingApi.embed``."""
        body = {"model": self._model, "input": list(texts), "truncate": True}
        try:
            answer = self._server.post("/api/embed", body, timeout_s=timeout_s, retry=retry)
        except RequestRefusedError as error:
            if error.status == 404:
                raise self._missing() from error
            raise
        rows = answer.get("embeddings") if isinstance(answer, dict) else None
        if not isinstance(rows, list):
            raise ModelError(f"{self._server.url}/api/embed gave no embeddings; is it Ollama 0.3 or later?")
        return rows

    def model_digest(self) -> str:
        """See ``EmbeddingApi.model_digest``."""
        answer = self._server.get("/api/tags", timeout_s=_LIST_TIMEOUT_S)
        listed = answer.get("models") if isinstance(answer, dict) else None
        if not isinstance(listed, list):
            raise ModelError(f"{self._server.url}/api/tags did not list models; is it Ollama?")
        wanted = self._model if ":" in self._model else f"{self._model}:latest"
        for model in listed:
            if isinstance(model, dict) and str(model.get("name", "")).lower() == wanted.lower():
                return str(model.get("digest", ""))
        raise self._missing()

    def _missing(self) -> ModelError:
        return ModelError(f"Ollama at {self._server.url} does not have {self._model}: run `ollama pull {self._model}`")
