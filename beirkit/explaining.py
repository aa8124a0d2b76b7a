"""From kept results to explanations: their runs, the numbers beside them, and the runs in the same folder."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from beirkit.configs.references import Reference, dataset_of, references
from beirkit.corpora.errors import BeirkitError, UnknownNameError, UsageError, nearest
from beirkit.corpora.progress import Progress, silent
from beirkit.corpora.records import Qrels
from beirkit.evaluate.explain.explain import MAKING, explain
from beirkit.evaluate.explain.explanation import Explanation, Target
from beirkit.evaluate.explain.makings import Alternative
from beirkit.evaluate.explain.manifests import differences, mattering
from beirkit.evaluate.measures import Measure
from beirkit.evaluate.protocol import Protocol
from beirkit.evaluate.scores import Scores
from beirkit.runs import find_run
from beirkit.stored import StoredResult

_MOST_APART = 2  # groups of settings that a run beside ours may have apart to measure anything
_OF_MAKING = ("dataset", "split", "k", "content_ids", "excluded", "retriever", "report", "versions")

# What a source states of its scoring, by the axis of a switch: words of ours for words of theirs.
_STATED = {
    "self_match": ("self-match", {"removed": "is removed", "kept": "is kept"}),
    "missing_queries": (
        "missing queries",
        {"count 0": "count 0", "averaged over queries present": "left out"},
    ),
    "recall": ("recall", {"plain": "all relevant", "capped": "capped"}),
}

_IN_WORDS = {"fields": "title handling", "analyzer": "analyzer", "prompt": "prompts"}


@dataclass(frozen=True)
class Ours:
    """A kept result, and what its dataset offers to score it otherwise.

    Attributes:
        result: the result.
        measure: of our number.
        protocol: how it is scored.
        versions: other versions of its judgments, by name.
        beside: further results, of which those that have little apart measure it.
    """

    result: StoredResult
    measure: Measure
    protocol: Protocol
    versions: Mapping[str, Qrels]
    beside: Sequence[StoredResult] = ()


def explain_result(
    ours: Ours, target: Target, *, partial: bool = False, progress: Progress = silent
) -> Explanation:
    """Why another number is not that of a kept result.

    Args:
        ours: the result.
        target: the other number.
        partial: only some facts of its making are known.
        progress: shows how many scorings were tried.

    Raises:
        BeirkitError: the dataset is not there, or has changed.
    """
    try:
        exam = ours.result.exam()
    except BeirkitError as error:
        hint = f"name its judgments with --qrels, or {error.hint or 'run it again'}"
        raise UsageError(error.found, path=error.path, hint=hint) from error
    given = find_run(ours.result.folder)
    alternatives, unmeasured = _beside(ours, target)
    splits = {
        split: qrels
        for split in exam.collection.splits
        if split != exam.split and (qrels := exam.collection.qrels(split))
    }
    return explain(
        given.read(exam.qrels, excluded=exam.excluded),
        exam.qrels,
        ours.measure,
        target,
        protocol=ours.protocol,
        self_match_ids=given.self_match_ids,
        depth=given.depth,
        queries=sum(1 for _ in exam.collection.queries()),
        splits=splits,
        versions=ours.versions,
        facts=facts_of(ours.result),
        partial=partial,
        alternatives=[*alternatives, *_printed(ours, target)],
        unmeasured=unmeasured,
        progress=progress,
    )


def of_reference(reference: Reference) -> Target:
    """A published figure with what its source states of its making."""
    stated = reference.system.protocol
    rules, words_of, notes = {}, {}, {}
    for key, value in stated.items():
        axis, words = _STATED.get(key, ("", {}))
        own = next((ours for theirs, ours in words.items() if str(value).startswith(theirs)), None)
        if own is not None:
            rules[axis] = own
        elif key in _IN_WORDS:
            words_of[_IN_WORDS[key]] = str(value)
        elif key not in ("k1", "b", *_STATED):
            notes[key] = str(value)
    facts: dict[str, Any] = {"retriever": {}}
    for path, value in reference.system.likeness[0].identity.items() if reference.system.likeness else ():
        *parents, last = path.split(".")
        inner = facts["retriever"]
        for key in parents:
            inner = inner.setdefault(key, {})
        inner[last] = value
    facts["retriever"] |= {key: stated[key] for key in ("k1", "b") if key in stated}
    return Target(
        value=reference.figure.value,
        decimals=reference.figure.decimals,
        says=f"{reference.system.label} in {reference.source.title}",
        facts=facts,
        rules=rules,
        stated=words_of,
        notes={**notes, **({"note": reference.figure.note} if reference.figure.note else {})},
    )


def of_result(other: StoredResult, measure: Measure, protocol: Protocol, says: str) -> Target:
    """The number of another kept result."""
    scores = other.scores(protocol, [measure])
    value = scores.mean(measure)
    if value is None:
        raise UsageError(f"has no value of {measure}", path=other.folder)
    values = _values(scores, measure)
    return Target(value=value, says=says, values=values, facts=facts_of(other), protocol=protocol.name)


def counterparts(result: StoredResult, measure: Measure, system: str = "") -> list[Reference]:
    """The published figures that a result is held against.

    Args:
        result: the result.
        measure: of its number.
        system: the published system's name; empty: that which the retriever is.

    Raises:
        UnknownNameError: nothing was published of such a system.
        UsageError: no published system is this retriever.
    """
    dataset = dataset_of(result.dataset, result.facts.content_ids)
    place = (dataset, result.facts.split, str(measure))
    there = [
        one
        for one in references()
        if (one.figure.dataset, one.figure.split, one.figure.measure) == place and not one.figure.unusable
    ]
    known = sorted({one.figure.system for one in there})
    if not there:
        raise UsageError(
            f"nothing published is known of {measure} on {dataset}@{result.facts.split}",
            hint="give the number: --published",
        )
    if system:
        chosen = [one for one in there if one.figure.system == system]
        if not chosen:
            raise UnknownNameError(f"nothing was published of {system!r} there", hint=nearest(system, known))
        return chosen
    chosen = [one for one in there if one.likeness_of(result.facts.retriever) is not None]
    if not chosen:
        raise UsageError(
            f"no published system of {dataset} is this retriever",
            hint=f"say which one to hold it against: --system {known[0]} (of {', '.join(known)})",
        )
    return chosen


def facts_of(result: StoredResult) -> dict[str, Any]:
    """Of a result's manifest, all that its number may depend on."""
    manifest: dict[str, Any] = json.loads((result.folder / "manifest.json").read_text(encoding="utf-8"))
    return {key: manifest[key] for key in _OF_MAKING if key in manifest}


def siblings(result: StoredResult) -> list[StoredResult]:
    """The other results of the same dataset, in any split, that stand in the same folder of results."""
    from beirkit.result_paths import find_results

    own = result.folder.resolve()
    beside = [folder for folder in _folders_of(own.parent.parent) if folder.resolve() != own]
    found = find_results(beside) if beside else []
    return [
        one
        for one in found
        if one.facts.sample == result.facts.sample
        and (one.dataset == result.dataset or _same_texts(one, result))
    ]


def _same_texts(one: StoredResult, other: StoredResult) -> bool:
    return all(
        one.facts.content_ids.get(part) == other.facts.content_ids.get(part, "")
        for part in ("corpus", "queries")
    )


def _folders_of(root: Path) -> list[Path]:
    folders = sorted(path.parent for path in root.glob("*/*/manifest.json"))
    return [folder for folder in folders if not folder.name.startswith(".")]


def _beside(ours: Ours, target: Target) -> tuple[list[Alternative], dict[str, str]]:
    """What other runs measure: those that have one or two things apart from ours, or are the other number's.

    Returns:
        these; and by what the rest have apart, why it measures nothing.
    """
    here = facts_of(ours.result)
    found: list[Alternative] = []
    useless: dict[str, str] = {}
    for other in ours.beside:
        there = facts_of(other)
        groups = mattering(differences(here, there))
        axes = tuple(group.axis for group in groups)
        if not groups:
            continue
        if len(groups) > _MOST_APART and there != target.facts:
            for axis in MAKING & set(axes):
                rest = ", ".join(one for one in axes if one != axis)
                useless.setdefault(axis, f"{other.folder.name} has it apart, but {rest} too")
            continue
        try:
            scores = other.scores(ours.protocol, [ours.measure])
        except BeirkitError as error:
            useless |= dict.fromkeys(
                MAKING & set(axes), f"{other.folder.name} has it apart, but {error.found}"
            )
            continue
        value = scores.mean(ours.measure)
        if value is not None:
            says = f"{'; '.join(group.says for group in groups)} ({other.folder.name})"
            values = _values(scores, ours.measure)
            found.append(Alternative(axes=axes, says=says, value=value, values=values, facts=there))
    return found, useless


def _printed(ours: Ours, target: Target) -> list[Alternative]:
    """Figures of the very system that print alike, but of another split, version of the data, or measure."""
    if target.decimals is None or target.facts is not None:
        return []
    facts = ours.result.facts
    own = (dataset_of(ours.result.dataset, facts.content_ids), facts.split, str(ours.measure))
    found = []
    for one in references():
        figure = one.figure
        printed = round(figure.value, target.decimals)
        if abs(printed - target.value) > 1e-12 or one.likeness_of(facts.retriever) is None:
            continue
        there = (figure.dataset, figure.split, figure.measure)
        apart = [place for place in range(3) if there[place] != own[place]]
        if len(apart) == 1 and (apart != [0] or related(there[0], own[0])):
            axis, word = (("dataset version", "on"), ("split", "in the split"), ("measure", "by"))[apart[0]]
            says = f"{one.source.title} prints {one.printed} of {figure.system} {word} {there[apart[0]]}"
            found.append(Alternative(axes=(axis,), says=says, value=figure.value, kind="published"))
    return found


def related(one: str, other: str) -> bool:
    """Whether two datasets share texts."""
    from beirkit.configs.load import load_dataset, names

    known = names("datasets")
    return one in known and other in known and load_dataset(one).family == load_dataset(other).family


def _values(scores: Scores, measure: Measure) -> dict[str, float]:
    column = scores.of(measure).tolist()
    return {
        query_id: value
        for query_id, value in zip(scores.query_ids, column, strict=True)
        if not math.isnan(value)
    }
