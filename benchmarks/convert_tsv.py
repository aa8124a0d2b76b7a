"""Converting a collection of ids and texts between tabs, beside a plain script that writes JSON lines.

As in ``convert_jsonl``, the script looks at nothing.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from benchmarks.convert_jsonl import converted, outcome, passages
from benchmarks.harness import Bench, Lap, Outcome, Peer


def make(asked: argparse.Namespace, folder: Path) -> None:
    """MS MARCO's files: a collection, queries and judgments of one split."""
    with (folder / "collection.tsv").open("w", encoding="utf-8") as out:
        for doc_id, title, text in passages(asked.documents):
            out.write(f"{doc_id}\t{title} {text}\n")
    numbers = range(asked.queries)
    (folder / "queries.tsv").write_text("".join(f"q{number}\twhat is it\n" for number in numbers))
    judged = "".join(f"q{number}\t0\tdoc{number % asked.documents}\t1\n" for number in numbers)
    (folder / "qrels.tsv").write_text(judged)


def ours(asked: argparse.Namespace, folder: Path, lap: Lap) -> Outcome:
    """The whole way: hashes of what is read and written, content ids, ids found once, and the check."""
    return by_us(folder, lap, check=True)


def unchecked(asked: argparse.Namespace, folder: Path, lap: Lap) -> Outcome:
    """The same without the check of the folder that was made, which reads it again."""
    return by_us(folder, lap, check=False)


def by_us(folder: Path, lap: Lap, *, check: bool) -> Outcome:
    """What our converter gives."""
    options = {"queries": {"test": "queries.tsv"}, "qrels": {"test": "qrels.tsv"}}
    return converted("msmarco", folder, options, lap, check=check)


def script(asked: argparse.Namespace, folder: Path, lap: Lap) -> Outcome:
    """What such scripts do, with an encoder that is made once: json.dumps makes one for every record."""
    lap("import")
    out = folder.parent / f"{folder.name}.out"
    out.mkdir()
    encode = json.JSONEncoder(ensure_ascii=False).encode
    with (
        (folder / "collection.tsv").open(encoding="utf-8") as lines,
        (out / "corpus.jsonl").open("w", encoding="utf-8") as corpus,
    ):
        for line in lines:
            doc_id, text = line.rstrip("\n").split("\t", 1)
            corpus.write(encode({"_id": doc_id, "title": "", "text": text, "metadata": {}}) + "\n")
    lap("convert")
    return outcome(out)


bench = Bench(
    title="convert a table of ids and texts",
    peers=(
        Peer("json script", script),
        Peer("beirkit", ours),
        Peer("beirkit, unchecked", unchecked),
    ),
    make=make,
    options={"--documents": 400_000, "--queries": 1_000},
    rounds=2,
)
