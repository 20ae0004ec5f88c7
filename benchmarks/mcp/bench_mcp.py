"""The server as an agent meets it: greeting, first and warm search, memory, and what an answer costs to read.

python benchmarks/mcp/bench_mcp.py [--chunks 50000] [--code FOLDER --queries FILE --repos chi,flask]

``--chunks``: greeting, searches and memory over that many passages of the running environment's Python files, whose
vectors are random (the search does the same work). ``--code``: a folder with a repository per sub-folder, and queries
as JSON lines with ``repo``, ``text`` and ``primary`` (paths below FOLDER that answer). Tokens to the first right
passage: of the ``search`` tool's text up to the first hit in such a file; and of ``grep`` for the question's rarest
words followed by whole files, most matches first, up to the first right one. What the search misses costs its whole
answer and the way by grep on top.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from gnomon.corpus import Corpus
from gnomon.mcp.passages import tokens

sys.path.insert(0, str(Path(__file__).parents[1]))
from passages import QUERIES, configure, open_filled, places

STOP = frozenset(
    re.findall(
        r"\w+", "a an and are as at by does for from how in into is it of on or the to what when where which with"
    )
)


class Server:
    """One server process, spoken to in lines."""

    def __init__(self, home: Path) -> None:
        self.begun = time.perf_counter()
        self.process = subprocess.Popen(
            [sys.executable, "-m", "gnomon", "mcp"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=places(home),
            cwd=home,
        )
        self._number = 0

    def request(self, method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
        assert self.process.stdin
        assert self.process.stdout
        self._number += 1
        message = {"jsonrpc": "2.0", "id": self._number, "method": method, "params": params or {}}
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()
        while "id" not in (answer := json.loads(self.process.stdout.readline())):
            pass
        result: dict[str, Any] = answer["result"]
        return result

    def greet(self) -> None:
        client = {"name": "bench", "version": "1"}
        params = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client}
        self.request("initialize", params)
        self.request("tools/list")

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        result = self.request("tools/call", {"name": tool, "arguments": arguments})
        assert not result.get("isError"), result
        return result

    def until_ready(self) -> None:
        while self.call("status")["structuredContent"]["modelState"] != "ready":
            time.sleep(0.02)

    @property
    def wall(self) -> float:
        return time.perf_counter() - self.begun

    @property
    def cpu(self) -> float:
        fields = Path(f"/proc/{self.process.pid}/stat").read_text("ascii").rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    @property
    def memory(self) -> str:
        status = Path(f"/proc/{self.process.pid}/status").read_text("ascii")
        found = {name: int(kib) // 1024 for name, kib in re.findall(r"(VmRSS|VmHWM):\s+(\d+)", status)}
        return f"{found['VmRSS']} MB, peak {found['VmHWM']} MB"

    def close(self) -> float:
        assert self.process.stdin
        begun = time.perf_counter()
        self.process.stdin.close()
        self.process.wait()
        return time.perf_counter() - begun


def searches(home: Path, count: int) -> None:
    corpus, made = open_filled(home, count)
    greetings = []
    for _ in range(5):
        server = Server(home)
        server.greet()
        greetings.append((server.wall, server.cpu))
        leaving = server.close()
    walls, cpus = zip(*greetings, strict=True)
    print(f"start to tools/list: {statistics.median(walls):.2f} s, {statistics.median(cpus):.2f} CPU-s (bar 1 s)")
    print(f"end of input to end of process: {leaving:.2f} s (bar 2 s)")
    server = Server(home)
    server.greet()
    found = server.call("search", query=QUERIES[0])["structuredContent"]
    print(f"first search at {made} passages: {server.wall:.2f} s after start, {server.cpu:.2f} CPU-s", end="")
    print(f", degraded: {found['degraded'] or 'no'}")
    server.until_ready()
    print(f"model ready: {server.wall:.2f} s after start, {server.cpu:.2f} CPU-s")
    times = []
    for turn in range(22):
        if turn == 2:
            before = server.cpu
        for query in QUERIES:
            begun = time.perf_counter()
            server.call("search", query=query)
            if turn > 1:
                times.append((time.perf_counter() - begun) * 1000)
    cpu_ms = (server.cpu - before) / len(times) * 1000
    alone_ms = search_alone(corpus)
    times.sort()
    print(f"warm search through the protocol: p50 {statistics.median(times):.1f} ms (bar 25), ", end="")
    print(f"p95 {times[int(len(times) * 0.95)]:.1f} ms, {cpu_ms:.1f} CPU-ms each; load {os.getloadavg()[0]:.1f}")
    print(f"  Corpus.search alone {alone_ms:.1f} CPU-ms, so the server adds {cpu_ms - alone_ms:.1f} (bar 3)")
    print(f"memory: {server.memory} (bar 300)")
    server.close()


def search_alone(corpus: Corpus) -> float:
    """CPU-ms of a search without the server, with the same questions and as many turns."""
    options = corpus.search_options()
    for query in QUERIES * 2:
        corpus.search(query, options)
    busy = time.process_time()
    for query in QUERIES * 20:
        corpus.search(query, options)
    return (time.process_time() - busy) / (20 * len(QUERIES)) * 1000


def code_files(root: Path) -> dict[Path, str]:
    texts = {}
    for path in sorted(root.rglob("*")):
        if path.is_file() and path.stat().st_size < 500_000 and ".git" not in path.parts:
            data = path.read_bytes()
            if b"\0" not in data[:4096]:
                texts[path] = data.decode("utf-8", "replace")
    return texts


def by_grep(texts: dict[Path, str], question: str, right: set[Path]) -> int:
    """Tokens an agent reads that greps for the two rarest words and opens whole files."""
    words = [word for word in dict.fromkeys(re.findall(r"\w+", question.lower())) if word not in STOP]
    lower = {path: text.lower() for path, text in texts.items()}
    frequency = {word: sum(word in text for text in lower.values()) for word in words}
    rarest = sorted((word for word in words if frequency[word]), key=lambda word: frequency[word])[:2]
    matches: Counter[Path] = Counter()
    lines: list[str] = []
    for path, text in lower.items():
        for number, row in enumerate(text.split("\n"), 1):
            if any(word in row for word in rarest):
                matches[path] += 1
                lines.append(f"{path}:{number}  {row[:300]}")
    read = tokens("\n".join(lines[:50]))
    for path, _ in matches.most_common():
        read += tokens(texts[path])
        if path in right:
            return read
    return read


def by_search(server: Server, question: str, right: set[Path]) -> tuple[int, bool]:
    """Tokens of the answer's text up to the first right passage, and whether there was one."""
    result = server.call("search", query=question, k=10)
    text = result["content"][0]["text"]
    for hit in result["structuredContent"]["hits"]:
        if Path(hit["filePath"]) in right:
            head = text.find(f"\n{hit['rank']}. ")
            after = text.find(f"\n{hit['rank'] + 1}. ", head)
            return tokens(text[: after if after > 0 else None]), True
    return tokens(text), False


def questions(file: Path, repository: str) -> Iterator[dict[str, Any]]:
    for line in file.read_text("utf-8").splitlines():
        row = json.loads(line)
        if row["repo"] == repository:
            yield row


def reading(home: Path, code: Path, queries: Path, repositories: list[str]) -> None:
    costs: list[tuple[int, int]] = []
    missed = 0
    for repository in repositories:
        place = home / repository
        place.mkdir()
        configure(place, code / repository)
        subprocess.run([sys.executable, "-m", "gnomon", "index", "--quiet"], env=places(place), check=True)
        texts = code_files(code / repository)
        server = Server(place)
        server.greet()
        server.until_ready()
        for row in questions(queries, repository):
            right = {code / path for path in row["primary"]}
            grepped = by_grep(texts, row["text"], right)
            read, found = by_search(server, row["text"], right)
            missed += not found
            costs.append((read if found else read + grepped, grepped))
        server.close()
    ours, theirs = zip(*costs, strict=True)
    print(f"{len(costs)} questions of {', '.join(repositories)}; {missed} not among the first 10 hits")
    for name, cost in (("search", ours), ("grep and whole files", theirs)):
        middle, mean = statistics.median(cost), statistics.mean(cost)
        print(f"tokens to the first right passage by {name}: median {middle:.0f}, mean {mean:.0f}")
    ratio = statistics.median(b / a for a, b in costs)
    print(f"grep costs {ratio:.1f} times as much (median over questions)")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--chunks", type=int, default=50_000)
    parser.add_argument("--code", type=Path)
    parser.add_argument("--queries", type=Path)
    parser.add_argument("--repos", default="chi,flask")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        home = Path(scratch)
        if args.chunks:
            searches(home, args.chunks)
        if args.code:
            reading(home, args.code.resolve(), args.queries, args.repos.split(","))


if __name__ == "__main__":
    main()
