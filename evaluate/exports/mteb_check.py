"""Task files of MTEB's results repository: what mteb's own reader lets pass is told here."""

from __future__ import annotations

import re
from collections.abc import Mapping
from math import isfinite
from typing import Any

from beirkit.corpora.errors import nearest
from beirkit.evaluate.exports.found import Found, quoted
from beirkit.evaluate.exports.mteb_facts import MtebFacts, Size, TaskFacts
from beirkit.evaluate.exports.mteb_scores import score_names
from beirkit.evaluate.exports.score_bounds import contradictions

REQUIRED = ("dataset_revision", "task_name", "mteb_version", "scores", "evaluation_time")
OPTIONAL = ("kg_co2_emissions", "date", "evaluation_phases")
ABOUT = ("main_score", "hf_subset", "languages", "mteb_version")
"""Keys of one subset's entry that are no measures."""

_VERSION = re.compile(r"\d+\.\d+[\w.]*(-\d+\.\d+[\w.]*)?")
_RETRIEVAL = "Retrieval"
_NEAR = 1e-6  # the two are the same number in one file, rounded once to 5 or 6 digits


def check_task(data: object, stem: str, facts: MtebFacts, found: Found) -> None:
    """Tell what is wrong with one task's file.

    Args:
        data: its content.
        stem: its name without ``.json``.
        facts: what MTEB says of its tasks.
        found: where it is told.
    """
    if not isinstance(data, Mapping):
        found.add("files of other shape", "", quoted(data), "an object")
        return
    if "mteb_dataset_name" in data:
        found.add(
            "files of an old form", "mteb_dataset_name", "the form of mteb before 1.11",
            "task_name and scores by split", "let mteb read it and write it again",
        )  # fmt: skip
        return
    _check_keys(data, found)
    name = data.get("task_name")
    task = facts.tasks.get(name) if isinstance(name, str) else None
    if "task_name" in data and task is None:
        hint = nearest(name, list(facts.tasks)) if isinstance(name, str) else ""
        found.add("unknown tasks", "task_name", quoted(name), f"a task of mteb {facts.mteb}", hint)
    if isinstance(name, str) and name != stem:
        found.add("names", "task_name", quoted(name), f"{stem!r}, as the file is called", "rename the file")
    if task is not None and data.get("dataset_revision") != task.revision:
        found.add(
            "revisions", "dataset_revision", quoted(data.get("dataset_revision")), repr(task.revision),
            f"the task is of {task.path or 'its parts'} at that revision: run it on those data",
        )  # fmt: skip
    _check_numbers(data, found)
    _check_scores(data.get("scores"), task, found)


def _check_keys(data: Mapping[str, Any], found: Found) -> None:
    for key in REQUIRED:
        if key not in data:
            found.add("missing keys", key, "nothing", "the key")
    for key in data:
        if key not in REQUIRED + OPTIONAL:
            found.add("unknown keys", key, quoted(data[key]), "no such key", "take it out")
    version = data.get("mteb_version")
    if version is not None and not (isinstance(version, str) and _VERSION.fullmatch(version)):
        found.add("versions", "mteb_version", quoted(version), "a version, or null where mteb did not score")


def _check_numbers(data: Mapping[str, Any], found: Found) -> None:
    for key in ("evaluation_time", "kg_co2_emissions", "date"):
        value = data.get(key)
        if isinstance(value, float) and not isfinite(value):
            continue  # told where the file was read
        if value is not None and not (_is_number(value) and value >= 0):
            found.add("numbers", key, quoted(value), "a number from 0, or null")
    phases = data.get("evaluation_phases")
    if phases is None:
        return
    if not isinstance(phases, list):
        found.add("phases", "evaluation_phases", quoted(phases), "a list")
        return
    for place, phase in enumerate(phases):
        sound = (
            isinstance(phase, dict)
            and phase.keys() == {"name", "start", "end", "split", "subset"}
            and _is_number(phase["start"])
            and _is_number(phase["end"])
            and phase["start"] <= phase["end"]
        )
        if not sound:
            expected = "name, split, subset, and start no later than end"
            found.add("phases", f"evaluation_phases[{place}]", quoted(phase), expected)


def _check_scores(scores: object, task: TaskFacts | None, found: Found) -> None:
    if not isinstance(scores, Mapping):
        found.add("scores of other shape", "scores", quoted(scores), "lists of entries by split")
        return
    for split, entries in scores.items():
        key = f"scores.{split}"
        if task is not None and split not in task.splits:
            found.add(
                "splits", key, quoted(split), " and ".join(map(repr, task.splits)),
                "the task is evaluated on nothing else",
            )  # fmt: skip
        if not isinstance(entries, list) or not entries:
            found.add("scores of other shape", key, quoted(entries), "a list of entries, one a subset")
            continue
        subsets = [
            _check_entry(entry, task, split, f"{key}[{place}]", found) for place, entry in enumerate(entries)
        ]
        _check_subsets(subsets, task, key, found)
    for split in task.splits if task is not None else ():
        if split not in scores:
            found.add(
                "missing splits", f"scores.{split}", "nothing", "the scores of this split", "it is incomplete"
            )


def _check_subsets(subsets: list[object], task: TaskFacts | None, key: str, found: Found) -> None:
    for place, name in enumerate(subsets):
        if name in subsets[:place]:
            found.add("subsets", f"{key}[{place}].hf_subset", quoted(name), "each subset once")
        if task is not None and task.subsets and isinstance(name, str) and name not in task.subsets:
            hint = nearest(name, list(task.subsets))
            found.add("subsets", f"{key}[{place}].hf_subset", quoted(name), "a subset of the task", hint)
    missing = [name for name in (task.subsets if task is not None else ()) if name not in subsets]
    if missing:
        of = len(task.subsets) if task is not None else 0
        found.add(
            "missing subsets", key, f"{of - len(missing)} of {of} subsets, without {', '.join(missing[:5])}",
            "all subsets", "the mean would be over fewer: it is incomplete",
        )  # fmt: skip


def _check_entry(entry: object, task: TaskFacts | None, split: str, key: str, found: Found) -> object:
    """Tell what is wrong with the scores of a subset; gives its name."""
    if not isinstance(entry, Mapping):
        found.add("scores of other shape", key, quoted(entry), "an object of scores")
        return None
    for name in ("main_score", "hf_subset", "languages"):
        if name not in entry:
            found.add("missing keys", f"{key}.{name}", "nothing", "the key")
    subset = entry.get("hf_subset")
    if "hf_subset" in entry and not isinstance(subset, str):
        found.add("subsets", f"{key}.hf_subset", quoted(subset), "the name of a subset")
    _check_languages(entry, subset, task, key, found)
    fractions = _is_scored_in_fractions(task)
    for name, value in entry.items():
        if name in score_names(task.main_score if task else "") or (
            fractions and (name not in ABOUT or name == "main_score")
        ):
            _check_value(name, value, f"{key}.{name}", found)
        elif name == "main_score" and not _is_number(value):
            found.add("scores that are no numbers", f"{key}.{name}", quoted(value), "a finite number")
    if task is None:
        return subset
    main = entry.get("main_score")
    if task.main_score not in entry:
        found.add("missing measures", f"{key}.{task.main_score}", "nothing", "the task's main measure")
    elif main != entry[task.main_score] and not (
        _is_number(main)
        and _is_number(entry[task.main_score])
        and abs(main - entry[task.main_score]) <= _NEAR
    ):
        found.add(
            "main scores", f"{key}.main_score", quoted(main),
            f"{quoted(entry[task.main_score])}, which {task.main_score} is", "it repeats that measure",
        )  # fmt: skip
    if task.type == _RETRIEVAL and not task.parts:
        size = task.size(split, subset) if isinstance(subset, str) else None
        _check_measures(entry, task, size, key, found)
    return subset


def _check_languages(
    entry: Mapping[str, Any], subset: object, task: TaskFacts | None, key: str, found: Found
) -> None:
    languages = entry.get("languages")
    if "languages" not in entry:
        return
    if not isinstance(languages, list) or not all(isinstance(one, str) for one in languages):
        found.add("languages", f"{key}.languages", quoted(languages), "a list of codes such as eng-Latn")
    elif task is not None and isinstance(subset, str) and subset in task.subsets:
        expected = task.subsets[subset]
        if sorted(languages) != sorted(expected):
            found.add("languages", f"{key}.languages", quoted(languages), quoted(list(expected)))


def _check_value(name: str, value: object, key: str, found: Found) -> None:
    if value is None and name.startswith("nauc_"):
        return  # queries that are all alike leave nothing to gain
    if isinstance(value, float) and not isfinite(value):
        return  # told where the file was read
    if not _is_number(value):
        found.add("scores that are no numbers", key, quoted(value), "a finite number")
    elif isinstance(value, int | float) and (value > 1 or (value < 0 and not name.startswith("nauc_"))):
        hint = "fractions, not percent" if value > 1 else "a score is not negative"
        expected = "at most 1" if name.startswith("nauc_") else "0 to 1"
        found.add("scores out of bounds", key, quoted(value), expected, hint)


def _is_scored_in_fractions(task: TaskFacts | None) -> bool:
    """Whether all values are measures of retrieval; correlations, p-MRR and thresholds have other bounds."""
    return task is None or (task.type == _RETRIEVAL and task.main_score in score_names(task.main_score))


def _check_measures(
    entry: Mapping[str, Any], task: TaskFacts, size: Size | None, key: str, found: Found
) -> None:
    known = score_names(task.main_score)
    own = not _is_scored_in_fractions(task)  # such a task has measures beside the usual ones
    for name in entry:
        if name not in known and name not in ABOUT and not own:
            hint = nearest(name, sorted(known))
            found.add("unknown measures", f"{key}.{name}", quoted(entry[name]), "a measure of mteb", hint)
    missing = [name for name in sorted(known) if name not in entry]
    if missing:
        found.add(
            "missing measures", key, f"{len(known) - len(missing)} of {len(known)} measures, without "
            f"{', '.join(missing[:3])}", "all of them", severity="warning",
        )  # fmt: skip
    accuracy, first = entry.get("accuracy"), entry.get("recall_at_1")
    if _is_number(accuracy) and _is_number(first) and abs(entry["accuracy"] - entry["recall_at_1"]) > _NEAR:
        found.add(
            "measures that contradict", f"{key}.accuracy", quoted(accuracy),
            f"{quoted(first)}, which recall_at_1 is",
        )  # fmt: skip
    values = {name: float(value) for name, value in entry.items() if _is_number(value) and value <= 1}
    for name, least, other in contradictions(values, size, tolerance=10 * _NEAR):
        found.add(
            "measures that contradict", f"{key}.{name}", quoted(entry[name]),
            f"no less than {least:.5g}, since {other} is {quoted(entry[other])}",
        )  # fmt: skip


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)
