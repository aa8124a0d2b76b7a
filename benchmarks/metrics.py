"""Scoring a TREC run with graded judgments, beside pytrec_eval through plain dictionaries.

    python benchmarks/metrics.py [--queries 1000] [--depth 1000] [--rounds 3]

Both read the same file and compute the same measures; each works in a process of its own, in turn, and the
best time of the rounds counts. Memory is what the process grew by at its peak. Values per query must agree
within 1e-9.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

MEASURES = ["nDCG@10", "R@100", "AP@100"]  # what both have
TREC_NAMES = ["ndcg_cut_10", "recall_100", "map_cut_100"]
DOCUMENTS = 500_000
JUDGED = 50


def main() -> None:
    """Make the files, run both, print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--queries", type=int, default=1000)
    parser.add_argument("--depth", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--work", nargs=2, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.work:
        print(json.dumps(measured(args.work[0], Path(args.work[1]))))
        return
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        make_files(folder, args.queries, args.depth)
        found: dict[str, list[dict[str, Any]]] = {"pytrec_eval": [], "beirkit": []}
        for _ in range(args.rounds):
            for who in found:
                command = [sys.executable, "-P", __file__, "--work", who, str(folder)]
                found[who].append(json.loads(subprocess.check_output(command, text=True)))
    report(found, f"{args.queries:,} queries x {args.depth:,} results, {', '.join(MEASURES)}")


def make_files(folder: Path, queries: int, depth: int) -> None:
    """A run with some ties and judgments of which about half were retrieved."""
    draw = random.Random(1)
    with (folder / "run.trec").open("w") as run, (folder / "qrels.txt").open("w") as qrels:
        for query in range(queries):
            docs = draw.sample(range(DOCUMENTS), depth)
            for rank, doc in enumerate(docs, 1):
                run.write(
                    f"q{query} Q0 doc{doc} {rank} {round(20 - rank * 0.01 - draw.random() * 0.005, 4)} b\n"
                )
            judged = draw.sample(docs, min(JUDGED // 2, depth)) + draw.sample(range(DOCUMENTS), JUDGED // 2)
            for doc in dict.fromkeys(judged):
                qrels.write(f"q{query} 0 doc{doc} {draw.choice((0, 1, 1, 2, 3))}\n")


def measured(who: str, folder: Path) -> dict[str, Any]:
    """Seconds for reading and scoring, growth of memory in MiB, and values per query."""
    work = {"beirkit": ours, "pytrec_eval": plain}[who]
    work(folder, warm=True)
    before, start = peak(), time.perf_counter()
    read, values = work(folder)
    end = time.perf_counter()
    return {"read": read - start, "score": end - read, "memory": peak() - before, "values": values}


def ours(folder: Path, *, warm: bool = False) -> tuple[float, dict[str, list[float | None]]]:
    """The columnar way."""
    from beirkit.corpora.qrels import read_qrels
    from beirkit.corpora.run_files import read_run
    from beirkit.evaluate import evaluate

    if warm:  # imports are not what is measured
        evaluate({"q": {"d": 1}}, {"q": {"d": 1.0}}, MEASURES)
        return 0.0, {}
    qrels, run = read_qrels(folder / "qrels.txt"), read_run(folder / "run.trec")
    read = time.perf_counter()
    scores = evaluate(qrels, run, MEASURES)
    return read, {query: list(row.values()) for query, row in scores.per_query().items()}


def plain(folder: Path, *, warm: bool = False) -> tuple[float, dict[str, list[float | None]]]:
    """The usual way: two dictionaries of dictionaries."""
    import pytrec_eval

    if warm:
        pytrec_eval.RelevanceEvaluator({"q": {"d": 1}}, {"map"}).evaluate({"q": {"d": 1.0}})
        return 0.0, {}
    with (folder / "qrels.txt").open() as lines:
        qrels = pytrec_eval.parse_qrel(lines)
    with (folder / "run.trec").open() as lines:
        run = pytrec_eval.parse_run(lines)
    read = time.perf_counter()
    found = pytrec_eval.RelevanceEvaluator(qrels, set(TREC_NAMES)).evaluate(run)
    return read, {query: [row[name] for name in TREC_NAMES] for query, row in found.items()}


def peak() -> float:
    """Peak resident memory of this process, in MiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (2**20 if sys.platform == "darwin" else 2**10)


def report(found: dict[str, list[dict[str, Any]]], title: str) -> None:
    """Print both, their ratio, and refuse to if they disagree."""
    theirs, values = found["pytrec_eval"][0]["values"], found["beirkit"][0]["values"]
    apart = max(abs(a - b) for query in theirs for a, b in zip(theirs[query], values[query], strict=True))
    if len(theirs) != len(values) or apart > 1e-9:
        raise SystemExit(f"values differ by {apart}")
    print(f"{title}; largest difference of a value {apart:.1e}")
    print(f"{'':14} {'read s':>8} {'score s':>8} {'total s':>8} {'peak MiB':>9}")
    best = {}
    for who, rounds in found.items():
        one = min(rounds, key=lambda r: r["read"] + r["score"])
        best[who] = (one["read"] + one["score"], min(r["memory"] for r in rounds))
        print(f"{who:14} {one['read']:8.2f} {one['score']:8.2f} {best[who][0]:8.2f} {best[who][1]:9.0f}")
    ratio = [a / b for a, b in zip(best["beirkit"], best["pytrec_eval"], strict=True)]
    print(f"{'ratio':14} {'':8} {'':8} {ratio[0]:8.2f} {ratio[1]:9.2f}")


if __name__ == "__main__":
    main()
