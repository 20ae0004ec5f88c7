"""The local engine: files are checked before use, and nothing but a ModelError comes out of it."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from gnomon.embed import DEFAULT_MODEL, MODELS, EmbedderOptions, onnx, open_embedder
from gnomon.embed.onnx import (
    ModelFiles,
    OnnxEmbedder,
    cut_to_window,
    engine_errors,
    open_session,
    packaged_files,
)
from gnomon.errors import ModelError

SPEC = MODELS[DEFAULT_MODEL]
FILES = packaged_files(SPEC)


def test_opening_reads_no_file(tmp_path: Path) -> None:
    """An embedder for files that do not exist can be made and described."""
    embedder = OnnxEmbedder(SPEC, ModelFiles(tmp_path / "no.onnx", tmp_path / "no.json"))
    assert embedder.spec is SPEC
    assert embedder.fingerprint.startswith("all-MiniLM-L6-v2@")


@pytest.mark.parametrize("damage", ["missing", "truncated", "altered", "folder"])
def test_damaged_graph_is_refused_with_the_way_to_mend_it(tmp_path: Path, damage: str) -> None:
    """The message names the file and the command, whatever is wrong with it."""
    graph = tmp_path / "model.onnx"
    if damage == "truncated":
        graph.write_bytes(FILES.graph.read_bytes()[:1000])
    elif damage == "altered":
        graph.write_bytes(b"\x01" + FILES.graph.read_bytes()[1:])
    elif damage == "folder":
        graph.mkdir()
    embedder = OnnxEmbedder(SPEC, replace(FILES, graph=graph))
    with pytest.raises(ModelError, match=r"model\.onnx.*pip install --force-reinstall"):
        embedder.embed_query("x")


def test_damage_found_while_loading_ahead_is_told_to_who_asks(tmp_path: Path) -> None:
    """To begin is a hint and fails in silence; the question after it is told what is wrong."""
    graph = tmp_path / "model.onnx"
    graph.write_bytes(b"\x01" + FILES.graph.read_bytes()[1:])
    embedder = OnnxEmbedder(SPEC, replace(FILES, graph=graph))
    embedder.begin_loading()
    with pytest.raises(ModelError, match="damaged or altered"):
        embedder.embed_query("x")


def test_damaged_tokenizer_is_refused(tmp_path: Path) -> None:
    """A tokenizer of another model would give nonsense, so its digest counts too."""
    tokenizer = tmp_path / "tokenizer.json"
    tokenizer.write_text("{}", encoding="utf-8")
    embedder = OnnxEmbedder(SPEC, replace(FILES, tokenizer=tokenizer))
    with pytest.raises(ModelError, match=r"tokenizer\.json is damaged or altered: 2 bytes"):
        embedder.token_starts("x")


def test_graph_the_engine_cannot_load_is_a_model_error(tmp_path: Path) -> None:
    """An old onnxruntime fails with a sentence, not a stack of C++ calls."""
    graph = tmp_path / "model.onnx"
    graph.write_bytes(b"not a graph")
    with pytest.raises(ModelError, match=r"onnxruntime .* cannot load .*pip install -U onnxruntime"):
        open_session(graph)


def test_every_exception_of_the_engine_is_mapped() -> None:
    """The classes share no base, so a new one must be found by looking."""
    names = {error.__name__ for error in engine_errors()}
    assert {"Fail", "InvalidArgument", "InvalidProtobuf", "RuntimeException", "NotImplemented"} <= names


@pytest.mark.parametrize(
    "change",
    [{"sha256": "0" * 64}, {"tokenizer_sha256": "0" * 64}, {"query_prefix": "query: "}, {"window_tokens": 128}],
    ids=lambda change: next(iter(change)),
)
def test_fingerprint_changes_with_all_that_shapes_a_vector(change: dict[str, str]) -> None:
    """Vectors of another file, prefix or window are never taken for the same."""
    other = OnnxEmbedder(replace(SPEC, **change), FILES)  # type: ignore[arg-type]
    assert other.fingerprint != OnnxEmbedder(SPEC, FILES).fingerprint


def test_long_input_keeps_its_closing_marker() -> None:
    """Cutting takes from the text, not from the model's markers."""
    assert cut_to_window([101, *range(300), 102], 256) == [101, *range(254), 102]


def test_packaged_files_are_those_of_the_row() -> None:
    """What is shipped is what was measured."""
    assert hashlib.sha256(FILES.graph.read_bytes()).hexdigest() == SPEC.sha256
    assert hashlib.sha256(FILES.tokenizer.read_bytes()).hexdigest() == SPEC.tokenizer_sha256
    assert FILES.graph.stat().st_size == SPEC.size_bytes


def test_importing_the_step_imports_no_engine() -> None:
    """``import gnomon.embed`` stays cheap: numpy and the engines come with the first embedder."""
    heavy = ("numpy", "onnxruntime", "tokenizers", "http")
    code = f"import sys, gnomon.embed; print([name for name in {heavy} if name in sys.modules])"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8", check=True).stdout
    assert out.strip() == "[]"


@pytest.mark.model
def test_text_above_the_window_is_embedded_by_its_beginning() -> None:
    """What is past the window does not change the vector, and a megabyte is no different from a page."""
    embedder = open_embedder(EmbedderOptions(threads=1))
    page = embedder.embed_query("alpha beta " * 200)
    assert (embedder.embed_query("alpha beta " * 100_000) == page).all()


@pytest.mark.model
def test_model_that_loads_ahead_is_loaded_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The question waits for the session under way, and its vector is the same."""
    made: list[Path] = []

    def counted(path: Path) -> Any:
        made.append(path)
        return open_session(path)

    monkeypatch.setattr(onnx, "open_session", counted)
    embedder = OnnxEmbedder(SPEC, FILES)
    embedder.begin_loading()
    vector = embedder.embed_query("how are wheels cached")
    assert made == [FILES.graph]
    assert (vector == open_embedder().embed_query("how are wheels cached")).all()


@pytest.mark.model
def test_numpy_is_imported_before_the_engine_that_needs_it() -> None:
    """Threads that import them from different ends have met a half of numpy, once in some hundred starts."""
    code = """
import sys
from gnomon.embed import open_embedder
class Finder:
    @staticmethod
    def find_spec(name, path, target=None):
        if name in ("numpy", "onnxruntime"):
            print(name)
sys.meta_path.insert(0, Finder)
open_embedder().begin_loading()
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8", check=True)
    assert done.stdout.split() == ["numpy", "onnxruntime"]


@pytest.mark.model
def test_tokens_of_a_large_text_are_those_of_its_lines() -> None:
    """Texts above a slice are tokenized in slices, with offsets into the whole."""
    embedder = open_embedder()
    line = "def refresh(self, token): return self.store[token]  # caf\u00e9\n"
    starts = embedder.token_starts(line * 3000)
    per_line = list(embedder.token_starts(line))
    assert len(starts) == 3000 * len(per_line)
    assert list(starts[-len(per_line) :]) == [2999 * len(line) + start for start in per_line]


@pytest.mark.model
def test_engine_says_nothing_on_either_stream() -> None:
    """Standard output belongs to the protocol and standard error to the program."""
    code = "from gnomon.embed import open_embedder; open_embedder().embed_query('x')"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8", check=True)
    assert (done.stdout, done.stderr) == ("", "")
