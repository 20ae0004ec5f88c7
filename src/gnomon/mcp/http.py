"""One server for many agents over streamable HTTP: loopback by default, Host and Origin checked, a token if wanted."""

from __future__ import annotations

import contextlib
import logging
import os
import secrets
import socket
import sys
import threading
from typing import Any

from gnomon.config import Config
from gnomon.config.paths import expanded
from gnomon.errors import UsageError
from gnomon.mcp.server import GnomonServer

log = logging.getLogger("gnomon.mcp")

_GRACE_SECONDS = 1  # for open streams when the server is told to end
_LOOPBACK = {"127.0.0.1", "localhost", "::1"}


def serve_http(config: Config, *, host: str, port: int, token_file: str | None) -> int:
    """Serve until interrupted.

    Args:
        config: The settings.
        host: Address to listen on; one that is not the loopback needs a token.
        port: 0 picks a free one.
        token_file: File whose first line every client must send as its bearer token.

    Raises:
        UsageError: Another host without a token, or a token file without one.
    """
    import uvicorn

    token = _read_token(token_file)
    if host not in _LOOPBACK and not token:
        raise UsageError(f"listening on {host} lets others read your files; name a --token-file with a secret in it")
    listener = _listen(host, port)
    server = GnomonServer(config)
    app = server.build().streamable_http_app(host=host, transport_security=_security(host))
    shown = f"[{host}]" if ":" in host else host
    log.warning("serving on http://%s:%d/mcp", shown, listener.getsockname()[1])
    threading.Thread(target=server.service, name="gnomon-warm-up", daemon=True).start()
    settings = uvicorn.Config(
        _Guard(app, token) if token else app,
        log_level="warning",
        access_log=False,
        timeout_graceful_shutdown=_GRACE_SECONDS,
    )
    with contextlib.suppress(KeyboardInterrupt):  # uvicorn raises it once more when it has ended
        uvicorn.Server(settings).run(sockets=[listener])
    server.stop()
    sys.stderr.flush()
    os._exit(0)  # threads may still be inside the inference engine; see `stdio`


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        listener.listen()  # before the address is told: whoever connects at once waits and is not refused
    except OSError as e:
        listener.close()
        raise UsageError(f"cannot listen on {host}, port {port}: {e.strerror}; name another --port") from e
    except ValueError as e:  # a NUL, or a name with an empty or endless part
        listener.close()
        raise UsageError(f"{host!r} is no address to listen on: {e}") from e
    return listener


def _read_token(token_file: str | None) -> str:
    if not token_file:
        return ""
    try:
        lines = expanded(token_file).read_text("utf-8").split()
    except OSError as e:
        raise UsageError(f"cannot read the token file {token_file}: {e.strerror}") from e
    if not lines:
        raise UsageError(f"the token file {token_file} is empty")
    return lines[0]


def _security(host: str) -> Any:
    """Only requests that name this server as their host, and only pages of this machine, get through."""
    from mcp.server.transport_security import TransportSecuritySettings

    names = ["127.0.0.1", "localhost", "[::1]", *([] if host in _LOOPBACK else [host])]
    return TransportSecuritySettings(
        enable_dns_rebinding_protection=True,
        allowed_hosts=[*names, *(f"{name}:*" for name in names)],
        allowed_origins=[f"http://{name}{port}" for name in names for port in ("", ":*")],
    )


class _Guard:
    """ASGI application that wants a bearer token before anything else."""

    def __init__(self, app: Any, token: str) -> None:
        self._app = app
        self._expected = f"Bearer {token}".encode()

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Pass a request on, or answer 401."""
        given = dict(scope.get("headers", ())).get(b"authorization", b"")
        if scope["type"] == "http" and not secrets.compare_digest(given, self._expected):
            headers = [(b"www-authenticate", b"Bearer"), (b"content-length", b"0")]
            await send({"type": "http.response.start", "status": 401, "headers": headers})
            await send({"type": "http.response.body", "body": b""})
            return
        await self._app(scope, receive, send)
