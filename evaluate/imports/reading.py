"""Reading other tools' JSON: what it is told by, and figures under any spelling of a measure."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from beirkit.corpora.errors import BeirkitError, DataError
from beirkit.corpora.files import open_bytes
from beirkit.evaluate.exports.strict_json import NotStrictError, strict_json
from beirkit.evaluate.measures import Measure

_LARGEST_ASKED = 64 << 20  # bytes of a JSON that is read only to see whose it is


def read_json(path: Path, *, nan: bool = False) -> Any:
    """The value in a file.

    Args:
        path: the file.
        nan: take NaN and Infinity, as Python writes them.

    Raises:
        DataError: it is no strict JSON, or cannot be read.
    """
    with open_bytes(path) as stream:
        data = stream.read()
    try:
        return strict_json(data, nan=nan)
    except NotStrictError as error:
        raise DataError(
            f"is {error}" if str(error).startswith("no ") else f"holds {error}", path=path
        ) from error


def peek_json(path: Path) -> Mapping[str, Any]:
    """The object in a JSON file of bearable size; an empty one where there is none."""
    if path.suffix != ".json" or not path.is_file() or path.stat().st_size > _LARGEST_ASKED:
        return {}
    try:
        value = read_json(path, nan=True)
    except BeirkitError:
        return {}
    return value if isinstance(value, dict) else {}


def means_of(row: Mapping[str, Any], path: Path, key: str) -> dict[Measure, float]:
    """The figures among the values of an object; what is no measure's name is passed over.

    Raises:
        DataError: a figure is no number or lies outside its measure's bounds, or two spellings of a measure
            have two values; names the key.
    """
    found: dict[Measure, float] = {}
    for name, value in row.items():
        measure = _measure_named(name)
        if measure is None or value is None:
            continue
        where = f"{key}.{name}" if key else name
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            raise DataError(f"{where} is {value!r}, no number", path=path)
        if measure.about.bounded and not 0 <= value <= 1:
            raise DataError(
                f"{where} is {value}, outside 0..1", path=path, hint="divide by 100 what is in percent"
            )
        if found.setdefault(measure, float(value)) != value:
            raise DataError(f"{where} is {value}, and {measure} was {found[measure]} before", path=path)
    return found


@lru_cache(maxsize=4096)  # MTEB's files repeat a hundred names that are none, and telling so is slow
def _measure_named(name: str) -> Measure | None:
    try:
        return Measure.parse(name)
    except BeirkitError:
        return None


def json_files(path: Path) -> list[Path]:
    """A file itself, or every JSON file of a folder, sorted."""
    return [path] if path.is_file() else sorted(one for one in path.rglob("*.json") if one.is_file())
