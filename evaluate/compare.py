"""Systems against a baseline, query by query."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from beirkit.corpora.errors import UnknownNameError, UsageError, nearest
from beirkit.evaluate.measures import Measure
from beirkit.evaluate.scores import Scores
from beirkit.evaluate.significance import bootstrap_interval, holm, pair_rng, randomisation_p

# Differences below this come from the order of additions, not from the systems.
_NOISE = 1e-12


class Comparison(msgspec.Struct, frozen=True, kw_only=True):
    """One system beside the baseline; the baseline's own row has no difference.

    Attributes:
        system: its name.
        mean: over the compared queries.
        difference: mean minus the baseline's.
        interval: 95 % paired bootstrap interval of the difference.
        p: of the two-sided paired randomisation test.
        p_holm: the same, adjusted for the number of systems in the table.
        wins: queries on which the system is better.
        ties: queries on which both are equal.
        losses: queries on which the baseline is better.
        note: why there is no test, or that there is nothing to test.
    """

    system: str
    mean: float
    difference: float | None = None
    interval: tuple[float, float] | None = None
    p: float | None = None
    p_holm: float | None = None
    wins: int = 0
    ties: int = 0
    losses: int = 0
    note: str = ""


class ComparisonTable(msgspec.Struct, frozen=True, kw_only=True):
    """Comparisons that belong to one family of tests.

    Attributes:
        measure: what is compared.
        baseline: name of the system all others are compared with.
        queries: how many both have a value for.
        protocol: the rules, in one line.
        seed: of bootstrap and randomisation.
        samples: how many were drawn.
        rows: the baseline, then the others in the order given.
    """

    measure: Measure
    baseline: str
    queries: int
    protocol: str
    seed: int
    samples: int
    rows: tuple[Comparison, ...]

    def to_dict(self) -> dict[str, Any]:
        """The table for JSON: no NaN, the measure by its canonical name."""
        facts: dict[str, Any] = {**msgspec.to_builtins(self), "measure": str(self.measure)}
        return facts


def compare(
    scores: Mapping[str, Scores],
    measure: str | Measure,
    baseline: str,
    *,
    seed: int = 1,
    samples: int = 10_000,
) -> ComparisonTable:
    """Compare systems with a baseline on one measure.

    The outcome depends on the seed and the names, not on the order of systems or queries.

    Args:
        scores: by system, of the same judgments under the same protocol.
        measure: what is compared.
        baseline: a key of ``scores``.
        seed: of bootstrap and randomisation.
        samples: resamples and sign flips drawn.

    Raises:
        UnknownNameError: there is no such baseline.
        UsageError: the scores are not comparable; lists what differs. A measure was not computed.
    """
    wanted = Measure.parse(measure)
    if baseline not in scores:
        raise UnknownNameError(f"no system is called {baseline!r}", hint=nearest(baseline, list(scores)))
    if samples < 1:
        raise UsageError(f"{samples} samples cannot be drawn", hint="10000 are usual")
    if wanted.about.total == "geometric":
        raise UsageError(f"{wanted} is no mean of per-query values", hint="compare AP instead")
    others = [name for name in scores if name != baseline]
    values = _comparable(scores, wanted, [baseline, *others])
    base = values[baseline]
    rows = [_difference(name, values[name], base, baseline, wanted, seed, samples) for name in others]
    tested = [i for i, row in enumerate(rows) if row.p is not None]
    for i, adjusted in zip(tested, holm([rows[i].p or 0.0 for i in tested]), strict=True):
        rows[i] = msgspec.structs.replace(rows[i], p_holm=adjusted)
    return ComparisonTable(
        measure=wanted,
        baseline=baseline,
        queries=len(base),
        protocol=scores[baseline].protocol.describe(),
        seed=seed,
        samples=samples,
        rows=(Comparison(system=baseline, mean=_mean(base), ties=len(base)), *rows),
    )


def _difference(
    name: str,
    values: npt.NDArray[np.float64],
    base: npt.NDArray[np.float64],
    baseline: str,
    measure: Measure,
    seed: int,
    samples: int,
) -> Comparison:
    differences = values - base
    differences[np.abs(differences) <= _NOISE] = 0.0
    wins, losses = int((differences > 0).sum()), int((differences < 0).sum())
    known = Comparison(
        system=name,
        mean=_mean(values),
        difference=_mean(differences),
        wins=wins,
        ties=len(differences) - wins - losses,
        losses=losses,
    )
    if len(differences) < 2:
        return msgspec.structs.replace(known, note="too few queries for a test")
    if not wins and not losses:
        return msgspec.structs.replace(known, interval=(0.0, 0.0), p=1.0, note="identical per-query scores")
    rng = pair_rng(seed, baseline, name, str(measure))
    interval = bootstrap_interval(differences, rng, samples=samples)
    return msgspec.structs.replace(
        known, interval=interval, p=randomisation_p(differences, rng, samples=samples)
    )


def _comparable(
    scores: Mapping[str, Scores], measure: Measure, names: Sequence[str]
) -> dict[str, npt.NDArray[np.float64]]:
    """Values of each system over the same queries, by query id ascending; raises where that cannot be."""
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
    if len(left_out) == len(first.query_ids):
        raise UsageError(f"no query has a value of {measure}")
    return {name: _column(scores[name], measure, left_out) for name in names}


def _column(scores: Scores, measure: Measure, left_out: set[str]) -> npt.NDArray[np.float64]:
    values = dict(zip(scores.query_ids, scores.of(measure).tolist(), strict=True))
    return np.array([values[query_id] for query_id in sorted(values) if query_id not in left_out])


def _without_value(scores: Scores, measure: Measure) -> set[str]:
    column = scores.of(measure)
    return {scores.query_ids[i] for i in np.flatnonzero(np.isnan(column)).tolist()}


def _rules(scores: Scores) -> str:
    depth = "" if scores.depth is None else f", depth {scores.depth}"
    return scores.protocol.describe() + depth


def _mean(values: npt.NDArray[np.float64]) -> float:
    from math import fsum

    return fsum(values.tolist()) / len(values)
