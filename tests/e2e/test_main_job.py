"""The main job as processes: add a folder, index it, search it."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import pytest

from tests.e2e.conftest import Program, many_notes

pytestmark = [pytest.mark.model, pytest.mark.slow, pytest.mark.timeout(300)]

FILES = {
    "auth.md": "# Sign-in\n\n## Tokens\n\nThe client refreshes its access token five minutes before it expires.\n",
    "src/cache.py": (
        'class SessionCache:\n    """Keeps sessions in memory."""\n\n'
        "    def evict(self, key):\n        self.rows.pop(key)\n"
    ),
    "notes/baking.txt": "Let the dough rest overnight in the fridge, then bake it in a hot oven.\n",
}


@pytest.fixture
def docs(gnomon: Program) -> Path:
    """A folder with a handful of files, old enough not to be read twice."""
    root = gnomon.home / "docs"
    for name, text in FILES.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        os.utime(path, (time.time() - 60,) * 2)
    return root


@pytest.fixture
def indexed(gnomon: Program, docs: Path) -> Path:
    """The same folder, added and indexed."""
    gnomon("add", str(docs))
    gnomon("index")
    return docs


def _summary(output: str) -> dict[str, object]:
    summary: dict[str, object] = json.loads(output.strip().splitlines()[-1])
    return summary


def _hits(gnomon: Program, *arguments: str) -> list[dict[str, object]]:
    hits: list[dict[str, object]] = json.loads(gnomon("search", "--json", *arguments, code=None).stdout)
    return hits


def test_question_in_other_words_finds_the_file(gnomon: Program, indexed: Path) -> None:
    """Meaning finds what no word of the question names."""
    assert _hits(gnomon, "how long should bread rise before it goes in the stove")[0]["path"] == "notes/baking.txt"


def test_identifier_finds_its_definition(gnomon: Program, indexed: Path) -> None:
    """Words find a name in the code."""
    assert _hits(gnomon, "SessionCache")[0]["path"] == "src/cache.py"


def test_hit_carries_every_promised_field(gnomon: Program, indexed: Path) -> None:
    """The JSON of a hit has what scripts rely on."""
    hit = _hits(gnomon, "refresh the access token")[0]
    promised = "filePath folder startLine endLine offset text score cosine bm25 label stale"
    assert set(promised.split()) <= set(hit)
    assert hit["filePath"] == str(indexed / "auth.md")
    assert hit["stale"] is False
    text = Path(str(hit["filePath"])).read_text("utf-8")
    assert text[int(str(hit["offset"])) :].startswith(str(hit["text"]))


def test_changed_file_is_marked_stale(gnomon: Program, indexed: Path) -> None:
    """A hit says when its file is not what was indexed any more."""
    (indexed / "auth.md").write_text("# Something else\n", encoding="utf-8")
    assert _hits(gnomon, "refresh the access token")[0]["stale"] is True


def test_second_run_embeds_nothing(gnomon: Program, indexed: Path) -> None:
    """Without changes a run does nothing; touching every file embeds nothing."""
    assert _summary(gnomon("index").stdout)["filesProcessed"] == 0
    for path in indexed.rglob("*.*"):
        os.utime(path, (time.time() - 30,) * 2)
    summary = _summary(gnomon("index").stdout)
    assert (summary["filesProcessed"], summary["chunksEmbedded"]) == (0, 0)


def test_renamed_file_embeds_nothing(gnomon: Program, indexed: Path) -> None:
    """Vectors are found again by content."""
    (indexed / "auth.md").rename(indexed / "sign-in.md")
    summary = _summary(gnomon("index").stdout)
    assert (summary["filesProcessed"], summary["filesDeleted"], summary["chunksEmbedded"]) == (1, 1, 0)
    assert _hits(gnomon, "refresh the access token")[0]["path"] == "sign-in.md"


def test_removed_folder_is_no_longer_found(gnomon: Program, indexed: Path) -> None:
    """Its text goes at once."""
    gnomon("remove", "docs")
    assert _hits(gnomon, "refresh the access token") == []


def test_removed_folder_with_kept_index_is_still_found(gnomon: Program, indexed: Path) -> None:
    """``--keep-index`` says that the text stays searchable, and it does."""
    assert "stays searchable" in gnomon("remove", "docs", "--keep-index").stdout
    assert _hits(gnomon, "refresh the access token")


@pytest.mark.parametrize("query", ["", "   ", "?!…", "+ - \" * : ~ ( ) '", "x" * 5000, "NEAR(a b)", 'body:"x', "-"])
def test_no_query_is_an_error(gnomon: Program, indexed: Path, query: str) -> None:
    """Whatever is typed is text; at worst nothing is found."""
    done = gnomon("search", "--words-only", "--", query, code=None)
    assert done.returncode in {0, 1}, done.stderr


def test_altered_model_is_refused_and_words_still_answer(gnomon: Program, indexed: Path, tmp_path: Path) -> None:
    """A truncated model file is named with the way to mend it; search falls back to words and says so."""
    import shutil

    import gnomon as package

    copy = tmp_path / "copy"
    shutil.copytree(Path(package.__file__).parent, copy / "gnomon")
    model = next((copy / "gnomon" / "embed" / "data").glob("*.onnx"))
    model.write_bytes(model.read_bytes()[:1000])
    broken = Program(gnomon.home, {**gnomon.environment, "PYTHONPATH": str(copy)})
    refused = broken("index", code=2)
    assert "install" in refused.stderr
    found = broken("search", "--json", "access token")
    assert "words only" in found.stderr
    assert json.loads(found.stdout)[0]["path"] == "auth.md"


@pytest.mark.parametrize(
    ("prepare", "message"),
    [("missing", "no such folder"), ("file", "not a folder")],
)
def test_what_is_no_folder_is_a_clear_sentence(gnomon: Program, prepare: str, message: str) -> None:
    """A missing folder and a file instead of one are named, and nothing is changed."""
    target = gnomon.home / "target"
    if prepare == "file":
        target.write_text("x", encoding="utf-8")
    assert message in gnomon("add", str(target), code=2).stderr
    assert not (gnomon.home / "config").exists()


def test_search_before_the_first_index_names_the_next_step(gnomon: Program) -> None:
    """Nothing indexed is no empty result."""
    assert "gnomon index" in gnomon("search", "x", code=2).stderr


def test_closed_pipe_ends_quietly(gnomon: Program, indexed: Path) -> None:
    """``gnomon search … | head -0`` prints no traceback."""
    with gnomon.start("search", "token") as process:
        assert process.stdout
        assert process.stderr
        process.stdout.close()
        complaint = process.stderr.read()
    assert "Traceback" not in complaint


def test_nothing_is_left_in_the_home_but_settings_and_index(gnomon: Program) -> None:
    """The engine, left to itself, notes the machine in the user's home and would send that to its makers."""
    notes = many_notes(gnomon, 3)
    gnomon("index")
    gnomon("search", "what is the marker of the second note")
    kept = (notes, gnomon.home / "config", gnomon.home / "data")
    assert [path for path in gnomon.home.rglob("*") if path.is_file() and not any(map(path.is_relative_to, kept))] == []
