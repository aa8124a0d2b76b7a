"""MTEB's results repository: task files, model facts and run settings of each model."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

import msgspec

from beirkit.corpora.errors import DataError, UsageError
from beirkit.corpora.files import atomic_open, write_json
from beirkit.corpora.notices import warn
from beirkit.corpora.records import Qrels
from beirkit.corpora.run import Run
from beirkit.evaluate.exports.base import (
    Claim,
    Entry,
    Problem,
    Recomputable,
    Step,
    Submittable,
    Target,
)
from beirkit.evaluate.exports.lists import require_whole
from beirkit.evaluate.exports.mteb_complete import require_complete
from beirkit.evaluate.exports.mteb_facts import MtebFacts, TaskFacts, mteb_facts
from beirkit.evaluate.exports.mteb_model import given_meta, meta_of
from beirkit.evaluate.exports.mteb_names import Names, by_model, name_models
from beirkit.evaluate.exports.mteb_predictions import (
    END,
    check_predictions,
    read_predictions,
    write_predictions,
)
from beirkit.evaluate.exports.mteb_scores import aggregate, mteb_scores, require_depth
from beirkit.evaluate.exports.mteb_steps import steps_for
from beirkit.evaluate.exports.mteb_tasks import Placed, place, require_data, scores_of
from beirkit.evaluate.exports.mteb_tree import META, SETTINGS, check_tree, model_folders
from beirkit.evaluate.exports.rescored import tell_rescored
from beirkit.evaluate.exports.strict_json import strict_json

RUNS = "predictions"


class MtebOptions(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Options of :class:`Mteb`."""

    model: dict[str, str] = {}
    revision: dict[str, str] = {}
    task: dict[str, str] = {}
    meta: dict[str, str] = {}
    predictions: bool = False


class Mteb(Target[MtebOptions], Submittable, Recomputable):
    """``results/MODEL/REVISION/`` with a file for each task, ``model_meta.json`` and ``run_settings.jsonl``.

    Every score is computed from the kept run as mteb computes it: 1,000 results per query, self-matches out
    where the task says so, all measures at 1, 3, 5, 10, 20, 100 and 1,000, nAUC included. Of CQADupStack and
    its like the mean is written too, where every part is there.

    Options:
        model: the model's name, ``ORGANISATION/MODEL``, by system, where the results do not know it.
        revision: the model's revision by system, likewise.
        task: ``TASK`` or ``TASK/SUBSET`` by dataset, where it is not a shipped dataset.
        meta: a ``model_meta.json`` by system, or ``mteb``: what the installed mteb says of the model.
        predictions: add the runs under ``predictions/``, so that the scores can be derived again.
    """

    name: ClassVar[str] = "mteb"
    summary: ClassVar[str] = "MTEB's results repository, for its leaderboards"
    Options: ClassVar[type[msgspec.Struct]] = MtebOptions
    protocol: ClassVar[str] = "mteb"

    def write(self, entries: Sequence[Entry], folder: Path, options: MtebOptions) -> None:
        """Write the files; see :class:`Target`."""
        facts = mteb_facts()
        require_whole(entries, self.name)
        placed = place(entries, facts, options.task)
        models = by_model(placed, name_models(entries, options.model, options.revision))
        for group in models.values():
            require_complete(group, facts)
        for one in placed:
            require_depth(one.entry)
        require_data(placed)
        for one in placed:
            tell_rescored(one.entry, self.protocol)
        for model, group in models.items():
            place_of = folder / "results" / model.folder
            _write_tasks(group, place_of, facts)
            _write_settings(group, place_of)
            write_json(place_of / META, _meta(group[0].entry, model, options.meta))
            if options.predictions:
                write_predictions(group, model, folder / RUNS / model.folder)

    def validate(self, path: Path) -> list[Problem]:
        """Everything that is wrong, with the results and with runs under ``predictions/``."""
        runs = path / RUNS
        return check_tree(path) + [
            problem
            for one in (sorted(runs.rglob(f"*{END}")) if runs.is_dir() else ())
            for problem in check_predictions(one, one.relative_to(path).as_posix())
        ]

    def steps(self, path: Path) -> Sequence[Step]:
        """What to do; see :class:`Submittable`."""
        return steps_for(path, mteb_facts())

    def claims(self, path: Path) -> Sequence[Claim]:
        """Scores of tasks whose predictions lie under ``predictions/``; see :class:`Recomputable`."""
        found = []
        for file, task, stated, runs in _stated(path):
            if not runs.is_file():
                continue
            for split, entries in strict_json(stated.read_bytes())["scores"].items():
                for place_of, entry in enumerate(entries):
                    subset = entry["hf_subset"]
                    run = read_predictions(runs, subset, split)
                    if run is None:
                        raise DataError(f"has no lists of {subset}, {split}", path=runs)
                    name = stated.stem if len(task.subsets) == 1 else f"{stated.stem}/{subset}"
                    found.append(_claim(file, (name, task), split, f"scores.{split}[{place_of}]", entry, run))
        return found

    def unfounded(self, path: Path) -> list[Problem]:
        """Files of tasks without predictions; see :class:`Recomputable`."""
        return [
            Problem(
                file=file,
                key="scores",
                found="no run to derive them from",
                expected=runs.relative_to(path).as_posix(),
                todo="export it again with --set predictions=true",
            )
            for file, _, _, runs in _stated(path)
            if not runs.is_file()
        ]


def _stated(path: Path) -> Iterator[tuple[str, TaskFacts, Path, Path]]:
    """Of each task that is no mean of others: name of its file, the task, the file, and where its run is."""
    facts = mteb_facts()
    for folder in model_folders(path):
        inside = "/".join(folder.path.resolve().parts[-2:])
        for stem, file in folder.files.items():
            task = facts.tasks.get(stem)
            if task is not None and not task.parts:
                yield file, task, folder.path / f"{stem}.json", path / RUNS / inside / f"{stem}{END}"


def _write_tasks(placed: Sequence[Placed], folder: Path, facts: MtebFacts) -> None:
    tasks: dict[str, list[Placed]] = {}
    for one in placed:
        tasks.setdefault(one.task, []).append(one)
    main: dict[str, float] = {}
    for name, group in tasks.items():
        scores: dict[str, list[dict[str, Any]]] = {}
        for one in group:
            values = scores_of(one)
            value = values.get(one.facts.main_score)
            if value is None:
                raise UsageError(
                    f"{name} is ranked by {one.facts.main_score}, which mteb alone computes",
                    hint="run mteb on it",
                )
            main[name] = value
            scores.setdefault(one.entry.split, []).append(
                _entry(values, value, one.subset, one.facts.subsets)
            )
        seconds = [_seconds(one.entry) for one in group]
        total = None if None in seconds else round(sum(value or 0.0 for value in seconds), 3)
        _write_task(folder, name, group[0].facts.revision, scores, total)
    for name, task in facts.tasks.items():
        mean = aggregate(task.parts, main).mean if task.parts else None
        if mean is not None:
            value = round(mean, 6)
            entry = _entry({task.main_score: value}, value, "default", task.subsets)
            _write_task(folder, name, task.revision, {task.splits[0]: [entry]}, None)


def _entry(
    values: Mapping[str, float | None], main: float, subset: str, languages: Mapping[str, Sequence[str]]
) -> dict[str, Any]:
    return {**values, "main_score": main, "hf_subset": subset, "languages": list(languages[subset])}


def _write_task(
    folder: Path, name: str, revision: str, scores: Mapping[str, Any], seconds: float | None
) -> None:
    write_json(
        folder / f"{name}.json",
        {
            "dataset_revision": revision,
            "task_name": name,
            "mteb_version": None,  # mteb did not score
            "scores": scores,
            "evaluation_time": seconds,
            "kg_co2_emissions": None,
        },
    )


def _seconds(entry: Entry) -> float | None:
    phases = entry.timings.get("seconds")
    if not isinstance(phases, dict) or not phases:
        return None
    return sum(float(value) for value in phases.values() if isinstance(value, int | float))


def _write_settings(placed: Sequence[Placed], folder: Path) -> None:
    with atomic_open(folder / SETTINGS) as file:
        for one in placed:
            versions = one.entry.manifest.get("versions", {})
            told = {name: versions.get(name) for name in ("torch", "sentence-transformers", "transformers")}
            identity = one.entry.manifest.get("retriever", {})
            encoder = identity.get("encoder") if isinstance(identity, dict) else None
            size = encoder.get("batch_size") if isinstance(encoder, dict) else None
            line = {
                "task": one.task,
                "split": one.entry.split,
                "subset": one.subset,
                "version": {"mteb": None, "beirkit": versions.get("beirkit"), **told},
                "encode_kwargs": {} if size is None else {"batch_size": size},
            }
            file.write(json.dumps(line, ensure_ascii=False, allow_nan=False) + "\n")


def _meta(entry: Entry, model: Names, given: Mapping[str, str]) -> dict[str, Any]:
    source = given.get(entry.system)
    if source is not None:
        return given_meta(source, model.name, model.revision)
    meta = meta_of(entry, model.name, model.revision)
    unknown = [key for key, value in meta.items() if value is None and key != "loader"]
    warn(
        f"{model.name}: {META} does not know {', '.join(unknown)}; give one with "
        f"--set meta.{entry.system}=FILE, or meta.{entry.system}=mteb where mteb implements the model"
    )
    return meta


def _claim(
    file: str, task: tuple[str, TaskFacts], split: str, key: str, entry: Mapping[str, Any], run: Run
) -> Claim:
    name, facts = task
    numbers = {
        measure: value
        for measure, value in entry.items()
        if value is None or (isinstance(value, int | float) and not isinstance(value, bool))
    }
    return Claim(
        file=file,
        dataset=name,
        split=split,
        values={f"{key}.{measure}": value for measure, value in numbers.items()},
        compute=partial(_derive, run=run, key=key, measures=tuple(numbers), facts=facts),
        tolerance=5e-6,
    )


def _derive(
    qrels: Qrels, *, run: Run, key: str, measures: Sequence[str], facts: TaskFacts
) -> dict[str, float | None]:
    found = mteb_scores(qrels, run, remove_self=facts.remove_self, main_score=facts.main_score)
    found["main_score"] = found.get(facts.main_score)
    return {f"{key}.{measure}": found[measure] for measure in measures if measure in found}
