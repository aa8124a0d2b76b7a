"""Reading a BEIR folder, every id found once: beside beir's loader, datasets and a bare msgspec loop.

Only beirkit finds ids that stand twice; the others keep the last or both. The judgments are read too where a
peer reads them.

What dictionaries cost grows with the corpus; ``--documents 500000 --rounds 1`` takes a minute. With
``--repeated 2000`` as many documents stand there twice, with ``--beyond-ascii 1`` no text is ASCII (one ``é``
each), with ``--alphabet абвгдежзи`` the words are of these letters.
"""

from __future__ import annotations

import argparse
import json
import os
import random
from pathlib import Path
from typing import Any

from benchmarks.harness import Bench, Lap, Outcome, Peer


def make(asked: argparse.Namespace, folder: Path) -> None:
    """A corpus of made-up words whose texts have the length of abstracts, queries and judgments."""
    draw = random.Random(1)
    words = ["".join(draw.choices(asked.alphabet, k=draw.randint(2, 10))) for _ in range(5_000)]
    every = asked.documents // asked.repeated if asked.repeated else 0
    earlier = ""
    with (folder / "corpus.jsonl").open("w", encoding="utf-8") as out:
        for number in range(asked.documents):
            text = " ".join(draw.choices(words, k=draw.randint(50, 250)))
            text += " café" * (number % asked.beyond_ascii == 0)  # most English texts are ASCII
            fields = {"_id": f"doc{number}", "title": "a title", "text": text, "metadata": {}}
            line = json.dumps(fields, ensure_ascii=False) + "\n"
            out.write(line)
            if every and number % every == every - 1:
                out.write(earlier)
                earlier = line
            earlier = earlier or line
    with (folder / "queries.jsonl").open("w", encoding="utf-8") as out:
        for number in range(asked.queries):
            out.write(json.dumps({"_id": f"q{number}", "text": "what is it", "metadata": {}}) + "\n")
    (folder / "qrels").mkdir()
    with (folder / "qrels" / "test.tsv").open("w") as out:
        out.write("query-id\tcorpus-id\tscore\n")
        for number in range(asked.queries):
            for doc in draw.sample(range(asked.documents), 10):
                out.write(f"q{number}\tdoc{doc}\t{draw.randint(1, 3)}\n")


def ours(asked: argparse.Namespace, folder: Path, lap: Lap) -> Outcome:
    """A pass over each stream, as all of beirkit reads."""
    from beirkit.corpora.folder import open_folder

    lap("import")
    collection = open_folder(folder)
    documents = characters = 0
    for document in collection.documents():
        documents += 1
        characters += len(document.title) + len(document.text)
    queries = sum(1 for _ in collection.queries())
    grades = sum(judgment.relevance for judgment in collection.judgments("test"))
    lap("read")
    return Outcome([documents, characters, queries, grades])


def beir(asked: argparse.Namespace, folder: Path, lap: Lap) -> Outcome:
    """The loader of the beir package: three dictionaries."""
    os.environ["TQDM_DISABLE"] = "1"  # as beirkit, which shows no progress here
    from beir.datasets.data_loader import GenericDataLoader

    lap("import")
    corpus, queries, qrels = GenericDataLoader(str(folder)).load(split="test")
    characters = sum(len(document["title"]) + len(document["text"]) for document in corpus.values())
    grades = sum(grade for row in qrels.values() for grade in row.values())
    lap("read")
    return Outcome([len(corpus), characters, len(queries), grades])


def hugging_face(asked: argparse.Namespace, folder: Path, lap: Lap) -> Outcome:
    """The datasets package: converted into its cache, then one pass; corpus and queries only."""
    import datasets

    datasets.disable_progress_bars()
    lap("import")

    def table(name: str) -> Any:
        cache = str(folder / f"cache-{random.random()}")  # the first load is what is measured
        return datasets.load_dataset("json", data_files=str(folder / name), split="train", cache_dir=cache)

    characters = documents = 0
    for row in table("corpus.jsonl"):
        documents += 1
        characters += len(row["title"]) + len(row["text"])
    queries = len(table("queries.jsonl"))
    lap("read")
    return Outcome([documents, characters, queries])


def bare(asked: argparse.Namespace, folder: Path, lap: Lap) -> Outcome:
    """A msgspec loop that looks at nothing: what reading the corpus alone costs at least."""
    import msgspec

    line = msgspec.defstruct("Line", [("title", str), ("text", str)], gc=False)
    decode = msgspec.json.Decoder(line).decode
    lap("import")
    documents = characters = 0
    with (folder / "corpus.jsonl").open("rb") as lines:
        for one in map(decode, lines):
            documents += 1
            characters += len(one.title) + len(one.text)  # type: ignore[attr-defined]  # of the struct made above
    lap("read")
    return Outcome([documents, characters])


def differ(a: list[int], b: list[int]) -> str:
    """Whether what both counted differs."""
    return "" if all(x == y for x, y in zip(a, b, strict=False)) else f"{a} and {b}"


bench = Bench(
    title="read a BEIR folder",
    peers=(
        Peer("beir loader", beir, "beir"),
        Peer("beirkit", ours),
        Peer("datasets", hugging_face, "datasets", "cache cold"),
        Peer("msgspec, corpus only", bare, "msgspec"),
    ),
    make=make,
    options={
        "--documents": 200_000,
        "--queries": 1_000,
        "--repeated": 0,
        "--beyond-ascii": 10,
        "--alphabet": "abcdefghi",
    },
    differ=differ,
)
