"""Results of a model in files of their own: ``.eval_results/*.yaml`` in its repository on the hub."""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from math import fsum, isfinite
from pathlib import Path
from typing import Any, ClassVar

import msgspec
import yaml

from beirkit.corpora.errors import UsageError, nearest
from beirkit.corpora.files import atomic_open
from beirkit.corpora.manifest import installed_version
from beirkit.evaluate.exports.base import Entry, Problem, Step, Submittable, Target
from beirkit.evaluate.exports.found import Found, quoted
from beirkit.evaluate.exports.hf_card import repeated_keys
from beirkit.evaluate.exports.hf_scores import Scored, hub_steps, percent, scored_of_one_model
from beirkit.evaluate.exports.mteb_facts import MtebFacts, mteb_facts

FOLDER = ".eval_results"

_KEYS = ("dataset", "value", "verifyToken", "date", "source", "notes")
_DATASET = ("id", "task_id", "revision")
_SOURCE = ("url", "name", "user", "org")


class EvalResultsOptions(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Options of :class:`EvalResults`."""

    model: dict[str, str] = {}
    revision: dict[str, str] = {}
    task: dict[str, str] = {}
    date: str = ""
    source: str = ""


class EvalResults(Target[EvalResultsOptions], Submittable):
    """``.eval_results/TASK.yaml`` of one model: main scores in percent, under mteb's ids of tasks.

    Each subset and split has its value (``TASK_SUBSET_SPLIT``) and the whole task its mean (``TASK``). Scores
    are those of the protocol ``mteb``, from the kept run.

    Options:
        model: the model's name, ``ORGANISATION/MODEL``, by system, where the results do not know it.
        revision: the model's revision by system, likewise.
        task: ``TASK`` or ``TASK/SUBSET`` by dataset, where it is not a shipped dataset.
        date: of the run, ``YYYY-MM-DD``; none: the hub takes that of the commit.
        source: address of a page about the run.
    """

    name: ClassVar[str] = "hf-eval-results"
    summary: ClassVar[str] = (
        "results in files of a model's repository, for benchmarks of the Hugging Face hub"
    )
    Options: ClassVar[type[msgspec.Struct]] = EvalResultsOptions
    protocol: ClassVar[str] = "mteb"

    def write(self, entries: Sequence[Entry], folder: Path, options: EvalResultsOptions) -> None:
        """Write the files; see :class:`Target`."""
        if options.date and not _is_date(options.date):
            raise UsageError(f"date={options.date} is no date", hint="write YYYY-MM-DD")
        _, scored = scored_of_one_model(entries, self.name, options.model, options.revision, options.task)
        tasks: dict[str, list[Scored]] = {}
        for one in scored:
            tasks.setdefault(one.placed.task, []).append(one)
        for task, group in tasks.items():
            named = [(f"{task}_{one.placed.subset}_{one.placed.entry.split}", one.main) for one in group]
            named.append((task, fsum(one.main for one in group) / len(group)))
            data = [_entry(group[0], task_id, value, options) for task_id, value in named]
            with atomic_open(folder / FOLDER / f"{task}.yaml") as out:
                yaml.safe_dump(data, out, sort_keys=False, allow_unicode=True, width=1 << 20)

    def validate(self, path: Path) -> list[Problem]:
        """Everything that is wrong; see :class:`Target`."""
        files = [path] if path.is_file() else _files(path)
        if not files:
            return [Problem(file=path.name, found="no file of results", expected=f"{FOLDER}/NAME.yaml")]
        seen: dict[tuple[str, str], str] = {}
        problems = []
        for file in files:
            name = file.name if path.is_file() else file.relative_to(path).as_posix()
            found = Found(name)
            if file.suffix != ".yaml":
                found.add("names", "", quoted(file.name), "a name that ends in .yaml", "rename it")
            _check_file(file, mteb_facts(), found, seen)
            problems += found.problems()
        return problems

    def steps(self, path: Path) -> Sequence[Step]:
        """What to do; see :class:`Submittable`."""
        files = [path] if path.is_file() else _files(path)
        listed = ", ".join(f"{FOLDER}/{file.name}" for file in files)
        return hub_steps(
            f"Put into the model's repository: {listed}.",
            [
                "Be sure that the dataset's repository has an eval.yaml that lists these ids, and is "
                "registered as a benchmark; the hub shows no others.",
            ],
        )


def _files(path: Path) -> list[Path]:
    inside = path / FOLDER if (path / FOLDER).is_dir() else path
    return sorted(file for file in inside.iterdir() if file.suffix in (".yaml", ".yml"))


def _entry(one: Scored, task_id: str, value: float, options: EvalResultsOptions) -> dict[str, Any]:
    facts = one.placed.facts
    made: dict[str, Any] = {
        "dataset": {"id": facts.path, "task_id": task_id, "revision": facts.revision},
        "value": percent(value),
    }
    if options.date:
        made["date"] = options.date
    if options.source:
        made["source"] = {"url": options.source}
    made["notes"] = f"{facts.main_score}, percent; beirkit {installed_version()}, rules of mteb"
    return made


def _check_file(file: Path, facts: MtebFacts, found: Found, seen: dict[tuple[str, str], str]) -> None:
    try:
        text = file.read_bytes().decode("utf-8")
        for key in repeated_keys(yaml.compose(text, yaml.SafeLoader)):
            found.add("keys", key, "the key twice", "each key once", "YAML takes the last")
        data = yaml.safe_load(text)
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        found.add("files", "", f"no YAML: {' '.join(str(error).split())}", "a list of results")
        return
    if not isinstance(data, list) or not data:
        found.add("files of other shape", "", quoted(data), "a list of results")
        return
    for place, entry in enumerate(data):
        _check_entry(entry, f"[{place}]", facts, found, seen)


def _check_entry(
    entry: Any, key: str, facts: MtebFacts, found: Found, seen: dict[tuple[str, str], str]
) -> None:
    if not _check_keys(entry, _KEYS, ("dataset", "value"), key, found):
        return
    dataset = entry.get("dataset")
    if "dataset" in entry and _check_keys(dataset, _DATASET, ("id", "task_id"), f"{key}.dataset", found):
        _check_dataset(dataset, f"{key}.dataset", facts, found)
        what = (str(dataset.get("id")), str(dataset.get("task_id")))
        if what in seen:
            found.add("repetitions", f"{key}.dataset.task_id", f"what {seen[what]} is", "each task once")
        seen.setdefault(what, f"{found.file} {key}")
    if "value" in entry:
        _check_value(entry["value"], f"{key}.value", found)
    date = entry.get("date")
    if date is not None and not (
        isinstance(date, datetime.date) or (isinstance(date, str) and _is_date(date))
    ):
        found.add("dates", f"{key}.date", quoted(date), "an ISO date such as '2026-01-31'")
    source = entry.get("source")
    if (
        source is not None
        and _check_keys(source, _SOURCE, (), f"{key}.source", found)
        and "://" not in str(source.get("url", ""))
    ):
        found.add("sources", f"{key}.source.url", quoted(source.get("url")), "an address")
    for name in ("notes", "verifyToken"):
        if name in entry and not isinstance(entry[name], str):
            found.add("values of the wrong kind", f"{key}.{name}", quoted(entry[name]), "a text")


def _check_keys(value: Any, known: Sequence[str], required: Sequence[str], key: str, found: Found) -> bool:
    if not isinstance(value, Mapping):
        found.add("results of other shape", key, quoted(value), "a mapping")
        return False
    for name in required:
        if name not in value:
            found.add("missing keys", f"{key}.{name}", "nothing", "the key")
    for name in value:
        if name not in known:
            hint = nearest(str(name), list(known))
            found.add("unknown keys", f"{key}.{name}", quoted(value[name]), "no such key", hint)
    return True


def _check_dataset(dataset: Mapping[str, Any], key: str, facts: MtebFacts, found: Found) -> None:
    for name in ("id", "task_id"):
        if name in dataset and not (isinstance(dataset[name], str) and dataset[name]):
            found.add("values of the wrong kind", f"{key}.{name}", quoted(dataset[name]), "a text")
    names = facts.by_path.get(str(dataset.get("id")).lower(), ())
    if not names:
        _check_foreign_task(dataset, key, facts, found)
        return
    known = set(names)
    known |= {
        f"{name}_{subset}_{split}"
        for name in names
        for subset in facts.tasks[name].subsets
        for split in facts.tasks[name].splits
    }
    task_id = dataset.get("task_id")
    if isinstance(task_id, str) and task_id not in known:
        hint = nearest(task_id, sorted(known))
        found.add("unknown tasks", f"{key}.task_id", quoted(task_id), "an id of the dataset's tasks", hint)
    revisions = sorted({facts.tasks[name].revision for name in names})
    if dataset.get("revision") not in revisions:
        found.add(
            "revisions", f"{key}.revision", quoted(dataset.get("revision")), " or ".join(map(repr, revisions))
        )


def _check_foreign_task(dataset: Mapping[str, Any], key: str, facts: MtebFacts, found: Found) -> None:
    """A task of MTEB named as one of a dataset that is not its own; other boards have ids of their own."""
    name = str(dataset.get("task_id")).partition("_")[0]
    task = facts.tasks.get(str(dataset.get("task_id"))) or facts.tasks.get(name)
    if task is not None and task.path and task.path.lower() != str(dataset.get("id")).lower():
        found.add(
            "datasets of other tasks", f"{key}.id", quoted(dataset.get("id")), repr(task.path),
            f"the task {name} is of that dataset; an id of another board must not be a task of mteb",
        )  # fmt: skip


def _check_value(value: Any, key: str, found: Found) -> None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not isfinite(value):
        found.add("values that are no numbers", key, quoted(value), "a finite number, 0 to 100")
    elif not 0 <= value <= 100:
        found.add("values out of bounds", key, quoted(value), "0 to 100")
    elif 0 < value <= 1:
        found.add("values that may be fractions", key, quoted(value), "percent, 0 to 100", severity="warning")


def _is_date(text: str) -> bool:
    try:
        datetime.datetime.fromisoformat(text)
    except ValueError:
        return False
    return len(text) >= len("2026-01-31")
