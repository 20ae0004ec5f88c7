"""Ten questions to a real project of 500 files, asked of the real model; none of them was used for tuning."""

from __future__ import annotations

import json
import subprocess
import sys
import tarfile
from collections.abc import Callable

import pytest

from tests.e2e.conftest import Program

pytestmark = [pytest.mark.model, pytest.mark.slow, pytest.mark.timeout(1500)]

PROJECT = "scrapy==2.12.0"
QUESTIONS = {
    "how is a failed request tried again": ["scrapy/downloadermiddlewares/retry.py"],
    "obey robots.txt before a page is fetched": ["scrapy/downloadermiddlewares/robotstxt.py"],
    "leave out requests that were already seen": ["scrapy/dupefilters.py"],
    "slow down automatically depending on the latency of the server": [
        "scrapy/extensions/throttle.py",
        "docs/topics/autothrottle.rst",
    ],
    "write scraped items as CSV": ["scrapy/exporters.py", "docs/topics/exporters.rst"],
    "stop the crawl when memory use grows too high": ["scrapy/extensions/memusage.py"],
    "how do I download images that belong to items": ["scrapy/pipelines/images.py", "docs/topics/media-pipeline.rst"],
    "extract links from a page": ["scrapy/linkextractors/lxmlhtml.py", "docs/topics/link-extractors.rst"],
    "try selectors in an interactive console": ["scrapy/shell.py", "docs/topics/shell.rst", "scrapy/commands/shell.py"],
    "submit a login form with user name and password": [
        "scrapy/http/request/form.py",
        "docs/topics/request-response.rst",
    ],
}


@pytest.fixture(scope="module")
def project(shared_program: Callable[[str], Program], tmp_path_factory: pytest.TempPathFactory) -> Program:
    """The project's source package from the registry, indexed; skipped plainly where there is no registry."""
    place = tmp_path_factory.mktemp("source")
    fetch = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary", ":all:", PROJECT]
    done = subprocess.run(
        [*fetch, "--dest", str(place)], capture_output=True, encoding="utf-8", timeout=300, check=False
    )
    if done.returncode:
        pytest.skip(f"the source package {PROJECT} cannot be had: {done.stderr.strip()[-200:]}")
    archive = next(place.glob("*.tar.gz"))
    with tarfile.open(archive) as tar:
        tar.extractall(place, filter="data")
    program = shared_program("real-project")
    program("add", str(next(path for path in place.iterdir() if path.is_dir())), timeout=60)
    program("index", "--quiet", timeout=1200)
    return program


def test_project_is_a_real_one(project: Program) -> None:
    """It has more than 300 indexed files, and every passage has its vector."""
    status = json.loads(project("status", "--json").stdout)
    assert status["documents"] >= 300
    assert status["vectorsMissing"] == 0


def test_eight_of_ten_questions_find_their_file_in_the_top_five(project: Program) -> None:
    """The main job, judged as a user would."""
    missed = []
    for question, files in QUESTIONS.items():
        hits = json.loads(project("search", "--json", "-k", "5", question, code=None).stdout)
        if not {hit["path"] for hit in hits} & set(files):
            missed.append((question, [hit["path"] for hit in hits]))
    assert len(missed) <= 2, missed


def test_filters_apply_before_the_top_is_cut(project: Program) -> None:
    """A narrow search finds matches that a wide one would not list."""
    hits = json.loads(project("search", "--json", "-k", "5", "--path", "docs/**", "retry a request").stdout)
    assert len(hits) == 5
    assert all(hit["path"].startswith("docs/") for hit in hits)
