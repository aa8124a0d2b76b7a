"""Many systems in order: what their ranks are worth, and which of them no test tells apart."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from beirkit.corpora.errors import UsageError
from beirkit.evaluate.comparable import comparable_values
from beirkit.evaluate.measures import Measure
from beirkit.evaluate.pairs import NOISE, Comparison, Draws, Interval
from beirkit.evaluate.scores import Scores
from beirkit.evaluate.statistics.corrections import CORRECTIONS, Correction
from beirkit.evaluate.statistics.hierarchy import SuiteDraws
from beirkit.evaluate.statistics.paired import Test


class Place(msgspec.Struct, frozen=True, kw_only=True):
    """One system of a leaderboard.

    Attributes:
        rank: shared by systems that are not separable from the first of them, and by equal means.
        system: its name.
        mean: over the queries, or over the members of a suite.
        interval: bootstrap interval of the mean.
        rank_interval: between which ranks the system lies when queries (and datasets) are drawn again.
        first: how probable it is that the system is first when they are.
    """

    rank: int
    system: str
    mean: float
    interval: Interval | None = None
    rank_interval: tuple[int, int] | None = None
    first: float | None = None


class Leaderboard(msgspec.Struct, frozen=True, kw_only=True):
    """Systems by their mean, best first.

    Attributes:
        places: equal means by name.
        adjacent: each system beside the one above it; their p-values are corrected for their number.
        level: of the tests; intervals have 1 minus it.
    """

    places: tuple[Place, ...]
    adjacent: tuple[Comparison, ...]
    level: float

    @property
    def separable(self) -> int:
        """How many adjacent pairs the corrected test tells apart."""
        return sum(pair.separable(self.level) for pair in self.adjacent)

    def to_dict(self) -> dict[str, Any]:
        """The leaderboard for JSON."""
        facts: dict[str, Any] = msgspec.to_builtins(self)
        return {**facts, "separable_adjacent_pairs": self.separable}


def rank_means(
    means: Mapping[str, float | None], separable: Callable[[str, str], bool] | None = None
) -> list[tuple[int | None, str, float | None]]:
    """Rank, name and mean of each system, best first, equal means by name.

    The best system leads a group. A system shares the rank of its group's leader while it is not separable
    from that leader; the first that is separable leads a group of its own, at the place it stands in. Equal
    means share a rank whatever ``separable`` says. So a rank never tells two systems apart that cannot be,
    and two systems of one rank need not be alike: each is only too near the best of them.

    Args:
        means: of each system; None, for systems without one, is last, without a rank.
        separable: whether a leader and a system can be told apart; without it only equal means share a rank.
    """
    known = [(name, mean) for name, mean in means.items() if mean is not None]
    known.sort(key=lambda item: (-round(item[1] / NOISE) * NOISE, item[0]))
    rows: list[tuple[int | None, str, float | None]] = []
    leader, rank, above = "", 0, float("inf")
    for place, (name, mean) in enumerate(known, 1):
        alike = bool(leader) and (
            abs(above - mean) <= NOISE or (separable is not None and not separable(leader, name))
        )
        if not alike:
            leader, rank = name, place
        rows.append((rank, name, mean))
        above = mean
    return rows + [(None, name, None) for name in sorted(name for name in means if means[name] is None)]


def places(
    draws: SuiteDraws,
    errors: npt.NDArray[np.float64],
    units: int,
    *,
    correction: Correction = "holm",
    level: float = 0.05,
) -> tuple[Place, ...]:
    """Every system with its rank and how sure it is.

    Two systems are separable where Student's t of their difference says so, its p-value corrected for the
    number of all pairs: which pairs a leaderboard looks at depends on its order, so none is left out.

    Args:
        draws: of one dataset's queries, or of a suite.
        errors: ``(n_systems, n_systems)`` standard errors of the differences.
        units: how many queries, or members of a suite, they were estimated from.
        correction: of the p-values for the number of pairs.
        level: of the test; intervals have the confidence 1 minus it.
    """
    index = {name: column for column, name in enumerate(draws.systems)}
    apart = _separable_pairs(draws.means, errors, units, correction, level)
    ranks = draws.ranks()
    leads = ranks == 1
    first = (leads / leads.sum(axis=1, keepdims=True)).mean(axis=0)
    ends = np.quantile(ranks, [level / 2, 1 - level / 2], axis=0)
    found = []
    for rank, name, mean in rank_means(
        dict(zip(draws.systems, draws.means.tolist(), strict=True)),
        lambda leader, name: bool(apart[index[leader], index[name]]),
    ):
        if rank is not None and mean is not None:
            column = index[name]
            place = Place(
                rank=rank,
                system=name,
                mean=mean,
                interval=draws.interval(name, 1 - level),
                rank_interval=(int(np.floor(ends[0, column])), int(np.ceil(ends[1, column]))),
                first=float(first[column]),
            )
            found.append(place)
    return tuple(found)


def neighbours(order: Sequence[Place]) -> list[tuple[str, str]]:
    """Each system behind the one above it."""
    return [(above.system, below.system) for above, below in pairwise(order)]


def leaderboard(
    scores: Mapping[str, Scores],
    measure: str | Measure,
    *,
    test: Test = "randomisation",
    correction: Correction = "holm",
    level: float = 0.05,
    seed: int = 1,
    samples: int = 10_000,
) -> Leaderboard:
    """The systems of one dataset in order; the outcome depends on the seed and the names only.

    Args:
        scores: by system, of the same judgments under the same protocol.
        measure: what they are ordered by.
        test: of each adjacent pair.
        correction: of its p-values for their number.
        level: of tests; intervals have the confidence 1 minus it.
        seed: of bootstrap and randomisation.
        samples: resamples and sign flips drawn.

    Raises:
        UsageError: the scores are not comparable; lists what differs. A measure was not computed.
    """
    wanted = Measure.parse(measure)
    own = Draws.checked(wanted, test, correction, level, seed, samples)
    names = sorted(scores)
    if not names:
        raise UsageError("there is no system to rank")
    queries, values = comparable_values(scores, wanted, names)
    if len(queries) < 2:
        bare = bare_places({name: float(values[name][0]) for name in names})
        return Leaderboard(places=bare, adjacent=(), level=level)
    order = _order(own, {name: values[name] for name in names}, correction)
    adjacent = own.comparisons(values, neighbours(order), correction)
    return Leaderboard(places=order, adjacent=tuple(adjacent), level=level)


def ranked(
    scores: Mapping[str, Scores],
    measure: str | Measure,
    *,
    correction: Correction = "holm",
    level: float = 0.05,
    seed: int = 1,
    samples: int = 10_000,
) -> tuple[Place, ...]:
    """The systems of one dataset in order, as :func:`leaderboard` has them, without their comparisons.

    Ranks and intervals are the same in every bit.

    Raises:
        UsageError: the scores are not comparable; lists what differs. A measure was not computed.
    """
    wanted = Measure.parse(measure)
    own = Draws.checked(wanted, "randomisation", correction, level, seed, samples)
    names = sorted(scores)
    queries, values = comparable_values(scores, wanted, names)
    if len(queries) < 2:
        return bare_places({name: float(values[name][0]) for name in names})
    return _order(own, {name: values[name] for name in names}, correction)


def bare_places(means: Mapping[str, float]) -> tuple[Place, ...]:
    """Systems of which nothing but the mean is known: only equal means share a rank."""
    return tuple(
        Place(rank=rank, system=name, mean=mean)
        for rank, name, mean in rank_means(means)
        if rank is not None and mean is not None
    )


def _order(
    own: Draws, values: Mapping[str, npt.NDArray[np.float64]], correction: Correction
) -> tuple[Place, ...]:
    """The systems of one dataset's values with ranks and intervals."""
    table = np.stack([*values.values()], axis=1)
    return places(own.drawn(values), _errors(table), len(table), correction=correction, level=own.level)


def _errors(table: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """``(n_systems, n_systems)`` standard errors of mean differences, of ``(n_queries, n_systems)``."""
    n, width = table.shape
    found = np.zeros((width, width))
    for column in range(width):
        found[column] = np.std(table - table[:, column, None], axis=0, ddof=1) / np.sqrt(n)
    return found


def _separable_pairs(
    means: npt.NDArray[np.float64],
    errors: npt.NDArray[np.float64],
    units: int,
    correction: Correction,
    level: float,
) -> npt.NDArray[np.bool_]:
    """``(n_systems, n_systems)``: whether two systems can be told apart, over all pairs at once."""
    from scipy import stats

    pairs = np.triu_indices(len(means), 1)
    size = np.abs(means[pairs[0]] - means[pairs[1]])
    error = errors[pairs]
    certain = error <= NOISE  # the two differ by the same amount everywhere, or not at all
    t = size / np.where(certain, 1.0, error)
    p = np.where(certain, size <= NOISE, 2 * stats.t.sf(t, units - 1))
    apart = np.zeros((len(means), len(means)), dtype=np.bool_)
    apart[pairs] = np.array(CORRECTIONS[correction](p.tolist())) < level
    found: npt.NDArray[np.bool_] = apart | apart.T
    return found
