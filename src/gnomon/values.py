"""The values that steps hand to each other: frozen, without I/O, importing nothing of the package.

Paths are relative to their folder, with ``/`` between parts, and hold undecodable bytes as surrogate escapes
(``os.fsdecode``), so that they go from disk to output without loss. Spans are half-open, in characters of the
extracted text. Lines count from 1, both ends included.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Literal

Kind = Literal["code", "prose", "data"]
Label = Literal["semantic", "exact", "both"]
Ranking = Literal["hybrid", "grounded"]


# Of nanoseconds since 1970, as every store holds them: the years 1677 to 2262, while files may be of any.
_MAX_TIME_NS = 2**63 - 1

# A warning of a document that begins so says what of it is not in its text.
PARTLY = "Read in part: "


class SkipReason(StrEnum):
    """Why a file is not (wholly) in the index; the value is what users read."""

    GIT_IGNORED = "ignored by git"
    INDEX_IGNORED = "ignored by .indexignore"
    DEFAULT_IGNORED = "ignored by a default pattern"
    OWN_FILE = "gnomon's own index or settings"
    INNER_FOLDER = "searched as a folder of its own"
    NOT_INCLUDED = "outside the settings' include list"
    BINARY_EXTENSION = "binary by extension"
    BINARY_CONTENT = "binary content"
    TOO_LARGE = "too large"
    SECRET_FILE = "key or credential file"  # noqa: S105 - a reason, not a password
    SYMLINK = "symbolic link"
    NOT_REGULAR = "not a regular file"
    NESTED_REPOSITORY = "belongs to another repository"
    VANISHED = "gone from disk"
    UNREADABLE = "unreadable"
    EMPTY = "no text"
    DAMAGED = "damaged or not what its name says"
    ENCRYPTED = "encrypted"
    NO_TEXT_LAYER = "no text layer (scanned?)"
    EXTRACTION_LIMIT = "parser went over its limits"
    FAULT = "extraction failed"


class Status(StrEnum):
    """Where a document stands in its life. Only ``superseded`` and ``archived`` hide it by default."""

    LIVING = "living"
    DRAFT = "draft"
    DEPRECATED = "deprecated"
    REJECTED = "rejected"
    WITHDRAWN = "withdrawn"
    EXPIRED = "expired"
    SUPERSEDED = "superseded"
    ARCHIVED = "archived"


@dataclass(frozen=True, slots=True)
class Span:
    """Half-open range [start, end) in characters of the extracted text."""

    start: int
    end: int

    def __len__(self) -> int:
        return self.end - self.start


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder that is searched.

    Attributes:
        name: Short name people use; unique among the configured folders.
        root: Absolute real path.
    """

    name: str
    root: Path


def size_and_times(status: os.stat_result) -> tuple[int, int, int]:
    """Size in bytes, modification time and change time of a file, in nanoseconds that fit into 64 bits."""
    return (
        status.st_size,
        max(-_MAX_TIME_NS, min(status.st_mtime_ns, _MAX_TIME_NS)),
        max(-_MAX_TIME_NS, min(status.st_ctime_ns, _MAX_TIME_NS)),
    )


@dataclass(frozen=True, slots=True)
class SourceFile:
    """One file that the rules admit, as found on disk.

    Attributes:
        path: Relative to the folder.
        size_bytes: Size at discovery; it may have grown since.
        mtime_ns: Modification time, nanoseconds.
        ctime_ns: Change time, nanoseconds; catches same-second edits that keep size and mtime.
        rule: What admitted it, in words ("tracked by git", "plain file").
    """

    path: str
    size_bytes: int
    mtime_ns: int
    ctime_ns: int
    rule: str


@dataclass(frozen=True, slots=True)
class Skip:
    """One file that is not in the index.

    Attributes:
        path: Relative to the folder.
        reason: The kind of cause.
        detail: The rule or limit at work, with its source ("line 3 of .gitignore: *.log"), or "".
    """

    path: str
    reason: SkipReason
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Anchor:
    """A place in the original that is no line: "page 12", "sheet Costs", "slide 3", "cell 7".

    Attributes:
        offset: First character of the extracted text that belongs to it.
        label: As shown to people.
    """

    offset: int
    label: str


@dataclass(frozen=True, slots=True)
class Extracted:
    """The text of one document.

    Attributes:
        text: Decoded text exactly as its lines stand in the file (line ends kept); for binary formats, text with
            Markdown headings ("# ") where the original has headings.
        kind: What the chunker and the ranking treat it as.
        language: Lower-case name ("python", "markdown", "pdf"), "" where unknown.
        title: The document's own title, or "".
        encoding: Codec the bytes were decoded with, "" for binary formats.
        anchors: In order of offset; empty where lines are the way back.
        warnings: One sentence each: a guessed encoding, pages without text.
    """

    text: str
    kind: Kind
    language: str
    title: str = ""
    encoding: str = ""
    anchors: tuple[Anchor, ...] = ()
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Lifecycle:
    """What a document says of its own life.

    Attributes:
        status: As read; LIVING where it says nothing.
        date: ISO date ("2026-01-14") or "".
        successors: As written: paths, links, ADR numbers or titles; resolved over the whole corpus later. A living
            document with successors says "superseded" only where one of them is found.
        supersedes: As written: what this document says it replaces.
        expires: ISO date or "".
        title: From front matter, or "".
        line: 1-based line the status was read from, 0 where none.
        body_start: First character after front matter; 0 where there is none.
        warnings: One sentence each: invalid YAML, unclosed fence, duplicate key.
    """

    status: Status = Status.LIVING
    date: str = ""
    successors: tuple[str, ...] = ()
    supersedes: tuple[str, ...] = ()
    expires: str = ""
    title: str = ""
    line: int = 0
    body_start: int = 0
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Chunk:
    """One passage of a document: the unit embedded and stored.

    Attributes:
        ordinal: Position in the document, from 0.
        span: Where it stands in the extracted text.
        start_line: 1-based, as an editor counts.
        end_line: 1-based, included.
        text: ``extracted.text[span.start:span.end]``.
        breadcrumb: Headings above it, outermost first; empty in code.
        symbols: Names it defines, qualified ("SessionStore.refresh"), in order of appearance; empty in prose.
        signature: First line of the definition it starts with or lies in, or "".
        context: Line put before ``text`` for the embedder (breadcrumb or enclosing symbol), or "". Together with
            ``text`` it stays within the model's window.
        embed_text: What the embedder reads where it is not ``text`` (prose without its code blocks); "" means ``text``.
        deprecated: The symbol says of itself that it should not be used.
    """

    ordinal: int
    span: Span
    start_line: int
    end_line: int
    text: str
    breadcrumb: tuple[str, ...] = ()
    symbols: tuple[str, ...] = ()
    signature: str = ""
    context: str = ""
    embed_text: str = ""
    deprecated: bool = False

    @property
    def embedded(self) -> str:
        """The text the embedder reads; its hash is the key under which the vector is reused."""
        body = self.embed_text or self.text
        return f"{self.context}\n{body}" if self.context else body


@dataclass(frozen=True, slots=True)
class Document:
    """A file as indexed.

    Attributes:
        folder: Absolute root of its folder, as a string.
        path: Relative to the folder.
        size_bytes: As read.
        mtime_ns: As read.
        ctime_ns: As read.
        sha256: Hex digest of the bytes read.
        kind: See ``Extracted``.
        language: See ``Extracted``.
        title: Front matter, first heading or document property; "" where none.
        status: See ``Lifecycle``.
        date: See ``Lifecycle``.
        expires: See ``Lifecycle``.
        successors: As written in the document.
        supersedes: As written in the document: what it says it replaces.
        status_line: 1-based, 0 where none.
        anchors: See ``Extracted``.
        warnings: Of extraction and lifecycle together.
        redactions: Number of secrets replaced before anything was stored.
    """

    folder: str
    path: str
    size_bytes: int
    mtime_ns: int
    ctime_ns: int
    sha256: str
    kind: Kind
    language: str
    title: str = ""
    status: Status = Status.LIVING
    date: str = ""
    expires: str = ""
    successors: tuple[str, ...] = ()
    status_line: int = 0
    anchors: tuple[Anchor, ...] = ()
    warnings: tuple[str, ...] = ()
    redactions: int = 0
    supersedes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ChunkWords:
    """The analyzed words of one chunk, by field; what every words arm indexes.

    Attributes:
        body: Words of the text, in order.
        symbols: Words of the symbols and the signature.
        headings: Words of breadcrumb and title.
        path: Words of the path.
    """

    body: tuple[str, ...]
    symbols: tuple[str, ...] = ()
    headings: tuple[str, ...] = ()
    path: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Filters:
    """What may come back; applied inside both arms, before top-k. Empty fields admit everything.

    Attributes:
        folders: Folder roots.
        paths: Globs over the relative path ("src/**/*.py"), or with a folder's root before them; any may match.
        exclude: Fragments of the relative path, case-insensitive; none may occur.
        default_exclude: Those of the settings, whole words of a path; an answer tells what it lost to them.
        languages: Lower-case names.
        kinds: See ``Kind``.
        since: ISO date; the document's date, else its mtime, is not earlier.
        search_all: Superseded and archived documents too, marked.
        as_of: ISO date; what was valid then.
    """

    folders: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    default_exclude: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    kinds: tuple[Kind, ...] = ()
    since: str = ""
    search_all: bool = False
    as_of: str = ""


@dataclass(frozen=True, slots=True)
class WordQuery:
    """A query for the words arm, already analyzed; never query syntax.

    Attributes:
        any_of: Words that score; no repeats.
        all_of: Words that must occur (quoted phrases); they score too when also in ``any_of``.
        none_of: Words that must not occur.
    """

    any_of: tuple[str, ...]
    all_of: tuple[str, ...] = ()
    none_of: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Evidence:
    """Why one hit is where it is; what ``--explain`` prints.

    Attributes:
        word_rank: 1-based rank in the words arm, 0 where absent.
        vector_rank: 1-based rank in the vectors arm, 0 where absent.
        words: The query's words that occur, rarest first.
        boosts: (name, factor) of each boost above 1 and penalty below 1, in order applied.
    """

    word_rank: int = 0
    vector_rank: int = 0
    words: tuple[str, ...] = ()
    boosts: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True, slots=True)
class Hit:
    """One passage that is returned.

    Attributes:
        rank: From 1.
        folder: Absolute root of its folder.
        path: Relative to the folder.
        span: In the extracted text.
        start_line: 1-based.
        end_line: 1-based, included.
        anchor: "page 12" and the like, or "".
        text: The passage.
        breadcrumb: Headings or the enclosing symbol, outermost first.
        symbols: Names it defines.
        score: Orders hits within one answer; higher is better; not comparable between queries.
        cosine: In [-1, 1]; None where the passage has no vector yet.
        bm25: >= 0; 0 where no word matched.
        confidence: Calibrated probability in [0, 1] that it answers; None where not calibrated.
        label: Which arms vouch for it.
        language: See ``Extracted``.
        kind: See ``Extracted``.
        status: See ``Lifecycle``.
        date: ISO date or "".
        successor: Path of the living successor, or "".
        stale: The file changed or went since it was indexed.
        document_id: Of its document in the index, as of the answer's generation.
        chunk_ids: Of its passage there.
        evidence: For ``--explain``.
    """

    rank: int
    folder: str
    path: str
    span: Span
    start_line: int
    end_line: int
    text: str
    score: float
    label: Label
    anchor: str = ""
    breadcrumb: tuple[str, ...] = ()
    symbols: tuple[str, ...] = ()
    cosine: float | None = None
    bm25: float = 0.0
    confidence: float | None = None
    language: str = ""
    kind: Kind = "prose"
    status: Status = Status.LIVING
    date: str = ""
    successor: str = ""
    stale: bool = False
    document_id: int = 0
    chunk_ids: tuple[int, ...] = ()
    evidence: Evidence = field(default_factory=Evidence)


@dataclass(frozen=True, slots=True)
class Answer:
    """All that one search returns.

    Attributes:
        hits: Best first.
        refusal: Why there is nothing ("No relevant results (best score 0.41, threshold 0.55)"), or "".
        notices: One sentence each: words only because the model is loading, superseded documents replaced.
        generation: Of the index that answered.
        vectors_missing: Chunks in the searched index that have no vector yet.
    """

    hits: tuple[Hit, ...]
    refusal: str = ""
    notices: tuple[str, ...] = ()
    generation: int = 0
    vectors_missing: int = 0


def display_path(path: str) -> str:
    r"""A path as text that every encoding carries: undecodable bytes become ``\xNN``; all else is untouched.

    >>> display_path("caf\udce9.md")
    'caf\\xe9.md'
    """
    try:
        path.encode()  # a hundred times faster than looking at each character, and passages come here, too
    except UnicodeEncodeError:
        pass
    else:
        return path
    return "".join(f"\\x{ord(c) - 0xDC00:02x}" if 0xDC80 <= ord(c) <= 0xDCFF else c for c in path)
