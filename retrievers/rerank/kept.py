"""Scores of pairs, kept query by query: what was scored once is not scored again, whatever was retrieved."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from beirkit.corpora.errors import DataError
from beirkit.retrievers.rerank.scorer import Scorer, Scores
from beirkit.retrievers.store import Store, text_key

_PAIR = np.dtype([("document", "S16"), ("score", "<f4")])


class PairScores:
    """The scores of one model, in the store.

    A score is the one of the batch in which the pair was first met; padding to a longer text may change its
    last bits, so it is never computed a second time.

    Args:
        scorer: computes what is not there.
        stage: version of the code that calls it.
        store: keeps the scores.
    """

    def __init__(self, scorer: Scorer, stage: int, store: Store) -> None:
        self._scorer = scorer
        self._section = store.section("rerank", {"scorer": scorer.identity(), "stage": stage})
        self.computed = 0
        self.reused = 0

    def score(self, query: str, texts: Sequence[str]) -> Scores:
        """``(len(texts),) float32``; equal texts have equal scores.

        Raises:
            DataError: a score is no finite number.
        """
        key = text_key([query])
        block = self._section.get(key)
        known: npt.NDArray[Any] = np.empty(0, dtype=_PAIR) if block is None else np.array(block.array)
        # a trailing zero byte is no part of a numpy string
        scores = {bytes(doc).ljust(16, b"\0"): float(score) for doc, score in known.tolist()}
        digests = [hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[:16] for text in texts]
        missing = {d: text for d, text in zip(digests, texts, strict=True) if d not in scores}
        self.reused += len(texts) - len(missing)
        if missing:
            found = self._scorer.score(query, list(missing.values()))
            if not np.isfinite(found).all():
                raise DataError(
                    f"{int((~np.isfinite(found)).sum())} scores of query {query[:60]!r} are not finite"
                )
            new = np.array(list(zip(missing, found.tolist(), strict=True)), dtype=_PAIR)
            self._section.put(key, np.concatenate((known, new)), {"query": query})
            scores.update(zip(missing, found.tolist(), strict=True))
            self.computed += len(missing)
        return np.array([scores[d] for d in digests], dtype=np.float32)
