"""How near the adapter comes to the bare engine, and what a cold start, a query and the memory cost.

    python benchmarks/embed/bench_embed.py [--model NAME] [--texts 256] [--rounds 5]

Prints one JSON object. The bare loop runs the same token ids through the same session settings in as many threads,
without tokenizing; rounds of both alternate, and the best round of each counts, because the machine may be shared. On
a busy machine trust ``cpu_ratio``: processor time per text, bare over adapter.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

from gnomon.embed import DEFAULT_MODEL, Embedder, EmbedderOptions, open_embedder
from gnomon.embed.cpu import usable_cores
from gnomon.embed.onnx import OnnxEmbedder, open_session

# One token each in both vocabularies, so that a text of n words is n tokens and the markers.
WORDS = (
    "the",
    "house",
    "is",
    "on",
    "fire",
    "and",
    "we",
    "have",
    "to",
    "go",
    "out",
    "now",
    "with",
    "all",
    "our",
    "people",
)

# VmHWM, because ru_maxrss of a child starts at its parent's.
COLD = """
import json, os, re, sys, time
start = time.perf_counter()
os.environ["OPENBLAS_NUM_THREADS"] = "1"
from pathlib import Path
from gnomon.embed import EmbedderOptions, open_embedder
embedder = open_embedder(EmbedderOptions({model!r}, model_dir=Path({folder!r})))
embedder.embed_query("where is the session refreshed")
wall = time.perf_counter() - start
peak = int(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1]) / 1024
print(json.dumps([wall * 1e3, time.process_time() * 1e3, peak]))
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", default=DEFAULT_MODEL)
    parser.add_argument("--model-dir", type=Path, default=Path.home() / ".local/share/gnomon/models")
    parser.add_argument("--texts", type=int, default=256)
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    embedder = open_embedder(EmbedderOptions(arguments.model, model_dir=arguments.model_dir))
    assert isinstance(embedder, OnnxEmbedder)
    result: dict[str, Any] = {"model": embedder.spec.id, "cores": usable_cores(), "load": os.getloadavg()[0]}
    for tokens in (128, 200):
        result[f"tokens_{tokens}"] = compare(embedder, tokens, arguments.texts, arguments.rounds)
    result["query_ms"] = round(query_ms(embedder), 2)
    result["peak_rss_mb_embedding"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    result["cold"] = cold(arguments.model, arguments.model_dir, arguments.rounds)
    print(json.dumps(result, indent=2))


def compare(embedder: OnnxEmbedder, tokens: int, count: int, rounds: int) -> dict[str, float]:
    """Texts per second and processor time per text of the adapter and of the bare loop."""
    words = tokens - 2
    texts = [" ".join(WORDS[(at + word) % len(WORDS)] for word in range(words)) for at in range(count)]
    ids = [np.array([row], np.int64) for row in embedder._token_ids(texts)]  # noqa: SLF001 - the very ids
    session = open_session(embedder._files.graph)  # noqa: SLF001 - the very file
    with ThreadPoolExecutor(usable_cores()) as pool:

        def bare() -> None:
            list(pool.map(lambda row: session.run(["embedding"], {"input_ids": row}), ids))

        loops: dict[str, Callable[[], Any]] = {"bare": bare, "adapter": lambda: embedder.embed_passages(texts)}
        wall = dict.fromkeys(loops, float("inf"))
        cpu = dict.fromkeys(loops, float("inf"))
        for _ in range(rounds):
            for name, loop in loops.items():
                start, start_cpu = time.perf_counter(), time.process_time()
                loop()
                wall[name] = min(wall[name], time.perf_counter() - start)
                cpu[name] = min(cpu[name], time.process_time() - start_cpu)
    return {
        "real_tokens": statistics.mean(row.shape[1] for row in ids),
        "bare_texts_per_s": round(count / wall["bare"], 1),
        "adapter_texts_per_s": round(count / wall["adapter"], 1),
        "ratio": round(wall["bare"] / wall["adapter"], 3),
        "bare_cpu_ms_per_text": round(cpu["bare"] / count * 1e3, 2),
        "adapter_cpu_ms_per_text": round(cpu["adapter"] / count * 1e3, 2),
        "cpu_ratio": round(cpu["bare"] / cpu["adapter"], 3),
    }


def query_ms(embedder: Embedder) -> float:
    """Median milliseconds of a warm query of eight words."""
    times = []
    for _ in range(100):
        start = time.perf_counter()
        embedder.embed_query("where is the session token refreshed and stored")
        times.append((time.perf_counter() - start) * 1e3)
    return statistics.median(times)


def cold(model: str, folder: Path, rounds: int) -> dict[str, float]:
    """Fresh process to first query vector: median wall and CPU milliseconds (interpreter start left out), peak MB."""
    code = COLD.format(model=model, folder=str(folder))
    rows = []
    for _ in range(rounds):
        out = subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8", check=True).stdout
        rows.append(json.loads(out))
    wall, cpu, memory = (statistics.median(column) for column in zip(*rows, strict=True))
    return {"wall_ms": round(wall), "cpu_ms": round(cpu), "peak_rss_mb": round(memory)}


if __name__ == "__main__":
    main()
