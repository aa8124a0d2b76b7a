"""``beirkit verify``."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from beirkit.cli.arguments import add_json

if TYPE_CHECKING:
    from beirkit.verification import Verification


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "results",
        nargs="+",
        type=Path,
        metavar="RESULT",
        help="a result folder, a folder of results, a suite's JSON, or with --qrels run files",
    )
    parser.add_argument("--qrels", type=Path, metavar="QRELS", help="the judgments that run files are of")
    parser.add_argument("--split", metavar="NAME", help="split of a BEIR folder given as QRELS")
    parser.add_argument(
        "--system",
        default="",
        metavar="NAME",
        help="which published system a run file is of (default: by its tag, else its name)",
    )
    add_json(parser)


def execute(args: argparse.Namespace) -> int:
    """Hold results to published figures; exit code 1 where one fails."""
    from beirkit.cli.output import print_json, print_table

    found = _verification(args)
    if args.json:
        print_json({"checks": [check.to_dict() for check in found.checks], "without": found.without})
        return int(found.failed)
    rows = [
        [
            check.status,
            f"{check.dataset}@{check.split}",
            check.retriever,
            check.measure,
            check.published,
            f"{check.ours:.{len(check.published) - 2}f}",
            f"{check.difference:+.5f}",
            f"{check.tolerance:g}",
            f"{check.system}, {check.title} ({check.evidence})",
        ]
        for check in found.checks
    ]
    columns = ["", "dataset", "retriever", "measure", "published", "ours", "difference", "tolerance", "of"]
    if rows:
        print_table("", columns, rows, left=4, fold_last=True)
    if not args.quiet:
        for what, why in found.without.items():
            print(f"{what}: {why}", file=sys.stderr)
        for line in dict.fromkeys(f"{c.source}: {c.url}" for c in found.checks):
            print(f"Source {line}", file=sys.stderr)
        for line in dict.fromkeys(
            f"{c.retriever} as {c.system}: near is within {c.tolerance:g}, since {c.why}"
            for c in found.checks
            if c.why
        ):
            print(line, file=sys.stderr)
    counts = {status: sum(c.status == status for c in found.checks) for status in ("OK", "near", "FAIL")}
    told = ", ".join(f"{count} {status}" for status, count in counts.items())
    print(f"{told}; {len(found.without)} results without a published counterpart")
    return int(found.failed)


def _verification(args: argparse.Namespace) -> Verification:
    from beirkit.corpora.errors import UsageError
    from beirkit.result_paths import find_results
    from beirkit.runs import result_folder
    from beirkit.stored import read_suite_results
    from beirkit.verification import Verification, verify, verify_run

    if args.qrels is not None:
        from beirkit.cli.score import read_judgments

        qrels = read_judgments(args.qrels, args.split).qrels
        each = [verify_run(path, qrels, system=args.system, split=args.split or "") for path in args.results]
        return Verification(checks=tuple(check for one in each for check in one.checks), without={})
    if args.system or args.split:
        raise UsageError("--system and --split are about run files", hint="add --qrels")
    suites = [suite for path in args.results if (suite := read_suite_results(path)) is not None]
    for path in args.results:
        if path.is_file() and result_folder(path) is None and read_suite_results(path) is None:
            raise UsageError(f"{path} is a run file, which needs its judgments", hint="add --qrels")
    return verify(find_results(args.results), [suite.suite for suite in suites if suite.suite is not None])
