"""What changes the index of a corpus: a run, a folder forgotten, tidying. One writer at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from gnomon.config import Config
from gnomon.corpus import parts
from gnomon.corpus.measuring import calibration_line, unverified_line
from gnomon.corpus.siblings import Siblings, list_index
from gnomon.errors import BusyError, DamagedError, FolderError, MismatchError, StoreError, UsageError
from gnomon.index.activity import Recorder, read_activity, recording
from gnomon.index.events import Listener, Waiting, ignore
from gnomon.index.lock import writer_lock
from gnomon.index.report import IndexReport
from gnomon.index.reuse import ReusingEmbedder
from gnomon.index.run import IndexOptions, Run
from gnomon.values import Folder

if TYPE_CHECKING:
    from gnomon.corpus import Corpus


def index(
    corpus: Corpus,
    folders: Sequence[Folder] | None,
    *,
    options: IndexOptions | None,
    listener: Listener | None,
    stop: Callable[[], bool],
) -> IndexReport:
    """See ``Corpus.index``."""
    options = options or IndexOptions(concurrency=corpus.config["concurrency"])
    listener = listener or ignore
    may_rebuild = folders is None and options.max_files is None
    folders = corpus.folders if folders is None else folders
    if not folders:
        raise FolderError(_missing(corpus.config) or "no folder to index; add one: gnomon add PATH")
    corpus.embedder.embed_query("gnomon")  # refuses an altered model or a silent server before anything is changed
    index_dir = _lock_dir(corpus.config, options)
    kept_before = _kept_identity(corpus)
    with (
        _turn(index_dir, listener, stop),
        recording(index_dir, listener) as recorder,
    ):
        try:
            report = _run(corpus, folders, options, recorder, stop)
        except BusyError:
            raise
        except MismatchError as e:
            if not (e.of_model and may_rebuild):  # a run of one folder would lose the others
                raise
            report = _run(corpus, folders, replace(options, force=True), recorder, stop)
            report = replace(report, notices=("The model changed, so the index was built anew.", *report.notices))
        except DamagedError:
            if not options.force or corpus.config["storeBackend"] != "sqlite":
                raise
            _set_aside(corpus)
            with _naming_kept(corpus):
                report = _run(corpus, folders, options, recorder, stop)
        recorder.interrupted = report.interrupted
    told = [line for line in (_kept(corpus, kept_before), _missing(corpus.config)) if line]
    return replace(report, notices=(*report.notices, *told))


def _lock_dir(config: Config, options: IndexOptions) -> Path:
    """Where writers of this machine take turns; shares of one run do not wait for each other.

    Raises:
        UsageError: A share of an index that other machines cannot reach.
    """
    if options.shard is None:
        return config.index_dir
    if config["storeBackend"] == "sqlite":
        raise UsageError("a share of a run needs a store that machines have in common; see docs/stores.md")
    return config.index_dir / f"share-{options.shard.number}-of-{options.shard.count}"


def alone(corpus: Corpus, listener: Listener) -> AbstractContextManager[None]:
    """Hold the right to write to the index inside the block; the listener is told while another process has it.

    Raises:
        StoreError: The folder of the index cannot be written.
    """
    return _turn(corpus.config.index_dir, listener, bool)


def _turn(index_dir: Path, listener: Listener, stop: Callable[[], bool]) -> AbstractContextManager[None]:
    return writer_lock(index_dir, on_wait=partial(_tell_of_waiting, index_dir, listener), stop=stop)


def _tell_of_waiting(index_dir: Path, listener: Listener, pid: int) -> None:
    activity = read_activity(index_dir)
    at_work = activity is not None and not activity.outcome
    listener(Waiting(pid, activity.line() if activity and at_work else ""))


def _run(
    corpus: Corpus, folders: Sequence[Folder], options: IndexOptions, recorder: Recorder, stop: Callable[[], bool]
) -> IndexReport:
    is_local = corpus.config["storeBackend"] == "sqlite"
    made = is_local and not (corpus.index_file.exists() and corpus.index_file.stat().st_size)
    with (
        corpus.open_writable(force=options.force) as store,
        closing(Siblings(corpus.config, corpus.fingerprint())) as siblings,
    ):
        if is_local:
            list_index(corpus.config, made=made)
        steps = parts.index_steps(corpus.config, corpus.embedder, corpus.extractor, corpus.rules)
        if not options.ahead.workers:
            options = replace(options, ahead=parts.ahead_options(corpus.config, corpus.embedder.spec))
        if not options.shard:  # a share is one process of several already
            options = replace(options, crew=parts.crew(corpus.config))
        embedder = ReusingEmbedder(corpus.embedder, siblings)
        share = options.shard.store(store) if options.shard else store
        steps = options.shard.steps(steps) if options.shard else steps
        report = Run(share, embedder, steps, options, recorder, stop).index(folders)
        report = replace(
            report,
            chunks_embedded=report.chunks_embedded - embedder.reused,
            chunks_reused=report.chunks_reused + embedder.reused,
        )
        store.set_meta("lastRun", datetime.now(UTC).isoformat(timespec="seconds"))
        line = "" if report.chunks_pending else calibration_line(store, corpus.embedder, corpus.config)
        told = [each for each in (unverified_line(corpus.embedder.spec), line) if each]
        return replace(report, notices=(*report.notices, *told))


def _set_aside(corpus: Corpus) -> None:
    """Put an index that turns out damaged while it is rebuilt out of the way, once an empty one is made."""
    from gnomon.store.opening import put_new

    corpus.close_reader()
    put_new(corpus.index_file, corpus.fingerprint(), keep=True)


@contextmanager
def _naming_kept(corpus: Corpus) -> Iterator[None]:
    """Say where the old index is, should the new one fail."""
    try:
        yield
    except StoreError as e:
        raise StoreError(f"{e} (the index was damaged; its file is kept as {corpus.index_file}.damaged)") from e


def _kept_identity(corpus: Corpus) -> tuple[int, int]:
    file = corpus.index_file
    try:
        stat = file.with_name(f"{file.name}.damaged").stat()
    except OSError:
        return 0, 0
    return stat.st_ino, stat.st_ctime_ns


def _kept(corpus: Corpus, before: tuple[int, int]) -> str:
    """What to say of an index that this run put aside; "" where it did not."""
    if _kept_identity(corpus) in (before, (0, 0)):
        return ""
    file = corpus.index_file
    return f"The index was damaged and was built anew; the old file is kept, delete it at will: {file}.damaged"


def forget(corpus: Corpus, folder: Folder, listener: Listener) -> int:
    """See ``Corpus.forget``."""
    if not corpus.is_indexed():
        return 0
    with alone(corpus, listener), corpus.open_writable() as store:
        return store.forget_folder(str(folder.root))


def optimize(corpus: Corpus, listener: Listener) -> None:
    """See ``Corpus.optimize``."""
    corpus.store()  # says so where nothing is indexed yet
    with alone(corpus, listener), corpus.open_writable() as store:
        store.optimize()


def _missing(config: Config) -> str:
    """What to say of folders that the settings name and the disk does not have; "" where all are there."""
    if not config.missing:
        return ""
    names = ", ".join(str(path) for path in config.missing)
    return f"not on disk, so their index is kept as it is: {names} (bring them back, or: gnomon remove PATH)"
