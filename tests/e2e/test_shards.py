"""Two processes that index one folder into one store at the same time, each its share: all is done, nothing twice."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from gnomon.config import load_config
from gnomon.corpus import Corpus
from tests.fakes.bucket_server import running_bucket_server
from tests.fakes.postgres_server import programs, running_server
from tests.faults.place import contents, new_place

pytestmark = [pytest.mark.slow, pytest.mark.timeout(240)]

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(params=["lancedb", "postgres"])
def shared(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, str]]:
    """Settings of a store that machines have in common; its server is in the environment."""
    if request.param == "lancedb":
        pytest.importorskip("lancedb", reason="the extra gnomon[lancedb] is not installed")
        pytest.importorskip("moto", reason="moto[server] is not installed")
        with running_bucket_server() as bucket:
            bucket.make_bucket("indexes")
            for name, value in bucket.environment.items():
                monkeypatch.setenv(name, value)
            yield {"storeBackend": "lancedb", "indexPath": "s3://indexes/shared"}
        return
    pytest.importorskip("psycopg", reason="the extra gnomon[postgres] is not installed")
    if programs() is None:
        pytest.skip("no PostgreSQL with pgvector is installed")
    with running_server() as server:
        for name, value in server.environment.items():
            monkeypatch.setenv(name, value)
        yield {"storeBackend": "postgres", "indexPath": "postgres:shared"}


def index(settings: Path, *arguments: str) -> dict[str, Any]:
    """The report of a run in a process of its own."""
    command = [sys.executable, "-m", "gnomon", "index", "--json", "--config", str(settings), *arguments]
    environment = os.environ | {"PYTHONPATH": f"{ROOT / 'src'}:{ROOT}", "XDG_DATA_HOME": str(settings.parent / "data")}
    done = subprocess.run(command, capture_output=True, encoding="utf-8", check=False, env=environment)
    assert done.returncode == 0, done.stderr
    report: dict[str, Any] = json.loads(done.stdout)
    return report


def test_shares_at_once_do_everything_once(shared: dict[str, str], tmp_path: Path) -> None:
    """They make the index together; what one wrote too late for the other's texts a plain run finishes."""
    with new_place(tmp_path / "place", 11, files=24) as place:
        settings = tmp_path / "place" / "shared.json"
        settings.write_text(json.dumps(json.loads(place.settings().read_text("utf-8")) | shared), "utf-8")
        with ThreadPoolExecutor(2) as pool:
            reports = list(pool.map(lambda share: index(settings, "--shard", share), ["1/2", "2/2"]))
        assert all(report["filesProcessed"] for report in reports)
        assert sum(report["filesProcessed"] for report in reports) == len(place.tree.files())
        last = index(settings)
        assert last["filesProcessed"] == 0
        place.run("index", "--quiet")
        root = str(place.tree.root)
        with closing(Corpus(load_config(settings))) as corpus:
            store = corpus.store()
            assert contents(store, root) == place.contents()
            chunks = [chunk for each in store.documents() for chunk in store.document_chunks(each.id)]
        texts = {each.chunk.embedded for each in chunks}
        assert sum(report["chunksEmbedded"] for report in (*reports, last)) == len(texts)
