"""``beirkit convert``."""

from __future__ import annotations

import argparse
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from beirkit.cli.arguments import add_json, add_settings

if TYPE_CHECKING:
    from beirkit.corpora.manifest import Manifest


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "source",
        metavar="SOURCE",
        help="a name from `beirkit list datasets` or `beirkit list formats`, ir_datasets:ID, mteb:TASK, or a "
        "YAML file about a dataset",
    )
    parser.add_argument(
        "raw", metavar="RAW", nargs="?", type=Path, help="its file or folder, where it has one"
    )
    parser.add_argument(
        "--out",
        type=Path,
        metavar="FOLDER",
        help="BEIR folder to write (default for a dataset: its own place)",
    )
    add_settings(parser, "options", "an option of the converter; may be repeated")
    parser.add_argument(
        "--passages",
        metavar="RULES",
        help="split documents: size=400,overlap=80 (in characters, or unit=words or sentences), and "
        "judgments=document|overlap|contains: which passages of a relevant document are relevant",
    )
    parser.add_argument(
        "--distractors",
        metavar="FOLDER",
        help="add the documents of another BEIR folder, where the format can (asmachta, squad): short for "
        "--set distractors=FOLDER",
    )
    parser.add_argument(
        "--repair-urls",
        action="store_true",
        help="read addresses with junk around them as what they mean (lexbench): short for "
        "--set repair_urls=true",
    )
    parser.add_argument("--gzip", action="store_true", help="write .jsonl.gz and .tsv.gz")
    parser.add_argument("--overwrite", action="store_true", help="replace a folder that beirkit wrote before")
    parser.add_argument("--no-check", action="store_true", help="leave out the check of the written folder")
    add_json(parser)


def execute(args: argparse.Namespace) -> int:
    """Convert, then say what was written where."""
    import msgspec

    from beirkit.cli.output import print_json, progress_for
    from beirkit.conversion import convert_source, format_of
    from beirkit.converters.catalog import parse_settings
    from beirkit.corpora.passages import parse_rules

    options = [*args.options, *([f"distractors={args.distractors}"] if args.distractors else [])]
    options += ["repair_urls=true"] * args.repair_urls
    folder, manifest = convert_source(
        args.source,
        args.raw,
        args.out,
        parse_settings(format_of(args.source), options),
        gzip=args.gzip,
        overwrite=args.overwrite,
        check=not args.no_check,
        passages=None if args.passages is None else parse_rules(args.passages),
        progress=progress_for(args),
    )
    if args.json:
        print_json({"path": str(folder), **msgspec.to_builtins(manifest)})
        return 0
    tell_built(args, args.source, folder, manifest)
    return 0


def tell_built(args: argparse.Namespace, name: str, folder: Path, manifest: Manifest) -> None:
    """Say what was written where, and what can be done with it."""
    from beirkit.conversion import is_empty
    from beirkit.facts import config_of
    from beirkit.languages import bm25_for

    counts = manifest.counts
    splits = ", ".join(f"{split} {tally.judgments:,}" for split, tally in counts.splits.items())
    print(
        f"{folder}: {counts.documents:,} documents, {counts.queries:,} queries; judgments: {splits or 'none'}"
    )
    if not args.quiet and not is_empty(manifest):
        shown = _called(name, folder)
        config = config_of(folder)
        retriever = bm25_for(config.language if config is not None else "")
        step = f"run -d {shown} -r {retriever}" if counts.documents else f"score RUN {shown}"
        if manifest.provenance.converter == "lexbench":
            step = f"providers {shown} RESULTS"
        print(f"next: beirkit {step}", file=sys.stderr)


def _called(name: str, folder: Path) -> str:
    """What the next command calls a dataset: its name or file, or its folder where that is elsewhere."""
    from beirkit.configs.load import names
    from beirkit.facts import config_named, is_yaml
    from beirkit.home import built_folder

    config = config_named(name) if is_yaml(name) else None
    if folder == built_folder(name if config is None else config.name):
        return shlex.quote(name)
    text = str(folder)
    return shlex.quote(f"./{text}" if text in names("datasets") else text)
