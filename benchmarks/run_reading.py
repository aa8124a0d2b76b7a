"""Reading a TREC run: columns beside a dictionary of dictionaries."""

from __future__ import annotations

import argparse
import hashlib
from pathlib import Path

from benchmarks import metrics
from benchmarks.harness import Bench, Lap, Outcome, Peer


def make(asked: argparse.Namespace, folder: Path) -> None:
    """A run whose document ids are numbers, or ``long``: more than the eight bytes that are read fastest."""
    metrics.make(asked, folder)
    if asked.ids == "long":
        path = folder / "run.trec"
        fields = (line.split(" ") for line in path.read_text().splitlines())
        rows = (" ".join([*f[:2], f"{f[2][-2:]}-passage-{f[2]}", *f[3:]]) for f in fields)
        path.write_text("\n".join(rows) + "\n")


def ours(asked: argparse.Namespace, folder: Path, lap: Lap) -> Outcome:
    """A run in columns, duplicates found."""
    from beirkit.corpora.run_files import read_run

    lap("import")
    run = read_run(folder / "run.trec")
    lap("read")
    return Outcome(digest(run.to_dict()))


def dictionaries(asked: argparse.Namespace, folder: Path, lap: Lap) -> Outcome:
    """What most scripts do; a later copy of a result replaces the one before."""
    lap("import")
    run: dict[str, dict[str, float]] = {}
    with (folder / "run.trec").open() as lines:
        for line in lines:
            query_id, _, doc_id, _, score, _ = line.split()
            run.setdefault(query_id, {})[doc_id] = float(score)
    lap("read")
    return Outcome(digest(run))


def digest(run: dict[str, dict[str, float]]) -> str:
    """A hash of a run in its order."""
    total = hashlib.sha256()
    for query_id, row in run.items():
        total.update(repr((query_id, list(row.items()))).encode())
    return total.hexdigest()


bench = Bench(
    title="read a TREC run",
    peers=(Peer("dictionaries", dictionaries), Peer("beirkit", ours)),
    make=make,
    options={"--queries": 1000, "--depth": 1000, "--documents": metrics.DOCUMENTS, "--ids": "number"},
)
