"""Reading and writing files: against a bare msgspec loop, and against a dictionary of dictionaries.

Prints the best of three seconds for each; nothing is kept.
"""

from __future__ import annotations

import json
import random
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from beirkit.corpora.folder import open_folder, write_folder
from beirkit.corpora.run_files import read_run, write_run

DOCUMENTS = 100_000
QUERIES, DEPTH, POOL = 500, 1_000, 20_000


class Line(msgspec.Struct):
    """A corpus line as msgspec alone would read it: ids must be strings, other keys are lost."""

    _id: str
    title: str
    text: str
    metadata: dict[str, Any]


def main() -> None:
    """Make the files, time every way of reading them."""
    with tempfile.TemporaryDirectory() as folder:
        corpus(Path(folder))
        run(Path(folder))


def corpus(folder: Path) -> None:
    """A corpus of abstracts' length."""
    draw = random.Random(1)
    words = ["".join(draw.choices("abcdefgh", k=draw.randint(2, 10))) for _ in range(5_000)]
    with (folder / "corpus.jsonl").open("w") as out:
        for number in range(DOCUMENTS):
            line = {
                "_id": str(number),
                "title": "t",
                "text": " ".join(draw.choices(words, k=150)),
                "metadata": {},
            }
            out.write(json.dumps(line) + "\n")
    (folder / "queries.jsonl").write_text("")
    decode = msgspec.json.Decoder(Line).decode

    def bare() -> int:
        with (folder / "corpus.jsonl").open("rb") as lines:
            return len([None for line in lines if decode(line)._id])

    print(f"corpus of {DOCUMENTS:,} documents")
    best("  bare msgspec loop", bare)
    best("  beirkit, each id once", lambda: sum(1 for _ in open_folder(folder).documents()))
    best(
        "  beirkit, read and written", lambda: write_folder(open_folder(folder), folder / f"{time.time_ns()}")
    )


def run(folder: Path) -> None:
    """A run of QUERIES x DEPTH lines over a pool of documents."""
    draw = random.Random(2)
    path = folder / "run.trec"
    with path.open("w") as out:
        for query in range(QUERIES):
            for rank, doc in enumerate(draw.sample(range(POOL), DEPTH), 1):
                out.write(f"q{query} Q0 doc{doc:07d} {rank} {1 / (rank + draw.random())} bench\n")

    def dictionaries() -> dict[str, dict[str, float]]:
        read: dict[str, dict[str, float]] = {}
        with path.open() as lines:
            for line in lines:
                query_id, _, doc_id, _, score, _ = line.split()
                read.setdefault(query_id, {})[doc_id] = float(score)
        return read

    print(f"run of {QUERIES * DEPTH:,} lines")
    best("  dictionary of dictionaries", dictionaries)
    best("  beirkit, columns", lambda: read_run(path))
    columns = read_run(path)
    best("  beirkit, written", lambda: write_run(columns, folder / "copy.trec"))


def best(label: str, work: Callable[[], object]) -> None:
    """Print the best of three."""
    seconds: list[float] = []
    for _ in range(3):
        start = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - start)
    print(f"{label:30} {min(seconds):6.2f} s")


if __name__ == "__main__":
    main()
