"""``beirkit replay``."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from beirkit.cli.arguments import add_json


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "capsule", type=Path, metavar="CAPSULE", help="a capsule, or the folder that it was exported into"
    )
    parser.add_argument(
        "--qrels",
        action="append",
        default=[],
        metavar="QRELS",
        help="judgments, a file or a BEIR folder, taken where they have the capsule's content id; "
        "DATASET=QRELS where there are several datasets; may be repeated",
    )
    parser.add_argument(
        "--scores-only", action="store_true", help="do not search again, even where data and models are here"
    )
    parser.add_argument(
        "--out",
        type=Path,
        metavar="RESULTS",
        help="put the results into this folder, where compare takes them",
    )
    add_json(parser)


def execute(args: argparse.Namespace) -> int:
    """Replay; exit with 1 where anything comes out otherwise."""
    from beirkit.cli.output import print_json, progress_for
    from beirkit.corpora.errors import UsageError
    from beirkit.replaying import replay
    from beirkit.retrievers.base import Workplace

    judgments: dict[str, Path | str] = {}
    for text in args.qrels:
        name, equals, path = text.rpartition("=")
        if equals and Path(text).exists():
            name, path = "", text
        if name in judgments:
            raise UsageError(f"judgments of {name or 'the dataset'} are given twice")
        judgments[name] = path
    done = replay(
        args.capsule,
        judgments,
        search=not args.scores_only,
        out=args.out,
        workplace=Workplace(progress=progress_for(args), offline=True),  # and no cache: it is done again
    )
    passed = all(one.passed for one in done)
    if args.json:
        print_json({"equal": passed, "results": [one.to_dict() for one in done]})
        return 0 if passed else 1
    for one in done:
        if one.equal:
            print(f"{one.result.label}: scored again, byte for byte equal (judgments: {one.judgments})")
        else:
            print(f"{one.result.label}: scored again and DIFFERENT: {one.difference}")
        if one.searched is not None:
            told = "equal" if one.searched else f"DIFFERENT: {one.why}"
            print(f"{one.result.label}: searched again, the run is {told}")
        elif not args.quiet:
            why = one.why or "--scores-only"
            print(f"{one.result.label}: not searched again: {why}", file=sys.stderr)
    return 0 if passed else 1
