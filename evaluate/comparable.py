"""Values of several systems over the same queries; scores that are not of one kind are refused."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from beirkit.corpora.errors import UsageError
from beirkit.evaluate.measures import Measure
from beirkit.evaluate.scores import Scores


def comparable_values(
    scores: Mapping[str, Scores], measure: Measure, names: Sequence[str]
) -> tuple[tuple[str, ...], dict[str, npt.NDArray[np.float64]]]:
    """The queries that have a value, ascending, and each system's ``(n_queries,) float64`` of them.

    Raises:
        UsageError: rules, depths or queries differ; lists what. No query has a value of the measure.
    """
    first = scores[names[0]]
    differing = []
    for name in names[1:]:
        other = scores[name]
        if _rules(other) != _rules(first):
            differing.append(f"{name} was scored under {_rules(other)}, {names[0]} under {_rules(first)}")
        if set(other.query_ids) != set(first.query_ids):
            apart = sorted(set(other.query_ids) ^ set(first.query_ids))
            differing.append(f"{name} has other queries ({len(apart)}, such as {apart[0]!r})")
        elif _without_value(other, measure) != _without_value(first, measure):
            apart = sorted(_without_value(other, measure) ^ _without_value(first, measure))
            differing.append(
                f"{len(apart)} queries, such as {apart[0]!r}, count in one of {name}, {names[0]}"
            )
    if differing:
        raise UsageError("these scores are not comparable: " + "; ".join(differing))
    left_out = _without_value(first, measure)
    kept = tuple(sorted(set(first.query_ids) - left_out))
    if not kept:
        raise UsageError(f"no query has a value of {measure}")
    return kept, {name: _column(scores[name], measure, kept) for name in names}


def over_common_queries(
    scores: Mapping[str, Scores], measures: Sequence[Measure]
) -> tuple[dict[str, Scores], int | None]:
    """The scores of the queries that all have, and that have a value of a measure in all or in none.

    Returns:
        The scores, and how many queries they have in common; None where all had the same to begin with.

    Raises:
        UsageError: there is no such query.
    """
    common = set.intersection(*(set(one.query_ids) for one in scores.values()))
    if not common:
        raise UsageError(f"{' and '.join(scores)} have no query in common")
    kept = {}
    for name, one in scores.items():
        rows = [row for row, query_id in enumerate(one.query_ids) if query_id in common]
        ids = tuple(one.query_ids[row] for row in rows)
        kept[name] = replace(one, query_ids=ids, values=one.values[rows])
    changed = any(len(one.query_ids) > len(common) for one in scores.values())
    for measure in measures:
        lacking = [_without_value(one, measure) for one in kept.values()]
        anywhere = set[str]().union(*lacking)
        if all(one == anywhere for one in lacking):
            continue
        changed = True
        common -= anywhere
        for one in kept.values():  # its values are a copy
            gone = [row for row, query_id in enumerate(one.query_ids) if query_id in anywhere]
            one.values[gone, one.measures.index(measure)] = np.nan
    return kept, len(common) if changed else None


def _column(scores: Scores, measure: Measure, kept: Sequence[str]) -> npt.NDArray[np.float64]:
    values = dict(zip(scores.query_ids, scores.of(measure).tolist(), strict=True))
    return np.array([values[query_id] for query_id in kept])


def _without_value(scores: Scores, measure: Measure) -> set[str]:
    column = scores.of(measure)
    return {scores.query_ids[i] for i in np.flatnonzero(np.isnan(column)).tolist()}


def _rules(scores: Scores) -> str:
    depth = "" if scores.depth is None else f", depth {scores.depth}"
    return scores.protocol.describe() + depth
