"""What every command shares: the corpus of this call, and what kind of output is wanted."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from gnomon.config import Config, find_config, load_config, prepare_environment
from gnomon.errors import ConfigError, UsageError

if TYPE_CHECKING:
    from gnomon.corpus import Corpus

# Commands that write the settings file where there is none.
_MAKE_SETTINGS = frozenset({"add", "index", "init", "scaffold", "config"})


def settings_file(args: argparse.Namespace) -> Path:
    """The settings file that governs this call.

    Raises:
        ConfigError: One is named and missing, and the command is none that makes it.
    """
    file = find_config(args.config, walk=args.program != "semantic-search")
    if args.config and args.command not in _MAKE_SETTINGS and not file.exists():
        raise ConfigError(f"no settings file at {file}; `{args.program} add PATH --config FILE` makes one")
    return file


def open_config(args: argparse.Namespace) -> Config:
    """The settings that govern this call; nothing heavy is imported.

    Raises:
        ConfigError: The settings file is missing or cannot be read.
    """
    prepare_environment()
    return load_config(settings_file(args))


def open_corpus(args: argparse.Namespace) -> Corpus:
    """The corpus of this call; a project's settings that reach outside it must be trusted first.

    Raises:
        ConfigError: The settings file cannot be read or is not trusted.
    """
    from gnomon.corpus import Corpus
    from gnomon.trust import require_trust

    config = open_config(args)
    require_trust(config)
    return Corpus(config)


def is_terminal() -> bool:
    """Whether a person looks at standard output."""
    return sys.stdout.isatty()


def read_text(path: str) -> str:
    """The text of a file that was named on the command line.

    Raises:
        UsageError: It cannot be read, or is not UTF-8.
    """
    try:
        return Path(path).read_text(encoding="utf-8-sig")
    except OSError as e:
        raise UsageError(f"cannot read {path}: {e.strerror or e}") from e
    except UnicodeDecodeError as e:
        raise UsageError(f"cannot read {path}: {e}") from e
