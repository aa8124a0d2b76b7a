"""What an encoder is: texts in, vectors out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, Protocol

import numpy as np
import numpy.typing as npt

from beirkit.corpora.progress import Advance
from beirkit.retrievers.base import Facts

Role = Literal["query", "document"]
Similarity = Literal["cosine", "dot"]
Vectors = npt.NDArray[np.float32]


class Encoder(Protocol):
    """Turns texts into vectors, one way for queries and one for documents."""

    def identity(self) -> Facts:
        """Model, prompts, pooling, precision: all that the vectors depend on; cheap to ask for.

        Where it has a key ``prompts``, ``{"query": ..., "document": ...}``, vectors of one role are taken to
        depend on the prompt of that role alone. A key ``kind`` other than ``dense`` is refused.
        """
        ...

    @property
    def similarity(self) -> Similarity:
        """How two of its vectors are compared."""
        ...

    def encode(self, texts: Sequence[str], role: Role, advance: Advance | None = None) -> Vectors:
        """Encode one block of texts as ``(len(texts), dim)`` float32.

        Args:
            texts: at most :data:`beirkit.retrievers.store.BLOCK` texts, without prompts.
            role: which prompt they get.
            advance: called with the number of texts done, as often as is convenient.
        """
        ...

    def count_truncated(self, texts: Sequence[str], role: Role) -> int | None:
        """How many of the texts are longer than the model reads; ``None``: not known."""
        ...
