"""``beirkit analyze``."""

from __future__ import annotations

import argparse

from beirkit.cli.arguments import add_json


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("text", metavar="TEXT", help="the text, or - for standard input")
    parser.add_argument(
        "-r",
        "--retriever",
        default="bm25-lucene",
        metavar="NAME",
        help="a lexical retriever as `beirkit run` takes it, such as bm25-lucene:language=he "
        "(default: bm25-lucene)",
    )
    add_json(parser)


def execute(args: argparse.Namespace) -> int:
    """Show what each step of the retriever's analyzer makes of the text."""
    import sys

    from beirkit.analysis import analyze
    from beirkit.cli.output import print_json, print_table

    text = sys.stdin.read() if args.text == "-" else args.text
    analysis = analyze(text, args.retriever)
    if args.json:
        print_json(analysis.to_dict())
        return 0
    rows = [
        (traced.step, " | ".join(traced.tokens) if traced.text is None else traced.text.replace("\n", " "))
        for traced in analysis.steps
    ]
    print_table(
        f"{args.retriever}: {analysis.language}", ("step", "what it gives"), rows, left=2, fold_last=True
    )
    print(f"terms: {len(analysis.terms):,}, distinct: {len(set(analysis.terms)):,}")
    return 0
