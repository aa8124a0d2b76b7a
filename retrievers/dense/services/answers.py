"""Vectors out of a service's answer: all of them, each of its own text, or none."""

from __future__ import annotations

import base64
import binascii
from typing import Any

import numpy as np

from beirkit.retrievers.dense.encoder import Vectors
from beirkit.retrievers.dense.services.options import ServiceOptions
from beirkit.retrievers.outside.client import RequestError
from beirkit.retrievers.outside.requests import at_path


class BadVectorError(RequestError):
    """An answer holds what is no vector.

    Args:
        why: what is wrong with it.
        row: which of the texts it is of.
    """

    def __init__(self, why: str, row: int) -> None:
        super().__init__(why)
        self.row = row


def read_vectors(answer: Any, count: int, options: ServiceOptions) -> Vectors:
    """``(count, dim)`` float32, in the order of the texts.

    A vector is a list of numbers, or base64 of float32 in little-endian order, as OpenAI's
    ``encoding_format: base64`` gives.

    Args:
        answer: the JSON.
        count: how many texts were sent.
        options: where things stand in it, and the dimensions it must have.

    Raises:
        RequestError: there are more or fewer vectors, or some place has none or two.
        BadVectorError: one of them is none.
    """
    entries = at_path(answer, options.vectors, "the answer")
    if not isinstance(entries, list):
        raise RequestError(f"{options.vectors!r} of the answer is no list but {type(entries).__name__}")
    if len(entries) != count:
        raise RequestError(f"the answer has {len(entries)} vectors for {count} texts")
    found: dict[int, Vectors] = {}
    for place, entry in enumerate(entries):
        row = _row(entry, place, count, options.index)
        if row in found:
            raise RequestError(f"the answer has two vectors for text {row} of {count}")
        found[row] = _vector(at_path(entry, options.vector, "an entry of the answer"), row)
    dims = {len(vector) for vector in found.values()}
    if len(dims) > 1:
        raise RequestError(f"the answer has vectors of {' and '.join(map(str, sorted(dims)))} dimensions")
    if options.dimensions is not None and dims != {options.dimensions}:
        raise RequestError(f"{options.dimensions} dimensions were asked for and {dims.pop()} came")
    return np.stack([found[row] for row in range(count)])


def read_tokens(answer: Any, path: str) -> int | None:
    """The number of tokens that an answer charges; ``None`` where it does not say."""
    try:
        found = at_path(answer, path, "the answer") if path else None
    except RequestError:
        return None
    if not isinstance(found, int | float) or isinstance(found, bool) or not 0 <= found < float("inf"):
        return None
    return round(found)  # Cohere's are floating-point numbers


def read_name(answer: Any) -> str:
    """The model that an answer says it is of."""
    name = answer.get("model") if isinstance(answer, dict) else None
    return name[:200] if isinstance(name, str) else ""


def _row(entry: Any, place: int, count: int, path: str) -> int:
    """Which text an entry is of: what it says itself, else its place."""
    if not path:
        return place
    try:
        row = at_path(entry, path, "an entry")
    except RequestError:
        return place
    if not isinstance(row, int) or isinstance(row, bool) or not 0 <= row < count:
        raise RequestError(f"the answer has a vector for text {row!r} of {count}"[:200])
    return row


def _vector(data: Any, row: int) -> Vectors:
    if isinstance(data, str):
        try:
            made = np.frombuffer(base64.b64decode(data, validate=True), dtype="<f4")
        except (binascii.Error, ValueError) as error:
            raise BadVectorError("what came for it is no base64 of float32", row) from error
    elif isinstance(data, list):
        try:
            made = np.asarray(data)
        except ValueError as error:
            raise BadVectorError("what came for it is no list of numbers", row) from error
    else:
        raise BadVectorError(f"what came for it is no vector but {type(data).__name__}", row)
    if made.ndim != 1 or not made.size or made.dtype.kind not in "iuf":
        raise BadVectorError("what came for it is no list of numbers", row)
    with np.errstate(over="ignore"):
        vector: Vectors = made.astype(np.float32)
    if not np.isfinite(vector).all():
        raise BadVectorError("its vector holds NaN or infinity", row)
    return vector
