"""JSON that is checked by key: what is no JSON is told with its key path, and the rest is read."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from beirkit.evaluate.exports.found import Found
from beirkit.evaluate.exports.strict_json import NotStrictError, read_strict, strict_json


def read_keyed(path: Path, found: Found) -> Any:
    """The value in a file; NaN and infinities are told by their key paths and kept.

    Returns:
        None, and a problem, where Python cannot read the file as JSON either.
    """
    try:
        data = path.read_bytes()
    except OSError:
        return read_strict(path, found)
    try:
        return strict_json(data)
    except NotStrictError:
        try:
            lenient = json.loads(data.decode("utf-8"))
        except (ValueError, RecursionError):
            return read_strict(path, found)
    places = list(_not_finite(lenient, ""))
    for key, value in places:
        found.add(
            "numbers that JSON does not have",
            key,
            str(value),
            "a number of JSON, or null where it is allowed",
        )
    return lenient if places else read_strict(path, found)


def _not_finite(value: Any, key: str) -> Iterator[tuple[str, float]]:
    if isinstance(value, float) and not math.isfinite(value):
        yield key, value
    elif isinstance(value, dict):
        for name, inner in value.items():
            yield from _not_finite(inner, f"{key}.{name}" if key else str(name))
    elif isinstance(value, list):
        for place, inner in enumerate(value):
            yield from _not_finite(inner, f"{key}[{place}]")
