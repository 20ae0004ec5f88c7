"""Text of any file at a bounded cost: text formats here, parsed formats in a worker that can be killed."""

from __future__ import annotations

import json
import threading
import weakref
from collections.abc import Collection, Sequence
from dataclasses import asdict
from types import TracebackType
from typing import Any, Self

from gnomon.children import Deadline, start
from gnomon.errors import DocumentError
from gnomon.extract import extract
from gnomon.extract.base import Limits
from gnomon.extract.formats import reading
from gnomon.extract.worker import REPLY_HEAD, REQUEST_HEAD
from gnomon.values import Anchor, Extracted, SkipReason

# Parsers keep some memory for good: a fresh worker now and then keeps documents from paying for their forerunners.
_DOCUMENTS_PER_WORKER = 500
_REPLY_BYTES_PER_CHAR = 12  # JSON spells a character beyond the basic plane as two escapes


class Extractor:
    """Extracts documents and replaces the secrets in them. Safe to share between threads.

    The worker starts with the first document that needs it, serves one at a time, is replaced after a limit or a
    crash, and ends with ``close``, with this object, or with this process.
    """

    def __init__(self, *, limits: Limits | None = None, allowed_secrets: Collection[str] = ()) -> None:
        """See the class.

        Args:
            limits: What one document may cost.
            allowed_secrets: Secret-like strings that are kept.
        """
        self._limits = limits or Limits()
        self._allowed = frozenset(allowed_secrets)
        self._workers = _Workers()
        self._finalizer = weakref.finalize(self, self._workers.close)

    def extract(self, path: str, content: bytes) -> tuple[Extracted, int]:
        """The text of one file without its secrets, and how many there were.

        Args:
            path: Relative path; it says what the file is.
            content: The whole file.

        Raises:
            DocumentError: It cannot become text; the reason says why.
        """
        from gnomon.extract.secrets import redact_document

        if reading(path, content).isolated:
            document = self._workers.extract(path, content, self._limits)
        else:
            document = extract(path, content, limits=self._limits)
        return redact_document(document, allowed=self._allowed)

    def close(self) -> None:
        """End the worker; the next document that needs one starts another."""
        self._workers.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class _Workers:
    """The one worker in force; a lock keeps documents in a row."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._worker: _Worker | None = None

    def extract(self, path: str, content: bytes, limits: Limits) -> Extracted:
        with self._lock:
            try:
                return self._ask(path, content, limits)
            except _Gone as e:
                # It may have failed for what it carried, or been killed by somebody: a fresh one decides. Time is not
                # given twice.
                if e.overtime:
                    raise e.refusal() from e
            try:
                return self._ask(path, content, limits)
            except _Gone as e:
                raise e.refusal() from e

    def close(self) -> None:
        with self._lock:
            self._end()

    def _end(self) -> None:
        if self._worker is not None:
            self._worker.end()
            self._worker = None

    def _ask(self, path: str, content: bytes, limits: Limits) -> Extracted:
        if self._worker is None:
            self._worker = _Worker()
        try:
            reply = self._worker.ask(path, content, limits)
        except BaseException:
            self._end()
            raise
        if self._worker.served >= _DOCUMENTS_PER_WORKER or reply.get("reason") == SkipReason.EXTRACTION_LIMIT:
            self._end()
        if "ok" not in reply:
            raise DocumentError(SkipReason(reply["reason"]), reply["detail"])
        return _restored(reply["ok"])


class _Gone(Exception):  # noqa: N818 - an outcome between two classes of this module
    """The worker ended instead of answering."""

    def __init__(self, *, overtime: bool, seconds: float, code: int | None) -> None:
        super().__init__()
        self.overtime = overtime
        self._seconds = seconds
        self._code = code

    def refusal(self) -> DocumentError:
        if self.overtime:
            return DocumentError(SkipReason.EXTRACTION_LIMIT, f"not done after {self._seconds:g} seconds")
        return DocumentError(
            SkipReason.FAULT,
            f"the parser crashed on it twice (exit code {self._code}); gnomon index --force tries again",
        )


class _Worker:
    """One child process."""

    def __init__(self) -> None:
        self._process = start("gnomon.extract.worker")
        self.served = 0

    def ask(self, path: str, content: bytes, limits: Limits) -> dict[str, Any]:
        request = json.dumps({"path": path, "limits": asdict(limits)}).encode()
        with Deadline(self._process, limits.seconds) as deadline:
            try:
                self._send([REQUEST_HEAD.pack(len(request), len(content)), request, content])
                reply = self._receive(_REPLY_BYTES_PER_CHAR * limits.text_chars)
            except (OSError, EOFError) as e:
                self._process.kill()
                code = self._process.wait()
                raise _Gone(overtime=deadline.passed, seconds=limits.seconds, code=code) from e
        self.served += 1
        return reply

    def _send(self, parts: Sequence[bytes]) -> None:
        assert self._process.stdin is not None  # noqa: S101 - opened as a pipe above
        for part in parts:
            self._process.stdin.write(part)
        self._process.stdin.flush()

    def _receive(self, most_bytes: int) -> dict[str, Any]:
        assert self._process.stdout is not None  # noqa: S101 - opened as a pipe above
        head = self._process.stdout.read(REPLY_HEAD.size)
        if len(head) < REPLY_HEAD.size:
            raise EOFError
        (size,) = REPLY_HEAD.unpack(head)
        if size > most_bytes:
            raise EOFError
        payload = self._process.stdout.read(size)
        if len(payload) < size:
            raise EOFError
        reply: dict[str, Any] = json.loads(payload)
        return reply

    def end(self) -> None:
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                try:
                    pipe.close()
                except OSError:  # unsent bytes of a request that was given up
                    continue


def _restored(fields: dict[str, Any]) -> Extracted:
    anchors = tuple(Anchor(**anchor) for anchor in fields.pop("anchors"))
    return Extracted(**{**fields, "anchors": anchors, "warnings": tuple(fields["warnings"])})
