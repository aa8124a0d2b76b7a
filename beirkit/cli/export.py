"""``beirkit export``."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from beirkit.cli.arguments import add_json


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "folder", metavar="FOLDER", help="a BEIR folder, or a name from `beirkit list datasets`"
    )
    parser.add_argument(
        "--to", metavar="TARGET", required=True, help="a name from `beirkit list exports`, such as trec"
    )
    parser.add_argument("--out", type=Path, metavar="OUT", required=True, help="folder to write")
    parser.add_argument(
        "--set",
        dest="options",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="an option of the target; may be repeated",
    )
    parser.add_argument(
        "--overwrite", action="store_true", help="replace a folder that an export wrote before"
    )
    parser.add_argument(
        "--pages-are-licensed",
        action="store_true",
        help="write texts of captured web pages, since you may pass them on",
    )
    add_json(parser)


def execute(args: argparse.Namespace) -> int:
    """Export, then say what was written where."""
    import msgspec

    from beirkit.cli.output import print_json, progress_for
    from beirkit.converters.options import parse_settings
    from beirkit.corpora.exports.catalog import get
    from beirkit.exporting import export

    manifest = export(
        args.folder,
        args.to,
        args.out,
        parse_settings(args.options, get(args.to).Options),
        overwrite=args.overwrite,
        pages_are_licensed=args.pages_are_licensed,
        progress=progress_for(args),
    )
    if args.json:
        print_json({"path": str(args.out), **msgspec.to_builtins(manifest)})
        return 0
    counts = manifest.counts
    splits = ", ".join(f"{split} {tally.judgments:,}" for split, tally in counts.splits.items())
    print(
        f"{args.out}: {counts.documents:,} documents, {counts.queries:,} queries; "
        f"judgments: {splits or 'none'}"
    )
    if not args.quiet:
        for name, facts in manifest.files.items():
            print(f"{facts.bytes:>15,}  {name}", file=sys.stderr)
    return 0
