"""MTEB's results, which are means by task, split and subset, and its predictions, which are ranked lists."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, ClassVar

from beirkit.configs.load import load_dataset, names
from beirkit.corpora.errors import DataError
from beirkit.corpora.run import Run
from beirkit.evaluate.exports.mteb_facts import mteb_facts
from beirkit.evaluate.imports.base import Importer, Lists, Means
from beirkit.evaluate.imports.reading import json_files, means_of, peek_json, read_json

META = "model_meta.json"
_SETTINGS = "run_settings.jsonl"
_PREDICTIONS = "_predictions.json"
_MODEL = "mteb_model_meta"
_WHOLE = "default"  # the subset of a task that has only one
_REVISION = 8  # digits that tell revisions apart


class MtebResults(Importer):
    """``TASK.json`` of MTEB, or a folder of them with ``model_meta.json``, as in its results repository.

    Every file is kept whole, so that ``beirkit export --to mteb`` gives it back equal.
    """

    name: ClassVar[str] = "mteb"
    summary: ClassVar[str] = "result files of MTEB, or whole folders of them: means"

    def recognises(self, path: Path) -> bool:
        """See :class:`Importer`."""
        if path.is_file():
            return _is_task(peek_json(path))
        return any(True for _ in path.rglob(META)) or any(
            map(_is_task, map(peek_json, json_files(path)[:20]))
        )

    def read(self, path: Path) -> Iterator[Means]:
        """See :class:`Importer`."""
        for file in json_files(path):
            if file.name in (META, "export.json") or file.name.endswith(_PREDICTIONS):
                continue
            data = read_json(file, nan=True)  # many published files have it where nAUC is not defined
            if path.is_dir() and not (isinstance(data, dict) and "task_name" in data):
                continue  # another JSON beside the results
            yield from _means(file, data)


class MtebPredictions(Importer):
    """``TASK_predictions.json`` of MTEB, or a folder of them."""

    name: ClassVar[str] = "mteb-predictions"
    summary: ClassVar[str] = "predictions of MTEB: ranked lists"

    def recognises(self, path: Path) -> bool:
        """See :class:`Importer`."""
        if path.is_file():
            return path.name.endswith(_PREDICTIONS) or _MODEL in peek_json(path)
        return any(True for _ in path.rglob(f"*{_PREDICTIONS}"))

    def read(self, path: Path) -> Iterator[Lists]:
        """See :class:`Importer`."""
        files = [path] if path.is_file() else sorted(path.rglob(f"*{_PREDICTIONS}"))
        for file in files:
            data = read_json(file)
            if not isinstance(data, dict):
                raise DataError("is no object of subsets and splits", path=file)
            meta = data.get(_MODEL)
            model = str(meta.get("model_name") or "") if isinstance(meta, dict) else ""
            revision = str(meta.get("revision") or "") if isinstance(meta, dict) else ""
            task = file.name.removesuffix(_PREDICTIONS)
            for subset, splits in data.items():
                if subset == _MODEL:
                    continue
                if not isinstance(splits, dict):
                    raise DataError(f"{subset} is no object of splits", path=file)
                for split, lists in splits.items():
                    yield Lists(
                        system=model or file.parent.name,
                        dataset=dataset_of(task, subset),
                        split=split,
                        run=_run(lists, file, f"{subset}.{split}"),
                        source=file,
                        model=model,
                        revision=revision,
                    )


def _run(lists: Any, path: Path, key: str) -> Run:
    if not isinstance(lists, dict):
        raise DataError(f"{key} is no object of queries", path=path)
    try:
        return Run.from_dict(lists)
    except DataError as error:
        raise DataError(f"{key}: {error.found}", path=path, hint=error.hint) from error


def _means(file: Path, data: Any) -> Iterator[Means]:
    if not isinstance(data, dict) or not isinstance(data.get("task_name"), str):
        told = "is of an mteb before 1.11, which wrote another form" if _is_old(data) else "has no task_name"
        raise DataError(told, path=file, hint="name a result file of MTEB")
    scores = data.get("scores")
    if not isinstance(scores, dict):
        raise DataError("scores is no object of splits", path=file)
    model, revision = _model(file)
    kept = _kept(file, model, revision)
    for split, entries in scores.items():
        if not isinstance(entries, list):
            raise DataError(f"scores.{split} is no list", path=file)
        for place, entry in enumerate(entries):
            key = f"scores.{split}[{place}]"
            if not isinstance(entry, dict):
                raise DataError(f"{key} is no object", path=file)
            subset = str(entry.get("hf_subset") or _WHOLE)
            yield Means(
                system=f"{model}@{revision[:_REVISION]}" if revision else model,
                dataset=dataset_of(data["task_name"], subset),
                split=split,
                means=means_of(entry, file, key),
                source=file,
                revision=revision,
                kept=kept,
                facts={
                    "task": data["task_name"],
                    "subset": subset,
                    "dataset_revision": str(data.get("dataset_revision") or ""),
                    "mteb": str(data.get("mteb_version") or ""),
                },
            )


def _is_task(data: Any) -> bool:
    return isinstance(data, Mapping) and "task_name" in data and "scores" in data


def _is_old(data: Any) -> bool:
    return isinstance(data, dict) and "mteb_dataset_name" in data


def _model(file: Path) -> tuple[str, str]:
    """Name and revision of the model: as its own file tells them, else as the folders are called."""
    revision, model = file.parent.name, file.parent.parent.name.replace("__", "/")
    meta = file.parent / META
    if meta.is_file():
        facts = read_json(meta, nan=True)
        if isinstance(facts, dict):
            return str(facts.get("name") or model), revision
    return (model, revision) if model and "/" in model else (file.stem, "")


def _kept(file: Path, model: str, revision: str) -> dict[str, Path]:
    """The files to keep, under the path that MTEB's repository of results gives them."""
    folder = f"{model.replace('/', '__').replace(' ', '_')}/{revision or 'no_revision_available'}"
    beside = (file.parent / name for name in (META, _SETTINGS))
    return {f"{folder}/{one.name}": one for one in (file, *beside) if one.is_file()}


def dataset_of(task: str, subset: str) -> str:
    """The dataset as beirkit calls it, where one is published in the task's repository; else the task."""
    known = _by_task().get(task)
    if known is not None and subset == _WHOLE:
        return known
    return task if subset == _WHOLE else f"{task}-{subset}"


@cache
def _by_task() -> Mapping[str, str]:
    by_path = mteb_facts().by_path
    found: dict[str, str] = {}
    for name in names("datasets"):
        for one in load_dataset(name).published:
            for task in by_path.get(str(getattr(one, "repository", "") or "").lower(), ()):
                found.setdefault(task, name)
    return found
