"""Lexical retrieval on the handed data: the published faults, and SciFact's figures."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import bm25s
import numpy as np
import pytest
import pytrec_eval
import Stemmer

from beirkit.configs.spec import parse_retriever
from beirkit.corpora.errors import DataError
from beirkit.corpora.records import Document, Qrels, Query
from beirkit.corpora.run import Run
from beirkit.retrievers.catalog import create

CASES = (
    "K11-06", "K13-01", "K13-03", "K13-05", "K13-07", "K13-08", "K13-09", "K13-11", "K13-12",
)  # fmt: skip


def _case(shared: Path, case_id: str) -> dict[str, Any]:
    with (shared / "faults" / "cases.jsonl").open(encoding="utf-8") as lines:
        return next(case for case in map(json.loads, lines) if case["id"] == case_id)


def _retriever_of(given: dict[str, Any]) -> str:
    usual = {"k1": 0.9, "b": 0.4, **given}
    told = [f"{key}={usual[key]}" for key in ("variant", "k1", "b") if key in usual]
    if given.get("tokenizer") == "keep-single":
        told += ["analyzer.pattern=symbols", "analyzer.min_length=1"]
    return "bm25-mteb:" + ",".join(told)


def _documents_of(given: dict[str, Any]) -> list[Document]:
    fields = given.get("corpus_docs") or {key: {"text": text} for key, text in given["corpus"].items()}
    return [Document(key, row.get("title", ""), row["text"]) for key, row in fields.items()]


@pytest.mark.parametrize("case_id", CASES)
def test_published_faults_of_lexical_retrieval(shared: Path, case_id: str) -> None:
    case = _case(shared, case_id)
    given, expected = case["input"], case["expected"]
    queries = given.get("queries") or {"query": given["query"]}
    retriever = create(parse_retriever(_retriever_of(given)))
    if expected["outcome"] == "error":
        with pytest.raises(DataError, match="empty"):
            retriever.index(_documents_of(given))
        return
    retriever.index(_documents_of(given))
    run = retriever.search([Query(key, text) for key, text in queries.items()], given["k"]).to_dict()
    ranking = expected["values"]["ranking"]
    rankings = ranking if "queries" in given else {"query": ranking}
    assert {key: list(row) for key, row in run.items()} == rankings
    for doc_id, score in expected["values"].get("scores", {}).items():
        assert run["query"][doc_id] == pytest.approx(score, abs=1e-6)


def _scifact(shared: Path) -> tuple[list[Document], list[Query], Qrels]:
    folder = shared / "data" / "scifact" / "beir"
    qrels: Qrels = {}
    with (folder / "qrels" / "test.tsv").open(encoding="utf-8", newline="") as rows:
        for row in csv.DictReader(rows, delimiter="\t"):
            qrels.setdefault(row["query-id"], {})[row["corpus-id"]] = int(row["score"])
    with (folder / "corpus.jsonl").open(encoding="utf-8") as lines:
        documents = [Document(row["_id"], row["title"], row["text"]) for row in map(json.loads, lines)]
    with (folder / "queries.jsonl").open(encoding="utf-8") as lines:
        queries = [Query(row["_id"], row["text"]) for row in map(json.loads, lines) if row["_id"] in qrels]
    return documents, queries, qrels


def _ndcg(run: Run, qrels: Qrels) -> float:
    per_query = pytrec_eval.RelevanceEvaluator(qrels, {"ndcg_cut.10"}).evaluate(run.to_dict())
    return sum(row["ndcg_cut_10"] for row in per_query.values()) / len(qrels)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("retriever", "ndcg"),
    [
        ("bm25", 0.67891),
        ("bm25-mteb:k1=0.9,b=0.4", 0.67619),
        ("bm25-mteb", 0.68630),
        ("bm25-mteb:k1=0.9,b=0.4,variant=robertson", 0.67361),
        ("rank-bm25", 0.68387),
        ("rank-bm25:k1=0.9,b=0.4", 0.67361),
    ],
)
def test_scifact(shared: Path, retriever: str, ndcg: float) -> None:
    documents, queries, qrels = _scifact(shared)
    assert len(queries) == 300
    made = create(parse_retriever(retriever))
    made.index(documents)
    assert _ndcg(made.search(queries, 1000), qrels) == pytest.approx(ndcg, abs=5e-6)


@pytest.mark.slow
@pytest.mark.parametrize(("k1", "b"), [(0.9, 0.4), (1.5, 0.75)])
def test_scifact_scores_are_those_of_bm25s(shared: Path, k1: float, b: float) -> None:
    documents, queries, _ = _scifact(shared)
    ours = create(parse_retriever(f"bm25-mteb:k1={k1},b={b}"))
    ours.index(documents)
    run = ours.search(queries, 10_000).to_dict()

    def tokens(texts: list[str]) -> Any:
        stemmer = Stemmer.Stemmer("english")
        return bm25s.tokenize(texts, stopwords="en", stemmer=stemmer, return_ids=False, show_progress=False)

    theirs = bm25s.BM25(method="lucene", k1=k1, b=b)
    theirs.index(tokens([f"{doc.title} {doc.text}".strip() for doc in documents]), show_progress=False)
    place = {doc.doc_id: number for number, doc in enumerate(documents)}
    for query, terms in zip(queries, tokens([query.text for query in queries]), strict=True):
        expected = theirs.get_scores([term for term in terms if term in theirs.vocab_dict])
        found = np.zeros(len(documents), dtype=np.float32)
        for doc_id, score in run[query.query_id].items():
            found[place[doc_id]] = score
        np.testing.assert_allclose(found, expected, rtol=2e-5, atol=1e-6)
