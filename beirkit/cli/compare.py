"""``beirkit compare``."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from beirkit.cli.arguments import add_json, add_measures
from beirkit.cli.score import add_depth, add_judgments, add_lenient_scores
from beirkit.figures import figure

if TYPE_CHECKING:
    from beirkit.evaluate.compare import Comparison, ComparisonTable

_CORRECTED = {
    "holm": "Holm over the comparisons of one table",
    "bh": "Benjamini and Hochberg over the comparisons of one table",
    "none": "not corrected for the number of comparisons",
}


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
        "--pairs",
        choices=("baseline", "all"),
        default="baseline",
        help="compare with the baseline, or every pair (default: baseline)",
    )
    parser.add_argument(
        "--test", default="randomisation", metavar="NAME", help="randomisation (default), t or wilcoxon"
    )
    parser.add_argument(
        "--correction",
        default="holm",
        metavar="NAME",
        help="of p for the number of comparisons: holm (default), bh or none",
    )
    parser.add_argument("--level", type=float, default=0.05, metavar="P", help="of the tests (default: 0.05)")
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

    from beirkit.cli.output import print_json
    from beirkit.cli.score import read_judgments
    from beirkit.evaluate.compare import compare
    from beirkit.evaluate.engine import evaluate
    from beirkit.evaluate.measures import parse_measures
    from beirkit.evaluate.protocol import get_protocol
    from beirkit.evaluate.statistics.paired import TESTS
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
    tables = [
        compare(
            scores,
            measure,
            baseline,
            pairs=args.pairs,
            test=args.test,
            correction=args.correction,
            level=args.level,
            seed=args.seed,
            samples=args.samples,
        )
        for measure in measures
    ]
    for table in tables:
        _show(table, sample=bool(sample), digits=protocol.digits, to_stderr=args.json)
    if not args.quiet:
        print(f"Protocol: {protocol.describe()}", file=sys.stderr)
        if depth is not None:
            print(f"Depth: {depth:,} results per query count", file=sys.stderr)
        print(
            f"Intervals: bootstrap, percentile, {1 - args.level:.0%}; p: {TESTS[args.test]}; "
            f"{args.samples:,} draws, seed {args.seed}; {_CORRECTED[args.correction]}",
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


def _show(table: ComparisonTable, *, sample: bool, digits: int, to_stderr: bool) -> None:
    """The verdict, then the systems by themselves, then beside each other."""
    from beirkit.cli.output import print_table
    from beirkit.evaluate.verdict import verdict

    mark = " (SAMPLE)" if sample else ""
    print(
        f"{table.measure}{mark}: {'; '.join(verdict(table, digits=digits))}",
        file=sys.stderr if to_stderr else sys.stdout,
    )
    confidence = f"{1 - table.level:.0%} interval"
    standings = [
        (one.system, f"{one.mean:.{digits}f}", _interval(one.interval, digits)) for one in table.standings
    ]
    print_table(
        f"{table.measure} over {table.queries:,} queries{mark}",
        ("system", "mean", confidence),
        standings,
        to_stderr=to_stderr,
    )
    print_table(
        "",
        ("system", "compared with", "difference", confidence, "p", "p adjusted", "effect size",
         "detectable", "better/same/worse", ""),
        [_row(item, digits) for item in table.rows],
        left=2,
        to_stderr=to_stderr,
    )  # fmt: skip


def _row(item: Comparison, digits: int) -> list[str]:
    """One comparison."""
    return [
        item.system,
        item.other,
        f"{item.difference:+.{digits}f}",
        _interval(item.interval, digits, sign="+"),
        _p_value(item.p),
        _p_value(item.p_adjusted),
        "–" if item.effect_size is None else f"{item.effect_size:+.2f}",
        figure(item.detectable, digits),
        f"{item.wins}/{item.ties}/{item.losses}",
        item.note,
    ]


def _interval(interval: tuple[float, float] | None, digits: int, *, sign: str = "") -> str:
    if interval is None:
        return "–"
    return " … ".join(f"{end:{sign}.{digits}f}" for end in interval)


def _p_value(p: float | None) -> str:
    return "–" if p is None else "<.0001" if p < 0.0001 else f"{p:.4f}"
