"""Why a file did not come back: not indexed, not admitted, not retrieved, or outranked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from gnomon.analyze import QueryWords, analyze_query
from gnomon.embed.base import Embedder
from gnomon.figures import number, told_apart
from gnomon.search import SearchOptions, load_candidates, order, search
from gnomon.search.candidate import Candidate
from gnomon.search.filters import admit, life_graph, reason_against
from gnomon.search.hits import matched_words
from gnomon.search.retrieve import Retrieved, retrieve
from gnomon.store.base import Selection, Store, StoredDocument


@dataclass(frozen=True, slots=True)
class Miss:
    """Why one file is not in an answer.

    Attributes:
        path: As asked about.
        returned: It is in the answer after all.
        reasons: One sentence each, the decisive one first.
        rank: 1-based place of its best passage among all candidates, 0 where it is none.
        cosine: Of its best passage, None where it has no vector.
        words: The question's words that occur in its best passage, rarest first.
    """

    path: str
    returned: bool
    reasons: tuple[str, ...]
    rank: int = 0
    cosine: float | None = None
    words: tuple[str, ...] = ()


def why_not(
    query: str, *, folder: str, path: str, store: Store, embedder: Embedder | None, options: SearchOptions
) -> Miss:
    """Follow one file through a search and say where it was lost.

    Args:
        query: As it was asked.
        folder: Root of the file's folder.
        path: Relative to it.
        store: What was searched.
        embedder: As it was searched with.
        options: As it was searched with.

    Raises:
        StoreError: The index cannot be read.
    """
    stored = store.find_document(folder, path)
    if stored is None:
        return Miss(path, returned=False, reasons=(_not_indexed(store, folder, path),))
    if reason := _not_admitted(store, stored, options):
        return Miss(path, returned=False, reasons=(reason,))
    answer = search(query, store=store, embedder=embedder, options=options)
    at = next((hit.rank for hit in answer.hits if (hit.folder, hit.path) == (folder, path)), 0)
    asked = analyze_query(query)
    alone = _evidence_alone(asked, stored, store, embedder, options)
    if at:
        return replace(alone, returned=True, reasons=(f"it is hit {at} of this answer",), rank=at)
    return _outranked(asked, alone, stored, store=store, embedder=embedder, options=options)


def _not_indexed(store: Store, folder: str, path: str) -> str:
    row = store.manifest(folder).get(path)
    if row is None or row.skip is None:
        return f"{path} is not in the index; `gnomon why {path}` names the rule"
    detail = f" ({row.skip.detail})" if row.skip.detail else ""
    return f"{path} is not in the index: {row.skip.reason}{detail}"


def _not_admitted(store: Store, stored: StoredDocument, options: SearchOptions) -> str:
    if reason := reason_against(stored.document, options.filters):
        return f"a filter keeps it out: {reason}"
    return reason_hidden(store, stored, options)


def reason_hidden(store: Store, stored: StoredDocument, options: SearchOptions) -> str:
    """Why a document's own life keeps it out of answers, and what took its place; "" where it does not."""
    lives = life_graph(store, options.hidden_statuses, as_of=options.filters.as_of)
    fate = lives.fate(stored.id)
    if fate.hidden and not options.filters.search_all:
        successor = lives.successor(stored.id)
        instead = f"; see {successor}" if successor else ""
        return f"it is {fate.status} and therefore hidden{instead}"
    return ""


def _evidence_alone(
    asked: QueryWords, stored: StoredDocument, store: Store, embedder: Embedder | None, options: SearchOptions
) -> Miss:
    """What both arms say of the file when they look at nothing else."""
    only = Selection(only=frozenset([stored.id]))
    found = retrieve(asked, store=store, embedder=embedder, options=options, selection=only)
    if not found.evidence:
        return Miss(stored.document.path, returned=False, reasons=())
    ranked = order(asked, load_candidates(found, store), found, store, options)
    best = ranked[0] if ranked else load_candidates(found, store)[0]
    words = matched_words(asked, [best.stored.id], store)
    return Miss(stored.document.path, returned=False, reasons=(), cosine=best.evidence.cosine, words=words)


def _outranked(
    asked: QueryWords,
    alone: Miss,
    stored: StoredDocument,
    *,
    store: Store,
    embedder: Embedder | None,
    options: SearchOptions,
) -> Miss:
    selection = admit(store, options.filters, options.hidden_statuses).selection
    options = replace(options, pool_min=max(options.pool_min, options.k * options.pool_multiplier))  # at the deepest
    found = retrieve(asked, store=store, embedder=embedder, options=options, selection=selection)
    ranked = order(asked, load_candidates(found, store), found, store, options)
    at = next((at for at, each in enumerate(ranked, 1) if each.stored.document_id == stored.id), 0)
    if not at:
        return replace(alone, reasons=_not_retrieved(asked, alone, found))
    return replace(alone, rank=at, reasons=_behind(ranked, at, options))


def _not_retrieved(asked: QueryWords, alone: Miss, found: Retrieved) -> tuple[str, ...]:
    reasons = [f"neither arm had it among its {number(max(len(found.words), len(found.vectors)), 'candidate')}"]
    typed = asked.as_typed(asked.terms)
    if not alone.words:
        reasons.append("none of the question's words occur in it: " + ", ".join(typed[:10]))
    elif len(alone.words) < len(typed):
        reasons.append(f"only {len(alone.words)} of the question's words occur in it: " + ", ".join(alone.words))
    lowest = [found.evidence[each].cosine for each in found.vectors[-1:]]
    if alone.cosine is not None and lowest and lowest[0] is not None:
        own, last = told_apart(alone.cosine, lowest[0])
        reasons.append(f"its best cosine is {own}; the last candidate by meaning has {last}")
    if alone.cosine is None and found.vectors:
        reasons.append("it has no vector yet")
    return tuple(reasons)


def _behind(ranked: Sequence[Candidate], at: int, options: SearchOptions) -> tuple[str, ...]:
    candidate = ranked[at - 1]
    last = ranked[min(options.k, len(ranked)) - 1]
    score, last_score = told_apart(candidate.score, last.score, digits=3)
    wanted = f"{number(options.k, 'hit')} {'was' if options.k == 1 else 'were'} wanted"
    reasons = [f"its best passage is candidate {at} with a score of {score}; {wanted}"]
    reasons += [f"lowered because of: {name} (x {factor:.2f})" for name, factor in candidate.boosts if factor < 1]
    if last.boosts and at > options.k:
        raised = ", ".join(f"{name} (x {factor:.2f})" for name, factor in last.boosts if factor > 1)
        reasons += [f"candidate {options.k} has {last_score}" + (f", raised by {raised}" if raised else "")]
    cosine = candidate.evidence.cosine
    if options.min_score is not None and cosine is not None and cosine < options.min_score:
        own, threshold = told_apart(cosine, options.min_score)
        reasons.insert(0, f"its cosine {own} is below the threshold {threshold}")
    return tuple(reasons)
