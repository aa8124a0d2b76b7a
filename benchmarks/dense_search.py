"""Our exact search beside faiss's flat index, on made-up vectors: time, peak memory, equal results.

Each side runs in a process of its own, in turn, so that its peak memory is its own.

    python -P benchmarks/dense_search.py --documents 200000 --queries 1000 --k 100 --k 1000
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from beirkit.corpora.run import id_ranks
from beirkit.retrievers.dense.exact import exact_top_k
from beirkit.retrievers.dense.vectors import VectorBlock, unit
from beirkit.retrievers.store import BLOCK, Store

DIMENSIONS = 384


def main() -> None:
    """Make the vectors, run both sides in turn, print the ratios."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=200_000)
    parser.add_argument("--queries", type=int, default=1_000)
    parser.add_argument("--k", type=int, action="append")
    parser.add_argument("--repeats", type=int, default=2)
    parser.add_argument("--side", choices=("ours", "flat"), help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.side:
        one_side(asked.side, asked.folder, asked.k[0], asked.documents)
        return
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        make(folder, asked.documents, asked.queries)
        for k in asked.k or [100, 1000]:
            seconds: dict[str, list[float]] = {"ours": [], "flat": []}
            memory: dict[str, int] = {}
            for _ in range(asked.repeats):
                for side in seconds:
                    told = in_process(side, folder, k, asked.documents)
                    seconds[side].append(told["seconds"])
                    memory[side] = told["peak_mb"]
            ours, flat = min(seconds["ours"]), min(seconds["flat"])
            differ = int((np.load(folder / "ours.npy") != np.load(folder / "flat.npy")).sum())
            print(
                f"k={k}: ours {ours:.2f} s {memory['ours']} MB, faiss flat {flat:.2f} s {memory['flat']} MB, "
                f"speed ratio {flat / ours:.2f}, memory ratio {memory['ours'] / memory['flat']:.2f}, "
                f"places that differ {differ} of {k * asked.queries}"
            )


def make(folder: Path, documents: int, queries: int) -> None:
    """Vectors around random centres, in the store's blocks and as one array."""
    rng = np.random.default_rng(1)
    centres = rng.standard_normal((2000, DIMENSIONS), dtype=np.float32)
    section = Store(folder).section("embeddings", {"benchmark": 1})
    whole = np.lib.format.open_memmap(
        folder / "whole.npy", mode="w+", dtype=np.float32, shape=(documents, DIMENSIONS)
    )
    for start in range(0, documents, BLOCK):
        size = min(BLOCK, documents - start)
        whole[start : start + size] = around(centres, size, rng)
        section.put(str(start), whole[start : start + size], {"norm": 1.0 + 1e-6})
    whole.flush()
    np.save(folder / "queries.npy", around(centres, queries, rng))


def around(centres: npt.NDArray[np.float32], n: int, rng: np.random.Generator) -> npt.NDArray[np.float32]:
    """``(n, dim)`` unit vectors near some of the centres."""
    noise = rng.standard_normal((n, DIMENSIONS), dtype=np.float32)
    return unit(centres[rng.integers(0, len(centres), n)] + noise)


def one_side(side: str, folder: Path, k: int, documents: int) -> None:
    """Search once and tell time and peak memory."""
    import faiss

    queries = np.load(folder / "queries.npy")
    ids = [str(number) for number in range(documents)]
    if side == "ours":
        section = Store(folder).section("embeddings", {"benchmark": 1})
        ranks = id_ranks(ids)
        started = time.perf_counter()
        found = [section.get(str(start)) for start in range(0, documents, BLOCK)]
        docs, _ = exact_top_k(queries, [VectorBlock(block) for block in found if block], ranks, k)
    else:
        index = faiss.IndexFlatIP(DIMENSIONS)
        index.add(np.load(folder / "whole.npy"))
        started = time.perf_counter()
        _, docs = index.search(queries, k)
    seconds = time.perf_counter() - started
    np.save(folder / f"{side}.npy", docs)
    print(json.dumps({"seconds": seconds, "peak_mb": peak_mb()}))


def peak_mb() -> int:
    """Peak memory of this process in MB; getrusage would count what its parent held when it was started."""
    status = Path("/proc/self/status")
    if not status.exists():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    line = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM"))
    return int(line.split()[1]) // 1024


def in_process(side: str, folder: Path, k: int, documents: int) -> dict[str, Any]:
    """Run one side in a process of its own."""
    command = [sys.executable, "-P", __file__, "--side", side, "--folder", str(folder), "--k", str(k)]
    made = subprocess.run(
        [*command, "--documents", str(documents)], check=True, capture_output=True, text=True
    )
    told: dict[str, Any] = json.loads(made.stdout)
    return told


if __name__ == "__main__":
    main()
