"""Systems beside each other over the datasets of a suite; a suite with a hole has no figure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from beirkit.configs.suites import SuiteNode
from beirkit.corpora.errors import UnknownNameError, UsageError, nearest
from beirkit.evaluate.comparable import comparable_values
from beirkit.evaluate.compare import Pairs
from beirkit.evaluate.leaderboard import Leaderboard, neighbours, places
from beirkit.evaluate.measures import Measure
from beirkit.evaluate.pairs import NOISE, Comparison, Draws, adjusted
from beirkit.evaluate.scores import Scores
from beirkit.evaluate.statistics.corrections import Correction
from beirkit.evaluate.statistics.hierarchy import SuiteDraws, draw_suite
from beirkit.evaluate.suites import SuiteMean, suite_mean

TEST = "Student's t of a two-stage bootstrap: datasets are drawn, then queries; its deviation is the error"


class SuiteTable(msgspec.Struct, frozen=True, kw_only=True):
    """Comparisons over a suite that belong to one family of tests.

    Attributes:
        suite: its name.
        measure: what is compared.
        baseline: the system all others are compared with; empty: every pair was compared.
        members: how many members the suite has, a suite inside it being one.
        datasets: the datasets behind them.
        protocol: the rules, in one line.
        seed: of every draw.
        samples: how many were drawn.
        level: of tests; the intervals have 1 minus it.
        correction: of the p-values.
        incomplete: for systems that lack a dataset, and so have no mean: how many are there and what is not.
        rows: the comparisons of the others; wins, ties and losses count datasets.
        leaderboard: the others in order; None where there are none.
    """

    suite: str
    measure: Measure
    baseline: str
    members: int
    datasets: tuple[str, ...]
    protocol: str
    seed: int
    samples: int
    level: float
    correction: Correction
    incomplete: dict[str, str]
    rows: tuple[Comparison, ...] = ()
    leaderboard: Leaderboard | None = None

    def to_dict(self) -> dict[str, Any]:
        """The table for JSON."""
        facts: dict[str, Any] = {**msgspec.to_builtins(self), "measure": str(self.measure), "test": TEST}
        return {**facts, "leaderboard": None if self.leaderboard is None else self.leaderboard.to_dict()}


def compare_suite(
    suite: SuiteNode,
    scores: Mapping[str, Mapping[str, Scores]],
    measure: str | Measure,
    baseline: str,
    *,
    pairs: Pairs = "baseline",
    correction: Correction = "holm",
    level: float = 0.05,
    seed: int = 1,
    samples: int = 10_000,
) -> SuiteTable:
    """Compare systems on the mean of a suite, in which every member counts the same.

    Datasets are drawn with replacement and queries within them, the same for all systems. The deviation of a
    difference over the draws is its standard error; interval and p-value are Student's with one degree of
    freedom less than the suite has members, since percentiles of so few datasets are too narrow. Student's
    distribution knows no bounds, and of two members it reaches 12.7 errors far: an interval of a measure
    within 0..1 ends at the differences that there can be, -1 and 1, which leaves its coverage as it is.

    Args:
        suite: its leaves are keys of ``scores`` where they were scored.
        scores: by dataset and system, all under the same protocol.
        measure: what is compared.
        baseline: the name of a system.
        pairs: compare each system with the baseline, or every pair.
        correction: of p-values for the number of comparisons.
        level: of tests; intervals have the confidence 1 minus it.
        seed: of every draw.
        samples: how many are drawn.

    Raises:
        UnknownNameError: there is no such baseline or correction.
        UsageError: scores are not comparable; lists what differs. A measure was not computed.
    """
    wanted = Measure.parse(measure)
    Draws.checked(wanted, "randomisation", correction, level, seed, samples)
    systems = list(dict.fromkeys(name for one in scores.values() for name in one))
    if baseline not in systems:
        raise UnknownNameError(f"no system is called {baseline!r}", hint=nearest(baseline, systems))
    systems = [baseline, *(name for name in systems if name != baseline)]
    protocol = _one_protocol(scores)
    means = {name: system_mean(suite, scores, name, wanted) for name in systems}
    complete = [name for name in systems if means[name].value is not None]
    table = SuiteTable(
        suite=suite.name,
        measure=wanted,
        baseline="" if pairs == "all" else baseline,
        members=len(suite.members),
        datasets=suite.leaves(),
        protocol=protocol,
        seed=seed,
        samples=samples,
        level=level,
        correction=correction,
        incomplete={name: str(mean) for name, mean in means.items() if mean.value is None},
    )
    if not complete:
        return table
    values = {leaf: _columns(scores[leaf], wanted, complete) for leaf in suite.leaves()}
    draws = draw_suite(suite, values, complete, seed=seed, samples=samples)
    by_dataset = np.stack([column.mean(axis=0) for column in values.values()])
    sample = _Sample(draws, by_dataset, len(suite.members), level, wanted.about.bounded)
    others = [name for name in complete if name != baseline]
    with_baseline = [(baseline, name) for name in others] if baseline in complete else []
    chosen = list(combinations(complete, 2)) if pairs == "all" else with_baseline
    order = places(draws, sample.errors(), len(suite.members), correction=correction, level=level)
    return msgspec.structs.replace(
        table,
        rows=tuple(sample.comparisons(chosen, correction)),
        leaderboard=Leaderboard(
            places=order, adjacent=tuple(sample.comparisons(neighbours(order), correction)), level=level
        ),
    )


def system_mean(
    suite: SuiteNode, scores: Mapping[str, Mapping[str, Scores]], system: str, measure: Measure
) -> SuiteMean:
    """The mean of one system over a suite, or what it lacks."""
    return suite_mean(
        suite, {dataset: one[system].mean(measure) for dataset, one in scores.items() if system in one}
    )


class _Sample(msgspec.Struct, frozen=True):
    """Drawn means of a suite of some members, and the means of each dataset, ``(n_datasets, n_systems)``.

    ``bounded``: values lie within 0..1, so that no difference is beyond 1.
    """

    draws: SuiteDraws
    by_dataset: npt.NDArray[np.float64]
    members: int
    level: float
    bounded: bool

    def errors(self) -> npt.NDArray[np.float64]:
        """``(n_systems, n_systems)`` standard errors of the differences."""
        columns = self.draws.draws.T
        return np.stack([np.std(columns - columns[i], axis=1) for i in range(len(columns))])

    def comparisons(self, pairs: Sequence[tuple[str, str]], correction: Correction) -> list[Comparison]:
        """Pairs of systems that belong to one family, the other one first."""
        return adjusted([self._comparison(ours, other) for other, ours in pairs], correction)

    def _comparison(self, system: str, other: str) -> Comparison:
        from scipy import stats

        ours, theirs = (self.draws.systems.index(name) for name in (system, other))
        apart = self.by_dataset[:, ours] - self.by_dataset[:, theirs]
        error = float(np.std(self.draws.draws[:, ours] - self.draws.draws[:, theirs]))
        difference = float(self.draws.means[ours] - self.draws.means[theirs])
        wins, losses = int((apart > NOISE).sum()), int((apart < -NOISE).sum())
        known = Comparison(
            system=system,
            other=other,
            mean=float(self.draws.means[ours]),
            difference=difference,
            wins=wins,
            ties=len(apart) - wins - losses,
            losses=losses,
        )
        if self.members < 2:
            return msgspec.structs.replace(known, note="too few members for a test")
        if error <= NOISE:
            if abs(difference) > NOISE:  # the same on every query of every dataset
                return msgspec.structs.replace(known, interval=(difference, difference), p=0.0)
            note = "identical on every query"
            return msgspec.structs.replace(known, difference=0.0, interval=(0.0, 0.0), p=1.0, note=note)
        reach = float(stats.t.ppf(1 - self.level / 2, self.members - 1)) * error
        most = 1.0 if self.bounded else np.inf
        return msgspec.structs.replace(
            known,
            interval=(max(difference - reach, -most), min(difference + reach, most)),
            p=float(2 * stats.t.sf(abs(difference) / error, self.members - 1)),
        )


def _columns(
    scores: Mapping[str, Scores], measure: Measure, systems: Sequence[str]
) -> npt.NDArray[np.float64]:
    """``(n_queries, n_systems)`` values of one dataset."""
    _, values = comparable_values(scores, measure, systems)
    return np.stack([values[name] for name in systems], axis=1)


def _one_protocol(scores: Mapping[str, Mapping[str, Scores]]) -> str:
    """The rules that all scores were made under.

    Raises:
        UsageError: there is none, or more than one; lists them.
    """
    found = {one.protocol.describe(): dataset for dataset, by in scores.items() for one in by.values()}
    if len(found) != 1:
        told = "; ".join(f"{dataset} was scored under {rules}" for rules, dataset in found.items())
        raise UsageError(f"these scores are not comparable: {told}" if told else "there are no scores")
    return next(iter(found))
