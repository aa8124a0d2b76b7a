"""``beirkit compare``."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from beirkit.cli import compare_details
from beirkit.cli.arguments import add_json, add_measures
from beirkit.cli.score import add_default_relevance, add_depth, add_lenient_scores

if TYPE_CHECKING:
    from beirkit.cli.compare_report import Report
    from beirkit.evaluate.measures import Measure

FORMATS = ("table", "markdown", "csv", "json", "latex")
_BY_SUFFIX = {".md": "markdown", ".csv": "csv", ".json": "json", ".tex": "latex"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "runs",
        metavar="RUN",
        nargs="*",
        type=Path,
        help="run files, result folders of `beirkit run` and `beirkit import`, or the results/SUITE.json it "
        "wrote",
    )
    parser.add_argument(
        "--qrels",
        metavar="QRELS",
        type=Path,
        help="judgments: a TREC file, a BEIR .tsv, or a BEIR folder; results of `beirkit run` need none "
        "and are compared as they were scored",
    )
    add_default_relevance(parser)
    parser.add_argument("--split", metavar="NAME", help="split of a BEIR folder (default: the reported one)")
    parser.add_argument(
        "--baseline",
        metavar="RUN",
        help="the run, or the name of the system, all others are compared with (default: the first)",
    )
    parser.add_argument(
        "--seeds",
        metavar="NAME=RUN,RUN",
        action="append",
        default=[],
        help="runs of one configuration with several seeds, as one system; may be repeated",
    )
    parser.add_argument(
        "--suite",
        metavar="SUITE",
        help="the suite whose mean is compared, a name or a file (default: that of the results)",
    )
    parser.add_argument(
        "--stated",
        metavar="FILE",
        action="append",
        type=Path,
        default=[],
        help="figures of somebody else, a JSON object with model, dataset and measures: checked and shown "
        "beside, never tested; may be repeated",
    )
    add_measures(parser)
    add_depth(parser)
    parser.add_argument(
        "--protocol",
        metavar="NAME",
        help="how the runs are scored, such as beirkit:missing=skip (default: beirkit, or the results' own)",
    )
    add_lenient_scores(parser)
    _add_statistics(parser)
    parser.add_argument(
        "--force",
        action="store_true",
        help="compare results of different data, splits, depths or protocols all the same",
    )
    _add_outputs(parser)
    compare_details.add_arguments(parser)
    add_json(parser)


def _add_statistics(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--pairs",
        choices=("baseline", "all"),
        default="baseline",
        help="compare with the baseline, or every pair (default: baseline)",
    )
    parser.add_argument(
        "--test", default="randomisation", metavar="NAME", help="randomisation (default), t or wilcoxon"
    )
    parser.add_argument(
        "--correction",
        default="holm",
        metavar="NAME",
        help="of p for the number of comparisons: holm (default), bh or none",
    )
    parser.add_argument("--level", type=float, default=0.05, metavar="P", help="of the tests (default: 0.05)")
    parser.add_argument(
        "--seed", type=int, default=1, metavar="N", help="seed of bootstrap and randomisation (default: 1)"
    )
    parser.add_argument(
        "--samples", type=int, default=10_000, metavar="N", help="how many are drawn (default: 10000)"
    )
    parser.add_argument(
        "--gate",
        metavar="'MEASURE >= X'",
        action="append",
        default=[],
        help="exit with 1 where the lower end of the interval of the difference to the baseline falls below "
        "X, such as 'nDCG@10 >= -0.01'; may be repeated",
    )


def _add_outputs(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--format",
        choices=FORMATS,
        help="how the comparison is written (default: table, or as the name of --out says)",
    )
    parser.add_argument("--out", metavar="FILE", type=Path, help="write it to FILE too")
    parser.add_argument(
        "--markdown", metavar="FILE", type=Path, help="write the comparison and its gates to FILE as Markdown"
    )
    parser.add_argument(
        "--junit",
        metavar="FILE",
        type=Path,
        help="write JUnit XML to FILE, one test case per gate and system",
    )
    parser.add_argument("--percent", action="store_true", help="show figures in hundredths: 52.31 for .5231")
    parser.add_argument(
        "--decimals", type=int, metavar="N", help="decimals of figures (default: the protocol's)"
    )


def execute(args: argparse.Namespace) -> int:
    """Compare runs with a baseline, on one dataset or over a suite; 1 where a gate does not hold."""
    from beirkit.cli.compare_gates import write_junit
    from beirkit.cli.compare_inputs import gather
    from beirkit.cli.compare_others import compare_stated_alone, take_stated
    from beirkit.cli.compare_report import build
    from beirkit.corpora.errors import UsageError
    from beirkit.corpora.files import atomic_open
    from beirkit.evaluate.gate import Gate

    take_stated(args)
    form = _form(args)
    if args.stated and not args.runs and not args.seeds:
        return compare_stated_alone(args, form)
    if args.json and args.out is None and form not in ("table", "json"):
        raise UsageError(
            f"--json and --format {form} would both be written to standard output",
            hint="leave one out, or add --out FILE",
        )
    _refuse_inputs(args)
    if args.decimals is not None and not 0 <= args.decimals <= 15:
        raise UsageError(f"--decimals {args.decimals}: a whole number from 0 to 15")
    gates = [Gate.parse(text) for text in args.gate]
    gated: list[Measure] = list(dict.fromkeys(gate.measure for gate in gates))
    report = build(args, gather(args, gated), gates)
    machine = args.json or (form == "json" and args.out is None)
    if args.out is None and form not in ("table", "json"):
        sys.stdout.write(_written(report, form))
    else:
        _show(report, to_stderr=machine)
    if not args.quiet:
        for note in report.notes:
            print(note, file=sys.stderr)
    if machine:
        from beirkit.cli.output import print_json

        print_json(report.to_json())
    for path, wanted in ((args.out, form), (args.markdown, "markdown")):
        if path is not None:
            with atomic_open(path) as file:
                file.write(_written(report, wanted))
    if args.junit is not None:
        write_junit(args.junit, report)
    return 0 if report.passed else 1


def _form(args: argparse.Namespace) -> str:
    """What is written: as asked, else as the file's name says, else tables."""
    by_name = _BY_SUFFIX.get(args.out.suffix, "table") if args.out is not None else "table"
    return str(args.format or by_name)


def _refuse_inputs(args: argparse.Namespace) -> None:
    """Refuse to write over what is compared.

    Raises:
        UsageError: an output is one of the runs, or the judgments.
    """
    from beirkit.corpora.errors import UsageError

    given = [*args.runs, *([args.qrels] if args.qrels else []), Path(args.baseline or ".")]
    given += [Path(part) for text in args.seeds for part in text.partition("=")[2].split(",")]
    inputs = {path.resolve() for path in (*given, *args.stated)}
    for option in ("out", "markdown", "junit"):
        path = getattr(args, option)
        if path is not None and path.resolve() in inputs:
            raise UsageError(f"--{option} would write over what is compared", path=path)


def _written(report: Report, form: str) -> str:
    """The comparison in one of the forms."""
    import contextlib
    import io

    from beirkit.cli.compare_formats import csv_text, latex, markdown
    from beirkit.cli.visible import json_text

    if form == "markdown":
        return markdown(report)
    if form == "csv":
        return csv_text(report)
    if form == "latex":
        return latex(report)
    if form == "json":
        return json_text(report.to_json()) + "\n"
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        _show(report, to_stderr=False)
        print(*report.notes, sep="\n")
    return out.getvalue()


def _show(report: Report, *, to_stderr: bool) -> None:
    """The verdict, then the tables, then which gates hold."""
    from beirkit.cli.compare_formats import gate_sheet, sheets
    from beirkit.cli.output import print_table

    stream = sys.stderr if to_stderr else sys.stdout
    marks = {one.contest.dataset: one.contest.mark for one in report.results}
    for where, measure, said in report.verdict():
        place = f"{where}: {measure}" if where else measure
        for sentence in said:
            print(f"{place}{marks.get(where, '')}: {sentence}", file=stream)
    for sentence in report.said():
        print(sentence, file=stream)
    tables = sheets(report) + ([gate_sheet(report)] if report.gates else [])
    for sheet in tables:
        print_table(sheet.title, sheet.columns, sheet.rows, left=sheet.left, to_stderr=to_stderr)
