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
        "--rule",
        dest="rules",
        action="append",
        default=[],
        metavar="NAME=CHOICE",
        help="with --fix: what to do where it is not clear, such as conflicting-grades=max; may be repeated",
    )


def mend(args: argparse.Namespace) -> list[dict[str, Any]] | None:
    """Write the mended copy and say what was changed.

    Returns:
        the changes, for JSON; None where rules are missing, which are then listed.
    """
    import msgspec

    from beirkit.cli.output import print_json, progress_for
    from beirkit.corpora.mend import mend_folder
    from beirkit.corpora.mend_rules import RULES, RulesNeededError, parse_rules

    try:
        report = mend_folder(args.folder, args.fix, parse_rules(args.rules), progress=progress_for(args))
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
            print(f"{args.fix} was not written: give each of these rules, with one of its choices")
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


def refuse_rules_alone(args: argparse.Namespace) -> None:
    """Rules without ``--fix`` would be for nothing.

    Raises:
        UsageError: there are some.
    """
    from beirkit.corpora.errors import UsageError

    if args.rules and args.fix is None:
        raise UsageError("--rule is for --fix", hint="add --fix OUT")
