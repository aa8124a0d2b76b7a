"""Vectors made smaller: cut to their first dimensions, and kept in fewer bits.

What the encoder gave is kept as it is, so a model is run once and its vectors are tried in many forms. The
scale of an int8 vector is its own greatest component, so it does not depend on other documents and needs no
calibration. A binary vector keeps the signs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import msgspec
import numpy as np
import numpy.typing as npt

from beirkit.corpora.errors import UsageError
from beirkit.retrievers.base import Facts
from beirkit.retrievers.dense.encoder import Vectors
from beirkit.retrievers.dense.vectors import VectorBlock, greatest_length, unit
from beirkit.retrievers.store import Section, Store

Precision = Literal["float32", "float16", "int8", "binary"]

STAGE = 1
"""Version of this code; raised when equal vectors would be stored as other bytes."""

_SCALE_BYTES = 4  # of an int8 vector's scale, a float32 behind its components


class Form(msgspec.Struct, frozen=True, kw_only=True):
    """What becomes of vectors before they are searched.

    Attributes:
        truncate_dim: dimensions that are kept, the first ones; ``None``: all.
        precision: how the documents' are kept; queries stay float32.
        cosine: whether they are made unit length again once they are cut.
    """

    truncate_dim: int | None = None
    precision: Precision = "float32"
    cosine: bool = True

    def cut(self, vectors: Vectors) -> Vectors:
        """``(n, dim)`` float32 of the wanted dimensions.

        Raises:
            UsageError: the vectors have fewer.
        """
        if self.truncate_dim is None or self.truncate_dim == vectors.shape[1]:
            return vectors
        if self.truncate_dim > vectors.shape[1]:
            raise UsageError(f"truncate_dim is {self.truncate_dim}, and the model gives {vectors.shape[1]}")
        shorter = np.ascontiguousarray(vectors[:, : self.truncate_dim])
        return unit(shorter) if self.cosine else shorter


@dataclass(frozen=True)
class FormedBlock(VectorBlock):
    """Vectors kept in fewer bits, which are turned back into float32 each time they are asked for."""

    precision: Precision = "float32"

    @property
    def vectors(self) -> Vectors:
        """``(n, dim)`` float32, decoded."""
        return decode(self.stored.array, self.precision, self.dim)

    def take(self, places: npt.NDArray[np.integer[Any]]) -> Vectors:
        """``(len(places), dim)`` float32, some of the vectors; only these are decoded."""
        return decode(np.asarray(self.stored.array[places]), self.precision, self.dim)


class Former:
    """Puts blocks of vectors into a form and keeps them.

    Args:
        form: what they become.
        store: keeps them.
        configuration: what the vectors depend on.
    """

    def __init__(self, form: Form, store: Store, configuration: Facts) -> None:
        self.form = form
        self.plain = form.truncate_dim is None and form.precision == "float32"
        """Whether vectors stay as they are."""
        self._section: Section | None = None
        if not self.plain:
            told = {**msgspec.structs.asdict(form), "stage": STAGE}
            self._section = store.section("embeddings", {**configuration, "form": told})

    def block(self, block: VectorBlock) -> VectorBlock:
        """The same vectors in this form."""
        if self._section is None:
            return block
        stored = self._section.get(block.key)
        if stored is None:
            cut = self.form.cut(np.asarray(block.vectors))
            codes = encode(cut, self.form.precision)
            decoded = decode(codes, self.form.precision, cut.shape[1])
            facts = {**block.stored.facts, "norm": greatest_length(decoded), "dim": cut.shape[1]}
            stored = self._section.put(block.key, codes, facts)
        block.stored.release()
        return FormedBlock(stored, block.key, block.reused, self.form.precision)


def encode(vectors: Vectors, precision: Precision) -> npt.NDArray[Any]:
    """Vectors in fewer bits.

    Args:
        vectors: ``(n, dim)`` float32.
        precision: of the result.

    Returns:
        ``(n, dim)`` float32 or float16; ``(n, dim + 4)`` int8, the last four the bytes of a float32 scale; or
        ``(n, ceil(dim / 8))`` uint8, a bit for each component that is above 0.
    """
    if precision == "int8":
        scales = np.abs(vectors).max(axis=1, keepdims=True).astype(np.float32) / np.float32(127)
        codes = np.rint(np.divide(vectors, scales, out=np.zeros_like(vectors), where=scales > 0))
        return np.concatenate((codes.astype(np.int8), np.ascontiguousarray(scales).view(np.int8)), axis=1)
    if precision == "binary":
        return np.packbits(vectors > 0, axis=1)
    return vectors.astype(precision)


def decode(codes: npt.NDArray[Any], precision: Precision, dim: int) -> Vectors:
    """The float32 vectors that codes stand for; binary ones are at unit length, with no component 0.

    Args:
        codes: value of :func:`encode`.
        precision: theirs.
        dim: dimensions of the vectors.
    """
    made: Vectors
    if precision == "int8":
        scales = np.ascontiguousarray(codes[:, -_SCALE_BYTES:]).view(np.float32)
        made = codes[:, :dim].astype(np.float32) * scales
    elif precision == "binary":
        signs = np.unpackbits(codes, axis=1, count=dim).astype(np.float32) * 2 - 1
        made = (signs / np.sqrt(np.float32(dim))).astype(np.float32)
    else:
        made = np.asarray(codes, dtype=np.float32)
    return made
