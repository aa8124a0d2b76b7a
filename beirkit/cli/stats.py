"""``beirkit stats``."""

from __future__ import annotations

import argparse
from pathlib import Path

from beirkit.cli.arguments import add_json


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("folder", metavar="FOLDER", type=Path, help="a BEIR folder")
    add_json(parser)


def execute(args: argparse.Namespace) -> int:
    """Print counts, lengths and content ids."""
    from beirkit.cli.output import print_json, print_table
    from beirkit.corpora.stats import folder_stats

    stats = folder_stats(args.folder)
    if args.json:
        print_json(stats.to_dict())
        return 0
    print_table(str(args.folder), ("what", "value"), stats.rows(), left=2)
    return 0
