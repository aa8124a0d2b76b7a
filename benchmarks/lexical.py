"""BM25 end to end beside its peers: read a corpus, index it, search its queries at k = 10 and k = 1000.

``--data`` names a BEIR folder, SciFact's by intent; without one, the standard library is converted. With
``--documents`` so many are made of its sentences (:mod:`benchmarks.synthetic`), and ``--queries`` of its
queries are asked, in turn. ``q/s`` are of whole passes, after twenty queries have loaded and compiled what is
to be, which is ``compile``; ``warm`` ones are medians of ``--passes`` further passes, whose time stands in no
other column. All give lists of ids with scores. Lucene runs where ``ANSERINI_JAR`` names Anserini's jar, in
a process of its own with ``JAVA_HOME``'s java; its memory is ``child MiB``, and its passes hold the start of
its machine. Peers with the same formula, parameters and analysis must agree on the scores of each top 10.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import resource
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.harness import Bench, Lap, Outcome, Peer

K = (10, 1000)
SMALL = 20_000
"""Documents up to which rank-bm25 is run: it looks at all of them in Python for every term of a query."""

Found = list[list[tuple[str, float]]]
Search = Callable[[list[str], int], Found]


def make(asked: argparse.Namespace, folder: Path) -> None:
    """Convert the standard library where no folder is named; make a corpus where that is asked for."""
    source = Path(asked.data)
    if not asked.data:
        from beirkit.converters.catalog import convert
        from beirkit.corpora.folder import write_folder

        source = folder / "pystdlib"
        write_folder(convert("pystdlib", None, {}), source)
    if asked.documents:
        from benchmarks.synthetic import write

        write(source, folder, documents=asked.documents, queries=asked.queries)
    else:
        for name in ("corpus", "queries"):
            shutil.copyfile(source / f"{name}.jsonl", folder / f"{name}.jsonl")
        shutil.copytree(source / "qrels", folder / "qrels")


def ours(
    retriever: str, group: str, *, kernels: bool = False
) -> Callable[[argparse.Namespace, Path, Lap], Outcome]:
    """One of this project's retrievers; ``kernels``: by numba however few the documents."""

    def work(asked: argparse.Namespace, folder: Path, lap: Lap) -> Outcome:
        if kernels:
            os.environ["BEIRKIT_NUMBA"] = "1"
        from beirkit.configs.spec import parse_retriever
        from beirkit.corpora.folder import open_folder
        from beirkit.corpora.records import Query
        from beirkit.retrievers.catalog import create

        made = create(parse_retriever(retriever))
        lap("import")
        made.index(open_folder(folder).documents())
        lap("index")

        def search(texts: list[str], k: int) -> Found:
            run = made.search([Query(str(number), text) for number, text in enumerate(texts)], k)
            return [list(pairs) for _, pairs in run.lists()]

        return searched(asked, folder, lap, search, group)

    return work


def bm25s_peer(backend: str) -> Callable[[argparse.Namespace, Path, Lap], Outcome]:
    """bm25s with one of its back ends, the formula, parameters and analysis of ``bm25-mteb:k1=0.9,b=0.4``."""

    def work(asked: argparse.Namespace, folder: Path, lap: Lap) -> Outcome:
        import bm25s
        import numpy as np
        import Stemmer

        stemmer = Stemmer.Stemmer("english")
        lap("import")
        doc_ids, texts = corpus(folder)
        model = bm25s.BM25(method="lucene", k1=0.9, b=0.4, backend=backend)
        tokens = bm25s.tokenize(texts, stopwords="en", stemmer=stemmer, show_progress=False)
        model.index(tokens, show_progress=False)
        lap("index")
        ids = np.array(doc_ids)

        def search(asked_texts: list[str], k: int) -> Found:
            words = bm25s.tokenize(asked_texts, stopwords="en", stemmer=stemmer, show_progress=False)
            threads = {"n_threads": 2} if backend == "numba" else {}
            docs, scores = model.retrieve(words, k=min(k, len(ids)), show_progress=False, **threads)
            return listed(ids[docs].tolist(), scores.tolist())

        return searched(asked, folder, lap, search, "words")

    return work


def rank_bm25_peer(asked: argparse.Namespace, folder: Path, lap: Lap) -> Outcome:
    """BM25Okapi of rank_bm25 over the words of bm25s."""
    import bm25s
    import numpy as np
    import rank_bm25
    import Stemmer

    stemmer = Stemmer.Stemmer("english")
    lap("import")
    doc_ids, texts = corpus(folder)
    if len(doc_ids) > SMALL:
        return Outcome()
    words = bm25s.tokenize(texts, stemmer=stemmer, return_ids=False, show_progress=False)
    model = rank_bm25.BM25Okapi(words, k1=0.9, b=0.4)
    lap("index")

    def search(asked_texts: list[str], k: int) -> Found:
        words = bm25s.tokenize(asked_texts, stemmer=stemmer, return_ids=False, show_progress=False)
        found = []
        for terms in words:
            scores = model.get_scores(terms)
            best = np.argsort(-scores)[:k].tolist()
            found.append([(doc_ids[doc], float(scores[doc])) for doc in best if scores[doc] > 0])
        return found

    return searched(asked, folder, lap, search, "okapi", once=True)


def tantivy_peer(asked: argparse.Namespace, folder: Path, lap: Lap) -> Outcome:
    """Tantivy with its English analysis and its own k1 and b (1.2, .75)."""
    import tantivy  # type: ignore[import-not-found, unused-ignore] # a peer, installed by hand

    lap("import")
    builder = tantivy.SchemaBuilder()
    builder.add_text_field("id", stored=True, tokenizer_name="raw")
    builder.add_text_field("text", tokenizer_name="en_stem", index_option="freq")
    (folder / "tantivy").mkdir(exist_ok=True)
    index = tantivy.Index(builder.build(), path=str(folder / "tantivy"), reuse=False)
    writer = index.writer(num_threads=2)
    for row in rows(folder / "corpus.jsonl"):
        text = f"{row.get('title', '')} {row['text']}".strip()
        writer.add_document(tantivy.Document(id=[row["_id"]], text=[text]))
    writer.commit()
    writer.wait_merging_threads()
    index.reload()
    lap("index")
    searcher = index.searcher()

    def search(texts: list[str], k: int) -> Found:
        found = []
        for text in texts:
            query = index.parse_query(" ".join(re.findall(r"[^\W_]+", text.lower())), ["text"])
            hits = searcher.search(query, k, count=False).hits
            found.append([(searcher.doc(place)["id"][0], score) for score, place in hits])
        return found

    outcome = searched(asked, folder, lap, search, "tantivy")
    shutil.rmtree(folder / "tantivy")
    return outcome


def lucene_peer(asked: argparse.Namespace, folder: Path, lap: Lap) -> Outcome:
    """Lucene through Anserini's jar; the scores in its run have four decimals."""
    jar = os.environ["ANSERINI_JAR"]
    java = [str(Path(os.environ["JAVA_HOME"]) / "bin" / "java") if "JAVA_HOME" in os.environ else "java"]
    lap("import")
    place = folder / "lucene"
    (place / "in").mkdir(parents=True, exist_ok=True)
    if not (place / "in" / "corpus.jsonl").exists():
        (place / "in" / "corpus.jsonl").symlink_to(folder / "corpus.jsonl")

    def call(program: str, *words: str) -> None:
        command = [*java, "-Xmx4g", "-cp", jar, f"io.anserini.{program}", *words]
        subprocess.run(command, check=True, capture_output=True)

    call(
        "index.IndexCollection", "-collection", "BeirFlatCollection", "-input", str(place / "in"), "-index",
        str(place / "index"), "-generator", "DefaultLuceneDocumentGenerator", "-threads", "2",
    )  # fmt: skip
    lap("index")

    def search(texts: list[str], k: int) -> Found:
        lines = "".join(f"{number}\t{' '.join(text.split())}\n" for number, text in enumerate(texts))
        (place / "topics.tsv").write_text(lines, encoding="utf-8")
        call(
            "search.SearchCollection", "-index", str(place / "index"), "-topics", str(place / "topics.tsv"),
            "-topicReader", "TsvInt", "-output", str(place / "run.txt"), "-bm25", "-bm25.k1", "0.9",
            "-bm25.b", "0.4", "-hits", str(k), "-threads", "2",
        )  # fmt: skip
        found: Found = [[] for _ in texts]
        for line in (place / "run.txt").read_text(encoding="utf-8").splitlines():
            number, _, doc_id, _, score, _ = line.split()
            found[int(number)].append((doc_id, float(score)))
        return found

    outcome = searched(asked, folder, lap, search, "lucene", once=True)
    shutil.rmtree(place)
    outcome.shown["child MiB"] = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    return outcome


def searched(
    asked: argparse.Namespace, folder: Path, lap: Lap, search: Search, group: str, *, once: bool = False
) -> Outcome:
    """Ask every query at each k; figures, and the scores of each top 10 to be compared.

    ``once``: there is nothing to be warmed, or it takes too long to be asked again.
    """
    judged = qrels(folder, asked.split)
    queries = [row for row in rows(folder / "queries.jsonl") if not judged or row["_id"] in judged]
    texts = [row["text"] for row in queries]
    shown, found = {}, Found()
    if not once:
        search(texts[:20], K[0])
        lap("compile")
    for k in K:
        start = time.perf_counter()
        found = search(texts, k)
        took = time.perf_counter() - start
        lap(f"k={k}")
        shown[f"q/s {k}"] = len(texts) / took
    for k in () if once else K:
        took = median(timed(search, texts, k) for _ in range(asked.passes)) if asked.passes else 0
        shown |= {f"warm q/s {k}": len(texts) / took} if took else {}
    if judged:
        shown["nDCG@10"] = ndcg(judged, dict(zip((row["_id"] for row in queries), found, strict=True)))
    return Outcome(result=[group, [[score for _, score in row[:10]] for row in found]], shown=shown)


def timed(search: Search, texts: list[str], k: int) -> float:
    """Seconds of one pass."""
    start = time.perf_counter()
    search(texts, k)
    return time.perf_counter() - start


def ndcg(judged: dict[str, dict[str, int]], found: dict[str, list[tuple[str, float]]]) -> float:
    """nDCG@10 over all judged queries."""
    import pytrec_eval

    run = {query_id: dict(row) for query_id, row in found.items()}
    per_query = pytrec_eval.RelevanceEvaluator(judged, {"ndcg_cut.10"}).evaluate(run)
    return sum(row["ndcg_cut_10"] for row in per_query.values()) / len(judged)


def differ(a: Any, b: Any) -> str:
    """What differs within a group of peers that compute the same; ``a`` is the first of all."""
    for group, lists in (a, b):
        known = _first.setdefault(group, lists)
        for number, (one, other) in enumerate(zip(known, lists, strict=True)):
            if len(one) != len(other) or any(
                abs(x - y) > 2e-4 * max(1, x) for x, y in zip(one, other, strict=True)
            ):
                return f"query {number} of {group}: {one} and {other}"
    return ""


_first: dict[str, list[list[float]]] = {}


def listed(ids: list[list[str]], scores: list[list[float]]) -> Found:
    """Lists without what scores 0: bm25s fills them with it."""
    return [
        [(doc_id, score) for doc_id, score in zip(row, values, strict=True) if score > 0]
        for row, values in zip(ids, scores, strict=True)
    ]


def corpus(folder: Path) -> tuple[list[str], list[str]]:
    """Ids and flat texts of all documents."""
    ids, texts = [], []
    for row in rows(folder / "corpus.jsonl"):
        ids.append(row["_id"])
        texts.append(f"{row.get('title', '')} {row['text']}".strip())
    return ids, texts


def rows(path: Path) -> Iterator[dict[str, str]]:
    """The records of a JSON lines file."""
    with path.open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def qrels(folder: Path, split: str) -> dict[str, dict[str, int]]:
    """The judgments of the split; none of a corpus that was made."""
    judged: dict[str, dict[str, int]] = {}
    path = folder / "qrels" / f"{split}.tsv"
    if path.exists():
        with path.open(encoding="utf-8") as lines:
            next(lines)
            for line in lines:
                query_id, doc_id, grade = line.rstrip("\n").split("\t")
                judged.setdefault(query_id, {})[doc_id] = int(grade)
    return judged


bench = Bench(
    title="BM25 end to end",
    peers=(
        Peer("bm25s numba", bm25s_peer("numba"), "bm25s", "JIT cold"),
        Peer("bm25s numpy", bm25s_peer("numpy"), "bm25s"),
        Peer("beirkit bm25-mteb k1 .9 b .4", ours("bm25-mteb:k1=0.9,b=0.4", "words")),
        Peer("beirkit bm25", ours("bm25", "lucene"), state="JIT warm"),
        Peer(
            "beirkit bm25-mteb, kernels",
            ours("bm25-mteb:k1=0.9,b=0.4", "words", kernels=True),
            state="JIT warm",
        ),
        Peer("beirkit bm25, kernels", ours("bm25", "lucene", kernels=True), state="JIT warm"),
        Peer("tantivy", tantivy_peer, "tantivy"),
        *([Peer("Lucene", lucene_peer)] if "ANSERINI_JAR" in os.environ else []),
        Peer("rank-bm25", rank_bm25_peer, "rank-bm25"),
    ),
    make=make,
    options={"--data": "", "--split": "test", "--documents": 0, "--queries": 1000, "--passes": 9},
    differ=differ,
)
