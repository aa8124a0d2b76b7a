"""Queries that have the same text: within a split, and in splits that should not know of each other."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path

from beirkit.corpora.check_qrels import readable_rows
from beirkit.corpora.check_records import QUERIES, readable
from beirkit.corpora.findings import Report

_Row = tuple[str, int]  # id and line of a query


def check_queries(path: Path, qrels: Mapping[str, Path], report: Report) -> None:
    """Tell queries whose text, but for case and white space, another query has before them.

    Args:
        path: the queries.
        qrels: the judgments by split.
        report: told of every defect.
    """
    groups = _groups(path)
    judged = _judged({query_id for group in groups for query_id, _ in group}, qrels)
    for (first, line_of_first), *others in groups:
        for query_id, line in others:
            said = f"query {query_id!r} has the text of {first!r} on line {line_of_first}"
            key = f"{first}\t{query_id}"
            here, there = set(judged[query_id]), set(judged[first])
            if here and there and here.isdisjoint(there):
                found = f"{said}; one is judged in split {min(here)!r}, the other in {min(there)!r}"
                todo = "what is trained on one has seen the other; leave it out of one split"
                report.add("BK055", path.name, line, found, todo, key=key)
            elif judged[query_id] == judged[first]:
                todo = "it counts twice in every mean"
                report.add("BK053", path.name, line, f"{said}, and the same judgments", todo, key=key)
            else:
                todo = "no run can answer both: their results are the same"
                report.add("BK054", path.name, line, f"{said}, and other judgments", todo, key=key)


def _groups(path: Path) -> list[list[_Row]]:
    """The queries of each text that several have, known by 128 bits."""
    firsts: dict[bytes, _Row] = {}
    groups: dict[bytes, list[_Row]] = {}
    for numbers, queries in readable(path, QUERIES):
        for number, query in zip(numbers, queries, strict=True):
            text = " ".join(query.text.casefold().split())
            if not text:
                continue
            digest = hashlib.blake2b(text.encode("utf-8"), digest_size=16).digest()
            row = (query.query_id, number)
            first = firsts.setdefault(digest, row)
            if first[0] != row[0] and all(row[0] != known for known, _ in groups.get(digest, [])):
                groups.setdefault(digest, [first]).append(row)
    return list(groups.values())


def _judged(wanted: set[str], qrels: Mapping[str, Path]) -> dict[str, dict[str, dict[str, int]]]:
    """By query, split and document the grades of some queries."""
    judged: dict[str, dict[str, dict[str, int]]] = defaultdict(dict)
    for split, path in qrels.items():
        for _, row in readable_rows(path) if wanted else ():
            if row.query_id in wanted:
                judged[row.query_id].setdefault(split, {}).setdefault(row.doc_id, row.relevance)
    return judged
