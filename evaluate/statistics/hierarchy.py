"""Systems over several datasets: datasets are drawn, and queries within them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from beirkit.configs.suites import SuiteNode
from beirkit.evaluate.statistics.chance import rng_for
from beirkit.evaluate.statistics.intervals import resampled_means


@dataclass(frozen=True)
class SuiteDraws:
    """Resampled means of a suite.

    Attributes:
        systems: in the order of the columns.
        means: ``(n_systems,)`` the means themselves.
        draws: ``(samples, n_systems)`` means over drawn members and queries, the same draw for all systems.
    """

    systems: tuple[str, ...]
    means: npt.NDArray[np.float64]
    draws: npt.NDArray[np.float64]

    def interval(self, system: str, level: float = 0.95) -> tuple[float, float]:
        """Percentile interval of one system's mean."""
        return _interval(self.draws[:, self.systems.index(system)], level)

    def difference(self, system: str, baseline: str, level: float = 0.95) -> tuple[float, float]:
        """Percentile interval of the difference between the means of two systems."""
        ours, theirs = self.systems.index(system), self.systems.index(baseline)
        return _interval(self.draws[:, ours] - self.draws[:, theirs], level)

    def ranks(self) -> npt.NDArray[np.float64]:
        """``(samples, n_systems)`` ranks from 1 in each draw; equal means share the better one's.

        Means that are equal but for the order of additions are equal.
        """
        from scipy import stats

        ranks: npt.NDArray[np.float64] = stats.rankdata(-np.round(self.draws, 12), method="min", axis=1)
        return ranks.astype(np.float64)

    def rank_interval(self, system: str, level: float = 0.95) -> tuple[int, int]:
        """Between which ranks a system lies in most draws."""
        low, high = _interval(self.ranks()[:, self.systems.index(system)], level)
        return int(np.floor(low)), int(np.ceil(high))

    def first(self, system: str) -> float:
        """Share of the draws in which a system is first; a shared first place counts by its share."""
        ranks = self.ranks()
        leaders = ranks == 1
        return float(np.mean(leaders[:, self.systems.index(system)] / leaders.sum(axis=1)))


def draw_suite(
    suite: SuiteNode,
    values: Mapping[str, npt.NDArray[np.float64]],
    systems: Sequence[str],
    *,
    seed: int,
    samples: int,
) -> SuiteDraws:
    """Draw members with replacement, and the queries of each (a two-stage bootstrap).

    A suite inside a suite is one member whose own members are drawn in turn. All systems see the same draws,
    so their differences are paired. The draws depend on the seed and on the names of the members, and neither
    on their order nor on what the whole is called.

    Args:
        suite: leaves are keys of ``values``; none may be missing.
        values: for each dataset ``(n_queries, n_systems) float64`` without NaN.
        systems: names of the columns.
        seed: of every draw.
        samples: how many.
    """
    means, draws = _node(suite, values, seed, samples, "suite")
    return SuiteDraws(tuple(systems), means, draws)


def _node(
    node: SuiteNode, values: Mapping[str, npt.NDArray[np.float64]], seed: int, samples: int, path: str
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    means, drawn = [], []
    for member in sorted(node.members, key=_name):
        if isinstance(member, SuiteNode):
            mean, draws = _node(member, values, seed, samples, f"{path}/{member.name}")
        else:
            column = values[member]
            mean = column.mean(axis=0)
            draws = resampled_means(column, rng_for(seed, path, member, "queries"), samples=samples)
        means.append(mean)
        drawn.append(draws)
    rng = rng_for(seed, path, "members")
    n = len(drawn)
    total = np.zeros_like(drawn[0])
    stacked = np.stack(drawn)
    for _ in range(n):
        # a member that is drawn twice brings another draw of its queries each time
        total += stacked[rng.integers(n, size=samples), rng.integers(samples, size=samples)]
    return np.mean(means, axis=0), total / n


def _name(member: str | SuiteNode) -> str:
    return member.name if isinstance(member, SuiteNode) else member


def _interval(draws: npt.NDArray[np.float64], level: float) -> tuple[float, float]:
    low, high = np.quantile(draws, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)
