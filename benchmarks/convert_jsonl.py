"""Converting JSON lines with keys of their own: beside plain scripts that only read and write them.

``json.loads and dumps`` writes every line as it was read: what reading and writing the file with the standard
library's json takes, and what the ratios are of. ``one encoder`` writes BEIR's keys, the bytes that beirkit
writes, and makes its encoder once: json.dumps makes one for every record where it is not to escape. Neither
knows of repeated ids, damaged lines, hashes or content ids, checks what it made, or waits for the disk.

beirkit counts a large corpus in a second process, where a processor is free for it: not on a busy machine.

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
    """The same without the check, which goes along with the writing."""
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


def read_and_written(asked: argparse.Namespace, folder: Path, lap: Lap) -> Outcome:
    """Every line read and written again, whatever it says; the file has other keys than BEIR's."""
    lap("import")
    with (
        (folder / "corpus.jsonl").open(encoding="utf-8") as lines,
        (folder / "again.jsonl").open("w", encoding="utf-8") as out,
    ):
        for line in lines:
            out.write(json.dumps(json.loads(line), ensure_ascii=False) + "\n")
    lap("convert")
    (folder / "again.jsonl").unlink()
    return Outcome()


def one_encoder(asked: argparse.Namespace, folder: Path, lap: Lap) -> Outcome:
    """What a script does that writes BEIR's form as fast as the standard library can."""
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
        Peer("json.loads and dumps", read_and_written),
        Peer("one encoder", one_encoder),
        Peer("beirkit", ours),
        Peer("beirkit, unchecked", unchecked),
    ),
    make=make,
    options={"--documents": 400_000, "--queries": 1_000},
    rounds=2,
)
