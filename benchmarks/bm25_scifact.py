"""BM25 end to end beside its peers: read a BEIR folder, index it, search its judged queries at k = 1000.

``--data`` names a BEIR folder, SciFact's by intent; without one, the standard library is converted. ``index``
holds reading the corpus. nDCG@10 is computed after the last lap: peers that compute the same thing show the
same figure.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator
from pathlib import Path

from benchmarks.harness import Bench, Lap, Outcome, Peer

K = 1000
Found = dict[str, dict[str, float]]


def make(asked: argparse.Namespace, folder: Path) -> None:
    """Convert the standard library where no folder is named."""
    if not asked.data:
        from beirkit.converters.catalog import convert
        from beirkit.corpora.folder import write_folder

        write_folder(convert("pystdlib", None, {}), folder / "pystdlib")


def ours(retriever: str) -> Callable[[argparse.Namespace, Path, Lap], Outcome]:
    """One of this project's retrievers."""

    def work(asked: argparse.Namespace, folder: Path, lap: Lap) -> Outcome:
        from beirkit.configs.spec import parse_retriever
        from beirkit.corpora.folder import open_folder
        from beirkit.retrievers.catalog import create

        made = create(parse_retriever(retriever))
        lap("import")
        collection = open_folder(data(asked, folder))
        judged = {judgment.query_id for judgment in collection.judgments(asked.split)}
        made.index(collection.documents())
        lap("index")
        run = made.search((query for query in collection.queries() if query.query_id in judged), K)
        lap("search")
        return scored(asked, folder, run.to_dict())

    return work


def bm25s_numpy(asked: argparse.Namespace, folder: Path, lap: Lap) -> Outcome:
    """bm25s, its numpy back end, with the same formula, parameters and analysis."""
    import bm25s
    import Stemmer

    stemmer = Stemmer.Stemmer("english")
    lap("import")
    judged = set(qrels(asked, folder))
    documents = list(rows(data(asked, folder) / "corpus.jsonl"))
    doc_ids = [row["_id"] for row in documents]
    model = bm25s.BM25(method="lucene", k1=0.9, b=0.4, backend="numpy")
    texts = [f"{row.get('title', '')} {row['text']}".strip() for row in documents]
    model.index(
        bm25s.tokenize(texts, stopwords="en", stemmer=stemmer, show_progress=False), show_progress=False
    )
    lap("index")
    queries = [row for row in rows(data(asked, folder) / "queries.jsonl") if row["_id"] in judged]
    asked_texts = [row["text"] for row in queries]
    tokens = bm25s.tokenize(asked_texts, stopwords="en", stemmer=stemmer, show_progress=False)
    found, scores = model.retrieve(tokens, k=min(K, len(doc_ids)), show_progress=False)
    lap("search")
    return scored(
        asked,
        folder,
        {
            query["_id"]: {doc_ids[doc]: score for doc, score in zip(docs, values, strict=True) if score > 0}
            for query, docs, values in zip(queries, found.tolist(), scores.tolist(), strict=True)
        },
    )


def scored(asked: argparse.Namespace, folder: Path, found: Found) -> Outcome:
    """nDCG@10 over all judged queries."""
    import pytrec_eval

    judged = qrels(asked, folder)
    per_query = pytrec_eval.RelevanceEvaluator(judged, {"ndcg_cut.10"}).evaluate(found)
    total = sum(row["ndcg_cut_10"] for row in per_query.values())
    return Outcome(shown={"nDCG@10": total / len(judged)})


def data(asked: argparse.Namespace, folder: Path) -> Path:
    """The BEIR folder."""
    return Path(asked.data) if asked.data else folder / "pystdlib"


def rows(path: Path) -> Iterator[dict[str, str]]:
    """The records of a JSON lines file."""
    with path.open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def qrels(asked: argparse.Namespace, folder: Path) -> dict[str, dict[str, int]]:
    """The judgments of the split."""
    judged: dict[str, dict[str, int]] = {}
    with (data(asked, folder) / "qrels" / f"{asked.split}.tsv").open(encoding="utf-8") as lines:
        next(lines)
        for line in lines:
            query_id, doc_id, grade = line.rstrip("\n").split("\t")
            judged.setdefault(query_id, {})[doc_id] = int(grade)
    return judged


bench = Bench(
    title="BM25 end to end",
    peers=(
        Peer("bm25s numpy", bm25s_numpy, "bm25s"),
        Peer("beirkit bm25", ours("bm25")),
        Peer("beirkit bm25-lucene", ours("bm25-lucene")),
        Peer("rank-bm25", ours("rank-bm25:k1=0.9,b=0.4"), "rank-bm25"),
    ),
    make=make,
    options={"--data": "", "--split": "test"},
)
