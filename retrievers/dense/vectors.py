"""From texts to stored vectors: encoded block by block, checked, made ready for comparison, kept."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from beirkit.corpora.errors import DataError, UsageError
from beirkit.corpora.progress import Advance
from beirkit.retrievers.base import Facts
from beirkit.retrievers.dense.encoder import Billing, Encoder, RefusedTextError, Role, Vectors
from beirkit.retrievers.store import Block, Section, Store, text_key

logger = logging.getLogger(__name__)

STAGE = 1
"""Version of this code; raised when equal encoder output would be stored as other bytes."""


@dataclass(frozen=True)
class VectorBlock:
    """Stored vectors of consecutive texts."""

    stored: Block
    key: str = ""  # of its texts
    reused: bool = False  # found in the store, not encoded now

    @property
    def vectors(self) -> Vectors:
        """``(n, dim)`` float32, read-only; unit length (or zero) where cosine compares them."""
        return self.stored.array

    @property
    def size(self) -> int:
        """How many vectors there are."""
        return len(self.stored.array)

    @property
    def dim(self) -> int:
        """How many dimensions they have."""
        told = self.stored.facts.get("dim")  # packed vectors do not show it
        return int(self.stored.array.shape[1]) if told is None else int(told)

    def take(self, places: npt.NDArray[np.integer[Any]]) -> Vectors:
        """``(len(places), dim)`` float32, some of the vectors."""
        return np.asarray(self.vectors[places])

    @property
    def truncated(self) -> int | None:
        """How many of the texts are longer than the model reads; ``None``: not known."""
        told = self.stored.facts["truncated"]
        return None if told is None else int(told)

    @property
    def sources(self) -> Facts | None:
        """What the vectors come from, where the encoder is a :class:`Billing` one."""
        found: Facts | None = self.stored.facts.get("sources")
        return found

    @property
    def zeros(self) -> int:
        """How many of the vectors are zero."""
        return int(self.stored.facts["zeros"])

    @property
    def norm(self) -> float:
        """The greatest length of a vector."""
        return float(self.stored.facts["norm"])


def configuration(encoder: Encoder, role: Role) -> Facts:
    """What stored vectors of one role depend on besides the texts.

    Raises:
        UsageError: the encoder says that it is not a dense one.
    """
    facts = dict(encoder.identity())
    kind = facts.get("kind", "dense")
    if kind != "dense":
        raise UsageError(f"this encoder is of the kind {kind!r}", hint=f"it needs the {kind} retriever")
    for name, own in (("prompts", "prompt"), ("fields", "fields")):
        if (by_role := facts.pop(name, None)) is not None:
            facts[own] = by_role[role]
    return {**facts, "role": role, "similarity": encoder.similarity, "stored": STAGE}


class VectorStore:
    """Encodes the blocks of one role that are not stored yet.

    Args:
        encoder: makes the vectors.
        role: the role of the texts.
        store: keeps them.
    """

    def __init__(self, encoder: Encoder, role: Role, store: Store) -> None:
        self._encoder = encoder
        self._role: Role = role
        self._section: Section = store.section("embeddings", configuration(encoder, role))

    def block(self, ids: Sequence[str], texts: Sequence[str], advance: Advance) -> VectorBlock:
        """The vectors of one block of texts.

        Args:
            ids: what to call the texts in messages.
            texts: at most :data:`beirkit.retrievers.store.BLOCK` of them.
            advance: told of every text, encoded or stored.

        Raises:
            DataError: a vector holds a NaN or an infinity.
            UsageError: the encoder does not give one vector per text.
        """
        key = text_key(texts)
        stored = self._section.get(key)
        if stored is None:
            return VectorBlock(self._section.put(key, *self._make(ids, texts, advance)), key)
        advance(len(texts))
        return VectorBlock(stored, key, reused=True)

    def announced(self, parts: Iterable[Sequence[str]]) -> AbstractContextManager[None]:
        """Inside it, blocks of texts may be encoded that cost something; what they take was told before.

        Args:
            parts: all of them, the stored ones too; not looked at where nothing costs anything.
        """
        if not isinstance(self._encoder, Billing):
            return nullcontext()
        lacking = (texts for texts in parts if not self._section.holds(text_key(texts)))
        return self._encoder.announce(lacking, self._role)

    def _make(self, ids: Sequence[str], texts: Sequence[str], advance: Advance) -> tuple[Vectors, Facts]:
        try:
            encoded = self._encoder.encode(texts, self._role, advance)
        except RefusedTextError as error:
            raise UsageError(f"{self._role} {ids[error.row]!r}: {error.found}") from error
        vectors = self._checked(encoded, ids)
        zeros = int((~vectors.any(axis=1)).sum())
        if self._encoder.similarity == "cosine":
            vectors = unit(vectors)
        truncated = self._encoder.count_truncated(texts, self._role)
        facts: Facts = {"truncated": truncated, "zeros": zeros, "norm": greatest_length(vectors)}
        if isinstance(self._encoder, Billing):
            facts["sources"] = self._encoder.sources(texts, self._role)
        return vectors, facts

    def _checked(self, vectors: Vectors, ids: Sequence[str]) -> Vectors:
        if not isinstance(vectors, np.ndarray) or vectors.ndim != 2 or len(vectors) != len(ids):
            got = (
                f"{vectors.dtype} {vectors.shape}"
                if isinstance(vectors, np.ndarray)
                else type(vectors).__name__
            )
            raise UsageError(
                f"the encoder gave {got} for {len(ids)} texts, not one vector for each",
                hint="weights by token are a sparse encoder's, which needs the sparse retriever",
            )
        vectors = np.asarray(vectors, dtype=np.float32)
        bad = np.flatnonzero(~np.isfinite(vectors).all(axis=1))
        if len(bad):
            names = ", ".join(repr(ids[place]) for place in bad[:3].tolist())
            raise DataError(
                f"the encoder gave NaN or infinity for {len(bad)} of {len(ids)} texts ({self._role} {names})",
                hint="half precision may overflow: try dtype float32",
            )
        return vectors


def greatest_length(vectors: Vectors) -> float:
    """The length of the longest of some vectors, at least one."""
    return float(np.sqrt(np.einsum("nd,nd->n", vectors, vectors, dtype=np.float64).max()))


def unit(vectors: Vectors) -> Vectors:
    """The vectors at length 1; a zero vector stays zero, which makes its cosine with anything 0."""
    wide = vectors.astype(np.float64)
    lengths = np.sqrt(np.einsum("nd,nd->n", wide, wide))[:, None]
    made: Vectors = np.divide(wide, lengths, out=np.zeros_like(wide), where=lengths > 0).astype(np.float32)
    return made
