"""What the speed benchmarks search: passages of the running environment with random vectors, and questions to ask.

The search does the same work whatever the vectors say, so an index of any size is made in seconds.
"""

from __future__ import annotations

import ast
import hashlib
import json
import os
import sysconfig
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from gnomon.corpus import Corpus, parts

QUERIES = (
    "how are http headers parsed",
    "read a zip archive",
    "thread pool shutdown",
    "OrderedDict",
    "where is the default encoding decided",
    "parse ISO dates",
    "retry after connection reset",
    "cache of compiled regular expressions",
)


def roots() -> list[Path]:
    """The standard library and what is installed."""
    return [Path(sysconfig.get_path(name)) for name in ("stdlib", "purelib")]


def sources() -> Iterator[Path]:
    """Python files of the running environment, in order."""
    for root in roots():
        yield from sorted(root.rglob("*.py"))


def new_questions(count: int) -> list[str]:
    """First lines of docstrings: questions of real length, none of them twice."""
    found: dict[str, None] = {}
    for path in sorted(sources(), key=lambda path: path.name):
        try:
            tree = ast.parse(path.read_bytes())
        except (SyntaxError, ValueError):
            continue
        texts = [ast.get_docstring(node) for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.ClassDef)]
        lines = [text.splitlines()[0] for text in texts if text]
        found.update(dict.fromkeys([line for line in lines if 15 < len(line) < 70][:1]))
        if len(found) >= count:
            break
    return list(found)


def places(home: Path) -> dict[str, str]:
    """An environment with settings and index below a folder; byte code is kept, as it is for users."""
    environment = {**os.environ, "XDG_CONFIG_HOME": str(home / "c"), "XDG_DATA_HOME": str(home / "d")}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    return environment


def configure(home: Path, *folders: Path) -> Path:
    """Settings that search these folders and watch nothing."""
    file = home / "c" / "gnomon" / "config.json"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps({"defaultRoots": [str(root) for root in folders], "watch": False}), encoding="utf-8")
    return file


def open_filled(home: Path, count: int) -> tuple[Corpus, int]:
    """A corpus of about so many passages, and how many they are."""
    import numpy as np

    from gnomon.config import load_config
    from gnomon.discover import discover
    from gnomon.index.document import build
    from gnomon.store.base import DocumentWrite
    from gnomon.values import SourceFile

    os.environ.update({name: places(home)[name] for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME")})
    corpus = Corpus(load_config(configure(home, *roots())))
    steps = parts.index_steps(corpus.config, corpus.embedder, corpus.extractor, corpus.rules)
    rng = np.random.default_rng(0)
    made = 0
    with corpus.open_writable() as store:
        for folder in corpus.folders:
            for file in discover(folder, corpus.rules):
                if made >= count or not isinstance(file, SourceFile) or not file.path.endswith(".py"):
                    continue
                (write,) = build(folder, [file], steps=steps)
                if isinstance(write, DocumentWrite):
                    store.write([write])
                    made += len(write.chunks)
        while pending := store.pending(limit=4096):
            vectors = rng.standard_normal((len(pending), corpus.embedder.spec.dim), dtype=np.float32)
            vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
            store.put_vectors([key for key, _ in pending], vectors)
    return corpus, made


def fill_with_files(home: Path, count: int) -> None:
    """An index of so many files of one passage each, without vectors, as they are on disk; one in ten is skipped."""
    from gnomon.config import load_config
    from gnomon.store.base import DocumentWrite, SkipWrite
    from gnomon.values import Chunk, ChunkWords, Document, Skip, SkipReason, Span

    os.environ.update({name: places(home)[name] for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME")})
    (home / "files").mkdir()
    root = str(home / "files")
    with closing(Corpus(load_config(configure(home, home / "files")))) as corpus, corpus.open_writable() as store:
        for start in range(0, count, 1000):
            writes: list[DocumentWrite | SkipWrite] = []
            for number in range(start, min(start + 1000, count)):
                path = f"part{number // 200:03d}/module{number:06d}.py"
                if number % 10 == 0:
                    writes.append(SkipWrite(root, Skip(path, SkipReason.BINARY_CONTENT)))
                    continue
                text = f"def function_{number}(value):\n    return value + {number}\n"
                found, sha256 = _write(Path(root) / path, text)
                chunk = Chunk(0, Span(0, len(text)), 1, 2, text)
                words = ChunkWords((f"function{number}", "value"), (), (), ("part", "module"))
                times = found.st_mtime_ns, found.st_ctime_ns
                document = Document(root, path, len(text), *times, sha256, "code", "python", path)
                writes.append(DocumentWrite(document, [chunk], [words]))
            store.write(writes)


def _write(file: Path, text: str) -> tuple[os.stat_result, str]:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    return file.stat(), hashlib.sha256(text.encode()).hexdigest()
