"""``beirkit check``."""

from __future__ import annotations

import argparse

from beirkit.cli import checking, mending, outputs
from beirkit.cli.arguments import add_json


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "folder",
        metavar="FOLDER",
        nargs="?",
        help="a BEIR folder, or the name of a dataset that is built",
    )
    parser.add_argument("--strict", action="store_true", help="exit with 1 on warnings too")
    checking.add_arguments(parser)
    mending.add_arguments(parser)
    add_json(parser)


def execute(args: argparse.Namespace) -> int:
    """Tell every finding; exit with 1 where there are errors (with --strict: or warnings)."""
    from beirkit.cli.output import print_json, progress_for
    from beirkit.corpora.accepted import read_accepted, write_accepted
    from beirkit.corpora.check import check_folder
    from beirkit.corpora.findings import CAP, Identity
    from beirkit.facts import known_defects

    if args.explain is not None:
        page = checking.explain(args.explain)
        print_json(page.to_dict()) if args.json else print(page.text())
        return 0
    mending.refuse_without_fix(args)
    folder, changes = checking.asked_folder(args), None
    outputs.refuse_check_outputs(args, [folder] if args.fix is None else [folder, args.fix])
    if args.fix is not None:
        folder, changes = args.fix, mending.mend(args, folder)
        if changes is None:
            return 1
    gone: list[Identity] = []
    findings = check_folder(
        folder,
        known=known_defects(folder),
        accepted=read_accepted(args.accept) if args.accept else None,
        cap=None if args.all or args.write_accept else CAP,
        deep=args.deep,
        gone=gone,
        progress=progress_for(args),
    )
    if args.write_accept is not None:  # files first: printing may fail
        write_accepted(args.write_accept, findings)
    if args.junit is not None:
        checking.write_junit(args.junit, findings, folder, strict=args.strict, deep=args.deep)
    if args.json:
        told = [finding.to_dict() for finding in findings]
        print_json(told if changes is None else {"changes": changes, "findings": told})
    else:
        checking.print_findings(findings, folder, every=args.all)
    checking.print_gone(gone, deep=args.deep)
    if args.write_accept is not None:
        checking.say_accepted(
            args.write_accept, checking.number(each for each in findings if each.severity != "known")
        )
        return 0
    severities = {finding.severity for finding in findings}
    return 1 if "error" in severities or (args.strict and "warning" in severities) else 0
