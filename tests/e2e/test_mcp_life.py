"""The server's life as a process: it says hello at once, leaves in time, and shares its index."""

from __future__ import annotations

import ctypes
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from gnomon.mcp.hello import HANDSHAKE_VERSIONS
from tests.e2e.conftest import Program, many_notes, unhurried
from tests.e2e.mcp_process import LineClient, serving

pytestmark = [pytest.mark.model, pytest.mark.slow, pytest.mark.timeout(300)]

_FILES = 900
_LEAVES_SECONDS = 2.0
_PATIENCE_SECONDS = 100.0


@pytest.fixture
def gnomon(gnomon: Program) -> Program:
    """The program, slow enough to be met in the middle of an index run."""
    return unhurried(gnomon)


@pytest.fixture
def folder(gnomon: Program) -> Path:
    """Many small files, each with a word of its own, added and not indexed."""
    return many_notes(gnomon, _FILES)


@pytest.fixture
def indexed(gnomon: Program) -> Path:
    """A folder of two files, indexed."""
    root = gnomon.home / "few"
    root.mkdir()
    (root / "one.md").write_text("# One\n\nThe heron stands in the reeds.\n", "utf-8")
    (root / "two.md").write_text("# Two\n\nThe otter swims in the river.\n", "utf-8")
    for path in root.iterdir():
        os.utime(path, (time.time() - 60,) * 2)
    gnomon("add", str(root))
    gnomon("index")
    return root


def _until(true: Callable[[], bool]) -> bool:
    deadline = time.monotonic() + _PATIENCE_SECONDS
    while time.monotonic() < deadline:
        if true():
            return True
        time.sleep(0.05)  # polls another process; no other way to see how far it is
    return False


def _end_of(process: subprocess.Popen[bytes]) -> float:
    """Seconds of wall clock until the process has ended."""
    begun = time.monotonic()
    process.wait(timeout=30)
    return time.monotonic() - begun


def _children(pid: int) -> list[int]:
    tasks = Path(f"/proc/{pid}/task")
    return [int(child) for task in tasks.iterdir() for child in (task / "children").read_text("ascii").split()]


def _lock_is_free(gnomon: Program) -> bool:
    import filelock

    lock = filelock.FileLock(gnomon.home / "data" / "gnomon" / "index" / "write.lock")
    try:
        lock.acquire(timeout=0)
    except filelock.Timeout:
        return False
    lock.release()
    return True


def _indexing(client: LineClient) -> int:
    """Start an index run, wait until vectors are made, and return the call's id."""
    call = client.begin_call("index", token="t")
    assert _until(lambda: any("passages embedded" in str(n["params"].get("message")) for n in client.notifications))
    return call


@pytest.mark.parametrize("version", HANDSHAKE_VERSIONS)
def test_each_handshake_revision_is_served(gnomon: Program, indexed: Path, version: str) -> None:
    """The revision asked for is the one spoken, from the greeting to the search."""
    with serving(gnomon) as client:
        assert client.initialize(version)["protocolVersion"] == version
        assert len(client.request("tools/list")["tools"]) == 9
        assert client.call("search", query="heron")["hits"][0]["filePath"] == str(indexed / "one.md")


def _log_entries(client: LineClient) -> list[dict[str, Any]]:
    return [n["params"] for n in client.notifications if n["method"] == "notifications/message"]


def test_log_is_sent_to_a_client_that_asks_for_it(gnomon: Program, indexed: Path) -> None:
    """Nothing before ``logging/setLevel``, and what an index run logs after it."""
    with serving(gnomon) as client:
        assert client.initialize()["capabilities"]["logging"] == {}
        client.until_model_is_ready()
        client.call("index")
        assert _log_entries(client) == []
        client.request("logging/setLevel", {"level": "info"})
        client.call("index")
        assert _until(lambda: any("index run over" in entry["data"]["message"] for entry in _log_entries(client)))


def test_stateless_request_gets_the_log_it_asks_for(gnomon: Program, indexed: Path) -> None:
    """Since 2026-07-28 the level comes with the request; one without it gets no entry."""
    prefix = "io.modelcontextprotocol/"
    envelope = {
        f"{prefix}protocolVersion": "2026-07-28",
        f"{prefix}clientInfo": {"name": "lines", "version": "1"},
        f"{prefix}clientCapabilities": {},
    }
    with serving(gnomon) as client:
        for meta, entries in ((envelope, 0), ({**envelope, f"{prefix}logLevel": "info"}, 1)):
            result = client.request("tools/call", {"name": "index", "arguments": {}, "_meta": meta})
            assert not result.get("isError")
            assert len([e for e in _log_entries(client) if "index run over" in e["data"]["message"]]) == entries


def test_first_search_is_answered_from_words_and_says_so(gnomon: Program, indexed: Path) -> None:
    """A search that comes with the handshake does not wait for a model that takes long."""
    with serving(
        gnomon, prelude="import time; import gnomon.embed.onnx as o\no.open_session = lambda p: time.sleep(99)"
    ) as c:
        c.initialize()
        found = c.call("search", query="heron")
        assert found["degraded"] == "model loading"
        assert found["hits"][0]["label"] == "exact"


def test_index_reports_progress_that_only_grows(gnomon: Program, folder: Path) -> None:
    """A token gets numbers that never fall, and the summary at the end."""
    with serving(gnomon) as client:
        client.initialize()
        answer = client.answer(_indexing(client))
        assert answer["result"]["structuredContent"]["filesProcessed"] == _FILES
        told = [n["params"] for n in client.notifications if n["method"] == "notifications/progress"]
        numbers = [params["progress"] for params in told]
        assert len(numbers) >= 2
        assert numbers == sorted(set(numbers))
        assert all(params["progressToken"] == "t" for params in told)


def test_cancelled_index_ends_and_leaves_a_whole_index(gnomon: Program, folder: Path) -> None:
    """No answer comes, the lock is free, what was stored is searchable, and the next run does the rest."""
    with serving(gnomon) as client:
        client.initialize()
        call = _indexing(client)
        client.send({"method": "notifications/cancelled", "params": {"requestId": call}})
        assert _until(lambda: _lock_is_free(gnomon))
        assert client.call("search", query="zebra0007")["hits"][0]["filePath"].endswith("n0007.md")
        assert 0 < client.call("status")["vectorsMissing"] < _FILES
        assert client.call("index")["chunksPending"] == 0


def test_searches_are_answered_while_an_index_run_is_under_way(gnomon: Program, folder: Path) -> None:
    """Eight at once, all right, before the run is over."""
    with serving(gnomon) as client:
        client.initialize()
        run = _indexing(client)
        calls = [client.begin_call("search", query=f"zebra{number:04d}") for number in range(8)]
        for number, call in enumerate(calls):
            hits = client.answer(call)["result"]["structuredContent"]["hits"]
            assert hits[0]["filePath"].endswith(f"n{number:04d}.md")
        state = client.call("status")
        assert state["vectorsMissing"] > 0
        assert "result" in client.answer(run)


@pytest.mark.parametrize("doing", ["nothing", "search", "index"])
def test_closed_input_ends_the_server_in_time(gnomon: Program, folder: Path, doing: str) -> None:
    """Whatever it does; the lock is free and no child is left."""
    with serving(gnomon) as client:
        client.initialize()
        client.call("list_folders")
        if doing == "index":
            _indexing(client)
        if doing == "search":
            for _ in range(8):
                client.begin_call("grep", pattern="zebra.*matters")
        children = _children(client.process.pid)
        assert client.process.stdin
        client.process.stdin.close()
        assert _end_of(client.process) < _LEAVES_SECONDS
        assert client.process.returncode == 0
        assert _until(lambda: not any(Path(f"/proc/{child}").exists() for child in children))
        assert _lock_is_free(gnomon)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the process that watches is made by fork")
def test_closed_input_ends_a_server_whose_interpreter_is_held(gnomon: Program, indexed: Path) -> None:
    """A search that is one long piece of C lets no thread of the server run."""
    held = gnomon.home / "held"
    hold = (
        "import re, pathlib\nimport gnomon.corpus as c\n"
        f"c.Corpus.search = lambda *a, **k: (pathlib.Path({str(held)!r}).touch(), re.match('(a+)+$', 'a' * 60 + 'b'))\n"
    )
    with serving(gnomon, prelude=hold) as client:
        client.initialize()
        client.begin_call("search", query="heron")
        assert _until(held.exists)
        assert client.process.stdin
        client.process.stdin.close()
        assert _end_of(client.process) < _LEAVES_SECONDS
        assert _lock_is_free(gnomon)


_ODD = {
    "arguments": {"name": "search", "arguments": {"query": "heron \ud83d"}},
    "list": [],
    "deep": {"name": "search", "arguments": {"query": json.loads("[" * 300 + "]" * 300)}},
    "huge": {"name": "search", "arguments": {"query": "heron", "k": 10**50}},
    "nameless": {},
}


@pytest.mark.parametrize("odd", list(_ODD))
def test_each_request_is_answered_however_odd(gnomon: Program, indexed: Path, odd: str) -> None:
    """With its own id: no client waits for ever."""
    with serving(gnomon) as client:
        client.initialize()
        client.send({"id": 700, "method": "tools/call", "params": _ODD[odd]})
        answer = client.answer(700)
        assert ("error" in answer or answer["result"].get("isError", False)) == (odd != "arguments")


@pytest.mark.parametrize("doing", ["nothing", "index"])
def test_server_ends_with_its_parent(gnomon: Program, folder: Path, doing: str) -> None:
    """A client that is killed leaves no orphan, although the pipe stays open in another process."""
    script = (
        "import subprocess, sys, time\n"
        "p = subprocess.Popen([sys.executable, '-m', 'gnomon', 'mcp'], stdin=sys.stdin, stdout=subprocess.DEVNULL)\n"
        "print(p.pid, flush=True)\ntime.sleep(99)\n"
    )
    reading, writing = os.pipe()
    parent = subprocess.Popen(
        [sys.executable, "-c", script], stdin=reading, stdout=subprocess.PIPE, env=gnomon.environment
    )
    assert parent.stdout
    server = int(parent.stdout.readline())
    threading.Event().wait(1.0)  # until it watches its parent
    if doing == "index":
        client = {"name": "lines", "version": "1"}
        opening = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client}
        call = {"name": "index", "arguments": {}}
        for message in (
            {"id": 1, "method": "initialize", "params": opening},
            {"method": "notifications/initialized"},
            {"id": 2, "method": "tools/call", "params": call},
        ):
            os.write(writing, json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        assert _until(lambda: not _lock_is_free(gnomon))
    parent.kill()
    parent.wait()
    begun = time.monotonic()
    assert _until(lambda: not _runs(server) and _lock_is_free(gnomon))
    assert time.monotonic() - begun < _LEAVES_SECONDS
    parent.stdout.close()
    os.close(reading)
    os.close(writing)


def _runs(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text("ascii").rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_noisy_dependency_does_not_reach_the_protocol(gnomon: Program, indexed: Path) -> None:
    """What prints, writes to file descriptor 1 or starts a child that does goes to standard error."""
    noise = (
        "import os, subprocess, warnings\n"
        "import gnomon.corpus as c\n"
        "search = c.Corpus.search\n"
        "def noisy(*a, **k):\n"
        "    print('noise'); os.write(1, b'noise\\n'); warnings.warn('noise')\n"
        "    subprocess.run(['echo', 'noise'], check=True)\n"
        "    return search(*a, **k)\n"
        "c.Corpus.search = noisy\n"
    )
    with serving(gnomon, prelude=noise) as client:
        client.initialize()
        assert client.call("search", query="heron")["hits"]
        assert all(json.loads(line)["jsonrpc"] == "2.0" for line in client.lines)


def test_missing_model_file_leaves_words_and_says_so(gnomon: Program, indexed: Path, tmp_path: Path) -> None:
    """The answer names the file, and nothing hangs."""
    import shutil

    import gnomon as package

    copy = tmp_path / "copy"
    shutil.copytree(Path(package.__file__).parent, copy / "gnomon")
    next((copy / "gnomon" / "embed" / "data").glob("*.onnx")).unlink()
    broken = Program(gnomon.home, {**gnomon.environment, "PYTHONPATH": str(copy)})
    with serving(broken) as client:
        client.initialize()
        assert _until(lambda: client.call("status")["modelState"].startswith("failed"))
        found = client.call("search", query="heron")
        assert found["hits"][0]["filePath"] == str(indexed / "one.md")
        assert "is missing" in found["degraded"]
        assert any("words only" in notice for notice in found["notices"])


_SOON_IDLE = (
    "import gnomon.mcp.service as s\n"
    "begin = s.Service.__init__\n"
    "s.Service.__init__ = lambda self, config: begin(self, config, idle_seconds=1.0)\n"
)


def _resident_bytes(process: subprocess.Popen[bytes]) -> int:
    return int(Path(f"/proc/{process.pid}/statm").read_text("ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="memory of another process is read from /proc")
def test_idle_model_gives_back_its_memory_and_comes_back(gnomon: Program, indexed: Path) -> None:
    """The process shrinks by what the model holds (25 MB here); the next question loads it again."""
    with serving(gnomon, prelude=_SOON_IDLE) as client:
        client.initialize()
        client.until_model_is_ready()
        full = _resident_bytes(client.process)
        assert _until(lambda: client.call("status")["modelState"] == "unloaded")
        assert _until(lambda: full - _resident_bytes(client.process) > 15_000_000)
        found = client.call("search", query="a bird in shallow water")
        assert (found["degraded"], client.call("status")["modelState"]) == ("", "ready")
        assert found["hits"][0]["cosine"] > 0


def _without_privileges() -> None:
    """Let the rights of files bind the child even where the tests run as root (Linux: drop CAP_DAC_OVERRIDE)."""
    if os.geteuid() == 0:
        ctypes.CDLL(None).prctl(24, 1, 0, 0, 0)


@pytest.fixture
def read_only(gnomon: Program, indexed: Path) -> Iterator[Path]:
    """The index where nothing can be written."""
    index = gnomon.home / "data" / "gnomon" / "index"
    places = [index, *index.iterdir()]
    for place in places:
        place.chmod(0o500 if place.is_dir() else 0o400)
    yield index
    for place in places:
        place.chmod(0o700)


def test_index_that_cannot_be_written_is_searched(gnomon: Program, indexed: Path, read_only: Path) -> None:
    """Search works and counts what changed; an index run is an error that names the folder; nothing is written."""
    before = {path: path.stat().st_mtime_ns for path in read_only.iterdir()}
    with serving(gnomon, preexec_fn=_without_privileges) as client:
        client.initialize()
        assert client.call("search", query="heron")["hits"]
        result = client.request("tools/call", {"name": "index", "arguments": {}})
        assert result["isError"]
        assert str(read_only) in result["content"][0]["text"]
        (indexed / "one.md").write_text("# One\n\nThe pelican fishes.\n", "utf-8")
        assert _until(lambda: client.call("status")["changedFiles"] == 1)
        assert client.call("search", query="heron")["staleHits"] == 1
    assert {path: path.stat().st_mtime_ns for path in read_only.iterdir()} == before


def test_two_servers_and_a_command_share_one_index(gnomon: Program, folder: Path) -> None:
    """Three writers at once: each does or finds done what is to do, and both servers answer from it."""
    with serving(gnomon) as one, serving(gnomon) as two:
        one.initialize()
        two.initialize()
        command = gnomon.start("index", "--json")
        calls = [(client, client.begin_call("index")) for client in (one, two)]
        summaries = [client.answer(call)["result"]["structuredContent"] for client, call in calls]
        out, said = command.communicate(timeout=200)
        assert command.returncode == 0, said
        assert sum(s["filesProcessed"] for s in (*summaries, json.loads(out))) == _FILES
        for client in (one, two):
            assert client.call("search", query="zebra0042")["hits"][0]["filePath"].endswith("n0042.md")


def test_interrupt_ends_the_server(gnomon: Program, indexed: Path) -> None:
    """Ctrl-C in a terminal is no traceback and no orphan."""
    with serving(gnomon) as client:
        client.initialize()
        client.call("list_folders")
        client.process.send_signal(signal.SIGINT)
        assert _end_of(client.process) < _LEAVES_SECONDS
