"""``beirkit verify``."""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Iterable, Sequence
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
        help="a result folder, a folder of results, a suite's JSON, stated.json, or with --qrels run files",
    )
    parser.add_argument("--qrels", type=Path, metavar="QRELS", help="the judgments that run files are of")
    parser.add_argument("--split", metavar="NAME", help="split of a BEIR folder given as QRELS")
    parser.add_argument(
        "--system",
        default="",
        metavar="NAME",
        help="which published system they are (default: a run file by its tag, else its name; imported and "
        "stated figures by their name; other results by what they are made of)",
    )
    add_json(parser)


def execute(args: argparse.Namespace) -> int:
    """Hold results to published figures; exit code 1 where one fails."""
    from beirkit.cli.output import print_json, print_table

    found = _verification(args)
    if args.json:
        checks = [check.to_dict() for check in found.checks]
        print_json({"checks": checks, "without": found.without, "left_out": found.left_out})
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
        for what, why in (*found.without.items(), *found.left_out.items()):
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
    told += f"; {len(found.without)} results without a published counterpart"
    print(told + (f"; {len(found.left_out)} not held to all they have" if found.left_out else ""))
    return int(found.failed)


def _verification(args: argparse.Namespace) -> Verification:
    from zipfile import is_zipfile

    from beirkit.corpora.errors import UsageError
    from beirkit.evaluate.exports.capsule import NAME as CAPSULE
    from beirkit.result_paths import find_results
    from beirkit.runs import result_folder
    from beirkit.stored import read_suite_results
    from beirkit.verification import verify
    from beirkit.verification_files import stated_in, verify_run, verify_stated

    if args.qrels is not None:
        from beirkit.cli.score import read_judgments

        qrels = read_judgments(args.qrels, args.split).qrels
        return _together(
            verify_run(path, qrels, system=args.system, split=args.split or "") for path in args.results
        )
    if args.split:
        raise UsageError("--split chooses judgments of run files", hint="add --qrels")
    suites = [suite for path in args.results if (suite := read_suite_results(path)) is not None]
    stated = stated_in(args.results)
    paths = [path for path in args.results if path.name != "stated.json" and not _only_stated(path, stated)]
    for path in paths:
        if is_zipfile(path) or (path / CAPSULE).is_file():
            raise UsageError(
                f"{path} is a capsule, whose results are to be taken out first",
                hint=f"beirkit replay {shlex.quote(str(path))} --out RESULTS, then: beirkit verify RESULTS",
            )
        if path.is_file() and result_folder(path) is None and read_suite_results(path) is None:
            raise UsageError(f"{path} is a run file, which needs its judgments", hint="add --qrels")
    nodes = [suite.suite for suite in suites if suite.suite is not None]
    kept = verify(find_results(paths), nodes, system=args.system)
    return _together([kept, *(verify_stated(path, system=args.system) for path in stated)])


def _together(parts: Iterable[Verification]) -> Verification:
    from beirkit.verification import Verification

    found = list(parts)
    return Verification(
        checks=tuple(check for one in found for check in one.checks),
        without={what: why for one in found for what, why in one.without.items()},
        left_out={what: why for one in found for what, why in one.left_out.items()},
    )


def _only_stated(path: Path, stated: Sequence[Path]) -> bool:
    """Whether a folder holds stated figures and no result of ``beirkit run``."""
    manifests = (path.glob(f"{depth}manifest.json") for depth in ("", "*/", "*/*/"))
    return any(one.is_relative_to(path) for one in stated) and not any(any(some) for some in manifests)
