"""Converting a collection of ids and texts between tabs, beside plain scripts that write JSON lines.

Both scripts split each line at its tab and write BEIR's keys, the bytes that beirkit writes: ``json.dumps``
with a call for every record, which the ratios are of, ``one encoder`` with an encoder that is made once. They
parse no JSON, and look at nothing, as those of ``convert_jsonl``.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

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
    """The same without the check, which goes along with the writing."""
    return by_us(folder, lap, check=False)


def by_us(folder: Path, lap: Lap, *, check: bool) -> Outcome:
    """What our converter gives."""
    options = {"queries": {"test": "queries.tsv"}, "qrels": {"test": "qrels.tsv"}}
    return converted("msmarco", folder, options, lap, check=check)


def dumps(asked: argparse.Namespace, folder: Path, lap: Lap) -> Outcome:
    """A call of json.dumps for every record, as most scripts do."""
    return scripted(folder, lap, partial(json.dumps, ensure_ascii=False))


def one_encoder(asked: argparse.Namespace, folder: Path, lap: Lap) -> Outcome:
    """As fast as the standard library can: json.dumps makes an encoder for every record."""
    return scripted(folder, lap, json.JSONEncoder(ensure_ascii=False).encode)


def scripted(folder: Path, lap: Lap, encode: Callable[[dict[str, Any]], str]) -> Outcome:
    """What such scripts do."""
    lap("import")
    out = folder.parent / f"{folder.name}.out"
    out.mkdir()
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
        Peer("json.dumps", dumps),
        Peer("one encoder", one_encoder),
        Peer("beirkit", ours),
        Peer("beirkit, unchecked", unchecked),
    ),
    make=make,
    options={"--documents": 400_000, "--queries": 1_000},
    rounds=2,
)
