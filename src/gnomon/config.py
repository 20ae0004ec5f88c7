"""Settings and places: one validated value from a settings file, the environment and the defaults.

The only reader of environment variables and settings files. Environment wins over the file, the file over defaults;
each key stands in one table (``KEYS``) with its default and its check, which the reference page is generated from.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gnomon.errors import ConfigError, FolderError, GnomonError

if TYPE_CHECKING:
    from gnomon.values import Folder

_MAX_BOOST = 1_000
_MAX_SHOWN_CHARS = 200
_MAX_SETTINGS_BYTES = 1_000_000
_MAX_PROSE_BYTES = 5_000_000  # docs/decisions/0060
PROJECT_CONFIG = Path(".rag") / "config.json"
_ENVIRONMENT = {
    "config": ("GNOMON_CONFIG_PATH", "SS_CONFIG_PATH"),
    "index": ("GNOMON_INDEX_DIR", "SS_INDEX_DIR"),
    "models": ("GNOMON_MODEL_CACHE_DIR", "SS_MODEL_CACHE_DIR"),
    "store": ("GNOMON_STORE_BACKEND", "SS_STORE_BACKEND"),
}


@dataclass(frozen=True, slots=True)
class Key:
    """One key of the settings file.

    Attributes:
        default: Value where neither file nor environment sets it.
        check: Returns the value to use, or raises ValueError with what is expected.
        meaning: One sentence for the reference page.
    """

    default: Any
    check: Callable[[Any], Any]
    meaning: str


def _integer(low: int, high: int = 2**31) -> Callable[[Any], int]:
    def check(value: Any) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            raise ValueError(f"a whole number from {low} to {high}")
        return value

    return check


def _number(low: float, high: float) -> Callable[[Any], float | None]:
    def check(value: Any) -> float | None:
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not low <= value <= high:
            raise ValueError(f"a number from {low} to {high}")
        return float(value)

    return check


def _boolean(value: Any) -> bool:
    if not isinstance(value, bool):
        raise ValueError("true or false")  # noqa: TRY004 - one kind of failure for all checks
    return value


def _string(value: Any) -> str:
    if not isinstance(value, str) or "\0" in value:  # no name and no address holds a NUL
        raise ValueError("a string without NUL characters" if isinstance(value, str) else "a string")
    return value


def _strings(value: Any) -> tuple[str, ...]:
    given = [value] if isinstance(value, str) else value
    if not isinstance(given, list) or not all(isinstance(v, str) and "\0" not in v for v in given):
        raise ValueError("a list of strings, without NUL characters")
    return tuple(given)


def _statuses(value: Any) -> tuple[str, ...]:
    from gnomon.values import Status  # as in ``name_folders``

    names = [str(status) for status in Status]
    given = [value] if isinstance(value, str) else value
    if not isinstance(given, list) or any(each not in names for each in given):
        raise ValueError("a list of " + ", ".join(f'"{name}"' for name in names))
    return tuple(given)


def _boosts(value: Any) -> tuple[tuple[str, float], ...]:
    factors = value.values() if isinstance(value, dict) else [None]
    if not all(isinstance(v, (int, float)) and not isinstance(v, bool) and 0 < v <= _MAX_BOOST for v in factors):
        raise ValueError(
            f'an object of path fragments and factors above 0, {_MAX_BOOST} at most, such as {{"reference/": 1.15}}'
        )
    return tuple((str(k), float(v)) for k, v in value.items())


def _one_of(*choices: str) -> Callable[[Any], str]:
    def check(value: Any) -> str:
        if value not in choices:
            raise ValueError("one of " + ", ".join(f'"{c}"' for c in choices))
        return str(value)

    return check


def _object(value: Any) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise ValueError("an object")  # noqa: TRY004 - one kind of failure for all checks
    return value


KEYS: dict[str, Key] = {
    "defaultRoots": Key((), _strings, "Folders that are searched; `defaultRoot` (one string) is read too."),
    "vaultPath": Key("", _string, "Project folder, relative to the settings file; its documents are searched."),
    "include": Key((), _strings, "Globs or folders inside `vaultPath` to keep to; empty means all."),
    "indexPath": Key(
        "",
        _string,
        "Index file or folder, relative to the settings file; for lancedb also a bucket (`s3://BUCKET/PREFIX`), for "
        "postgres `postgres:CORPUS` or `postgres:CORPUS?service=NAME`.",
    ),
    "storeBackend": Key(
        "sqlite", _one_of("sqlite", "lancedb", "postgres"), "Where the index is kept; see docs/stores.md."
    ),
    "modelName": Key("", _string, "Embedding model; empty means the default that is part of the install."),
    "embedModel": Key("", _string, "The same as `modelName`, under the other predecessor's name."),
    "embedUrl": Key("", _string, "Address of an Ollama or OpenAI-compatible server; empty means its usual port."),
    "embedApi": Key("", _one_of("", "onnx", "ollama", "openai"), "Which API a model not in the registry speaks."),
    "allowRemote": Key(default=False, check=_boolean, meaning="Let embeddings be computed on another host."),
    "modelDtype": Key("q8", _string, "Kept for the predecessor's files; the model row decides."),
    "embedBatchSize": Key(16, _integer(1, 4096), "Texts sent to an embedding server at once."),
    "chunk": Key({}, _object, "`targetTokens` 200, `overlapTokens` 35, `hardTokenLimit` 254: size of passages."),
    "defaultTopK": Key(5, _integer(1, 1000), "Hits returned when `-k` is not given."),
    "searchPoolMultiplier": Key(5, _integer(1, 1000), "Candidates per arm for each hit asked for."),
    "searchPoolMin": Key(20, _integer(1, 10_000), "Candidates per arm at least."),
    "lexicalBoostWeight": Key(0.12, _number(0, 10), "Boost of literal matches inside the vectors arm (plain fusion)."),
    "hybridSearch": Key(default=True, check=_boolean, meaning="Use the words arm too; false means vectors alone."),
    "fusion": Key("convex", _one_of("convex", "rrf"), "How the arms are joined: with the ranking layer, or plain RRF."),
    "rrfK": Key(60, _integer(1, 10_000), "Damping of reciprocal rank fusion."),
    "perFile": Key(3, _integer(1, 1000), "Passages of one file in an answer at most."),
    "ranking": Key(
        "", _one_of("", "hybrid", "grounded"), "Policy; empty means grounded with `vaultPath`, else hybrid."
    ),
    "binaryExtensions": Key(None, lambda v: None if v is None else _strings(v), "Replaces the built-in list."),
    "maxFileSizeBytes": Key(500_000, _integer(1, 2**40), "Larger text files are skipped."),
    "maxProseBytes": Key(
        None,
        lambda v: None if v is None else _integer(1, 2**40)(v),
        "The same for prose (Markdown, plain text, HTML …); null: 5,000,000, or `maxFileSizeBytes` where that is set.",
    ),
    "maxDocumentBytes": Key(50_000_000, _integer(1, 2**40), "Larger PDF, DOCX and the like are skipped."),
    "defaultIgnorePatterns": Key(None, lambda v: None if v is None else _strings(v), "Replaces the built-in list."),
    "ignoreFile": Key(".indexignore", _string, "Name of the ignore file in a folder and beside the settings file."),
    "concurrency": Key(4, _integer(1, 256), "Files read at the same time."),
    "threads": Key(0, _integer(0, 256), "Threads that embed; 0 means one per core."),
    "serverName": Key("", _string, "Name of the MCP server."),
    "toolDescription": Key("", _string, "What is in this corpus; the model reads it to decide whether to search."),
    "defaultExclude": Key(("archive", "plans"), _strings, "Path fragments the grounded policy skips on every query."),
    "minScore": Key(None, _number(-1, 1), "Cosine threshold of the grounded policy; null means the model's own."),
    "relativeCutoff": Key(None, _number(0, 1), "Share of the best score that a hit must have; null: the model's own."),
    "lexicalMaxDocFreq": Key(0.01, _number(0, 1), "Share of passages up to which a word counts as rare."),
    "pathBoosts": Key((), _boosts, "Path fragments and factors; they order grounded hits, never judge them."),
    "minConfidence": Key(None, _number(0, 1), "Hits below this calibrated confidence are refused; null means none."),
    "hiddenStatuses": Key(
        ("superseded", "archived"), _statuses, "Statuses that hide a document unless all is asked for."
    ),
    "allowedSecrets": Key((), _strings, "Secret-like strings that are kept as they are."),
    "watch": Key(default=True, check=_boolean, meaning="Let the server pick up changed files by itself."),
    "allowIndexRoots": Key((), _strings, "Folders outside the configured ones that the server may index when asked."),
}


@dataclass(frozen=True, slots=True)
class Config:
    """All settings, validated.

    Attributes:
        file: The settings file, existing or not.
        values: Every key of ``KEYS`` with its value in force.
        folders: Folders to search, in order, names unique.
        index_dir: Folder that holds the index.
        model_dir: Folder for models built on this machine.
        project_root: Root of the project whose ``.rag/config.json`` this is, or None for the user's own settings.
    """

    file: Path
    values: Mapping[str, Any]
    folders: tuple[Folder, ...]
    index_dir: Path
    model_dir: Path
    project_root: Path | None = None
    missing: tuple[Path, ...] = field(default=())

    def __getitem__(self, key: str) -> Any:
        """The value in force of a key of ``KEYS``."""
        return self.values[key]

    @property
    def model_name(self) -> str:
        """Model asked for, "" for the default."""
        return str(self.values["embedModel"] or self.values["modelName"])

    @property
    def ranking(self) -> str:
        """The policy in force: "hybrid" or "grounded"."""
        return str(self.values["ranking"]) or ("grounded" if self.values["vaultPath"] else "hybrid")


def user_config_file() -> Path:
    """Where the user's own settings are, unless the environment names another file."""
    return _base_dir("XDG_CONFIG_HOME", ".config") / "gnomon" / "config.json"


def data_dir() -> Path:
    """Where the index and built models are kept, unless the environment or the settings say otherwise."""
    return _base_dir("XDG_DATA_HOME", ".local/share") / "gnomon"


def working_dir() -> Path:
    """The working directory, the root where it was removed under us."""
    try:
        return Path.cwd()
    except FileNotFoundError:
        return Path(os.sep)


def environment(name: str) -> str:
    """One variable of the environment, "" where unset."""
    return os.environ.get(name, "")


def prepare_environment() -> None:
    """Keep the numeric library from starting a thread pool of its own: it would only slow a start (measured 40 ms)."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def _base_dir(variable: str, fallback: str) -> Path:
    # The XDG specification has relative values ignored.
    value = os.environ.get(variable, "")
    return Path(value) if Path(value).is_absolute() else Path.home() / fallback


def _from_environment(what: str) -> str:
    return next((os.environ[name] for name in _ENVIRONMENT[what] if os.environ.get(name)), "")


def find_config(explicit: str | None = None, *, walk: bool = True) -> Path:
    """The settings file that governs this call; it need not exist.

    Args:
        explicit: What ``--config`` says. A relative path is looked for under ``CLAUDE_PROJECT_DIR``, then from the
            working directory upwards, and else taken from the working directory.
        walk: Whether a project's ``.rag/config.json`` above the working directory is looked for.
    """
    if explicit:
        return _find_explicit(Path(explicit).expanduser())
    if named := _from_environment("config"):
        return Path(named).expanduser().absolute()
    if walk and (found := _upwards(PROJECT_CONFIG)):
        return found
    return user_config_file()


def _find_explicit(path: Path) -> Path:
    if path.is_absolute():
        return path
    if project := os.environ.get("CLAUDE_PROJECT_DIR"):
        return Path(project) / path
    return _upwards(path) or working_dir() / path


def _upwards(path: Path) -> Path | None:
    here = working_dir()
    return next((up / path for up in (here, *here.parents) if (up / path).is_file()), None)


def load_config(file: Path) -> Config:
    """Read and validate a settings file; an absent one means the defaults.

    Raises:
        ConfigError: Not readable, not JSON (line and column named), or a key with a value that makes no sense.
    """
    values = load_values(file)
    roots = named_roots(file, values)
    return Config(
        file=file,
        values=values,
        folders=name_folders([root for root in roots if root.is_dir()]),
        missing=tuple(root for root in roots if not root.is_dir()),
        index_dir=_index_dir(file, values["indexPath"]),
        model_dir=Path(_from_environment("models") or data_dir() / "models"),
        project_root=file.parent.parent if file.parts[-2:] == PROJECT_CONFIG.parts else None,
    )


def load_values(file: Path) -> dict[str, Any]:
    """Every key of ``KEYS`` with its value in force, without a look at the folders: all that a hook has time for.

    Raises:
        ConfigError: As ``load_config``.
    """
    raw = read_raw(file)
    values = {name: _checked(file, raw, name, key) for name, key in KEYS.items()}
    if not values["defaultRoots"] and "defaultRoot" in raw:
        values["defaultRoots"] = _checked(file, raw, "defaultRoot", KEYS["defaultRoots"])
    if store := _from_environment("store"):
        values["storeBackend"] = _checked(file, {"storeBackend": store}, "storeBackend", KEYS["storeBackend"])
    values["chunk"] = _checked_chunk(file, values["chunk"])
    if values["maxProseBytes"] is None:
        # Whoever set the predecessor's one limit means it for every text.
        values["maxProseBytes"] = values["maxFileSizeBytes"] if "maxFileSizeBytes" in raw else _MAX_PROSE_BYTES
    return values


def named_roots(file: Path, values: Mapping[str, Any]) -> list[Path]:
    """The folders that settings name, as absolute real paths, existing or not.

    Raises:
        ConfigError: A text that cannot be a path.
    """
    return [_resolve(file, root) for root in (*values["defaultRoots"], values["vaultPath"]) if root]


def read_raw(file: Path) -> dict[str, Any]:
    """The settings file as JSON, {} where it does not exist; unknown keys included.

    Raises:
        ConfigError: Not readable or no JSON object; line and column are named.
    """
    try:
        if file.exists() and not (file.is_file() and file.stat().st_size <= _MAX_SETTINGS_BYTES):
            raise ConfigError(f"{file} is no settings file: a regular file of at most {_MAX_SETTINGS_BYTES:,} bytes")
        text = file.read_text("utf-8-sig")
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError) as e:
        raise ConfigError(f"cannot read the settings file {file}: {e}") from e
    try:
        raw = json.loads(text) if text.strip() else {}
    except json.JSONDecodeError as e:
        raise ConfigError(f"{file}, line {e.lineno}, column {e.colno}: {e.msg}; mend it or move it away") from e
    except (ValueError, RecursionError) as e:
        raise ConfigError(f"{file} cannot be read as settings: {e}; mend it or move it away") from e
    if not isinstance(raw, dict):
        raise ConfigError(f'{file}: a settings file is a JSON object, such as {{"defaultRoots": []}}')
    return raw


@contextmanager
def settings_lock(file: Path) -> Iterator[None]:
    """Keep others from changing a settings file between reading and writing it.

    Raises:
        ConfigError: The place cannot be written, or somebody held it for half a minute.
    """
    import filelock

    target = file.resolve()
    lock = filelock.FileLock(target.parent / f".{target.name}.lock", timeout=30)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        lock.acquire()
    except filelock.Timeout as e:
        raise ConfigError(f"another process is changing the settings file {file}; try again") from e
    except OSError as e:
        raise _unwritable(file, e) from e
    try:
        yield
    finally:
        lock.release()


def write_raw(file: Path, raw: Mapping[str, Any]) -> None:
    """Replace the settings file in one step; a link to it stays a link.

    Raises:
        ConfigError: The place cannot be written.
    """
    with replacing_raw(file, raw):
        pass


@contextmanager
def replacing_raw(file: Path, raw: Mapping[str, Any]) -> Iterator[None]:
    """Replace the settings file after what is done inside, which starts only when all but the last step has worked.

    Raises:
        ConfigError: The place cannot be written.
    """
    target = file.resolve()
    new = _write_beside(file, target, raw)
    try:
        yield
        new.replace(target)
    except BaseException as e:
        with suppress(OSError):
            new.unlink(missing_ok=True)
        if isinstance(e, OSError) and not isinstance(e, GnomonError):
            raise _unwritable(file, e) from e
        raise


def _write_beside(file: Path, target: Path, raw: Mapping[str, Any]) -> Path:
    import tempfile

    try:
        text = json.dumps(raw, indent=2, ensure_ascii=False) + "\n"
    except RecursionError as e:
        raise ConfigError(f"{file} is nested too deeply to be written again; mend it or move it away") from e
    name = ""
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
        with os.fdopen(handle, "w", encoding="utf-8") as out:
            out.write(text)
            out.flush()
            os.fsync(out.fileno())
        if target.exists():
            Path(name).chmod(target.stat().st_mode & 0o777)
    except OSError as e:
        if name:
            Path(name).unlink(missing_ok=True)
        raise _unwritable(file, e) from e
    return Path(name)


def _unwritable(file: Path, error: OSError) -> ConfigError:
    return ConfigError(f"cannot write the settings file {file}: {error.strerror or error}")


def name_folders(roots: Sequence[Path]) -> tuple[Folder, ...]:
    """Folders with unique short names: the last part of the path, with its parents added where two are alike."""
    from gnomon.values import Folder  # a third of this module's import time, and the hook can do without

    unique = list(dict.fromkeys(root.resolve() for root in roots))
    names = [root.name or str(root) for root in unique]
    for depth in range(2, 64):
        doubles = {n for n in names if names.count(n) > 1}
        if not doubles:
            break
        names = ["/".join(r.parts[-depth:]) if n in doubles else n for n, r in zip(names, unique, strict=True)]
    return tuple(Folder(name, root) for name, root in zip(names, unique, strict=True))


def real_folder(path: str) -> Path:
    """The absolute real path of a folder the user named.

    Raises:
        FolderError: Missing, not a folder, or not readable.
    """
    if not path.strip():
        raise FolderError("no folder given: the name is empty")
    given = Path(path).expanduser()
    if not given.exists():
        raise FolderError(f"no such folder: {path}")
    if not given.is_dir():
        raise FolderError(f"not a folder: {path} (name the folder that holds it)")
    if not os.access(given, os.R_OK | os.X_OK):
        raise FolderError(f"folder cannot be read: {path} (check its permissions)")
    return given.resolve()


def _resolve(file: Path, path: str) -> Path:
    try:
        return (file.parent / Path(path).expanduser()).resolve()
    except (RuntimeError, ValueError) as e:  # the home of nobody, a NUL byte
        raise ConfigError(f"{file}: {json.dumps(path)} cannot be a path: {e}") from e


def is_local(index_path: str) -> bool:
    """Whether an ``indexPath`` is a path of this machine: neither of a bucket nor a corpus of a database."""
    return "://" not in index_path and not index_path.startswith("postgres:")


def index_place(file: Path, index_path: str) -> Path:
    """The folder of the index as a settings file alone has it, whatever the environment says.

    Where the index itself is elsewhere, the folder still holds its locks and its journal.
    """
    if index_path and is_local(index_path):
        place = _resolve(file, index_path)
        return place.parent / f"{place.stem}.gnomon" if place.suffix in {".db", ".sqlite"} else place
    if file.parts[-2:] == PROJECT_CONFIG.parts:
        return file.parent / "index"
    return data_dir() / "index"


def _index_dir(file: Path, index_path: str) -> Path:
    if named := _from_environment("index"):
        return Path(named).expanduser().absolute()
    return index_place(file, index_path)


def _checked(file: Path, raw: Mapping[str, Any], name: str, key: Key) -> Any:
    if name not in raw:
        return key.default
    try:
        return key.check(raw[name])
    except ValueError as e:
        raise ConfigError(f"{file}: {name} is {_shown(raw[name])}, but it must be {e}") from e


def _shown(value: Any) -> str:
    try:
        text = json.dumps(value)
    except RecursionError:
        return "nested too deeply"
    return text if len(text) <= _MAX_SHOWN_CHARS else f"{text[:_MAX_SHOWN_CHARS]}…"


def _checked_chunk(file: Path, given: Mapping[str, Any]) -> dict[str, int]:
    limits = {"targetTokens": 200, "overlapTokens": 35, "hardTokenLimit": 254}
    lowest = {"targetTokens": 16, "overlapTokens": 0, "hardTokenLimit": 32}
    chunk = {
        name: _checked(file, given, name, Key(d, _integer(lowest[name], 100_000), "")) for name, d in limits.items()
    }
    if not chunk["overlapTokens"] < chunk["targetTokens"] <= chunk["hardTokenLimit"]:
        raise ConfigError(f"{file}: chunk needs overlapTokens < targetTokens <= hardTokenLimit, but has {chunk}")
    return chunk
