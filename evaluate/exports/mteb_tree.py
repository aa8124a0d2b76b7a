"""A whole folder of MTEB results: names of folders, which files belong together, and what is missing."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from beirkit.corpora.exports.catalog import MANIFEST
from beirkit.evaluate.exports.base import Problem
from beirkit.evaluate.exports.found import Found, quoted
from beirkit.evaluate.exports.json_keys import read_keyed
from beirkit.evaluate.exports.mteb_check import check_task
from beirkit.evaluate.exports.mteb_facts import MtebFacts, mteb_facts
from beirkit.evaluate.exports.mteb_meta import check_meta
from beirkit.evaluate.exports.mteb_scores import aggregate
from beirkit.evaluate.exports.strict_json import NotStrictError, strict_json

META = "model_meta.json"
SETTINGS = "run_settings.jsonl"
PREDICTIONS = "_predictions.json"
_MOST_BYTES = 10 * 2**20
_REVISION = re.compile(r"[0-9a-f]{40}|\w")


@dataclass
class ModelFolder:
    """The files of one revision of one model, or of one of its experiments.

    Attributes:
        name: relative to what is looked at; empty: that itself.
        path: the folder.
        tasks: content of each task's file, by its name without ``.json``; None: it is no JSON.
        files: the name of each of them, relative to what is looked at.
        meta: content of ``model_meta.json``; None: it is not there, or no JSON.
    """

    name: str
    path: Path
    tasks: dict[str, Any] = field(default_factory=dict)
    files: dict[str, str] = field(default_factory=dict)
    meta: Any = None

    def place(self, file: str) -> str:
        """The name of a file in it, relative to what is looked at."""
        return f"{self.name}/{file}" if self.name else file


def model_folders(path: Path) -> list[ModelFolder]:
    """Every folder of results below a path, or the one that a file is in; files are not read."""
    paths = [path] if path.is_file() else sorted(path.rglob("*.json"))
    base = path.parent if path.is_file() else path
    found: dict[Path, ModelFolder] = {}
    for one in paths:
        if one.name == MANIFEST or one.name.endswith(PREDICTIONS) or not one.is_file():
            continue
        name = one.parent.relative_to(base).as_posix()
        folder = found.setdefault(one.parent, ModelFolder("" if name == "." else name, one.parent))
        if one.name != META:
            folder.files[one.stem] = folder.place(one.name)
    return list(found.values())


def check_tree(path: Path) -> list[Problem]:
    """Everything that is wrong with a file, the folder of a model, or a whole folder of results."""
    facts = mteb_facts()
    if path.is_file() and path.name == META:
        return _check_meta_alone(path)
    folders = [] if path.is_file() and path.suffix != ".json" else model_folders(path)
    problems: list[Problem] = []
    if not folders:
        return [Problem(file=path.name, found="no file of a task", expected="MODEL/REVISION/TASK.json")]
    for folder in folders:
        problems += _check_tasks(folder, facts)
        if path.is_dir():
            problems += _check_folder(folder, facts)
            problems += _check_aggregates(folder, facts)
    return problems + _check_revisions(folders)


def _check_tasks(folder: ModelFolder, facts: MtebFacts) -> list[Problem]:
    problems: list[Problem] = []
    for stem, file in sorted(folder.files.items()):
        found = Found(file)
        path = folder.path / f"{stem}.json"
        if path.stat().st_size > _MOST_BYTES:
            found.add("large files", "", f"{path.stat().st_size:,} bytes", "10 MiB at most")
        data = folder.tasks[stem] = read_keyed(path, found)
        if data is not None or not found:
            check_task(data, stem, facts, found)
        problems += found.problems()
    return problems


def _check_meta_alone(path: Path) -> list[Problem]:
    found = Found(path.name)
    meta = read_keyed(path, found)
    if meta is not None or not found:
        check_meta(meta, found)
    return found.problems()


def _check_folder(folder: ModelFolder, facts: MtebFacts) -> list[Problem]:
    found = Found(folder.place(META))
    if not (folder.path / META).is_file():
        found.add("missing files", "", "nothing", "the facts about the model", "mteb leaves its results out")
        return found.problems()
    meta = folder.meta = read_keyed(folder.path / META, found)
    if meta is None and found:
        return found.problems()
    check_meta(meta, found)
    if isinstance(meta, Mapping):
        _check_names(folder, meta, found)
        _check_implementation(meta, facts, found)
    return found.problems() + _check_settings(folder)


def _check_names(folder: ModelFolder, meta: Mapping[str, Any], found: Found) -> None:
    parts = folder.path.resolve().parts
    if len(parts) > 3 and parts[-2] == "experiments":  # MODEL/REVISION/experiments/NAME
        parts = parts[:-2]
    revision, name = meta.get("revision"), meta.get("name")
    if isinstance(revision, str):
        if revision != parts[-1]:
            found.add("revisions", "revision", quoted(revision), f"{parts[-1]!r}, as the folder is called")
        if not _REVISION.fullmatch(revision):
            found.add(
                "revisions",
                "revision",
                quoted(revision),
                "40 hexadecimal digits, or one character for an API",
            )
    if isinstance(name, str):
        expected = name.replace("/", "__").replace(" ", "_")
        if expected != parts[-2]:
            found.add("names", "name", quoted(name), f"a folder {expected!r}; it is called {parts[-2]!r}")


def _check_implementation(meta: Mapping[str, Any], facts: MtebFacts, found: Found) -> None:
    name, revision = meta.get("name"), meta.get("revision")
    if not isinstance(name, str):
        return
    if name not in facts.models:
        found.add(
            "models", "name", quoted(name), f"a model that mteb {facts.mteb} implements",
            "add it to mteb first: the repository takes no others", severity="warning",
        )  # fmt: skip
    elif facts.models[name] not in ("", revision):
        found.add(
            "models", "revision", quoted(revision), f"{facts.models[name]!r}, which mteb implements",
            "run that revision, or change it in mteb first", severity="warning",
        )  # fmt: skip


def _check_settings(folder: ModelFolder) -> list[Problem]:
    path = folder.path / SETTINGS
    if not path.is_file():
        return []
    found = Found(folder.place(SETTINGS))
    for number, line in enumerate(path.read_bytes().split(b"\n"), 1):
        if not line.strip():
            continue
        key = f"line {number}"
        try:
            data = strict_json(line)
        except NotStrictError as error:
            found.add("lines that are no JSON", key, str(error), "a JSON object")
            continue
        if not isinstance(data, dict):
            found.add("lines of other shape", key, quoted(data), "an object")
            continue
        for name, other in (
            ("task", "task"),
            ("split", "splits"),
            ("subset", "subsets"),
            ("version", "version"),
        ):
            if name not in data and other not in data:
                found.add("missing keys", f"{key}.{name}", "nothing", "the key")
        task = data.get("task")
        if "task" in data and not (isinstance(task, str) and task in folder.files):
            found.add("tasks", f"{key}.task", quoted(task), "a task with a file in this folder")
    return found.problems()


def _check_aggregates(folder: ModelFolder, facts: MtebFacts) -> list[Problem]:
    """Means over tasks that lack some of them, or are another number."""
    on_boards = {task for tasks in facts.boards.values() for task in tasks}
    problems = []
    for name, task in facts.tasks.items():
        there = [part for part in task.parts if part in folder.files]
        if not task.parts or (name not in folder.files and not there):
            continue
        values = {part: value for part in there if (value := _main_score(folder.tasks[part])) is not None}
        whole = aggregate(task.parts, values)
        found = Found(folder.files.get(name, folder.place(f"{name}.json")))
        if whole.missing and (name in folder.files or not on_boards.issuperset(there)):
            told = f"{len(task.parts) - len(whole.missing)} of {len(task.parts)} parts, without "
            found.add(
                "incomplete means", "scores", told + ", ".join(whole.missing[:5]), "every part",
                "it is the mean of all of them, of fewer it has no value",
            )  # fmt: skip
        stated = _main_score(folder.tasks.get(name))
        if whole.mean is not None and stated is not None and abs(stated - whole.mean) > 1e-5:
            found.add(
                "means", f"scores.{task.splits[0]}[0].main_score", quoted(stated),
                f"{whole.mean:.6f}, the mean of its {len(task.parts)} parts",
            )  # fmt: skip
        problems += found.problems()
    return problems


def _main_score(data: Any) -> float | None:
    """The main score of a file with one split and one subset."""
    try:
        ((entry,),) = data["scores"].values()
        value = entry["main_score"]
    except (KeyError, TypeError, ValueError, AttributeError):
        return None
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _check_revisions(folders: list[ModelFolder]) -> list[Problem]:
    """One task in two revisions of one model, of which the board shows only one."""
    seen: dict[tuple[Path, str], list[str]] = defaultdict(list)
    for folder in folders:
        if "experiments" not in folder.path.parts:
            for stem, file in folder.files.items():
                seen[folder.path.parent, stem].append(file)
    return [
        Problem(
            file=files[1],
            key="task_name",
            found=f"the same task as {files[0]}, of another revision of the model",
            expected="a task in one revision only",
            todo="leave one out",
        )
        for files in seen.values()
        if len(files) > 1
    ]
