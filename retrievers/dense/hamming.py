"""Binary vectors searched by the number of bits that differ, and the best of them scored again."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from beirkit.retrievers.base import Facts
from beirkit.retrievers.dense.encoder import Vectors
from beirkit.retrievers.dense.exact import Ordinals
from beirkit.retrievers.dense.forms import encode
from beirkit.retrievers.dense.searching import Found, rescored
from beirkit.retrievers.dense.vectors import VectorBlock
from beirkit.retrievers.topk import top_k


class HammingSearcher:
    """Compares the signs of a query with those of every document.

    The score is the share of signs that agree minus the share that does not. The best ``rescore`` times ``k``
    are scored again by the float32 query and the documents' signs, which costs little and tells apart most of
    the many that tie.

    Args:
        blocks: binary vectors.
        ranks: break ties.
        rescore: how many times ``k`` are scored again; 0: none.
    """

    def __init__(self, blocks: Sequence[VectorBlock], ranks: Ordinals, rescore: int) -> None:
        self._blocks = blocks
        self._ranks = ranks
        self._rescore = rescore
        self._codes = np.concatenate([_words(np.asarray(block.stored.array)) for block in blocks])
        self._dim = blocks[0].dim

    def search(self, queries: Vectors, k: int) -> Found:
        """The best ``k`` of each query."""
        found: Found = []
        codes = _words(encode(queries, "binary"))
        for query, code in zip(queries, codes, strict=True):
            apart = np.bitwise_count(self._codes ^ code).sum(axis=1, dtype=np.int32)
            scores = (1 - 2 * apart.astype(np.float32) / np.float32(self._dim)).astype(np.float32)
            docs, kept = top_k(scores, self._ranks, k * max(1, self._rescore))
            if self._rescore:
                docs, kept = rescored(query, docs, self._blocks, self._ranks, k)
            found.append((docs, kept))
        return found

    def report(self) -> Facts:
        """Nothing."""
        return {}

    @property
    def nbytes(self) -> int:
        """Size of the codes."""
        return int(self._codes.nbytes)


def _words(codes: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint64]:
    """Bytes as words of 8, padded with zeros: counted eight times as fast."""
    width = -(-codes.shape[1] // 8) * 8
    padded = np.zeros((len(codes), width), dtype=np.uint8)
    padded[:, : codes.shape[1]] = codes
    return padded.view(np.uint64)
