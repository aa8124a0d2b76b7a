"""A mean over queries or records with its interval."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec
import numpy as np

from beirkit.evaluate.statistics.intervals import bootstrap_interval

SEED = 20_240_611
SAMPLES = 2_000


class Mean(msgspec.Struct, frozen=True, kw_only=True):
    """A mean with its 95 % bootstrap interval; None of fewer than two values."""

    mean: float
    interval: tuple[float, float] | None

    def __str__(self) -> str:
        return f"{self.mean:.4f}"

    @property
    def range(self) -> str:
        """The interval, for a table."""
        return "–" if self.interval is None else "{:.4f}–{:.4f}".format(*self.interval)


def mean_of(values: Iterable[float]) -> Mean:
    """The mean of one value or more, with its interval."""
    given = np.array(list(values), dtype=np.float64)
    interval = None
    if len(given) > 1:
        interval = bootstrap_interval(given, np.random.default_rng(SEED), samples=SAMPLES)
    return Mean(mean=float(given.mean()), interval=interval)
