"""The same systems scored in two ways: what their means were and are, and who moved."""

from __future__ import annotations

import math
from collections.abc import Mapping

import msgspec

from beirkit.corpora.errors import UsageError
from beirkit.evaluate.leaderboard import rank_means
from beirkit.evaluate.measures import Measure
from beirkit.evaluate.scores import Scores


class Move(msgspec.Struct, frozen=True, kw_only=True):
    """One system before and after.

    Attributes:
        system: its name.
        old: its mean before; None: it had none.
        new: its mean now.
        old_rank: its rank before, from 1; equal means share one.
        new_rank: its rank now.
    """

    system: str
    old: float | None
    new: float | None
    old_rank: int | None
    new_rank: int | None

    @property
    def moved(self) -> bool:
        """Whether it has another rank than before."""
        return self.old_rank != self.new_rank


class Rescored(msgspec.Struct, frozen=True, kw_only=True):
    """All systems under one measure, in their new order.

    Attributes:
        measure: its name.
        moves: of each system.
        tau: Kendall's tau-b between the two orders, over the systems that have both means; None where it has
            no value, as with fewer than two or where all are tied.
    """

    measure: str
    moves: tuple[Move, ...]
    tau: float | None


def rescored(old: Mapping[str, Scores], new: Mapping[str, Scores], measure: str | Measure) -> Rescored:
    """Compare the means and the order of systems in two scorings of one dataset.

    Raises:
        UsageError: the two are not of the same systems, or the measure was not computed.
    """
    return rescored_means(
        {system: scores.mean(measure) for system, scores in old.items()},
        {system: scores.mean(measure) for system, scores in new.items()},
        measure,
    )


def rescored_means(
    old: Mapping[str, float | None], new: Mapping[str, float | None], measure: str | Measure
) -> Rescored:
    """The same for means, such as those over a suite.

    Raises:
        UsageError: the two are not of the same systems.
    """
    if old.keys() != new.keys():
        apart = ", ".join(sorted(old.keys() ^ new.keys()))
        raise UsageError(f"scored only once: {apart}")
    before = {system: rank for rank, system, _ in rank_means(old)}
    after = {system: rank for rank, system, _ in rank_means(new)}
    moves = tuple(
        Move(system=system, old=old[system], new=mean, old_rank=before[system], new_rank=rank)
        for rank, system, mean in rank_means(new)
    )
    both = [system for system in old if before[system] is not None and after[system] is not None]
    tau = _tau([before[system] or 0 for system in both], [after[system] or 0 for system in both])
    return Rescored(measure=str(Measure.parse(measure)), moves=moves, tau=tau)


def _tau(one: list[int], two: list[int]) -> float | None:
    """Kendall's tau-b of two lists of ranks."""
    if len(set(one)) < 2 or len(set(two)) < 2:
        return None
    from scipy.stats import kendalltau

    value = float(kendalltau(one, two).statistic)
    return None if math.isnan(value) else value
