"""Our exact search beside faiss's flat index, on made-up vectors: time, peak memory, equal results."""

from __future__ import annotations

import argparse
from importlib import import_module
from pathlib import Path

import numpy as np
import numpy.typing as npt

from benchmarks.harness import Bench, Lap, Outcome, Peer

DIMENSIONS = 384


def make(asked: argparse.Namespace, folder: Path) -> None:
    """Vectors around random centres, in the store's blocks and as one array."""
    from beirkit.retrievers.store import BLOCK, Store

    rng = np.random.default_rng(1)
    centres = rng.standard_normal((2000, DIMENSIONS), dtype=np.float32)
    section = Store(folder).section("embeddings", {"benchmark": 1})
    whole = np.lib.format.open_memmap(
        folder / "whole.npy", mode="w+", dtype=np.float32, shape=(asked.documents, DIMENSIONS)
    )
    for start in range(0, asked.documents, BLOCK):
        size = min(BLOCK, asked.documents - start)
        whole[start : start + size] = around(centres, size, rng)
        section.put(str(start), whole[start : start + size], {"norm": 1.0 + 1e-6})
    whole.flush()
    np.save(folder / "queries.npy", around(centres, asked.queries, rng))


def around(centres: npt.NDArray[np.float32], n: int, rng: np.random.Generator) -> npt.NDArray[np.float32]:
    """``(n, dim)`` unit vectors near some of the centres."""
    from beirkit.retrievers.dense.vectors import unit

    noise = rng.standard_normal((n, DIMENSIONS), dtype=np.float32)
    return unit(centres[rng.integers(0, len(centres), n)] + noise)


def ours(asked: argparse.Namespace, folder: Path, lap: Lap) -> Outcome:
    """Search the store's blocks where they lie."""
    from beirkit.corpora.run import id_ranks
    from beirkit.retrievers.dense.exact import exact_top_k
    from beirkit.retrievers.dense.vectors import VectorBlock
    from beirkit.retrievers.store import BLOCK, Store

    queries = np.load(folder / "queries.npy")
    section = Store(folder).section("embeddings", {"benchmark": 1})
    ranks = id_ranks([str(number) for number in range(asked.documents)])
    import_module("faiss")  # as the other does before its clock starts
    lap("import")
    found = [section.get(str(start)) for start in range(0, asked.documents, BLOCK)]
    docs, scores = exact_top_k(queries, [VectorBlock(block) for block in found if block], ranks, asked.k)
    lap("search")
    return Outcome([docs.tolist(), scores.tolist()])


def flat(asked: argparse.Namespace, folder: Path, lap: Lap) -> Outcome:
    """Faiss's own index; filling it is no work here."""
    import faiss

    queries = np.load(folder / "queries.npy")
    index = faiss.IndexFlatIP(DIMENSIONS)
    index.add(np.load(folder / "whole.npy"))
    lap("import")
    scores, docs = index.search(queries, asked.k)
    lap("search")
    return Outcome([docs.tolist(), scores.tolist()])


def differ(a: list[list[list[float]]], b: list[list[list[float]]]) -> str:
    """Where two results are not the same but for neighbours that the last bits of a sum put in another order.

    The scores must be equal place by place, within what float32 sums of products of unit vectors may be off;
    a document that only one result has must have a score so near the last one.
    """
    off = 2e-6
    scores, others = np.array(a[1]), np.array(b[1])
    wrong = int((np.abs(scores - others) > off).sum())
    for docs, mine, theirs in zip(a[0], scores, b[0], strict=True):
        alone = ~np.isin(docs, theirs)
        wrong += int((mine[alone] > mine[-1] + off).sum())
    return f"{wrong} places" if wrong else ""


bench = Bench(
    title="exact search of made-up vectors",
    peers=(Peer("faiss flat", flat, "faiss-cpu"), Peer("beirkit", ours)),
    make=make,
    options={"--documents": 100_000, "--queries": 1_000, "--k": 100},
    differ=differ,
    rounds=2,
)
