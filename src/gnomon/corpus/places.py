"""Where the index of some settings is, for each backend."""

from __future__ import annotations

from pathlib import Path

from gnomon.config import Config, is_local
from gnomon.config.paths import expanded, real
from gnomon.values import Folder

INDEX_FILE = "gnomon.db"
_INDEX_FOLDER = "gnomon.lance"


def index_place(config: Config, backend: str) -> Path | str:
    """What ``gnomon.store.open_store`` takes: a file, a folder, an address of a bucket, or a corpus of a database."""
    named = str(config["indexPath"])
    if backend == "sqlite":
        return config.index_dir / INDEX_FILE
    if backend == "lancedb":
        return named if "://" in named else config.index_dir / _INDEX_FOLDER
    return named if not is_local(named) and "://" not in named else f"postgres:{_corpus_name(config)}"


def shown_place(config: Config) -> Path | str:
    """Where people look for the index in force."""
    backend = str(config["storeBackend"])
    return config.index_dir if backend == "sqlite" else index_place(config, backend)


def real_place(name: str) -> Path | None:
    """The place on disk that a name is read as; None where there can be none such (NUL)."""
    try:
        return real(expanded(name))
    except (OSError, ValueError):
        return None


def is_meant(folder: Folder, name: str) -> bool:
    """Whether a folder is called so: by its name or its path, as they are or as they are shown."""
    from gnomon.discover.confinement import on_a_line

    if not name.strip():
        return False
    spellings = {folder.name, on_a_line(folder.name), on_a_line(str(folder.root))}
    return name in spellings or real_place(name) == folder.root


def _corpus_name(config: Config) -> str:
    """A corpus of a project's own; "default" for the user's own settings."""
    if config.project_root is None:
        return "default"
    import hashlib  # 5 ms that the default backend does without
    import re

    mark = hashlib.blake2b(str(config.project_root).encode("utf-8", "surrogatepass"), digest_size=4).hexdigest()
    name = re.sub("[^a-z0-9]+", "_", config.project_root.name.lower()).strip("_")
    return f"p_{name[:30]}_{mark}"
