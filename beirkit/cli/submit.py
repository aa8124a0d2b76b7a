"""``beirkit submit``."""

from __future__ import annotations

import argparse
from pathlib import Path

from beirkit.cli.arguments import add_json


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("target", metavar="TARGET", help="a board from `beirkit list exports`, such as mteb")
    parser.add_argument("path", type=Path, metavar="PATH", help="what `beirkit export --to TARGET` wrote")
    parser.add_argument(
        "--dry-run",
        action="store_true",
        help="print the steps; required, since beirkit uploads nothing by itself",
    )
    add_json(parser)


def execute(args: argparse.Namespace) -> int:
    """Print what to do, step by step; exit with 1 where something is known to be missing."""
    import msgspec

    from beirkit.cli.output import print_json
    from beirkit.corpora.errors import UsageError
    from beirkit.validating import steps_of

    if not args.dry_run:
        raise UsageError(
            "beirkit uploads nothing by itself", hint="add --dry-run, and it prints what there is to do"
        )
    steps = steps_of(args.target, args.path)
    missing = any(step.done is False for step in steps)
    if args.json:
        print_json({"ready": not missing, "steps": msgspec.to_builtins(list(steps))})
        return 1 if missing else 0
    for number, step in enumerate(steps, 1):
        mark = {True: "[x]", False: "[!]", None: "[ ]"}[step.done]
        print(f"{number:>2}. {mark} {step.what}")
        if step.why:
            print(f"        {step.why}")
    print("Nothing was uploaded.")
    return 1 if missing else 0
