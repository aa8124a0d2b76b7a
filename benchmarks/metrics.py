"""Scoring a TREC run from its file with graded judgments, beside pytrec_eval through plain dictionaries.

``--queries 6980`` is the size of MS MARCO's development set. Values per query must agree within 1e-9.
"""

from __future__ import annotations

import argparse
import random
from pathlib import Path
from typing import Any

from benchmarks.harness import Bench, Lap, Outcome, Peer

MEASURES = {  # what both have; those to a cut-off, and one that looks at the whole list
    "nDCG@10": "ndcg_cut_10", "R@100": "recall_100", "AP@1000": "map_cut_1000", "RR": "recip_rank",
}  # fmt: skip
DOCUMENTS = 8_000_000
JUDGED = 50


def make(asked: argparse.Namespace, folder: Path) -> None:
    """A run with some ties and judgments of which about half were retrieved."""
    draw = random.Random(1)
    with (folder / "run.trec").open("w") as run, (folder / "qrels.txt").open("w") as qrels:
        for query in range(asked.queries):
            docs = draw.sample(range(asked.documents), asked.depth)
            for rank, doc in enumerate(docs, 1):
                score = round(20 - rank * 0.01 - draw.random() * 0.005, 4)
                run.write(f"q{query} Q0 {doc} {rank} {score} bench\n")
            judged = draw.sample(docs, min(JUDGED // 2, asked.depth))
            judged += draw.sample(range(asked.documents), JUDGED // 2)
            for doc in dict.fromkeys(judged):
                qrels.write(f"q{query} 0 {doc} {draw.choice((0, 1, 1, 2, 3))}\n")


def ours(asked: argparse.Namespace, folder: Path, lap: Lap) -> Outcome:
    """Some lists at a time; what is read of the run is part of scoring it."""
    from beirkit.corpora.qrels import read_qrels
    from beirkit.evaluate import evaluate

    evaluate({"q": {"d": 1}}, {"q": {"d": 1.0}}, list(MEASURES))  # loads the engine
    lap("import")
    qrels = read_qrels(folder / "qrels.txt")
    lap("read")
    scores = evaluate(qrels, folder / "run.trec", list(MEASURES))
    lap("score")
    return Outcome({query: list(row.values()) for query, row in scores.per_query().items()})


def plain(asked: argparse.Namespace, folder: Path, lap: Lap) -> Outcome:
    """The usual way: two dictionaries of dictionaries."""
    import pytrec_eval

    lap("import")
    qrels: dict[str, dict[str, int]] = {}
    with (folder / "qrels.txt").open() as lines:
        for line in lines:
            query_id, _, doc_id, grade = line.split()
            qrels.setdefault(query_id, {})[doc_id] = int(grade)
    run: dict[str, dict[str, float]] = {}
    with (folder / "run.trec").open() as lines:
        for line in lines:
            query_id, _, doc_id, _, score, _ = line.split()
            run.setdefault(query_id, {})[doc_id] = float(score)
    lap("read")
    names = list(MEASURES.values())
    found = pytrec_eval.RelevanceEvaluator(qrels, set(names)).evaluate(run)
    lap("score")
    return Outcome({query: [row[name] for name in names] for query, row in found.items()})


def differ(a: Any, b: Any) -> str:
    """Whether a value of a query differs by more than rounding."""
    if a.keys() != b.keys():
        return f"{len(a)} and {len(b)} queries"
    apart = max(abs(x - y) for query in a for x, y in zip(a[query], b[query], strict=True))
    return f"a value differs by {apart}" if apart > 1e-9 else ""


bench = Bench(
    title=f"score a TREC run: {', '.join(MEASURES)}",
    peers=(Peer("pytrec_eval, dictionaries", plain, "pytrec-eval-terrier"), Peer("beirkit", ours)),
    make=make,
    options={"--queries": 1000, "--depth": 1000, "--documents": DOCUMENTS},
    differ=differ,
)
