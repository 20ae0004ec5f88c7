"""Chains of successors over a whole corpus: who took whose place, and what is therefore hidden.

Nothing is hidden on a claim that leads nowhere: where the successor is missing, was rejected, or the chain runs in
a circle, the document stays visible, marked, with the problem in words.
"""

from __future__ import annotations

import posixpath
from collections import defaultdict, deque
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Self

from gnomon.lifecycle.sidecars import is_index_page, is_sidecar
from gnomon.values import Document, Status

_NOT_IN_FORCE = frozenset({Status.DRAFT, Status.REJECTED, Status.WITHDRAWN})
_NEVER_IN_FORCE = frozenset({Status.REJECTED, Status.WITHDRAWN})
_HIDDEN = frozenset({Status.SUPERSEDED, Status.ARCHIVED})


@dataclass(frozen=True, slots=True)
class DocumentLife:
    """What resolving needs of one document; see ``values.Document``."""

    id: int
    folder: str
    path: str
    title: str = ""
    status: Status = Status.LIVING
    date: str = ""
    expires: str = ""
    successors: tuple[str, ...] = ()
    supersedes: tuple[str, ...] = ()
    line: int = 0

    @classmethod
    def of(cls, document_id: int, document: Document) -> Self:
        """Of a document as stored."""
        return cls(
            id=document_id,
            folder=document.folder,
            path=document.path,
            title=document.title,
            status=document.status,
            date=document.date,
            expires=document.expires,
            successors=document.successors,
            supersedes=document.supersedes,
            line=document.status_line,
        )


@dataclass(frozen=True, slots=True)
class Fate:
    """What became of one document.

    Attributes:
        status: In effect, at the day asked about.
        hidden: Left out of answers unless all is asked for.
        successors: Ids of the documents that hold now, at the end of every chain; empty where there is none.
        outside: Successors that are no indexed documents, as written: web addresses, missing files.
        problems: One sentence each.
        claimant: Path of the successor by whose word alone it is superseded; "" where it says so itself.
    """

    status: Status = Status.LIVING
    hidden: bool = False
    successors: tuple[int, ...] = ()
    outside: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()
    claimant: str = ""


_PLAIN = Fate()


@dataclass(frozen=True, slots=True)
class LifeGraph:
    """The fates of all documents.

    Attributes:
        fates: By document id; documents that are simply living are absent.
        paths: Of every document that is somebody's successor, by id.
        describes: Files that tell of the life of another (``kep.yaml``), each with the one it tells of, by id.
    """

    fates: Mapping[int, Fate] = field(default_factory=dict)
    paths: Mapping[int, str] = field(default_factory=dict)
    describes: Mapping[int, int] = field(default_factory=dict)

    @property
    def hidden(self) -> frozenset[int]:
        """Ids left out of answers unless all is asked for."""
        return frozenset(each for each, fate in self.fates.items() if fate.hidden)

    def fate(self, document_id: int) -> Fate:
        """Fate of one document."""
        return self.fates.get(document_id, _PLAIN)

    def successor(self, document_id: int) -> str:
        """Where to look instead: paths, comma between; missing ones are marked; "" where nothing is named."""
        fate = self.fate(document_id)
        if fate.successors:
            return ", ".join(self.paths[each] for each in fate.successors)
        return ", ".join(each if "://" in each else f"{each} (missing)" for each in fate.outside)


def resolve(
    documents: Sequence[DocumentLife],
    *,
    hidden_statuses: Collection[Status] = _HIDDEN,
    today: str = "",
    as_of: str = "",
) -> LifeGraph:
    """Follow all chains of successors.

    A document is superseded when it says so, when it names a successor that exists, or when a document in force says
    that it supersedes it. With ``as_of`` the answer is that of the day: documents dated later did not exist, so they
    are hidden and have superseded nothing yet; undated ones always existed.

    Args:
        documents: All documents that references may mean.
        hidden_statuses: Which statuses hide.
        today: ISO date that decides what has expired; "" expires nothing.
        as_of: ISO date, or "".
    """
    describes = _descriptions(documents)
    if not any(_has_life(each) for each in documents) and not as_of:
        return LifeGraph(describes=describes)
    joined = _joined(documents, describes)
    graph = _Resolver(joined, frozenset(hidden_statuses), as_of or today, as_of).resolve()
    fates = dict(graph.fates)
    for file, page in describes.items():
        if page in fates:
            fates[file] = replace(fates[page], problems=())
    return LifeGraph(fates, graph.paths, describes)


def _descriptions(documents: Iterable[DocumentLife]) -> dict[int, int]:
    """Files that tell of the index page of their folder: the id of each with that of the page."""
    files = [each for each in documents if each.line and is_sidecar(each.path)]
    if not files:
        return {}
    pages = {(each.folder, posixpath.dirname(each.path)): each.id for each in documents if is_index_page(each.path)}
    beside = ((each.id, pages.get((each.folder, posixpath.dirname(each.path)))) for each in files)
    return {file: page for file, page in beside if page is not None}


def _joined(documents: Sequence[DocumentLife], describes: Mapping[int, int]) -> list[DocumentLife]:
    """Documents with what is told beside them; the files that tell it speak of themselves no more."""
    told = {page: each for each in documents if (page := describes.get(each.id)) is not None}
    joined = []
    for each in documents:
        file = told.get(each.id)
        if file:
            each = replace(  # noqa: PLW2901 - the same document, with more known of it
                each,
                status=file.status if file.status is not Status.LIVING else each.status,
                date=each.date or file.date,
                successors=(*each.successors, *file.successors),
                supersedes=(*each.supersedes, *file.supersedes),
            )
        elif each.id in describes:
            each = replace(each, status=Status.LIVING, successors=(), supersedes=())  # noqa: PLW2901 - the same
        joined.append(each)
    return joined


def mark(graph: LifeGraph, document_id: int, *, date: str) -> str:
    """What stands beside a hit of this document: ``[superseded → reference/auth.md; 2026-03-01]``; "" where living.

    >>> graph = LifeGraph({1: Fate(Status.SUPERSEDED, True, (2,))}, {2: "reference/auth.md"})
    >>> mark(graph, 1, date="2026-03-01")
    '[superseded → reference/auth.md; 2026-03-01]'
    """
    fate = graph.fate(document_id)
    if fate.status is Status.LIVING:
        return ""
    successor = graph.successor(document_id)
    told = f"{fate.status} → {successor}" if successor else str(fate.status)
    return f"[{told}; {date}]" if date else f"[{told}]"


def _has_life(document: DocumentLife) -> bool:
    told = document.successors or document.supersedes or document.expires
    return bool(told) or document.status is not Status.LIVING


class _Resolver:
    def __init__(
        self, documents: Sequence[DocumentLife], hidden_statuses: frozenset[Status], day: str, as_of: str
    ) -> None:
        from gnomon.lifecycle.targets import Targets

        self._documents = {each.id: each for each in documents}
        self._targets = Targets(documents)
        self._hidden_statuses = hidden_statuses
        self._day = day
        self._as_of = as_of
        self._problems: dict[int, list[str]] = defaultdict(list)
        self._outside: dict[int, list[str]] = defaultdict(list)
        self._claimants: dict[int, str] = {}
        self._dangling: set[int] = set()
        self._not_yet: set[int] = set()
        self._next: dict[int, list[int]] = {}

    def resolve(self) -> LifeGraph:
        for each in self._documents.values():
            if each.successors:
                self._own_word(each)
        for each in self._documents.values():
            if each.supersedes:
                self._claims(each)
        ends, circles = self._ends()
        fates = {}
        for each in self._documents.values():
            if _has_life(each) or each.id in self._next or each.id in self._problems or self._is_future(each):
                fates[each.id] = self._fate(each, ends.get(each.id, ()), is_circle=each.id in circles)
        named = {end for fate in fates.values() for end in fate.successors}
        return LifeGraph(fates, {each: self._documents[each].path for each in named})

    # -- who took whose place -----------------------------------------------------------------------------------

    def _own_word(self, document: DocumentLife) -> None:
        for written in document.successors:
            found = self._targets.find(document, written)
            ids = [each for each in found.ids if each != document.id]
            if len(ids) > 1:
                paths = ", ".join(self._documents[each].path for each in ids)
                self._problems[document.id].append(f"successor {written!r} fits several documents: {paths}")
            if found.ids and not ids:
                self._problems[document.id].append("names itself as its successor")
                self._dangling.add(document.id)
            elif not ids:
                self._unresolved(document, written, is_external=found.is_external, is_pointer=found.is_pointer)
            self._add(document.id, ids)

    def _unresolved(self, document: DocumentLife, written: str, *, is_external: bool, is_pointer: bool) -> None:
        if is_external:
            self._outside[document.id].append(written)
            return
        self._problems[document.id].append(f"successor {written!r} is not among the indexed documents")
        if is_pointer:
            self._outside[document.id].append(written)
            self._dangling.add(document.id)

    def _claims(self, document: DocumentLife) -> None:
        for written in document.supersedes:
            for each in self._targets.find(document, written).ids:
                if each == document.id or document.id in self._next.get(each, ()):
                    continue
                if document.status in _NOT_IN_FORCE:
                    note = f"{document.path} would supersede it, but is {document.status}"
                    self._problems[each].append(note)
                elif each in self._next.get(document.id, ()):
                    self._problems[document.id].append(f"names {self._documents[each].path} as older and as newer")
                else:
                    if not self._next.get(each) and self._documents[each].status is not Status.SUPERSEDED:
                        self._claimants[each] = document.path
                    self._add(each, [document.id])

    def _add(self, document_id: int, successors: Iterable[int]) -> None:
        for each in successors:
            if self._is_future(self._documents[each]):
                self._not_yet.add(document_id)
                continue
            known = self._next.setdefault(document_id, [])
            if each not in known:
                known.append(each)

    def _is_future(self, document: DocumentLife) -> bool:
        return bool(self._as_of and document.date and document.date > self._as_of)

    # -- ends of chains -----------------------------------------------------------------------------------------

    def _ends(self) -> tuple[dict[int, tuple[int, ...]], set[int]]:
        """(ends of each document's chains, documents whose chains only run in a circle)."""
        ends: dict[int, tuple[int, ...]] = {}
        before: dict[int, list[int]] = defaultdict(list)
        open_ends = {each: len(following) for each, following in self._next.items()}
        for each, following in self._next.items():
            for successor in following:
                before[successor].append(each)
        ready = deque(each for each in before if each not in self._next)
        ends.update({each: (each,) for each in ready})
        while ready:
            done = ready.popleft()
            for each in before[done]:
                open_ends[each] -= 1
                if not open_ends[each]:
                    reached = [end for successor in self._next[each] for end in ends[successor]]
                    ends[each] = tuple(dict.fromkeys(reached))
                    ready.append(each)
        return self._circles(ends)

    def _circles(self, ends: dict[int, tuple[int, ...]]) -> tuple[dict[int, tuple[int, ...]], set[int]]:
        """Complete the ends of documents that are in a circle or lead into one."""
        left = {each: self._reachable(each) for each in self._next if each not in ends}
        for each, reachable in left.items():
            ends[each] = tuple(sorted(other for other in reachable if other not in self._next))
        circles = {each for each, reachable in left.items() if not ends[each] and each in reachable}
        for each, reachable in left.items():
            if not ends[each] and each not in circles:
                ends[each] = tuple(sorted(reachable & circles))
        return ends, circles

    def _reachable(self, start: int) -> set[int]:
        seen: set[int] = set()
        todo = list(self._next.get(start, ()))
        while todo:
            each = todo.pop()
            if each not in seen:
                seen.add(each)
                todo.extend(self._next.get(each, ()))
        return seen

    # -- fates --------------------------------------------------------------------------------------------------

    def _fate(self, document: DocumentLife, ends: tuple[int, ...], *, is_circle: bool) -> Fate:
        problems = list(self._problems.get(document.id, ()))
        outside = tuple(self._outside.get(document.id, ()))
        following = self._next.get(document.id, [])
        status = self._status(document, has_successor=bool(following))
        living = tuple(each for each in ends if each != document.id and self._holds(each))
        shown_anyway = False
        if is_circle:
            path = " → ".join(self._documents[each].path for each in following)
            problems.append(f"superseded in a circle: {document.path} → {path}")
            shown_anyway = True
        elif status is Status.SUPERSEDED and following and not living:
            dropped = [each for each in ends if self._documents[each].status in _NEVER_IN_FORCE]
            problems += [
                f"its successor {self._documents[each].path} is {self._documents[each].status}" for each in dropped
            ]
            shown_anyway = bool(dropped)
        elif status is Status.SUPERSEDED and not following:
            shown_anyway = document.id in self._dangling
            if not document.successors:
                problems.append("superseded, and no successor is named")
        hidden = status in self._hidden_statuses and not shown_anyway
        hidden = hidden or self._is_future(document)
        claimant = self._claimants.get(document.id, "") if following else ""
        return Fate(status, hidden, living, () if living else outside, tuple(problems), claimant)

    def _status(self, document: DocumentLife, *, has_successor: bool) -> Status:
        if has_successor:
            return Status.SUPERSEDED
        if document.id in self._not_yet and document.status is Status.SUPERSEDED:
            return Status.LIVING  # at that day its successor did not exist
        if document.expires and self._day and document.expires < self._day and document.status is not Status.SUPERSEDED:
            return document.status if document.status is Status.ARCHIVED else Status.EXPIRED
        return document.status

    def _holds(self, document_id: int) -> bool:
        """Whether the end of a chain is something to believe: neither hidden nor refused."""
        document = self._documents[document_id]
        if document_id in self._dangling or document_id in self._next:
            return True  # shown although superseded: it is the only living text
        return document.status not in self._hidden_statuses and document.status not in _NEVER_IN_FORCE
