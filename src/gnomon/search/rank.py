"""The ranking layer: what a person who knows code would put first, applied to fused scores.

Each rule is a named factor, kept on the candidate for ``--explain``. The constants were chosen by cross-validation
over repositories; ``benchmarks/quality`` prints what each rule is worth, and ``docs/decisions/0030-*`` tells why.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

from gnomon.analyze import QueryWords
from gnomon.analyze.query import LITERAL_KINDS, contains_phrase, fold_text
from gnomon.search.candidate import Candidate, Head
from gnomon.search.names import (
    Stems,
    Terms,
    defined_names,
    file_stems,
    folder_stems,
    is_path_of,
    last_part,
    lower_names,
    name_stems,
    symbol_stems,
    title_stems,
)
from gnomon.search.roles import (
    ASKED_BY,
    Role,
    behind_variants,
    is_private,
    other_folders,
    other_systems,
    other_versions,
    roles_of,
)
from gnomon.store.base import Store, StoredChunk
from gnomon.values import Document

# A definition of the very name asked for: as the whole question, or among other words; more in the same spelling.
DEFINES_QUERY: Final = 2.0
DEFINES_MENTION: Final = 0.3
SAME_SPELLING: Final = 0.5
# The file whose path, or the end of whose path, the whole question is: above all that other rules can give.
PATH_IS_QUERY: Final = 100.0
# A definition whose name is made of the question's words ("refresh token" -> refreshToken).
NAMED_LIKE: Final = 0.25
# A code file whose name, or whose folders' names, are made of the question's words. Documents are not named so: there
# it costs 0.03 on docs-uv.
FILE_NAMED_LIKE: Final = 0.6
FOLDER_NAMED_LIKE: Final = 0.3
# Among code, a document whose whole title the question names: as all it says, or among other words. Where all is
# prose, this would cost 0.004 on docs-uv.
TITLE_IS_QUERY: Final = 2.0
TITLE_MENTIONED: Final = 0.6
# Parts a file plays beside the implementation, unless asked for.
ROLE_FACTOR: Final[dict[Role, float]] = {
    "test": 0.35,
    "example": 0.35,
    "vendored": 0.35,
    "generated": 0.35,
    "declarations": 0.8,
    "package file": 0.6,
    "changelog": 0.5,
}
OTHER_VERSION: Final = 0.25
# A variant for another operating system than the one meant.
OTHER_SYSTEM: Final = 0.6
# Code that its authors do not offer to others, unless that is asked for.
PRIVATE: Final = 0.75
_ASKS_FOR_PRIVATE: Final = frozenset({"internal", "internals", "private"})
# Code for each folder that it lies deeper than the highest of the candidates, two at most: what is central lies high.
DEEPER: Final = 0.92
_DEPTHS_TOLD: Final = 2
# What says of itself that it should not be used, unless that is asked for: below its replacement, not out of sight.
DEPRECATED: Final = 0.7
_ASKS_FOR_DEPRECATED: Final = "deprec"
# A file whose namesake is in a folder that is asked for: "classic schemas" is not about mini/schemas.ts.
OTHER_FOLDER: Final = 0.7
# Code whose path differs from a better candidate's in one folder: the best of several flavours speaks for the others,
# and what is no flavour of it is not buried below them. 0.85 to 0.7 are alike.
VARIANT: Final = 0.8
# Where code meets prose and data, the best of each kind has what the arms gave it and what the rules made of it, to
# these powers: most rules know names of code, and would put any code above every note. 0 and 1 would leave both as
# they are.
KINDS_BY_ARMS: Final = 1.4
KINDS_BY_RULES: Final = 0.6
# Prose and data where the question speaks of code; code where it speaks of guides.
PROSE_WHERE_CODE_IS_ASKED: Final = 0.6
CODE_WHERE_PROSE_IS_ASKED: Final = 0.6
# Share of its rank's score that each further passage of a code file adds to the file. A source file is about one
# thing; a document is about many and is as good as its best passage, or it would win by its length (scifact 0.73 ->
# 0.64).
FILE_DECAY: Final = 0.5
_PASSAGES_COUNTED: Final = 6
# Pieces with punctuation ("C++", "src/main.py") that stand in the text as typed, where the question is little else:
# hyphens and dots of a sentence are no such pieces. Above what several passages of a file can add.
LITERAL: Final = 1.5
_LITERALS_READ: Final = 200
# A sentence that stands in the text word for word, as a message that was pasted. Its line was among the first seven for
# 14 such questions; more candidates are not looked at, since each costs 25 µs and many a question may be a message.
MESSAGE: Final = 2.0
_MESSAGES_READ: Final = 10
# Of a message with so few words that mean something ("No such option") all candidates are: any of them may have these.
_FEW_TERMS: Final = 2

_VERSION_WORD: Final = re.compile(r"v\d{1,6}")

# (name, factor) in the order applied.
Factors = list[tuple[str, float]]


class Rules:
    """What the rules say of a chunk or of a file by itself, each worked out once.

    It needs no score: of what the words found it is known before the vectors are.
    """

    def __init__(self, query: QueryWords) -> None:
        self.query = query
        self.terms = Terms(query.words.any_of)
        asked = frozenset(name for each in query.identifiers for name in (each, last_part(each)))
        self._names = (asked, frozenset(name.lower() for name in asked))
        self._wants_deprecated = any(word.startswith(_ASKS_FOR_DEPRECATED) for word in query.terms)
        self._of_chunks: dict[int, Factors] = {}
        self._of_files: dict[int, Factors] = {}

    def look_at(self, heads: Iterable[Head]) -> None:
        """Work out what will be asked of these."""
        for head in heads:
            self.of_chunk(head.stored)
            self.of_file(head.stored.document_id, head.document)

    def of_chunk(self, stored: StoredChunk) -> Factors:
        """Factors of a chunk by what it defines and says of itself."""
        factors = self._of_chunks.get(stored.id)
        if factors is None:
            factors = _definition_factors(stored.chunk.symbols, self.query, self._names, self.terms)
            if stored.chunk.deprecated and not self._wants_deprecated:
                factors.append(("deprecated", DEPRECATED))
            self._of_chunks[stored.id] = factors
        return factors

    def of_file(self, number: int, document: Document) -> Factors:
        """Factors that are the same for all passages of a file; by where it is and what it is called."""
        factors = self._of_files.get(number)
        if factors is None:
            factors = self._of_files[number] = _file_factors(document, self.query, self.terms)
        return factors


def rank(query: QueryWords, candidates: list[Candidate], rules: Rules | None = None) -> list[Candidate]:
    """Order candidates whose ``score`` is the fused one; changes their scores in place.

    Args:
        query: What is asked.
        candidates: Of both arms, any order.
        rules: Of the same question, where some of the candidates were looked at before.

    Returns:
        The same candidates, best first; among equals the later date, then document and place.
    """
    rules = rules or Rules(query)
    by_file = _by_file(candidates)
    before = _best_by_kind(candidates)
    top = min((_depth(each.document.path) for each in candidates if each.document.kind == "code"), default=0)
    for number, passages in by_file.items():
        document = passages[0].document
        factors = rules.of_file(number, document)
        if document.kind == "code":
            factors = [*factors, ("deeper in the tree", DEEPER ** min(_depth(document.path) - top, _DEPTHS_TOLD))]
        for candidate in passages:
            for name, factor in (*rules.of_chunk(candidate.stored), *factors):
                candidate.scale(name, factor)
    _lower_other_versions(query, candidates)
    _lower_other_systems(query, candidates)
    _lower_other_folders(candidates, rules.terms)
    for passages in by_file.values():
        _add_other_passages(passages)
    _lower_variants(by_file.values())
    if len(before) > 1:
        _bring_kinds_together(candidates, before)
        _weigh_kinds(query, candidates, rules.terms)
    return sorted(candidates, key=_best_first)


def rank_literals(query: QueryWords, ranked: list[Candidate], store: Store) -> list[Candidate]:
    """Raise those of the first candidates that hold what was typed letter by letter, or a message word for word.

    The analyzer reads ``std::vector<int>`` as three words; only the text says that they stand together.
    """
    literals = [piece.lower() for piece in query.literals] if query.kind in LITERAL_KINDS else []
    if not literals and not query.message:
        return ranked
    read = _MESSAGES_READ
    if literals or (query.complains and len(query.terms) <= _FEW_TERMS):
        read = _LITERALS_READ
    head, tail = ranked[:read], ranked[read:]
    texts = {stored.id: stored.chunk.text for stored in store.chunks([each.stored.id for each in head])}
    for candidate in head:
        text = texts.get(candidate.stored.id, "")
        if query.message and contains_phrase(fold_text(text), query.message):
            candidate.scale("holds it word for word", 1 + MESSAGE)
        elif literals:
            lower = text.lower()
            share = sum(piece in lower for piece in literals) / len(literals)
            candidate.scale("holds it letter by letter", 1 + LITERAL * share)
    return [*sorted(head, key=_best_first), *tail]


def _best_first(candidate: Candidate) -> tuple[float, int, int, int]:
    """By score; among equals the document of the later date, then by place."""
    date = candidate.document.date
    recency = int(digits) if date and (digits := date.replace("-", "")).isdecimal() else 0
    return (-candidate.score, -recency, candidate.stored.document_id, candidate.stored.chunk.ordinal)


def _by_file(candidates: Sequence[Candidate]) -> dict[int, list[Candidate]]:
    by_file: dict[int, list[Candidate]] = {}
    for candidate in candidates:
        by_file.setdefault(candidate.stored.document_id, []).append(candidate)
    return by_file


def _definition_factors(
    symbols: tuple[str, ...], query: QueryWords, names: tuple[frozenset[str], frozenset[str]], terms: Terms
) -> Factors:
    if not symbols:
        return []
    alone = query.kind == "identifier"
    asked, lower = names
    if lower and not lower.isdisjoint(lower_names(symbols)):
        spelling = SAME_SPELLING if not asked.isdisjoint(defined_names(symbols)) else 0.0
        return [("defines the name", 1 + (DEFINES_QUERY if alone else DEFINES_MENTION) + spelling)]
    if not alone and terms.may_count(symbols):
        share = max([_likeness(name, terms) for name in symbol_stems(symbols)])
        return [("named like the question", 1 + NAMED_LIKE * share)]
    return []


def _likeness(name: Stems, terms: Terms) -> float:
    """Share of a name's parts among the terms; one shared part alone counts half."""
    shared = terms.count(name)
    return shared / len(name.stems) * min(1.0, shared / 2) if shared else 0.0


def _file_factors(document: Document, query: QueryWords, terms: Terms) -> Factors:
    path = document.path
    factors: Factors = []
    if query.path and is_path_of(query.path, document):
        factors.append(("its path is the question", PATH_IS_QUERY))
    if document.kind == "code":
        name = file_stems(path)
        if shared := terms.count(name):
            factors.append(("file name", 1 + FILE_NAMED_LIKE * shared / len(name.stems)))
        if shared := min(2, terms.count(folder_stems(path))):
            factors.append(("folder names", 1 + FOLDER_NAMED_LIKE * shared / 2))
        if is_private(path) and _ASKS_FOR_PRIVATE.isdisjoint(query.raw):
            factors.append(("private", PRIVATE))
    if roles := roles_of(path):
        factors += [(role, ROLE_FACTOR[role]) for role in roles if not ASKED_BY[role] & query.raw]
    return factors


def _depth(path: str) -> int:
    """Folders above a file."""
    return path.count("/")


def _lower_other_versions(query: QueryWords, candidates: Sequence[Candidate]) -> None:
    asked = [word for word in query.raw if _VERSION_WORD.fullmatch(word)]
    others = other_versions({candidate.document.path for candidate in candidates}, asked)
    for candidate in candidates if others else ():
        if candidate.document.path in others:
            candidate.scale("other version", OTHER_VERSION)


def _lower_other_systems(query: QueryWords, candidates: Sequence[Candidate]) -> None:
    others = other_systems({candidate.document.path for candidate in candidates}, query.raw)
    for candidate in candidates if others else ():
        if candidate.document.path in others:
            candidate.scale("other system", OTHER_SYSTEM)


def _lower_other_folders(candidates: Sequence[Candidate], terms: Terms) -> None:
    code = [candidate for candidate in candidates if candidate.document.kind == "code"]
    others = other_folders(
        {candidate.document.path for candidate in code}, lambda folder: terms.hold(name_stems(folder))
    )
    for candidate in code if others else ():
        if candidate.document.path in others:
            candidate.scale("other folder", OTHER_FOLDER)


def _lower_variants(files: Iterable[Sequence[Candidate]]) -> None:
    code = [passages for passages in files if passages[0].document.kind == "code"]
    behind = behind_variants({each[0].document.path: max([passage.score for passage in each]) for each in code})
    for passages in code if behind else ():
        if passages[0].document.path in behind:
            for candidate in passages:
                candidate.scale("variant of a better one", VARIANT)


def _best_by_kind(candidates: Sequence[Candidate]) -> dict[bool, float]:
    """The highest score of code (True) and of all else (False), each where there is any."""
    best: dict[bool, float] = {}
    for candidate in candidates:
        is_code = candidate.document.kind == "code"
        best[is_code] = max(best.get(is_code, 0.0), candidate.score)
    return best


def _bring_kinds_together(candidates: Sequence[Candidate], before: dict[bool, float]) -> None:
    """The rules order each kind; between kinds it is mostly the arms that say which knows the answer."""
    after = _best_by_kind(candidates)
    factors = {
        kind: best**KINDS_BY_ARMS * after[kind] ** (KINDS_BY_RULES - 1)
        for kind, best in before.items()
        if after[kind] > 0
    }
    for candidate in candidates:
        candidate.scale("rules of its kind", factors.get(candidate.document.kind == "code", 1.0))


def _weigh_kinds(query: QueryWords, candidates: Sequence[Candidate], terms: Terms) -> None:
    """Prose does not bury the implementation, nor the reverse where a guide is asked for."""
    for candidate in candidates:
        if candidate.document.kind == "code":
            if query.prefers == "prose":
                candidate.scale("prose is asked for", CODE_WHERE_PROSE_IS_ASKED)
        elif query.prefers == "code":
            candidate.scale("code is asked for", PROSE_WHERE_CODE_IS_ASKED)
        elif titled := _title_factor(candidate.document.title, query, terms):
            candidate.scale("title", 1 + titled)


def _title_factor(title: str, query: QueryWords, terms: Terms) -> float:
    """A single word among others names no title: too many documents are called "Caching"."""
    name = title_stems(title)
    if not terms.hold(name):
        return 0.0
    if len(name.stems) >= len(query.raw if query.complains else query.terms):
        return TITLE_IS_QUERY
    return TITLE_MENTIONED if len(name.stems) > 1 else 0.0


def _add_other_passages(passages: Sequence[Candidate]) -> None:
    """Several good passages speak for a code file: each is raised by what the others of its file have."""
    if len(passages) == 1 or passages[0].document.kind != "code":
        return
    scores = sorted((passage.score for passage in passages), reverse=True)[:_PASSAGES_COUNTED]
    best = scores[0]
    if best <= 0:
        return
    whole = sum(score * FILE_DECAY**position for position, score in enumerate(scores))
    for passage in passages:
        passage.scale("other passages of the file", whole / best)
