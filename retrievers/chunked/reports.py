"""What a retriever tells after each of several searches, as if it had been one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from beirkit.retrievers.base import Facts


def merged(reports: Sequence[Facts], queries: Sequence[int]) -> Facts:
    """One report of several.

    What is told of queries (``query`` and ``queries_…``) is put together; any other fact stands where it is
    the same in all, and is named under ``varying`` where not.

    Args:
        reports: after each search.
        queries: how many each search was of.
    """
    if len(reports) < 2:
        return dict(reports[0]) if reports else {}
    told: Facts = {}
    varying = []
    for key in dict.fromkeys(key for report in reports for key in report):
        values = [report.get(key) for report in reports]
        if key == "query" or key.startswith("queries_"):
            told[key] = _together(values, queries)
        elif all(value == values[0] for value in values):
            told[key] = values[0]
        else:
            varying.append(key)
    return {**told, "searches": len(reports), **({"varying": varying} if varying else {})}


def _together(values: Sequence[Any], queries: Sequence[int]) -> Any:
    """Counts added up, shares averaged over queries, lists joined; ``None`` where that cannot be done."""
    if all(isinstance(value, dict) for value in values):
        keys = dict.fromkeys(key for value in values for key in value)
        return {key: _together([v[key] for v in values if key in v], queries) for key in keys}
    if all(isinstance(value, list) for value in values):
        return [item for value in values for item in value]
    if all(type(value) is int for value in values):
        return sum(values)
    if len(values) == len(queries) and all(type(value) in (int, float) for value in values):
        return round(sum(v * n for v, n in zip(values, queries, strict=True)) / sum(queries), 6)
    return values[0] if all(value == values[0] for value in values) else None
