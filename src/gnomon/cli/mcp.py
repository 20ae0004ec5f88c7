"""``gnomon mcp`` (also ``serve``): serve coding agents over the Model Context Protocol."""

from __future__ import annotations

import argparse
import logging
import sys
from typing import Any

from gnomon.config import find_config, load_config, prepare_environment


def add_parser(commands: Any) -> None:
    """Add the command to the command line."""
    parser = commands.add_parser("mcp", aliases=["serve"], help="serve coding agents over MCP")
    parser.add_argument("--http", action="store_true", help="streamable HTTP on the loopback instead of stdio")
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on (default: %(default)s)")
    parser.add_argument("--port", type=int, default=8765, help="port to listen on (default: %(default)s)")
    parser.add_argument("--token-file", metavar="FILE", help="file with a bearer token that clients must send")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Serve until the client is gone."""
    from gnomon.trust import require_trust

    # As `session.open_config`, without the import of all that a corpus is made of: the handshake waits for nothing.
    prepare_environment()
    config = load_config(find_config(args.config, walk=args.program != "semantic-search"))
    require_trust(config)
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="gnomon: %(message)s")
    if args.http:
        from gnomon.mcp.http import serve_http

        return serve_http(config, host=args.host, port=args.port, token_file=args.token_file)
    from gnomon.mcp.stdio import serve_stdio

    return serve_stdio(config)
