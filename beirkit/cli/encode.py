"""``beirkit encode``."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from beirkit.cli.arguments import add_json
from beirkit.cli.run import add_work


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "-d",
        "--dataset",
        required=True,
        metavar="DATASET",
        help="a name from `beirkit list datasets` or a BEIR folder",
    )
    parser.add_argument(
        "-r",
        "--retriever",
        required=True,
        metavar="RETRIEVER",
        help="a dense or sparse retriever as `beirkit run` takes it, such as splade-tiny",
    )
    parser.add_argument("--out", required=True, type=Path, metavar="FOLDER", help="folder to write")
    parser.add_argument(
        "--split", metavar="NAME", help="split whose judged queries are encoded (default: the reported one)"
    )
    parser.add_argument(
        "--impacts",
        type=float,
        metavar="FACTOR",
        help="of term weights: multiply by FACTOR, such as 100, and round, as impact indexes need; queries "
        "become pseudo-text",
    )
    parser.add_argument("--overwrite", action="store_true", help="replace a folder that this command wrote")
    add_work(parser)
    add_json(parser)


def execute(args: argparse.Namespace) -> int:
    """Encode, then say what was written where."""
    from beirkit.cli.output import print_json
    from beirkit.cli.run import workplace_of
    from beirkit.encoding import encode

    made = encode(
        args.dataset,
        args.retriever,
        args.out,
        split=args.split,
        impacts=args.impacts,
        overwrite=args.overwrite,
        workplace=workplace_of(args),
    )
    manifest = made.manifest
    if args.json:
        print_json({"path": str(made.path), **manifest})
        return 0
    for role, plural in (("document", "documents"), ("query", f"queries of {manifest['split']}")):
        facts = manifest[role]
        what = (
            f"{facts['active_dims']} terms each, {facts['empty']:,} without any"
            if "active_dims" in facts
            else f"{facts['dimensions']} dimensions"
        )
        print(f"{facts['texts']:,} {plural}: {what}")
    print(f"Written: {made.path}: {', '.join(manifest['files'])}", file=sys.stderr)
    return 0
