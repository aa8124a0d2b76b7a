"""A large corpus made of real sentences, the same at every call: for benchmarks of speed, not of quality."""

from __future__ import annotations

import json
import random
import re
from bisect import bisect
from itertools import accumulate
from pathlib import Path

from beirkit.corpora.collection import Collection
from beirkit.corpora.folder import open_folder

MADE_UP = 60
"""One word in so many is replaced by a made-up one: the vocabulary grows as that of real text does."""

_SYLLABLES = [f"{a}{b}" for a in "bdfgklmnprstvz" for b in ("a", "e", "i", "o", "u", "ar", "en", "il", "on")]


def write(source: Path, folder: Path, *, documents: int, queries: int, seed: int = 7) -> None:
    """Write ``corpus.jsonl`` and ``queries.jsonl``.

    Lengths of texts are log-normal with a median of 100 words; queries are those of the source, in turn.

    Args:
        source: a BEIR folder, whose sentences and queries are taken.
        folder: where to write.
        documents: how many documents.
        queries: how many queries.
        seed: of the random numbers.
    """
    draw = random.Random(seed)
    collection = open_folder(source)
    sentences = list(_sentences(collection))
    titles = [document.title for document in collection.documents() if document.title] or sentences
    words = _made_up(draw, 200_000)
    weights = list(accumulate(1 / (rank + 10) for rank in range(len(words))))
    with (folder / "corpus.jsonl").open("w", encoding="utf-8") as file:
        for number in range(documents):
            text: list[str] = []
            wanted = draw.lognormvariate(4.6, 0.6)
            while len(text) < wanted:
                text += draw.choice(sentences).split()
            for place in range(len(text)):
                if draw.random() * MADE_UP < 1:
                    text[place] = words[bisect(weights, draw.random() * weights[-1])]
            row = {"_id": f"d{number}", "title": draw.choice(titles), "text": " ".join(text)}
            file.write(json.dumps(row, ensure_ascii=False) + "\n")
    asked = [query.text for query in collection.queries()]
    with (folder / "queries.jsonl").open("w", encoding="utf-8") as file:
        for number in range(queries):
            row = {"_id": f"q{number}", "text": asked[number % len(asked)]}
            file.write(json.dumps(row, ensure_ascii=False) + "\n")


def _sentences(collection: Collection) -> list[str]:
    texts = (document.text or "" for document in collection.documents())
    found = [sentence for text in texts for sentence in re.split(r"(?<=[.!?])\s+", text)]
    return [sentence for sentence in found if len(sentence.split()) > 3]


def _made_up(draw: random.Random, n: int) -> list[str]:
    return ["".join(draw.choices(_SYLLABLES, k=draw.randint(2, 5))) for _ in range(n)]
