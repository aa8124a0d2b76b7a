"""``beirkit fuse``."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from beirkit.cli.arguments import add_json


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "runs", metavar="RUN", nargs="+", type=Path, help="run files, or result folders of `beirkit run`"
    )
    parser.add_argument("--out", required=True, type=Path, metavar="FILE", help="the run file to write")
    parser.add_argument(
        "--method",
        choices=("rrf", "minmax", "zscore", "sum"),
        default="rrf",
        help="reciprocal ranks (default), scores normalised to 0…1 or by mean and deviation, or as they are",
    )
    parser.add_argument(
        "--rrf-k", type=float, metavar="K", help="of rrf: a result at rank r counts 1/(K+r) (default: 60)"
    )
    parser.add_argument(
        "--weights", metavar="W,W", help="weights of the runs, in their order (default: 1 each)"
    )
    parser.add_argument(
        "--lower",
        action="append",
        type=int,
        default=[],
        metavar="N",
        help="the Nth run, from 1, has distances: lower scores are better; may be repeated",
    )
    parser.add_argument(
        "--missing",
        choices=("zero", "lowest"),
        help="what a document counts in a list it is not in (default: zero; for zscore its lowest)",
    )
    parser.add_argument(
        "--depth", type=int, metavar="N", help="results of each list that count (default: all)"
    )
    parser.add_argument("-k", type=int, metavar="N", help="results per query to write (default: all)")
    parser.add_argument(
        "--tune", metavar="QRELS", help="choose the weights by these judgments, of another split than RUN's"
    )
    parser.add_argument("--tune-split", metavar="NAME", help="split of --tune, where that is a BEIR folder")
    parser.add_argument(
        "--tune-run",
        action="append",
        type=Path,
        default=[],
        metavar="RUN",
        help="with --tune: the same systems on the judged split, one for each RUN, in the same order",
    )
    parser.add_argument(
        "--tune-measure",
        default="nDCG@10",
        metavar="MEASURE",
        help="what is made greatest (default: nDCG@10)",
    )
    add_json(parser)


def execute(args: argparse.Namespace) -> int:
    """Fuse the runs, choosing weights where asked to, and say where the file is."""
    from beirkit.cli.output import print_json
    from beirkit.corpora.errors import UsageError
    from beirkit.fusing import fuse_files, record_path
    from beirkit.retrievers.fusion.methods import Fusion

    if args.k is not None and args.k < 1:
        raise UsageError(f"-k {args.k}: at least one result per query must be kept")
    if len(args.runs) < 2:
        raise UsageError("one run alone is not fused", hint="name two or more")
    count = len(args.runs)
    if any(not 1 <= place <= count for place in args.lower):
        raise UsageError(f"--lower names a run from 1 to {count}")
    how = Fusion(
        method=args.method,
        k=60 if args.rrf_k is None else args.rrf_k,
        weights=_weights(args.weights),
        directions=["lower" if place in args.lower else "higher" for place in range(1, count + 1)],
        depth=args.depth,
        missing=args.missing,
    )
    how.check(count)
    tuned: dict[str, Any] | None = None
    if args.tune is not None or args.tune_run:
        how, tuned = _tuned(args, how)
    run = fuse_files(args.runs, how, args.out, top=args.k, tuned=tuned)
    told = {"out": str(args.out), "queries": len(run), "results": run.n_results, "tuned": tuned}
    if args.json:
        print_json({**told, "fusion": how.describe(count)})
    if not args.quiet:
        if tuned is not None:
            print(
                f"weights {','.join(f'{weight:g}' for weight in how.weights)}: {tuned['measure']} "
                f"{tuned['value']:.4f} on {tuned['judgments']}, {tuned['equal_weights']:.4f} with equal ones",
                file=sys.stderr,
            )
        print(f"Written: {args.out}, {record_path(args.out)}", file=sys.stderr)
    return 0


def _tuned(args: argparse.Namespace, how: Any) -> tuple[Any, dict[str, Any]]:
    from beirkit.corpora.errors import UsageError
    from beirkit.fusing import read_runs, refuse_same_queries, tune
    from beirkit.judgments import find_judgments

    if args.tune is None:
        raise UsageError("--tune-run goes with --tune")
    if how.weights:
        raise UsageError("weights are given, and are to be chosen", hint="leave out --weights, or --tune")
    if len(args.tune_run) != len(args.runs):
        raise UsageError(
            f"{len(args.tune_run)} runs to choose the weights by, and {len(args.runs)} to fuse",
            hint="give --tune-run once for each RUN, in the same order",
        )
    (judged,) = find_judgments(args.tune, [args.tune_split] if args.tune_split else [])
    refuse_same_queries(read_runs(args.runs), judged.qrels)
    found = tune(read_runs(args.tune_run), how, judged.qrels, args.tune_measure)
    return found.how, {
        "judgments": judged.name,
        "measure": found.measure,
        "value": found.value,
        "equal_weights": found.equal,
        "tried": found.tried,
    }


def _weights(text: str | None) -> list[float]:
    from beirkit.corpora.errors import UsageError

    try:
        return [float(part) for part in text.split(",")] if text else []
    except ValueError:
        raise UsageError(
            f"--weights {text!r} cannot be read", hint="write numbers: --weights 0.7,0.3"
        ) from None
