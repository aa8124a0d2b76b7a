"""What an encoder is: texts in, vectors out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, Protocol

import numpy as np
import numpy.typing as npt

from beirkit.retrievers.base import Facts

Role = Literal["query", "document"]
Similarity = Literal["cosine", "dot"]


class Encoder(Protocol):
    """Turns texts into vectors, one way for queries and one for documents."""

    def identity(self) -> Facts:
        """Model, prompts, pooling, precision: all that the vectors depend on; cheap to ask for."""
        ...

    @property
    def similarity(self) -> Similarity:
        """How two of its vectors are compared."""
        ...

    def encode(self, texts: Sequence[str], role: Role) -> npt.NDArray[np.float32]:
        """Encode one block of texts as ``(len(texts), dim)`` float32."""
        ...

    def count_truncated(self, texts: Sequence[str], role: Role) -> int:
        """How many of the texts are longer than the model reads."""
        ...
