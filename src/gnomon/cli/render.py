"""Values to text for people: the only place that knows colours, columns and what is safe to print."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gnomon.config import environment, working_dir
from gnomon.figures import number
from gnomon.index.report import FolderReport, IndexReport
from gnomon.lines import lines
from gnomon.values import Answer, Folder, Hit, display_path

if TYPE_CHECKING:
    from gnomon.search.grep import GrepMatch

# C0 and C1 controls (terminal escapes start with them), line ends by another name, marks that reorder text on screen.
_UNSAFE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
_LINE_OF_SOURCE = re.compile(r"line (\d+)")
_PREVIEW_CHARS = 160


def safe(text: str) -> str:
    r"""Text that no terminal obeys: controls are shown as ``\xNN``; tabs and line feeds stay.

    >>> safe("a\x1b[31m")
    'a\\x1b[31m'
    """
    return _UNSAFE.sub(_escape, display_path(text))


def safe_line(text: str) -> str:
    r"""The same on one line: line feeds and tabs are shown too.

    >>> safe_line("a\nb")
    'a\\nb'
    """
    return safe(text).replace("\n", "\\n").replace("\t", "\\t")


def _escape(match: re.Match[str]) -> str:
    code = ord(match.group())
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


class Style:
    """Colours of a terminal, or none."""

    def __init__(self, *, colour: bool) -> None:
        self.colour = colour

    def __call__(self, text: str, code: str) -> str:
        """Text in the colour of an SGR code, "1" for bold."""
        return f"\x1b[{code}m{text}\x1b[0m" if self.colour and text else text


def location(folder: str | Path, path: str, line: int, anchor: str = "") -> str:
    """``path:line`` from the working directory where the file lies below it, else in full; terminals link it.

    The text of a web page has other lines than its source; its anchors name those of the source, which editors show.
    """
    in_source = _LINE_OF_SOURCE.fullmatch(anchor)
    full = Path(folder) / path
    here = working_dir()
    name = full.relative_to(here) if full.is_relative_to(here) else full
    return f"{safe_line(str(name))}:{in_source[1] if in_source else line}"


def page(anchor: str) -> str:
    """``(page 12)``; "" where lines are the way back."""
    return f"({safe_line(anchor)})" if anchor and not _LINE_OF_SOURCE.fullmatch(anchor) else ""


def json_text(value: Any, *, indent: int | None = 2) -> str:
    r"""A value as JSON that every reader takes: names of files as they are shown, not with halves of characters.

    >>> json_text(["caf\udce9.md"], indent=None)
    '["caf\\\\xe9.md"]'
    """
    return json.dumps(_carried(value), indent=indent)


def _carried(value: Any) -> Any:
    if isinstance(value, str):
        return display_path(value)
    if isinstance(value, dict):
        return {_carried(key): _carried(each) for key, each in value.items()}
    return [_carried(each) for each in value] if isinstance(value, list | tuple) else value


def remarks(hit: Hit) -> str:
    """What to know of the document: its life, its date, and whether it changed since."""
    from gnomon.search.fields import mark

    parts = [mark(hit) or hit.date, "changed or gone since it was indexed" if hit.stale else ""]
    return "; ".join(safe_line(part) for part in parts if part)


def telling_line(hit: Hit, words: Sequence[str]) -> tuple[int, str]:
    """The line of a passage that holds most of the words, and its number in the file."""
    from gnomon.cli.highlight import found_words

    numbered = enumerate(map(str.strip, lines(hit.text)), start=hit.start_line)
    return max(numbered, key=lambda each: (bool(each[1]), len(found_words(each[1], words)), -each[0]))


def preview(line: str, words: Sequence[str], style: Style) -> str:
    """A line cut to one of a terminal, words highlighted."""
    from gnomon.cli.highlight import highlighted

    shown = safe_line(line[:_PREVIEW_CHARS]) + ("…" if len(line) > _PREVIEW_CHARS else "")
    return highlighted(shown, words, lambda word: style(word, "1;33")) if style.colour else shown


def answer(result: Answer, words: Sequence[str], *, colour: bool) -> str:
    """A block per hit for people."""
    style = Style(colour=colour)
    blocks = [_block(hit, words, style) for hit in result.hits]
    return "\n".join(blocks) if blocks else safe(result.refusal or "No results.")


def _block(hit: Hit, words: Sequence[str], style: Style) -> str:
    from gnomon.search.fields import told_evidence

    at, line = telling_line(hit, words)
    where = f"{style(location(hit.folder, hit.path, at, hit.anchor), '36')} {page(hit.anchor)}".rstrip()
    crumbs = " › ".join(safe_line(part) for part in hit.breadcrumb or hit.symbols[:3])
    head = f"{hit.rank:2d}. {where}  {style(f'[{told_evidence(hit)}]', '2')}"
    life = remarks(hit)
    head += (f"  {crumbs}" if crumbs else "") + (f"  [{life}]" if life else "")
    return f"{head}\n    {preview(line, words, style)}"


def notes_answer(result: Answer, words: Sequence[str], *, colour: bool) -> str:
    """Grounded hits: ``[semantic 0.712]  reference/auth.md › Auth > Refresh  [2026-01-14]`` and a line of the text."""
    from gnomon.search.fields import told_notes_evidence

    style = Style(colour=colour)
    blocks = []
    for hit in result.hits:
        crumbs = " > ".join(safe_line(part) for part in hit.breadcrumb)
        life = remarks(hit)
        place = style(safe_line(hit.path), "36") + (f" ({safe_line(hit.anchor)})" if hit.anchor else "")
        head = f"[{told_notes_evidence(hit)}]  {place}" + (f" › {crumbs}" if crumbs else "")
        _, line = telling_line(hit, words)
        blocks.append(f"{head}{f'  [{life}]' if life else ''}\n    {preview(line, words, style)}")
    return "\n".join(blocks) if blocks else safe(result.refusal or "No relevant results")


def plain_answer(result: Answer, words: Sequence[str]) -> str:
    """A line per hit for other programs: path:line, score, evidence, that line and page, separated by tabs."""
    rows = [_row(hit, words) for hit in result.hits]
    return "\n".join(rows) if rows else safe(result.refusal or "No results.")


def _row(hit: Hit, words: Sequence[str]) -> str:
    from gnomon.search.fields import told_evidence

    at, line = telling_line(hit, words)
    life = remarks(hit)
    fields = [
        location(hit.folder, hit.path, at, hit.anchor),
        f"{hit.score:.4f}",
        told_evidence(hit),
        preview(line, words, Style(colour=False)),
    ]
    return "\t".join([*fields, *filter(None, (page(hit.anchor), f"[{life}]" if life else ""))])


def grep_match(match: GrepMatch, style: Style) -> str:
    """``my-api  ·  src/auth/session.js:42  the line``."""
    place = f"{safe_line(match.path)} ({safe_line(match.anchor)})" if match.anchor else f"{match.path}:{match.line}"
    start, end = match.match.start, match.match.end
    line = safe(match.text[:start]) + style(safe(match.text[start:end]), "1;33") + safe(match.text[end:])
    return f"{safe_line(match.folder.name)}  ·  {style(safe_line(place), '36')}  {line}"


def plain_grep_match(match: GrepMatch) -> str:
    """``path:line:text`` for other programs, as every grep has it; behind a tab the page, where there is one."""
    where = location(match.folder.root, match.path, match.line, match.anchor)
    told = page(match.anchor)
    return f"{where}:{safe(match.text)}" + (f"\t{told}" if told else "")


def explanation(hit: Hit, *, vectors_missing: int = 0) -> str:
    """Arms, ranks, boosts and penalties of a hit, in words.

    Args:
        hit: Asked for with ``explain``.
        vectors_missing: Of its answer; tells a passage that has no vector yet from a question that was not embedded.
    """
    proof = hit.evidence
    arms = [f"words rank {proof.word_rank} (bm25 {hit.bm25:.2f})" if proof.word_rank else "not among the words' best"]
    unknown = "no vector yet" if vectors_missing else "meaning was not searched"
    cosine = unknown if hit.cosine is None else f"cosine {hit.cosine:.3f}"
    arms.append(
        f"meaning rank {proof.vector_rank} ({cosine})" if proof.vector_rank else f"not among the nearest ({cosine})"
    )
    boosts = ", ".join(f"{name} x{factor:.2f}" for name, factor in proof.boosts) or "no boosts"
    words = ", ".join(safe_line(word) for word in proof.words) or "none"
    return f"{hit.rank:2d}. {'; '.join(arms)}; {safe_line(boosts)}; words found: {words}; score {hit.score:.4f}"


def colour_wanted() -> bool:
    """Colours on a terminal, unless NO_COLOR is set or the terminal is dumb (https://no-color.org)."""
    return not environment("NO_COLOR") and can_rewrite()


def can_rewrite() -> bool:
    """Whether a terminal knows more than lines: a dumb one, such as an editor's, shows escapes as signs."""
    return environment("TERM") != "dumb"


def folder_header(folder: Folder, position: int, total: int) -> str:
    """``[1/3] my-api /home/me/code/my-api``."""
    return f"[{position}/{total}] {safe_line(folder.name)} {safe_line(str(folder.root))}"


def folder_totals(report: FolderReport) -> str:
    """What one folder came to, on one line."""
    parts = [
        f"{report.files_processed} indexed",
        f"{report.files_unchanged} unchanged",
        f"{len(report.skips)} skipped",
        f"{report.files_deleted} deleted",
        number(report.chunks_written, "chunk"),
    ]
    if report.redactions:
        parts.append(f"{number(report.redactions, 'secret')} replaced")
    return "  " + ", ".join(parts) + (" (truncated)" if report.truncated else "")


def totals(report: IndexReport) -> str:
    """What the whole run came to, on one line."""
    folders = report.folders
    indexed = sum(f.files_processed for f in folders)
    skipped = sum(len(f.skips) for f in folders)
    deleted = sum(f.files_deleted for f in folders)
    chunks = sum(f.chunks_written for f in folders)
    text = f"Total: {indexed} indexed, {skipped} skipped, {deleted} deleted, {number(chunks, 'chunk')}"
    text += f" ({report.chunks_embedded} embedded, {report.chunks_reused} reused) in {report.seconds:.1f} s"
    if report.chunks_pending:
        are = "is" if report.chunks_pending == 1 else "are"
        text += f"; {number(report.chunks_pending, 'chunk')} {are} found by words only until the next run"
    return text


def size(size_bytes: int) -> str:
    """``12.3 MB``."""
    value = float(size_bytes)
    for unit in ("B", "kB", "MB", "GB"):
        if value < 1000 or unit == "GB":
            break
        value /= 1000
    return f"{value:.0f} {unit}" if unit == "B" else f"{value:.1f} {unit}"
