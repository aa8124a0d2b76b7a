"""An encoder whose vectors are known beforehand: a text is the number of its vector."""

from __future__ import annotations

from collections.abc import Sequence

from beirkit.corpora.progress import Advance
from beirkit.retrievers.base import Facts
from beirkit.retrievers.dense.encoder import Role, Similarity, Vectors


class KnownVectors:
    """Gives the text ``17`` the vector of row 17.

    Args:
        documents: ``(n, dim)``.
        queries: ``(m, dim)``.
        similarity: how they are compared.
    """

    def __init__(self, documents: Vectors, queries: Vectors, *, similarity: Similarity = "cosine") -> None:
        self._table = {"document": documents, "query": queries}
        self._similarity: Similarity = similarity
        self.calls = 0

    def identity(self) -> Facts:
        """Its name."""
        return {"model": "known"}

    @property
    def similarity(self) -> Similarity:
        """How two vectors are compared."""
        return self._similarity

    def encode(self, texts: Sequence[str], role: Role, advance: Advance | None = None) -> Vectors:
        """The rows that the texts name."""
        self.calls += 1
        return self._table[role][[int(text) for text in texts]]

    def count_truncated(self, texts: Sequence[str], role: Role) -> int:
        """None."""
        return 0
