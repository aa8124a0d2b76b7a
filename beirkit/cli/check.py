"""``beirkit check``."""

from __future__ import annotations

import argparse
from collections import Counter
from pathlib import Path

from beirkit.cli.arguments import add_json


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("folder", metavar="FOLDER", type=Path, help="a BEIR folder")
    parser.add_argument("--strict", action="store_true", help="exit with 1 on warnings too")
    add_json(parser)


def execute(args: argparse.Namespace) -> int:
    """Print every finding; exit with 1 where there are errors (with --strict: or warnings)."""
    from beirkit.cli.output import print_json
    from beirkit.corpora.check import check_folder

    findings = check_folder(args.folder)
    counts = Counter(finding.severity for finding in findings)
    if args.json:
        print_json([finding.to_dict() for finding in findings])
    else:
        for finding in findings:
            print(finding)
        print(
            f"{args.folder}: {counts['error']} errors, {counts['warning']} warnings, {counts['info']} remarks"
        )
    return 1 if counts["error"] or (args.strict and counts["warning"]) else 0
