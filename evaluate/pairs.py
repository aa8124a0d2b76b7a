"""Two systems beside each other, query by query: what a table of comparisons has in each row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import fsum

import msgspec
import numpy as np
import numpy.typing as npt

from beirkit.corpora.errors import UnknownNameError, UsageError, nearest
from beirkit.corpora.sample import require_seed
from beirkit.evaluate.measures import Measure
from beirkit.evaluate.statistics.chance import require_samples, rng_for
from beirkit.evaluate.statistics.corrections import CORRECTIONS, Correction
from beirkit.evaluate.statistics.effects import detectable_difference, effect_size
from beirkit.evaluate.statistics.hierarchy import SuiteDraws
from beirkit.evaluate.statistics.intervals import bootstrap_interval, resampled_means
from beirkit.evaluate.statistics.paired import TESTS, Test, p_value

# Differences below this come from the order of additions, not from the systems.
NOISE = 1e-12

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


class Draws(msgspec.Struct, frozen=True):
    """What every interval and comparison of a table is drawn with.

    Attributes:
        measure: what is compared; each draw depends on it and on the names of the systems.
        test: which one decides; all are computed.
        level: of tests; intervals have the confidence 1 minus it.
        seed: of bootstrap and randomisation.
        samples: resamples and sign flips drawn.
    """

    measure: Measure
    test: Test
    level: float
    seed: int
    samples: int

    @classmethod
    def checked(
        cls, measure: Measure, test: Test, correction: Correction, level: float, seed: int, samples: int
    ) -> Draws:
        """The same, where all that was asked for exists.

        Raises:
            UnknownNameError: there is no such test or correction.
            UsageError: level, seed or number of samples is impossible, or the measure is no mean.
        """
        require_seed(seed)
        choices: dict[str, tuple[str, list[str]]] = {
            "test": (test, [*TESTS]),
            "correction": (correction, [*CORRECTIONS]),
        }
        for kind, (name, known) in choices.items():
            if name not in known:
                raise UnknownNameError(f"no {kind} is called {name!r}", hint=nearest(name, known))
        require_samples(samples, level)
        if measure.about.total == "geometric":
            raise UsageError(f"{measure} is no mean of per-query values", hint="compare AP instead")
        return cls(measure, test, level, seed, samples)

    def drawn(self, values: Mapping[str, npt.NDArray[np.float64]]) -> SuiteDraws:
        """Means of all systems over drawn queries: what every interval of a mean and every rank comes from.

        The queries of a draw depend on the seed and the measure, so that the interval of a system is the same
        whatever systems stand beside it, and wherever it is shown.

        Args:
            values: of each system ``(n_queries,) float64``, the same queries in the same order.
        """
        table = np.stack([*values.values()], axis=1)
        rng = rng_for(self.seed, "leaderboard", str(self.measure))
        means = np.array([_mean(one) for one in values.values()])
        return SuiteDraws(tuple(values), means, resampled_means(table, rng, samples=self.samples))

    def standings(self, values: Mapping[str, npt.NDArray[np.float64]]) -> tuple[Standing, ...]:
        """Every system by itself, best first, equal means by name.

        Args:
            values: as :meth:`drawn` takes them.
        """
        queries = min(map(len, values.values()))
        draws = self.drawn(values) if queries > 1 else None
        found = [
            Standing(
                system=name,
                mean=_mean(one),
                interval=None if draws is None else draws.interval(name, 1 - self.level),
            )
            for name, one in values.items()
        ]
        return tuple(sorted(found, key=lambda standing: (-standing.mean, standing.system)))

    def comparison(
        self, system: str, values: npt.NDArray[np.float64], other: str, base: npt.NDArray[np.float64]
    ) -> Comparison:
        """A system beside another one; the p-value is not adjusted."""
        differences = values - base
        differences[np.abs(differences) <= NOISE] = 0.0
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
        rng = rng_for(self.seed, other, system, str(self.measure))
        interval = bootstrap_interval(differences, rng, samples=self.samples, level=1 - self.level)
        found = {test: p_value(test, differences, rng, samples=self.samples) for test in TESTS}
        return msgspec.structs.replace(known, interval=interval, p=found[self.test], p_values=found)

    def comparisons(
        self,
        values: Mapping[str, npt.NDArray[np.float64]],
        pairs: Sequence[tuple[str, str]],
        correction: Correction,
    ) -> list[Comparison]:
        """Pairs of systems that belong to one family of tests.

        Args:
            values: of each system ``(n_queries,) float64``, the same queries in the same order.
            pairs: the other system first, as in ``(baseline, system)``.
            correction: of the p-values for the number of pairs.
        """
        return adjusted(
            [self.comparison(ours, values[ours], other, values[other]) for other, ours in pairs], correction
        )


def adjusted(rows: Sequence[Comparison], correction: Correction) -> list[Comparison]:
    """The rows with p-values adjusted over those that were tested."""
    tested = [row.p for row in rows if row.p is not None]
    adjusted = iter(CORRECTIONS[correction](tested))
    return [row if row.p is None else msgspec.structs.replace(row, p_adjusted=next(adjusted)) for row in rows]


def reversed_comparison(row: Comparison, mean: float) -> Comparison:
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


def _mean(values: npt.NDArray[np.float64]) -> float:
    return fsum(values.tolist()) / len(values)
