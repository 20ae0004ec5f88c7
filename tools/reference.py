"""Writes the reference pages from the parser and the settings table; with ``--check`` fails where they differ.

python tools/reference.py [--check]
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

DOCS = Path(__file__).resolve().parents[1] / "docs" / "reference"


def settings_page() -> str:
    """Every key of the settings file with its default and meaning."""
    import json

    from gnomon.config.keys import KEYS

    rows = [
        f"| `{name}` | `{json.dumps(key.default)}` | {key.meaning} |"
        for name, key in sorted(KEYS.items(), key=lambda item: item[0].lower())
    ]
    head = "# Settings\n\nKeys of `config.json` and `.rag/config.json`. Unknown keys are kept and ignored.\n"
    return "\n".join([head, "| key | default | meaning |", "|---|---|---|", *rows, ""])


def command_page() -> str:
    """The help of every command."""
    from gnomon.cli.parser import COMMANDS, Parser, add_command, build_parser

    os.environ["COLUMNS"] = "100"  # argparse wraps to the terminal; the page must not depend on it
    parts = ["# Commands\n", "```text", build_parser("gnomon", []).format_help().rstrip(), "```\n"]
    for name, (_, meaning) in COMMANDS.items():
        if not meaning:
            continue
        commands = Parser(prog="gnomon").add_subparsers(parser_class=Parser)
        parser = add_command(commands, name)
        parts += [f"## {name}\n", "```text", parser.format_help().rstrip(), "```\n"]
    return "\n".join(parts)


def main() -> int:
    """Write or compare the pages."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true")
    check = parser.parse_args().check
    stale = []
    for name, text in (("settings.md", settings_page()), ("commands.md", command_page())):
        page = DOCS / name
        if page.exists() and page.read_text("utf-8") == text:
            continue
        stale.append(name)
        if not check:
            page.parent.mkdir(parents=True, exist_ok=True)
            page.write_text(text, "utf-8")
    if stale:
        print(("out of date, run python tools/reference.py: " if check else "written: ") + ", ".join(stale))
    return int(check and bool(stale))


if __name__ == "__main__":
    sys.exit(main())
