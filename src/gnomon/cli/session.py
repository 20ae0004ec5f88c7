"""What every command shares: the corpus of this call, and what kind of output is wanted."""

from __future__ import annotations

import argparse
import sys

from gnomon.config import Config, find_config, load_config, prepare_environment
from gnomon.corpus import Corpus
from gnomon.errors import ConfigError

# Commands that write the settings file where there is none.
_MAKE_SETTINGS = frozenset({"add", "index", "init", "scaffold", "config"})


def open_config(args: argparse.Namespace) -> Config:
    """The settings that govern this call.

    Raises:
        ConfigError: The settings file cannot be read.
    """
    prepare_environment()
    file = find_config(args.config, walk=args.program != "semantic-search")
    if args.config and args.command not in _MAKE_SETTINGS and not file.exists():
        raise ConfigError(f"no settings file at {file}; `{args.program} add PATH --config FILE` makes one")
    return load_config(file)


def open_corpus(args: argparse.Namespace) -> Corpus:
    """The corpus of this call; a project's settings that reach outside it must be trusted first.

    Raises:
        ConfigError: The settings file cannot be read or is not trusted.
    """
    from gnomon.trust import require_trust

    config = open_config(args)
    require_trust(config)
    return Corpus(config)


def is_terminal() -> bool:
    """Whether a person looks at standard output."""
    return sys.stdout.isatty()
