"""Runs and scores of a system over BEIR's datasets, in one zip; no board is known to take it."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

import msgspec

from beirkit.configs.load import load_suite
from beirkit.configs.suites import suite_tree
from beirkit.corpora.errors import DataError, UsageError
from beirkit.corpora.exports.catalog import MANIFEST
from beirkit.corpora.ids import slug
from beirkit.corpora.records import Qrels
from beirkit.corpora.run_files import read_run, write_run
from beirkit.evaluate.engine import evaluate
from beirkit.evaluate.exports.base import Claim, Entry, Problem, Recomputable, Target
from beirkit.evaluate.exports.found import Found, quoted
from beirkit.evaluate.exports.known import files_in
from beirkit.evaluate.exports.lists import (
    require_no_white_space,
    require_once,
    require_whole,
    submitted_run,
)
from beirkit.evaluate.exports.run_lines import run_problems
from beirkit.evaluate.exports.strict_json import NotStrictError, strict_json
from beirkit.evaluate.exports.zips import member, reading_zip, write_zip
from beirkit.evaluate.measures import Measure
from beirkit.evaluate.protocol import get_protocol

METRICS = "metrics.json"
_FORMAT = "beirkit runs over BEIR 1"
_FAMILIES = ("nDCG", "AP", "R", "P", "RR")


class _Dataset(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What ``metrics.json`` says of one dataset."""

    split: str
    judged: int
    searched: int
    content_ids: dict[str, str]
    measures: dict[str, float | None]


class _Metrics(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """``metrics.json``."""

    format: str
    system: str
    protocol: str
    rules: str
    datasets: dict[str, _Dataset]


class BeirOptions(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Options of :class:`BeirRuns`."""

    suite: str = ""


class BeirRuns(Target[BeirOptions], Recomputable):
    """``SYSTEM.zip``: ``DATASET.trec`` of each dataset, ``metrics.json``, and ``manifests/DATASET.json``.

    The upload form of BEIR's board of 2023 is published nowhere, so this claims to fit none. Scores are
    beir's, unrounded, with the content ids of what they were made on.

    Options:
        suite: a suite that must be complete, such as ``beir-13``; none: whatever there is.
    """

    name: ClassVar[str] = "beir"
    summary: ClassVar[str] = (
        "one zip of runs, scores under beir's protocol and manifests; fits no known board"
    )
    Options: ClassVar[type[msgspec.Struct]] = BeirOptions
    protocol: ClassVar[str] = "beir"

    def write(self, entries: Sequence[Entry], folder: Path, options: BeirOptions) -> None:
        """Write a zip per system; see :class:`Target`."""
        require_whole(entries, "beir")
        require_once(entries, [f"{slug(one.system)}.zip!{slug(one.dataset)}.trec" for one in entries])
        by_system: dict[str, list[Entry]] = {}
        for entry in entries:
            by_system.setdefault(entry.system, []).append(entry)
        for system, ones in by_system.items():
            _require_suite(options.suite, system, ones)
        for system, ones in by_system.items():
            write_zip(folder / f"{slug(system)}.zip", _files(system, ones))

    def validate(self, path: Path) -> list[Problem]:
        """See :class:`Target`; a zip, or a folder of them."""
        problems: list[Problem] = []
        count = 0
        for name, file in files_in(path, ".zip", without=MANIFEST):
            count += 1
            try:
                problems += _problems(file, name)
            except DataError as error:
                problems.append(Problem(file=name, found=error.found, expected="a zip that can be read"))
        if not count:
            problems.append(Problem(file=".", found="no zip", expected="SYSTEM.zip"))
        return problems

    def claims(self, path: Path) -> Sequence[Claim]:
        """See :class:`Recomputable`."""
        found = []
        for name, file in files_in(path, ".zip", without=MANIFEST):
            with reading_zip(file) as opened:
                metrics = _read(member(opened, METRICS), file)
            for dataset, facts in metrics.datasets.items():
                keys = {f"datasets.{dataset}.measures.{key}": key for key in facts.measures}
                found.append(
                    Claim(
                        file=f"{name}!{METRICS}",
                        dataset=dataset,
                        split=facts.split,
                        values={key: facts.measures[measure] for key, measure in keys.items()},
                        compute=_again(file, dataset, facts, keys),
                        tolerance=1e-12,
                    )
                )
        return found


def _require_suite(name: str, system: str, entries: Sequence[Entry]) -> None:
    if not name:
        return
    leaves = suite_tree(load_suite(name)).leaves()
    missing = [leaf for leaf in leaves if leaf not in {entry.dataset for entry in entries}]
    if missing:
        raise UsageError(
            f"{system}: {name} lacks {len(missing)} of its {len(leaves)} datasets: {', '.join(missing)}",
            hint="run them, or leave suite= out",
        )


def _measures() -> tuple[Measure, ...]:
    return tuple(Measure(family, k) for family in _FAMILIES for k in get_protocol("beir").k_values)


def _files(system: str, entries: Sequence[Entry]) -> dict[str, bytes | Path]:
    """The files of one system's zip."""
    rules = get_protocol("beir")
    files: dict[str, bytes | Path] = {}
    datasets: dict[str, _Dataset] = {}
    for entry in entries:
        name = slug(entry.dataset)
        run = submitted_run(entry, self_match=rules.self_match)
        require_no_white_space(run, entry)
        scores = entry.take(rules, _measures())
        datasets[name] = _Dataset(
            split=entry.split,
            judged=len(entry.qrels),
            searched=len(run),
            content_ids=dict(entry.content_ids),
            measures=scores.means(),
        )
        with tempfile.TemporaryDirectory() as temporary:
            write_run(replace(run, tag=slug(system)), Path(temporary) / "run.trec")
            files[f"{name}.trec"] = (Path(temporary) / "run.trec").read_bytes()
        files[f"manifests/{name}.json"] = entry.folder / "manifest.json"
    metrics = _Metrics(
        format=_FORMAT, system=system, protocol=rules.name, rules=rules.describe(), datasets=datasets
    )
    text = json.dumps(msgspec.to_builtins(metrics), ensure_ascii=False, indent=2, allow_nan=False)
    files[METRICS] = f"{text}\n".encode()
    return files


def _again(file: Path, dataset: str, facts: _Dataset, keys: Mapping[str, str]) -> Any:
    """A function from judgments to what the run in the zip comes to."""

    def compute(qrels: Qrels) -> Mapping[str, float | None]:
        with reading_zip(file) as opened, tempfile.TemporaryDirectory() as temporary:
            run_file = Path(temporary) / "run.trec"
            run_file.write_bytes(member(opened, f"{dataset}.trec"))
            run = read_run(run_file)
        if facts.searched >= facts.judged:
            run = run.including(qrels)
        means = evaluate(qrels, run, [*keys.values()], "beir").means()
        return {key: means[str(Measure.parse(measure))] for key, measure in keys.items()}

    return compute


def _read(data: bytes, path: Path) -> _Metrics:
    try:
        return msgspec.convert(strict_json(data), _Metrics)
    except (NotStrictError, msgspec.ValidationError) as error:
        raise DataError(f"{METRICS}: {error}", path=path) from error


def _problems(path: Path, name: str) -> list[Problem]:
    found = Found(f"{name}!{METRICS}")
    problems: list[Problem] = []
    with reading_zip(path) as opened:
        names = {info.filename for info in opened.infolist() if not info.is_dir()}
        try:
            metrics = _read(member(opened, METRICS), path)
        except DataError as error:
            found.add("files", "", error.found, "datasets with split, counts, content ids and measures")
            return found.problems()
        for dataset, facts in metrics.datasets.items():
            _check_dataset(found, dataset, facts)
            for wanted in (f"{dataset}.trec", f"manifests/{dataset}.json"):
                if wanted not in names:
                    found.add("missing files", f"datasets.{dataset}", f"no {wanted} in the zip", "its file")
        if metrics.format != _FORMAT:
            found.add("forms", "format", quoted(metrics.format), repr(_FORMAT))
        if not metrics.datasets:
            found.add("datasets", "datasets", "none", "one or more")
        for run in sorted(one for one in names if one.endswith(".trec")):
            if run.removesuffix(".trec") not in metrics.datasets:
                found.add(
                    "runs without scores",
                    "datasets",
                    f"no {run.removesuffix('.trec')}",
                    f"the scores of {run}",
                )
            lines = enumerate(member(opened, run).splitlines(), 1)
            problems += run_problems(lines, f"{name}!{run}")[0]
        for other in sorted(names - {METRICS}):
            if not other.endswith(".trec") and not other.startswith("manifests/"):
                found.add(
                    "files of another kind", "", quoted(other), "runs, metrics.json and manifests alone"
                )
    return [*found.problems(), *problems]


def _check_dataset(found: Found, dataset: str, facts: _Dataset) -> None:
    known = {str(measure) for measure in _measures()}
    for key, value in facts.measures.items():
        where = f"datasets.{dataset}.measures.{key}"
        if key not in known:
            found.add("measures", where, quoted(key), "one of beir's measures, such as nDCG@10")
        elif value is None or not 0 <= value <= 1:
            found.add("scores", where, quoted(value), "a number from 0 to 1")
    if "nDCG@10" not in facts.measures:
        found.add(
            "missing measures", f"datasets.{dataset}.measures.nDCG@10", "no such key", "BEIR's main measure"
        )
    for key in ("corpus", "queries", f"qrels/{facts.split}"):
        if key not in facts.content_ids:
            found.add("content ids", f"datasets.{dataset}.content_ids.{key}", "no such key", "64 hex digits")
