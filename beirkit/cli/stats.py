"""``beirkit stats``."""

from __future__ import annotations

import argparse

from beirkit.cli.arguments import add_json


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "folder", metavar="FOLDER", help="a BEIR folder, or the name of a dataset that is built"
    )
    add_json(parser)


def execute(args: argparse.Namespace) -> int:
    """Print counts, lengths and content ids."""
    from beirkit.cli.output import print_json, print_table
    from beirkit.corpora.stats import folder_stats
    from beirkit.datasets import built_or_path

    folder = built_or_path(args.folder)
    stats = folder_stats(folder)
    if args.json:
        print_json(stats.to_dict())
        return 0
    print_table(str(folder), ("what", "value"), stats.rows(), left=2)
    return 0
