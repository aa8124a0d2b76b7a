"""``beirkit compare``."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from beirkit.cli.arguments import add_json, add_measures
from beirkit.cli.score import add_depth, add_judgments, add_lenient_scores

if TYPE_CHECKING:
    from beirkit.evaluate.compare import Comparison


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "runs", metavar="RUN", nargs="+", type=Path, help="run files, or result folders of `beirkit run`"
    )
    add_judgments(parser, option=True)
    parser.add_argument(
        "--baseline",
        metavar="RUN",
        type=Path,
        help="the run all others are compared with (default: the first)",
    )
    add_measures(parser)
    add_depth(parser)
    parser.add_argument(
        "--protocol",
        default="beirkit",
        metavar="NAME",
        help="how the runs are scored, such as beirkit:missing=skip",
    )
    add_lenient_scores(parser)
    parser.add_argument(
        "--seed", type=int, default=1, metavar="N", help="seed of bootstrap and randomisation (default: 1)"
    )
    parser.add_argument(
        "--samples", type=int, default=10_000, metavar="N", help="how many are drawn (default: 10000)"
    )
    parser.add_argument(
        "--force",
        action="store_true",
        help="compare results of different data, splits or depths all the same",
    )
    add_json(parser)


def execute(args: argparse.Namespace) -> int:
    """Compare runs with a baseline on the same judgments."""
    import msgspec

    from beirkit.cli.output import print_json, print_table
    from beirkit.cli.score import read_judgments
    from beirkit.evaluate.compare import compare
    from beirkit.evaluate.engine import evaluate
    from beirkit.evaluate.measures import parse_measures
    from beirkit.evaluate.protocol import get_protocol
    from beirkit.runs import counted_depth, find_run, searched_judgments

    protocol = get_protocol(args.protocol)
    measures = parse_measures(args.measures or protocol.measures[:1])
    paths = list(dict.fromkeys([*([args.baseline] if args.baseline else []), *args.runs]))
    named = system_names(paths)
    require_comparable(named, force=args.force)
    exam = read_judgments(args.qrels, args.split, args.default_relevance)
    given = {name: find_run(path) for name, path in named.items()}
    depth = counted_depth(args.depth, given.items())
    qrels = searched_judgments(exam.qrels, given.values())
    part = next((one.sample for one in given.values() if one.sample is not None), None)
    sample = exam.sample if part is None else msgspec.to_builtins(part)
    scores = {
        name: evaluate(
            qrels,
            one.read(qrels, lenient_scores=args.lenient_scores),
            measures,
            protocol,
            self_match_ids=one.self_match_ids if exam.self_match_ids is None else exam.self_match_ids,
            depth=depth,
            lenient_scores=args.lenient_scores,
        )
        for name, one in given.items()
    }
    baseline = next(iter(scores))
    tables = [compare(scores, m, baseline=baseline, seed=args.seed, samples=args.samples) for m in measures]
    for table in tables:
        print_table(
            f"{table.measure}, compared with {baseline} over {table.queries:,} queries"
            f"{' (SAMPLE)' if sample else ''}",
            ("system", "mean", "difference", "95 % interval", "p", "p (Holm)", "better/same/worse", ""),
            [_row(item, protocol.digits) for item in table.rows],
            to_stderr=args.json,
        )
    if not args.quiet:
        print(f"Protocol: {protocol.describe()}", file=sys.stderr)
        if depth is not None:
            print(f"Depth: {depth:,} results per query count", file=sys.stderr)
        print(
            f"Intervals: paired bootstrap, percentile; p: two-sided paired randomisation; {args.samples:,} "
            f"draws, seed {args.seed}; Holm over the comparisons of one table",
            file=sys.stderr,
        )
    if args.json:
        print_json([{**table.to_dict(), "depth": depth, "sample": sample} for table in tables])
    return 0


def require_comparable(results: dict[str, Path], *, force: bool) -> None:
    """Refuse results of different data, splits or depths, or only say what differs.

    Raises:
        UsageError: not ``force``, and something differs; lists it.
    """
    from beirkit.corpora.errors import UsageError
    from beirkit.results import differing_settings
    from beirkit.runs import result_folder

    folders = {name: folder for name, path in results.items() if (folder := result_folder(path))}
    differing = differing_settings(folders)
    if differing and not force:
        raise UsageError(
            "these results are not comparable: " + "; ".join(differing),
            hint="--force compares them all the same",
        )
    for difference in differing:
        print(f"compared all the same: {difference}", file=sys.stderr)


def system_names(paths: list[Path]) -> dict[str, Path]:
    """A short name for each run: its file or folder name, with the parents it takes to tell them apart."""
    names: dict[str, Path] = {}
    for path in paths:
        parts = [
            p for p in (path.parent if path.name.startswith("run.") else path).parts if p not in (".", "/")
        ]
        for depth in range(1, len(parts) + 1):
            name = "/".join(parts[-depth:])
            if name not in names and sum(name == "/".join(other.parts[-depth:]) for other in paths) <= 1:
                break
        else:
            name = str(path)
        names[name] = path
    return names


def _row(item: Comparison, digits: int) -> list[str]:
    """One line of the table; the baseline has no difference."""
    if item.difference is None:
        return [item.system, f"{item.mean:.{digits}f}", "baseline", "", "", "", "", ""]
    low, high = item.interval or (None, None)
    interval = "–" if low is None or high is None else f"{low:+.{digits}f} … {high:+.{digits}f}"
    return [
        item.system,
        f"{item.mean:.{digits}f}",
        f"{item.difference:+.{digits}f}",
        interval,
        _p_value(item.p),
        _p_value(item.p_holm),
        f"{item.wins}/{item.ties}/{item.losses}",
        item.note,
    ]


def _p_value(p: float | None) -> str:
    return "–" if p is None else "<.0001" if p < 0.0001 else f"{p:.4f}"
