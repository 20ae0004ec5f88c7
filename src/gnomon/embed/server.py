"""JSON over HTTP to one embedding server: on this machine unless asked otherwise, with time limits and retries.

``http.client`` is used bare on purpose: it reads no proxy settings and follows no redirect, so a text can only go to
the host that the settings name.
"""

from __future__ import annotations

import http.client
import ipaddress
import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import SplitResult, urlsplit

from gnomon.errors import ModelError

# Pauses between attempts, seconds: a server that is busy or loading gets two seconds to come back.
RETRY_PAUSES_S = (0.25, 0.5, 1.25)

_ANSWER_LIMIT_BYTES = 256 * 1024 * 1024
_READ_BYTES = 1 << 16
_DETAIL_CHARS = 300
_BUSY = frozenset({429, 500, 502, 503, 504})


class RequestRefusedError(ModelError):
    """The server answered, and not with what was asked for.

    Attributes:
        status: HTTP status.
        detail: What the server said, shortened.
    """

    def __init__(self, message: str, *, status: int, detail: str) -> None:
        super().__init__(message)
        self.status = status
        self.detail = detail


@dataclass(frozen=True, slots=True)
class Server:
    """One server and how to talk to it.

    Attributes:
        url: Base address, without a trailing slash.
        remedy: What to do when nothing listens there, a sentence.
        headers: Sent with every request.
        sleep: Waits between attempts; tests give one that does not wait.
    """

    url: str
    remedy: str
    headers: Mapping[str, str]
    sleep: Callable[[float], None] = time.sleep

    def get(self, path: str, *, timeout_s: float) -> Any:
        """The JSON at a path; see ``post``."""
        return self._ask("GET", path, None, timeout_s=timeout_s, pauses=RETRY_PAUSES_S)

    def post(self, path: str, body: Any, *, timeout_s: float, retry: bool = True) -> Any:
        """The JSON answer to a JSON body.

        Args:
            path: Appended to the base address.
            body: Anything ``json.dumps`` takes.
            timeout_s: Longest wait for the whole answer of one attempt, seconds.
            retry: Try again after 429, 5xx and broken connections.

        Raises:
            RequestRefusedError: Another status than 200, on the last attempt.
            ModelError: Nothing listens, no answer in time, or the answer is not JSON.
        """
        content = json.dumps(body).encode()
        return self._ask("POST", path, content, timeout_s=timeout_s, pauses=RETRY_PAUSES_S if retry else ())

    def _ask(
        self, method: str, path: str, content: bytes | None, *, timeout_s: float, pauses: tuple[float, ...]
    ) -> Any:
        for pause in pauses:
            try:
                return self._ask_once(method, path, content, timeout_s)
            except RequestRefusedError as error:
                if error.status not in _BUSY:
                    raise
            except ConnectionRefusedError as error:
                raise self._unreachable(error) from error
            except (ConnectionError, http.client.HTTPException):
                pass  # dropped in the middle: the next attempt may find it restarted
            self.sleep(pause)
        try:
            return self._ask_once(method, path, content, timeout_s)
        except (ConnectionError, http.client.HTTPException) as error:
            raise self._unreachable(error) from error

    def _ask_once(self, method: str, path: str, content: bytes | None, timeout_s: float) -> Any:
        parts = urlsplit(self.url)
        deadline = time.monotonic() + timeout_s
        connection = _connect(parts, timeout_s)
        headers = {"Content-Type": "application/json", "Accept": "application/json", **self.headers}
        try:
            connection.request(method, parts.path + path, body=content, headers=headers)
            # The response holds the socket too, and would keep it open after an answer cut short.
            with connection.getresponse() as response:
                answer = _read(response, deadline)
        except TimeoutError as error:
            raise ModelError(f"no answer from {self.url} within {timeout_s:g} s. {self.remedy}") from error
        except (ConnectionError, http.client.HTTPException):
            raise
        except OSError as error:
            raise self._unreachable(error) from error
        finally:
            connection.close()
        return self._decode(response, path, answer)

    def _decode(self, response: http.client.HTTPResponse, path: str, answer: bytes) -> Any:
        status = response.status
        if 300 <= status < 400:
            target = response.getheader("Location", "elsewhere")
            raise ModelError(
                f"{self.url}{path} redirects to {target}; gnomon sends texts only to the address configured"
            )
        if status != http.HTTPStatus.OK:
            detail = _error_text(answer)
            message = f"{self.url}{path} answered {status} {response.reason}: {detail}".rstrip(": ")
            raise RequestRefusedError(message, status=status, detail=detail)
        try:
            return json.loads(answer)
        except (ValueError, RecursionError) as error:
            raise ModelError(f"{self.url}{path} did not answer with JSON. {self.remedy}") from error

    def _unreachable(self, error: Exception) -> ModelError:
        reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
        return ModelError(f"cannot reach {self.url}: {reason}. {self.remedy}")


def checked_url(url: str, *, allow_remote: bool) -> str:
    """The base address without trailing slashes, if texts may be sent there.

    >>> checked_url("http://localhost:11434/", allow_remote=False)
    'http://localhost:11434'

    Raises:
        ModelError: It is no HTTP address, or another host although ``allow_remote`` is off.
    """
    try:
        parts = urlsplit(url.strip())
        host, _ = parts.hostname, parts.port
    except ValueError as error:
        raise ModelError(f"{url!r} is not the address of a server: {error}") from error
    if parts.scheme not in ("http", "https") or not host:
        raise ModelError(f"{url!r} is not the address of a server; it looks like http://127.0.0.1:11434")
    if not allow_remote and not is_loopback(host):
        raise ModelError(
            f"{host} is not this machine, and embedding there would send it your texts. "
            'Set "allowRemote": true if that is what you want.'
        )
    return url.strip().rstrip("/")


def is_loopback(host: str) -> bool:
    """Whether a host is this machine by its very name; no name service is asked, as its answer could change.

    >>> is_loopback("127.0.0.1"), is_loopback("::1"), is_loopback("localhost.example.org")
    (True, True, False)
    """
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _connect(parts: SplitResult, timeout_s: float) -> http.client.HTTPConnection:
    kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
    return kind(parts.hostname or "", parts.port, timeout=timeout_s)


def _read(response: http.client.HTTPResponse, deadline: float) -> bytes:
    """The body; a server that sends a byte now and then does not outlast the deadline, nor a flood the memory."""
    pieces: list[bytes] = []
    size = 0
    while piece := response.read1(_READ_BYTES):
        pieces.append(piece)
        size += len(piece)
        if size > _ANSWER_LIMIT_BYTES:
            raise ModelError(f"the embedding server's answer is above {_ANSWER_LIMIT_BYTES >> 20} MB")
        if time.monotonic() > deadline:
            raise TimeoutError
    return b"".join(pieces)


def _error_text(answer: bytes) -> str:
    """What an error answer says, from ``{"error": "…"}``, ``{"error": {"message": "…"}}`` or the bare body."""
    text = answer.decode("utf-8", "replace").strip()
    try:
        content = json.loads(text)
        error = content["error"]
        text = str(error["message"] if isinstance(error, dict) else error)
    except (ValueError, KeyError, TypeError, RecursionError):
        pass
    return " ".join(text.split())[:_DETAIL_CHARS]
