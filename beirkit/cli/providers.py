"""``beirkit providers``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from beirkit.cli.arguments import add_json

if TYPE_CHECKING:
    from beirkit.evaluate.provider_table import Figure, ProviderTable


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "dataset", metavar="DATASET", help="a dataset of supporting pages, or the BEIR folder made of it"
    )
    parser.add_argument(
        "results",
        metavar="[NAME=]RESULTS",
        nargs="+",
        help="JSON lines of a search tool's results; all others are compared with the first",
    )
    parser.add_argument(
        "-k",
        dest="cutoffs",
        action="append",
        type=int,
        metavar="K",
        help="ranks that count; may be repeated (default: 1, 5 and 10)",
    )
    parser.add_argument(
        "--by", choices=("topic", "answer_type"), help="print the figures by topic or answer type too"
    )
    parser.add_argument("--level", type=float, default=0.05, metavar="P", help="of the tests (default: 0.05)")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="of every draw (default: 1)")
    parser.add_argument(
        "--samples", type=int, default=10_000, metavar="N", help="how many are drawn (default: 10000)"
    )
    parser.add_argument(
        "--out", type=Path, metavar="FOLDER", help="write the table and every query's outcome there"
    )
    add_json(parser)


def execute(args: argparse.Namespace) -> int:
    """Score the tools, print them side by side."""
    files: dict[str, Path] = {}
    for text in args.results:
        name, equals, path = text.rpartition("=")
        if not equals or Path(text).exists():
            name, path = tool_name(Path(text)), text
        _require_new(files, name)
        files[name] = Path(path)
    return tell(args, args.dataset, files, args.cutoffs or [1, 5, 10])


def tool_name(path: Path) -> str:
    """What a tool is called by its file; the file of a collection is called ``results`` for every tool."""
    name = path.name.partition(".")[0]
    return path.resolve().parent.name if name == "results" else name


def tell(args: argparse.Namespace, dataset: str, files: dict[str, Path], cutoffs: list[int]) -> int:
    """Score tools on a dataset and print what came out.

    Args:
        args: with ``level``, ``seed``, ``samples``, ``out``, ``by``, ``json`` and ``quiet``, all but the last
            two by default.
        dataset: name or folder.
        files: results by the name of the tool.
        cutoffs: ranks that count.
    """
    from beirkit.cli.output import print_json
    from beirkit.corpora.whole import place_for
    from beirkit.evaluate.supporting_pages import CAVEATS
    from beirkit.search_tools.providers import files_of, score_providers

    out = getattr(args, "out", None)
    if out is not None:  # before the work
        place_for(out, overwrite=True, written=files_of)
    report = score_providers(
        dataset,
        files,
        cutoffs,
        level=getattr(args, "level", 0.05),
        seed=getattr(args, "seed", 1),
        samples=getattr(args, "samples", 10_000),
    )
    if out is not None:
        report.write(out)
    _print_table(report.table, getattr(args, "by", None), to_stderr=args.json)
    if not args.quiet:
        policy = report.about["url_policy"]
        print(f"Addresses: {policy['name']}, definition {policy['sha256'][:12]}", file=sys.stderr)
        for caveat in CAVEATS:
            print(f"Note: {caveat}", file=sys.stderr)
    if args.json:
        print_json(report.to_dict())
    return 0


def _require_new(files: dict[str, Path], name: str) -> None:
    from beirkit.corpora.errors import UsageError

    if name in files:
        raise UsageError(f"two results are called {name!r}", hint="name them: NAME=FILE")


def _print_table(found: ProviderTable, by: str | None, *, to_stderr: bool) -> None:
    from beirkit.cli.output import print_table
    from beirkit.evaluate.supporting_pages import MAIN

    coverage = [
        [
            row.provider,
            *(str(row.statuses.get(status, 0)) for status in ("ok", "empty", "timeout", "error", "absent")),
            str(row.flagged_queries),
            str(row.copies),
        ]
        for row in found.coverage
    ]
    columns = ["tool", "answered", "empty", "time-out", "error", "absent", "contaminated", "by a copy"]
    print_table("Questions", columns, coverage, to_stderr=to_stderr)
    main = [figure for figure in found.figures if figure.measure.rpartition("@")[0] in MAIN]
    _print_figures("Supporting pages and answers", main, to_stderr=to_stderr)
    if by is not None:
        _print_figures(f"By {by}", (f for f in found.slices if f.slice.startswith(by)), to_stderr=to_stderr)
    if found.differences:
        rows = [
            [
                f"{row.provider} - {row.baseline}", row.population, _counted(row.flagged), row.measure,
                f"{row.difference:+.4f}", f"[{row.interval[0]:.4f}, {row.interval[1]:.4f}]",
                f"{row.p_adjusted:.4f}", str(row.n),
            ]
            for row in found.differences
        ]  # fmt: skip
        columns = [
            "tools",
            "questions",
            "flagged results",
            "measure",
            "difference",
            "interval",
            "p (Holm)",
            "n",
        ]
        print_table("Differences", columns, rows, left=4, to_stderr=to_stderr)


def _print_figures(title: str, figures: Iterable[Figure], *, to_stderr: bool) -> None:
    from beirkit.cli.output import print_table

    rows: dict[tuple[str, ...], dict[str, str]] = {}
    for figure in figures:
        key = (figure.provider, figure.slice or figure.population, _counted(figure.flagged), str(figure.n))
        shown = "-" if figure.mean is None else f"{figure.mean:.4f}"
        if figure.interval is not None:
            shown += f" [{figure.interval[0]:.3f}, {figure.interval[1]:.3f}]"
        rows.setdefault(key, {})[figure.measure] = shown
    measures = list(dict.fromkeys(name for values in rows.values() for name in values))
    for start in range(0, len(measures), 3):  # so that a row fits a terminal
        part = measures[start : start + 3]
        lines = [[*key[:3], *(values[name] for name in part), key[3]] for key, values in rows.items()]
        columns = ["tool", "questions", "flagged results", *part, "n"]
        print_table(title if start == 0 else "", columns, lines, left=3, to_stderr=to_stderr)


def _counted(flagged: bool) -> str:
    return "counted" if flagged else "left out"
