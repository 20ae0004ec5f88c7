"""The protocol: the official SDK's low-level server around the tools, whatever the transport."""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial, wraps
from typing import Any

import anyio
import anyio.to_thread
import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError

from gnomon.config import Config
from gnomon.errors import ConfinementError, DocumentError, GnomonError, UsageError
from gnomon.mcp.arguments import check_arguments
from gnomon.mcp.guide import PROMPTS, prompt_text
from gnomon.mcp.hello import tool_fields
from gnomon.mcp.identity import identity
from gnomon.mcp.journal import Journal
from gnomon.mcp.messages import encodable

log = logging.getLogger("gnomon.mcp")

_PROGRESS_SECONDS = 1.0
_LOG_LEVEL = "io.modelcontextprotocol/logLevel"  # of one request, since revision 2026-07-28
Context = ServerRequestContext[Any]
Handler = Callable[[Context, Any], Awaitable[Any]]


class GnomonServer:
    """One server; the service behind it is made with the first call, so that the handshake waits for nothing."""

    def __init__(self, config: Config) -> None:
        self._config = config
        self._service: Any = None
        self._making = threading.Lock()
        self._identity = identity(config)
        self._tools = {row.name: row for row in self._identity.tools}
        self._journal = Journal()

    def build(self) -> Server[Any]:
        """The SDK's server with our handlers."""
        self._journal.open()
        built = Server[Any](
            self._identity.name,
            version=self._identity.version,
            instructions=self._identity.instructions,
            on_list_tools=self._list_tools,
            on_call_tool=_coded(self._call_tool),
            on_list_resources=_coded(self._list_resources),
            on_list_resource_templates=self._list_templates,
            on_read_resource=_coded(self._read_resource),
            on_list_prompts=self._list_prompts,
            on_get_prompt=_coded(self._get_prompt),
        )
        # Not as an argument like the others: that warns of a revision that has it no more.
        built.add_request_handler("logging/setLevel", types.SetLevelRequestParams, self._set_level)
        return built

    def service(self) -> Any:
        """The service, started on first use; heavy modules are imported here and not before."""
        with self._making:
            if self._service is None:
                from gnomon.mcp.service import Service

                service = Service(self._config)
                service.start()
                self._service = service
            return self._service

    def stop(self) -> None:
        """End the service's threads."""
        self._journal.close()
        if self._service is not None:
            self._service.stop()

    # -- tools ------------------------------------------------------------------------------------------------------
    async def _list_tools(self, _context: Context, _params: Any) -> types.ListToolsResult:
        return types.ListToolsResult(
            tools=[types.Tool.model_validate(tool_fields(row)) for row in self._tools.values()]
        )

    async def _call_tool(self, context: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        row = self._tools.get(params.name)
        if row is None:
            raise MCPError(types.INVALID_PARAMS, _carried(f"no tool {params.name}; there is: {', '.join(self._tools)}"))
        try:
            arguments = check_arguments(row, params.arguments or {})
            with self._journal.during((context.meta or {}).get(_LOG_LEVEL), partial(_send_entry, context, own=True)):
                fields, text = await self._run(context, row.name, arguments)
        except GnomonError as e:
            return _failure(str(e))
        except Exception as e:
            log.exception("a fault of ours in %s", row.name)
            return _failure(f"a fault of ours in {row.name}: {type(e).__name__}: {e}; its report is on standard error")
        # Only what JSON carries: undecodable bytes of names were shown before, lone surrogates in text are not text.
        fields = json.loads(json.dumps(fields).encode("ascii"))
        safe = text.encode("utf-8", "replace").decode("utf-8")
        return types.CallToolResult(
            content=[types.TextContent(type="text", text=safe)], structured_content=encodable(fields)
        )

    async def _run(self, context: Context, name: str, arguments: dict[str, Any]) -> tuple[dict[str, Any], str]:
        service = self._service or await anyio.to_thread.run_sync(self.service)
        from gnomon.mcp.progress import Progress
        from gnomon.mcp.tools import HANDLERS, Call

        call = Call(service, arguments, Progress(), threading.Event())
        try:
            async with _reporting(context, call.progress):
                return await anyio.to_thread.run_sync(partial(HANDLERS[name], call), abandon_on_cancel=True)
        except BaseExceptionGroup as e:
            raise _first(e) from e
        finally:
            call.cancelled.set()

    # -- log --------------------------------------------------------------------------------------------------------
    async def _set_level(self, context: Context, params: types.SetLevelRequestParams) -> types.EmptyResult:
        # Sessions are made anew for each request; what the client said of itself is one object per connection.
        self._journal.follow(id(context.session.client_params), params.level, partial(_send_entry, context))
        return types.EmptyResult()

    # -- resources and prompts --------------------------------------------------------------------------------------
    async def _list_resources(self, _context: Context, params: Any) -> types.ListResourcesResult:
        from gnomon.mcp.resources import list_resources

        service = await anyio.to_thread.run_sync(self.service)
        cursor = params.cursor if params else None
        rows, following = await anyio.to_thread.run_sync(list_resources, service.corpus, cursor)
        resources = [types.Resource(uri=uri, name=name, mime_type="text/plain") for uri, name in rows]
        return types.ListResourcesResult(resources=resources, next_cursor=following)

    async def _list_templates(self, _context: Context, _params: Any) -> types.ListResourceTemplatesResult:
        template = types.ResourceTemplate(
            uri_template="gnomon://{folder}/{+path}", name="document", description="A file of the folders, as text."
        )
        return types.ListResourceTemplatesResult(resource_templates=[template])

    async def _read_resource(
        self, _context: Context, params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        from gnomon.mcp.resources import read_resource

        service = await anyio.to_thread.run_sync(self.service)
        text = await anyio.to_thread.run_sync(read_resource, service.corpus, str(params.uri))
        content = types.TextResourceContents(uri=params.uri, mime_type="text/plain", text=text)
        return types.ReadResourceResult(contents=[content])

    async def _list_prompts(self, _context: Context, _params: Any) -> types.ListPromptsResult:
        prompts = [
            types.Prompt(
                name=name,
                description=description,
                arguments=[types.PromptArgument(name="question", description="What to find out.", required=True)],
            )
            for name, (description, _) in PROMPTS.items()
        ]
        return types.ListPromptsResult(prompts=prompts)

    async def _get_prompt(self, _context: Context, params: types.GetPromptRequestParams) -> types.GetPromptResult:
        if params.name not in PROMPTS:
            raise MCPError(types.INVALID_PARAMS, _carried(f"no prompt {params.name}; there is: {', '.join(PROMPTS)}"))
        text = prompt_text(params.name, (params.arguments or {}).get("question", ""))
        message = types.PromptMessage(role="user", content=types.TextContent(type="text", text=text))
        return types.GetPromptResult(description=PROMPTS[params.name][0], messages=[message])


def _coded(handler: Handler) -> Handler:
    """The same handler, with an error code of the protocol for whatever it raises; the SDK's own would be 0."""

    @wraps(handler)
    async def answer(context: Context, params: Any) -> Any:
        try:
            return await handler(context, params)
        except MCPError:
            raise
        except (UsageError, ConfinementError, DocumentError) as e:
            raise MCPError(types.INVALID_PARAMS, _carried(str(e))) from e
        except GnomonError as e:
            raise MCPError(types.INTERNAL_ERROR, _carried(str(e))) from e
        except Exception as e:
            log.exception("a fault of ours in %s", handler.__name__)
            text = f"a fault of ours: {type(e).__name__}: {e}; its report is on standard error"
            raise MCPError(types.INTERNAL_ERROR, _carried(text)) from e

    return answer


@asynccontextmanager
async def _reporting(context: Context, progress: Any) -> AsyncIterator[None]:
    """Report to the client's progress token meanwhile; costs nothing where it gave none."""
    if (context.meta or {}).get("progress_token") is None:
        yield
        return
    async with anyio.create_task_group() as group:
        group.start_soon(_report, context, progress)
        yield
        group.cancel_scope.cancel()


async def _report(context: Context, progress: Any) -> None:
    """Tell the client's progress token now and then; a number that stands still is told with a tiny step."""
    last = -1.0
    while True:
        await anyio.sleep(_PROGRESS_SECONDS)
        last = max(float(progress.done), last + 1e-3)
        await context.session.report_progress(last, progress.total or None, progress.message)


async def _send_entry(context: Context, entry: dict[str, Any], *, own: bool = False) -> None:
    """Send a log entry, on the stream of its own request where the revision wants it there."""
    params = types.LoggingMessageNotificationParams.model_validate(entry)
    notification = types.LoggingMessageNotification(params=params)
    await context.session.send_notification(notification, related_request_id=context.request_id if own else None)


def _failure(message: str) -> types.CallToolResult:
    return types.CallToolResult(content=[types.TextContent(type="text", text=_carried(message))], is_error=True)


def _carried(message: str) -> str:
    """The message with what UTF-8 cannot carry escaped, and without what a terminal obeys: it may hold any path."""
    from gnomon.mcp.text import unobeyed

    return unobeyed(message.encode("utf-8", "backslashreplace").decode("utf-8"))


def _first(group: BaseExceptionGroup[BaseException]) -> BaseException:
    inner = group.exceptions[0]
    return _first(inner) if isinstance(inner, BaseExceptionGroup) else inner
