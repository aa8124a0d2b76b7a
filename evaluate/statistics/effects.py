"""How large a difference is, and how small a one these queries could show."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt


def effect_size(differences: npt.NDArray[np.float64]) -> float | None:
    """The mean difference in deviations of the differences: Cohen's d for pairs.

    Args:
        differences: ``(n,) float64`` one system minus the other per query.

    Returns:
        0 without any difference; None where all are the same, or with fewer than two queries.
    """
    if len(differences) < 2:
        return None
    if np.ptp(differences) <= 1e-12 * float(np.max(np.abs(differences))):  # equal but for rounding
        return None if differences.any() else 0.0
    return float(np.mean(differences)) / float(np.std(differences, ddof=1))


def detectable_difference(
    differences: npt.NDArray[np.float64], *, level: float = 0.05, power: float = 0.8
) -> float | None:
    """The smallest mean difference that a paired t-test of this many queries would find.

    Args:
        differences: ``(n,) float64`` one system minus the other per query; their deviation is taken as known.
        level: chance of finding a difference that is not there.
        power: chance of finding one that is.

    Returns:
        in the measure's own units; None with fewer than two queries.
    """
    from scipy import stats

    n = len(differences)
    if n < 2:
        return None
    deviation = float(np.std(differences, ddof=1))
    return float(stats.t.ppf(1 - level / 2, n - 1) + stats.t.ppf(power, n - 1)) * deviation / math.sqrt(n)
