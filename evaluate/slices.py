"""Systems beside a baseline within slices of the queries, corrected for how many slices there are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
import numpy as np

from beirkit.evaluate.comparable import comparable_values
from beirkit.evaluate.measures import Measure
from beirkit.evaluate.pairs import Comparison, Draws, adjusted
from beirkit.evaluate.scores import Scores
from beirkit.evaluate.slicings import Slicing
from beirkit.evaluate.statistics.corrections import Correction
from beirkit.evaluate.statistics.paired import Test


class SliceRow(msgspec.Struct, frozen=True, kw_only=True):
    """One system beside the baseline in one slice.

    Attributes:
        slicing: what the queries are divided by.
        label: of the slice.
        queries: how many there are in it.
        comparison: in it alone; the p-value is adjusted over the whole table.
    """

    slicing: str
    label: str
    queries: int
    comparison: Comparison


class SliceTable(msgspec.Struct, frozen=True, kw_only=True):
    """All slices of one measure: one family of tests.

    Attributes:
        measure: what is compared.
        baseline: the system all others are compared with.
        test: which one decides.
        correction: of the p-values of all rows together.
        level: of tests; the intervals have 1 minus it.
        seed: of bootstrap and randomisation.
        samples: how many were drawn.
        rows: by slicing, slice and system.
        undivided: slicings that put all queries into one slice, or none into any; they have no rows.
    """

    measure: Measure
    baseline: str
    test: Test
    correction: Correction
    level: float
    seed: int
    samples: int
    rows: tuple[SliceRow, ...]
    undivided: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The table for JSON."""
        facts: dict[str, Any] = {**msgspec.to_builtins(self), "measure": str(self.measure)}
        return facts


def compare_slices(
    scores: Mapping[str, Scores],
    measure: str | Measure,
    baseline: str,
    slicings: Sequence[Slicing],
    *,
    test: Test = "randomisation",
    correction: Correction = "holm",
    level: float = 0.05,
    seed: int = 1,
    samples: int = 10_000,
) -> SliceTable:
    """Compare systems with a baseline in every slice.

    A slice in which a system is better by chance is found easily where there are many of them: all p-values
    of the table, over slicings, slices and systems, are adjusted together.

    Args:
        scores: by system, of the same judgments under the same protocol.
        measure: what is compared.
        baseline: a key of ``scores``.
        slicings: ways to divide the queries; queries that none of the slices has are left out there.
        test: which one decides.
        correction: of the p-values.
        level: of tests.
        seed: of bootstrap and randomisation.
        samples: resamples and sign flips drawn.

    Raises:
        UsageError: the scores are not comparable.
    """
    wanted = Measure.parse(measure)
    names = [baseline, *(name for name in scores if name != baseline)]
    queries, values = comparable_values(scores, wanted, names)
    draws = Draws(wanted, test, level, seed, samples)
    places: list[tuple[str, str, int]] = []
    found: list[Comparison] = []
    undivided = []
    for slicing in slicings:
        parts = {label: np.array([q in ids for q in queries]) for label, ids in slicing.slices.items()}
        parts = {label: inside for label, inside in parts.items() if inside.any()}
        if len(parts) < 2:
            undivided.append(slicing.name)
            continue
        for label, inside in parts.items():
            for name in names[1:]:
                places.append((slicing.name, label, int(inside.sum())))
                found.append(draws.comparison(name, values[name][inside], baseline, values[baseline][inside]))
    rows = tuple(
        SliceRow(slicing=slicing, label=label, queries=count, comparison=row)
        for (slicing, label, count), row in zip(places, adjusted(found, correction), strict=True)
    )
    return SliceTable(
        measure=wanted,
        baseline=baseline,
        test=test,
        correction=correction,
        level=level,
        seed=seed,
        samples=samples,
        rows=rows,
        undivided=tuple(undivided),
    )
