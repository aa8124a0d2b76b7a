"""Our exact MaxSim beside that of sentence-transformers, on made-up token vectors: time, memory, results."""

from __future__ import annotations

import argparse
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks.dense_search import differ as differ_by_products
from benchmarks.harness import Bench, Lap, Outcome, Peer

WORDS = 2000
QUERY_TOKENS = 32
DOCUMENT_TOKENS = 100
"""On average; from half of it to half as many again."""


def make(asked: argparse.Namespace, folder: Path) -> None:
    """Token vectors near those of words, in the store's blocks; words are as frequent as in text."""
    from beirkit.retrievers.late.kept import BLOCK
    from beirkit.retrievers.store import Store

    rng = np.random.default_rng(1)
    words = rng.standard_normal((WORDS, asked.dimensions), dtype=np.float32)
    section = Store(folder).section("tokens", {"benchmark": 1})
    for start in range(0, asked.documents, BLOCK):
        size = min(BLOCK, asked.documents - start)
        counts = rng.integers(DOCUMENT_TOKENS // 2, DOCUMENT_TOKENS * 3 // 2, size)
        numbers = rng.zipf(1.3, int(counts.sum())) % WORDS
        facts = {"counts": counts.tolist(), "norm": 1.0 + 1e-6, "limit": None, "truncated": 0}
        section.put(str(start), near(words[numbers], rng), facts)
    chosen = rng.integers(0, WORDS, asked.queries * QUERY_TOKENS)
    np.save(folder / "queries.npy", near(words[chosen], rng))


def near(words: npt.NDArray[np.float32], rng: np.random.Generator) -> npt.NDArray[np.float32]:
    """``(n, dim)`` unit vectors near these."""
    from beirkit.retrievers.dense.vectors import unit

    return unit(words + np.float32(0.6) * rng.standard_normal(words.shape, dtype=np.float32))


def ours(asked: argparse.Namespace, folder: Path, lap: Lap) -> Outcome:
    """Search the store's blocks where they lie."""
    from beirkit.corpora.run import id_ranks
    from beirkit.retrievers.late.kept import BLOCK, TokenBlock
    from beirkit.retrievers.late.maxsim import maxsim_top_k
    from beirkit.retrievers.late.scores import Queries
    from beirkit.retrievers.store import Store

    vectors = np.load(folder / "queries.npy")
    queries = Queries(np.full(asked.queries, QUERY_TOKENS), vectors)
    section = Store(folder).section("tokens", {"benchmark": 1})
    ranks = id_ranks([str(number) for number in range(asked.documents)])
    import_module("sentence_transformers.util.similarity")  # as the other does before its clock starts
    found = [section.get(str(start)) for start in range(0, asked.documents, BLOCK)]
    blocks = [TokenBlock(block) for block in found if block]
    lap("import")
    best = maxsim_top_k(queries, blocks, ranks, asked.k, threads=asked.threads)
    lap("search")
    return Outcome([[docs.tolist() for docs, _ in best], [scores.tolist() for _, scores in best]])


def theirs(asked: argparse.Namespace, folder: Path, lap: Lap) -> Outcome:
    """sentence-transformers' own function; reading the vectors into memory is no work here."""
    from beirkit.retrievers.late.kept import BLOCK, TokenBlock
    from beirkit.retrievers.store import Store

    torch: Any = import_module("torch")
    maxsim = import_module("sentence_transformers.util.similarity").maxsim
    torch.set_num_threads(asked.threads)
    vectors = torch.from_numpy(np.load(folder / "queries.npy"))
    queries = list(vectors.view(asked.queries, QUERY_TOKENS, -1))
    section = Store(folder).section("tokens", {"benchmark": 1})
    documents: list[Any] = []
    for start in range(0, asked.documents, BLOCK):
        block = section.get(str(start))
        assert block is not None
        counts = TokenBlock(block).counts.tolist()
        documents += torch.from_numpy(np.array(block.array)).split(counts)
    lap("import")
    scores, docs = maxsim(queries, documents).topk(asked.k)
    lap("search")
    return Outcome([docs.tolist(), scores.tolist()])


def differ(a: list[list[list[float]]], b: list[list[list[float]]]) -> str:
    """As of single products, of which a score here sums up as many as a query has vectors."""
    return differ_by_products(*([part[0], (np.array(part[1]) / QUERY_TOKENS).tolist()] for part in (a, b)))


bench = Bench(
    title="exact MaxSim of made-up token vectors",
    peers=(Peer("sentence-transformers", theirs, "sentence-transformers"), Peer("beirkit", ours)),
    make=make,
    options={"--documents": 20_000, "--queries": 50, "--dimensions": 96, "--k": 100, "--threads": 2},
    differ=differ,
    rounds=2,
)
