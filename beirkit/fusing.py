"""Fusing run files, and choosing the weights by judgments that the fused run is not scored with."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from beirkit.corpora.errors import UsageError
from beirkit.corpora.files import sha256_file, write_json
from beirkit.corpora.records import Qrels
from beirkit.corpora.run import Run
from beirkit.corpora.run_files import write_run
from beirkit.evaluate.engine import evaluate
from beirkit.retrievers.fusion.methods import Fusion, fuse, missing_queries
from beirkit.runs import find_run

STEP = 0.1
"""Weights that are tried are multiples of it which sum up to 1."""

_MOST = 1000  # combinations of weights


@dataclass(frozen=True)
class Tuned:
    """Weights that were chosen.

    Attributes:
        how: the fusion with them.
        value: the mean of the measure on the judgments they were chosen by.
        equal: the mean with equal weights.
        tried: how many combinations.
        measure: what was made greatest.
    """

    how: Fusion
    value: float
    equal: float
    tried: int
    measure: str


def tune(runs: Sequence[Run], how: Fusion, qrels: Qrels, measure: str) -> Tuned:
    """The weights with the greatest mean; of several, those nearest to equal ones, then the first tried.

    Args:
        runs: over the queries of the judgments.
        how: the fusion; its own weights are not looked at.
        qrels: judgments of another split than the one that is to be reported.
        measure: such as ``nDCG@10``.

    Raises:
        UsageError: there are too many runs for a search of this kind.
    """
    grid = list(_grid(len(runs)))
    even = 1 / len(runs)
    best: tuple[float, float, Fusion] | None = None
    equal = _mean(runs, msgspec.structs.replace(how, weights=[]), qrels, measure)
    for weights in grid:
        tried = msgspec.structs.replace(how, weights=weights)
        value = _mean(runs, tried, qrels, measure)
        away = sum(abs(weight - even) for weight in weights)
        if best is None or (value, -away) > (best[0], -best[1]):
            best = value, away, tried
    assert best is not None
    return Tuned(best[2], best[0], equal, len(grid), measure)


def refuse_same_queries(runs: Sequence[Run], judged: Collection[str]) -> None:
    """Refuse to fuse, with weights chosen by judgments, the very queries that are judged there.

    Raises:
        UsageError: a query of the runs is among them.
    """
    both = sorted({query for run in runs for query in run.query_ids} & set(judged))
    if both:
        raise UsageError(
            f"{len(both)} queries to be fused are judged in --tune too, such as {both[0]!r}: scores of "
            "weights that were chosen by the same judgments say nothing",
            hint="choose the weights on another split (train, dev) and its runs, and fuse this one",
        )


def refuse_same_split(tuned_on: Collection[str], dataset: str, split: str) -> None:
    """Refuse to score a fusion on the split that its weights were chosen on.

    Args:
        tuned_on: ``DATASET@SPLIT``, as the configuration has it.
        dataset: the name of the dataset that is searched.
        split: the split.

    Raises:
        UsageError: it is one of them.
    """
    if f"{dataset}@{split}" in tuned_on:
        raise UsageError(
            f"the weights were chosen on {dataset}@{split}, so its scores would say nothing",
            hint="run another split, or choose the weights elsewhere",
        )


def fuse_files(
    paths: Sequence[Path],
    how: Fusion,
    out: Path,
    *,
    top: int | None = None,
    tuned: dict[str, Any] | None = None,
) -> Run:
    """Fuse run files into one, with a record beside it of how that was done (``OUT.json``).

    Args:
        paths: run files or result folders.
        how: the fusion.
        out: the run file to write.
        top: results per query to keep; ``None``: all.
        tuned: how the weights were chosen, for the record.

    Raises:
        BeirkitError: a run cannot be read, or the files not be written.
    """
    files = [find_run(path).file for path in paths]
    for file in files:
        if out.exists() and out.samefile(file):
            raise UsageError(
                "is one of the runs to be fused, and would be lost", path=out, hint="name another --out"
            )
    runs = read_runs(paths)
    names = [str(path) for path in paths]
    run = fuse(runs, how, names=names)
    run = run if top is None else run.top(top)
    write_run(run, out)
    absent = missing_queries(runs, run.query_ids)
    record = {
        "fusion": how.describe(len(runs)),
        "runs": [
            {"file": file.name, "tag": part.tag, "sha256": sha256_file(file), "missing_queries": missing}
            for file, part, missing in zip(files, runs, absent, strict=True)
        ],
        "results_per_query": top,
        "tuned": tuned,
    }
    write_json(record_path(out), record)
    return run


def read_runs(paths: Sequence[Path]) -> list[Run]:
    """The runs of some files or result folders, as they stand."""
    return [find_run(path).read(()) for path in paths]


def record_path(out: Path) -> Path:
    """The file that tells how a fused run was made."""
    return out.with_name(f"{out.name}.json")


def _grid(runs: int) -> Iterator[list[float]]:
    steps = round(1 / STEP)
    found = 0
    for parts in itertools.product(range(steps + 1), repeat=runs - 1):
        if sum(parts) <= steps:
            found += 1
            if found > _MOST:
                raise UsageError(
                    f"{runs} runs have more than {_MOST:,} combinations of weights",
                    hint="tune fewer runs at once",
                )
            yield [part / steps for part in (*parts, steps - sum(parts))]


def _mean(runs: Sequence[Run], how: Fusion, qrels: Qrels, measure: str) -> float:
    return evaluate(qrels, fuse(runs, how), [measure]).mean(measure) or 0.0
