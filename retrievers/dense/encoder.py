"""What an encoder is: texts in, vectors out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from typing import Literal, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from beirkit.corpora.errors import UsageError
from beirkit.corpora.progress import Advance
from beirkit.retrievers.base import Facts

Role = Literal["query", "document"]
Similarity = Literal["cosine", "dot"]
Vectors = npt.NDArray[np.float32]


class RefusedTextError(UsageError):
    """An encoder cannot take one of its texts.

    Args:
        found: why.
        row: which of the texts that it was given.
    """

    def __init__(self, found: str, row: int) -> None:
        super().__init__(found)
        self.row = row


class Encoder(Protocol):
    """Turns texts into vectors, one way for queries and one for documents."""

    def identity(self) -> Facts:
        """Model, prompts, pooling, precision: all that the vectors depend on; cheap to ask for.

        Where it has a key ``prompts`` or ``fields``, ``{"query": ..., "document": ...}``, vectors of one role
        are taken to depend on the part of that role alone. A key ``kind`` other than ``dense`` is refused.
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


@runtime_checkable
class Billing(Protocol):
    """What an encoder can do besides whose vectors cost something."""

    def announce(self, parts: Iterable[Sequence[str]], role: Role) -> AbstractContextManager[None]:
        """Tell what texts will take, or refuse it, before they are encoded inside the context.

        Args:
            parts: all blocks of texts that will be encoded.
            role: of all of them.
        """
        ...

    def sources(self, texts: Sequence[str], role: Role) -> Facts:
        """What the vectors of texts were bought with, by a key for each purchase; kept beside the vectors."""
        ...

    def bill(self, sources: Facts) -> Facts:
        """What was paid for vectors, whenever that was, by what :meth:`sources` says of all of them."""
        ...

    def costs(self) -> Facts:
        """What was paid this time."""
        ...
