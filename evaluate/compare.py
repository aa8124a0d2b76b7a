"""Systems beside each other, query by query: with a baseline, or every pair."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import Any, Literal

import msgspec

from beirkit.corpora.errors import UnknownNameError, nearest
from beirkit.evaluate.comparable import comparable_values
from beirkit.evaluate.measures import Measure
from beirkit.evaluate.pairs import Comparison, Draws, Standing, reversed_comparison
from beirkit.evaluate.scores import Scores
from beirkit.evaluate.statistics.corrections import Correction
from beirkit.evaluate.statistics.paired import Test

Pairs = Literal["baseline", "all"]


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
                return reversed_comparison(row, next(s.mean for s in self.standings if s.system == system))
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
    draws = Draws.checked(wanted, test, correction, level, seed, samples)
    names = [baseline, *(name for name in scores if name != baseline)]
    queries, values = comparable_values(scores, wanted, names)
    chosen = list(combinations(names, 2)) if pairs == "all" else [(baseline, name) for name in names[1:]]
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
        standings=draws.standings({name: values[name] for name in names}),
        rows=tuple(draws.comparisons(values, chosen, correction)),
    )
