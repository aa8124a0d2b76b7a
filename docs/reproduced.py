"""Writes docs/reproduced.md from docs/reproduced.json, and that from results: no figure is typed by hand.

``make reproduced RESULTS="results"`` holds results to published figures (``configs/references/``) and keeps
what came of it; ``make docs`` writes the page. A row stays until the same figure is tried again.

Example:
    python docs/reproduced.py results
    python docs/reproduced.py --runs qrels.txt one.trec.gz another.trec.gz
"""

from __future__ import annotations

import argparse
import json
import shlex
from collections import Counter
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from beirkit.configs.references import references
from beirkit.corpora.qrels import read_qrels
from beirkit.result_paths import find_results
from beirkit.results import write_json
from beirkit.verification import Check, verify
from beirkit.verification_files import verify_run

DOCS = Path(__file__).parent
DATA, PAGE = DOCS / "reproduced.json", DOCS / "reproduced.md"

Row = dict[str, Any]

_KEY = ("source", "system", "dataset", "split", "measure", "command")
_KEPT = (
    "source", "system", "dataset", "split", "measure", "published", "status", "tolerance", "why", "evidence",
    "note", "protocol",
)  # fmt: skip

HEAD = """<!-- Written by `make docs` from docs/reproduced.json, which `make reproduced` makes of results. -->
# Published figures, tried here

Every published figure that was held against a result of beirkit, as `beirkit verify` does it: OK means that
both print alike, near that they are within the tolerance, FAIL that they are not. A failed one stays in the
table. What the figures are and where they were read stands in `configs/references/`; how sure one is: read at
its source (source), in a copy of it (second-hand), or measured by this project with the tool that is named
(measured). When a number of yours is another one: [why is my number different?](why.md)

"""


def rows_of(checks: Iterable[Check], date: str) -> list[Row]:
    """What is kept of checks."""
    found = []
    for check in checks:
        facts = check.to_dict()
        place = Path(check.folder)
        command = f"beirkit run -d {check.dataset} -r {shlex.quote(check.retriever)}"
        if place.is_file():
            command = f"beirkit verify {shlex.quote(place.name)} --qrels QRELS"
        row = {key: facts[key] for key in _KEPT}
        found.append({**row, "ours": round(check.ours, 6), "command": command, "date": date})
    return found


def merged(old: Iterable[Row], new: Iterable[Row]) -> list[Row]:
    """The rows of both, a new one in place of the old one of its figure and command, in a fixed order."""
    rows = {tuple(row[key] for key in _KEY): row for row in (*old, *new)}
    return [rows[key] for key in sorted(rows)]


def page(rows: Iterable[Row]) -> str:
    """The page."""
    rows = list(rows)
    counts = Counter(row["status"] for row in rows)
    known = sum(not one.figure.unusable for one in references())
    tried = len({tuple(row[key] for key in _KEY[:-1]) for row in rows})
    told = ", ".join(f"{counts[status]} {status}" for status in ("OK", "near", "FAIL"))
    parts = [HEAD, f"{tried} of {known:,} known figures were tried: {told}.\n", _kinds(rows)]
    failed = [row for row in rows if row["status"] == "FAIL"]
    if failed:
        parts.append("\nNot reproduced:\n\n")
        parts += [
            f"- {row['measure']} of `{row['system']}` on {row['dataset']}: {row['published']} published, "
            f"{_ours(row)} here. {_sentence('Known to differ: ' + (row['why'] or 'nothing'))}\n"
            for row in failed
        ]
    sources = {one.key: one.source for one in references()}
    for key in dict.fromkeys(row["source"] for row in rows):
        source = sources[key]
        parts.append(f"\n## {source.title}\n\n<{source.url}>, read on {source.date}.")
        parts.append(f" {_sentence(source.note)}\n\n" if source.note else "\n\n")
        parts.append(_table([row for row in rows if row["source"] == key]))
    return "".join(parts)


def _kinds(rows: list[Row]) -> str:
    """How many are of searches, how many of scoring alone, and how many no page prints."""
    groups: dict[str, list[Row]] = {}
    for row in rows:
        kind = "printed somewhere and searched here"
        if row["evidence"] == "measured":
            kind = "measured by this project with another tool, and printed nowhere"
        elif row["command"].startswith("beirkit verify"):
            kind = "of run files that others made, which are only scored here"
        groups.setdefault(kind, []).append(row)
    lines = []
    for kind in sorted(groups):
        counts = Counter(row["status"] for row in groups[kind])
        told = ", ".join(f"{counts[status]} {status}" for status in ("OK", "near", "FAIL"))
        lines.append(f"- {len(groups[kind])} are {kind}: {told}.\n")
    return "\n" + "".join(lines)


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."


def _ours(row: Row) -> str:
    return f"{row['ours']:.{len(row['published']) - 2}f}"


def _table(rows: list[Row]) -> str:
    head = (
        "dataset",
        "system",
        "measure",
        "published",
        "here",
        "",
        "tolerance",
        "evidence",
        "command",
        "date",
    )
    lines = ["| " + " | ".join(head) + " |", "|" + " --- |" * len(head)]
    for row in rows:
        cells = (
            f"{row['dataset']}@{row['split']}", row["system"], row["measure"], row["published"], _ours(row),
            row["status"], f"{row['tolerance']:g}", row["evidence"], f"`{row['command']}`", row["date"],
        )  # fmt: skip
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def main() -> None:
    """Hold what is named to the figures, keep what came of it, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("paths", nargs="*", type=Path, help="results; with --runs judgments and run files")
    parser.add_argument("--runs", action="store_true")
    args = parser.parse_args()
    rows = json.loads(DATA.read_text(encoding="utf-8")) if DATA.exists() else []
    if args.paths:
        date = datetime.now(UTC).date().isoformat()
        if args.runs:
            qrels, *runs = args.paths
            judged = read_qrels(qrels)
            checks = [check for run in runs for check in verify_run(run, judged).checks]
        else:
            checks = list(verify(find_results(args.paths)).checks)
        rows = merged(rows, rows_of(checks, date))
        write_json(DATA, rows)
    PAGE.write_text(page(rows), encoding="utf-8")


if __name__ == "__main__":
    main()
