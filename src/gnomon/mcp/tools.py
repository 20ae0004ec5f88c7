"""What each tool does: arguments in, fields and readable text out. Runs in worker threads; raises, never explains."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from gnomon.corpus import status_fields
from gnomon.corpus.asking import Asked, options_for
from gnomon.corpus.globs import placed_glob
from gnomon.figures import number
from gnomon.index.run import IndexOptions
from gnomon.index.summary import summary
from gnomon.mcp import text
from gnomon.mcp.passages import fit, widen
from gnomon.mcp.progress import Progress
from gnomon.mcp.service import Service
from gnomon.search import SearchOptions
from gnomon.search.fields import answer_fields, grep_fields
from gnomon.values import Answer, display_path


@dataclass(frozen=True, slots=True)
class Call:
    """One call of a tool.

    Attributes:
        service: What the server keeps.
        arguments: Checked.
        progress: For the client's token.
        cancelled: Set when the client gave up.
    """

    service: Service
    arguments: Mapping[str, Any]
    progress: Progress
    cancelled: threading.Event


Result = tuple[dict[str, Any], str]


def search(call: Call) -> Result:
    """Hits as fields and as blocks of text."""
    return _answer(call, text.search_text)


def search_notes(call: Call) -> Result:
    """The same by the grounded policy, in the second predecessor's form."""
    return _answer(call, text.notes_text, ranking="grounded")


def gather(call: Call) -> Result:
    """Hits with lines of the file around them, as one Markdown block."""
    names = {str(folder.root): folder.name for folder in call.service.corpus.folders}
    return _answer(
        call,
        lambda answer: text.gather_text(answer, names),
        margin=call.arguments.get("contextLines", 0),
    )


def find_related(call: Call) -> Result:
    """Passages of other files near in meaning to one of this file."""
    arguments = call.arguments
    asked = Asked(k=arguments.get("k"), search_all=arguments.get("searchAll", False))
    options = options_for(call.service.corpus, asked)
    answer = call.service.find_related(arguments["filePath"], arguments["line"], options)
    return _fields(call, answer, "", 0), text.search_text(answer)


def list_folders(call: Call) -> Result:
    """Name and absolute path of each folder."""
    folders = call.service.corpus.folders
    rows = [{"name": display_path(f.name), "path": display_path(str(f.root))} for f in folders]
    return {"folders": rows}, "\n".join(
        f"{text.place(row['name'])}  {text.place(row['path'])}" for row in rows
    ) or "No folders yet; the user adds one with: gnomon add PATH"


def cat_file(call: Call) -> Result:
    """Lines of one document."""
    arguments = call.arguments
    passage = call.service.corpus.cat(
        arguments["filePath"], start_line=arguments.get("startLine"), end_line=arguments.get("endLine")
    )
    place = display_path(str(passage.folder.root / passage.path))
    fields = {
        "filePath": place,
        "text": text.clean(passage.text),
        "startLine": passage.start_line,
        "endLine": passage.end_line,
        "lineCount": passage.line_count,
        "extracted": passage.extracted,
    }
    head = f"{text.place(place)}:{passage.start_line}-{passage.end_line} of {number(passage.line_count, 'line')}"
    pages = ", ".join(f"{label} from line {number}" for number, label in passage.anchors)
    note = f" (text of a document; {pages or 'its lines are not those of the file'})" if passage.extracted else ""
    return fields, f"{head}{note}\n{text.fenced(passage.text)}"


def grep(call: Call) -> Result:
    """Lines by a pattern."""
    arguments = call.arguments
    corpus, glob = call.service.corpus, arguments.get("fileGlob")
    result = corpus.grep(
        arguments["pattern"],
        folder=arguments.get("folder", ""),
        file_glob=placed_glob(corpus.folders, glob) if glob else glob,
        case_sensitive=arguments.get("caseSensitive", False),
        max_results=arguments.get("maxResults", 50),
    )
    fields = grep_fields(result)
    for match in fields["matches"]:
        match["text"] = text.clean(match["text"])
    return fields, text.grep_text(fields)


def index(call: Call) -> Result:
    """Bring the index in step with the disk, with progress, until done or cancelled."""
    arguments = call.arguments
    config = call.service.corpus.config
    options = IndexOptions(
        force=arguments.get("force", False),
        max_files=arguments.get("maxFiles"),
        concurrency=arguments.get("concurrency", config["concurrency"]),
    )
    folders = [call.service.folder(arguments["root"])] if arguments.get("root") else None
    report = call.service.index_for_client(folders, options, call.progress, call.cancelled)
    fields = summary(report)
    return fields, text.summary_text(fields)


def status(call: Call) -> Result:
    """What the index holds, and how fresh it is."""
    service = call.service
    extra = {"changedFiles": service.freshness.count(), "modelState": service.model.state}
    fields = {**status_fields(service.corpus.status()), **extra}
    return fields, text.status_text(fields)


HANDLERS: dict[str, Callable[[Call], Result]] = {
    handler.__name__: handler
    for handler in (search, gather, search_notes, find_related, list_folders, cat_file, grep, index, status)
}


def _answer(call: Call, render: Callable[[Answer], str], *, ranking: str = "", margin: int = 0) -> Result:
    answer, degraded = call.service.search(
        call.arguments["query"], _options(call, ranking), progress=call.progress, stop=call.cancelled.is_set
    )
    wide = widen(answer.hits, call.service.corpus, margin)
    hits = fit(wide, call.arguments.get("maxTokens"))
    omitted = len(wide) - len(hits)
    if omitted:
        more = "1 more passage is" if omitted == 1 else f"{omitted} more passages are"
        left_out = f"{more} left out to stay below maxTokens."
        answer = replace(answer, notices=(*answer.notices, left_out))
    answer = replace(answer, hits=hits)
    return _fields(call, answer, degraded, omitted), render(answer)


def _fields(call: Call, answer: Answer, degraded: str, omitted: int) -> dict[str, Any]:
    fields = answer_fields(answer)
    fields["hits"] = [_compact(hit) for hit in fields["hits"]]
    changed = call.service.freshness.count()
    return {**fields, "degraded": degraded, "omitted": omitted, "changedFiles": changed}


def _compact(hit: dict[str, Any]) -> dict[str, Any]:
    """A hit without what says nothing, and without what another field says already: agents pay for each word."""
    hit["text"] = text.clean(hit["text"])
    for name in ("breadcrumb", "symbols"):
        hit[name] = [text.line(part) for part in hit[name]]
    redundant = {"folder", "path", "kind", "successor", *(["status"] if hit["status"] == "living" else [])}
    empty = {name for name, value in hit.items() if value is None or value in ("", [])}
    return {name: value for name, value in hit.items() if name not in (redundant | empty) - {"text"}}


def _options(call: Call, ranking: str) -> SearchOptions:
    arguments = call.arguments
    asked = Asked(
        ranking=ranking,
        k=arguments.get("k"),
        per_file=arguments.get("perFile"),
        folders=arguments.get("folders", ()),
        paths=arguments.get("paths", ()),
        exclude=arguments.get("exclude", ()),
        languages=arguments.get("languages", ()),
        kinds=arguments.get("kinds", ()),
        since=arguments.get("since", ""),
        as_of=arguments.get("asOf", ""),
        search_all=arguments.get("searchAll", False),
        min_confidence=arguments.get("minConfidence"),
    )
    return options_for(call.service.corpus, asked)
