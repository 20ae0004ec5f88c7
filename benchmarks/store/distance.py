"""What a search costs when PostgreSQL is far away: round trips, and milliseconds at several distances.

    PYTHONPATH=. python benchmarks/store/distance.py

The server is one that the script starts; a proxy keeps each question for as long as the way there and back would take.
"""

from __future__ import annotations

import json
import os
import statistics
import tempfile
import time
from contextlib import closing
from pathlib import Path

from gnomon.config import load_config
from gnomon.corpus import Corpus
from tests.fakes.counting_proxy import counting_proxy
from tests.fakes.postgres_server import running_server
from tests.faults.place import new_place

FILES, SEARCHES = 60, 20
QUESTIONS = ("river otter", "minnow stork", "heron reed river")


def main() -> None:
    with (
        tempfile.TemporaryDirectory() as scratch,
        running_server() as server,
        counting_proxy(server.root / ".s.PGSQL.5432") as proxy,
        new_place(Path(scratch) / "place", 7, files=FILES) as place,
    ):
        os.environ |= server.environment | {"XDG_DATA_HOME": scratch, "PGHOST": str(proxy.folder)}
        settings = Path(scratch) / "settings.json"
        there = {"storeBackend": "postgres", "indexPath": "postgres:distance"}
        settings.write_text(json.dumps(json.loads(place.settings().read_text("utf-8")) | there), "utf-8")
        with closing(Corpus(load_config(settings))) as corpus:
            corpus.index()
            options = corpus.search_options()
            for delay_ms in (0, 5, 20):
                proxy.delay_s = 0.0
                for question in QUESTIONS * 2:  # connections are open, statements prepared
                    corpus.search(question, options)
                proxy.delay_s = delay_ms / 1000
                times, before = [], proxy.round_trips
                for number in range(SEARCHES):
                    started = time.perf_counter()
                    corpus.search(QUESTIONS[number % len(QUESTIONS)], options)
                    times.append((time.perf_counter() - started) * 1000)
                trips = (proxy.round_trips - before) / SEARCHES
                print(
                    f"{delay_ms:>3} ms away: {trips:.1f} round trips, p50 {statistics.median(times):.0f} ms", flush=True
                )


if __name__ == "__main__":
    main()
