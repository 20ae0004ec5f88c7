"""The keys of a settings file: each with its default, its check and its meaning, in one table."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gnomon.errors import ConfigError

_MAX_BOOST = 1_000
_MAX_SHOWN_CHARS = 200


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
    from gnomon.values import Status  # as in ``config.name_folders``

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
        "sqlite",
        _one_of("sqlite", "lancedb", "postgres"),
        "`sqlite`, `lancedb` or `postgres`: where the index is kept; see docs/stores.md.",
    ),
    "modelName": Key("", _string, "Embedding model; empty means the default that is part of the install."),
    "embedModel": Key("", _string, "The same as `modelName`, under the other predecessor's name."),
    "embedUrl": Key("", _string, "Address of an Ollama or OpenAI-compatible server; empty means its usual port."),
    "embedApi": Key(
        "",
        _one_of("", "onnx", "ollama", "openai"),
        "`ollama` or `openai`: what the server of a model speaks; empty means what the model is known for.",
    ),
    "allowRemote": Key(default=False, check=_boolean, meaning="Let embeddings be computed on another host."),
    "modelDtype": Key("q8", _string, "Kept for the predecessor's files; the model row decides."),
    "embedBatchSize": Key(16, _integer(1, 4096), "Texts sent to an embedding server at once."),
    "chunk": Key({}, _object, "`targetTokens` 200, `overlapTokens` 35, `hardTokenLimit` 254: size of passages."),
    "defaultTopK": Key(5, _integer(1, 1000), "Hits returned when `-k` is not given."),
    "searchPoolMultiplier": Key(
        5,
        _integer(1, 1000),
        "Candidates per arm for each hit asked for; with the fusion `convex` only where fewer give too few hits.",
    ),
    "searchPoolMin": Key(20, _integer(1, 10_000), "Candidates per arm at least; 75 or more with the fusion `convex`."),
    "lexicalBoostWeight": Key(0.12, _number(0, 10), "Boost of literal matches inside the vectors arm (plain fusion)."),
    "hybridSearch": Key(default=True, check=_boolean, meaning="Use the words arm too; false means vectors alone."),
    "fusion": Key(
        "convex",
        _one_of("convex", "rrf"),
        "How both arms are joined: `convex`, with the ranking layer, or `rrf`, by ranks alone.",
    ),
    "rrfK": Key(60, _integer(1, 10_000), "Damping of reciprocal rank fusion."),
    "perFile": Key(3, _integer(1, 1000), "Passages of one file in an answer at most."),
    "ranking": Key(
        "",
        _one_of("", "hybrid", "grounded"),
        "`hybrid` or `grounded`; empty means grounded with `vaultPath`, else hybrid.",
    ),
    "binaryExtensions": Key(
        None,
        lambda v: None if v is None else _strings(v),
        "Endings of files that are skipped as binary; null means the built-in list.",
    ),
    "maxFileSizeBytes": Key(500_000, _integer(1, 2**40), "Larger text files are skipped."),
    "maxProseBytes": Key(
        None,
        lambda v: None if v is None else _integer(1, 2**40)(v),
        "The same for prose (Markdown, plain text, HTML …); null: 5,000,000, or `maxFileSizeBytes` where that is set.",
    ),
    "maxDocumentBytes": Key(50_000_000, _integer(1, 2**40), "Larger PDF, DOCX and the like are skipped."),
    "defaultIgnorePatterns": Key(
        None,
        lambda v: None if v is None else _strings(v),
        "What is left out where there is no git, in gitignore syntax; null means the built-in list.",
    ),
    "ignoreFile": Key(".indexignore", _string, "Name of the ignore file in a folder and beside the settings file."),
    "concurrency": Key(4, _integer(1, 256), "Files read at the same time at most: where reading is mostly waiting."),
    "threads": Key(
        0, _integer(0, 256), "Threads that embed and, of many files, processes that read; 0 means one per core."
    ),
    "serverName": Key("", _string, "Name of the MCP server."),
    "toolDescription": Key("", _string, "What is in this corpus; the model reads it to decide whether to search."),
    "defaultExclude": Key(
        ("archive", "plans"),
        _strings,
        "Whole words of paths, in any case, that the grounded policy skips on every query; `--all` lifts it.",
    ),
    "minScore": Key(
        None,
        _number(-1, 1),
        "Least cosine of a hit; null means the model's own in the grounded policy, none in the hybrid.",
    ),
    "relativeCutoff": Key(
        None, _number(0, 1), "Share of the best cosine that a grounded hit must have; null: the model's."
    ),
    "lexicalMaxDocFreq": Key(
        0.01, _number(0, 1), "Share of passages up to which a word is rare: grounded searches look for such."
    ),
    "pathBoosts": Key(
        (), _boosts, 'Fragments of paths with factors, such as `{"reference/": 1.15}`; they order grounded hits only.'
    ),
    "minConfidence": Key(None, _number(0, 1), "Hits below this calibrated confidence are refused; null means none."),
    "hiddenStatuses": Key(
        ("superseded", "archived"), _statuses, "Statuses that hide a document unless all is asked for."
    ),
    "allowedSecrets": Key((), _strings, "Strings that look like secrets and are kept as they are."),
    "watch": Key(default=True, check=_boolean, meaning="Let the server pick up changed files by itself."),
    "allowIndexRoots": Key((), _strings, "Folders outside the configured ones that the server may index when asked."),
}


def checked(file: Path, raw: Mapping[str, Any], name: str, key: Key) -> Any:
    """The value of a key as its check returns it, its default where the file has none.

    Raises:
        ConfigError: The check refuses it; the file, the value and what is expected are named.
    """
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


def checked_chunk(file: Path, given: Mapping[str, Any]) -> dict[str, int]:
    """The sizes of passages, in tokens, each with its default.

    Raises:
        ConfigError: A size makes no sense, alone or beside the others.
    """
    limits = {"targetTokens": 200, "overlapTokens": 35, "hardTokenLimit": 254}
    lowest = {"targetTokens": 16, "overlapTokens": 0, "hardTokenLimit": 32}
    chunk = {
        name: checked(file, given, name, Key(d, _integer(lowest[name], 100_000), "")) for name, d in limits.items()
    }
    if not chunk["overlapTokens"] < chunk["targetTokens"] <= chunk["hardTokenLimit"]:
        raise ConfigError(f"{file}: chunk needs overlapTokens < targetTokens <= hardTokenLimit, but has {chunk}")
    return chunk
