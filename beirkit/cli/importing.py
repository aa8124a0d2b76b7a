"""``beirkit import``."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from beirkit.cli.arguments import add_json, add_measures

if TYPE_CHECKING:
    from beirkit.importing import Imported


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "paths", type=Path, metavar="PATH", nargs="+", help="files or folders of another tool's results"
    )
    parser.add_argument(
        "--as",
        dest="kind",
        metavar="KIND",
        help="whose results they are, a name from `beirkit list imports` (default: as each file shows)",
    )
    parser.add_argument(
        "--of",
        dest="dataset",
        metavar="DATASET",
        help="what they are of, a name or a BEIR folder (default: what the file says)",
    )
    parser.add_argument("--split", metavar="NAME", help="of the dataset (default: what the file says)")
    parser.add_argument("--name", metavar="SYSTEM", help="name of the system (default: what the file says)")
    parser.add_argument(
        "-k",
        dest="depth",
        type=int,
        metavar="N",
        help="results per query that the system was asked for (default: the longest list)",
    )
    parser.add_argument(
        "--protocol", default="beirkit", metavar="NAME", help="how lists are scored (default: beirkit)"
    )
    add_measures(parser)
    parser.add_argument(
        "--out",
        type=Path,
        default=Path("results"),
        metavar="RESULTS",
        help="folder of results (default: results)",
    )
    add_json(parser)


def execute(args: argparse.Namespace) -> int:
    """Import, then show what each result scores and where it is."""
    from beirkit.cli.output import print_json, progress_for
    from beirkit.importing import Wanted, import_results

    wanted = Wanted(
        dataset=args.dataset,
        split=args.split,
        name=args.name,
        depth=args.depth,
        protocol=args.protocol,
        measures=tuple(args.measures),
    )
    done = import_results(args.paths, args.out, wanted, kind=args.kind, progress=progress_for(args))
    if args.json:
        print_json([{**one.__dict__, "path": str(one.path)} for one in done])
        return 0
    _show(args, done)
    return 0


def _show(args: argparse.Namespace, done: list[Imported]) -> None:
    from beirkit.cli.output import print_table
    from beirkit.evaluate.measures import parse_measures
    from beirkit.evaluate.protocol import get_protocol
    from beirkit.evaluate.stated import UNTESTED
    from beirkit.figures import figure

    protocol = get_protocol(args.protocol)
    columns = [str(measure) for measure in parse_measures(args.measures or protocol.measures)]
    columns = [name for name in columns if any(one.means.get(name) is not None for one in done)]
    rows = [
        (
            f"{one.dataset}@{one.split}" if one.split else one.dataset,
            one.system,
            "scored here" if one.scored else "stated",
            *(figure(one.means.get(name), protocol.digits) if name in one.means else "" for name in columns),
        )
        for one in done
    ]
    print_table("", ("dataset", "system", "figures", *columns), rows, left=3)
    if args.quiet:
        return
    for folder in dict.fromkeys(one.path.parent for one in done):
        print(folder, file=sys.stderr)
    stated = sum(not one.scored for one in done)
    if stated:
        print(f"{stated:,} of {len(done):,} are {UNTESTED}", file=sys.stderr)
