"""From texts to weights of terms that are kept: encoded block by block, read back where they are stored."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from beirkit.corpora.progress import Advance
from beirkit.retrievers.dense.encoder import Role
from beirkit.retrievers.sparse.encoder import SparseModel
from beirkit.retrievers.sparse.rows import Rows
from beirkit.retrievers.store import Store, text_key


@dataclass(frozen=True)
class RowBlock:
    """The weights of one block of texts.

    Attributes:
        rows: the weights.
        truncated: how many of the texts are longer than the model reads.
        reused: found in the store, not encoded now.
    """

    rows: Rows
    truncated: int
    reused: bool


class RowStore:
    """Encodes the blocks of one role that are not stored yet.

    Args:
        encoder: weighs the terms.
        role: of the texts.
        store: keeps the weights.
    """

    def __init__(self, encoder: SparseModel, role: Role, store: Store) -> None:
        self._encoder, self._role = encoder, role
        self._section = store.section("sparse", encoder.identity(role))

    def block(self, texts: Sequence[str], advance: Advance) -> RowBlock:
        """The weights of one block.

        Args:
            texts: at most :data:`beirkit.retrievers.store.BLOCK` of them.
            advance: told of every text, encoded or stored.

        Raises:
            DataError: a weight is not finite.
        """
        key = text_key(texts)
        stored = self._section.get(key)
        if stored is None:
            rows = self._encoder.encode(texts, self._role, advance)
            truncated = self._encoder.count_truncated(texts, self._role)
            packed = np.stack((rows.terms, rows.weights.view(np.int32)), axis=1)
            self._section.put(key, packed, {"counts": rows.counts.tolist(), "truncated": truncated})
            return RowBlock(rows, truncated, reused=False)
        advance(len(texts))
        weights = np.ascontiguousarray(stored.array[:, 1]).view(np.float32)
        counts = np.array(stored.facts["counts"], dtype=np.int64)
        return RowBlock(Rows(counts, stored.array[:, 0], weights), stored.facts["truncated"], reused=True)
