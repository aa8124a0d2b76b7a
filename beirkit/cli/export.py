"""``beirkit export``."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from beirkit.cli.arguments import add_json, add_settings


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "sources",
        metavar="SOURCE",
        nargs="+",
        help="a BEIR folder, or a name from `beirkit list datasets`; or results: result folders, folders of "
        "results, results/SUITE.json",
    )
    parser.add_argument(
        "--to", metavar="TARGET", required=True, help="a name from `beirkit list exports`, such as trec"
    )
    parser.add_argument("--out", type=Path, metavar="OUT", required=True, help="folder to write")
    add_settings(parser, "options", "an option of the target; may be repeated")
    parser.add_argument(
        "--system",
        dest="systems",
        action="append",
        default=[],
        metavar="NAME",
        help="of results: those of this retriever only; may be repeated (default: of all)",
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
    if _are_stated(args):
        return _stated(args)
    return _results(args) if _takes_results(args) else _folder(args)


def _are_stated(args: argparse.Namespace) -> bool:
    """Whether nothing but figures that were imported is exported."""
    from beirkit.evaluate.imports.stated_files import stated_files
    from beirkit.submitting import leads_to_results

    paths = [Path(source) for source in args.sources]
    return all(stated_files(path) and not leads_to_results(path) for path in paths)


def _stated(args: argparse.Namespace) -> int:
    """Give imported figures back to their tool, and tell what that finds wrong with them."""
    import msgspec

    from beirkit.cli.output import print_json
    from beirkit.restoring import export_stated

    problems = export_stated(args.sources, args.to, args.out, overwrite=args.overwrite)
    errors = sum(problem.severity == "error" for problem in problems)
    if args.json:
        print_json({"path": str(args.out), "problems": msgspec.to_builtins(problems)})
        return 0
    print(f"{args.out}: the files that the figures were imported from, as they were")
    if errors:
        told = f"{errors:,} errors by the rules of {args.to}; see them with: beirkit validate {args.out}"
        print(f"{told} --as {args.to}", file=sys.stderr)
    return 0


def _takes_results(args: argparse.Namespace) -> bool:
    """Whether results are exported; a name such as trec is a target of both kinds."""
    from beirkit.corpora.errors import UnknownNameError, UsageError, nearest
    from beirkit.corpora.exports import catalog as folders
    from beirkit.evaluate.exports import catalog as results
    from beirkit.submitting import leads_to_results

    known = {*folders.names(), *results.names()}
    if args.to not in known:
        raise UnknownNameError(f"no export is called {args.to!r}", hint=nearest(args.to, sorted(known)))
    given = {source: leads_to_results(Path(source)) for source in args.sources}
    if all(given.values()):
        if args.to not in results.names():
            raise UsageError(
                f"export {args.to!r} takes a BEIR folder, not results",
                hint="targets that take results: " + ", ".join(results.names()),
            )
        return True
    other = next(source for source, leads in given.items() if not leads)
    if args.to not in folders.names():
        raise UsageError(
            f"{other} holds no results, and export {args.to!r} takes results",
            hint="options stand behind --set"
            if "=" in other and not Path(other).exists()
            else "name what beirkit run made: a result folder, a folder of results, or results/SUITE.json",
        )
    if args.systems:
        raise UsageError(f"--system chooses among results, and {other} holds none")
    if len(given) > 1:
        raise UsageError(f"{other} holds no results, and of folders one is exported at a time")
    return False


def _results(args: argparse.Namespace) -> int:
    import msgspec

    from beirkit.cli.output import print_json
    from beirkit.converters.options import parse_settings
    from beirkit.evaluate.exports.catalog import get
    from beirkit.submitting import export_results

    submission = export_results(
        args.sources,
        args.to,
        args.out,
        parse_settings(args.options, get(args.to).Options),
        systems=args.systems,
        overwrite=args.overwrite,
    )
    if args.json:
        print_json({"path": str(args.out), **msgspec.to_builtins(submission)})
        return 0
    results = submission.results
    systems, datasets = {one.system for one in results}, {one.dataset for one in results}
    scored = f", scored under the protocol {submission.protocol}" if submission.protocol else ""
    print(f"{args.out}: {_count(len(systems), 'system')} on {_count(len(datasets), 'dataset')}{scored}")
    _list_files(args, {name: facts.bytes for name, facts in submission.files.items()})
    return 0


def _folder(args: argparse.Namespace) -> int:
    import msgspec

    from beirkit.cli.output import print_json, progress_for
    from beirkit.converters.options import parse_settings
    from beirkit.corpora.exports.catalog import get
    from beirkit.exporting import export

    manifest = export(
        args.sources[0],
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
    _list_files(args, {name: facts.bytes for name, facts in manifest.files.items()})
    return 0


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}" + ("" if number == 1 else "s")


def _list_files(args: argparse.Namespace, sizes: dict[str, int]) -> None:
    if not args.quiet:
        for name, size in sizes.items():
            print(f"{size:>15,}  {name}", file=sys.stderr)
