"""Models behind the OpenAI embeddings API, as llama.cpp, LM Studio, vLLM, LocalAI and others serve it."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import urlsplit

from gnomon.embed.base import EmbedderOptions
from gnomon.embed.models import ModelSpec
from gnomon.embed.served import ServedEmbedder
from gnomon.embed.server import RequestRefusedError, Server, checked_url
from gnomon.errors import ModelError

DEFAULT_URL = "http://127.0.0.1:1234/v1"  # LM Studio's port; others are named in the config


def open_openai(spec: ModelSpec, options: EmbedderOptions) -> ServedEmbedder:
    """An embedder for a model behind an OpenAI-compatible server; nothing is sent yet.

    Raises:
        ModelError: The address is not on this machine and ``allow_remote`` is off.
    """
    url = checked_url(options.url or DEFAULT_URL, allow_remote=options.allow_remote)
    if not urlsplit(url).path:
        url += "/v1"
    headers = {"Authorization": f"Bearer {options.api_key}"} if options.api_key else {}
    server = Server(url, remedy="Is the embedding server running, and is its address right?", headers=headers)
    return ServedEmbedder(spec, OpenAiApi(server, spec.id), batch_size=options.batch_size, timeout_s=options.timeout_s)


class OpenAiApi:
    """The one call of the API that is needed."""

    def __init__(self, server: Server, model: str) -> None:
        self._server = server
        self._model = model

    def embed(self, texts: Sequence[str], *, timeout_s: float, retry: bool) -> list[list[float]]:
        """See ``EmbeddingApi.embed``."""
        body = {"model": self._model, "input": list(texts), "encoding_format": "float"}
        try:
            answer = self._server.post("/embeddings", body, timeout_s=timeout_s, retry=retry)
        except RequestRefusedError as error:
            if error.status in (401, 403):
                raise ModelError(f"{self._server.url} wants an API key it accepts: {error.detail}") from error
            if error.status == 404:
                raise ModelError(
                    f"{self._server.url} has no model {self._model}, or no embeddings at this address: {error.detail}"
                ) from error
            raise
        try:
            rows = sorted(answer["data"], key=lambda row: int(row["index"]))
            return [row["embedding"] for row in rows]
        except (KeyError, TypeError, ValueError) as error:
            raise ModelError(f"{self._server.url}/embeddings gave no embeddings; is it OpenAI-compatible?") from error

    def model_digest(self) -> str:
        """The API does not name weights."""
        return ""
