"""A result small enough to write every file of a submission by hand."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from beirkit.corpora.manifest import ContentId
from beirkit.corpora.records import Judgment, Qrels
from beirkit.corpora.run import Run
from beirkit.corpora.run_files import read_run, run_file_name, write_run
from beirkit.evaluate.engine import evaluate
from beirkit.evaluate.exports.base import Entry, Problem
from beirkit.evaluate.measures import Measure
from beirkit.evaluate.protocol import Protocol
from beirkit.evaluate.scores import Scores
from tests.house.tree import CHECKOUT

GOLDEN = CHECKOUT / "tests" / "fixtures" / "submissions"

QRELS: Qrels = {"q1": {"d1": 2, "d3": 1}, "q2": {"d2": 1}, "q3": {"d3": 1}}
# q2 stands in the corpus itself; d4 and d5 tie for q3
LISTS = {
    "q1": {"d1": 3.5, "d2": 1.25, "d3": 1.0},
    "q2": {"q2": 9.0, "d2": 2.0, "d5": 0.1},
    "q3": {"d4": 0.5, "d5": 0.5, "d3": 0.25},
}


def make_entry(
    folder: Path,
    *,
    lists: Mapping[str, Mapping[str, float]] = LISTS,
    qrels: Qrels = QRELS,
    system: str = "bm25",
    dataset: str = "birds",
    split: str = "test",
    depth: int = 10,
    **others: Any,
) -> Entry:
    """A result as ``beirkit run`` keeps it, in ``folder/DATASET@SPLIT/SYSTEM--00000000``."""
    place = folder / f"{dataset}@{split}" / f"{system}--00000000"
    place.mkdir(parents=True)
    run = replace(Run.from_dict(lists), tag=system.replace(" ", "-"))
    run_file = place / run_file_name(run)
    write_run(run, run_file)
    judged = ContentId()
    for query_id, row in qrels.items():
        for doc_id, grade in row.items():
            judged.add_judgment(Judgment(query_id, doc_id, grade))
    content = {"corpus": "c" * 64, "queries": "d" * 64, f"qrels/{split}": judged.hexdigest()}
    manifest = {
        "key": "0" * 64,
        "dataset": dataset,
        "split": split,
        "content_ids": content,
        "retriever": {"kind": "bm25", "k1": 0.9, "analyzer": {"name": "words", "hash": "a" * 64}},
        "stage": 1,
        "k": depth,
        "name": system,
        "report": {},
        "queries": len(qrels),
        "self_match": {"rule": "dataset", "query_ids": ["q2"]},
        "sample": None,
        "versions": {"python": "3.11.0", "beirkit": "0.1.0"},
    }
    (place / "manifest.json").write_text(json.dumps(manifest, indent=2) + "\n", encoding="utf-8")
    kept = read_run(run_file).including(qrels)

    def take(protocol: Protocol, measures: Sequence[Measure]) -> Scores:
        return evaluate(qrels, kept, measures, protocol, self_match_ids={"q2"}, depth=depth)

    facts: dict[str, Any] = {
        "dataset": dataset,
        "split": split,
        "system": system,
        "manifest": manifest,
        "timings": {"seconds": {"index": 1.5, "search": 0.25}, "dataset_folder": "/home/ann/private"},
        "run": kept,
        "run_file": run_file,
        "qrels": qrels,
        "query_texts": {query_id: f"text of {query_id}" for query_id in qrels},
        "content_ids": content,
        "take": take,
        "folder": place,
        "depth": depth,
        "cite": lambda: "% dataset birds: licence not stated\n\n@misc{a,\n  title = {{A}},\n}\n",
    }
    return Entry(**{**facts, **others})


def tree(folder: Path) -> dict[str, bytes]:
    """Every file of a folder by name; those of a zip stand behind its name and an exclamation mark."""
    found: dict[str, bytes] = {}
    for path in sorted(one for one in folder.rglob("*") if one.is_file()):
        name = path.relative_to(folder).as_posix()
        if path.suffix != ".zip":
            found[name] = path.read_bytes()
            continue
        with zipfile.ZipFile(path) as opened:
            found |= {f"{name}!{inside}": opened.read(inside) for inside in opened.namelist()}
    return found


def golden(name: str) -> dict[str, bytes]:
    """The files that a target must write, byte for byte; the folder of a zip ends in ``.zip!``."""
    found = tree(GOLDEN / name)
    return {path.replace(".zip!/", ".zip!"): data for path, data in found.items()}


def told(problems: Sequence[Problem], severity: str = "error") -> list[str]:
    """Key and what was found of each problem of one severity."""
    return [f"{one.key}: {one.found}" for one in problems if one.severity == severity]


def changed(data: bytes, old: str, new: str) -> bytes:
    """A text with one part of it replaced, which must stand there."""
    assert old.encode() in data, old
    return data.replace(old.encode(), new.encode(), 1)
