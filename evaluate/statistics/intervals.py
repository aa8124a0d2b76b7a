"""How far a mean could be off by the draw of its queries."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from beirkit.evaluate.statistics.chance import BATCH

# Columns that are multiplied at once: always as many, so that no figure depends on what stands beside it.
_WIDTH = 8


def bootstrap_interval(
    values: npt.NDArray[np.float64], rng: np.random.Generator, *, samples: int, level: float = 0.95
) -> tuple[float, float]:
    """Percentile interval of the mean (Efron 1979).

    Of differences between two systems it is the paired interval: queries are resampled, both values of each
    together.

    Args:
        values: ``(n,) float64`` one per query, two or more.
        rng: source of chance.
        samples: resamples drawn.
        level: confidence.
    """
    from scipy import stats

    found = stats.bootstrap(
        (values,),
        np.mean,
        n_resamples=samples,
        batch=max(1, BATCH // len(values)),
        confidence_level=level,
        method="percentile",
        rng=rng,
    ).confidence_interval
    return float(found.low), float(found.high)


def resampled_means(
    values: npt.NDArray[np.float64], rng: np.random.Generator, *, samples: int
) -> npt.NDArray[np.float64]:
    """``(samples, k)`` means of ``(n, k)`` values over resampled rows, the same rows for every column.

    A column has the same bits whatever other columns there are.
    """
    n, width = values.shape
    blocks = -(-width // _WIDTH)
    padded = np.zeros((n, blocks * _WIDTH))
    padded[:, :width] = values
    columns = [np.ascontiguousarray(part) for part in np.split(padded, blocks, axis=1)]
    found = np.empty((samples, blocks * _WIDTH))
    step = max(1, BATCH // n)
    for start in range(0, samples, step):
        rows = min(step, samples - start)
        weights = np.empty((rows, n))
        for row in range(rows):
            weights[row] = np.bincount(rng.integers(n, size=n), minlength=n)
        for place, part in enumerate(columns):
            found[start : start + rows, place * _WIDTH : (place + 1) * _WIDTH] = weights @ part / n
    return np.ascontiguousarray(found[:, :width])
