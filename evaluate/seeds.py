"""One configuration run with several seeds: its mean and deviation, and one system to be tested."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from statistics import fmean, stdev

import msgspec
import numpy as np

from beirkit.corpora.errors import UsageError
from beirkit.evaluate.comparable import comparable_values
from beirkit.evaluate.measures import Measure
from beirkit.evaluate.scores import Scores


class SeedSpread(msgspec.Struct, frozen=True, kw_only=True):
    """How the mean of one configuration varies between seeds.

    Attributes:
        means: of each seed, in the order given.
        mean: of them.
        deviation: their standard deviation, with n - 1.
    """

    means: tuple[float, ...]
    mean: float
    deviation: float


def averaged(runs: Sequence[Scores]) -> Scores:
    """Scores whose value of each query is the mean over the seeds: what a test compares.

    The mean of a measure is the mean of the seeds' means, and a query counts once however many seeds there
    are, so a test speaks about queries; how the seeds differ is what :func:`seed_spread` says. Counts are
    those of the first seed.

    Raises:
        UsageError: the seeds have other queries, measures, rules or depths; lists what differs.
    """
    first = runs[0]
    columns = []
    for measure in first.measures:
        named = {f"seed {number}": one for number, one in enumerate(runs, 1)}
        queries, values = comparable_values(named, measure, list(named))
        mean = dict(zip(queries, np.mean([*values.values()], axis=0).tolist(), strict=True))
        columns.append([mean.get(query_id, np.nan) for query_id in first.query_ids])
    return dataclasses.replace(first, values=np.array(columns, dtype=np.float64).T)


def seed_spread(runs: Sequence[Scores], measure: str | Measure) -> SeedSpread | None:
    """Mean and deviation of a measure over seeds; None where a seed has no value.

    Raises:
        UsageError: there are fewer than two seeds, or the measure was not computed.
    """
    if len(runs) < 2:
        raise UsageError("one run has no deviation over seeds", hint="name two or more")
    means = [one.mean(measure) for one in runs]
    known = [mean for mean in means if mean is not None]
    if len(known) < len(means):
        return None
    return SeedSpread(means=tuple(known), mean=fmean(known), deviation=stdev(known))
