"""Checking the quotes of a model's outputs against long sources, beside a substring test of each bracket.

Each output has a quote that stands in its source, one with other white space, and one with copying errors;
every source is another one of 8,000 characters. The substring test finds the first kind alone.
"""

from __future__ import annotations

import argparse
import json
import random
import re
from pathlib import Path

from benchmarks.harness import Bench, Lap, Outcome, Peer

LETTERS = "אבגדהוזחטיכלמנסעפצקרשת"
CHARACTERS = 8_000
QUOTED = 150


def make(asked: argparse.Namespace, folder: Path) -> None:
    """Records with their outputs beside them."""
    draw = random.Random(1)
    words = ["".join(draw.choices(LETTERS, k=draw.randint(2, 8))) for _ in range(20_000)]
    with (folder / "records.jsonl").open("w", encoding="utf-8") as file:
        for number in range(asked.outputs):
            source = " ".join(draw.choices(words, k=CHARACTERS // 5))[:CHARACTERS]
            places = [draw.randrange(CHARACTERS - 2 * QUOTED) for _ in range(3)]
            exact, spaced, wrong = (source[place : place + QUOTED].strip() for place in places)
            errors = list(wrong)
            for place in draw.sample(range(len(errors)), 4):
                errors[place] = "ץ"
            quotes = (exact, spaced.replace(" ", "\u200f  "), "".join(errors))
            output = "\n".join(f"{n}. טענה [{quote}]" for n, quote in enumerate(quotes, 1))
            record = {"id": str(number), "source_text": source, "output": output}
            file.write(json.dumps(record, ensure_ascii=False) + "\n")


def ours(asked: argparse.Namespace, folder: Path, lap: Lap) -> Outcome:
    """Read, parse, match in three tiers, and summarise."""
    from beirkit.attribution import read_sources, score_outputs

    lap("import")
    summary = score_outputs(read_sources(folder / "records.jsonl")).summary
    lap("score")
    assert summary.overall.format_compliance == 1.0
    return Outcome(shown=dict(summary.tier_shares))


def substring(asked: argparse.Namespace, folder: Path, lap: Lap) -> Outcome:
    """Whether what stands in brackets stands in the source."""
    brackets = re.compile(r"\[([^\[\]]*)\]")
    lap("import")
    found = total = 0
    with (folder / "records.jsonl").open(encoding="utf-8") as lines:
        for line in lines:
            record = json.loads(line)
            for quote in brackets.findall(record["output"]):
                total += 1
                found += quote in record["source_text"]
    lap("score")
    return Outcome(shown={"exact": found / total})


bench = Bench(
    title=f"quotes against sources of {CHARACTERS:,} characters",
    peers=(Peer("substring test", substring), Peer("beirkit", ours)),
    make=make,
    options={"--outputs": 10_000},
)
