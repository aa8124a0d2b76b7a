"""The ``model-index`` of a model card: what the hub's parser lets pass is told here."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from pathlib import Path
from typing import Any

from beirkit.corpora.errors import DataError, nearest
from beirkit.evaluate.exports.base import Problem
from beirkit.evaluate.exports.found import Found, quoted
from beirkit.evaluate.exports.hf_card import KEY, identity, read_header, split_card
from beirkit.evaluate.exports.mteb_facts import MtebFacts, Size, TaskFacts, mteb_facts
from beirkit.evaluate.exports.mteb_scores import score_names
from beirkit.evaluate.exports.score_bounds import contradictions

SCALES = {"percent": 100.0, "fraction": 1.0}
_KEYS = {
    "": ("name", "results"),
    "result": ("task", "dataset", "metrics", "source"),
    "task": ("type", "name"),
    "dataset": ("type", "name", "config", "split", "revision", "args"),
    "metric": ("type", "value", "name", "config", "args", "verified", "verifyToken"),
    "source": ("name", "url"),
}
_REQUIRED = {"": ("name", "results"), "result": ("task", "dataset", "metrics"), "task": ("type",),
             "dataset": ("type", "name"), "metric": ("type", "value")}  # fmt: skip


def check_card(path: Path) -> list[Problem]:
    """Everything that is wrong with the results in a card."""
    found = Found(path.name)
    try:
        header = split_card(path.read_bytes().decode("utf-8"))
        data = {} if header is None else read_header(header.text)
    except (OSError, UnicodeDecodeError) as error:
        found.add("files", "", str(error), "a text in UTF-8")
        return found.problems()
    except DataError as error:
        found.add("headers", "", error.found, "a mapping in YAML, each key once", error.hint)
        return found.problems()
    if header is None:
        found.add("headers", "", "no header", "YAML between two lines of ---")
    elif KEY not in data:
        found.add("missing keys", KEY, "nothing", "the results")
    else:
        _check_index(data[KEY], mteb_facts(), found)
    return found.problems()


def _check_index(index: Any, facts: MtebFacts, found: Found) -> None:
    if not isinstance(index, list) or not index:
        found.add("indexes of other shape", KEY, quoted(index), "a list with the model")
        return
    seen: dict[Any, str] = {}
    values: dict[str, float] = {}
    for number, model in enumerate(index):
        key = f"{KEY}[{number}]"
        if not _check_keys(model, "", key, found):
            continue
        results = model.get("results")
        if not isinstance(results, list):
            found.add("indexes of other shape", f"{key}.results", quoted(results), "a list")
            continue
        for place, result in enumerate(results):
            _check_result(result, f"{key}.results[{place}]", facts, found, seen, values)
    _check_scale(values, found)


def _check_keys(value: Any, kind: str, key: str, found: Found) -> bool:
    if not isinstance(value, Mapping):
        found.add("indexes of other shape", key, quoted(value), "a mapping")
        return False
    for name in _REQUIRED.get(kind, ()):
        if name not in value:
            found.add("missing keys", f"{key}.{name}", "nothing", "the key")
    for name in value:
        if name not in _KEYS[kind]:
            hint = nearest(str(name), list(_KEYS[kind]))
            found.add("unknown keys", f"{key}.{name}", quoted(value[name]), "no such key", hint)
    return True


def _check_result(
    result: Any, key: str, facts: MtebFacts, found: Found, seen: dict[Any, str], values: dict[str, float]
) -> None:
    if not _check_keys(result, "result", key, found):
        return
    parts = {name: result[name] for name in ("task", "dataset", "source") if name in result}
    sound = [_check_keys(part, name, f"{key}.{name}", found) for name, part in parts.items()]
    if not all(sound):
        return
    source = parts.get("source", {})
    if "name" in source and not source.get("url"):
        found.add("sources", f"{key}.source.url", "nothing", "an address, where the source has a name")
    for kind in ("task", "dataset"):
        for name in _REQUIRED[kind]:
            value = parts.get(kind, {}).get(name)
            if name in parts.get(kind, {}) and not (isinstance(value, str) and value):
                found.add("values of the wrong kind", f"{key}.{kind}.{name}", quoted(value), "a text")
    dataset = parts.get("dataset", {})
    tasks = _check_dataset(dataset, f"{key}.dataset", facts, found)
    metrics = result.get("metrics")
    if "metrics" in result and (not isinstance(metrics, list) or not metrics):
        found.add("indexes of other shape", f"{key}.metrics", quoted(metrics), "a list of measures")
        return
    for place, metric in enumerate(metrics or []):
        _check_metric(metric, f"{key}.metrics[{place}]", tasks, found, values)
        if isinstance(metric, Mapping):
            what = (*identity(result), str(metric.get("type")), str(metric.get("config")))
            if what in seen:
                found.add("repetitions", f"{key}.metrics[{place}]", f"what {seen[what]} is", "each once")
            seen.setdefault(what, f"{key}.metrics[{place}]")
    if len(tasks) == 1:
        size = tasks[0].size(str(dataset.get("split")), str(dataset.get("config")))
        _check_bounds(metrics or [], size, f"{key}.metrics", found)


def _check_dataset(dataset: Mapping[str, Any], key: str, facts: MtebFacts, found: Found) -> list[TaskFacts]:
    """Tell what is wrong with split, revision and configuration of a dataset of MTEB; gives its tasks."""
    names = facts.by_path.get(str(dataset.get("type")).lower(), ())
    tasks = [facts.tasks[name] for name in names]
    if not tasks:
        return []
    for name, known in (
        ("split", {split for task in tasks for split in task.splits}),
        ("revision", {task.revision for task in tasks}),
        ("config", {subset for task in tasks for subset in task.subsets}),
    ):
        if name not in dataset:
            found.add("missing keys", f"{key}.{name}", "nothing", " or ".join(map(repr, sorted(known))))
        elif not (isinstance(dataset[name], str) and dataset[name] in known):
            found.add(
                f"{name}s", f"{key}.{name}", quoted(dataset[name]), " or ".join(map(repr, sorted(known))),
                f"{' and '.join(names[:3])} of mteb {facts.mteb} have no other",
            )  # fmt: skip
    return tasks


def _check_metric(
    metric: Any, key: str, tasks: list[TaskFacts], found: Found, values: dict[str, float]
) -> None:
    if not _check_keys(metric, "metric", key, found):
        return
    if metric.get("verified"):
        found.add("marks", f"{key}.verified", quoted(metric["verified"]), "no such mark: the hub sets it")
    known = score_names() | {task.main_score for task in tasks}
    name, value = metric.get("type"), metric.get("value")
    if tasks and "type" in metric and not (isinstance(name, str) and name in known):
        hint = nearest(str(name), sorted(known))
        found.add("unknown measures", f"{key}.type", quoted(name), "a measure of mteb", hint)
    if "value" not in metric:
        return
    if isinstance(value, bool) or not isinstance(value, int | float) or not isfinite(value):
        found.add("values that are no numbers", f"{key}.value", quoted(value), "a finite number")
        return
    if not tasks:
        return
    said = _said(metric)
    top = SCALES.get(said, 100.0)
    if value > top or (value < 0 and "nauc" not in str(name)):
        told = f"0 to {top:.0f}" + (f", as its name says {said}" if said else "")
        found.add("values out of bounds", f"{key}.value", quoted(value), told)
    elif not said:
        values[f"{key}.value"] = float(value)
    elif said == "percent" and 0 < value <= 1:
        found.add(
            "values that may be fractions", f"{key}.value", quoted(value), "percent, as its name says",
            severity="warning",
        )  # fmt: skip


def _check_bounds(metrics: list[Any], size: Size | None, key: str, found: Found) -> None:
    """Values that say their scale, and cannot both be of it: 92.5 and 0.6 are not both percent."""
    said: dict[str, tuple[int, float, float]] = {}
    for place, metric in enumerate(metrics):
        scale = SCALES.get(_said(metric)) if isinstance(metric, Mapping) else None
        value = metric.get("value") if scale else None
        if scale and isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value):
            said[str(metric.get("type"))] = (place, float(value), scale)
    fractions = {name: value / scale for name, (_, value, scale) in said.items() if value <= scale}
    for name, least, other in contradictions(fractions, size, tolerance=1e-4, with_ties=0.5):
        place, value, scale = said[name]
        found.add(
            "values that contradict", f"{key}[{place}].value", quoted(value),
            f"no less than {least * scale:.4g}, in the scale that its name says, beside {said[other][1]}",
            f"write it and {other} in one scale",
        )  # fmt: skip


def _said(metric: Mapping[str, Any]) -> str:
    """The scale that the name of a measure tells; empty: it tells none."""
    return next((scale for scale in SCALES if str(metric.get("name", "")).endswith(f", {scale}")), "")


def _check_scale(values: Mapping[str, float], found: Found) -> None:
    """Values that do not say their scale must be of one; nobody can tell 0.5 from 0.5 percent."""
    small = [key for key, value in values.items() if 0 < value <= 1]
    large = [key for key, value in values.items() if value > 1]
    if small and large:
        found.add(
            "scales", small[0], f"{values[small[0]]}, beside {values[large[0]]} at {large[0]}",
            "one scale, 0 to 100 or 0 to 1", "or say it in each metric's name: 'ndcg_at_10, percent'",
        )  # fmt: skip
    elif values:
        key = next(iter(values))
        scale = "percent" if large else "a fraction"
        found.add(
            "scales", key, f"a value that is {scale} by its size alone", "a scale that is said",
            "say it in each metric's name: 'ndcg_at_10, percent'", severity="warning",
        )  # fmt: skip
