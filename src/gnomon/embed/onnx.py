"""Models as ONNX graphs on the CPU: one text per run, so a vector never depends on its batch mates.

The graphs take ``input_ids`` (int64, shape (1, tokens)) and give ``embedding`` (float32, shape (1, dim), unit length).
Settings and their measurements: docs/decisions/0020-embedding-engine.md.
"""

from __future__ import annotations

import contextlib
import hashlib
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gnomon.config import prepare_environment
from gnomon.embed.cpu import int8_saturates, usable_cores
from gnomon.embed.models import ModelSpec
from gnomon.embed.tokens import TextTokenizer, load_tokenizer
from gnomon.errors import GnomonError, ModelError
from gnomon.figures import number

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

    import numpy as np
    from numpy.typing import NDArray

PACKAGE_FILES = Path(__file__).parent / "data"

# A text far above the window need not be read to its end; long words and white space are the reason for the slack.
_READ_CHARS_PER_TOKEN = 256

# Hashed at once: after each piece a thread waits up to 5 ms for the lock of Python.
_PIECE_BYTES = 8 << 20

_REINSTALL = "Install it again: pip install --force-reinstall --no-deps gnomon"


@dataclass(frozen=True, slots=True)
class ModelFiles:
    """Where a model's files are, and what to tell people when one is not as it should be.

    Attributes:
        graph: The ONNX file.
        tokenizer: The tokenizer's file; see ``tokens.load_tokenizer``.
        remedy: A sentence: how to get the files back.
        prepare: Makes the files if they are absent; called before the first use.
    """

    graph: Path
    tokenizer: Path
    remedy: str = _REINSTALL
    prepare: Callable[[], None] = lambda: None


def packaged_files(spec: ModelSpec) -> ModelFiles:
    """Where the files of a model that is part of the package are. Nothing is opened."""
    return ModelFiles(PACKAGE_FILES / spec.file, PACKAGE_FILES / spec.tokenizer_file)


class OnnxEmbedder:
    """Embeds with a local ONNX graph. Loads at first use; safe to share between threads."""

    def __init__(self, spec: ModelSpec, files: ModelFiles, *, threads: int = 0) -> None:
        self._spec = spec
        self._files = files
        self._threads = threads if threads > 0 else usable_cores()
        # Of session and pool; may be held while the other one is asked for, never the reverse.
        self._lock = threading.Lock()
        # Of making the files, and of the tokenizer, which is loaded while a session is under way.
        self._files_lock = threading.Lock()
        self._tokenizer: TextTokenizer | None = None
        self._session: Any = None
        self._pool: ThreadPoolExecutor | None = None

    @property
    def spec(self) -> ModelSpec:
        """See ``Embedder.spec``."""
        return self._spec

    @property
    def fingerprint(self) -> str:
        """See ``Embedder.fingerprint``; known without reading the files, because they are checked before use."""
        spec = self._spec
        shape = (spec.sha256, spec.tokenizer_sha256, spec.query_prefix, spec.passage_prefix, spec.window_tokens)
        return f"{spec.id}@{hashlib.sha256(repr(shape).encode()).hexdigest()[:16]}"

    def begin_loading(self) -> None:
        """See ``Embedder.begin_loading``.

        Checking the file and making the session leave Python's lock to others. Importing the engine does not, so the
        caller does that meanwhile: two threads that import take turns, and the session would begin later.
        """
        threading.Thread(target=self._try_to_load, name="gnomon-load").start()
        with contextlib.suppress(ImportError):
            _engine()

    def _try_to_load(self) -> None:
        with contextlib.suppress(GnomonError):  # whoever asks for a vector tries again and is told
            self._load_session()

    def token_starts(self, text: str) -> Sequence[int]:
        """See ``chunk.base.TokenCounter``."""
        return self._load_tokenizer().starts(text)

    def embed_passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """See ``Embedder.embed_passages``."""
        import numpy as np

        if not texts:
            return np.empty((0, self._spec.dim), np.float32)
        self._load_session()  # before the tokenizer: loading it takes the most memory for a moment
        # Longest first, so that no thread starts a long text when the others are done.
        order = sorted(range(len(texts)), key=lambda at: -len(texts[at]))
        vectors = np.empty((len(texts), self._spec.dim), np.float32)

        def embed(at: int) -> None:
            (ids,) = self._token_ids([self._spec.passage_prefix + texts[at]])
            vectors[at] = self._run(ids)

        if self._threads == 1 or len(texts) == 1:
            for at in order:
                embed(at)
        else:
            for _ in self._load_pool().map(embed, order):
                pass
        return vectors

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """See ``Embedder.embed_query``."""
        (ids,) = self._token_ids([self._spec.query_prefix + text])  # first: the session may be under way
        return self._run(ids)

    def close(self) -> None:
        """See ``Embedder.close``."""
        with self._lock, self._files_lock:
            pool, self._pool = self._pool, None
            self._tokenizer = self._session = None
        if pool is not None:
            pool.shutdown()

    def _token_ids(self, texts: list[str]) -> list[list[int]]:
        """Token ids with the model's markers, cut to its window."""
        window = self._spec.window_tokens
        limit = window * _READ_CHARS_PER_TOKEN
        rows = self._load_tokenizer().ids([text[:limit] for text in texts])
        return [cut_to_window(row, window) for row in rows]

    def _run(self, ids: list[int]) -> NDArray[np.float32]:
        import numpy as np

        session = self._load_session()
        try:
            (batch,) = session.run(["embedding"], {"input_ids": np.array([ids], np.int64)})
        except engine_errors() as error:
            raise ModelError(f"onnxruntime could not run {self._files.graph}: {error}") from error
        vector: NDArray[np.float32] = batch[0]
        return vector

    def _load_tokenizer(self) -> TextTokenizer:
        with self._files_lock:
            if self._tokenizer is None:
                self._files.prepare()
                path = self._files.tokenizer
                content = read_checked(path, self._spec.tokenizer_sha256, remedy=self._files.remedy)
                self._tokenizer = load_tokenizer(content, name=path.name)
            return self._tokenizer

    def _load_session(self) -> Any:
        with self._lock:
            if self._session is None:
                with self._files_lock:
                    self._files.prepare()
                check_file(self._files.graph, self._spec.sha256, remedy=self._files.remedy)
                self._session = open_session(self._files.graph)
            return self._session

    def _load_pool(self) -> ThreadPoolExecutor:
        with self._lock:
            if self._pool is None:
                from concurrent.futures import ThreadPoolExecutor

                self._pool = ThreadPoolExecutor(self._threads, thread_name_prefix="embed")
            return self._pool


def read_checked(path: Path, sha256: str, *, remedy: str) -> bytes:
    """The bytes of a file whose digest is as expected.

    Raises:
        ModelError: The file is absent, unreadable, truncated or altered.
    """
    check_file(path, sha256, remedy=remedy)
    return path.read_bytes()


def check_file(path: Path, sha256: str, *, remedy: str) -> None:
    """Compare a file's digest with the expected one, at 1.5 GB/s or more on CPUs with SHA instructions.

    Raises:
        ModelError: The file is absent, unreadable, truncated or altered; ends with the remedy.
    """
    digest = hashlib.sha256()
    try:
        with path.open("rb", buffering=0) as file:
            while piece := file.read(_PIECE_BYTES):
                digest.update(piece)
            size = file.tell()
    except FileNotFoundError as error:
        raise ModelError(f"model file {path} is missing. {remedy}") from error
    except OSError as error:
        raise ModelError(f"model file {path} cannot be read: {error.strerror}. {remedy}") from error
    found = digest.hexdigest()
    if found != sha256:
        raise ModelError(
            f"model file {path} is damaged or altered: {number(size, 'byte')}, "
            f"sha256 {found[:12]}… where {sha256[:12]}… was expected. {remedy}"
        )


def open_session(path: Path) -> Any:
    """An onnxruntime session that uses the calling thread only, so that a thread per text is a core per text.

    Raises:
        ModelError: This onnxruntime cannot load the graph.
    """
    engine = _engine()
    engine.set_default_logger_severity(4)  # standard error belongs to the program's own messages
    engine.disable_telemetry_events()
    options = engine.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.log_severity_level = 4
    if int8_saturates():
        options.add_session_config_entry("session.x64quantprecision", "1")
    try:
        return engine.InferenceSession(
            str(path),  # from bytes, loading would hold the file twice: 390 MB at the peak for 119, instead of 260
            options,
            providers=["CPUExecutionProvider"],
            disabled_optimizers=["SkipLayerNormFusion"],  # the fused kernel is slower than the two it replaces
        )
    except engine_errors() as error:
        version = engine.__version__
        raise ModelError(
            f"onnxruntime {version} cannot load {path}: {error}. Update it: pip install -U onnxruntime"
        ) from error


def _engine() -> Any:
    """The module onnxruntime, whose names are re-exported in a way that type checkers do not follow.

    numpy comes first: onnxruntime begins with an inner module of it, and of two threads that begin at different ends
    one can meet a half of it. Before either, the engine is told to keep to itself: it notes this machine in the user's
    home, and would send that, as soon as it is loaded.
    """
    prepare_environment()
    import numpy  # noqa: F401, ICN001
    import onnxruntime

    return onnxruntime


def engine_errors() -> tuple[type[Exception], ...]:
    """The exceptions of onnxruntime, which share no base class."""
    state = _engine().capi.onnxruntime_pybind11_state
    raised = (getattr(state, name) for name in dir(state))
    return tuple(item for item in raised if isinstance(item, type) and issubclass(item, Exception))


def cut_to_window(ids: list[int], window: int) -> list[int]:
    """Token ids of at most ``window``, the closing marker kept.

    >>> cut_to_window([101, 5, 6, 7, 102], 4)
    [101, 5, 6, 102]
    """
    return ids if len(ids) <= window else [*ids[: window - 1], ids[-1]]
