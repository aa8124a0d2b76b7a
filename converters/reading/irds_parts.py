"""Queries and judgments of a dataset of ir_datasets and of the parts below it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import Any

from beirkit.corpora.errors import DataError, UsageError, nearest
from beirkit.corpora.notices import Warn
from beirkit.corpora.records import Judgment, Query

_SPLITS = ("train", "dev", "validation", "test", "eval")
_PARTS = ("subtopic_id", "start")  # of judgments of a part of the need or of the document


def judged_parts(registry: Any, dataset_id: str, split: str) -> dict[str, Any]:
    """What has the judgments of each split: the dataset itself, else the parts right below it.

    Args:
        registry: of ir_datasets.
        dataset_id: an id that it has.
        split: the name of the dataset's split, or the part to take; empty: by the id, or all parts.

    Raises:
        DataError: there are no documents or no judgments; the message names what is below.
        UsageError: no part is called as the split.
    """
    dataset, last = registry[dataset_id], dataset_id.rpartition("/")[2]
    below = sorted(name for name in registry if name.startswith(f"{dataset_id}/"))
    hint = f"below it are: {', '.join(below[:8])}" if below else ""
    if not dataset.has_docs():
        raise DataError(f"ir_datasets: {dataset_id} has no documents", hint=hint)
    if dataset.has_qrels():
        return {split or (last if last in _SPLITS else "test"): dataset}
    names = {name.removeprefix(f"{dataset_id}/"): name for name in below}
    parts = {part: registry[name] for part, name in names.items() if "/" not in part}
    judged = {part: found for part, found in parts.items() if found.has_qrels()}
    if not judged:
        raise DataError(f"ir_datasets: {dataset_id} has no judgments", hint=hint)
    if split and split not in judged:
        found = f"ir_datasets: {dataset_id} has no part {split!r} with judgments"
        raise UsageError(found, hint=nearest(split, list(judged)))
    return {part: found for part, found in judged.items() if split in ("", part)}


def queries_of(asked: list[Any], judged: list[Any], query: Callable[[Any], Query]) -> Iterator[Query]:
    """Each query once, with the documents that its judgments exclude as ``excluded_ids``.

    Args:
        asked: datasets that have the queries.
        judged: datasets that have the judgments.
        query: makes a query of a record.
    """
    excluded: dict[str, list[str]] = defaultdict(list)
    for part in judged:
        if grades := _excluding(part):
            for record in part.qrels_iter():
                if record.relevance in grades:
                    excluded[record.query_id].append(record.doc_id)
    seen: set[str] = set()
    for part in asked:
        for record in part.queries_iter():
            if record.query_id not in seen:
                seen.add(record.query_id)
                found = query(record)
                if record.query_id in excluded:
                    found.metadata["excluded_ids"] = excluded[record.query_id]
                yield found


def judgments_of(part: Any, warn: Warn) -> Iterator[Judgment]:
    """The judgments of a dataset, one for a pair.

    Args:
        part: the dataset.
        warn: told where several judge parts of one pair.
    """
    excluding = _excluding(part)
    several = any(field in _PARTS for field in part.qrels_cls()._fields)
    best: dict[tuple[str, str], int] = {}
    for record in part.qrels_iter():
        if record.relevance in excluding:
            continue
        if not several:
            yield Judgment(record.query_id, record.doc_id, record.relevance)
            continue
        pair = record.query_id, record.doc_id
        best[pair] = max(record.relevance, best.get(pair, record.relevance))
    if several:
        warn(f"{part.dataset_id()}: of judgments of parts of a pair the highest grade is taken")
    yield from (Judgment(*pair, grade) for pair, grade in best.items())


def _excluding(part: Any) -> set[int]:
    """Grades that take a document out of a query's ranking instead of judging it."""
    return {grade for grade, meaning in part.qrels_defs().items() if str(meaning).startswith("Excluded")}
