"""``beirkit check --fix``: writes a mended copy, or says which decisions it needs."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

_SHOWN = 20


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    group = parser.add_argument_group("mending")
    group.add_argument(
        "--fix",
        metavar="OUT",
        type=Path,
        help="write a mended copy to OUT and check that; the folder itself stays as it is",
    )
    group.add_argument(
        "--overwrite",
        action="store_true",
        help="with --fix: replace a folder that beirkit wrote to OUT before",
    )
    group.add_argument(
        "--force",
        action="store_true",
        help="with --overwrite: replace it also where somebody has changed its files since",
    )
    group.add_argument(
        "--rule",
        dest="rules",
        action="append",
        default=[],
        metavar="NAME=CHOICE",
        help="with --fix: what to do where it is not clear, such as conflicting-grades=max; may be repeated",
    )


def mend(args: argparse.Namespace, folder: Path) -> list[dict[str, Any]] | None:
    """Write a mended copy of the folder and say what was changed.

    Returns:
        the changes, for JSON; None where rules are missing, which are then listed.
    """
    import msgspec

    from beirkit.cli.output import print_json, progress_for
    from beirkit.corpora.mend import mend_folder
    from beirkit.corpora.mend_rules import RULES, RulesNeededError, parse_rules

    try:
        report = mend_folder(
            folder,
            args.fix,
            parse_rules(args.rules),
            overwrite=args.overwrite,
            force=args.force,
            progress=progress_for(args),
        )
    except RulesNeededError as error:
        if args.json:
            print_json(
                {
                    "needed": [
                        {
                            "rule": each.rule,
                            "choices": dict(RULES[each.rule].choices),
                            "codes": list(RULES[each.rule].codes),
                            "count": each.count,
                            "example": each.example,
                        }
                        for each in error.needed
                    ]
                }
            )
        else:
            for each in error.needed:
                print(each)
            print(f"{args.fix} was not written: {_wanted(len(error.needed))}")
        return None
    if not args.json:
        total = sum(change.count for change in report.changes)
        for change in report.changes[:_SHOWN]:
            print(f"changed {change}")
        if len(report.changes) > _SHOWN:
            print(f"and {len(report.changes) - _SHOWN:,} more kinds, all in {args.fix / 'manifest.json'}")
        print(f"{args.fix}: written with {total:,} changes; what remains in it:")
        sys.stdout.flush()
    changes: list[dict[str, Any]] = msgspec.to_builtins(report.changes)
    return changes


def _wanted(rules: int) -> str:
    """What to give; of several rules, the choice of one can leave nothing for a later one."""
    if rules == 1:
        return "give this rule, with one of its choices"
    return "give these rules, each with one of its choices; some may turn out not to be needed"


def refuse_without_fix(args: argparse.Namespace) -> None:
    """Rules or ``--overwrite`` without ``--fix`` would be for nothing.

    Raises:
        UsageError: they are there.
    """
    from beirkit.corpora.errors import UsageError

    if args.force and not args.overwrite:
        raise UsageError("--force is for --overwrite", hint="add --fix OUT --overwrite")
    if args.fix is not None:
        return
    for option, given in {"--rule": args.rules, "--overwrite": args.overwrite}.items():
        if given:
            raise UsageError(f"{option} is for --fix", hint="add --fix OUT")
