"""Each tool in process: the real store, a fake model."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from gnomon.config.settings_file import read_raw, write_raw
from gnomon.errors import ConfinementError, GnomonError, UsageError
from gnomon.index.lock import writer_lock
from gnomon.mcp.service import Service
from tests.fakes.embedder import FakeEmbedder
from tests.unit.mcp.conftest import RunTool


def test_label_in_the_text_is_that_of_the_field(run: RunTool) -> None:
    """An agent that reads both must not take them for two things."""
    fields, text = run("search", query="descaling")
    assert f"  [{fields['hits'][0]['label']}" in text


def test_search_gives_place_text_and_evidence(run: RunTool, root: Path) -> None:
    """What an agent needs to go on: file, lines, text, score; and the state of the index."""
    fields, text = run("search", query="refreshes its access token")
    hit = fields["hits"][0]
    assert hit["filePath"] == str(root / "auth.md")
    assert (hit["startLine"], hit["endLine"]) == (3, 5) or hit["startLine"] == 1
    assert hit["stale"] is False
    assert {"score", "cosine", "bm25", "label", "offset", "rank", "text"} <= set(hit)
    assert f"{root / 'auth.md'}:{hit['startLine']}-{hit['endLine']}" in text
    assert (fields["generation"] > 0, fields["changedFiles"], fields["staleHits"]) == (True, -1, 0)


def test_hit_leaves_out_what_says_nothing(run: RunTool) -> None:
    """Each empty field is a word that an agent pays for."""
    fields, _ = run("search", query="evict")
    assert all(value not in ("", [], None) for hit in fields["hits"] for value in hit.values())


def test_changed_file_makes_a_stale_hit(run: RunTool, root: Path) -> None:
    """In the fields, in the count, and in the text."""
    (root / "auth.md").write_text("# Something else\n", encoding="utf-8")
    fields, text = run("search", query="refreshes its access token", k=1)
    assert fields["staleHits"] == 1
    assert "changed since it was indexed" in text


def test_gather_widens_and_tells_overlaps_once(run: RunTool) -> None:
    """Lines around each hit; two hits that meet become one passage."""
    fields, text = run("gather", query="evict keep", contextLines=5, paths="cache.py")
    (hit,) = fields["hits"]
    assert (hit["startLine"], hit["endLine"]) == (1, 9)
    assert hit["text"].count("def evict") == 1
    assert "### [1/1]  docs  ·  cache.py  ·  line 1  ·  score " in text


def test_search_notes_names_the_superseded_only_when_asked(run: RunTool) -> None:
    """The second predecessor's line and mark."""
    fields, _ = run("search_notes", query="tokens live a day")
    assert all("old.md" not in hit["filePath"] for hit in fields["hits"])
    _, text = run("search_notes", query="tokens live a day", searchAll=True)
    assert "old.md › Old  [superseded → auth.md; 2026-03-01]" in text


def test_search_notes_refuses_what_nothing_answers(run: RunTool) -> None:
    """The refusal is in the text and in the fields, with no hit beside it."""
    fields, text = run("search_notes", query="quasar spectroscopy")
    assert fields["hits"] == []
    assert fields["refusal"] in text
    assert fields["refusal"].startswith("No relevant results")


def test_filters_reach_the_search(run: RunTool) -> None:
    """Folders, paths, languages and kinds as the command line has them."""
    assert all(h["filePath"].endswith(".py") for h in run("search", query="token key", kinds="code")[0]["hits"])
    assert all(h["filePath"].endswith(".md") for h in run("search", query="token key", paths="*.md")[0]["hits"])
    assert run("search", query="token", languages="rust")[0]["hits"] == []
    with pytest.raises(UsageError, match="the folders are: docs"):
        run("search", query="token", folders="nowhere")
    with pytest.raises(UsageError, match="since must be a date"):
        run("search", query="token", since="yesterday")


def test_agent_may_ask_for_a_day_and_for_confidence(run: RunTool) -> None:
    """As on the command line: what was valid then, and nothing that is not believed."""
    found = run("search", query="tokens live a day", searchAll=True)[0]["hits"]
    assert any(hit["filePath"].endswith("old.md") for hit in found)
    found = run("search", query="tokens live a day", asOf="2026-03-02")[0]["hits"]
    assert not any(hit["filePath"].endswith("old.md") for hit in found)
    fields, _ = run("search", query="token quasar", minConfidence=1)
    assert fields["hits"] == []
    assert fields["refusal"].startswith("No relevant results (best confidence 0.")
    with pytest.raises(UsageError, match="as-of must be a date"):
        run("search", query="token", asOf="yesterday")
    with pytest.raises(UsageError, match="minConfidence must be from 0 to 1"):
        run("search", query="token", minConfidence=2)


def test_deprecated_symbol_is_shown_with_its_mark_below_the_others(run: RunTool, root: Path) -> None:
    """It is not hidden: somebody still calls it. Asked for, it keeps its place."""
    body = '(path):\n    """Parse the settings of a project."""\n    return parse(path)\n'
    (root / "a.py").write_text(f'@deprecated("use take")\ndef parse_settings{body}', "utf-8")
    (root / "b.py").write_text(f"def take{body}", "utf-8")
    run("index")
    hits = run("search", query="parse the settings of a project", kinds="code")[0]["hits"]
    told = [(Path(hit["filePath"]).name, hit.get("status"), hit.get("mark")) for hit in hits[:2]]
    assert told == [("b.py", None, None), ("a.py", "deprecated", "deprecated")]
    hits = run("search", query="deprecated parse settings", kinds="code")[0]["hits"]
    assert Path(hits[0]["filePath"]).name == "a.py"


def test_max_tokens_leaves_out_and_says_so(run: RunTool) -> None:
    """Fewer passages, and how many are missing."""
    whole, _ = run("search", query="token key descaling", k=10)
    fields, text = run("search", query="token key descaling", k=10, maxTokens=80)
    assert 1 <= len(fields["hits"]) < len(whole["hits"])
    assert fields["omitted"] == len(whole["hits"]) - len(fields["hits"])
    assert f"{fields['omitted']} more passage" in text
    assert "left out to stay below maxTokens" in text


def test_escapes_and_fences_of_a_passage_have_no_effect(run: RunTool) -> None:
    """Neither in text nor in fields."""
    fields, text = run("search", query="Zanzibar", paths="trap.md")
    assert "\x1b" not in text + "".join(hit["text"] for hit in fields["hits"])
    assert "`````" in text


def test_undecodable_name_goes_there_and_back(run: RunTool) -> None:
    """``search`` shows it, ``cat_file`` opens what was shown."""
    fields, _ = run("search", query="espresso descaling", k=1)
    shown = fields["hits"][0]["filePath"]
    assert shown.endswith("caf\\xe9.md")
    assert "espresso" in run("cat_file", filePath=shown)[0]["text"]


def test_without_a_model_words_answer_and_say_so(run: RunTool, service: Service, embedder: FakeEmbedder) -> None:
    """Fields and text name the reason."""
    embedder.failure = "model file x is missing"
    service.model.load()
    fields, text = run("search", query="espresso")
    assert fields["degraded"] == "model failed: model file x is missing"
    assert fields["hits"][0]["label"] == "exact"
    assert "Searched by words only: model failed" in text


def test_cat_file_gives_the_lines_asked_for(run: RunTool) -> None:
    """1-based, both ends included."""
    fields, text = run("cat_file", filePath="cache.py", startLine=4, endLine=5)
    assert fields["text"] == "def evict(key):\n    rows.pop(key)\n"
    assert ":4-5 of 9 lines" in text


@pytest.mark.parametrize(
    "path", ["/etc/passwd", "../x", "docs/../../x", "file:///etc/passwd", "\\\\host\\x", "a\0b", ""]
)
@pytest.mark.parametrize("tool", ["cat_file", "find_related"])
def test_paths_outside_are_refused(run: RunTool, tool: str, path: str) -> None:
    """By every tool that takes a path."""
    with pytest.raises((ConfinementError, UsageError)):
        run(tool, filePath=path, **({"line": 1} if tool == "find_related" else {}))


def test_link_out_of_the_folder_is_refused(run: RunTool, root: Path, tmp_path: Path) -> None:
    """After resolving it."""
    (tmp_path / "secret.md").write_text("secret", encoding="utf-8")
    (root / "link.md").symlink_to(tmp_path / "secret.md")
    with pytest.raises(ConfinementError):
        run("cat_file", filePath="link.md")


def test_grep_has_the_predecessors_line(run: RunTool) -> None:
    """Folder, path, line number, line; and the note when cut."""
    fields, text = run("grep", pattern="rows\\.", maxResults=1)
    assert text.splitlines()[0] == "docs  ·  cache.py:5      rows.pop(key)"
    assert fields["truncated"] is True
    assert "cut after 1 line;" in text


def test_related_passages_are_of_other_files(run: RunTool, root: Path) -> None:
    """Never the file itself."""
    fields, _ = run("find_related", filePath="auth.md", line=5)
    assert fields["hits"]
    assert all(hit["filePath"] != str(root / "auth.md") for hit in fields["hits"])


def test_root_outside_is_indexed_only_where_the_settings_allow_it(
    run: RunTool, service: Service, tmp_path: Path
) -> None:
    """Refused before; afterwards it is searched and read like a folder."""
    other = tmp_path / "other"
    other.mkdir()
    (other / "far.md").write_text("# Far\n\nThe albatross crosses the ocean.\n", encoding="utf-8")
    with pytest.raises(UsageError):
        run("index", root=str(other))
    file = service.corpus.config.file
    write_raw(file, {**read_raw(file), "allowIndexRoots": [str(other)]})
    assert run("index", root=str(other))[0]["filesProcessed"] == 1
    found = run("search", query="albatross")[0]["hits"][0]["filePath"]
    assert "ocean" in run("cat_file", filePath=found)[0]["text"]


def test_index_says_what_it_did(run: RunTool, root: Path) -> None:
    """The summary of the command line, in fields and words."""
    (root / "new.md").write_text("# New\n\nA wombat digs.\n", encoding="utf-8")
    (root / "cache.py").unlink()
    fields, text = run("index")
    assert (fields["filesProcessed"], fields["filesDeleted"]) == (1, 1)
    assert "filesProcessed 1" in text


def test_status_tells_what_is_indexed_and_how_fresh_it_is(run: RunTool) -> None:
    """A line per fact and per folder."""
    fields, text = run("status")
    assert (fields["documents"], fields["changedFiles"], fields["modelState"]) == (5, -1, "ready")
    assert "folder docs (" in text


def test_status_tells_of_a_run_of_another_process(run: RunTool, service: Service) -> None:
    """As the command line does; the lock tells that it is at work, wherever it is held."""
    assert run("status")[0]["running"] == ""
    with writer_lock(service.corpus.config.index_dir):
        fields, text = run("status")
    assert fields["running"] == f"writing (id {os.getpid()})"
    assert f"running: {fields['running']}" in text


_PLACES = [
    *(("search", name) for name in ("folders", "paths", "exclude", "languages", "since", "asOf")),
    ("cat_file", "filePath"),
    ("find_related", "filePath"),
    ("grep", "folder"),
    ("grep", "fileGlob"),
    ("index", "root"),
]


@pytest.mark.parametrize(("tool", "name"), _PLACES)
@pytest.mark.parametrize(
    "value",
    ["a" * 5000, "~nobody-of-that-name", "~nobody-of-that-name/x", "\ufffd", "[", "**" * 2000, "a\nb", "/" * 5000],
)
def test_odd_name_or_path_is_no_fault_of_ours(run: RunTool, tool: str, name: str, value: str) -> None:
    """It finds nothing, or the error says what is wrong with it."""
    needed: dict[str, dict[str, Any]] = {
        "search": {"query": "token"},
        "grep": {"pattern": "token"},
        "find_related": {"line": 1},
    }
    with suppress(GnomonError):
        fields, _ = run(tool, **{**needed.get(tool, {}), name: value})
        assert fields


_ODD_NAME = "new\nline\u202e.md"


@pytest.mark.parametrize(
    ("tool", "asked"), [("search", "query"), ("gather", "query"), ("search_notes", "query"), ("grep", "pattern")]
)
def test_path_in_readable_text_can_be_passed_on(
    service: Service, run: RunTool, root: Path, tool: str, asked: str
) -> None:
    """A name with a line end stays on its line, and cat_file takes it as it is read there."""
    (root / _ODD_NAME).write_text("# Quagga\n\nThe quagga grazes.\n", "utf-8")
    service.corpus.index()
    _, text = run(tool, **{asked: "quagga"})
    shown = r"new\nline\u202e.md"
    assert shown in text
    for path in (shown, f"{root}/{shown}"):
        fields, read = run("cat_file", filePath=path)
        assert fields["filePath"] == str(root / _ODD_NAME)
        assert read.startswith(f"{root}/{shown}:1-3 of 3 lines")
