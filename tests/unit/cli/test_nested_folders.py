"""A folder inside another: each file is searched once."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gnomon.corpus import Corpus
from tests.fakes.embedder import FakeEmbedder
from tests.unit.cli.conftest import Run


@pytest.fixture
def nested(folders: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> Path:
    """``code`` added over ``code/httpie``, and indexed."""
    fake = FakeEmbedder()
    monkeypatch.setattr(Corpus, "embedder", property(lambda _: fake))
    (folders / "code" / "other.md").write_text("# Other\n\nA client too.\n", "utf-8")
    code, out, _ = run("add", "code")
    assert code == 0
    line = f"{folders / 'code' / 'httpie'} lies in {folders / 'code'}: its files are searched once, as its own"
    assert line in out.splitlines()
    assert run("index")[0] == 0
    return folders


def _found(run: Run, *words: str) -> list[str]:
    return sorted(f"{Path(hit['folder']).name}/{hit['path']}" for hit in json.loads(run("search", "--json", *words)[1]))


def test_file_of_both_comes_back_once(nested: Path, run: Run) -> None:
    """As one of the inner folder."""
    assert _found(run, "client", "-k", "9", "--path", "*.md", "--folder", "code") == [
        "code/other.md",
        "httpie/readme.md",
    ]
    assert run("grep", "A client")[1].count("readme.md") == 1
    assert "searched as a folder of its own" in run("status", "--skipped")[1]


def test_outer_folder_takes_over_what_the_inner_one_leaves(nested: Path, run: Run) -> None:
    """Removed from the settings, its files are files of the outer one at the next run."""
    assert run("remove", "httpie")[0] == 0
    assert _found(run, "client", "-k", "9", "--path", "*.md", "--folder", "code") == ["code/other.md"]
    assert run("index")[0] == 0
    assert "code/httpie/readme.md" in _found(run, "client", "-k", "9", "--path", "*.md")


def test_only_the_pairs_of_what_was_added_are_told(nested: Path, run: Run) -> None:
    """Another folder says nothing of these."""
    (nested / "more").mkdir()
    assert "lies in" not in run("add", "more")[1]
    (nested / "notes" / "deep").mkdir()
    assert "notes/deep lies in" in run("add", "notes/deep")[1]


def test_typing_errors_in_filters_are_named(nested: Path, run: Run) -> None:
    """On the terminal, with what there is."""
    assert "did you mean python?" in run("search", "client", "--lang", "pyhton")[1]
    assert "no path matches scr/**" in run("search", "client", "--path", "scr/**")[1]
    assert _found(run, "name", "--path", "code/httpie/setup.cfg") == ["httpie/setup.cfg"]
    everywhere = ["code/other.md", "httpie/readme.md"]
    for typed in (f"{nested}/code/**/*.md", f"{nested}/code/", "../top/code/**/*.md"):
        found = _found(run, "client", "-k", "9", "--path", typed)
        assert [path for path in found if path.endswith(".md")] == everywhere
    assert _found(run, "client", "-httpie", "--path", f"{nested}/code/*.md") == ["code/other.md"]
