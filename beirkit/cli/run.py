"""``beirkit run``."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from beirkit.cli.arguments import add_json, add_measures
from beirkit.cli.references import add_switch

if TYPE_CHECKING:
    from beirkit.configs.schema import SuiteConfig
    from beirkit.exam import Sample
    from beirkit.retrievers.base import Workplace


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "suite",
        metavar="SUITE",
        nargs="?",
        help="a suite file, or a name from `beirkit list suites`; or use -d and -r",
    )
    parser.add_argument(
        "-d",
        "--dataset",
        dest="datasets",
        action="append",
        default=[],
        metavar="DATASET",
        help="a name from `beirkit list datasets` or a BEIR folder; may be repeated",
    )
    parser.add_argument(
        "-r",
        "--retriever",
        dest="retrievers",
        action="append",
        default=[],
        metavar="RETRIEVER",
        help="a name from `beirkit list retrievers`, with options as bm25:k1=1.5,b=0.75, or a YAML file; "
        "may be repeated",
    )
    parser.add_argument(
        "--stages",
        action="store_true",
        help="a row for each retriever inside a fusion or a reranker too",
    )
    parser.add_argument("--split", metavar="NAME", help="split to search (default: the reported one)")
    parser.add_argument(
        "--protocol",
        metavar="NAME",
        help="how runs are scored (default: beirkit), such as beirkit:missing=skip",
    )
    add_measures(parser)
    parser.add_argument("-k", type=int, metavar="N", help="results kept per query (default: 1000)")
    parser.add_argument(
        "--sample", metavar="queries=N,docs=N", help="use a part of each dataset, to try things out"
    )
    parser.add_argument(
        "--seed", type=int, metavar="N", help="seed of all that is drawn by chance (default: 1)"
    )
    add_switch(parser)
    add_places(parser)
    add_json(parser)


def add_places(parser: argparse.ArgumentParser) -> None:
    """Options on where results go and what does the work."""
    parser.add_argument(
        "--out",
        type=Path,
        default=Path("results"),
        metavar="RESULTS",
        help="results folder (default: results)",
    )
    add_work(parser)


def add_work(parser: argparse.ArgumentParser) -> None:
    """Options on what does the work; shared with ``beirkit encode``."""
    parser.add_argument(
        "--device", default="auto", help="where encoders run: auto, cpu, cuda, cuda:0,cuda:1, mps"
    )
    parser.add_argument("--batch-size", type=int, metavar="N", help="texts an encoder takes at once")
    parser.add_argument("--dtype", choices=("float32", "bfloat16", "float16"), help="arithmetic of encoders")
    parser.add_argument(
        "--offline", action="store_true", help="never ask a model hub or an embedding service for anything"
    )
    parser.add_argument("--no-cache", action="store_true", help="keep no embeddings and indexes on disk")


def execute(args: argparse.Namespace) -> int:
    """Run the suite, print its table, and say where everything went."""
    part = _sample(args)
    suite, name = _suite(args, part)
    return run_and_show(args, suite, part, name=name, named=args.suite is not None)


def run_and_show(
    args: argparse.Namespace, suite: SuiteConfig, part: Sample | None, *, name: str, named: bool = True
) -> int:
    """Run a suite and show it; shared with ``beirkit demo``.

    Args:
        args: where results go, and how they are shown.
        suite: what to run.
        part: run on a sample only.
        name: of the table's files.
        named: whether the suite is one that people know, which has a mean.
    """
    from beirkit.cli.output import print_json, print_table
    from beirkit.configs.ancestry import training_of
    from beirkit.configs.spec import parse_retrievers
    from beirkit.experiment import run_suite
    from beirkit.members import find_members
    from beirkit.summary import Summary

    workplace = workplace_of(args)
    members = find_members(suite, named=named, progress=workplace.progress)
    cells = list(
        run_suite(
            suite,
            results=args.out,
            workplace=workplace,
            part=part,
            members=members,
            ndcg_on_references=getattr(args, "ndcg_on_references", False),
        )
    )
    trained_on = {config.name: training_of(config) for config in parse_retrievers(suite.retrievers)}
    summary = Summary(
        name,
        suite.title or suite.name,
        cells,
        members.tree,
        members.tasks,
        members.families,
        trained_on,
    )
    data, page = summary.write(args.out)
    if not (args.quiet and args.json):
        mark = " (SAMPLE)" if part else ""
        title, columns, rows = summary.narrow()
        print_table(
            f"{title}{mark}",
            columns,
            rows,
            left=len(columns) - len(summary.measures) - 1,
            fold_last=True,
            to_stderr=args.json,
        )
    if not args.quiet:
        for note in summary.notes():
            print(note, file=sys.stderr)
        print(f"Written: {page}, {data}; runs and per-query scores: {args.out}/", file=sys.stderr)
    if args.json:
        print_json(summary.to_json())
    return 0


def _suite(args: argparse.Namespace, part: Sample | None) -> tuple[SuiteConfig, str]:
    """The suite that the arguments name or spell out, and the name of its table's files.

    Options on the command line win over the file's.
    """
    import msgspec

    from beirkit.configs.load import load_suite, read_config
    from beirkit.configs.schema import SuiteConfig
    from beirkit.configs.spec import stages_of
    from beirkit.corpora.errors import UsageError
    from beirkit.corpora.sample import require_seed
    from beirkit.evaluate.measures import parse_measures
    from beirkit.results import result_key

    if args.suite is not None:
        if args.datasets:
            raise UsageError("a suite names its datasets itself", hint="give either SUITE or -d")
        is_file = args.suite.endswith((".yaml", ".yml"))
        suite = read_config(Path(args.suite), SuiteConfig) if is_file else load_suite(args.suite)
        if args.retrievers:
            suite = msgspec.structs.replace(suite, retrievers=args.retrievers)
        elif not suite.retrievers:
            raise UsageError(f"suite {suite.name!r} says what to search, not with what", hint="add -r bm25")
    else:
        if not args.datasets or not args.retrievers:
            raise UsageError(
                "there is nothing to run", hint="name a suite, or datasets with -d and retrievers with -r"
            )
        title = "Retrievers side by side"
        suite = SuiteConfig(name="", title=title, datasets=args.datasets, retrievers=args.retrievers)
    given = {
        "measures": args.measures or None,
        "k": args.k,
        "protocol": args.protocol,
        "seed": args.seed,
        "split": args.split,
    }
    changed = {key: value for key, value in given.items() if value is not None}
    suite = msgspec.structs.replace(suite, **changed)
    if args.stages:
        listed = [name for text in suite.retrievers for name in (text, *stages_of(text))]
        suite = msgspec.structs.replace(suite, retrievers=list(dict.fromkeys(listed)))
        changed["stages"] = True
    require_seed(suite.seed)
    if suite.measures:
        parse_measures(suite.measures)  # refused before any dataset is built
    if suite.k < 1:
        raise UsageError(f"-k {suite.k}: at least one result per query must be kept")
    # What is not as the suite's own file says must not be filed under its name.
    if args.suite is not None and not args.retrievers and not changed and part is None:
        return suite, suite.name
    key = result_key({"suite": msgspec.to_builtins(suite), "sample": msgspec.to_builtins(part)})
    return suite, f"{suite.name or 'suite'}-{key[:8]}"


def _sample(args: argparse.Namespace) -> Sample | None:
    if args.sample is None:
        return None
    from beirkit.cli.arguments import key_values
    from beirkit.configs.load import convert
    from beirkit.corpora.errors import UsageError
    from beirkit.corpora.sample import require_seed
    from beirkit.exam import Sample

    options = key_values(args.sample.split(","))
    seed = 1 if args.seed is None else args.seed
    part = convert({"seed": seed, **options}, Sample, path="--sample")
    require_seed(part.seed)
    if any(size is not None and size < 1 for size in (part.queries, part.docs)):
        raise UsageError(f"--sample {args.sample}: sizes start at 1")
    return part


def workplace_of(args: argparse.Namespace) -> Workplace:
    """Where retrievers work, as :func:`add_work` says."""
    from beirkit.cli.output import progress_for
    from beirkit.corpora.errors import UsageError
    from beirkit.home import cache_folder
    from beirkit.retrievers.base import Workplace

    if args.batch_size is not None and args.batch_size < 1:
        raise UsageError(f"--batch-size {args.batch_size}: a batch holds at least one text")
    return Workplace(
        cache=None if args.no_cache else cache_folder(),
        progress=progress_for(args),
        device=args.device,
        batch_size=args.batch_size,
        dtype=args.dtype,
        offline=args.offline,
    )
