"""Whether two systems differ on the same queries: intervals, tests, correction for several comparisons."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

# Numbers held at a time while resampling: 32 MB.
_BATCH = 4_000_000


def pair_rng(seed: int, *names: str) -> np.random.Generator:
    """A source of chance that depends on the seed and the names alone, not on what was drawn before."""
    digest = hashlib.sha256("\0".join(names).encode("utf-8", "surrogatepass")).digest()
    return np.random.default_rng([seed, int.from_bytes(digest[:8], "big")])


def bootstrap_interval(
    differences: npt.NDArray[np.float64], rng: np.random.Generator, *, samples: int, level: float = 0.95
) -> tuple[float, float]:
    """Percentile interval of the mean difference; queries are resampled in pairs (Efron 1979).

    Args:
        differences: ``(n,) float64`` system minus baseline per query, two or more.
        rng: source of chance.
        samples: resamples drawn.
        level: confidence.
    """
    from scipy import stats

    found = stats.bootstrap(
        (differences,),
        np.mean,
        n_resamples=samples,
        batch=max(1, _BATCH // len(differences)),
        confidence_level=level,
        method="percentile",
        rng=rng,
    ).confidence_interval
    return float(found.low), float(found.high)


def randomisation_p(differences: npt.NDArray[np.float64], rng: np.random.Generator, *, samples: int) -> float:
    """Two-sided p of the paired randomisation test on the mean difference (Fisher 1935; Smucker et al. 2007).

    The sign of each difference is flipped by chance: all ways where there are at most ``samples`` of them,
    else ``samples`` ways, with p = (as extreme + 1) / (samples + 1). Queries without a difference play no
    part in either.

    Args:
        differences: ``(n,) float64`` system minus baseline per query.
        rng: source of chance.
        samples: sign flips drawn.
    """
    from scipy import stats

    moved = differences[differences != 0]
    if not len(moved):
        return 1.0
    if len(moved) == 1:  # both signs are equally far from 0
        return 1.0
    found = stats.permutation_test(
        (moved,),
        lambda x, axis: np.abs(x.sum(axis=axis)),
        permutation_type="samples",
        alternative="greater",
        vectorized=True,
        n_resamples=samples,
        batch=max(1, _BATCH // len(moved)),
        rng=rng,
    )
    return float(found.pvalue)


def holm(p_values: Sequence[float]) -> list[float]:
    """P-values adjusted so that the chance of any false finding stays below the level (Holm 1979)."""
    adjusted, highest = [0.0] * len(p_values), 0.0
    for rank, index in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        highest = max(highest, min(1.0, (len(p_values) - rank) * p_values[index]))
        adjusted[index] = highest
    return adjusted
