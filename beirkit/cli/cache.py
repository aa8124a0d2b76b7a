"""``beirkit cache``."""

from __future__ import annotations

import argparse
import sys
import time

from beirkit.cli.arguments import add_json


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "--prune", action="store_true", help="remove what is chosen; needs --kind, --older-than or --all"
    )
    parser.add_argument(
        "--dry-run", action="store_true", help="with --prune: say what would go, remove nothing"
    )
    parser.add_argument(
        "--kind", action="append", default=[], metavar="KIND", help="of this kind only; may be repeated"
    )
    parser.add_argument(
        "--older-than", metavar="AGE", help="not read or written for this long: 45m, 12h, 30d, 2w"
    )
    parser.add_argument("--all", action="store_true", help="with --prune: everything that nobody is writing")
    add_json(parser)


def execute(args: argparse.Namespace) -> int:
    """List the store, or remove a part of it."""
    from beirkit.caching import choose, entries, remove, seconds_of
    from beirkit.cli.output import print_json, print_table, size_text
    from beirkit.corpora.errors import UsageError
    from beirkit.home import cache_folder

    root = cache_folder()
    age = None if args.older_than is None else seconds_of(args.older_than)
    if args.prune and not (args.kind or args.older_than or args.all):
        raise UsageError("--prune does not say what", hint="add --older-than 30d, --kind KIND, or --all")
    if (args.dry_run or args.all) and not args.prune:
        raise UsageError("--dry-run and --all go with --prune")
    found = entries(root)
    chosen = choose(found, kinds=args.kind, older_than=age)
    if args.prune:
        shown = chosen
        gone = list(chosen) if args.dry_run else [entry for entry in chosen if remove(entry)]
    else:
        shown = [e for e in found if (not args.kind or e.kind in args.kind) and (age is None or e in chosen)]
        gone = []
    if args.json:
        print_json(
            {
                "path": str(root),
                "bytes": sum(entry.size for entry in found),
                "entries": [entry.to_json() for entry in shown],
                "removed": [str(entry.path) for entry in gone] if args.prune and not args.dry_run else [],
            }
        )
        return 0
    if shown:
        now = time.time()
        rows = [
            [
                e.kind,
                e.path.name[:12],
                size_text(e.size),
                str(e.files),
                _age(now - e.used),
                _state(e.busy),
                e.what,
            ]
            for e in shown
        ]
        columns = ["kind", "entry", "size", "files", "unused for", "", "what"]
        print_table("", columns, rows, left=2)
    if not args.quiet:
        size = size_text(sum(entry.size for entry in found))
        print(f"{root}: {len(found)} entries, {size}", file=sys.stderr)
        busy = sum(entry.busy for entry in found)
        if args.prune:
            verb = "would be removed" if args.dry_run else "removed"
            told = f"{len(gone)} entries {verb}, {size_text(sum(entry.size for entry in gone))}"
            kept = f"; {busy} in which something was just written stay" if busy else ""
            print(f"{told}{kept}", file=sys.stderr)
    return 0


def _age(seconds: float) -> str:
    for unit, size in (("d", 86400), ("h", 3600), ("m", 60)):
        if seconds >= size:
            return f"{int(seconds // size)} {unit}"
    return "0 m"


def _state(busy: bool) -> str:
    return "in use" if busy else ""
