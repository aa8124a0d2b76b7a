"""What ``beirkit compare`` shows besides its tables, where it is asked to."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from beirkit.cli import compare_detail_tables as tables
from beirkit.cli.compare_detail_tables import Detail, Systems

if TYPE_CHECKING:
    from beirkit.cli.compare_inputs import Contest


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    group = parser.add_argument_group("details")
    group.add_argument(
        "--slices",
        action="store_true",
        help="compare within slices of the queries: by length, number of relevant documents, words shared "
        "with them, language, task, truncated or not; corrected for their number",
    )
    group.add_argument(
        "--slice-by",
        metavar="KEY",
        action="append",
        default=[],
        help="slice by this metadata of queries too; may be repeated",
    )
    group.add_argument(
        "--bounds",
        action="store_true",
        help="show how many results are not judged, and how far means and differences could move were they",
    )
    group.add_argument(
        "--overlap", action="store_true", help="show how alike the lists are: overlap, RBO, Kendall's tau"
    )
    group.add_argument(
        "--worst", type=int, metavar="N", help="show the N queries on which each system differs most"
    )
    group.add_argument(
        "--costs",
        action="store_true",
        help="show speed, latency, size, parameters and licence, as far as results tell them",
    )
    group.add_argument(
        "--all-protocols",
        action="store_true",
        help="say under how many protocols, switches and cut-offs the conclusion holds, and which turn it",
    )


def details(args: argparse.Namespace, contest: Contest, baseline: str) -> dict[str, Detail]:
    """What was asked for, by name.

    Args:
        args: of the command.
        contest: the systems on one dataset. Of one with several seeds the first run is looked at.
        baseline: the system all others are compared with.

    Raises:
        UsageError: an option cannot be followed.
    """
    from beirkit.corpora.errors import UsageError

    if args.worst is not None and args.worst < 1:
        raise UsageError(f"--worst {args.worst}: a whole number from 1")
    asked = {
        "slices": (args.slices or args.slice_by, tables.slices_detail),
        "bounds": (args.bounds, tables.bounds_detail),
        "overlap": (args.overlap, tables.overlap_detail),
        "worst": (args.worst, tables.worst_detail),
        "costs": (args.costs, tables.costs_detail),
        "robustness": (args.all_protocols, tables.robustness_detail),
    }
    chosen = {name: made for name, (wanted, made) in asked.items() if wanted}
    if not chosen:
        return {}
    these = Systems(args, contest, baseline)
    return {name: made(these) for name, made in chosen.items()}
