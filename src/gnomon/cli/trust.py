"""``gnomon trust``: let a project's settings reach beyond the project."""

from __future__ import annotations

import argparse
from typing import Any

from gnomon.cli import render
from gnomon.config import find_config, load_config
from gnomon.errors import EXIT_DONE, EXIT_NOTHING_FOUND, ConfigError
from gnomon.trust import grant_trust, revoke_trust, settings_digest, untrusted_reasons


def add_parser(commands: Any) -> None:
    """Add the command to the command line."""
    parser = commands.add_parser(
        "trust",
        help="trust the settings of a project",
        description="Settings that come with a project may not point outside it or name a server until you trust them. "
        "Trust is for the file as it is now: when it changes, it has to be trusted anew.",
    )
    parser.add_argument("--revoke", action="store_true", help="take the trust back")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Remember or forget that the user trusts the settings that govern this folder."""
    file = find_config(args.config)
    name = render.safe_line(str(file))
    if args.revoke:
        known = revoke_trust(file)
        print(f"{name} is no longer trusted" if known else f"{name} was not trusted")
        return EXIT_DONE if known else EXIT_NOTHING_FOUND
    if not file.is_file():
        raise ConfigError(f"there is no settings file at {name}")
    digest = settings_digest(file)  # before it is read: what is shown below is what is trusted
    reasons = untrusted_reasons(load_config(file))
    if not reasons:
        print(f"{name} asks for nothing that needs trust")
        return EXIT_DONE
    grant_trust(file, digest)
    print(f"Trusted, until it changes: {name}")
    for reason in reasons:
        print(f"  - {render.safe_line(reason)}")
    return EXIT_DONE
