"""Systems beside a baseline within slices of the queries, corrected for how many slices there are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from beirkit.evaluate.comparable import comparable_values
from beirkit.evaluate.measures import Measure
from beirkit.evaluate.pairs import Comparison, Draws, adjusted
from beirkit.evaluate.scores import Scores
from beirkit.evaluate.slicings import Slicing
from beirkit.evaluate.statistics.corrections import Correction
from beirkit.evaluate.statistics.paired import Test

Values = npt.NDArray[np.float64]


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
    found: list[SliceRow] = []
    undivided = []
    for slicing in slicings:
        parts = {label: np.array([q in ids for q in queries]) for label, ids in slicing.slices.items()}
        parts = {label: inside for label, inside in parts.items() if inside.any()}
        if len(parts) < 2:
            undivided.append(slicing.name)
            continue
        for label, inside in parts.items():
            held = {name: values[name][inside] for name in names}
            found += _rows(draws, slicing.name, label, held, baseline)
    return _table(draws, baseline, correction, found, undivided)


def compare_groups(
    scores: Mapping[str, Mapping[str, Scores]],
    measure: str | Measure,
    baseline: str,
    groupings: Mapping[str, Mapping[str, str]],
    *,
    test: Test = "randomisation",
    correction: Correction = "holm",
    level: float = 0.05,
    seed: int = 1,
    samples: int = 10_000,
) -> SliceTable:
    """Compare systems with a baseline over groups of datasets, such as those of one task.

    Every dataset of a group counts the same, whatever the number of its queries. The datasets are taken as
    they are and the queries as drawn: what is said is said of these datasets.

    Args:
        scores: by dataset and system, under the same protocol.
        measure: what is compared.
        baseline: the name of a system; groups in which a dataset lacks it have no rows.
        groupings: by name, the label of each dataset; datasets without one are left out there.
        test: which one decides.
        correction: of the p-values.
        level: of tests.
        seed: of bootstrap and randomisation.
        samples: resamples and sign flips drawn.

    Raises:
        UsageError: the scores on a dataset are not comparable.
    """
    wanted = Measure.parse(measure)
    draws = Draws(wanted, test, level, seed, samples)
    found: list[SliceRow] = []
    undivided = []
    for name, labels in groupings.items():
        groups: dict[str, list[str]] = {}
        for dataset in scores:
            if dataset in labels:
                groups.setdefault(labels[dataset], []).append(dataset)
        if len(groups) < 2:
            undivided.append(name)
            continue
        for label, datasets in groups.items():
            systems = [s for s in scores[datasets[0]] if all(s in scores[d] for d in datasets)]
            if baseline in systems:
                held = _weighted({d: scores[d] for d in datasets}, wanted, systems)
                told = f"{label} ({len(datasets)} dataset{'s' * (len(datasets) > 1)})"
                found += _rows(draws, name, told, held, baseline)
    return _table(draws, baseline, correction, found, undivided)


def _weighted(
    scores: Mapping[str, Mapping[str, Scores]], measure: Measure, systems: Sequence[str]
) -> dict[str, Values]:
    """Values of all queries of some datasets, weighted so that their mean is the mean of the datasets'."""
    held = {d: comparable_values(by_system, measure, systems)[1] for d, by_system in scores.items()}
    sizes = {d: len(values[systems[0]]) for d, values in held.items()}
    weights = {d: sum(sizes.values()) / (len(sizes) * size) for d, size in sizes.items()}
    return {s: np.concatenate([values[s] * weights[d] for d, values in held.items()]) for s in systems}


def _rows(
    draws: Draws, slicing: str, label: str, values: Mapping[str, Values], baseline: str
) -> list[SliceRow]:
    """Each system beside the baseline in one slice; p-values are not adjusted."""
    base = values[baseline]
    return [
        SliceRow(
            slicing=slicing,
            label=label,
            queries=len(base),
            comparison=draws.comparison(name, its, baseline, base),
        )
        for name, its in values.items()
        if name != baseline
    ]


def _table(
    draws: Draws, baseline: str, correction: Correction, found: Sequence[SliceRow], undivided: Sequence[str]
) -> SliceTable:
    """The rows, their p-values adjusted together."""
    rows = adjusted([row.comparison for row in found], correction)
    return SliceTable(
        measure=draws.measure,
        baseline=baseline,
        test=draws.test,
        correction=correction,
        level=draws.level,
        seed=draws.seed,
        samples=draws.samples,
        rows=tuple(
            msgspec.structs.replace(row, comparison=comparison)
            for row, comparison in zip(found, rows, strict=True)
        ),
        undivided=tuple(undivided),
    )
