"""Two processes that index one folder into one store at the same time, each its share: all is done, nothing twice."""

from __future__ import annotations

import json
import os
import re
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


@pytest.fixture
def in_bucket(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, str]]:
    """Settings of a store in a bucket, whose server is in the environment."""
    pytest.importorskip("lancedb", reason="the extra gnomon[lancedb] is not installed")
    pytest.importorskip("moto", reason="moto[server] is not installed")
    with running_bucket_server() as bucket:
        bucket.make_bucket("indexes")
        for name, value in bucket.environment.items():
            monkeypatch.setenv(name, value)
        yield {"storeBackend": "lancedb", "indexPath": "s3://indexes/shared"}


@pytest.fixture
def in_database(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, str]]:
    """Settings of a store in a database, whose server is in the environment."""
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


@pytest.mark.parametrize("place_of", ["in_bucket", "in_database"])
def test_shares_at_once_do_everything_once(place_of: str, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    """They make the index together; what one wrote too late for the other's texts a plain run finishes."""
    shared = request.getfixturevalue(place_of)
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


ON_RAY = """
import sys
import ray
from gnomon.cli.shell import run_command_line
ray.init(
    num_cpus=2, include_dashboard=False, object_store_memory=80 << 20, log_to_driver=False, _node_ip_address="127.0.0.1"
)
for settings in sys.argv[1:]:
    print(run_command_line(["index", "--ray", "2", "--json", "--config", settings], program="gnomon"))
"""


def test_shares_on_a_ray_cluster_fill_one_index(in_database: dict[str, str], tmp_path: Path) -> None:
    """One that fails is named, with what it said; what they left, the same command finishes."""
    pytest.importorskip("ray", reason="the extra gnomon[ray] is not installed")
    with new_place(tmp_path / "place", 11, files=24) as place:
        good, bad = (tmp_path / "place" / name for name in ("good.json", "bad.json"))
        settings = json.loads(place.settings().read_text("utf-8")) | in_database
        good.write_text(json.dumps(settings), "utf-8")
        bad.write_text(json.dumps(settings | {"embedModel": "absent"}), "utf-8")
        environment = os.environ | {
            "PYTHONPATH": f"{ROOT / 'src'}:{ROOT}",
            "XDG_DATA_HOME": str(tmp_path / "data"),
            "RAY_USAGE_STATS_ENABLED": "0",
            "RAY_AUTH_MODE": "disabled",  # else it leaves a token in the user's home
        }
        command = [sys.executable, "-W", "ignore", "-c", ON_RAY, str(bad), str(good)]
        done = subprocess.run(command, capture_output=True, encoding="utf-8", check=True, env=environment)
        failed, report, succeeded = done.stdout.splitlines()
        assert (failed, succeeded) == ("2", "0"), done.stderr
        assert re.search(r"2 of 2 shares failed.*share 1/2: .*does not have absent.*share 2/2: ", done.stderr)
        assert {"share 1/2 is done", "share 2/2 is done"} <= set(done.stderr.splitlines())
        assert json.loads(report)["filesProcessed"] == 0
        place.run("index", "--quiet")
        with closing(Corpus(load_config(good))) as corpus:
            assert contents(corpus.store(), str(place.tree.root)) == place.contents()
