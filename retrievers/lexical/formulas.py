"""The formulas of BM25's variants, as compared by Kamphuis et al., "Which BM25 do you mean?", ECIR 2020.

A weight is ``idf(term) * gain(tf, length)``. BM25L and BM25+ also give something to documents that lack a
term; their gain here is what a document has beyond that, and :func:`absent_gain` is the rest.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Literal

import msgspec
import numpy as np
import numpy.typing as npt

Variant = Literal["lucene", "robertson", "atire", "bm25l", "bm25+"]
Floats = npt.NDArray[np.float64]

DELTA: dict[Variant, float] = {"bm25l": 0.5, "bm25+": 1.0}
"""The variants that have a delta, with the value of their authors."""


class Parameters(msgspec.Struct, frozen=True, kw_only=True):
    """A variant and its parameters, resolved; ``delta`` is 0 where the variant has none."""

    variant: Variant
    k1: float
    b: float
    delta: float


def idf(variant: Variant, frequencies: npt.NDArray[np.int64], documents: int) -> Floats:
    """Inverse document frequencies.

    The logarithm is taken once per distinct frequency with :func:`math.log`: numpy's own may differ in the
    last bit from one kind of processor to the next.

    Args:
        variant: whose formula.
        frequencies: ``(n_terms,)`` number of documents each term stands in, at least 1.
        documents: number of documents of the corpus.

    Returns:
        ``(n_terms,) float64``, none below 0.
    """
    n = documents
    formulas: dict[Variant, Callable[[int], float]] = {
        "lucene": lambda df: math.log(1 + (n - df + 0.5) / (df + 0.5)),
        # Robertson's turns negative for a term in more than half of the documents; it is held at 0.
        "robertson": lambda df: math.log(max(1.0, (n - df + 0.5) / (df + 0.5))),
        "atire": lambda df: math.log(n / df),
        "bm25l": lambda df: math.log((n + 1) / (df + 0.5)),
        "bm25+": lambda df: math.log((n + 1) / df),
    }
    distinct, places = np.unique(frequencies, return_inverse=True)
    values = np.array([formulas[variant](df) for df in distinct.tolist()], dtype=np.float64)
    return values[places]


def gain(parameters: Parameters, tf: Floats, length: Floats) -> Floats:
    """What a term is worth in a document, before its inverse document frequency.

    Args:
        parameters: variant and parameters.
        tf: ``(n,)`` how often the term stands in the document, at least 1.
        length: ``(n,)`` length of the document over the average length, above 0.

    Returns:
        ``(n,) float64``.
    """
    k1 = parameters.k1
    held_back = 1 - parameters.b + parameters.b * length
    if parameters.variant in ("lucene", "robertson"):
        return tf / (tf + k1 * held_back)
    if parameters.variant == "bm25l":
        scaled = tf / held_back + parameters.delta
        return (k1 + 1) * scaled / (k1 + scaled) - absent_gain(parameters)
    return tf * (k1 + 1) / (tf + k1 * held_back)


def absent_gain(parameters: Parameters) -> float:
    """What a term is worth in a document that lacks it, before its inverse document frequency."""
    k1, delta = parameters.k1, parameters.delta
    if parameters.variant == "bm25l" and delta > 0:
        return (k1 + 1) * delta / (k1 + delta)
    return delta if parameters.variant == "bm25+" else 0.0
