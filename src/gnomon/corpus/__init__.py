"""The facade: settings in, answers out. The only place that picks adapters and joins the steps.

Everything heavy is opened on first use: a words-only answer loads no model, and ``status`` loads no numeric library.
One object serves many threads.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from gnomon.config import Config
from gnomon.corpus import parts
from gnomon.corpus.freshness import changed_paths, compared_with_disk
from gnomon.corpus.gaps import with_gaps_told
from gnomon.corpus.places import INDEX_FILE, index_place, is_meant
from gnomon.corpus.status import CorpusStatus, FolderStatus, first_step, partly_read, status_fields, status_of
from gnomon.errors import FolderError, ModelError, StoreError, UsageError
from gnomon.index.events import Listener, ignore
from gnomon.index.report import IndexReport
from gnomon.values import Answer, Extracted, Folder, Skip

if TYPE_CHECKING:
    from gnomon.discover import DiscoveryRules, Verdict
    from gnomon.embed.base import Embedder
    from gnomon.extract import Extractor
    from gnomon.index.run import IndexOptions
    from gnomon.search import SearchOptions
    from gnomon.search.grep import GrepResult
    from gnomon.search.misses import Miss
    from gnomon.search.passage import Passage
    from gnomon.store.base import Fingerprint, ManifestRow, Store

__all__ = ["Corpus", "CorpusStatus", "FolderStatus", "status_fields"]


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
        return parts.discovery_rules(self.config)

    @cached_property
    def extractor(self) -> Extractor:
        """Files to text; its worker process starts with the first binary format."""
        from gnomon.extract import Extractor

        return Extractor(allowed_secrets=self.config["allowedSecrets"])

    @property
    def embedder(self) -> Embedder:
        """The model of the settings, not loaded before it is asked for a vector.

        Raises:
            UsageError: The settings name a model nobody knows how to run.
            ModelError: A server on another host is named and not allowed.
        """
        from gnomon.embed import open_embedder

        with self._lock:
            if self._embedder is None:
                self._embedder = open_embedder(parts.embedder_options(self.config))
            return self._embedder

    def fingerprint(self) -> Fingerprint:
        """All that shapes what the index holds.

        Raises:
            ModelError: Only a server knows it, and the server does not answer.
        """
        if not self.embedder.spec.dim:
            self.embedder.embed_query("gnomon")  # only the server knows how long its vectors are
        return parts.fingerprint(self.config, self.embedder)

    @property
    def index_file(self) -> Path:
        """The index of the default backend."""
        return self.config.index_dir / INDEX_FILE

    def is_indexed(self) -> bool:
        """Whether there is an index.

        Raises:
            StoreError: The server or bucket of the index does not answer.
        """
        from gnomon.store import has_index

        backend = self.config["storeBackend"]
        identity = self._file_identity() if backend == "sqlite" else None
        if identity and self._reader and self._reader[1] == identity:
            return True  # to look again would touch its log, and wake whoever watches a folder that it lies in
        return has_index(backend, index_place(self.config, backend))

    def store(self) -> Store:
        """The index, open for reading; opened anew where another process replaced it.

        Raises:
            StoreError: Nothing is indexed yet, or the index cannot be read.
        """
        from gnomon.store import open_store

        backend = self.config["storeBackend"]
        with self._lock:
            identity = self._file_identity() if backend == "sqlite" else (0, 0)
            if identity is None:
                raise StoreError(f"nothing is indexed yet at {self.config.index_dir}; {self._first_step()}")
            if self._reader and self._reader[1] != identity:
                self._reader[0].close()
                self._reader = None
            if self._reader is None:
                place = index_place(self.config, backend)
                store = open_store(backend, place, fingerprint=self.fingerprint(), writable=False)
                self._reader = (store, identity)
            return self._reader[0]

    def _first_step(self) -> str:
        return first_step(has_folders=bool(self.folders), missing=self.config.missing)

    def _file_identity(self) -> tuple[int, int] | None:
        try:
            stat = self.index_file.stat()
        except FileNotFoundError:
            return None
        except OSError as e:
            raise StoreError(
                f"cannot read the index at {self.config.index_dir}: {e.strerror}; see to that folder and its rights, "
                "or name another one: GNOMON_INDEX_DIR"
            ) from e
        return stat.st_dev, stat.st_ino

    def close(self) -> None:
        """Give back files, memory and threads; a later call opens them again."""
        with self._lock:
            self.close_reader()
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
        from gnomon.corpus.writing import index

        return index(self, folders, options=options, listener=listener, stop=stop)

    def forget(self, folder: Folder, *, listener: Listener = ignore) -> int:
        """Remove all text of a folder from the index; returns how many documents went.

        At once, unless another process writes, of which the listener is told.

        Raises:
            StoreError: The index cannot be written.
        """
        from gnomon.corpus.writing import forget

        return forget(self, folder, listener)

    def optimize(self, *, listener: Listener = ignore) -> None:
        """Tidy the index and give back space, once no other process writes, of which the listener is told.

        Raises:
            StoreError: The index cannot be written.
        """
        from gnomon.corpus.writing import optimize

        optimize(self, listener)

    def open_writable(self, *, force: bool = False) -> Store:
        """The index for writing; with ``force`` one that cannot be used any more gives way to a new one.

        To be called under the writer's lock.
        """
        from gnomon.store import open_store

        backend = self.config["storeBackend"]
        place = index_place(self.config, backend)
        return open_store(backend, place, fingerprint=self.fingerprint(), writable=True, replace=force)

    def close_reader(self) -> None:
        """Let go of the index; the next question opens it again."""
        with self._lock:
            if self._reader:
                self._reader[0].close()
                self._reader = None

    # -- reading ----------------------------------------------------------------------------------------------------
    def search_options(self, *, ranking: str = "", search_all: bool = False) -> SearchOptions:
        """How the settings want a search done; see ``parts.search_options``."""
        return parts.search_options(self.config, self.embedder.spec, ranking=ranking, search_all=search_all)

    def named_folders(self, names: Sequence[str]) -> tuple[str, ...]:
        """Roots of folders given by name or path, and of those that lie in them.

        Raises:
            UsageError: A name is none of the folders.
        """
        roots: list[str] = []
        for name in names:
            match = next((f for f in self.folders if is_meant(f, name)), None)
            if match is None:
                known = ", ".join(f.name for f in self.folders) or "none"
                raise UsageError(f"no folder is called {name}; the folders are: {known}")
            inner = [f for f in self.folders if f is not match and f.root.is_relative_to(match.root)]
            roots += [str(f.root) for f in (match, *inner)]
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
        with store.snapshot():
            try:
                answer = search(query, store=store, embedder=self.embedder if use_model else None, options=options)
            except ModelError as e:
                answer = search(query, store=store, embedder=None, options=options)
                answer = replace(answer, notices=(*answer.notices, f"words only: {e}"))
            if not answer.hits and not store.status().documents:
                answer = replace(answer, refusal=f"Nothing is indexed; {self._first_step()}")
            return compared_with_disk(with_gaps_told(answer, store, self.config.index_dir), store)

    def find_related(self, path: str, line: int, options: SearchOptions) -> Answer:
        """Passages of other files nearest in meaning to the one at a line of an indexed file, or the next below it.

        Raises:
            ConfinementError: The path is in none of the folders.
            UsageError: The file is not indexed, or ends above that line.
            ModelError: The model does not answer.
        """
        from gnomon.discover import confine
        from gnomon.search.related import find_related

        folder, relative = confine(self.folders, path)
        store = self.store()
        document = store.find_document(str(folder.root), relative)
        if document is None:
            raise UsageError(f"{path} is not in the index; see: gnomon why {path}")
        found = find_related(document, line, store=store, embedder=self.embedder, options=options)
        return compared_with_disk(with_gaps_told(found, store, self.config.index_dir), store)

    def release_model(self) -> None:
        """Give back the memory of the model; the next question loads it again."""
        with self._lock:
            if self._embedder:
                self._embedder.close()

    def changed_files(self) -> list[str]:
        """Paths that differ from the index by their bytes: new and changed ones, and those indexed that are gone."""
        from gnomon.discover import discover

        changed: list[str] = []
        for folder in self.folders:
            found = parts.included(self.config, folder, discover(folder, self.rules))
            manifest = self.store().manifest(str(folder.root))
            changed += changed_paths(folder.root, found, manifest, extractor=self.fingerprint().extractor)
        return changed

    def why_not(self, query: str, path: str, options: SearchOptions) -> Miss:
        """Why a file is not in the answer to a question.

        Raises:
            ConfinementError: The path is in none of the folders.
        """
        from gnomon.discover import confine
        from gnomon.search.misses import why_not

        folder, relative = confine(self.folders, path)
        root = str(folder.root)
        return why_not(query, folder=root, path=relative, store=self.store(), embedder=self.embedder, options=options)

    def status(self) -> CorpusStatus:
        """What the index is and holds; answers also where nothing is indexed yet.

        Raises:
            StoreError: There is an index, but it cannot be read.
        """
        return status_of(self)

    def skipped(self) -> Iterator[tuple[Folder, Skip]]:
        """Every file that is known and not indexed, with its reason."""
        store = self.store()
        for folder in self.folders:
            rows = store.manifest(str(folder.root)).values()
            yield from ((folder, row.skip) for row in rows if row.skip)

    def partly(self) -> Iterator[tuple[Folder, str, str]]:
        """Every indexed file whose text is not the whole of it: folder, path and what is missing."""
        folders = {str(folder.root): folder for folder in self.folders}
        for document, missing in partly_read(self.store()):
            if document.folder in folders:
                yield folders[document.folder], document.path, missing

    def why(self, path: str) -> tuple[Verdict, ManifestRow | None]:
        """The rule that keeps a path in or out, and what the index holds for it.

        Raises:
            ConfinementError: The path is in none of the folders.
        """
        from gnomon.corpus.texts import text_of
        from gnomon.corpus.verdicts import verdict_by_rules, verdict_by_text
        from gnomon.discover import confine

        folder, relative = confine(self.folders, path)
        row = self.store().manifest(str(folder.root)).get(relative) if self.is_indexed() else None
        verdict = verdict_by_rules(self.config, folder, relative, self.rules)
        return verdict_by_text(verdict, folder, relative, row, lambda: text_of(self, folder, relative)), row

    def document(self, path: str) -> tuple[Folder, str, Extracted]:
        """The text of one file as it is on disk now, secrets replaced, if it is one that the indexer would index.

        Raises:
            ConfinementError: The path is outside the folders, or its file is kept out of the index.
            DocumentError: It cannot become text.
        """
        from gnomon.corpus.texts import read_document

        return read_document(self, path)

    def cat(self, path: str, *, start_line: int | None = None, end_line: int | None = None) -> Passage:
        """Lines of one file; see ``document`` for what is refused.

        Raises:
            UsageError: The range holds no line.
        """
        from gnomon.search.passage import cut_passage

        folder, relative, extracted = self.document(path)
        return cut_passage(extracted, folder, relative, start_line=start_line, end_line=end_line)

    def grep(
        self,
        pattern: str,
        *,
        folder: str = "",
        file_glob: str | None = None,
        case_sensitive: bool = False,
        max_results: int = 50,
    ) -> GrepResult:
        """Lines that match a pattern, in the files that the indexer would index.

        Raises:
            FolderError: There is no folder to search.
            UsageError: The pattern or the folder makes no sense.
        """
        from gnomon.corpus.texts import texts_of
        from gnomon.search.grep import grep

        if not self.folders:
            raise FolderError(f"no folder to search; {self._first_step()}")
        roots = self.named_folders([folder]) if folder else tuple(str(f.root) for f in self.folders)
        return grep(
            pattern,
            files=texts_of(self, [f for f in self.folders if str(f.root) in roots]),
            case_sensitive=case_sensitive,
            max_results=max_results,
            file_glob=file_glob,
        )
