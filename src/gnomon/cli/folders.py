"""``gnomon add``, ``list``, ``remove``: which folders are searched."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from gnomon.cli.render import safe_line
from gnomon.cli.session import open_config
from gnomon.config import Config, name_folders, real_folder
from gnomon.config.paths import expanded, real
from gnomon.config.settings_file import read_raw, replacing_raw, settings_lock, write_raw
from gnomon.errors import EXIT_DONE, EXIT_NOTHING_FOUND, EXIT_USER, ConfigError, FolderError
from gnomon.figures import number
from gnomon.values import Folder


def add_parser(commands: Any) -> None:
    """Add the commands to the command line."""
    add = commands.add_parser("add", help="search these folders too")
    add.add_argument("paths", nargs="+", metavar="PATH", help="folder; what is in it is found at the next index run")
    add.set_defaults(run=run_add)
    show = commands.add_parser("list", aliases=["ls"], help="the folders that are searched")
    show.set_defaults(run=run_list)
    remove = commands.add_parser(
        "remove",
        help="stop searching a folder and forget its text",
        description="Exit code 1: one of them is no folder of the settings; the others are removed.",
    )
    remove.add_argument("folders", nargs="+", metavar="NAME_OR_PATH", help="as `list` shows it")
    remove.add_argument("--keep-index", action="store_true", help="leave its text searchable")
    remove.set_defaults(run=run_remove)


def run_add(args: argparse.Namespace) -> int:
    """Add folders to the settings; a folder that is missing costs only itself."""
    config = open_config(args)
    known = {folder.root for folder in config.folders} | set(config.missing)
    new: list[Path] = []
    code = EXIT_DONE
    for path in args.paths:
        try:
            root = real_folder(path)
        except FolderError as e:
            print(f"{args.program}: {safe_line(str(e))}", file=sys.stderr)
            code = EXIT_USER
            continue
        if root in known or root in new:
            print(f"already there: {safe_line(str(root))}")
        else:
            new.append(root)
    if new:
        for line in add_folders(config, new):
            print(line)
        print(f"Next: {args.program} index")
    return code


def add_folders(config: Config, roots: Sequence[Path]) -> list[str]:
    """Write folders into the settings; returns what to say of it, a line each.

    Raises:
        ConfigError: The settings file cannot be written.
    """
    with settings_lock(config.file):
        raw = read_raw(config.file)
        before = _named(raw)
        raw.pop("defaultRoot", None)
        write_raw(config.file, {**raw, "defaultRoots": [*before, *(str(root) for root in roots)]})
    added = [f"added {safe_line(str(root))}" for root in roots]
    nested = _nested({folder.root for folder in config.folders}, roots)
    return added + [
        f"{safe_line(str(inner))} lies in {safe_line(str(outer))}: its files are searched once, as its own"
        for inner, outer in nested
    ]


def _nested(before: Collection[Path], new: Collection[Path]) -> list[tuple[Path, Path]]:
    """Pairs of a folder and one that holds it, of which one is new; of several that hold it the innermost."""
    known = {*before, *new}
    pairs = []
    for inner in sorted(known):
        outer = next((above for above in inner.parents if above in known), None)
        if outer and (inner in new or outer in new):
            pairs.append((inner, outer))
    return pairs


def _named(raw: Mapping[str, Any]) -> list[str]:
    """The folders a settings file names; one may stand without the list."""
    roots = raw.get("defaultRoots") or raw.get("defaultRoot") or []
    return [roots] if isinstance(roots, str) else list(roots)


def run_list(args: argparse.Namespace) -> int:
    """One line per folder."""
    config = open_config(args)
    rows = [(folder, "") for folder in config.folders]
    rows += [(folder, " (missing on disk)") for folder in name_folders(config.missing)]
    for folder, note in rows:
        print(f"{safe_line(folder.name)}\t{safe_line(str(folder.root))}{note}")
    if not rows:
        print(f"no folders yet; add one: {args.program} add PATH")
    return EXIT_DONE


def run_remove(args: argparse.Namespace) -> int:
    """Take folders out of the settings and, unless told otherwise, their text out of the index."""
    from gnomon.corpus import Corpus
    from gnomon.corpus.places import is_meant

    config = open_config(args)
    corpus = Corpus(config)
    folders = (*config.folders, *name_folders(config.missing))
    code = EXIT_DONE
    for asked in args.folders:
        matching = [folder for folder in folders if is_meant(folder, asked)]
        if not matching:
            told = f"no such folder in the settings: {safe_line(asked)} (see: {args.program} list)"
            print(f"{args.program}: {told}", file=sys.stderr)
            code = EXIT_NOTHING_FOUND
        for folder in matching:
            _remove(corpus, folder, keep_index=args.keep_index)
    corpus.close()
    return code


def _remove(corpus: Any, folder: Folder, *, keep_index: bool) -> None:
    from gnomon.cli.progress import telling_of_waiting

    # All or nothing: what can fail of writing the settings comes first, then the text goes, then they take effect.
    forgotten = -1
    file = corpus.config.file
    with settings_lock(file):
        raw = read_raw(file)
        kept = [root for root in _named(raw) if real(file.parent / expanded(root)) != folder.root]
        raw.pop("defaultRoot", None)
        try:
            with replacing_raw(file, {**raw, "defaultRoots": kept}), telling_of_waiting() as listener:
                forgotten = 0 if keep_index else corpus.forget(folder, listener=listener)
        except ConfigError as e:
            if forgotten > 0:
                raise ConfigError(f"{e}; the text of {folder.root} is forgotten, until the next index run") from e
            raise
    what = "its text stays searchable" if keep_index else f"{number(forgotten, 'document')} forgotten"
    print(f"removed {safe_line(str(folder.root))}; {what}")
