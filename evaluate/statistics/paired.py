"""Two-sided tests of whether two systems differ on the same queries."""

from __future__ import annotations

from typing import Literal

import numpy as np
import numpy.typing as npt

from beirkit.evaluate.statistics.chance import BATCH

Test = Literal["randomisation", "t", "wilcoxon"]

TESTS: dict[Test, str] = {
    "randomisation": "paired randomisation test on the mean difference (Smucker, Allan and Carterette 2007)",
    "t": "paired t-test on the mean difference",
    "wilcoxon": "Wilcoxon's signed-rank test; queries without a difference are left out",
}


def p_value(
    test: Test, differences: npt.NDArray[np.float64], rng: np.random.Generator, *, samples: int
) -> float:
    """The p-value of one test; without any difference it is 1.

    Args:
        test: which one.
        differences: ``(n,) float64`` one system minus the other per query, two or more.
        rng: source of chance, which the randomisation test alone draws from.
        samples: sign flips that it draws.
    """
    if not differences.any():
        return 1.0
    if test == "t":
        return t_p(differences)
    if test == "wilcoxon":
        return wilcoxon_p(differences)
    return randomisation_p(differences, rng, samples=samples)


def randomisation_p(differences: npt.NDArray[np.float64], rng: np.random.Generator, *, samples: int) -> float:
    """Two-sided p of the paired randomisation test on the mean difference (Fisher 1935; Smucker et al. 2007).

    The sign of each difference is flipped by chance: all ways where there are at most ``samples`` of them,
    else ``samples`` ways, with p = (as extreme + 1) / (samples + 1). Queries without a difference play no
    part in either.

    Args:
        differences: ``(n,) float64`` one system minus the other per query.
        rng: source of chance.
        samples: sign flips drawn.
    """
    moved = differences[differences != 0]
    n = len(moved)
    if n < 2:  # none, or one, whose signs are both equally far from 0
        return 1.0
    exact = n < 63 and 2**n <= samples
    drawn = 2**n if exact else samples
    # sums that are equal but for the order of additions are as extreme as the one that was seen
    least = abs(float(moved.sum())) * (1 - 1e-12)
    extreme = 0
    step = max(1, BATCH // n)
    for start in range(0, drawn, step):
        rows = min(step, drawn - start)
        if exact:
            ways = np.arange(start, start + rows, dtype=np.int64)[:, None]
            signs = ((ways >> np.arange(n)) & 1).astype(np.uint8)
        else:
            signs = np.unpackbits(rng.integers(256, size=(rows, -(-n // 8)), dtype=np.uint8), axis=1)[:, :n]
        sums = 2 * (signs @ moved) - moved.sum()
        extreme += int((np.abs(sums) >= least).sum())
    return extreme / drawn if exact else (extreme + 1) / (drawn + 1)


def t_p(differences: npt.NDArray[np.float64]) -> float:
    """Two-sided p of Student's paired t-test; differences that are all the same leave no doubt: 0."""
    from scipy import stats

    if np.ptp(differences) <= 1e-12 * float(np.max(np.abs(differences))):  # equal but for rounding
        return 1.0 if differences[0] == 0 else 0.0
    return float(stats.ttest_1samp(differences, 0.0).pvalue)


def wilcoxon_p(differences: npt.NDArray[np.float64]) -> float:
    """Two-sided p of Wilcoxon's signed-rank test without zero differences (Wilcoxon 1945).

    Exact where at most 50 differences are left and no two are of one size, else by the normal approximation
    with its correction for ties.
    """
    from scipy import stats

    moved = differences[differences != 0]
    if not len(moved):
        return 1.0
    ties = len(np.unique(np.abs(moved))) < len(moved)
    method: Literal["exact", "approx"] = "exact" if len(moved) <= 50 and not ties else "approx"
    return float(stats.wilcoxon(moved, method=method).pvalue)
