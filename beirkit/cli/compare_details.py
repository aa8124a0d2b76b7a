"""What ``beirkit compare`` shows besides its tables, where it is asked to."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from beirkit.cli import compare_detail_tables as tables
from beirkit.cli.compare_detail_tables import Detail, Systems

if TYPE_CHECKING:
    from beirkit.cli.compare_inputs import Given
    from beirkit.cli.compare_tables import Style


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


def details(args: argparse.Namespace, given: Given, style: Style) -> dict[str, dict[str, Detail]]:
    """What was asked for, by dataset and name; slices of a whole suite's datasets are under its name.

    Args:
        args: of the command.
        given: the systems on each dataset.
        style: of figures.

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
    found = {}
    if given.suite is not None and args.slices:
        found[given.suite.name] = {"slices": tables.suite_slices_detail(args, given, style)}
    for contest in given.contests:
        baseline = given.baseline if given.baseline in contest.scores else next(iter(contest.scores))
        these = Systems(args, contest, baseline, style)
        found[contest.dataset] = {name: made(these) for name, made in chosen.items()}
    return found
