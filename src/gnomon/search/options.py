"""How one search is to be done."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from gnomon.values import Filters, Ranking

Fusion = Literal["convex", "rrf"]


@dataclass(frozen=True, slots=True)
class SearchOptions:
    """How one search is to be done; the defaults are those of the product.

    Attributes:
        k: Hits wanted, >= 1.
        filters: What may come back.
        ranking: The policy: order by fusion, or believe nothing below a threshold.
        per_file: Most passages of one file in an answer, >= 1.
        hybrid: Use the words arm too; False is the vectors' order alone.
        fusion: "convex" with the ranking layer, or plain reciprocal rank fusion.
        layer: Whether definitions, file names, tests and the like change the order (convex fusion only).
        pool_multiplier: Candidates per arm for each hit wanted; with convex fusion only where fewer give too few hits.
        pool_min: Candidates per arm at least; the ranking layer never looks at fewer than its own minimum.
        lexical_boost_weight: Boost of literal matches inside the vectors arm; plain fusion only.
        rrf_k: Damping of plain fusion, >= 1.
        min_score: Cosine below which a hit is dropped, None for no threshold.
        min_confidence: Confidence below which a hit is dropped, None for no threshold.
        hidden_statuses: Statuses that hide a document unless ``filters.search_all``.
        explain: Fill in which words occur; costs about a millisecond.
        relative_cutoff: Grounded policy: share of the best cosine that a hit must have.
        lexical_max_doc_freq: Grounded policy: share of passages up to which a word counts as rare.
        path_boosts: Grounded policy: (path fragment, factor); they order hits and never judge them.
    """

    k: int = 5
    filters: Filters = field(default_factory=Filters)
    ranking: Ranking = "hybrid"
    per_file: int = 3
    hybrid: bool = True
    fusion: Fusion = "convex"
    layer: bool = True
    pool_multiplier: int = 5
    pool_min: int = 20
    lexical_boost_weight: float = 0.12
    rrf_k: int = 60
    min_score: float | None = None
    min_confidence: float | None = None
    hidden_statuses: tuple[str, ...] = ("superseded", "archived")
    explain: bool = False
    relative_cutoff: float | None = None
    lexical_max_doc_freq: float = 0.01
    path_boosts: tuple[tuple[str, float], ...] = ()
