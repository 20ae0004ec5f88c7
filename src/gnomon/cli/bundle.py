"""``gnomon bundle``: hand the vectors of an index to others, so that a team embeds once."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from gnomon.cli.render import number, safe_line
from gnomon.cli.session import open_corpus
from gnomon.errors import EXIT_DONE


def add_parser(commands: Any) -> None:
    """Add the command to the command line."""
    parser = commands.add_parser(
        "bundle",
        help="hand the vectors of an index to others, so that a team embeds once",
        description="A bundle holds vectors by content: no path, no text. Whoever imports it embeds no known passage.",
    )
    parser.add_argument("what", choices=("export", "import"), help="write a bundle, or take one over")
    parser.add_argument("file", metavar="FILE", help="the bundle")
    parser.add_argument(
        "--key-file", metavar="FILE", help="shared key: signs what is exported, is demanded of an import"
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Export or import, and say what it came to."""
    from gnomon.corpus.bundling import export_bundle, import_bundle
    from gnomon.index.bundle import read_secret

    corpus = open_corpus(args)
    file = Path(args.file).expanduser()
    secret = read_secret(Path(args.key_file).expanduser()) if args.key_file else None
    if args.what == "export":
        count = export_bundle(corpus, file, secret=secret)
        size = file.stat().st_size / 1e6
        print(f"{number(count, 'vector')} in {safe_line(str(file))} ({size:.1f} MB{', signed' if secret else ''})")
        return EXIT_DONE
    done = import_bundle(corpus, file, secret=secret)
    print(f"{number(done.count, 'vector')} in the bundle, {done.new} of them new here; run: gnomon index")
    if done.signed and not secret:
        print("its signature was not checked: no --key-file was given")
    return EXIT_DONE
