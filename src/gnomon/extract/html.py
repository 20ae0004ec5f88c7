"""HTML as readable text: headings, lists, tables and preformatted blocks; scripts, styles and mark-up are left out.

Each block has the line of the source it stands on as its anchor. A page that is a template is code and stays as it is.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from gnomon.errors import DocumentError
from gnomon.extract.base import Limits
from gnomon.extract.composing import Composer, clean, one_line
from gnomon.extract.encodings import decode
from gnomon.extract.markup import Token, tokens
from gnomon.extract.tables import row_line
from gnomon.lines import LineIndex
from gnomon.values import Extracted, SkipReason

_TEMPLATE = re.compile(
    r"\{%-?\s*\w|\{\{[\s\w.\-#/>^&!|\"'()\[\]$:]{1,200}\}\}|<%[=\-@\s]|<\?(?:php|=)"
    r"|\s(?:v-(?:if|for|bind|on|model)|ng-\w+|\*ng\w+|th:\w+|x-data|hx-\w+)="
)
_HIDDEN = frozenset(
    {"script", "style", "template", "svg", "math", "iframe", "object", "head", "noembed", "noframes", "datalist"}
)
# Tables inside each other, as the layout of old pages had them.
_MOST_TABLES = 20
_IN_HEAD = frozenset({"title", "meta", "link", "base", "style", "script", "noscript", "template"})
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_BLOCKS = frozenset(
    {"address", "article", "aside", "blockquote", "body", "center", "dd", "details", "dialog", "dir", "div", "dl", "dt"}
    | {"fieldset", "figcaption", "figure", "footer", "form", "header", "hgroup", "hr", "html", "legend", "li", "main"}
    | {"menu", "nav", "ol", "optgroup", "option", "p", "pre", "search", "section", "select", "summary", "table"}
    | {"tbody", "tfoot", "thead", "tr", "ul", "caption", "title"}
)


def read(content: bytes, *, path: str, limits: Limits) -> Extracted:
    """The readable text of a page. See ``base.Format``."""
    del path
    decoded = decode(content)
    source = decoded.text
    if len(source) > limits.text_chars:
        raise DocumentError(SkipReason.TOO_LARGE, f"{len(source)} characters, limit {limits.text_chars}")
    if _TEMPLATE.search(source):
        return Extracted(source, "code", "html", encoding=decoded.encoding, warnings=decoded.warnings)
    composer = Composer(limits)
    lines = LineIndex(source)
    title = write(source, composer, label=lambda offset: f"line {lines.line_at(offset)}")
    composer.warnings[:0] = decoded.warnings
    if composer.is_empty and title:
        composer.block(title)
    document = composer.document("prose", "html", title)
    return Extracted(
        document.text, "prose", "html", document.title, decoded.encoding, document.anchors, document.warnings
    )


def write(source: str, composer: Composer, *, label: Callable[[int], str] | None = None) -> str:
    """Add the readable text of a page to a composer; the title is returned, "" where there is none.

    Args:
        source: HTML or XHTML.
        composer: Takes the blocks.
        label: Offset in the source to the label of an anchor; None sets none.
    """
    page = _Page(composer, label)
    for token in tokens(source):
        if composer.full:
            break
        if token.kind == "text":
            page.text(token)
        elif token.kind == "start":
            page.start(token)
        else:
            page.end(token.value)
    page.flush()
    return one_line(page.title)


class _Table:
    """The table being read: names of its columns, cells of its row."""

    def __init__(self) -> None:
        self.header: list[str] = []
        self.cells: list[str] = []
        self.is_header = True
        self.rows = 0


class _Page:
    """Collects inline text until a block ends."""

    def __init__(self, composer: Composer, label: Callable[[int], str] | None) -> None:
        self._composer = composer
        self._label = label
        self._inline: list[str] = []
        self._offset = -1
        self._hidden = 0
        self._hidden_by = ""
        self._heading = 0
        self._in_title = False
        self._pre = 0
        self._bullet = ""
        self._tight = False
        self._tables: list[_Table] = []
        self.title = ""

    # -- tokens ------------------------------------------------------------------------------------------------------
    def text(self, token: Token) -> None:
        if self._in_title:
            self.title = self.title or token.value
        elif not self._hidden:
            if self._offset < 0 and token.value.strip():
                self._offset = token.offset + len(token.value) - len(token.value.lstrip())
            self._inline.append(token.value if self._pre else re.sub(r"\s+", " ", token.value))

    def start(self, token: Token) -> None:
        name = token.value
        if name == "title" and not self._hidden_by.startswith("svg"):
            self._in_title = True
        elif name in _HIDDEN:
            self._hide(name)
        elif self._hidden and not self._ends_head(name):
            return
        elif name == "br":
            self._inline.append("\n")
        elif name == "img":
            self._inline.append(token.attributes().get("alt", ""))
        elif name in {"td", "th"}:
            self._cell(name)
        elif name in _BLOCKS or name in _HEADINGS:
            self._open_block(name)

    def end(self, name: str) -> None:
        if name == "title":
            self._in_title = False
        elif self._hidden:
            if name == self._hidden_by:
                self._hidden -= 1
                self._hidden_by = self._hidden_by if self._hidden else ""
        elif name in {"td", "th"}:
            self._end_cell()
        elif name in _BLOCKS or name in _HEADINGS:
            self._close_block(name)

    def _ends_head(self, name: str) -> bool:
        """A head that is never closed ends with the first element that cannot be in it."""
        if self._hidden_by != "head" or name in _IN_HEAD:
            return False
        self._hidden, self._hidden_by = 0, ""
        if name in _BLOCKS or name in _HEADINGS:
            self._open_block(name)
        return False

    def _hide(self, name: str) -> None:
        if not self._hidden:
            self.flush()
            self._hidden_by = name
        if name == self._hidden_by:
            self._hidden += 1

    # -- blocks ------------------------------------------------------------------------------------------------------
    def _open_block(self, name: str) -> None:
        if name == "pre":
            self.flush()
            self._pre += 1
        elif self._tables and name not in {"table", "tr", "thead", "tbody", "tfoot", "caption"}:
            self._inline.append(" ")  # blocks inside a cell are one line of it
            return
        if name == "table" and self._tables:
            self._end_cell()
        self.flush()
        if name == "table" and len(self._tables) < _MOST_TABLES:
            self._tables.append(_Table())
        elif name == "tr":
            self._end_row()
        elif name == "li":
            self._bullet = "- "
        self._heading = _HEADINGS.get(name, 0)

    def _close_block(self, name: str) -> None:
        if self._tables and name not in {"table", "tr", "caption", "pre"}:
            self._inline.append(" ")
            return
        if name in {"tr", "table"}:
            self._end_cell()
            self._end_row()
        self.flush()
        if name == "pre":
            self._pre = max(0, self._pre - 1)
        elif name == "table" and self._tables:
            self._tables.pop()
            self._tight = False
        elif name in {"ul", "ol"}:
            self._tight = False
            self._bullet = ""
        self._heading = 0

    def _cell(self, name: str) -> None:
        if not self._tables:
            self._inline.append(" ")
            return
        self._end_cell()
        table = self._tables[-1]
        table.is_header = table.is_header and name == "th"
        table.cells.append("")

    def _end_cell(self) -> None:
        if self._tables and self._tables[-1].cells:
            self._tables[-1].cells[-1] += " ".join("".join(self._inline).split())
            self._inline.clear()

    def _end_row(self) -> None:
        if not self._tables or not self._tables[-1].cells:
            return
        table = self._tables[-1]
        if len(self._tables) > 1:
            self._inline.append(" ".join(table.cells) + " ")  # a table inside a cell is text of that cell
            if len(self._tables[-2].cells):
                self._tables[-2].cells[-1] += f" {''.join(self._inline)}"
                self._inline.clear()
        else:
            self._place()
            self._composer.block(row_line(table.cells, table.header), gap="\n" if table.rows else "\n\n")
            if table.is_header and not table.rows and len(table.cells) > 1:
                table.header = list(table.cells)
        table.rows += 1
        table.cells, table.is_header = [], True

    def _place(self) -> None:
        if self._label is not None and self._offset >= 0:
            self._composer.anchor(self._label(self._offset))
        self._offset = -1

    def flush(self) -> None:
        """End the block being read."""
        raw = "".join(self._inline)
        if any(table.cells for table in self._tables):
            return
        self._inline.clear()
        if not raw.strip():
            return
        self._place()
        if self._pre:
            self._composer.block(f"```\n{clean(raw).strip(chr(10))}\n```")
        elif self._heading:
            self._composer.heading(raw, self._heading)
        else:
            body = "\n".join(" ".join(line.split()) for line in raw.split("\n")).strip()
            self._composer.block(self._bullet + body, gap="\n" if self._bullet and self._tight else "\n\n")
        self._tight = bool(self._bullet)
        self._bullet = ""
