"""JSON as its standard has it: no NaN, no key twice in one object."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from beirkit.corpora.errors import DataError
from beirkit.corpora.files import open_bytes
from beirkit.corpora.ids import id_problem
from beirkit.evaluate.exports.found import Found, quoted


class NotStrictError(ValueError):
    """What stands in a text is no JSON; the message says where and why."""


def strict_json(data: bytes, *, nan: bool = False) -> Any:
    """The value of a text.

    Args:
        data: the text.
        nan: take NaN and Infinity, as Python writes them.

    Raises:
        NotStrictError: it is no JSON or not UTF-8, or holds NaN, Infinity, a number beyond the range of
            floats, or a key twice in one object.
    """
    try:
        return json.loads(
            data.decode("utf-8"),
            parse_constant=float if nan else _constant,
            parse_float=_float,
            object_pairs_hook=_once,
        )
    except NotStrictError:
        raise
    except (ValueError, RecursionError) as error:
        raise NotStrictError(f"no JSON: {error}") from error


def read_strict(path: Path, found: Found) -> Any:
    """The value in a file; None, and a problem, where it is no JSON."""
    try:
        with open_bytes(path) as stream:
            return strict_json(stream.read())
    except (NotStrictError, DataError) as error:
        told = error.found if isinstance(error, DataError) else str(error)
        found.add("files that are no JSON", "", told, "strict JSON", "NaN and Infinity are no JSON either")
        return None


def list_problems(found: Found, key: str, row: object) -> dict[str, float]:
    """Tell what is wrong with ``{doc_id: score}``.

    Returns:
        The results that are sound.
    """
    if not isinstance(row, Mapping):
        found.add("lists of other shape", key, quoted(row), "an object of document ids and scores")
        return {}
    sound: dict[str, float] = {}
    for doc_id, score in row.items():
        if problem := id_problem(doc_id):
            found.add("document ids", f"{key}.{doc_id}", f"an id that {problem}", "an id")
        elif isinstance(score, bool) or not isinstance(score, int | float) or not math.isfinite(score):
            found.add("scores that are no numbers", f"{key}.{doc_id}", quoted(score), "a finite number")
        else:
            sound[doc_id] = float(score)
    if not row:
        found.add("empty lists", key, "no result", "results", severity="warning")
    return sound


def _constant(text: str) -> Any:
    raise NotStrictError(f"{text}, which is no JSON")


def _float(text: str) -> float:
    value = float(text)
    if math.isinf(value):
        raise NotStrictError(f"{text}, which is beyond the range of floats")
    return value


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for place, key in enumerate(keys) if key in keys[:place])
        raise NotStrictError(f"the key {twice!r} twice in one object")
    return made
