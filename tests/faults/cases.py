"""The handed cases of what goes wrong, and the steps that many of them share.

A test names the cases it stands for with ``@case("K01-01")``; the names are not collected from the file, so
that every process of a test run knows the same tests and a checkout without the file skips them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from beirkit.corpora.collection import Collection
from beirkit.corpora.folder import open_folder
from beirkit.corpora.jsonl import read_documents
from beirkit.corpora.qrels import read_qrels
from beirkit.corpora.records import Document, Qrels
from beirkit.evaluate import evaluate
from beirkit.evaluate.measures import Measure
from beirkit.evaluate.scores import Scores

Case = dict[str, Any]

QRELS = "query-id\tcorpus-id\tscore\n"


def case(*ids: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a test the case, or each of the cases, with these ids as its argument ``case``."""
    return pytest.mark.parametrize("case", ids, indirect=True)


@cache
def all_cases(path: Path) -> dict[str, Case]:
    """Every case by its id."""
    with path.open(encoding="utf-8") as file:
        return {one["id"]: one for one in map(json.loads, file)}


def write_files(case: Case, folder: Path) -> Path:
    """Write the literal files of a case as they stand."""
    for name, content in case["input"]["files"].items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode("utf-8"))
    return folder


def one_file(case: Case, folder: Path) -> Path:
    """Write the one file of a case; its path."""
    (name,) = case["input"]["files"]
    return write_files(case, folder) / str(name)


def open_case(case: Case, folder: Path, **options: Any) -> Collection:
    """The files of a case as a collection; what a BEIR folder needs and a case leaves out is made up."""
    write_files(case, folder)
    for name, content in (("corpus.jsonl", '{"_id": "d1", "text": "x"}\n'), ("queries.jsonl", "")):
        if not (folder / name).exists():
            (folder / name).write_text(content, encoding="utf-8")
    return open_folder(folder, **options)


def documents_of(case: Case, folder: Path, **options: Any) -> list[Document]:
    """The documents of a case's one corpus file."""
    return list(read_documents(one_file(case, folder), **options))


def qrels_of(case: Case, folder: Path, **options: Any) -> Qrels:
    """The judgments of a case's one qrels file."""
    return read_qrels(one_file(case, folder), **options)


def score(
    case: Case, expected: Mapping[str, Any], qrels: Qrels | None = None, run: Any = None, **options: Any
) -> Scores:
    """Score what a case holds on every measure it expects a value of."""
    given = case["input"]
    return evaluate(
        given["qrels"] if qrels is None else qrels,
        given["run"] if run is None else run,
        sorted(_measures(expected)),
        **options,
    )


def check(scores: Scores, expected: Mapping[str, Any]) -> None:
    """Hold scores to the figures of a case: per query, means and the number of queries, or bare means."""
    assert _measures(expected), "the case expects no figure"
    for query_id, row in expected.get("per_query", {}).items():
        found = scores.per_query()[query_id]
        for name, value in row.items():
            assert found[str(Measure.parse(name))] == pytest.approx(value, abs=1e-6), (query_id, name)
    means = expected.get("mean", {}) if _nested(expected) else expected
    for name, value in means.items():
        assert scores.mean(name) == pytest.approx(value, abs=1e-6), name
        if "n" in expected:
            assert scores.n(name) == expected["n"], name


def _nested(expected: Mapping[str, Any]) -> bool:
    return "mean" in expected or "per_query" in expected


def _measures(expected: Mapping[str, Any]) -> set[str]:
    if not _nested(expected):
        return set(expected)
    rows = [*expected.get("per_query", {}).values(), expected.get("mean", {})]
    return {name for row in rows for name in row}
