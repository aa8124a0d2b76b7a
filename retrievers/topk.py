"""The exact best ``k`` of one query's scores, by the one ordering rule."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from beirkit.corpora.run import ranking_order


def top_k(
    scores: npt.NDArray[np.float32],
    ranks: npt.NDArray[np.int32],
    k: int,
    *,
    above: float | None = None,
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.float32]]:
    """The ``k`` best documents of one query, in ranking order.

    Where several documents tie at the border, those with the greater id are kept: the result is the
    first ``k`` of the fully sorted list, whatever ``k`` is.

    Args:
        scores: ``(n_docs,) float32``, no NaN.
        ranks: ``(n_docs,) int32``, value of :func:`beirkit.corpora.run.id_ranks` for the same documents.
        k: how many to keep, at least 1; it may exceed the number of documents.
        above: leave out documents whose score is not greater than this.

    Returns:
        ``(n,) int32`` document ordinals and ``(n,) float32`` scores, ``n <= k``.
    """
    if above is None:
        docs = np.arange(len(scores), dtype=np.int32)
        kept = scores
    else:
        docs = np.flatnonzero(scores > above).astype(np.int32)
        kept = scores[docs]
    if len(docs) > k:
        # Everything above the k-th score is in; of those equal to it, the greatest ids fill what is left.
        border = np.partition(kept, len(kept) - k)[len(kept) - k]
        surely = np.flatnonzero(kept > border)
        tied = np.flatnonzero(kept == border)
        room = k - len(surely)
        if len(tied) > room:
            tied = tied[np.argpartition(ranks[docs[tied]], room - 1)[:room]]
        chosen = np.concatenate((surely, tied))
        docs, kept = docs[chosen], kept[chosen]
    order = ranking_order(kept, ranks[docs])
    return docs[order], kept[order]
