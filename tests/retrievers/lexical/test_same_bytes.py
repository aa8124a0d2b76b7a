"""Blocks, processes and kernels change no byte of a run."""

from __future__ import annotations

import importlib.util
import os
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from beirkit.corpora.run import id_ranks, ranking_order
from beirkit.retrievers.lexical import lucene
from beirkit.retrievers.lexical.counts import CorpusStatistics, CountsBuilder
from beirkit.retrievers.lexical.lucene_analyzer import LuceneAnalyzer
from beirkit.retrievers.lexical.native import SWITCH
from tests.retrievers.lexical.corpora import random_documents

DOCUMENTS = random_documents(11, n=300)
QUERIES = ["w1 w2 w3", "w14 w14 w9", "nothing", "w11 w0", "w19"]

_RUN = """
import hashlib, pickle, sys
from beirkit.configs.spec import parse_retriever
from beirkit.corpora.records import Query
from beirkit.retrievers import store
from beirkit.retrievers.catalog import create
from beirkit.retrievers.lexical import merge, spill, stream
documents, queries, name, size = pickle.load(open(sys.argv[1], "rb"))
stream.blocks = lambda items, some=size: store.blocks(items, min(some, size))
if size == 1:
    merge.AT_ONCE, spill.IN_MEMORY = 3, 5
retriever = create(parse_retriever(name))
retriever.index(documents)
run = retriever.search([Query(str(n), text) for n, text in enumerate(queries)], 100)
digest = hashlib.sha256(run.docs.tobytes() + run.scores.tobytes() + run.offsets.tobytes()).hexdigest()
print(digest, run.n_results, "numba" in sys.modules)
"""

_SHARD = """
import pickle, sys
from beirkit.retrievers.lexical import lucene
from beirkit.retrievers.lexical.counts import CorpusStatistics, CountsBuilder
from beirkit.retrievers.lexical.lucene_analyzer import LuceneAnalyzer
import numpy as np
ids, texts, frequencies, documents, length, queries = pickle.load(open(sys.argv[1], "rb"))
analyzer = LuceneAnalyzer()
builder = CountsBuilder(analyzer)
builder.add(texts)
counts = builder.build()
here = np.array([frequencies[term] for term in counts.vocabulary])
whole = CorpusStatistics(documents=documents, length=length, frequencies=here)
index = lucene.weigh(ids, counts, whole, k1=0.9, b=0.4)
found = [lucene.search([(index, 1.0)], analyzer.terms(query), 100) for query in queries]
pickle.dump([([ids[doc] for doc in docs], scores) for docs, scores in found], open(sys.argv[2], "wb"))
"""


def _process(script: str, *words: str, **environment: str) -> str:
    command = [sys.executable, "-P", "-c", script, *words]
    done = subprocess.run(
        command, env={**os.environ, **environment}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["bm25", "bm25-lucene-multifield", "bm25-mteb:variant=bm25+", "bm25f", "bm25-rm3"]
)
def test_runs_are_the_same_whatever_the_blocks_the_process_and_the_kernels(tmp_path: Path, name: str) -> None:
    told = set()
    kernels = ["0", "1"] if importlib.util.find_spec("numba") else ["0"]
    for seed, size, switch in [
        ("1", 1000, "0"),
        ("2", 1, "0"),
        ("3", 7, kernels[-1]),
        ("4", 1000, kernels[-1]),
    ]:
        given = tmp_path / "given"
        given.write_bytes(pickle.dumps((DOCUMENTS, QUERIES, name, size)))
        digest, results, loaded = _process(_RUN, str(given), PYTHONHASHSEED=seed, **{SWITCH: switch}).split()
        assert loaded == str(switch == "1")
        told.add((digest, results))
    [(_, results)] = told
    assert int(results) > 300


def test_two_processes_with_a_half_each_give_the_lists_of_one(tmp_path: Path) -> None:
    """Each weighs its half by the statistics of the whole; the lists are merged by the one ordering rule."""
    ids = [document.doc_id for document in DOCUMENTS]
    texts = [f"{document.title} {document.text}" for document in DOCUMENTS]
    analyzer = LuceneAnalyzer()

    def counted(part: list[str]) -> Any:
        builder = CountsBuilder(analyzer)
        builder.add(part)
        return builder.build()

    halves = [slice(0, 130), slice(130, 300)]
    parts = [counted(texts[half]) for half in halves]
    frequencies: dict[str, int] = {}
    for part in parts:
        for term, number in part.vocabulary.items():
            frequencies[term] = frequencies.get(term, 0) + int(part.indptr[number + 1] - part.indptr[number])
    with_terms = sum(int((part.lengths > 0).sum()) for part in parts)
    length = sum(int(part.lengths.sum()) for part in parts)
    running = []
    for number, half in enumerate(halves):
        given = (ids[half], texts[half], frequencies, with_terms, length, QUERIES)
        (tmp_path / f"given-{number}").write_bytes(pickle.dumps(given))
        words = [str(tmp_path / f"{what}-{number}") for what in ("given", "found")]
        running.append(subprocess.Popen([sys.executable, "-P", "-c", _SHARD, *words]))
    assert [process.wait() for process in running] == [0, 0]
    shards = [pickle.loads((tmp_path / f"found-{number}").read_bytes()) for number in range(2)]

    counts = counted(texts)
    whole = CorpusStatistics(
        documents=with_terms,
        length=length,
        frequencies=np.array([frequencies[term] for term in counts.vocabulary]),
    )
    index = lucene.weigh(ids, counts, whole, k1=0.9, b=0.4)
    ranks = dict(zip(ids, id_ranks(ids).tolist(), strict=True))
    for place, query in enumerate(QUERIES):
        docs, scores = lucene.search([(index, 1.0)], analyzer.terms(query), 100)
        found = [doc for shard in shards for doc in shard[place][0]]
        merged = np.concatenate([shard[place][1] for shard in shards])
        order = ranking_order(merged, np.array([ranks[doc] for doc in found], dtype=np.int32))[:100]
        assert [found[row] for row in order] == [ids[doc] for doc in docs]
        assert merged[order].tobytes() == scores.tobytes()
