"""``beirkit pool``."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from beirkit.cli import outputs
from beirkit.cli.arguments import add_json

if TYPE_CHECKING:
    from beirkit.datasets import Dataset
    from beirkit.pool_files import PoolKey
    from beirkit.pools import Imported
    from beirkit.runs import GivenRun

_SHOWN = 5


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("dataset", metavar="FOLDER", help="the benchmark: a BEIR folder or a dataset's name")
    parser.add_argument(
        "runs",
        metavar="RUN",
        nargs="*",
        type=Path,
        help="runs to pool: run files, result folders, a folder of results or a suite's JSON, of which those "
        "of the split count",
    )
    parser.add_argument("--split", metavar="NAME", help="whose judgments (default: the reported split)")
    parser.add_argument(
        "--out",
        type=Path,
        required=True,
        metavar="FILE",
        help="the pool to write (.csv, .tsv, .jsonl), or with --import the new judgments (.tsv, .trec, …)",
    )
    ask = parser.add_argument_group("what is to be judged")
    ask.add_argument(
        "--depth", type=int, default=10, metavar="K", help="results of each list looked at (default: 10)"
    )
    ask.add_argument(
        "--by",
        choices=("depth", "disagreement"),
        default="depth",
        help="what matters first: the best rank (depth), or ranks that differ most between the systems "
        "(disagreement) (default: depth)",
    )
    ask.add_argument("--limit", type=int, metavar="N", help="only the N documents that matter first")
    ask.add_argument(
        "--unjudged-queries", action="store_true", help="pool for queries without any judgment too"
    )
    ask.add_argument("--protocol", default="beirkit", metavar="NAME", help="how lists are ordered")
    show = parser.add_argument_group("what annotators see")
    show.add_argument("--seed", type=int, default=1, metavar="N", help="of the shuffled order (default: 1)")
    show.add_argument(
        "--ranked", action="store_true", help="in the order in which they matter, not shuffled by query"
    )
    show.add_argument(
        "--show-systems", action="store_true", help="with a column of the systems that found it, and ranks"
    )
    back = parser.add_argument_group("what annotators answered")
    back.add_argument(
        "--import",
        dest="filled",
        action="append",
        default=[],
        type=Path,
        metavar="FILLED",
        help="the pool with its column relevance filled in; again for another annotator",
    )
    back.add_argument(
        "--key", type=Path, metavar="FILE", help="the pool's key (default: beside the first FILLED)"
    )
    back.add_argument(
        "--merge",
        choices=("error", "first", "last", "max", "min"),
        default="error",
        help="which grade counts where files differ, the old judgments being first (default: error)",
    )
    add_json(parser)


def execute(args: argparse.Namespace) -> int:
    """Write a pool, or take one back."""
    from beirkit.corpora.errors import UsageError
    from beirkit.datasets import find_dataset

    if bool(args.runs) == bool(args.filled):
        raise UsageError(
            "a pool is made of runs, or taken back filled in", hint="name runs, or --import FILLED"
        )
    if args.key is not None and not args.filled:
        raise UsageError("--key is about --import", hint="leave it out")
    if args.filled:
        return _import(args)
    return _export(args, find_dataset(args.dataset))


def _export(args: argparse.Namespace, dataset: Dataset) -> int:
    import msgspec

    from beirkit.cli.output import print_json
    from beirkit.datasets import choose_split
    from beirkit.pool_files import key_path
    from beirkit.pools import export_pool

    split = choose_split(dataset, dataset.open(), args.split)
    key = export_pool(
        args.out,
        dataset,
        _runs(args.runs, dataset.name, split),
        split,
        depth=args.depth,
        by=args.by,
        limit=args.limit,
        protocol=args.protocol,
        seed=None if args.ranked else args.seed,
        show_systems=args.show_systems,
        unjudged_queries=args.unjudged_queries,
    )
    if args.json:
        print_json({**msgspec.to_builtins(key), "out": str(args.out) if key.items else None})
        return 0
    _print_pool(key)
    if key.items and not args.quiet:
        print(f"beirkit: fill in the column relevance of {args.out}", file=sys.stderr)
        print(
            f"beirkit: {key_path(args.out)} tells which systems found what; annotators should not see it",
            file=sys.stderr,
        )
    return 0


def _runs(paths: list[Path], dataset: str, split: str) -> dict[str, GivenRun]:
    """The runs by a short name; of folders and tables with many results those of the split."""
    from beirkit.corpora.errors import UsageError
    from beirkit.result_paths import find_results
    from beirkit.runs import find_run, result_folder
    from beirkit.stored import read_suite_results, short_names

    found: dict[Path, None] = {}
    for path in paths:
        one_run = result_folder(path) is not None or (path.is_file() and read_suite_results(path) is None)
        if one_run or not path.exists():
            found[result_folder(path) or path] = None
            continue
        fitting = [one for one in find_results([path]) if (one.dataset, one.facts.split) == (dataset, split)]
        if not fitting:
            raise UsageError(f"holds no result of {dataset}@{split}", path=path, hint="name another")
        found |= dict.fromkeys(one.folder for one in fitting)
    names = short_names([*found])
    return {names[path]: find_run(path) for path in found}


def _print_pool(key: PoolKey) -> None:
    from beirkit.cli.output import print_table

    name = f"{key.dataset}@{key.split}"
    if not key.items:
        print(f"{name}: every result down to rank {key.depth} is judged; nothing was written")
        return
    queries = len({item.query_id for item in key.items})
    rows = [
        [
            system,
            f"{sum(system in item.ranks for item in key.items):,}",
            f"{sum([*item.ranks] == [system] for item in key.items):,}",
        ]
        for system in key.runs
    ]
    print_table(
        f"{name}: {len(key.items):,} documents to judge for {queries:,} queries, by {key.by} down to rank "
        f"{key.depth}",
        ["system", "found", "found by it alone"],
        rows,
    )


def _import(args: argparse.Namespace) -> int:
    import msgspec

    from beirkit.cli.output import print_json
    from beirkit.corpora.errors import UsageError
    from beirkit.corpora.folder import is_beir_folder
    from beirkit.datasets import built_or_path, find_dataset
    from beirkit.judgments import find_judgments
    from beirkit.pools import import_pool

    outputs.refuse_qrels_output(str(args.out))
    place = built_or_path(args.dataset)
    if place.resolve() in args.out.resolve().parents:
        raise UsageError(
            "stands in the benchmark, whose judgments stay as they are", path=args.out, hint="choose another"
        )
    (old,) = find_judgments(args.dataset, [args.split] if args.split else [])
    imported = import_pool(
        args.filled,
        args.out,
        old.qrels,
        old_name=old.name,
        dataset=find_dataset(args.dataset) if is_beir_folder(place) else None,
        key=args.key,
        merge=args.merge,
    )
    if args.json:
        data = msgspec.to_builtins(imported)
        del data["qrels"]
        print_json({**data, "out": str(args.out)})
        return 0
    _print_imported(imported, args.out, shown=None if args.verbose else _SHOWN)
    return 0


def _print_imported(imported: Imported, out: Path, *, shown: int | None) -> None:
    total = sum(map(len, imported.qrels.values()))
    print(f"{out}: {total:,} judgments, {imported.new:,} of them new; content id {imported.content_id}")
    if imported.empty or imported.unasked:
        print(
            f"not judged: {imported.empty:,} pooled documents without a grade, {imported.unasked:,} that no "
            "file has a row of"
        )
    for conflict in imported.conflicts[:shown]:
        grades = ", ".join(f"{grade} in {name}" for name, grade in conflict.grades.items())
        print(f"query {conflict.query_id!r}, document {conflict.doc_id!r}: {grades}; {conflict.kept} counts")
    if shown is not None and len(imported.conflicts) > shown:
        print(f"and {len(imported.conflicts) - shown:,} more, all in {out.name}.provenance.json")
