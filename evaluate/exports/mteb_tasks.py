"""Which task of MTEB a result is of, and whether it searched that task's very data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from beirkit.configs.load import load_dataset, names
from beirkit.corpora.errors import DataError, UsageError, nearest
from beirkit.corpora.notices import warn
from beirkit.evaluate.exports.base import Entry
from beirkit.evaluate.exports.mteb_facts import MtebFacts, Size, TaskFacts
from beirkit.evaluate.exports.mteb_scores import mteb_scores

Evidence = Literal["fetched", "sizes", "none"]
"""What speaks for it that the board's data were searched: they were fetched from its repository at its
revision; they have as many records and characters; nothing is known."""


@dataclass(frozen=True)
class Placed:
    """A result and its place in MTEB.

    Attributes:
        entry: the result.
        task: name of the task.
        subset: the part of the task's data.
        facts: about the task.
    """

    entry: Entry
    task: str
    subset: str
    facts: TaskFacts


def scores_of(placed: Placed) -> dict[str, float | None]:
    """The scores of a result under the rules of its task."""
    entry, task = placed.entry, placed.facts
    return mteb_scores(entry.qrels, entry.run, remove_self=task.remove_self, main_score=task.main_score)


def place(entries: Sequence[Entry], facts: MtebFacts, named: Mapping[str, str]) -> list[Placed]:
    """The task and subset of each result, its split checked.

    Args:
        entries: the results.
        facts: what MTEB says.
        named: ``TASK`` or ``TASK/SUBSET`` by dataset, where the user says it.

    Raises:
        UsageError: no task is of the dataset's repository, several are, or it does not evaluate the split.
        UnknownNameError: a named task does not exist.
    """
    unknown = [name for name in named if name not in {entry.dataset for entry in entries}]
    if unknown:
        raise UsageError(
            f"task.{unknown[0]}: no result is of {unknown[0]!r}",
            hint=nearest(unknown[0], sorted({entry.dataset for entry in entries})),
        )
    return [_placed(entry, facts, named.get(entry.dataset, "")) for entry in entries]


def _placed(entry: Entry, facts: MtebFacts, named: str) -> Placed:
    name, _, subset = (named or _only_task(entry.dataset, facts)).partition("/")
    task = facts.task(name)
    if task.parts or not task.subsets:
        what = f"the mean of {', '.join(task.parts)}" if task.parts else f"a task of the kind {task.type}"
        raise UsageError(f"{name} is {what}, which no result is of by itself")
    if not subset and len(task.subsets) > 1:
        raise UsageError(
            f"{name} has the subsets {', '.join(task.subsets)}",
            hint=f"say which {entry.dataset} is: --set task.{entry.dataset}={name}/SUBSET",
        )
    subset = subset or next(iter(task.subsets))
    if subset not in task.subsets:
        raise UsageError(f"{name} has no subset {subset!r}", hint=nearest(subset, list(task.subsets)))
    if entry.split not in task.splits:
        raise UsageError(
            f"{name} is evaluated on {', '.join(task.splits)}, and {entry.label} is of {entry.split}",
            hint=f"run it with --split {task.splits[0]}",
        )
    return Placed(entry, name, subset, task)


def _only_task(dataset: str, facts: MtebFacts) -> str:
    """The current task of the hub repository that a shipped dataset is published in."""
    hint = f"name its task: --set task.{dataset}=TASK"
    if dataset not in names("datasets"):
        raise UsageError(f"which task of MTEB {dataset!r} is, is not known", hint=hint)
    published = load_dataset(dataset).published
    found = [
        task
        for one in published
        for task in facts.by_path.get(str(getattr(one, "repository", "") or "").lower(), ())
    ]
    current = [task for task in found if facts.tasks[task].superseded_by not in found] or found
    if len(current) != 1:
        told = f"may be any of {', '.join(current)}" if current else "is no dataset of a task of MTEB"
        raise UsageError(f"{dataset} {told}", hint=hint)
    return current[0]


def evidence_of(placed: Placed) -> Evidence:
    """What speaks for it that the task's data were searched.

    Raises:
        DataError: they were not: something else was fetched from the repository, or there are more or fewer
            records or characters.
    """
    entry, task = placed.entry, placed.facts
    if entry.collection is None:
        return "none"
    provenance = entry.collection.provenance
    if provenance.converter == "mteb" and provenance.source == placed.task:
        _require_revision(placed, provenance.revision)
        return "fetched"
    for one in provenance.fetched:
        if task.path and task.path.lower() in one.address.lower():
            _require_revision(placed, one.revision)
            return "fetched"
    size = task.size(entry.split, placed.subset)
    if size is None:
        return "none"
    _require_size(placed, size)
    return "sizes"


def require_data(placed: Sequence[Placed]) -> None:
    """Refuse results of other data than the tasks', and say where it cannot be proven that they are the same.

    Raises:
        DataError: as :func:`evidence_of`.
    """
    known: dict[tuple[str, ...], Evidence] = {}
    for one in placed:  # several systems searched the same data, which are read once
        data = (one.task, one.subset, one.entry.split, *sorted(one.entry.content_ids.values()))
        if data not in known:
            known[data] = evidence_of(one)
            _tell_evidence(one, known[data])


def _tell_evidence(placed: Placed, evidence: Evidence) -> None:
    if evidence != "fetched":
        also = ", though they have as many records and characters" if evidence == "sizes" else ""
        data = f"{placed.task} at revision {placed.facts.revision[:12]}"
        warn(
            f"{placed.entry.dataset}@{placed.entry.split}: it cannot be proven that these are the data of "
            f"{data}{also}; content id of the corpus {entry_id(placed)}"
        )


def entry_id(placed: Placed) -> str:
    """The first digits of the content id of the corpus."""
    return placed.entry.content_ids.get("corpus", "unknown")[:12]


def _require_revision(placed: Placed, revision: str) -> None:
    if revision != placed.facts.revision:
        raise DataError(
            f"{placed.entry.label} is of revision {revision or 'unknown'} of {placed.facts.path}, and "
            f"{placed.task} is of {placed.facts.revision}",
            hint="fetch that revision, and run it again",
        )


def _require_size(placed: Placed, told: Size) -> None:
    """Compare with mteb's statistics, which were made with and without white space around texts."""
    entry = placed.entry
    of = placed.task if len(placed.facts.subsets) == 1 else f"{placed.task}/{placed.subset}"
    documents = bare = whole = 0
    for document in entry.collection.documents() if entry.collection else ():
        text = f"{document.title} {document.text}" if document.title else document.text
        documents, whole, bare = documents + 1, whole + len(text), bare + len(text.strip())
    queried = [entry.query_texts.get(query_id, "") for query_id in entry.qrels]
    judgments = sum(grade != 0 for row in entry.qrels.values() for grade in row.values())
    for what, ours, theirs in (
        ("documents", {documents}, told.documents),
        ("queries", {len(queried)}, told.queries),
        ("judgments of relevant documents", {judgments}, told.judgments),
        ("characters of documents", {whole, bare}, told.document_characters),
        ("characters of queries", {sum(map(len, queried)), sum(len(t.strip()) for t in queried)},
         told.query_characters),
    ):  # fmt: skip
        if theirs is not None and theirs not in ours:
            raise DataError(
                f"{entry.label} is not of the data of {of}: {min(ours):,} {what}, and there "
                f"{theirs:,} (content id of the corpus {entry_id(placed)})",
                hint=f"fetch {placed.facts.path} at {placed.facts.revision}, and run it again",
            )
