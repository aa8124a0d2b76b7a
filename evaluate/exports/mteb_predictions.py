"""The predictions that mteb keeps of a run and takes as candidates for a second stage."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

import msgspec

from beirkit.corpora.errors import nearest
from beirkit.corpora.exports.catalog import MANIFEST
from beirkit.corpora.files import atomic_open
from beirkit.corpora.run import Run
from beirkit.evaluate.exports.base import Entry, Problem, Target
from beirkit.evaluate.exports.found import Found, quoted
from beirkit.evaluate.exports.known import Checkable, Known
from beirkit.evaluate.exports.lists import require_whole
from beirkit.evaluate.exports.mteb_facts import TaskFacts, mteb_facts
from beirkit.evaluate.exports.mteb_names import Names, by_model, name_models
from beirkit.evaluate.exports.mteb_scores import DEPTH
from beirkit.evaluate.exports.mteb_tasks import Placed, place, require_data
from beirkit.evaluate.exports.strict_json import list_problems, read_strict

END = "_predictions.json"
_META = "mteb_model_meta"


class PredictionsOptions(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Options of :class:`MtebPredictions`."""

    model: dict[str, str] = {}
    revision: dict[str, str] = {}
    task: dict[str, str] = {}
    depth: int = DEPTH


class MtebPredictions(Target[PredictionsOptions], Checkable):
    """``MODEL/REVISION/TASK_predictions.json``: scores of documents by subset, split and query.

    mteb reads them as candidates to be ranked again (``task.convert_to_reranking``). Ids and scores are all
    they hold. Results whose id is the query's stay in, as mteb has it.

    Options:
        model: the model's name, ``ORGANISATION/MODEL``, by system, where the results do not know it.
        revision: the model's revision by system, likewise.
        task: ``TASK`` or ``TASK/SUBSET`` by dataset, where it is not a shipped dataset.
        depth: results per query.
    """

    name: ClassVar[str] = "mteb-predictions"
    summary: ClassVar[str] = "runs as mteb keeps them, candidates of its second stage"
    Options: ClassVar[type[msgspec.Struct]] = PredictionsOptions

    def write(self, entries: Sequence[Entry], folder: Path, options: PredictionsOptions) -> None:
        """Write the files; see :class:`Target`."""
        require_whole(entries, self.name)
        placed = place(entries, mteb_facts(), options.task)
        named = name_models(entries, options.model, options.revision)
        require_data(placed)
        for model, group in by_model(placed, named).items():
            write_predictions(group, model, folder / model.folder, options.depth)

    def validate(self, path: Path) -> list[Problem]:
        """Everything that is wrong; see :class:`Target`."""
        return _problems(path, None)

    def validate_against(self, path: Path, known: Known) -> list[Problem]:
        """See :class:`Checkable`."""
        return _problems(path, known)


def _problems(path: Path, known: Known | None) -> list[Problem]:
    paths = [path] if path.is_file() else sorted(p for p in path.rglob(f"*{END}") if p.is_file())
    problems = []
    for one in paths:
        name = one.name if path.is_file() else one.relative_to(path).as_posix()
        problems += check_predictions(one, name, known)
    if path.is_dir():
        strange = sorted(
            one.relative_to(path).as_posix()
            for one in path.rglob("*.json")
            if one.name != MANIFEST and not one.name.endswith(END)
        )
        problems += [
            Problem(file=one, found="another name", expected=f"TASK{END}", todo="mteb looks for no other")
            for one in strange
        ]
    if not problems and not paths:
        problems = [Problem(file=path.name, found="no file of predictions", expected=f"TASK{END}")]
    return problems


def write_predictions(placed: Sequence[Placed], model: Names, folder: Path, depth: int = DEPTH) -> None:
    """One file for each task of one model.

    Args:
        placed: its results.
        model: how mteb calls it.
        folder: where the files go.
        depth: results per query.
    """
    tasks: dict[str, dict[str, Any]] = {}
    for one in placed:
        meta = {_META: {"model_name": model.name, "revision": model.revision}}
        subsets = tasks.setdefault(one.task, meta)
        run = one.entry.run.ordered().top(depth)
        subsets.setdefault(one.subset, {})[one.entry.split] = run.to_dict()
    for task, data in tasks.items():
        with atomic_open(folder / f"{task}{END}") as file:
            json.dump(data, file, ensure_ascii=False, allow_nan=False)


def check_predictions(path: Path, name: str, known: Known | None = None) -> list[Problem]:
    """Everything that is wrong with one file.

    Args:
        path: the file.
        name: what it is called in messages.
        known: the dataset whose queries and documents it may hold; None: any.
    """
    found = Found(name)
    stem = path.name.removesuffix(END)
    facts = mteb_facts()
    task = facts.tasks.get(stem)
    if not path.name.endswith(END) or task is None:
        hint = nearest(stem, list(facts.tasks))
        found.add("unknown tasks", "", quoted(path.name), f"TASK{END} of a task of mteb {facts.mteb}", hint)
    data = read_strict(path, found)
    if not isinstance(data, Mapping):
        if data is not None:
            found.add("files of other shape", "", quoted(data), "an object")
        return found.problems()
    _check_model(data.get(_META), found)
    for subset, splits in data.items():
        if subset != _META:
            _check_subset(subset, splits, task, known, found)
    for subset in task.subsets if task is not None else ():
        if subset not in data:
            found.add("missing subsets", subset, "nothing", "the lists of this subset", "mteb reads them all")
    return found.problems()


def _check_model(meta: object, found: Found) -> None:
    if not isinstance(meta, Mapping):
        found.add("missing keys", _META, quoted(meta), "an object with model_name and revision")
        return
    for key in ("model_name", "revision"):
        if not isinstance(meta.get(key), str) or not meta[key]:
            found.add("missing keys", f"{_META}.{key}", quoted(meta.get(key)), "a text")


def _check_subset(
    subset: str, splits: object, task: TaskFacts | None, known: Known | None, found: Found
) -> None:
    if task is not None and task.subsets and subset not in task.subsets:
        hint = nearest(subset, list(task.subsets))
        found.add("subsets", subset, quoted(subset), "a subset of the task", hint)
    if not isinstance(splits, Mapping):
        found.add("lists of other shape", subset, quoted(splits), "lists by split")
        return
    for split, lists in splits.items():
        if task is not None and split not in task.splits:
            found.add("splits", f"{subset}.{split}", quoted(split), " and ".join(map(repr, task.splits)))
        if not isinstance(lists, Mapping):
            found.add("lists of other shape", f"{subset}.{split}", quoted(lists), "lists by query")
            continue
        sound = {
            query_id: list_problems(found, f"{subset}.{split}.{query_id}", row)
            for query_id, row in lists.items()
        }
        if known is not None:
            known.problems(found, f"{subset}.{split}", sound, split)
        size = task.size(split, subset) if task is not None else None
        if size is not None and size.queries is not None and len(lists) != size.queries:
            found.add(
                "numbers of queries", f"{subset}.{split}", f"{len(lists):,} queries",
                f"{size.queries:,}, as the split has", "a query without results has an empty object",
                severity="error" if len(lists) > size.queries else "warning",
            )  # fmt: skip
    for split in task.splits if task is not None else ():
        if split not in splits:
            found.add("missing splits", f"{subset}.{split}", "nothing", "the lists of this split")


def read_predictions(path: Path, subset: str, split: str) -> Run | None:
    """The lists of one subset and split of a valid file; None where it holds none."""
    data = read_strict(path, Found(path.name))
    try:
        return Run.from_dict(data[subset][split])
    except (KeyError, TypeError):
        return None
