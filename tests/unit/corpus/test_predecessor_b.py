"""Part B of what the predecessors do, through a whole corpus over a real embedding server; one test per behaviour.

B1, B2 and B3 are also in ``search/test_predecessor_b`` and ``search/test_grounded``, B5 in ``measure/test_calibrate``,
B6 and B7 in ``project``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from gnomon.chunk import chunk
from gnomon.chunk.base import ChunkLimits
from gnomon.cli.parser import COMMANDS
from gnomon.cli.shell import run_command_line
from gnomon.config import load_config
from gnomon.config.keys import KEYS
from gnomon.corpus import Corpus
from gnomon.corpus.asking import Asked, options_for
from gnomon.errors import MismatchError, StoreError
from gnomon.index.run import IndexOptions
from gnomon.values import Chunk, Extracted
from tests.fakes.embedding_server import EmbeddingServer, running_server
from tests.fakes.tokens import FakeTokens

_KEYS_OF_B = (
    *("vaultPath", "include", "indexPath", "embedModel", "serverName", "toolDescription", "defaultExclude"),
    *("minScore", "relativeCutoff", "lexicalMaxDocFreq", "pathBoosts"),
)
OpenCorpus = Callable[..., Corpus]


@pytest.fixture
def server() -> Iterator[EmbeddingServer]:
    """An Ollama that has some models."""
    with running_server() as running:
        running.models |= {"nomic-embed-text:latest": "e" * 64, "my-own:latest": "f" * 64}
        yield running


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with two documents, as the working directory, with nothing of the user who runs the test."""
    for name in ("SS_CONFIG_PATH", "GNOMON_CONFIG_PATH", "SS_INDEX_DIR", "GNOMON_INDEX_DIR", "CLAUDE_PROJECT_DIR"):
        monkeypatch.delenv(name, raising=False)
    for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME"):
        monkeypatch.setenv(name, str(tmp_path / name))
    root = tmp_path / "project"
    (root / "plans").mkdir(parents=True)
    (root / "auth.md").write_text("# Sign-in\n\nThe client refreshes its access token early.\n", "utf-8")
    (root / "plans" / "auth.md").write_text("# Plan\n\nThe client could refresh its token daily.\n", "utf-8")
    monkeypatch.chdir(root)
    return root


@pytest.fixture
def open_corpus(project: Path, server: EmbeddingServer) -> Iterator[OpenCorpus]:
    """Opens the project's corpus with a model of the server and more settings."""
    opened: list[Corpus] = []

    def open_it(model: str, **settings: Any) -> Corpus:
        file = project / ".rag" / "config.json"
        file.parent.mkdir(exist_ok=True)
        told = {"vaultPath": "..", "embedModel": model, "embedUrl": server.url, **settings}
        file.write_text(json.dumps(told), "utf-8")
        opened.append(Corpus(load_config(file)))
        return opened[-1]

    yield open_it
    for corpus in opened:
        corpus.close()


def _paths(corpus: Corpus, **asked: Any) -> list[str]:
    return [
        hit.path for hit in corpus.search("refresh token", options_for(corpus, Asked(min_score=0.01, **asked))).hits
    ]


def test_b2_default_exclude_is_skipped_on_every_query(open_corpus: OpenCorpus) -> None:
    """``plans`` is one of the defaults."""
    corpus = open_corpus("bge-m3")
    corpus.index()
    assert _paths(corpus) == ["auth.md"]


def test_b2_exclude_of_a_query_adds_to_the_default(open_corpus: OpenCorpus) -> None:
    """It does not replace it, and counts whatever the case."""
    corpus = open_corpus("bge-m3")
    corpus.index()
    assert _paths(corpus, exclude=("AUTH",)) == []


def test_b2_all_lifts_the_default_exclude_and_the_lifecycle_filter(open_corpus: OpenCorpus, project: Path) -> None:
    """Both at once."""
    text = "---\nstatus: superseded\nsuperseded_by: auth.md\n---\nThe client refreshes its access token weekly.\n"
    (project / "old.md").write_text(text, "utf-8")
    corpus = open_corpus("bge-m3", relativeCutoff=0)
    corpus.index()
    assert _paths(corpus) == ["auth.md"]
    assert set(_paths(corpus, search_all=True)) == {"auth.md", "old.md", "plans/auth.md"}


def test_b2_ranks_of_words_do_not_change_the_order_by_meaning(open_corpus: OpenCorpus, project: Path) -> None:
    """No fusion: the semantic hits come by their cosine, which is the score that is shown."""
    for number in range(6):
        (project / f"{number}.md").write_text(f"# N\n\nThe token is fresh {'and fresh ' * number}.\n", "utf-8")
    corpus = open_corpus("bge-m3", relativeCutoff=0)
    corpus.index()
    options = options_for(corpus, Asked(k=8, per_file=3, min_score=0.01))
    cosines = [hit.cosine for hit in corpus.search("is the token fresh", options).hits if hit.label != "exact"]
    assert len(cosines) > 3
    assert cosines == sorted(cosines, key=lambda each: -(each or 0.0))


def _cut(text: str, target: int = 40) -> list[Chunk]:
    limits = ChunkLimits(target, 5, target)
    return chunk(Extracted(text, "prose", "markdown"), path="a.md", tokens=FakeTokens(), limits=limits)


def test_b3_markdown_is_cut_by_headings_with_the_breadcrumb_kept() -> None:
    """A passage knows what it stands under."""
    words = "The client refreshes its token. " * 5
    found = _cut(f"# Auth\n\n## Tokens\n\n{words}\n\n## Keys\n\n{words}\n")
    assert {("Auth", "Tokens"), ("Auth", "Keys")} <= {each.breadcrumb for each in found}
    assert not any("## Tokens" in each.text and "## Keys" in each.text for each in found)


def test_b3_code_blocks_are_left_out_of_the_embedded_text() -> None:
    """They stay in the passage that is shown and searched by words."""
    (found,) = _cut("# Auth\n\nCall it like this:\n\n```sh\nrefresh --now\n```\n")
    assert "refresh --now" in found.text
    assert "refresh --now" not in found.embed_text


def test_b3_oversized_sections_are_split() -> None:
    """No part is larger than the limit, and each keeps the breadcrumb."""
    found = _cut("# Auth\n\n" + "The client refreshes its token. " * 40)
    assert len(found) > 3
    assert {each.breadcrumb for each in found} == {("Auth",)}
    assert all(FakeTokens().count(each.text) <= 40 for each in found)


def test_b4_ollama_embeds_through_its_embed_endpoint(open_corpus: OpenCorpus, server: EmbeddingServer) -> None:
    """``/api/embed`` with the model of the settings."""
    corpus = open_corpus("bge-m3")
    corpus.index()
    assert _paths(corpus) == ["auth.md"]
    asked = [body["model"] for _, path, body, _ in server.requests if path == "/api/embed"]
    assert set(asked) == {"bge-m3"}


def test_b4_registry_applies_task_prefixes(open_corpus: OpenCorpus, server: EmbeddingServer) -> None:
    """One for documents, one for questions."""
    corpus = open_corpus("nomic-embed-text")
    corpus.index()
    _paths(corpus)
    sent = [text for texts in server.embedded for text in texts]
    assert "search_query: refresh token" in sent
    assert any(text.startswith("search_document: ") and "access token early" in text for text in sent)


def test_b4_registry_has_default_thresholds(open_corpus: OpenCorpus) -> None:
    """Those of bge-m3 are in force where the settings name none, and the settings win."""
    options = open_corpus("bge-m3").search_options()
    assert (options.min_score, options.relative_cutoff) == (0.55, 0.88)
    assert open_corpus("bge-m3", minScore=0.4).search_options().min_score == 0.4


def test_b4_model_that_nobody_described_works_and_index_says_so(open_corpus: OpenCorpus) -> None:
    """Its prefixes and thresholds are unverified."""
    corpus = open_corpus("my-own")
    notices = corpus.index().notices
    assert any(re.search(r"my-own.* prefixes and thresholds .*unverified", notice) for notice in notices)
    assert _paths(corpus) == ["auth.md"]


def test_b4_index_of_another_model_is_refused(open_corpus: OpenCorpus) -> None:
    """Never mixed: neither a search nor the run of one folder goes on with it."""
    open_corpus("bge-m3").index()
    other = open_corpus("my-own")
    with pytest.raises(MismatchError, match="model"):
        _paths(other)
    with pytest.raises(MismatchError, match="model"):
        other.index(other.folders, options=IndexOptions())


def test_b4_changed_model_rebuilds_the_index(open_corpus: OpenCorpus) -> None:
    """The next run of all folders, without a word more, and it says what it did."""
    open_corpus("bge-m3").index()
    other = open_corpus("my-own")
    report = other.index()
    assert report.notices[0] == "The model changed, so the index was built anew."
    assert report.chunks_embedded == 2
    assert _paths(other) == ["auth.md"]


def test_b6_config_keys_are_all_known() -> None:
    """A settings file of the predecessor is read as it is."""
    assert set(_KEYS_OF_B) <= set(KEYS)


def test_b6_index_path_is_relative_to_the_config_file(project: Path) -> None:
    """Wherever the command is called from."""
    file = project / ".rag" / "config.json"
    file.parent.mkdir()
    file.write_text('{"vaultPath": "..", "indexPath": "my/index"}', "utf-8")
    assert load_config(file).index_dir == project / ".rag" / "my" / "index"


def test_b6_absolute_config_is_taken_as_it_is(
    project: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The first way of finding it."""
    file = _settings(tmp_path / "elsewhere" / "c.json", project)
    assert _config_of("--config", str(file), capsys=capsys) == file


def test_b6_relative_config_is_found_under_the_claude_project(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The second way."""
    file = _settings(tmp_path / "claude" / ".rag" / "config.json", project)
    monkeypatch.setenv("CLAUDE_PROJECT_DIR", str(tmp_path / "claude"))
    assert _config_of("--config", ".rag/config.json", capsys=capsys) == file


@pytest.mark.parametrize("options", [("--config", ".rag/config.json"), ()])
def test_b6_config_is_looked_for_upwards(
    options: tuple[str, ...], project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The third way, and the one without ``--config``: the first ancestor where it exists."""
    file = _settings(project / ".rag" / "config.json", project)
    below = project / "plans" / "deep"
    below.mkdir()
    monkeypatch.chdir(below)
    assert _config_of(*options, capsys=capsys) == file


def test_b6_config_that_is_nowhere_is_in_the_working_directory(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The last way, for the commands that make it."""
    assert _config_of("--config", "new/c.json", capsys=capsys) == project / "new" / "c.json"


def test_b6_serve_is_the_mcp_server() -> None:
    """Under the predecessor's name."""
    assert COMMANDS["serve"] == ("mcp", "")


@pytest.mark.parametrize("command", ["init", "scaffold", "index", "search", "serve", "hook"])
def test_b6_all_commands_take_config(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Under the predecessor's name of the program too."""
    assert run_command_line([command, "--help"], program="docs-rag") == 0
    assert "--config FILE" in capsys.readouterr().out


def test_b6_search_takes_exclude_and_all(capsys: pytest.CaptureFixture[str]) -> None:
    """As typed for the predecessor."""
    run_command_line(["search", "--help"], program="docs-rag")
    told = capsys.readouterr().out
    assert "--exclude A,B" in told
    assert "--all" in told


def test_b6_running_reader_picks_up_a_re_index(open_corpus: OpenCorpus, project: Path) -> None:
    """Without being opened anew."""
    running = open_corpus("bge-m3", relativeCutoff=0)
    running.index()
    assert _paths(running) == ["auth.md"]
    (project / "more.md").write_text("# More\n\nTo refresh a token, ask again.\n", "utf-8")
    open_corpus("bge-m3").index()
    assert set(_paths(running)) == {"auth.md", "more.md"}


def test_b6_sqlite_is_in_wal_mode(open_corpus: OpenCorpus) -> None:
    """Readers are not blocked by a writer."""
    import sqlite3

    corpus = open_corpus("bge-m3")
    with pytest.raises(StoreError, match="nothing is indexed yet"):
        corpus.store()
    corpus.index()
    connection = sqlite3.connect(corpus.index_file)
    assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    connection.close()


def _settings(file: Path, project: Path) -> Path:
    file.parent.mkdir(parents=True)
    file.write_text(json.dumps({"defaultRoots": [str(project)]}), "utf-8")
    return file


def _config_of(*options: str, capsys: pytest.CaptureFixture[str]) -> Path:
    assert run_command_line(["config", "--json", *options], program="docs-rag") == 0
    return Path(json.loads(capsys.readouterr().out)["configFile"])
