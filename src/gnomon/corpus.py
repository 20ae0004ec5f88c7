"""The facade: settings in, answers out. The only place that picks adapters and joins the steps.

Everything heavy is opened on first use: a words-only answer loads no model, and ``status`` loads no numeric library.
One object serves many threads.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from gnomon.config import Config
from gnomon.errors import FolderError, ModelError, StoreError, UsageError
from gnomon.values import Answer, Filters, Folder, Hit, IndexReport, Skip, SkipReason, SourceFile

if TYPE_CHECKING:
    from gnomon.discover import DiscoveryRules, Verdict
    from gnomon.embed.base import Embedder
    from gnomon.index.document import Steps
    from gnomon.index.events import Listener
    from gnomon.index.run import IndexOptions
    from gnomon.search import SearchOptions
    from gnomon.store.base import Fingerprint, ManifestRow, Store, StoreStatus

INDEX_FILE = "gnomon.db"


@dataclass(frozen=True, slots=True)
class FolderStatus:
    """What is known of one folder.

    Attributes:
        folder: Which.
        documents: Indexed files.
        skips: Number of skipped files by reason.
        indexed: Whether anything of it is in the index.
    """

    folder: Folder
    documents: int
    skips: dict[str, int]
    indexed: bool


@dataclass(frozen=True, slots=True)
class CorpusStatus:
    """What the index is and holds; ``store`` is None where nothing is indexed yet."""

    index_dir: Path
    model: str
    store: StoreStatus | None
    folders: tuple[FolderStatus, ...]
    missing: tuple[Path, ...]
    last_run: str


@dataclass(frozen=True, slots=True)
class Passage:
    """Lines of one document, as ``cat`` gives them.

    Attributes:
        folder: Where it lies.
        path: Relative to the folder.
        text: The lines asked for, line ends kept.
        start_line: 1-based line of the first.
        end_line: Of the last, included.
        lines: Number of lines in the whole document.
        extracted: The text was made from a binary format; ``anchors`` are its pages or sheets.
        anchors: (line, label) of each page or sheet that starts inside ``text``.
    """

    folder: Folder
    path: str
    text: str
    start_line: int
    end_line: int
    lines: int
    extracted: bool = False
    anchors: tuple[tuple[int, str], ...] = ()


class Corpus:
    """Folders, their index and their model, as the settings name them."""

    def __init__(self, config: Config) -> None:
        self.config = config
        self._lock = threading.RLock()
        self._reader: tuple[Store, tuple[int, int]] | None = None
        self._embedder: Embedder | None = None

    # -- parts ------------------------------------------------------------------------------------------------------
    @property
    def folders(self) -> tuple[Folder, ...]:
        """The folders that exist, in the order of the settings."""
        return self.config.folders

    @cached_property
    def rules(self) -> DiscoveryRules:
        """What discovery lets through."""
        from gnomon.discover import DiscoveryRules

        given = {
            "max_file_size_bytes": self.config["maxFileSizeBytes"],
            "max_document_bytes": self.config["maxDocumentBytes"],
            "ignore_file": self.config["ignoreFile"],
            "global_ignore_file": self.config.file.parent / self.config["ignoreFile"],
        }
        if self.config["binaryExtensions"] is not None:
            given["binary_extensions"] = frozenset(self.config["binaryExtensions"])
        if self.config["defaultIgnorePatterns"] is not None:
            given["default_ignore_patterns"] = self.config["defaultIgnorePatterns"]
        return DiscoveryRules(**given)

    @property
    def embedder(self) -> Embedder:
        """The model of the settings, not loaded before it is asked for a vector.

        Raises:
            UsageError: The settings name a model nobody knows how to run.
            ModelError: A server on another host is named and not allowed.
        """
        from gnomon.embed import EmbedderOptions, open_embedder

        with self._lock:
            if self._embedder is None:
                options = EmbedderOptions(
                    model=self.config.model_name,
                    api=self.config["embedApi"],
                    url=self.config["embedUrl"],
                    allow_remote=self.config["allowRemote"],
                    batch_size=self.config["embedBatchSize"],
                    threads=self.config["threads"],
                    model_dir=self.config.model_dir,
                )
                self._embedder = open_embedder(options)
            return self._embedder

    def fingerprint(self) -> Fingerprint:
        """All that shapes what the index holds."""
        from gnomon.analyze import ANALYZER_VERSION
        from gnomon.chunk import CHUNKER_VERSION
        from gnomon.extract import EXTRACTOR_VERSION
        from gnomon.lifecycle import LIFECYCLE_VERSION
        from gnomon.store import SCHEMA_VERSION
        from gnomon.store.base import Fingerprint

        size = self.config["chunk"]
        limits = f"{size['targetTokens']}/{size['overlapTokens']}/{size['hardTokenLimit']}"
        return Fingerprint(
            schema=SCHEMA_VERSION,
            model=self.embedder.fingerprint,
            dim=self.embedder.spec.dim,
            analyzer=ANALYZER_VERSION,
            chunker=f"{CHUNKER_VERSION} {limits}",
            extractor=f"{EXTRACTOR_VERSION}+{LIFECYCLE_VERSION}",
        )

    @property
    def index_file(self) -> Path:
        """The index of a local backend."""
        return self.config.index_dir / INDEX_FILE

    def store(self) -> Store:
        """The index, open for reading; opened anew where another process replaced it.

        Raises:
            StoreError: Nothing is indexed yet, or the index cannot be read.
        """
        from gnomon.store import open_store

        with self._lock:
            try:
                stat = self.index_file.stat()
            except FileNotFoundError:
                raise StoreError(f"nothing is indexed yet at {self.config.index_dir}; run: gnomon index") from None
            identity = (stat.st_dev, stat.st_ino)
            if self._reader and self._reader[1] != identity:
                self._reader[0].close()
                self._reader = None
            if self._reader is None:
                store = open_store(
                    self.config["storeBackend"], self.index_file, fingerprint=self.fingerprint(), writable=False
                )
                self._reader = (store, identity)
            return self._reader[0]

    def close(self) -> None:
        """Give back files, memory and threads; a later call opens them again."""
        with self._lock:
            if self._reader:
                self._reader[0].close()
                self._reader = None
            if self._embedder:
                self._embedder.close()
                self._embedder = None

    # -- writing ----------------------------------------------------------------------------------------------------
    def index(
        self,
        folders: Sequence[Folder] | None = None,
        *,
        options: IndexOptions | None = None,
        listener: Listener | None = None,
        stop: Callable[[], bool] = bool,
    ) -> IndexReport:
        """Bring the index in step with the disk.

        Args:
            folders: Which; None for all of the settings.
            options: See ``IndexOptions``.
            listener: Told each event.
            stop: Asked between batches whether to end early.

        Raises:
            FolderError: No folder is configured, or the only one cannot be read.
            ModelError: The model file is altered, or its server does not answer; nothing was changed then.
            MismatchError: The index was written by another model or version and ``force`` is off.
            StoreError: The index cannot be written.
        """
        from gnomon.index.events import Waiting, ignore
        from gnomon.index.lock import writer_lock
        from gnomon.index.run import IndexOptions, Run

        options = options or IndexOptions(concurrency=self.config["concurrency"])
        listener = listener or ignore
        folders = self.folders if folders is None else folders
        if not folders:
            raise FolderError("no folder to index; name one: gnomon add PATH")
        self.embedder.embed_query("gnomon")  # refuses an altered model or a silent server before anything is changed
        with (
            writer_lock(self.config.index_dir, on_wait=lambda pid: listener(Waiting(pid)), stop=stop),
            self._open_writable(force=options.force) as store,
        ):
            run = Run(store, self.embedder, self._steps(), options, listener, stop)
            report = run.index(folders)
            store.set_meta("lastRun", _now())
            return report

    def forget(self, folder: Folder) -> int:
        """Remove all text of a folder from the index at once; returns how many documents went.

        Raises:
            StoreError: The index cannot be written.
        """
        from gnomon.index.lock import writer_lock

        if not self.index_file.exists():
            return 0
        with writer_lock(self.config.index_dir, on_wait=lambda _: None), self._open_writable(force=False) as store:
            return store.forget_folder(str(folder.root))

    def optimize(self) -> None:
        """Tidy the index and give back space.

        Raises:
            StoreError: The index cannot be written.
        """
        from gnomon.index.lock import writer_lock

        self.store()  # says so where nothing is indexed yet
        with writer_lock(self.config.index_dir, on_wait=lambda _: None), self._open_writable(force=False) as store:
            store.optimize()

    def _open_writable(self, *, force: bool) -> Store:
        """The index for writing; with ``force`` one that cannot be used any more gives way to a new one."""
        from gnomon.store import open_store

        backend, place = self.config["storeBackend"], self.index_file
        return open_store(backend, place, fingerprint=self.fingerprint(), writable=True, replace=force)

    def _included(self, found: Iterator[SourceFile | Skip]) -> Iterator[SourceFile | Skip]:
        """Keep a project to the settings' ``include`` list; what is left out is a skip with that reason."""
        from gnomon.discover import matches_glob

        patterns = [p.rstrip("/") for p in self.config["include"]]
        for entry in found:
            inside = not patterns or any(
                matches_glob(entry.path, p) or entry.path.startswith(f"{p}/") or entry.path == p for p in patterns
            )
            yield entry if inside else Skip(entry.path, SkipReason.NOT_INCLUDED)

    def _steps(self) -> Steps:
        from gnomon.analyze import chunk_words
        from gnomon.chunk import chunk
        from gnomon.chunk.base import ChunkLimits
        from gnomon.discover import discover, read
        from gnomon.extract import Extractor
        from gnomon.index.document import Steps
        from gnomon.lifecycle import read_lifecycle

        size, spec = self.config["chunk"], self.embedder.spec
        window = (spec.window_tokens or size["hardTokenLimit"] + 2) - spec.special_tokens
        hard = min(size["hardTokenLimit"], window)
        limits = ChunkLimits(min(size["targetTokens"], hard), size["overlapTokens"], hard)
        extractor = Extractor(allowed_secrets=self.config["allowedSecrets"])
        return Steps(
            discover=lambda folder: self._included(discover(folder, self.rules)),
            read=lambda folder, file: read(folder, file, self.rules),
            extract=extractor.extract,
            lifecycle=lambda document, path: read_lifecycle(document.text, path=path, language=document.language),
            chunk=lambda document, path, start: chunk(
                document, path=path, tokens=self.embedder, limits=limits, body_start=start
            ),
            words=chunk_words,
            extractor=self.fingerprint().extractor,
        )

    # -- reading ----------------------------------------------------------------------------------------------------
    def search_options(self, *, ranking: str = "", search_all: bool = False) -> SearchOptions:
        """How the settings want a search done; callers replace what they were asked for.

        Args:
            ranking: "hybrid" or "grounded"; "" is the settings' own.
            search_all: Lifts the default excludes of the grounded policy.
        """
        from gnomon.search import SearchOptions

        config, spec = self.config, self.embedder.spec
        grounded = (ranking or config.ranking) == "grounded"
        return SearchOptions(
            k=config["defaultTopK"],
            filters=Filters(exclude=config["defaultExclude"] if grounded and not search_all else ()),
            ranking="grounded" if grounded else "hybrid",
            per_file=config["perFile"],
            hybrid=config["hybridSearch"],
            fusion=config["fusion"],
            pool_multiplier=config["searchPoolMultiplier"],
            pool_min=config["searchPoolMin"],
            lexical_boost_weight=config["lexicalBoostWeight"],
            rrf_k=config["rrfK"],
            min_score=(spec.min_score if config["minScore"] is None else config["minScore"]) if grounded else None,
            min_confidence=config["minConfidence"],
            hidden_statuses=config["hiddenStatuses"],
            relative_cutoff=spec.relative_cutoff if config["relativeCutoff"] is None else config["relativeCutoff"],
            lexical_max_doc_freq=config["lexicalMaxDocFreq"],
            path_boosts=config["pathBoosts"],
        )

    def named_folders(self, names: Sequence[str]) -> tuple[str, ...]:
        """Roots of folders given by name or path.

        Raises:
            UsageError: A name is none of the folders.
        """
        roots = []
        for name in names:
            real = Path(name).expanduser().resolve()
            match = next((f for f in self.folders if name == f.name or real == f.root), None)
            if match is None:
                known = ", ".join(f.name for f in self.folders) or "none"
                raise UsageError(f"no folder is called {name}; the folders are: {known}")
            roots.append(str(match.root))
        return tuple(roots)

    def search(self, query: str, options: SearchOptions, *, use_model: bool = True) -> Answer:
        """Find passages; each hit says whether its file changed since it was indexed.

        Args:
            query: Plain text; ``"quoted phrase"`` and ``-word`` mean what people expect.
            options: See ``SearchOptions``.
            use_model: Whether the query is embedded; without it the words alone answer, and a notice says so.

        Raises:
            StoreError: Nothing is indexed yet, or the index cannot be read.
        """
        from gnomon.search import search

        store = self.store()
        try:
            answer = search(query, store=store, embedder=self.embedder if use_model else None, options=options)
        except ModelError as e:
            answer = search(query, store=store, embedder=None, options=options)
            answer = replace(answer, notices=(*answer.notices, f"words only: {e}"))
        return replace(answer, hits=tuple(replace(hit, stale=self._is_stale(store, hit)) for hit in answer.hits))

    def _is_stale(self, store: Store, hit: Hit) -> bool:
        stored = store.find_document(hit.folder, hit.path)
        if stored is None:
            return True
        try:
            stat = (Path(hit.folder) / hit.path).lstat()
        except OSError:
            return True
        return (stat.st_size, stat.st_mtime_ns) != (stored.document.size_bytes, stored.document.mtime_ns)

    def status(self) -> CorpusStatus:
        """What the index is and holds; answers also where nothing is indexed yet.

        Raises:
            StoreError: There is an index, but it cannot be read.
        """
        from collections import Counter

        store = self.store() if self.index_file.exists() else None
        rows = []
        for folder in self.folders:
            manifest = store.manifest(str(folder.root)) if store else {}
            skips = Counter(str(row.skip.reason) for row in manifest.values() if row.skip)
            rows.append(FolderStatus(folder, len(manifest) - skips.total(), dict(skips), indexed=bool(manifest)))
        return CorpusStatus(
            index_dir=self.config.index_dir,
            model=self.embedder.spec.id,
            store=store.status() if store else None,
            folders=tuple(rows),
            missing=self.config.missing,
            last_run=store.get_meta("lastRun") if store else "",
        )

    def skipped(self) -> Iterator[tuple[Folder, Skip]]:
        """Every file that is known and not indexed, with its reason."""
        store = self.store()
        for folder in self.folders:
            rows = store.manifest(str(folder.root)).values()
            yield from ((folder, row.skip) for row in rows if row.skip)

    def why(self, path: str) -> tuple[Verdict, ManifestRow | None]:
        """The rule that keeps a path in or out, and what the index holds for it.

        Raises:
            ConfinementError: The path is in none of the folders.
        """
        from gnomon.discover import confine, explain

        folder, relative = confine(self.folders, path)
        row = self.store().manifest(str(folder.root)).get(relative) if self.index_file.exists() else None
        return explain(folder, relative, self.rules), row


def _now() -> str:
    from datetime import UTC, datetime

    return datetime.now(UTC).isoformat(timespec="seconds")
