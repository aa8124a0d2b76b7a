"""Means of a retriever over a handed BEIR folder."""

from __future__ import annotations

from pathlib import Path

import pytrec_eval

from beirkit.configs.spec import parse_retriever
from beirkit.corpora.folder import open_folder
from beirkit.corpora.records import Qrels
from beirkit.retrievers.catalog import create

MEASURES = ("ndcg_cut_10", "recall_100", "map")


def means(shared: Path, name: str, retriever: str) -> list[float]:
    """nDCG@10, R@100 and AP@1000 over the judged queries."""
    collection = open_folder(shared / "data" / name / "beir")
    qrels: Qrels = {}
    for judgment in collection.judgments("test"):
        qrels.setdefault(judgment.query_id, {})[judgment.doc_id] = judgment.relevance
    made = create(parse_retriever(retriever))
    made.index(collection.documents())
    run = made.search((query for query in collection.queries() if query.query_id in qrels), 1000).to_dict()
    rows = pytrec_eval.RelevanceEvaluator(qrels, {"ndcg_cut.10", "recall.100", "map"}).evaluate(run).values()
    return [sum(row[measure] for row in rows) / len(qrels) for measure in MEASURES]
