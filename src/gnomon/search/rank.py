"""The ranking layer: what a person who knows code would put first, applied to fused scores.

Each rule is a named factor, kept on the candidate for ``--explain``. The constants were chosen by cross-validation
over repositories; ``benchmarks/quality`` prints what each is worth.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from pathlib import PurePosixPath
from typing import Final

from gnomon.analyze import QueryWords
from gnomon.analyze.words import parts, stem
from gnomon.search.candidate import Candidate
from gnomon.search.roles import ASKED_BY, Role, roles_of
from gnomon.store.base import Store

# A definition of the very name asked for: alone in the question, or among other words.
DEFINES_QUERY: Final = 3.0
DEFINES_MENTION: Final = 1.6
# A definition whose name is made of the question's words ("refresh token" -> refreshToken).
DEFINES_TERMS: Final = 0.25
# The file's name is made of the question's words.
FILE_NAME: Final = 0.6
# Parts a file plays beside the implementation, unless asked for.
ROLE_FACTOR: Final[dict[Role, float]] = {
    "test": 0.35,
    "example": 0.35,
    "vendored": 0.5,
    "generated": 0.5,
    "stub": 0.7,
    "barrel": 0.7,
    "legacy": 0.8,
}
# Prose and data among code, by what the question prefers; code among prose where prose is asked for.
PROSE_AMONG_CODE: Final = 0.5
CODE_WHERE_PROSE_IS_ASKED: Final = 0.7
# Each further passage of a file adds this share of the one before it to the file's evidence.
FILE_DECAY: Final = 0.35
_PASSAGES_COUNTED: Final = 6
# Pieces with punctuation ("C++", "src/main.py") that stand in the text as typed; read in the first candidates only.
LITERAL: Final = 0.5
_LITERALS_READ: Final = 60


def rank(query: QueryWords, candidates: list[Candidate]) -> list[Candidate]:
    """Order candidates whose ``score`` is the fused one; changes their scores in place.

    Args:
        query: What is asked.
        candidates: Of both arms, any order.

    Returns:
        The same candidates, best first, ties by document and place.
    """
    terms = frozenset(query.terms)
    names = frozenset(name.lower() for name in query.identifiers)
    mixed = len({candidate.document.kind == "code" for candidate in candidates}) > 1
    for candidate in candidates:
        _boost_definitions(candidate, query, names, terms)
        _boost_file_name(candidate, terms)
        _lower_roles(candidate, query)
        if mixed:
            _weigh_kind(candidate, query)
    _add_file_evidence(candidates)
    return sorted(candidates, key=_best_first)


def _boost_definitions(candidate: Candidate, query: QueryWords, names: frozenset[str], terms: frozenset[str]) -> None:
    symbols = candidate.stored.chunk.symbols
    if not symbols:
        return
    defined = _defined(symbols)
    if names & defined:
        alone = query.kind == "identifier"
        candidate.scale("defines the name", DEFINES_QUERY if alone else DEFINES_MENTION)
    elif query.kind != "identifier":
        share = max((_overlap(name, terms) for name in symbols), default=0.0)
        candidate.scale("name made of the words", 1 + DEFINES_TERMS * share)


@lru_cache(maxsize=65_536)
def _defined(symbols: tuple[str, ...]) -> frozenset[str]:
    """Names a chunk defines, in lower case: qualified as they stand, and the last part alone."""
    lower = [symbol.lower() for symbol in symbols]
    return frozenset([*lower, *(_LAST.split(symbol)[-1] for symbol in lower)])


_LAST: Final = re.compile(r"::|->|[.#:/]")


@lru_cache(maxsize=65_536)
def _name_stems(name: str) -> frozenset[str]:
    last = _LAST.split(name)[-1]
    return frozenset(stem(part, "english") for part in parts(last))


def _overlap(name: str, terms: frozenset[str]) -> float:
    """Share of a name's parts among the terms; one shared part alone counts half."""
    stems = _name_stems(name)
    shared = len(stems & terms)
    return shared / len(stems) * min(1.0, shared / 2) if shared else 0.0


def _boost_file_name(candidate: Candidate, terms: frozenset[str]) -> None:
    stems = _file_stems(candidate.document.path)
    shared = len(stems & terms)
    if shared:
        candidate.scale("file name", 1 + FILE_NAME * shared / len(stems))


@lru_cache(maxsize=65_536)
def _file_stems(path: str) -> frozenset[str]:
    name = PurePosixPath(path).name.split(".", 1)[0] or PurePosixPath(path).name
    return frozenset(stem(part, "english") for part in parts(name))


def _lower_roles(candidate: Candidate, query: QueryWords) -> None:
    for role in roles_of(candidate.document.path):
        if not ASKED_BY[role] & query.raw:
            candidate.scale(role, ROLE_FACTOR[role])


def _weigh_kind(candidate: Candidate, query: QueryWords) -> None:
    is_code = candidate.document.kind == "code"
    if query.prefers == "prose":
        candidate.scale("prose is asked for", CODE_WHERE_PROSE_IS_ASKED if is_code else 1.0)
    elif not is_code:
        candidate.scale("prose among code", PROSE_AMONG_CODE)


def _add_file_evidence(candidates: Sequence[Candidate]) -> None:
    """Several good passages speak for a file: each passage is raised by what the others of its file have."""
    by_file: dict[int, list[Candidate]] = {}
    for candidate in candidates:
        by_file.setdefault(candidate.stored.document_id, []).append(candidate)
    for passages in by_file.values():
        scores = sorted((passage.score for passage in passages), reverse=True)[:_PASSAGES_COUNTED]
        best = scores[0]
        if best <= 0 or len(scores) == 1:
            continue
        whole = sum(score * FILE_DECAY**position for position, score in enumerate(scores))
        for passage in passages:
            passage.scale("other passages of the file", whole / best)


def rank_literals(query: QueryWords, ranked: list[Candidate], store: Store) -> list[Candidate]:
    """Raise those of the first candidates that hold the pieces with punctuation letter by letter.

    The analyzer reads ``std::vector<int>`` as three words; only the text says that they stand together.
    """
    if not query.literals:
        return ranked
    head, tail = ranked[:_LITERALS_READ], ranked[_LITERALS_READ:]
    texts = {stored.id: stored.chunk.text.lower() for stored in store.chunks([each.stored.id for each in head])}
    for candidate in head:
        text = texts.get(candidate.stored.id, "")
        share = sum(piece.lower() in text for piece in query.literals) / len(query.literals)
        candidate.scale("holds it letter by letter", 1 + LITERAL * share)
    return [*sorted(head, key=_best_first), *tail]


def _best_first(candidate: Candidate) -> tuple[float, int, int]:
    return (-candidate.score, candidate.stored.document_id, candidate.stored.chunk.ordinal)
