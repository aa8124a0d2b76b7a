"""``beirkit cite``."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from beirkit.citing import Citations


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "targets",
        metavar="TARGET",
        nargs="+",
        help="a result folder, a folder of results or a suite's JSON; or the name, YAML file or folder of a "
        "dataset, suite or retriever",
    )
    parser.add_argument(
        "--format",
        choices=("text", "bibtex", "json"),
        default="text",
        help="text, bibtex or json (default: text)",
    )


def execute(args: argparse.Namespace) -> int:
    """Collect and print."""
    from beirkit.citing import cite
    from beirkit.cli.output import print_json

    citations = cite(args.targets)
    if args.format == "json":
        print_json(citations.to_json())
    elif args.format == "bibtex":
        print(citations.bibtex(), end="")
    else:
        _print_text(citations)
    return 0


def _print_text(citations: Citations) -> None:
    from beirkit.cli.output import print_table

    rows = [
        [
            source.kind,
            source.name,
            ", ".join(source.versions),
            " ".join(source.licence.split()),
            ", ".join(source.keys) or "nothing is known",
        ]
        for source in citations.sources
    ]
    print_table("", ["", "name", "version", "licence", "to cite"], rows, left=5)
    for key, paper in citations.papers.items():
        print(f"[{key}] {paper}")
