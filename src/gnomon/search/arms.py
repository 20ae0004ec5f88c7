"""The ways of searching that an evaluation compares."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from gnomon.embed.base import Embedder
from gnomon.search import SearchOptions, search
from gnomon.store.base import Store
from gnomon.values import Hit


def arms(store: Store, embedder: Embedder | None, options: SearchOptions) -> Mapping[str, Callable[[str], list[Hit]]]:
    """Each part of the product alone and together, the product's own way last.

    Args:
        store: What is searched.
        embedder: None leaves only the ways that need no vectors.
        options: Of the product's own way; ``k`` is raised to what an evaluation looks at.
    """
    options = replace(options, k=max(options.k, 10))
    bare = replace(options, layer=False)

    def way(embedder: Embedder | None, options: SearchOptions) -> Callable[[str], list[Hit]]:
        return lambda query: list(search(query, store=store, embedder=embedder, options=options).hits)

    if embedder is None:
        return {"words": way(None, bare), "words + ranking": way(None, options)}
    return {
        "words": way(None, bare),
        "vectors": way(embedder, replace(bare, hybrid=False)),
        "both": way(embedder, bare),
        "both + ranking": way(embedder, options),
    }
