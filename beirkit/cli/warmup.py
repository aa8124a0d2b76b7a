"""``beirkit warmup``."""

from __future__ import annotations

import argparse

from beirkit.cli.arguments import add_json


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add_json(parser)


def execute(args: argparse.Namespace) -> int:
    """Compile what would else be compiled by the first search; tell where it is kept."""
    from beirkit.cli.output import print_json
    from beirkit.retrievers.lexical.native import warm_up

    warm = warm_up()
    if args.json:
        print_json(warm)
    elif not warm["compiled"]:
        print(f"numpy does the work: {warm['reason']}")
    elif warm["kept"] is None:
        print(f"compiled in {warm['seconds']:.1f} s; it cannot be kept, and each process compiles anew")
    else:
        print(f"ready after {warm['seconds']:.1f} s, kept in {warm['kept']}")
    return 0
