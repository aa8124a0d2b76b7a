"""Converting JSON lines with keys of their own: beside a plain script that only reads and writes them.

The script knows nothing of repeated ids, damaged lines, hashes or content ids, nor waits for the disk. A
large corpus is counted by a second process of beirkit's, where there is a processor for it.

``--documents 5000000 --rounds 1`` takes some minutes and 7 GB of disk in the folder of temporary files.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import logging
import random
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.harness import Bench, Lap, Outcome, Peer

KEYS = {"_id": "docid", "title": "headline", "text": "body"}


def passages(count: int) -> Iterator[tuple[str, str, str]]:
    """Id, title and text of made-up passages of some 60 words; one in ten is not ASCII."""
    draw = random.Random(1)
    words = ["".join(draw.choices("abcdefghi", k=draw.randint(2, 10))) for _ in range(5_000)]
    pool = [" ".join(draw.choices(words, k=20)) for _ in range(20_000)]  # of which making millions is quick
    for number in range(count):
        text = " ".join(draw.choices(pool, k=draw.randint(2, 4)))
        yield f"doc{number}", f"title of {number}", f"{text} café" if number % 10 == 0 else text


def make(asked: argparse.Namespace, folder: Path) -> None:
    """A folder in BEIR's form whose corpus has other keys."""
    with (folder / "corpus.jsonl").open("w", encoding="utf-8") as out:
        for doc_id, title, text in passages(asked.documents):
            record = {"docid": doc_id, "headline": title, "body": text}
            out.write(json.dumps(record, ensure_ascii=False) + "\n")
    make_questions(folder / "queries.jsonl", folder / "qrels" / "test.tsv", asked)


def make_questions(queries: Path, qrels: Path, asked: argparse.Namespace) -> None:
    """As many queries as were asked for, each with a judgment."""
    with queries.open("w") as out:
        for number in range(asked.queries):
            out.write(json.dumps({"_id": f"q{number}", "text": "what is it"}) + "\n")
    qrels.parent.mkdir(exist_ok=True)
    judged = "".join(f"q{n}\tdoc{n % asked.documents}\t1\n" for n in range(asked.queries))
    qrels.write_text(f"query-id\tcorpus-id\tscore\n{judged}")


def ours(asked: argparse.Namespace, folder: Path, lap: Lap) -> Outcome:
    """The whole way: hashes of what is read and written, content ids, ids found once, and the check."""
    return converted("beir", folder, {"corpus_keys": KEYS}, lap, check=True)


def unchecked(asked: argparse.Namespace, folder: Path, lap: Lap) -> Outcome:
    """The same without the check of the folder that was made, which reads it again."""
    return converted("beir", folder, {"corpus_keys": KEYS}, lap, check=False)


def converted(source: str, raw: Path, options: dict[str, Any], lap: Lap, *, check: bool) -> Outcome:
    """What a converter of ours gives."""
    from beirkit.conversion import convert_source
    from beirkit.converters import catalog

    catalog.get(source)
    logging.disable()  # of what a dataset of this format should hold
    lap("import")
    out, _ = convert_source(source, raw, raw.parent / f"{raw.name}.out", options, check=check)
    lap("convert")
    return outcome(out)


def script(asked: argparse.Namespace, folder: Path, lap: Lap) -> Outcome:
    """What such scripts do, with an encoder that is made once: json.dumps makes one for every record."""
    lap("import")
    out = folder.parent / f"{folder.name}.out"
    out.mkdir()
    encode = json.JSONEncoder(ensure_ascii=False).encode
    with (
        (folder / "corpus.jsonl").open(encoding="utf-8") as lines,
        (out / "corpus.jsonl").open("w", encoding="utf-8") as corpus,
    ):
        for line in lines:
            record = json.loads(line)
            fields = {"_id": record["docid"], "title": record["headline"], "text": record["body"]}
            corpus.write(encode({**fields, "metadata": {}}) + "\n")
    lap("convert")
    return outcome(out)


def outcome(out: Path) -> Outcome:
    """The hash of a corpus, whose folder is removed then."""
    with (out / "corpus.jsonl").open("rb") as corpus:
        found = hashlib.file_digest(corpus, "sha256").hexdigest()
    shutil.rmtree(out)
    return Outcome(found)


bench = Bench(
    title="convert JSON lines",
    peers=(
        Peer("json script", script),
        Peer("beirkit", ours),
        Peer("beirkit, unchecked", unchecked),
    ),
    make=make,
    options={"--documents": 400_000, "--queries": 1_000},
    rounds=2,
)
