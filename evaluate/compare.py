"""Systems beside each other, query by query: with a baseline, or every pair."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from math import fsum
from typing import Any, Literal

import msgspec
import numpy as np
import numpy.typing as npt

from beirkit.corpora.errors import UnknownNameError, UsageError, nearest
from beirkit.evaluate.comparable import comparable_values
from beirkit.evaluate.measures import Measure
from beirkit.evaluate.scores import Scores
from beirkit.evaluate.statistics.chance import rng_for
from beirkit.evaluate.statistics.corrections import CORRECTIONS, Correction
from beirkit.evaluate.statistics.effects import detectable_difference, effect_size
from beirkit.evaluate.statistics.intervals import bootstrap_interval
from beirkit.evaluate.statistics.paired import TESTS, Test, p_value

# Differences below this come from the order of additions, not from the systems.
_NOISE = 1e-12

Pairs = Literal["baseline", "all"]
Interval = tuple[float, float]


class Standing(msgspec.Struct, frozen=True, kw_only=True):
    """One system by itself.

    Attributes:
        system: its name.
        mean: over the compared queries.
        interval: bootstrap interval of the mean; None with fewer than two queries.
    """

    system: str
    mean: float
    interval: Interval | None = None


class Comparison(msgspec.Struct, frozen=True, kw_only=True):
    """One system beside another one.

    Attributes:
        system: its name.
        other: what it is compared with.
        mean: the system's, over the compared queries.
        difference: mean minus the other's.
        interval: paired bootstrap interval of the difference.
        p: of the table's test, two-sided; None: there was nothing to test with.
        p_adjusted: the same, adjusted for the number of comparisons in the table.
        p_values: of every test.
        effect_size: the difference in deviations of the per-query differences; None where they do not vary.
        detectable: the smallest difference that these queries would show, at level .05 with power .8.
        wins: queries on which the system is better.
        ties: queries on which both are equal.
        losses: queries on which the other is better.
        note: why there is no test, or that there is nothing to test.
    """

    system: str
    other: str
    mean: float
    difference: float
    interval: Interval | None = None
    p: float | None = None
    p_adjusted: float | None = None
    p_values: dict[Test, float] = {}
    effect_size: float | None = None
    detectable: float | None = None
    wins: int = 0
    ties: int = 0
    losses: int = 0
    note: str = ""

    def separable(self, level: float) -> bool:
        """Whether the test, corrected, tells the two apart."""
        return self.p_adjusted is not None and self.p_adjusted < level


class ComparisonTable(msgspec.Struct, frozen=True, kw_only=True):
    """Comparisons that belong to one family of tests.

    Attributes:
        measure: what is compared.
        baseline: the system all others are compared with; empty: every pair was compared.
        queries: how many all systems have a value for.
        protocol: the rules, in one line.
        seed: of bootstrap and randomisation.
        samples: how many were drawn.
        level: of tests; the intervals have 1 minus it.
        test: which one decides.
        correction: of its p-values.
        standings: every system by its mean, best first, equal means by name.
        rows: the comparisons, in the order given.
    """

    measure: Measure
    baseline: str
    queries: int
    protocol: str
    seed: int
    samples: int
    level: float
    test: Test
    correction: Correction
    standings: tuple[Standing, ...]
    rows: tuple[Comparison, ...]

    def to_dict(self) -> dict[str, Any]:
        """The table for JSON: no NaN, the measure by its canonical name."""
        facts: dict[str, Any] = {**msgspec.to_builtins(self), "measure": str(self.measure)}
        return facts

    def between(self, system: str, other: str) -> Comparison | None:
        """The comparison of two systems, from the first one's side; None where they were not compared."""
        for row in self.rows:
            if (row.system, row.other) == (system, other):
                return row
            if (row.system, row.other) == (other, system):
                return _reversed(row, next(s.mean for s in self.standings if s.system == system))
        return None


def compare(
    scores: Mapping[str, Scores],
    measure: str | Measure,
    baseline: str,
    *,
    pairs: Pairs = "baseline",
    test: Test = "randomisation",
    correction: Correction = "holm",
    level: float = 0.05,
    seed: int = 1,
    samples: int = 10_000,
) -> ComparisonTable:
    """Compare systems on one measure.

    The outcome depends on the seed and the names, not on the order of systems or queries.

    Args:
        scores: by system, of the same judgments under the same protocol.
        measure: what is compared.
        baseline: a key of ``scores``.
        pairs: compare each system with the baseline, or every pair.
        test: which one decides; all are computed.
        correction: of its p-values for the number of comparisons.
        level: of tests; intervals have the confidence 1 minus it.
        seed: of bootstrap and randomisation.
        samples: resamples and sign flips drawn.

    Raises:
        UnknownNameError: there is no such baseline, test or correction.
        UsageError: the scores are not comparable; lists what differs. A measure was not computed.
    """
    wanted = Measure.parse(measure)
    if baseline not in scores:
        raise UnknownNameError(f"no system is called {baseline!r}", hint=nearest(baseline, list(scores)))
    choices: dict[str, tuple[str, list[str]]] = {
        "test": (test, [*TESTS]),
        "correction": (correction, [*CORRECTIONS]),
    }
    for kind, (name, known) in choices.items():
        if name not in known:
            raise UnknownNameError(f"no {kind} is called {name!r}", hint=nearest(name, known))
    if samples < 1:
        raise UsageError(f"{samples} samples cannot be drawn", hint="10000 are usual")
    if not 0 < level < 1:
        raise UsageError(f"the level lies between 0 and 1, not at {level}", hint="0.05 is usual")
    if wanted.about.total == "geometric":
        raise UsageError(f"{wanted} is no mean of per-query values", hint="compare AP instead")
    names = [baseline, *(name for name in scores if name != baseline)]
    queries, values = comparable_values(scores, wanted, names)
    chosen = list(combinations(names, 2)) if pairs == "all" else [(baseline, name) for name in names[1:]]
    draw = _Draw(str(wanted), test, level, seed, samples)
    rows = [draw.comparison(ours, values[ours], other, values[other]) for other, ours in chosen]
    return ComparisonTable(
        measure=wanted,
        baseline="" if pairs == "all" else baseline,
        queries=len(queries),
        protocol=scores[baseline].protocol.describe(),
        seed=seed,
        samples=samples,
        level=level,
        test=test,
        correction=correction,
        standings=tuple(sorted((draw.standing(n, values[n]) for n in names), key=_by_mean)),
        rows=tuple(_adjusted(rows, correction)),
    )


class _Draw(msgspec.Struct, frozen=True):
    """What every comparison of a table is drawn with."""

    measure: str
    test: Test
    level: float
    seed: int
    samples: int

    def standing(self, system: str, values: npt.NDArray[np.float64]) -> Standing:
        interval = None
        if len(values) > 1:
            rng = rng_for(self.seed, "mean", system, self.measure)
            interval = bootstrap_interval(values, rng, samples=self.samples, level=1 - self.level)
        return Standing(system=system, mean=_mean(values), interval=interval)

    def comparison(
        self, system: str, values: npt.NDArray[np.float64], other: str, base: npt.NDArray[np.float64]
    ) -> Comparison:
        differences = values - base
        differences[np.abs(differences) <= _NOISE] = 0.0
        wins, losses = int((differences > 0).sum()), int((differences < 0).sum())
        known = Comparison(
            system=system,
            other=other,
            mean=_mean(values),
            difference=_mean(differences),
            effect_size=effect_size(differences),
            detectable=detectable_difference(differences, level=self.level),
            wins=wins,
            ties=len(differences) - wins - losses,
            losses=losses,
        )
        if len(differences) < 2:
            return msgspec.structs.replace(known, note="too few queries for a test")
        if not wins and not losses:
            same: dict[Test, float] = dict.fromkeys(TESTS, 1.0)
            note = "identical per-query scores"
            return msgspec.structs.replace(known, interval=(0.0, 0.0), p=1.0, p_values=same, note=note)
        rng = rng_for(self.seed, other, system, self.measure)
        interval = bootstrap_interval(differences, rng, samples=self.samples, level=1 - self.level)
        found = {test: p_value(test, differences, rng, samples=self.samples) for test in TESTS}
        return msgspec.structs.replace(known, interval=interval, p=found[self.test], p_values=found)


def _adjusted(rows: Sequence[Comparison], correction: Correction) -> list[Comparison]:
    """The rows with p-values adjusted over those that were tested."""
    tested = [row.p for row in rows if row.p is not None]
    adjusted = iter(CORRECTIONS[correction](tested))
    return [row if row.p is None else msgspec.structs.replace(row, p_adjusted=next(adjusted)) for row in rows]


def _reversed(row: Comparison, mean: float) -> Comparison:
    """The same comparison from the other system's side."""
    return msgspec.structs.replace(
        row,
        system=row.other,
        other=row.system,
        mean=mean,
        difference=-row.difference,
        interval=None if row.interval is None else (-row.interval[1], -row.interval[0]),
        effect_size=None if row.effect_size is None else -row.effect_size,
        wins=row.losses,
        losses=row.wins,
    )


def _by_mean(standing: Standing) -> tuple[float, str]:
    return -standing.mean, standing.system


def _mean(values: npt.NDArray[np.float64]) -> float:
    return fsum(values.tolist()) / len(values)
