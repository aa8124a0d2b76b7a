"""``beirkit collect``."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from beirkit.cli.arguments import add_json


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "dataset", metavar="DATASET", help="a dataset of supporting pages, or the BEIR folder made of it"
    )
    parser.add_argument(
        "--provider",
        required=True,
        metavar="MODULE:CALLABLE",
        help="what asks the tool: called with a question, timeout= and the profile's options, it returns the "
        "raw response; a file is written FILE.py:CALLABLE",
    )
    parser.add_argument(
        "--profile", required=True, type=Path, metavar="YAML", help="how the tool is asked and its JSON read"
    )
    parser.add_argument("--out", required=True, type=Path, metavar="FOLDER", help="folder of the collection")
    parser.add_argument(
        "--retry", action="store_true", help="ask again what timed out, failed or cannot be read"
    )
    add_json(parser)


def execute(args: argparse.Namespace) -> int:
    """Collect, then say what came."""
    from beirkit.cli.output import print_json, progress_for
    from beirkit.search_tools.collecting import collect
    from beirkit.search_tools.responses import read_profile

    done = collect(
        args.dataset,
        args.provider,
        read_profile(args.profile),
        args.out,
        retry=args.retry,
        progress=progress_for(args),
    )
    if args.json:
        print_json(
            {"path": str(done.path), "asked": done.asked, "kept": done.kept, "statuses": done.statuses}
        )
        return 0
    told = ", ".join(f"{status} {count:,}" for status, count in done.statuses.items())
    print(f"{done.path}: {done.asked:,} asked now, {done.kept:,} were there; {told}")
    if not args.quiet:
        print(f"next: beirkit providers {args.dataset} {done.path}", file=sys.stderr)
    return 0
