"""``gnomon mcp`` (also ``serve``): serve coding agents over the Model Context Protocol."""

from __future__ import annotations

import argparse
import logging
import sys
from typing import Any

from gnomon.cli.arguments import whole
from gnomon.cli.session import open_config


def add_parser(commands: Any) -> None:
    """Add the command to the command line."""
    parser = commands.add_parser(
        "mcp",
        aliases=["serve"],
        help="serve coding agents over MCP",
        description="Speaks over standard input and output, as a client starts it; `gnomon install` registers it.",
    )
    parser.add_argument("--http", action="store_true", help="streamable HTTP on the loopback instead of stdio")
    parser.add_argument(
        "--host", default="127.0.0.1", metavar="ADDRESS", help="address to listen on (default: %(default)s)"
    )
    parser.add_argument(
        "--port", type=whole(0, 65535), default=8765, metavar="N", help="port to listen on (default: %(default)s)"
    )
    parser.add_argument("--token-file", metavar="FILE", help="file with a bearer token that clients must send")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Serve until the client is gone."""
    from gnomon.trust import require_trust

    config = open_config(args)
    require_trust(config)
    errors = logging.StreamHandler(sys.stderr)
    errors.setLevel(logging.WARNING)  # of the handler: a client may ask the logger for more
    logging.basicConfig(handlers=[errors], level=logging.WARNING, format="gnomon: %(message)s")
    if args.http:
        from gnomon.mcp.http import serve_http

        return serve_http(config, host=args.host, port=args.port, token_file=args.token_file)
    from gnomon.mcp.stdio import serve_stdio

    return serve_stdio(config)
