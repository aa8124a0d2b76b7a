"""The ways in which the queries of a dataset are divided, as far as folder and results tell what it takes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import msgspec

from beirkit.corpora.collection import Collection
from beirkit.corpora.errors import UsageError
from beirkit.corpora.records import Qrels
from beirkit.evaluate.slicings import (
    Slicing,
    by_label,
    by_quantiles,
    metadata_labels,
    query_lengths,
    relevant_documents,
    word_overlap,
)
from beirkit.runs import result_folder

USUAL_KEYS = ("language", "lang", "task")
"""Metadata of queries that divides them without being asked for, where it is there."""


class _QueryReport(msgspec.Struct):
    texts: int = 0
    truncated: int | None = 0
    truncated_ids: list[str] | None = None


class _Report(msgspec.Struct):
    query: _QueryReport | None = None


class _Manifest(msgspec.Struct):
    report: _Report


def slicings(
    qrels: Qrels,
    queries: Mapping[str, str],
    collection: Collection | None = None,
    results: Mapping[str, Path] | None = None,
    *,
    keys: Sequence[str] = (),
    level: int = 1,
) -> list[Slicing]:
    """Every slicing that can be made.

    Args:
        qrels: the judgments.
        queries: texts by id; without any there are no slices by length or by words.
        collection: the dataset, for words of relevant documents and for metadata; its corpus is read once.
        results: result folders by system, for queries that a model could not read to their end.
        keys: metadata of queries to divide them by, besides the usual ones.
        level: lowest grade that counts as relevant.

    Raises:
        UsageError: no query has one of the keys, or there is no folder to look them up in.
    """
    texts = {query_id: queries[query_id] for query_id in qrels if queries.get(query_id)}
    found = [by_quantiles("relevant documents", relevant_documents(qrels, level))]
    if texts:
        found.insert(0, by_quantiles("words of the query", query_lengths(texts)))
    if collection is not None and texts:
        shares = word_overlap(texts, qrels, collection.documents(), level)
        found.append(by_quantiles("words in relevant documents", shares, digits=2))
    found += _by_metadata(qrels, collection, keys)
    return [*found, *_by_truncation(qrels, results or {})]


def _by_metadata(qrels: Qrels, collection: Collection | None, keys: Sequence[str]) -> list[Slicing]:
    if collection is None:
        if keys:
            raise UsageError(
                f"there is no metadata {', '.join(keys)}: bare judgments say nothing about queries",
                hint="name a BEIR folder with --qrels",
            )
        return []
    records = [query for query in collection.queries() if query.query_id in qrels]
    found = []
    for key in dict.fromkeys((*USUAL_KEYS, *keys)):
        labels = metadata_labels(records, key)
        if labels:
            found.append(by_label(key, labels))
        elif key in keys:
            known = sorted({name for query in records for name in query.metadata})
            raise UsageError(
                f"no judged query has the metadata {key!r}",
                hint=f"they have: {', '.join(known)}" if known else "they have none",
            )
    return found


def _by_truncation(qrels: Iterable[str], results: Mapping[str, Path]) -> list[Slicing]:
    """Queries that were longer than a model reads, and the others; not where no query was."""
    found = []
    for system, path in results.items():
        folder = result_folder(path)
        if folder is None:
            continue
        try:
            manifest = msgspec.json.decode((folder / "manifest.json").read_bytes(), type=_Manifest)
        except (OSError, msgspec.MsgspecError):
            continue
        report = manifest.report.query
        if report is None or report.truncated_ids is None:
            continue  # none was, or the result is of an older version, which only counted
        cut = set(report.truncated_ids)
        labels = {query_id: "truncated" if query_id in cut else "whole" for query_id in qrels}
        found.append(by_label(f"read by {system}", labels))
    return found
