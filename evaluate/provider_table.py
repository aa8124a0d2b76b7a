"""Search tools side by side on supporting pages: means with intervals, slices, and paired comparisons."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from math import fsum
from typing import Literal

import msgspec
import numpy as np

from beirkit.corpora.errors import UsageError
from beirkit.corpora.supporting import Task
from beirkit.evaluate.statistics.chance import require_samples, rng_for
from beirkit.evaluate.statistics.corrections import CORRECTIONS
from beirkit.evaluate.statistics.intervals import bootstrap_interval
from beirkit.evaluate.statistics.paired import p_value
from beirkit.evaluate.supporting_pages import MAIN, MEASURES, Judged, Values

Population = Literal["all", "answered by all"]
POPULATIONS: tuple[Population, ...] = ("all", "answered by all")

Interval = tuple[float, float]


class Figure(msgspec.Struct, frozen=True, kw_only=True):
    """A mean.

    Attributes:
        provider: the tool.
        measure: the measure with its cut-off.
        population: over every question, where what was not answered counts 0, or over the questions that all
            tools answered.
        flagged: whether results that hold the benchmark count.
        slice: which questions, such as ``topic=Art``; empty: all of the population.
        mean: None where there is no question.
        interval: bootstrap interval of the mean; None with fewer than two questions.
        n: questions in the mean.
    """

    provider: str
    measure: str
    population: Population
    flagged: bool
    slice: str = ""
    mean: float | None = None
    interval: Interval | None = None
    n: int = 0


class Difference(msgspec.Struct, frozen=True, kw_only=True):
    """One tool beside the first, on the same questions.

    Attributes:
        provider: the tool.
        baseline: the first tool.
        measure: the measure with its cut-off.
        population: which questions.
        flagged: whether results that hold the benchmark count.
        difference: the tool's mean minus the first one's.
        interval: paired bootstrap interval of the difference.
        p: paired randomisation test, two-sided.
        p_adjusted: by Holm over all rows of the table.
        n: questions.
    """

    provider: str
    baseline: str
    measure: str
    population: Population
    flagged: bool
    difference: float
    interval: Interval
    p: float
    p_adjusted: float
    n: int


class Coverage(msgspec.Struct, frozen=True, kw_only=True):
    """What one tool answered at all.

    Attributes:
        provider: the tool.
        statuses: questions by status.
        flagged_results: results that hold the benchmark, by reason.
        flagged_queries: questions with at least one.
        cues: by kind, how often a cue was the first to fire.
        copies: questions whose first supporting page is a verified copy of a reference.
        unknown: queries of the file that are no questions of the dataset.
    """

    provider: str
    statuses: dict[str, int]
    flagged_results: dict[str, int]
    flagged_queries: int
    cues: dict[str, int]
    copies: int
    unknown: int


class ProviderTable(msgspec.Struct, frozen=True, kw_only=True):
    """Tools side by side.

    Attributes:
        cutoffs: the cut-offs.
        level: of tests; intervals have 1 minus it.
        seed: of every draw.
        samples: how many are drawn.
        coverage: of each tool.
        figures: of all questions of each population.
        slices: by topic and answer type, over all questions, at the last cut-off.
        differences: of every other tool to the first.
    """

    cutoffs: tuple[int, ...]
    level: float
    seed: int
    samples: int
    coverage: list[Coverage]
    figures: list[Figure]
    slices: list[Figure]
    differences: list[Difference]


def table(
    tasks: Mapping[str, Task],
    tools: Sequence[Judged],
    cutoffs: Sequence[int] = (1, 5, 10),
    *,
    level: float = 0.05,
    seed: int = 1,
    samples: int = 10_000,
) -> ProviderTable:
    """Put tools side by side.

    Args:
        tasks: every question, by id.
        tools: the judged lists, the first being the one all others are compared with.
        cutoffs: ranks that count, ascending.
        level: of tests; intervals have 1 minus it.
        seed: of every draw.
        samples: how many are drawn.

    Raises:
        UsageError: two tools have one name, or a cut-off, the level or the number of samples is impossible.
    """
    require_samples(samples, level)
    names = [tool.provider for tool in tools]
    if twice := [name for name, count in Counter(names).items() if count > 1]:
        raise UsageError(f"two results are called {twice[0]!r}", hint="name them: NAME=FILE")
    if not cutoffs or min(cutoffs) < 1:
        raise UsageError("cut-offs are ranks, from 1", hint="1 5 10 are usual")
    cutoffs = tuple(sorted(set(cutoffs)))
    populations = {"all": list(tasks), "answered by all": _answered(tasks, tools)}
    deepest = cutoffs[-1]

    def interval(values: Values, *names: str) -> Interval | None:
        if len(values) < 2:
            return None
        return bootstrap_interval(values, rng_for(seed, *names), samples=samples, level=1 - level)

    def figure(
        tool: Judged, measure: str, k: int, population: Population, flagged: bool, ids: list[str], label: str
    ) -> Figure:
        values = tool.values(measure, k, ids, flagged=flagged)
        named = f"{measure}@{k}"
        return Figure(
            provider=tool.provider,
            measure=named,
            population=population,
            flagged=flagged,
            slice=label,
            mean=fsum(values.tolist()) / len(values) if len(values) else None,
            interval=interval(values, "supporting", tool.provider, named, population, label, str(flagged)),
            n=len(values),
        )

    figures = [
        figure(tool, measure, k, population, flagged, populations[population], "")
        for tool in tools
        for population in POPULATIONS
        for flagged in (True, False)
        for measure in MEASURES
        for k in cutoffs
    ]
    slices = [
        figure(tool, measure, deepest, "all", True, ids, label)
        for label, ids in _slices(tasks).items()
        for tool in tools
        for measure in MAIN
    ]
    differences = _differences(tools, populations, deepest, interval, seed, samples)
    return ProviderTable(
        cutoffs=cutoffs,
        level=level,
        seed=seed,
        samples=samples,
        coverage=[_coverage(tool) for tool in tools],
        figures=figures,
        slices=slices,
        differences=differences,
    )


def _answered(tasks: Mapping[str, Task], tools: Sequence[Judged]) -> list[str]:
    return [query for query in tasks if all(tool.outcomes[query].status == "ok" for tool in tools)]


def _slices(tasks: Mapping[str, Task]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for key in ("topic", "answer_type"):
        for value in sorted({getattr(task, key) for task in tasks.values()} - {""}):
            found[f"{key}={value}"] = [q for q, task in tasks.items() if getattr(task, key) == value]
    return found


def _differences(
    tools: Sequence[Judged],
    populations: Mapping[str, list[str]],
    k: int,
    interval: Callable[..., Interval | None],
    seed: int,
    samples: int,
) -> list[Difference]:
    rows = []
    for tool in tools[1:]:
        for population in POPULATIONS:
            ids = populations[population]
            for flagged in (True, False):
                for measure in MAIN if len(ids) > 1 else ():
                    ours, base = (t.values(measure, k, ids, flagged=flagged) for t in (tool, tools[0]))
                    names = (tool.provider, tools[0].provider, f"{measure}@{k}", population, str(flagged))
                    apart = ours - base
                    rng = rng_for(seed, "supporting", *names)
                    rows.append(
                        Difference(
                            provider=tool.provider,
                            baseline=tools[0].provider,
                            measure=f"{measure}@{k}",
                            population=population,
                            flagged=flagged,
                            difference=fsum(apart.tolist()) / len(apart),
                            interval=(np.any(apart) and interval(apart, "difference", *names)) or (0.0, 0.0),
                            p=p_value("randomisation", apart, rng, samples=samples),
                            p_adjusted=1.0,
                            n=len(ids),
                        )
                    )
    adjusted = CORRECTIONS["holm"]([row.p for row in rows])
    return [msgspec.structs.replace(row, p_adjusted=p) for row, p in zip(rows, adjusted, strict=True)]


def _coverage(tool: Judged) -> Coverage:
    outcomes = tool.outcomes.values()
    return Coverage(
        provider=tool.provider,
        statuses=dict(sorted(Counter(outcome.status for outcome in outcomes).items())),
        flagged_results=dict(sorted(Counter(f.reason for o in outcomes for f in o.flags).items())),
        flagged_queries=sum(bool(outcome.flags) for outcome in outcomes),
        cues=dict(sorted(Counter(str(o.answer.cue) for o in outcomes if o.answer is not None).items())),
        copies=sum(o.page is not None and o.page.by == "copy" for o in outcomes),
        unknown=len(tool.unknown),
    )
