"""``beirkit report``."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from beirkit.cli.arguments import add_json, add_measures


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "runs",
        metavar="RESULT",
        nargs="+",
        type=Path,
        help="result folders, folders of many, the results/SUITE.json of `beirkit run`, or run files with "
        "--qrels",
    )
    parser.add_argument(
        "--out", metavar="FILE", type=Path, default=Path("report.html"), help="default: report.html"
    )
    parser.add_argument("--title", metavar="TEXT", default="", help="of the page (default: what is compared)")
    add_shared(parser)
    parser.add_argument(
        "--no-text", action="store_true", help="leave out the text of every document and query"
    )
    parser.add_argument(
        "--queries",
        metavar="N",
        type=int,
        default=200,
        help="queries of each dataset in the page, those on which systems disagree most; the others are "
        "written to a file beside it (default: 200)",
    )
    parser.add_argument(
        "--seed", type=int, default=1, metavar="N", help="seed of bootstrap and randomisation (default: 1)"
    )
    parser.add_argument(
        "--samples", type=int, default=10_000, metavar="N", help="how many are drawn (default: 10000)"
    )
    parser.add_argument(
        "--suite", metavar="SUITE", help="the suite whose mean is shown (default: the results')"
    )
    add_json(parser)


def add_shared(parser: argparse.ArgumentParser) -> None:
    """Declare what ``show`` has too: how results are chosen and scored."""
    parser.add_argument(
        "--qrels", metavar="QRELS", type=Path, help="judgments of bare run files; a BEIR folder has texts too"
    )
    parser.add_argument("--split", metavar="NAME", help="split of a BEIR folder (default: the reported one)")
    parser.add_argument(
        "--baseline", metavar="SYSTEM", help="what the others are compared with (default: the first)"
    )
    add_measures(parser)
    parser.add_argument(
        "--protocol", metavar="NAME", help="how results were scored (default: beirkit, or the results' own)"
    )
    parser.add_argument(
        "--force",
        action="store_true",
        help="show results of different data, splits, depths or protocols all the same",
    )


def execute(args: argparse.Namespace) -> int:
    """Compare, and write the page and what it has no room for."""
    from beirkit.cli.output import print_json, progress_for, size_text
    from beirkit.cli.report_parts import make_report
    from beirkit.corpora.errors import UsageError
    from beirkit.corpora.files import atomic_open
    from beirkit.evaluate.report.page import environment
    from beirkit.evaluate.report.whole import render_report

    if args.queries < 0:
        raise UsageError(f"--queries {args.queries}: a whole number from 0")
    if args.out.suffix not in (".html", ".htm"):
        raise UsageError("a report is a page of HTML", path=args.out, hint="end its name in .html")
    environment()  # whether jinja2 is there, before anything is computed
    report = make_report(args, progress_for(args))
    beside = args.out.with_name(f"{args.out.stem}.queries.jsonl.gz")
    text, rest = render_report(report, most=args.queries, beside=beside.name)
    with atomic_open(args.out) as file:
        file.write(text)
    written = [args.out]
    if rest:
        with atomic_open(beside) as file:
            file.writelines(rest)
        written.append(beside)
    gone = not rest and beside.is_file()
    if gone:  # of an earlier report of this name, maybe with the texts that this one is to be without
        beside.unlink()
    if args.json:
        facts = [{"path": str(path), "bytes": path.stat().st_size} for path in written]
        print_json({"report": facts[0], "queries": facts[1] if rest else None, "with_text": report.with_text})
    if not args.quiet:
        for path in written:
            print(f"Written: {path} ({size_text(path.stat().st_size)})", file=sys.stderr)
        if gone:
            print(f"Removed: {beside}, which was an earlier report's", file=sys.stderr)
        print(f"Open: {args.out.resolve().as_uri()}", file=sys.stderr)
    return 0
