"""``beirkit leaderboard``."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from beirkit.cli.arguments import add_json

if TYPE_CHECKING:
    from collections.abc import Mapping

    from beirkit.evaluate.site.model import Site, View

_TOLD = 10  # entries that are not shown, named in the terminal


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "submissions",
        type=Path,
        metavar="SUBMISSIONS",
        help="a folder of results, whatever wrote them: folders of results, capsules, files of other tools",
    )
    parser.add_argument(
        "--out", metavar="SITE", type=Path, default=Path("site"), help="folder to write (default: site)"
    )
    parser.add_argument(
        "--overwrite", action="store_true", help="replace a site that this command wrote before"
    )
    parser.add_argument("--title", metavar="TEXT", default="", help="of the site (default: what it holds)")
    parser.add_argument(
        "-m",
        "--measure",
        metavar="MEASURE",
        help="what systems are ranked by (default: the protocol's first, nDCG@10)",
    )
    parser.add_argument(
        "--protocol", default="beirkit", metavar="NAME", help="how results were scored (default: beirkit)"
    )
    parser.add_argument(
        "--suite",
        dest="suites",
        action="append",
        default=[],
        metavar="SUITE",
        help="a suite whose mean is shown, by name or file; may be repeated (default: the suites that a "
        "system has all of, all datasets, and those that most systems have)",
    )
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="seed of the bootstrap (default: 1)")
    parser.add_argument(
        "--samples", type=int, default=10_000, metavar="N", help="how many are drawn (default: 10000)"
    )
    add_json(parser)


def execute(args: argparse.Namespace) -> int:
    """Read the submissions, rank them, and write the site."""
    import tempfile

    from beirkit.boards.leaderboards import Asked, build_site
    from beirkit.boards.submissions import read_submissions
    from beirkit.cli.compare_stored import named_suite
    from beirkit.cli.output import print_json, progress_for
    from beirkit.corpora.errors import UsageError
    from beirkit.corpora.whole import place_for
    from beirkit.evaluate.measures import Measure
    from beirkit.evaluate.protocol import get_protocol
    from beirkit.evaluate.report.page import environment
    from beirkit.evaluate.site.files import files_of, write_site
    from beirkit.evaluate.site.ranking import Draw

    environment()  # whether jinja2 is there, before anything is computed
    _refuse_inside(args)
    place_for(args.out, overwrite=args.overwrite, written=files_of)
    protocol = get_protocol(args.protocol)
    measure = Measure.parse(args.measure) if args.measure else protocol.measures[0]
    draw = Draw(measure, seed=args.seed, samples=args.samples)
    suites = [named_suite(name) for name in args.suites]
    for suite in suites:
        if len(suite.members) < 2:
            raise UsageError(
                f"the suite {suite.name} has one member, whose board the site has", hint="leave it out"
            )
    asked = Asked(protocol, draw, suites, args.title)
    progress = progress_for(args)
    with tempfile.TemporaryDirectory() as scratch:
        found = read_submissions(args.submissions, Path(scratch), progress=progress)
        site = build_site(found, asked, progress=progress)
    sizes = write_site(site, args.out, overwrite=args.overwrite, progress=progress)
    if args.json:
        print_json(_facts(args, site, sizes))
    if not args.quiet:
        _tell(args, site, sizes)
    return 0


def _refuse_inside(args: argparse.Namespace) -> None:
    """A site inside the submissions would be read as one of them the next time."""
    from beirkit.corpora.errors import UsageError

    out, submissions = args.out.resolve(), args.submissions.resolve()
    if out == submissions or submissions in out.parents:
        raise UsageError("lies in the folder of submissions", path=args.out, hint="choose another --out")


def _facts(args: argparse.Namespace, site: Site, sizes: Mapping[str, int]) -> dict[str, object]:
    return {
        "site": str(args.out),
        "systems": len(site.systems),
        "boards": len(site.boards),
        "bytes": sum(sizes.values()),
        "suites": [
            {"suite": one.name, "missing": list(one.missing), "incomplete": dict(one.incomplete)}
            for one in site.views
            if one.name in _asked(args)
        ],
        "not_shown": [{"path": one.path, "reason": one.reason} for one in site.refused],
    }


def _asked(args: argparse.Namespace) -> set[str]:
    """The names of the suites that were asked for."""
    from beirkit.cli.compare_stored import named_suite

    return {named_suite(name).name for name in args.suites}


def _lacking(view: View) -> str:
    """Which members of a suite nobody has, and what others lack."""
    said = [f"no result is of {', '.join(view.missing)}"] if view.missing else []
    if not view.places:
        said.append("no system has a mean")
    systems = [f"{name} {why}" for name, why in view.incomplete.items()]
    said += systems[:_TOLD] + ([f"and {len(systems) - _TOLD:,} more systems"] if len(systems) > _TOLD else [])
    stated = "" if view.tested else " (stated figures)"
    return f"Suite {view.name}{stated}: {'; '.join(said)}"


def _tell(args: argparse.Namespace, site: Site, sizes: Mapping[str, int]) -> None:
    from beirkit.cli.output import size_text
    from beirkit.cli.visible import one_line
    from beirkit.evaluate.site.files import INDEX

    for view in site.views:
        if view.name in _asked(args) and (view.missing or view.incomplete):
            print(one_line(_lacking(view)), file=sys.stderr)
    for one in site.refused[:_TOLD]:
        print(one_line(f"Not shown: {args.submissions / one.path}: {one.reason}"), file=sys.stderr)
    if len(site.refused) > _TOLD:
        print(
            f"Not shown: {len(site.refused) - _TOLD:,} more, which the site and its data.json list",
            file=sys.stderr,
        )
    index = size_text(sizes[INDEX])
    print(
        f"Written: {args.out} ({len(site.systems):,} systems, {len(sizes):,} files, "
        f"{size_text(sum(sizes.values()))}, {INDEX} {index})",
        file=sys.stderr,
    )
    print(f"Open: {(args.out.resolve() / INDEX).as_uri()}", file=sys.stderr)
