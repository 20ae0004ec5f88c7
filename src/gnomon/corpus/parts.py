"""Settings to parts: what each step is told. Pure but for the imports, which are deferred to first use."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from gnomon.config import Config
from gnomon.config.paths import real
from gnomon.values import Filters, Folder, Skip, SkipReason, SourceFile

if TYPE_CHECKING:
    from gnomon.discover import DiscoveryRules
    from gnomon.embed.base import Embedder, EmbedderOptions
    from gnomon.embed.models import ModelSpec
    from gnomon.extract import Extractor
    from gnomon.index.ahead import AheadOptions
    from gnomon.index.document import Steps
    from gnomon.index.preparing import Crew
    from gnomon.search import SearchOptions
    from gnomon.store.base import Fingerprint


# Of 90 to 150 MB each; the one that writes keeps up with five (docs/decisions/0075).
_MAX_WORKERS = 4


def discovery_rules(config: Config) -> DiscoveryRules:
    """What discovery lets through."""
    from gnomon.discover import DiscoveryRules
    from gnomon.extract import is_prose_name

    given = {
        "max_file_size_bytes": config["maxFileSizeBytes"],
        "max_prose_bytes": config["maxProseBytes"],
        "is_prose": is_prose_name,
        "max_document_bytes": config["maxDocumentBytes"],
        "ignore_file": config["ignoreFile"],
        "global_ignore_file": config.file.parent / config["ignoreFile"],
    }
    if config["binaryExtensions"] is not None:
        given["binary_extensions"] = frozenset(e.lower().lstrip(".") for e in config["binaryExtensions"])
    if config["defaultIgnorePatterns"] is not None:
        given["default_ignore_patterns"] = config["defaultIgnorePatterns"]
    return DiscoveryRules(**given)


def embedder_options(config: Config) -> EmbedderOptions:
    """Which model, and where it runs."""
    from gnomon.embed import EmbedderOptions, find_model

    # The second predecessor's key means Ollama for any model that nobody has described.
    unknown = config["embedModel"] and find_model(config["embedModel"]) is None
    return EmbedderOptions(
        model=config.model_name,
        api=config["embedApi"] or ("ollama" if unknown else ""),
        url=config["embedUrl"],
        allow_remote=config["allowRemote"],
        batch_size=config["embedBatchSize"],
        threads=config["threads"],
        model_dir=config.model_dir,
    )


def fingerprint(config: Config, embedder: Embedder) -> Fingerprint:
    """All that shapes what the index holds."""
    from gnomon.analyze import ANALYZER_VERSION
    from gnomon.chunk import CHUNKER_VERSION
    from gnomon.extract import EXTRACTOR_VERSION
    from gnomon.lifecycle import LIFECYCLE_VERSION
    from gnomon.store import SCHEMA_VERSION
    from gnomon.store.base import Fingerprint

    size = config["chunk"]
    limits = f"{size['targetTokens']}/{size['overlapTokens']}/{size['hardTokenLimit']}"
    return Fingerprint(
        schema=SCHEMA_VERSION,
        model=embedder.fingerprint,
        dim=embedder.spec.dim,
        analyzer=ANALYZER_VERSION,
        chunker=f"{CHUNKER_VERSION} {limits}",
        extractor=f"{EXTRACTOR_VERSION}+{LIFECYCLE_VERSION}",
    )


def own_places(config: Config) -> tuple[Path, ...]:
    """What gnomon writes itself and never searches: the index, the list of indexes, a project's settings folder."""
    from gnomon.corpus.siblings import registry

    settings = [config.file.parent] if config.project_root else []
    return tuple(real(place) for place in (config.index_dir, registry(), *settings))


def own_prefixes(config: Config, folder: Folder) -> tuple[str, ...]:
    """The same as far as it lies inside a folder: relative to it, with ``/`` at the end; outer ones cover inner ones.

    The one rule of indexing, comparing, ``grep``, ``why`` and the watch.
    """
    below = {
        f"{place.relative_to(folder.root).as_posix()}/"
        for place in own_places(config)
        if place.is_relative_to(folder.root) and place != folder.root
    }
    return tuple(sorted(each for each in below if not any(each != other and each.startswith(other) for other in below)))


def own_skip(prefixes: Sequence[str], path: str) -> Skip | None:
    """The skip of what belongs to gnomon itself: of the folder as a whole, since files in it come and go; else None.

    Args:
        prefixes: As ``own_prefixes`` gives them.
        path: Of a file or a folder, relative to the same folder.
    """
    own = next((prefix for prefix in prefixes if f"{path}/".startswith(prefix)), "")
    return Skip(own.rstrip("/"), SkipReason.OWN_FILE) if own else None


def inner_folders(config: Config, folder: Folder) -> dict[str, Skip]:
    """Folders of the settings that lie in another: whose files they hold, so that no passage comes back twice.

    Returns:
        Skip of each as a whole, by its path relative to ``folder`` with ``/`` at the end.
    """
    inner = [each for each in config.folders if each.root != folder.root and each.root.is_relative_to(folder.root)]
    paths = {each.root.relative_to(folder.root).as_posix(): each for each in inner}
    return {f"{path}/": Skip(path, SkipReason.INNER_FOLDER, each.name) for path, each in paths.items()}


def included(config: Config, folder: Folder, found: Iterator[SourceFile | Skip]) -> Iterator[SourceFile | Skip]:
    """Keep to the settings' ``include`` list and off gnomon's own files; what is left out is a skip with its reason.

    Each folder of gnomon's own is one skip, and so is each other folder of the settings inside this one.
    """
    from gnomon.discover import matches_glob

    patterns = [pattern.rstrip("/") for pattern in config["include"]]
    prefixes, inner, told = own_prefixes(config, folder), inner_folders(config, folder), set[str]()
    apart = (*prefixes, *inner)
    for entry in found:
        path = entry.path
        if apart and f"{path}/".startswith(apart) and (skip := own_skip(prefixes, path) or _inner_skip(inner, path)):
            if skip.path not in told:
                told.add(skip.path)
                yield skip
        elif not patterns or any(
            path == pattern or path.startswith(f"{pattern}/") or matches_glob(path, pattern) for pattern in patterns
        ):
            yield entry
        else:
            yield Skip(path, SkipReason.NOT_INCLUDED)


def _inner_skip(inner: Mapping[str, Skip], path: str) -> Skip | None:
    return next((skip for prefix, skip in inner.items() if f"{path}/".startswith(prefix)), None)


def index_steps(config: Config, embedder: Embedder, extractor: Extractor, rules: DiscoveryRules) -> Steps:
    """What a document goes through on its way into the index."""
    from gnomon.analyze import chunk_words
    from gnomon.chunk import chunk
    from gnomon.chunk.base import ChunkLimits
    from gnomon.discover import discover, read
    from gnomon.index.document import Steps
    from gnomon.lifecycle import read_lifecycle

    size, spec = config["chunk"], embedder.spec
    window = spec.window_tokens - spec.special_tokens
    hard = min(size["hardTokenLimit"], window)
    limits = ChunkLimits(min(size["targetTokens"], hard), size["overlapTokens"], hard)
    return Steps(
        discover=lambda folder, warn: included(config, folder, discover(folder, rules, warn=warn)),
        read=lambda folder, file: read(folder, file, rules),
        extract=extractor.extract,
        lifecycle=lambda document, path: read_lifecycle(document.text, path=path, language=document.language),
        chunk=lambda document, path, start: chunk(
            document, path=path, tokens=embedder, limits=limits, body_start=start
        ),
        words=chunk_words,
        extractor=fingerprint(config, embedder).extractor,
    )


def prepared_steps(config: Config) -> Steps:
    """``index_steps`` with parts of their own, for another process."""
    from gnomon.corpus import Corpus

    corpus = Corpus(config)
    return index_steps(corpus.config, corpus.embedder, corpus.extractor, corpus.rules)


def crew(config: Config) -> Crew | None:
    """Who prepares documents where there are many: as many processes as cores, up to what one writer keeps up with."""
    from gnomon.embed.cpu import usable_cores
    from gnomon.index.preparing import Crew

    workers = min(config["threads"] or usable_cores(), usable_cores(), _MAX_WORKERS)
    return Crew(workers, partial(prepared_steps, config)) if workers > 1 else None


def ahead_options(config: Config, spec: ModelSpec) -> AheadOptions:
    """What is embedded while files are read: with a model of our own as much as keeps the other cores busy."""
    from gnomon.embed.cpu import usable_cores
    from gnomon.index.ahead import AheadOptions

    if spec.adapter != "onnx":
        return AheadOptions(workers=1, texts=config["embedBatchSize"])
    return AheadOptions(workers=min(config["threads"] or usable_cores(), usable_cores() - 1))


def search_options(config: Config, spec: ModelSpec, *, ranking: str = "", search_all: bool = False) -> SearchOptions:
    """How the settings want a search done; callers replace what they were asked for.

    Args:
        config: The settings.
        spec: The model, whose thresholds hold where the settings name none.
        ranking: "hybrid" or "grounded"; "" is the settings' own.
        search_all: Lifts the default excludes of the grounded policy.
    """
    from gnomon.search import SearchOptions

    grounded = (ranking or config.ranking) == "grounded"
    # 0 in the registry means that nobody measured it; the policy has its own default for that.
    min_score = (spec.min_score or None) if config["minScore"] is None else config["minScore"]
    cutoff = (spec.relative_cutoff or None) if config["relativeCutoff"] is None else config["relativeCutoff"]
    return SearchOptions(
        k=config["defaultTopK"],
        filters=Filters(default_exclude=config["defaultExclude"] if grounded and not search_all else ()),
        ranking="grounded" if grounded else "hybrid",
        per_file=config["perFile"],
        hybrid=config["hybridSearch"],
        fusion=config["fusion"],
        pool_multiplier=config["searchPoolMultiplier"],
        pool_min=config["searchPoolMin"],
        lexical_boost_weight=config["lexicalBoostWeight"],
        rrf_k=config["rrfK"],
        min_score=min_score if grounded else config["minScore"],
        min_confidence=config["minConfidence"],
        hidden_statuses=config["hiddenStatuses"],
        relative_cutoff=cutoff,
        lexical_max_doc_freq=config["lexicalMaxDocFreq"],
        path_boosts=config["pathBoosts"],
    )
