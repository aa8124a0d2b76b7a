"""``beirkit demo``: the whole way on real input, with nothing to prepare and nothing to download."""

from __future__ import annotations

import argparse

from beirkit.cli.arguments import add_json
from beirkit.cli.run import add_places, run_and_show


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add_places(parser)
    add_json(parser)


def execute(args: argparse.Namespace) -> int:
    """Convert the standard library's documentation, run bm25, rank-bm25 and minilm, print the table."""
    from beirkit.configs.load import load_suite

    return run_and_show(args, load_suite("demo"), None, name="demo")
