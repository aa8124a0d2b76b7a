"""``beirkit equivalents``."""

from __future__ import annotations

import argparse
from pathlib import Path

from beirkit.cli.arguments import add_json, add_settings


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "dataset", metavar="DATASET", help="a dataset of supporting pages, or the BEIR folder made of it"
    )
    parser.add_argument(
        "pages",
        metavar="PAGES",
        nargs="?",
        type=Path,
        help="JSON lines of captured pages: url, title, text, observed, status (without it: print the "
        "addresses to capture)",
    )
    parser.add_argument("--out", type=Path, metavar="FILE", help="JSON lines of verified copies to write")
    add_settings(
        parser,
        "options",
        "share (0.8), block (12), lead (4000), least (200), denominator (copy, reference, shorter, "
        "longer), normaliser (casefold-words, collapse-space); kept with every copy as a hash",
    )
    parser.add_argument(
        "--mirrors", type=Path, metavar="YAML", help="templates of addresses (default: the shipped ones)"
    )
    add_json(parser)


def execute(args: argparse.Namespace) -> int:
    """Print where copies may be, or find them among captured pages."""
    import msgspec

    from beirkit.cli.arguments import key_values
    from beirkit.cli.output import print_json
    from beirkit.configs.load import convert
    from beirkit.configs.mirrors import load_mirrors
    from beirkit.corpora.equivalence import EquivalenceRule
    from beirkit.corpora.errors import UsageError
    from beirkit.search_tools.equivalents import candidate_urls, verify_copies

    mirrors = load_mirrors(args.mirrors)
    if args.pages is None:
        made = list(candidate_urls(args.dataset, mirrors))
        if args.json:
            print_json([{"reference_url": url, "candidate": candidate} for url, candidate in made])
        else:
            for url, candidate in made:
                print(f"{url}\t{candidate}")
        return 0
    if args.out is None:
        raise UsageError("verified copies need a file", hint="add --out FILE")
    rule = convert(key_values(args.options), EquivalenceRule, path="--set")
    found = verify_copies(args.dataset, args.pages, args.out, rule=rule, mirrors=mirrors)
    if args.json:
        print_json({"path": str(args.out), "rule": msgspec.to_builtins(rule), "copies": len(found)})
        return 0
    print(f"{args.out}: {len(found):,} copies of {len({copy.reference_url for copy in found}):,} references")
    return 0
