"""BM25 end to end beside its peers: read a BEIR folder, index it, search its test queries at k = 1000.

    python benchmarks/bm25_scifact.py [FOLDER] [--rounds 3] [--peer NAME ...]

FOLDER is a BEIR folder, SciFact's by intent; without one, the standard library is converted into a temporary
one. Every peer runs in a process of its own, the peers in turn, round after round; the table has medians, in
seconds. `index` holds reading the corpus; `total` is all but the start of Python. nDCG@10 is computed after
the clock has stopped: peers that compute the same thing show the same figure.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

K = 1000
Found = dict[str, dict[str, float]]
Clock = Callable[[str], None]
Peer = Callable[[Path, str, Clock], Found]


def _ours(retriever: str) -> Peer:
    """One of this project's retrievers."""

    def peer(folder: Path, split: str, lap: Clock) -> Found:
        from beirkit.configs.spec import parse_retriever
        from beirkit.corpora.folder import open_folder
        from beirkit.retrievers.catalog import create

        made = create(parse_retriever(retriever))
        lap("import")
        collection = open_folder(folder)
        judged = {judgment.query_id for judgment in collection.judgments(split)}
        made.index(collection.documents())
        lap("index")
        run = made.search((query for query in collection.queries() if query.query_id in judged), K)
        lap("search")
        return run.to_dict()

    return peer


def bm25s_numpy(folder: Path, split: str, lap: Clock) -> Found:
    """bm25s, its numpy back end, with the same formula, parameters and analysis."""
    import bm25s
    import Stemmer

    stemmer = Stemmer.Stemmer("english")
    lap("import")
    judged = set(_qrels(folder, split))
    rows = list(_rows(folder / "corpus.jsonl"))
    doc_ids = [row["_id"] for row in rows]
    model = bm25s.BM25(method="lucene", k1=0.9, b=0.4, backend="numpy")
    texts = [f"{row.get('title', '')} {row['text']}".strip() for row in rows]
    model.index(
        bm25s.tokenize(texts, stopwords="en", stemmer=stemmer, show_progress=False), show_progress=False
    )
    lap("index")
    queries = [row for row in _rows(folder / "queries.jsonl") if row["_id"] in judged]
    tokens = bm25s.tokenize(
        [row["text"] for row in queries], stopwords="en", stemmer=stemmer, show_progress=False
    )
    found, scores = model.retrieve(tokens, k=min(K, len(doc_ids)), show_progress=False)
    lap("search")
    return {
        query["_id"]: {doc_ids[doc]: score for doc, score in zip(docs, values, strict=True) if score > 0}
        for query, docs, values in zip(queries, found.tolist(), scores.tolist(), strict=True)
    }


PEERS: dict[str, Peer] = {
    "beirkit bm25": _ours("bm25"),
    "bm25s numpy": bm25s_numpy,
    "rank-bm25": _ours("rank-bm25:k1=0.9,b=0.4"),
}


def measure(peer: str, folder: Path, split: str) -> dict[str, float]:
    """Run one peer here; seconds of each phase, and the quality of what it found."""
    seconds: dict[str, float] = {}
    last = time.perf_counter()

    def lap(phase: str) -> None:
        nonlocal last
        now = time.perf_counter()
        seconds[phase] = now - last
        last = now

    found = PEERS[peer](folder, split, lap)
    import pytrec_eval

    qrels = _qrels(folder, split)
    per_query = pytrec_eval.RelevanceEvaluator(qrels, {"ndcg_cut.10"}).evaluate(found)
    return {**seconds, "nDCG@10": sum(row["ndcg_cut_10"] for row in per_query.values()) / len(qrels)}


def main() -> None:
    """Run the peers in turn and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("folder", nargs="?", type=Path, help="a BEIR folder")
    parser.add_argument("--split", default="test")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--peer", action="append", choices=PEERS, help="may be repeated; default: all")
    parser.add_argument("--alone", choices=PEERS, help="run one peer in this process and print JSON")
    asked = parser.parse_args()
    if asked.alone:
        print(json.dumps(measure(asked.alone, asked.folder, asked.split)))
        return
    with tempfile.TemporaryDirectory() as made:
        folder = asked.folder or _standard_library(Path(made))
        peers = asked.peer or list(PEERS)
        rounds: dict[str, list[dict[str, float]]] = {peer: [] for peer in peers}
        for _ in range(asked.rounds):
            for peer in peers:
                rounds[peer].append(_in_its_own_process(peer, folder, asked.split))
    _print_table(rounds)


def _in_its_own_process(peer: str, folder: Path, split: str) -> dict[str, float]:
    command = [sys.executable, "-P", __file__, str(folder), "--split", split, "--alone", peer]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    seconds: dict[str, float] = json.loads(done.stdout)
    seconds["work"] = seconds["index"] + seconds["search"]
    seconds["total"] = seconds["import"] + seconds["work"]
    return seconds


def _print_table(rounds: dict[str, list[dict[str, float]]]) -> None:
    columns = ("total", "import", "index", "search", "work", "nDCG@10")
    medians = {
        peer: {column: statistics.median(row[column] for row in rows) for column in columns}
        for peer, rows in rounds.items()
    }
    peer_work = medians["bm25s numpy"]["work"] if "bm25s numpy" in medians else float("nan")
    print("| peer |" + "".join(f" {column} |" for column in columns) + " work / bm25s numpy |")
    print("|---|" + "---|" * (len(columns) + 1))
    for peer, row in medians.items():
        cells = "".join(f" {row[c]:.5f} |" if c == "nDCG@10" else f" {row[c]:.3f} |" for c in columns)
        print(f"| {peer} |{cells} {row['work'] / peer_work:.2f} |")


def _standard_library(folder: Path) -> Path:
    from beirkit.converters.catalog import convert
    from beirkit.corpora.folder import write_folder

    write_folder(convert("pystdlib", None, {}), folder / "pystdlib")
    return folder / "pystdlib"


def _rows(path: Path) -> Iterator[dict[str, str]]:
    with path.open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def _qrels(folder: Path, split: str) -> dict[str, dict[str, int]]:
    qrels: dict[str, dict[str, int]] = {}
    with (folder / "qrels" / f"{split}.tsv").open(encoding="utf-8") as lines:
        next(lines)
        for line in lines:
            query_id, doc_id, grade = line.rstrip("\n").split("\t")
            qrels.setdefault(query_id, {})[doc_id] = int(grade)
    return qrels


if __name__ == "__main__":
    main()
