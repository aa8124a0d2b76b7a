"""Figures that others state, for ``beirkit compare``: told apart from results, and shown alone."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from beirkit.cli.compare_tables import Sheet


def take_stated(args: argparse.Namespace) -> None:
    """Move what was imported without ranked lists from the runs to what is only shown."""
    from beirkit.evaluate.imports.stated_files import stated_file

    found = {path: stated_file(path) for path in args.runs}
    args.stated = [*args.stated, *(file for file in found.values() if file is not None)]
    args.runs = [path for path in args.runs if found[path] is None]


def compare_stated_alone(args: argparse.Namespace, form: str) -> int:
    """Show figures beside each other where there is nothing but figures.

    Raises:
        UsageError: what was asked for needs ranked lists.
    """
    from beirkit.cli.compare_tables import Style, stated_sheet
    from beirkit.cli.output import print_json, print_table
    from beirkit.corpora.errors import UsageError
    from beirkit.corpora.files import atomic_open
    from beirkit.evaluate.measures import parse_measures
    from beirkit.evaluate.protocol import get_protocol
    from beirkit.evaluate.stated import UNTESTED, read_stated

    if args.gate or args.junit or form in ("csv", "latex"):
        raise UsageError(
            "there are only stated figures here, and gates, CSV and LaTeX tell of differences",
            hint="name a result with ranked lists beside them",
        )
    protocol = get_protocol(args.protocol or "beirkit")
    measures = parse_measures(args.measures or protocol.measures[:1])
    stated = [read_stated(path) for path in args.stated]
    digits = max(0, protocol.digits - (2 if args.percent else 0))
    style = Style(digits if args.decimals is None else args.decimals, args.percent)
    sheet = stated_sheet(stated, measures, style)
    data = {"tables": [], "stated": [one.to_dict() for one in stated], "notes": [UNTESTED]}
    machine = args.json or (form == "json" and args.out is None)
    if form == "markdown" and args.out is None:
        sys.stdout.write(_markdown(sheet, UNTESTED))
    else:
        print_table(sheet.title, sheet.columns, sheet.rows, left=sheet.left, to_stderr=machine)
        print(UNTESTED, file=sys.stderr if machine else sys.stdout)
    if machine:
        print_json(data)
    for path, wanted in ((args.out, form), (args.markdown, "markdown")):
        if path is not None:
            with atomic_open(path) as file:
                file.write(_json(data) if wanted == "json" else _markdown(sheet, UNTESTED))
    return 0


def _json(data: object) -> str:
    from beirkit.cli.visible import json_text

    return json_text(data) + "\n"


def _markdown(sheet: Sheet, note: str) -> str:
    def row(cells: tuple[str, ...]) -> str:
        return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"

    rule = ("---",) * sheet.left + ("---:",) * (len(sheet.columns) - sheet.left)
    lines = ["# Comparison", "", f"## {sheet.title}", "", *map(row, (sheet.columns, rule, *sheet.rows))]
    return "\n".join([*lines, "", f"- {note}"]) + "\n"
