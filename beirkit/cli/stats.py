"""``beirkit stats``."""

from __future__ import annotations

import argparse
from pathlib import Path

from beirkit.cli.arguments import add_json


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "folder",
        metavar="FOLDER",
        help="a BEIR folder, the name of a dataset that is built, or the folder of a kept lexical index",
    )
    add_json(parser)


def execute(args: argparse.Namespace) -> int:
    """Print counts, lengths and content ids of a folder; terms, postings and lengths of an index."""
    from beirkit.cli.output import print_json, print_table
    from beirkit.corpora.stats import folder_stats
    from beirkit.datasets import built_or_path
    from beirkit.retrievers.lexical.index_stats import index_stats, is_index, rows

    if is_index(Path(args.folder)):
        found = index_stats(Path(args.folder))
        if args.json:
            print_json(found)
        else:
            print_table(args.folder, ("what", "value"), rows(found), left=2)
        return 0
    folder = built_or_path(args.folder)
    stats = folder_stats(folder)
    if args.json:
        print_json(stats.to_dict())
        return 0
    print_table(str(folder), ("what", "value"), stats.rows(), left=2)
    return 0
