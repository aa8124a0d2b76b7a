"""Ways of finding a query's best documents that are not exact, and how near to exact they come."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from beirkit.corpora.run import ranking_order
from beirkit.retrievers.base import Facts
from beirkit.retrievers.dense.encoder import Vectors
from beirkit.retrievers.dense.exact import Ordinals
from beirkit.retrievers.dense.vectors import VectorBlock

_CUTOFFS = (10, 100)

Found = list[tuple[Ordinals, Vectors]]
"""For each query, document ordinals and scores in ranking order."""


class Searcher(Protocol):
    """Finds documents among those it was made over."""

    def search(self, queries: Vectors, k: int) -> Found:
        """At most ``k`` documents of each query.

        Args:
            queries: ``(n_queries, dim)`` float32.
            k: how many are wanted, at least 1.
        """
        ...

    def report(self) -> Facts:
        """What was found out while searching."""
        ...

    @property
    def nbytes(self) -> int:
        """Size of what is searched."""
        ...


def rescored(
    query: Vectors, docs: Ordinals, blocks: Sequence[VectorBlock], ranks: Ordinals, k: int
) -> tuple[Ordinals, Vectors]:
    """The best ``k`` of one query's candidates by float64 products, rounded to float32 once.

    Args:
        query: ``(dim,)``.
        docs: candidates, each once.
        blocks: vectors of all documents.
        ranks: break ties.
        k: how many are kept.
    """
    vectors = rows(blocks, docs)
    scores = np.einsum("nd,d->n", vectors.astype(np.float64), query.astype(np.float64)).astype(np.float32)
    order = ranking_order(scores, ranks[docs])[:k]
    return docs[order], scores[order]


def rows(blocks: Sequence[VectorBlock], docs: npt.NDArray[np.integer[Any]]) -> Vectors:
    """The vectors of some documents, in their order."""
    starts = np.cumsum([0, *(block.size for block in blocks)])
    made = np.empty((len(docs), blocks[0].dim), dtype=np.float32)
    owners = np.searchsorted(starts, docs, side="right") - 1
    for owner in np.unique(owners).tolist():
        mine = np.flatnonzero(owners == owner)
        made[mine] = blocks[owner].take(docs[mine] - starts[owner])
    return made


def recall(found: Found, exact: Ordinals, k: int) -> dict[str, float]:
    """The mean share of the exact best that was found, at the usual depths and at ``k``.

    Args:
        found: what was found.
        exact: ``(n_queries, m)`` the exact best, in ranking order.
        k: how many were asked for.
    """
    depths = sorted({min(depth, exact.shape[1]) for depth in (*_CUTOFFS, k) if depth <= k})
    return {
        str(depth): round(
            float(
                np.mean(
                    [
                        len(np.intersect1d(docs[:depth], exact[row, :depth])) / depth
                        for row, (docs, _) in enumerate(found)
                    ]
                )
            ),
            6,
        )
        for depth in depths
    }
