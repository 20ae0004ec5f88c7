"""Serving one client over standard input and output, from its first message to its end."""

from __future__ import annotations

import gc
import os
import sys
import threading
from typing import TYPE_CHECKING, Any, cast

from gnomon.config import Config
from gnomon.mcp.guard import guard
from gnomon.mcp.hello import Hello
from gnomon.mcp.identity import identity
from gnomon.mcp.wire import Output, Wire, claim_standard_streams

if TYPE_CHECKING:
    from gnomon.mcp.server import GnomonServer

_PARENT_SECONDS = 0.5
# The client gives two seconds, also on a busy machine; what runs longer than this after it has gone is ended with the
# process: every write is a transaction.
_GRACE_SECONDS = 0.8


def serve_stdio(config: Config) -> int:
    """Serve until standard input closes or the parent process is gone; never returns to a running interpreter.

    Threads may still be inside the inference engine; ending the process is what is safe then, since every write is a
    transaction and the writer's lock dies with the process.
    """
    source, sink = claim_standard_streams()
    guard(source.fileno())
    wire = Wire(source, sink, Hello(identity(config)), ended=_end_soon)
    wire.start()
    threading.Thread(target=_end_with_parent, args=(os.getppid(),), daemon=True).start()
    # Collecting garbage among half a million objects that all stay costs a fifth of the import.
    gc.disable()
    import anyio

    from gnomon.mcp.server import GnomonServer

    gc.freeze()
    gc.enable()
    server = GnomonServer(config)
    anyio.run(_serve, server, wire)
    server.stop()
    sys.stderr.flush()
    os._exit(0)


async def _serve(server: GnomonServer, wire: Wire) -> None:
    import anyio
    import anyio.to_thread
    from mcp.server.stdio import stdio_server

    built = server.build()
    async with (
        stdio_server(cast("Any", wire.attach()), cast("Any", Output(wire))) as (read_stream, write_stream),
        anyio.create_task_group() as group,
    ):
        group.start_soon(_warm_up, server)
        await built.run(read_stream, write_stream, built.create_initialization_options())
        group.cancel_scope.cancel()


async def _warm_up(server: GnomonServer) -> None:
    """Start the service before it is asked for, as soon as the protocol is served."""
    import anyio.to_thread

    await anyio.to_thread.run_sync(server.service, abandon_on_cancel=True)


def _end_soon() -> None:
    timer = threading.Timer(_GRACE_SECONDS, os._exit, (0,))
    timer.daemon = True
    timer.start()


def _end_with_parent(parent: int) -> None:
    while os.getppid() == parent:
        threading.Event().wait(_PARENT_SECONDS)
    os._exit(0)
