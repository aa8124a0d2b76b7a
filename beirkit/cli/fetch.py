"""``beirkit fetch``."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from beirkit.cli.arguments import add_json

if TYPE_CHECKING:
    from beirkit.fetching.plan import Plan


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "name", metavar="NAME", help="a name from `beirkit list datasets`, or a YAML file about a dataset"
    )
    parser.add_argument(
        "--form",
        metavar="FORM",
        help="which published form: beir, raw, or OWNER/NAME of a repository of the Hugging Face hub "
        "(default: the first of the dataset's; --dry-run lists them)",
    )
    parser.add_argument(
        "--dry-run", action="store_true", help="show licence, address and size of what would come, and stop"
    )
    parser.add_argument(
        "--offline",
        action="store_true",
        help="open no connection: build from what was fetched before, or say what is not here "
        "(BEIRKIT_OFFLINE=1 does the same)",
    )
    parser.add_argument(
        "--out", type=Path, metavar="FOLDER", help="BEIR folder to write (default: the dataset's own place)"
    )
    parser.add_argument(
        "--mirror",
        dest="mirrors",
        action="append",
        default=[],
        metavar="ADDRESS",
        help="another address of the file, or of the folder it is in (with a slash at its end), for when the "
        "published ones fail; may be repeated",
    )
    parser.add_argument(
        "--revision",
        default="",
        metavar="COMMIT",
        help="the commit of the repository to take, all 40 digits, instead of the published one",
    )
    parser.add_argument(
        "--accept-changed",
        default="",
        metavar="HASH",
        help="take the content with this MD5 or SHA-256, which has replaced the published one, under a name "
        "of its own, NAME@HASH",
    )
    parser.add_argument("--gzip", action="store_true", help="write .jsonl.gz and .tsv.gz")
    parser.add_argument("--overwrite", action="store_true", help="replace a folder that beirkit wrote before")
    parser.add_argument("--no-check", action="store_true", help="leave out the check of the written folder")
    add_json(parser)


def execute(args: argparse.Namespace) -> int:
    """Say what is coming, bring it, say what was written where."""
    import msgspec

    from beirkit.cli.convert import tell_built
    from beirkit.cli.output import print_json, progress_for
    from beirkit.fetching.fetch import fetch, plan_fetch

    asked = {
        "form": args.form,
        "revision": args.revision,
        "accept_changed": args.accept_changed,
        "mirrors": args.mirrors,
        "offline": args.offline,
    }
    if args.dry_run:
        plan = plan_fetch(args.name, **asked)
        if args.json:
            print_json(_for_machines(plan))
        else:
            print("\n".join(_announcement(plan)))
        return 0
    brought = fetch(
        args.name,
        out=args.out,
        gzip=args.gzip,
        overwrite=args.overwrite,
        check=not args.no_check,
        announce=None if args.quiet else _announce,
        progress=progress_for(args),
        **asked,
    )
    if args.json:
        print_json({"path": str(brought.folder), **msgspec.to_builtins(brought.manifest)})
        return 0
    if brought.was_there and not args.quiet:
        print("beirkit: built of the same files before; nothing was fetched", file=sys.stderr)
    source = brought.manifest.provenance.source
    tell_built(args, source if "@" in source else args.name, brought.folder, brought.manifest)
    return 0


def _announce(plan: Plan) -> None:
    print("\n".join(_announcement(plan)), file=sys.stderr, flush=True)


def _announcement(plan: Plan) -> list[str]:
    """What a person should know before anything comes."""
    from beirkit.cli.output import size_text
    from beirkit.fetching.plan import forms

    config = plan.config
    rows = [("licence", config.licence), ("citation", config.citation)]
    for bundle in plan.bundles:
        rows.append(("from", bundle.address))
        rows.append(("version", bundle.revision or "unknown: no checksum is published"))
    files = [(bundle, file) for bundle in plan.bundles for file in bundle.files]
    here = sum(bundle.has(file) for bundle, file in files)
    size = "unknown" if plan.size is None else size_text(plan.size)
    rows.append(("size", f"{size} in {len(files)} file{'' if len(files) == 1 else 's'}, {here} here already"))
    rows.append(("kept in", ", ".join(dict.fromkeys(str(bundle.folder) for bundle in plan.bundles))))
    rows += [("note", note) for note in plan.notes]
    rows.append(
        ("forms", ", ".join(f"{name} (this)" if name == plan.form else name for name in forms(config)))
    )
    return [f"{plan.name}: {config.title}", *(f"  {label:<9} {text}" for label, text in rows if text)]


def _for_machines(plan: Plan) -> dict[str, object]:
    from beirkit.fetching.plan import forms

    return {
        "name": plan.name,
        "form": plan.form,
        "forms": list(forms(plan.config)),
        "licence": plan.config.licence,
        "citation": plan.config.citation,
        "bytes": plan.size,
        "files": [
            {
                "path": str(bundle.folder / file.name),
                "addresses": list(file.addresses),
                "bytes": file.size,
                "checksum": None if file.checksum is None else str(file.checksum),
                "here": bundle.has(file),
            }
            for bundle in plan.bundles
            for file in bundle.files
        ],
        "notes": list(plan.notes),
    }
