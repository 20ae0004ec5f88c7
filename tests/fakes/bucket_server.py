"""An S3 server on the loopback, in a process of its own, that runs out of room or refuses to be written when told to.

    python -m tests.fakes.bucket_server

It prints its port, then reads one command a line from its standard input and answers each with a line.
"""

from __future__ import annotations

import json
import subprocess
import sys
import urllib.request
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

ROOT = Path(__file__).resolve().parents[2]
_WRITING = frozenset({"PUT", "POST", "DELETE"})
# What servers answer when they are full: MinIO, Ceph with a quota, and a read-only key of any.
FULL, QUOTA, READ_ONLY = "507 XMinioStorageFull", "403 QuotaExceeded", "403 AccessDenied"


class _Limited:
    """An application in front of another one that keeps the room."""

    def __init__(self, behind: WSGIApplication) -> None:
        self._behind = behind
        self.answer = ""
        self.room = 0

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        size = int(environ.get("CONTENT_LENGTH") or 0)
        if not self.answer or environ["REQUEST_METHOD"] not in _WRITING:
            return self._behind(environ, start_response)
        # A full server can still delete.
        if self.answer != READ_ONLY and (environ["REQUEST_METHOD"] == "DELETE" or size <= self.room):
            self.room -= size
            return self._behind(environ, start_response)
        environ["wsgi.input"].read(size)
        status, code = self.answer.split(" ")
        start_response(f"{status} {code}", [("Content-Type", "application/xml")])
        return [f"<?xml version='1.0'?><Error><Code>{code}</Code><Message>told to</Message></Error>".encode()]


class BucketServer:
    """A running server.

    Attributes:
        environment: What LanceDB needs to find it.
    """

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        self.address = f"http://127.0.0.1:{int(self._read())}"
        self.environment = {
            "AWS_ENDPOINT": self.address,
            "AWS_ENDPOINT_URL": self.address,
            "AWS_ALLOW_HTTP": "true",
            "AWS_ACCESS_KEY_ID": "test",
            "AWS_SECRET_ACCESS_KEY": "test",
            "AWS_REGION": "us-east-1",
            "AWS_DEFAULT_REGION": "us-east-1",
        }

    def _read(self) -> str:
        assert self._process.stdout
        line = self._process.stdout.readline()
        assert line, "the S3 server ended"
        return line

    def _tell(self, **command: Any) -> None:
        assert self._process.stdin
        self._process.stdin.write(json.dumps(command) + "\n")
        self._process.stdin.flush()
        self._read()

    def make_bucket(self, name: str) -> None:
        """One that is there already stays."""
        urllib.request.urlopen(urllib.request.Request(f"{self.address}/{name}", method="PUT"), timeout=30).close()

    def refuse(self, answer: str, *, room: int = 0) -> None:
        """Answer so to what is to be written after so many more bytes."""
        self._tell(answer=answer, room=room)

    def accept(self) -> None:
        """Have room again, or be there again."""
        self._tell(answer="", room=0)

    def vanish(self) -> None:
        """Refuse connections until ``accept``; what is stored stays."""
        self._tell(vanish=True)


@contextmanager
def running_bucket_server() -> Iterator[BucketServer]:
    """A server that is gone afterwards, with all that it kept in its memory."""
    with subprocess.Popen(
        [sys.executable, "-W", "ignore", "-m", "tests.fakes.bucket_server"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        encoding="utf-8",
        cwd=ROOT,
    ) as process:
        try:
            yield BucketServer(process)
        finally:
            process.kill()


def main() -> None:
    """Serve until the standard input ends."""
    from threading import Thread

    from moto.moto_server.werkzeug_app import DomainDispatcherApplication, MotoRequestHandler, create_backend_app
    from werkzeug.serving import BaseWSGIServer, make_server

    limited = _Limited(DomainDispatcherApplication(create_backend_app))

    def listen(port: int) -> BaseWSGIServer:
        made = make_server("127.0.0.1", port, limited, threaded=True, request_handler=MotoRequestHandler)
        Thread(target=made.serve_forever, daemon=True).start()
        return made

    server: BaseWSGIServer | None = listen(0)
    assert server
    port = server.server_port
    print(port, flush=True)  # noqa: T201
    for line in sys.stdin:
        command = json.loads(line)
        if command.get("vanish") and server:
            server.shutdown()
            server.server_close()
            server = None
        else:
            limited.answer, limited.room = command["answer"], command["room"]
            server = server or listen(port)
        print("done", flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
