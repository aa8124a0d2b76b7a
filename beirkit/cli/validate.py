"""``beirkit validate``."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from beirkit.cli.arguments import add_json

if TYPE_CHECKING:
    from beirkit.corpora.records import Qrels
    from beirkit.evaluate.exports.base import Problem
    from beirkit.validating import Recomputed


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("path", type=Path, metavar="PATH", help="file or folder that was made for a target")
    parser.add_argument(
        "--as",
        dest="target",
        metavar="TARGET",
        required=True,
        help="a name from `beirkit list exports` that takes results, such as mteb",
    )
    parser.add_argument(
        "--against",
        default="",
        metavar="DATASET",
        help="a BEIR folder or a dataset's name: ids that it does not have are errors",
    )
    parser.add_argument(
        "--recompute",
        action="append",
        default=[],
        metavar="QRELS",
        help="derive every score again from the submitted runs with these judgments; DATASET=QRELS where "
        "there are several datasets; may be repeated",
    )
    parser.add_argument(
        "--hidden-qrels",
        action="store_true",
        help="the judgments are secret: print means only, nothing of single queries",
    )
    add_json(parser)


def execute(args: argparse.Namespace) -> int:
    """Print what is wrong; exit with 1 where anything is."""
    from beirkit.corpora.errors import UsageError
    from beirkit.validating import recompute, unfounded, validate

    if args.hidden_qrels and not args.recompute:
        raise UsageError("--hidden-qrels is of no use without --recompute QRELS")
    problems = validate(args.path, args.target, args.against)
    wrong = any(problem.severity == "error" for problem in problems)
    derived: list[Recomputed] = []
    if args.recompute and not wrong:
        judgments = _judgments(args.recompute, hidden=args.hidden_qrels)
        derived = recompute(args.path, args.target, judgments, hidden=args.hidden_qrels)
        problems += [one.problem() for one in derived if not one.agrees]
        problems += unfounded(args.path, args.target)
        wrong = any(problem.severity == "error" for problem in problems)
    if args.json:
        _print_json(problems, derived)
    else:
        _print(args, problems, derived)
    return 1 if wrong else 0


def _judgments(texts: list[str], *, hidden: bool) -> dict[str, Qrels]:
    from beirkit.corpora.errors import BeirkitError, DataError, UsageError
    from beirkit.corpora.qrels import read_qrels

    found: dict[str, Qrels] = {}
    for text in texts:
        name, equals, path = text.rpartition("=")
        if equals and Path(text).exists():  # a file whose name holds the sign
            name, path = "", text
        if name in found:
            raise UsageError(f"judgments of {name or 'the dataset'} are given twice")
        if Path(path).is_dir():
            raise UsageError("is a folder", path=path, hint=f"name the split's file: {path}/qrels/SPLIT.tsv")
        try:
            found[name] = read_qrels(path)
        except BeirkitError as error:
            if not hidden:
                raise
            told = "cannot be read as judgments" if Path(path).exists() else "does not exist"
            raise DataError(told, path=path) from error
    return found


def _print_json(problems: list[Problem], derived: list[Recomputed]) -> None:
    import msgspec

    from beirkit.cli.output import print_json

    errors = sum(problem.severity == "error" for problem in problems)
    data = {
        "valid": errors == 0,
        "errors": errors,
        "warnings": len(problems) - errors,
        "problems": msgspec.to_builtins(problems),
    }
    if derived:
        data["recomputed"] = [one._asdict() for one in derived]
    print_json(data)


def _print(args: argparse.Namespace, problems: list[Problem], derived: list[Recomputed]) -> None:
    for problem in problems:
        print(problem)
    if args.hidden_qrels and derived:
        from beirkit.cli.output import print_table

        shown = [one for one in derived if "nauc" not in one.key]
        rows = [[one.file, one.key, _text(one.stated), _text(one.found)] for one in shown]
        print_table("", ["file", "key", "stated", "derived"], rows, left=2)
    if args.quiet:
        return
    errors = sum(problem.severity == "error" for problem in problems)
    if derived:
        agreeing = sum(one.agrees for one in derived)
        print(f"{agreeing:,} of {len(derived):,} scores are what the submitted runs come to", file=sys.stderr)
    what = "valid" if errors == 0 else "not valid"
    print(
        f"{args.path}: {what} for {args.target}: errors {errors}, warnings {len(problems) - errors}",
        file=sys.stderr,
    )


def _text(value: float | None) -> str:
    return "" if value is None else f"{value:.6f}"
