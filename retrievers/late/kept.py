"""Token vectors of consecutive texts: encoded block by block, checked, kept in the store."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from beirkit.corpora.errors import DataError
from beirkit.corpora.progress import Advance
from beirkit.retrievers.base import Facts
from beirkit.retrievers.dense.encoder import Role, Vectors
from beirkit.retrievers.dense.vectors import greatest_length
from beirkit.retrievers.late.encoder import LateModel, TokenVectors
from beirkit.retrievers.late.scores import Offsets
from beirkit.retrievers.store import Block, Store, text_key

BLOCK = 256
"""Texts of one block: their token vectors, a few hundred for each text, are in memory at once."""

STAGE = 1
"""Version of this code; raised when equal encoder output would be stored as other bytes."""

_KIND = "tokens"

TokenPrecision = Literal["float32", "float16"]


@dataclass(frozen=True)
class TokenBlock:
    """Stored token vectors of consecutive texts."""

    stored: Block
    reused: bool = False  # found in the store, not encoded now

    @cached_property
    def counts(self) -> Offsets:
        """``(n,) int64`` vectors of each text."""
        return np.array(self.stored.facts["counts"], dtype=np.int64)

    @property
    def norm(self) -> float:
        """The greatest length of a vector."""
        return float(self.stored.facts["norm"])

    @property
    def dim(self) -> int:
        """How many dimensions a vector has; 0 where there is none."""
        return int(self.stored.array.shape[1]) if len(self.stored.array) else 0

    @property
    def limit(self) -> int | None:
        """Tokens that are read of a text; ``None``: not known."""
        told = self.stored.facts["limit"]
        return None if told is None else int(told)

    @property
    def truncated(self) -> int | None:
        """How many of the texts are longer; ``None``: not known."""
        told = self.stored.facts["truncated"]
        return None if told is None else int(told)

    def rows(self, start: int, end: int) -> Vectors:
        """``(end - start, dim)`` float32, consecutive vectors."""
        return np.asarray(self.stored.array[start:end], dtype=np.float32)

    def release(self) -> None:
        """Give the memory of pages read so far back to the system."""
        self.stored.release()


class TokenStore:
    """Encodes the blocks of one role that are not stored yet.

    Args:
        model: makes the vectors.
        role: the role of the texts.
        precision: how they are kept.
        store: keeps them.
    """

    def __init__(self, model: LateModel, role: Role, precision: TokenPrecision, store: Store) -> None:
        self._model, self._precision = model, precision
        self._role: Role = role
        told: Facts = {**model.identity(role), "block": BLOCK, "stored": STAGE}
        self._section = store.section(_KIND, {**told, "precision": precision})
        whole: Facts = {**told, "precision": "float32"}
        self._whole = store.section(_KIND, whole) if store.has(_KIND, whole) else self._section

    def block(self, ids: Sequence[str], texts: Sequence[str], advance: Advance) -> TokenBlock:
        """The vectors of one block of texts.

        Args:
            ids: what to call the texts in messages.
            texts: at most :data:`BLOCK` of them.
            advance: told of every text, encoded or stored.

        Raises:
            DataError: a vector holds a NaN or an infinity.
        """
        key = text_key(texts)
        stored = self._section.get(key)
        if stored is not None:
            advance(len(texts))
            return TokenBlock(stored, reused=True)
        made = self._kept(key)
        reused = made is not None
        if made is None:
            made = self._model.encode(texts, self._role, advance)
        else:
            advance(len(texts))
        with np.errstate(over="ignore"):  # what overflows is refused
            vectors = made.vectors.astype(self._precision)
        self._require_finite(made, np.isfinite(vectors).all(axis=1), ids)
        facts = {
            "counts": made.counts.tolist(),
            "norm": greatest_length(vectors.astype(np.float32)) if len(vectors) else 0.0,
            "limit": made.limit,
            "truncated": made.truncated,
        }
        return TokenBlock(self._section.put(key, vectors, facts), reused)

    def _kept(self, key: str) -> TokenVectors | None:
        """What is kept in float32 where less is wanted: no model runs for it."""
        stored = None if self._whole is self._section else self._whole.get(key)
        if stored is None:
            return None
        block = TokenBlock(stored)
        return TokenVectors(block.counts, block.rows(0, len(stored.array)), block.limit, block.truncated)

    def _require_finite(self, made: TokenVectors, finite: np.ndarray, ids: Sequence[str]) -> None:
        owners = np.repeat(np.arange(len(ids)), made.counts)
        bad = np.unique(owners[~finite])
        if not len(bad):
            return
        names = ", ".join(repr(ids[place]) for place in bad[:3].tolist())
        overflows = bool(np.isfinite(made.vectors).all())
        what = "vectors too great for float16" if overflows else "NaN or infinity"
        raise DataError(
            f"the encoder gave {what} for {len(bad)} of {len(ids)} texts ({self._role} {names})",
            hint="precision: float32 keeps them" if overflows else "",
        )
