"""``gnomon bundle``: hand the vectors of an index to others, so that a team embeds once."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gnomon.cli.render import safe_line
from gnomon.cli.session import open_corpus
from gnomon.config.paths import expanded
from gnomon.errors import EXIT_DONE, UsageError
from gnomon.figures import number

if TYPE_CHECKING:
    from gnomon.corpus import Corpus
    from gnomon.index.signing import Signer, Verifier


def add_parser(commands: Any) -> None:
    """Add the command to the command line."""
    parser = commands.add_parser(
        "bundle",
        help="hand the vectors of an index to others, so that a team embeds once",
        description="A bundle holds vectors by content: no path, no text. Whoever imports it embeds no known passage.",
    )
    parser.add_argument(
        "what", metavar="export|import", choices=("export", "import"), help="write a bundle, or take one over"
    )
    parser.add_argument("file", metavar="FILE", help="the bundle")
    keys = parser.add_mutually_exclusive_group()
    keys.add_argument("--key-file", metavar="FILE", help="shared key: signs what is exported, is demanded of an import")
    keys.add_argument(
        "--ssh-key", metavar="FILE", help="export: sign with this SSH key (or its .pub, held by an agent)"
    )
    keys.add_argument(
        "--signers", metavar="FILE", help="import: demand an SSH signature of one of these allowed signers"
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Export or import, and say what it came to.

    Raises:
        UsageError: A key of the other direction is named.
    """
    if args.what == "export" and args.signers:
        raise UsageError("--signers is for an import; an export is signed by --ssh-key or --key-file")
    if args.what == "import" and args.ssh_key:
        raise UsageError("--ssh-key is for an export; an import is checked by --signers or --key-file")
    return (_export if args.what == "export" else _import)(open_corpus(args), expanded(args.file), args)


def _export(corpus: Corpus, file: Path, args: argparse.Namespace) -> int:
    from gnomon.corpus.bundling import export_bundle

    signer = _signer(args)
    count = export_bundle(corpus, file, signer=signer)
    size = file.stat().st_size / 1e6
    print(f"{number(count, 'vector')} in {safe_line(str(file))} ({size:.1f} MB{', signed' if signer else ''})")
    return EXIT_DONE


def _import(corpus: Corpus, file: Path, args: argparse.Namespace) -> int:
    from gnomon.cli.progress import telling_of_waiting
    from gnomon.corpus.bundling import import_bundle

    with telling_of_waiting() as listener:
        done = import_bundle(corpus, file, verifier=_verifier(args), listener=listener)
    print(f"{number(done.count, 'vector')} in the bundle, {done.new} of them new here; run: gnomon index")
    if done.signer:
        print(f"signed by {safe_line(done.signer)}")
    elif done.signed:
        print("its signature was not checked: neither --key-file nor --signers was given")
    return EXIT_DONE


def _signer(args: argparse.Namespace) -> Signer | None:
    from gnomon.index.signing import SshKey, read_shared_key

    if args.ssh_key:
        return SshKey(expanded(args.ssh_key))
    return read_shared_key(expanded(args.key_file)) if args.key_file else None


def _verifier(args: argparse.Namespace) -> Verifier | None:
    from gnomon.index.signing import AllowedSigners, read_shared_key

    if args.signers:
        return AllowedSigners(expanded(args.signers))
    return read_shared_key(expanded(args.key_file)) if args.key_file else None
