"""Runs, judgments and figures that differ in exactly one known thing, worked out without what is tested."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from beirkit.corpora.records import Qrels
from beirkit.corpora.run import Run
from beirkit.evaluate.engine import evaluate

Lists = dict[str, dict[str, float]]

QUERIES, DOCUMENTS, LONGEST = 60, 400, 150
ABSENT = ("q07", "q21", "q40")  # the run does not have them
EMPTY = ("q03", "q33")  # searched in vain
HOPELESS = ("q11", "q12", "q13", "q14")  # nothing relevant is judged
SELVES = tuple(f"q{n:02}" for n in range(0, 60, 4) if f"q{n:02}" not in ABSENT + EMPTY)


def qrels(seed: int = 1) -> Qrels:
    """Graded judgments; some queries have more than ten relevant documents, some have none."""
    draw = random.Random(seed)
    found: Qrels = {}
    for n in range(QUERIES):
        query_id = f"q{n:02}"
        judged = draw.sample([f"d{m:03}" for m in range(DOCUMENTS)], draw.choice((4, 8, 30)))
        weights = (0, 0, 1, 1, 2, 3) if query_id not in HOPELESS else (0,)
        found[query_id] = {doc_id: draw.choice(weights) for doc_id in judged}
        if query_id not in HOPELESS:
            found[query_id][judged[0]] = 2
    return found


def lists(seed: int = 2, judgments: Qrels | None = None) -> Lists:
    """Lists that find something, with ties, and near ties that float32 does not tell apart."""
    draw = random.Random(seed)
    found: Lists = {}
    for query_id, row in (judgments or qrels()).items():
        if query_id in ABSENT:
            continue
        if query_id in EMPTY:
            found[query_id] = {}
            continue
        doc_ids = draw.sample([f"d{m:03}" for m in range(DOCUMENTS)], LONGEST)
        doc_ids += [doc_id for doc_id in row if draw.random() < 0.5 and doc_id not in doc_ids]
        draw.shuffle(doc_ids)
        scores = {}
        for doc_id in doc_ids:
            score = round(draw.random() * 4 + row.get(doc_id, 0), 1)
            scores[doc_id] = score + draw.choice((0, 1e-12, 2e-12))
        if query_id in SELVES:
            scores[query_id] = 20.0
        found[query_id] = scores
    return found


def mean(judged: Qrels, run: Lists | Run, measure: str, protocol: str = "beirkit:self_match=keep") -> float:
    """The mean of the house's own engine."""
    value = evaluate(judged, run, [measure], protocol).mean(measure)
    assert value is not None
    return value


def values(
    judged: Qrels, run: Lists | Run, measure: str, protocol: str = "beirkit:self_match=keep"
) -> dict[str, float]:
    """Its values of each query."""
    scores = evaluate(judged, run, [measure], protocol)
    column = scores.of(measure).tolist()
    return {
        query: value for query, value in zip(scores.query_ids, column, strict=True) if not math.isnan(value)
    }


def with_order(run: Lists, key: Callable[[str, int], Any]) -> Lists:
    """The lists with ties of float32 in another order, made by scores that do not tie."""
    import numpy as np

    found = {}
    for query_id, row in run.items():
        places = {doc_id: place for place, doc_id in enumerate(row)}
        order = sorted(row, key=lambda d: (-float(np.float32(row[d])), key(d, places[d])))
        found[query_id] = {doc_id: float(-place) for place, doc_id in enumerate(order)}
    return found


def top(run: Lists, depth: int) -> Lists:
    """The lists cut short."""
    ordered = with_order(run, lambda d, _: [-ord(c) for c in d])
    return {query_id: dict(list(row.items())[:depth]) for query_id, row in ordered.items()}


def of_found(judged: Qrels, run: Lists, measure: str, k: int) -> float:
    """Judged by what stands in the first k results alone, as home-made code has it."""
    first = top(run, k)
    seen = {q: {d: g if d in first.get(q, {}) else 0 for d, g in row.items()} for q, row in judged.items()}
    return mean(seen, run, measure)


def without(run: Lists, query_ids: tuple[str, ...]) -> Lists:
    """The lists of the other queries."""
    return {query_id: row for query_id, row in run.items() if query_id not in query_ids}


def only(judged: Qrels, keep: Callable[[str], bool]) -> Qrels:
    """The judgments of some queries."""
    return {query_id: row for query_id, row in judged.items() if keep(query_id)}


def graded(judged: Qrels, grade: Callable[[int], int]) -> Qrels:
    """The judgments with other grades."""
    return {query_id: {d: grade(g) for d, g in row.items()} for query_id, row in judged.items()}


FACTS: Mapping[str, Any] = {
    "dataset": "hidden",
    "split": "test",
    "k": 1000,
    "content_ids": {"corpus": "a" * 64, "queries": "b" * 64, "qrels/test": "c" * 64},
    "retriever": {
        "kind": "dense",
        "stage": 1,
        "encoder": {
            "kind": "dense",
            "model_sha256": "d" * 64,
            "prompts": {"query": "", "document": ""},
            "max_length": 256,
            "pooling": "mean",
            "dtype": "float32",
            "device": "cpu",
            "batch_size": 32,
        },
        "similarity": "cosine",
        "template": "{title} {text}",
        "analyzer": {"stopwords": "lucene", "stemmer": "porter"},
        "k1": 0.9,
        "b": 0.4,
    },
    "report": {"document": {"truncated": 12, "truncated_share": 0.1}},
    "versions": {"python": "3.11.1", "torch": "2.1"},
}
"""A manifest."""


def changed(path: str, value: Any, *, name: str = "") -> dict[str, Any]:
    """The manifest with one value changed, another machine, and a dataset's name where it is not hidden."""
    facts: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(FACTS))
    *parents, last = path.split(".")
    inner = facts
    for key in parents:
        inner = inner[key]
    inner[last] = value
    facts["retriever"]["encoder"]["device"] = "cuda"
    facts["versions"]["torch"] = "2.9"
    if name:
        facts["dataset"] = name
    return facts
