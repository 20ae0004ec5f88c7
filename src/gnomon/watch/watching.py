"""The watch itself: told by the system what changed, it waits for a quiet moment and hands the paths over."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from stat import S_ISDIR
from typing import Protocol

from gnomon.corpus import Corpus
from gnomon.values import Folder
from gnomon.watch.relevance import Relevance
from gnomon.watch.repository import wait_for_git

log = logging.getLogger("gnomon.watch")

_QUIET_MS = 200  # changes are taken up when none followed for so long
_DEBOUNCE_MS = 2_000  # or when the first is so old
_TICK_MS = 1_000  # how often the list of folders is looked at
_UNSAYABLE = "Unable to decode path"  # how the library's error of a name that is not UTF-8 begins


class Host(Protocol):
    """Whoever keeps an index: says what to watch, and indexes."""

    @property
    def corpus(self) -> Corpus:
        """By the settings as they are now."""
        ...

    def may_catch_up(self) -> bool:
        """Whether comparing everything makes sense by now."""
        ...

    def catch_up(self) -> None:
        """Compare the disk with the index and index what differs; raises nothing that the next change may mend."""
        ...

    def take_up(self, paths: Sequence[Path], folders: Sequence[Folder]) -> None:
        """Index these changed paths, all of them in these folders; raises nothing that the next change may mend."""
        ...

    def lost(self) -> None:
        """From now on nobody looks, until ``catch_up`` is called again."""
        ...

    def without_watch(self, folders: Sequence[Folder], stop: threading.Event) -> None:
        """Keep these folders fresh in another way until they are others or ``stop`` is set."""
        ...


def watch(host: Host, stop: threading.Event) -> None:
    """Keep the index of a host fresh until ``stop`` is set."""
    while not stop.is_set():
        folders = host.corpus.folders
        try:
            if folders:
                _Watch(host, folders, stop).run()
            else:
                stop.wait(_TICK_MS / 1000)
        except (OSError, RuntimeError) as e:
            log.warning("folders cannot be watched (%s); the disk is compared now and then", e)
            host.without_watch(folders, stop)
        finally:
            host.lost()


class _Watch:
    """One set of folders under watch."""

    def __init__(self, host: Host, folders: Sequence[Folder], stop: threading.Event) -> None:
        self._host = host
        self._folders = folders
        self._stop = stop
        self._relevance = Relevance(host.corpus, folders)
        self._places = self._identities()

    def run(self) -> None:
        """Until the host stops or the folders are others.

        Raises:
            OSError: The system cannot watch them.
            RuntimeError: The same.
        """
        present = [folder for folder in self._folders if self._places[folder.root]]
        if not present:
            self._stop.wait(_TICK_MS / 1000)
            return
        caught_up = False
        for batch in self._batches(present):
            # A folder that went, or came back, is another one for the system, which tells nothing of it any more.
            if self._host.corpus.folders != self._folders or self._identities() != self._places:
                return
            if caught_up and batch is None:
                self._host.lost()
                caught_up = False  # the next batch compares: by then there is a new watch, and no change is missed
            elif not caught_up:
                may = self._host.may_catch_up()
                if may:
                    wait_for_git(present, self._stop.wait)
                    self._host.catch_up()
                caught_up = may and batch is not None
            elif changed := [path for path in batch or () if self._relevance.at_a_glance(path)]:
                self._take_up(changed)

    def _batches(self, present: Sequence[Folder]) -> Iterator[list[str] | None]:
        """Paths that changed, none of them where nothing did for a while; None where one has no name in UTF-8.

        The library cannot say such a name and ends its watch, so that another begins.
        """
        with _sayable([folder.root for folder in present]) as names:
            yield from self._batches_of(names)

    def _batches_of(self, names: Mapping[str, Path]) -> Iterator[list[str] | None]:
        import watchfiles

        while not self._stop.is_set():
            batches = watchfiles.watch(
                *names,
                watch_filter=None,  # with one, changes of no interest that go on and on would keep it from returning
                debounce=_DEBOUNCE_MS,
                step=_QUIET_MS,
                rust_timeout=_TICK_MS,
                yield_on_timeout=True,
                stop_event=self._stop,
                raise_interrupt=False,
                ignore_permission_denied=True,
            )
            try:
                for batch in batches:
                    yield [_path_of(told, names) for _, told in batch]
            except RuntimeError as e:
                if not str(e).startswith(_UNSAYABLE):
                    raise
                yield None

    def _take_up(self, changed: Sequence[str]) -> None:
        touched = [f for f in self._folders if any(Path(path).is_relative_to(f.root) for path in changed)]
        wait_for_git(touched, self._stop.wait)
        paths = self._relevance.of_index(changed)
        if paths:
            self._host.take_up(paths, [f for f in touched if any(path.is_relative_to(f.root) for path in paths)])

    def _identities(self) -> dict[Path, tuple[int, int] | None]:
        return {folder.root: _identity(folder.root) for folder in self._folders}


def _identity(root: Path) -> tuple[int, int] | None:
    try:
        stat = root.stat()
    except OSError:
        return None
    # A file in its place is told of only until it goes.
    return (stat.st_dev, stat.st_ino) if S_ISDIR(stat.st_mode) else None


@contextmanager
def _sayable(roots: Sequence[Path]) -> Iterator[dict[str, Path]]:
    """The folders by names in UTF-8: their own, or those of links to them, which are there as long as the context."""
    import tempfile

    with ExitStack() as stack:
        names: dict[str, Path] = {}
        for root in roots:
            name = str(root)
            if not _is_utf8(name):
                link = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="gnomon-watch-"))) / "folder"
                link.symlink_to(root)
                name = str(link)
            names[name] = root
        yield names


def _is_utf8(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def _path_of(told: str, names: Mapping[str, Path]) -> str:
    """Where a path really is that was told of by the name of a folder or of a link to it."""
    name = next((name for name, root in names.items() if name != str(root) and f"{told}/".startswith(f"{name}/")), "")
    return f"{names[name]}{told[len(name) :]}" if name else told
