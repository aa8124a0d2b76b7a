"""How the passages that a query found become the documents it found."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import numpy.typing as npt

Method = Literal["maxp", "firstp", "mean", "topk-mean"]

Ordinals = npt.NDArray[np.int32]
Scores = npt.NDArray[np.float32]

Ranked = tuple[Ordinals, Scores, npt.NDArray[np.intp]]
"""Of one query: documents, their scores, and where in its list the best passage of each document stands."""


def best_passages(documents: Ordinals, scores: Scores) -> Ranked:
    """Each document with the score of its best passage; ``maxp``, and of first passages ``firstp``.

    Args:
        documents: ``(n,)`` the document of each passage that was found.
        scores: ``(n,)`` scores of the passages.
    """
    order, starts = _grouped(documents, scores)
    best = order[starts]
    return documents[best], scores[best], best


def mean_passages(documents: Ordinals, scores: Scores, sizes: Ordinals, top: int | None = None) -> Ranked:
    """Each document with the mean score of its passages, those that were not found counting 0.

    The sum is taken in float64 from the best passage down, so that neither the order of documents nor that
    of the list matters, and rounded to float32 once.

    Args:
        documents: ``(n,)`` the document of each passage that was found.
        scores: ``(n,)`` scores of the passages.
        sizes: how many passages each document of the corpus has.
        top: how many of a document's best passages count, all of one with fewer; ``None``: all.
    """
    order, starts = _grouped(documents, scores)
    best = order[starts]
    found = documents[best]
    counts = np.diff(np.append(starts, len(order)))
    group = np.repeat(np.arange(len(found)), counts)
    values = scores[order].astype(np.float64)
    divisor = sizes[found].astype(np.float64)
    if top is not None:
        place = np.arange(len(order)) - np.repeat(starts, counts)
        # a passage that was not found stands behind those above 0 and before those below
        place += np.where(values < 0, (sizes[found] - counts)[group], 0)
        values[place >= top] = 0
        divisor = np.minimum(divisor, top)
    sums = np.bincount(group, weights=values, minlength=len(found))
    return found, (sums / divisor).astype(np.float32), best


def surely_best(ranked: Ranked, scores: Scores, k: int) -> bool:
    """Whether a list of passages that goes on has shown all of the ``k`` documents with the best passages.

    Whatever follows scores at most as much as the last passage, and where it scores as much, its document may
    have the greater id. So ``k`` documents must stand above it.

    Args:
        ranked: what :func:`best_passages` made of the list.
        scores: of the list.
        k: how many documents are wanted.
    """
    return int((ranked[1] > scores.min()).sum()) >= k if len(scores) else False


def _grouped(documents: Ordinals, scores: Scores) -> tuple[npt.NDArray[np.intp], npt.NDArray[Any]]:
    """The order by document and falling score, and where each document begins in it."""
    order = np.lexsort((-scores, documents))
    ordered = documents[order]
    starts = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1])) if len(ordered) else order
    return order, starts
