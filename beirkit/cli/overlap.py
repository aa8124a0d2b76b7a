"""``beirkit overlap``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from beirkit.cli.arguments import add_json, add_measures, add_settings, key_values

if TYPE_CHECKING:
    from beirkit.corpora.overlap import Found
    from beirkit.corpora.records import Qrels
    from beirkit.evaluate.contamination import WithWithout
    from beirkit.evaluate.measures import Measure
    from beirkit.evaluate.protocol import Protocol
    from beirkit.evaluate.scores import Scores
    from beirkit.overlap import TrainingOverlap
    from beirkit.stored import StoredResult

_SHOWN = 3
_KINDS = ("exact", "ngram", "near")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "training",
        metavar="TRAIN",
        type=Path,
        help="training data: CSV, TSV, JSON lines or plain lines (.txt), also compressed, a BEIR folder, or "
        "a dataset's name",
    )
    parser.add_argument("dataset", metavar="FOLDER", help="the benchmark: a BEIR folder or a dataset's name")
    parser.add_argument("--split", metavar="NAME", help="whose queries (default: the reported split)")
    read = parser.add_argument_group("how the training data are read")
    read.add_argument(
        "--column",
        dest="columns",
        action="append",
        default=[],
        metavar="NAME",
        help="a column whose texts count, inside JSON with dots (positives.text); may be repeated (default: "
        "every text)",
    )
    read.add_argument(
        "--train-split", metavar="NAME", help="of a BEIR folder only the queries of this split, no documents"
    )
    add_settings(
        read,
        "settings",
        "how a table is written: format, delimiter, quotes=false, header=false (columns are 1, 2, …)",
    )
    look = parser.add_argument_group("what is looked for")
    look.add_argument(
        "--documents",
        choices=("all", "judged", "relevant", "none"),
        default="all",
        help="which documents besides the split's queries: all, judged, relevant, none (default: all)",
    )
    look.add_argument(
        "--ngram", type=int, default=13, metavar="N", help="words in a row that count (default: 13)"
    )
    look.add_argument(
        "--near",
        type=float,
        default=0.8,
        metavar="S",
        help="share of five-word shingles from which two texts are nearly the same (default: 0.8)",
    )
    score = parser.add_argument_group("scores with and without what was found")
    score.add_argument(
        "--results",
        nargs="+",
        type=Path,
        default=[],
        metavar="RESULT",
        help="results of this split: result folders, a folder of results, or a suite's JSON",
    )
    score.add_argument(
        "--leave-out",
        choices=("queries", "documents", "either"),
        default="queries",
        help="the queries left out: those found themselves (queries), those with a relevant document found "
        "(documents), or either (default: queries)",
    )
    score.add_argument("--protocol", default="beirkit", metavar="NAME", help="how results are scored")
    add_measures(parser)
    parser.add_argument(
        "--out", type=Path, metavar="FILE", help="the JSON to write (default: under results/overlap)"
    )
    add_json(parser)


def execute(args: argparse.Namespace) -> int:
    """Look for the test set in the training data, then score without what was found."""
    import msgspec

    from beirkit.cli.output import print_json, progress_for
    from beirkit.configs.load import convert, names
    from beirkit.converters.reading.readers import Dialect
    from beirkit.corpora.errors import UsageError
    from beirkit.datasets import find_dataset
    from beirkit.evaluate.protocol import get_protocol
    from beirkit.overlap import training_overlap
    from beirkit.results import slug, write_json

    if (args.measures or args.leave_out != "queries") and not args.results:
        raise UsageError("-m and --leave-out are about scores", hint="name results with --results")
    protocol = get_protocol(args.protocol)
    settings = key_values(args.settings)
    dialect = convert(settings, Dialect, path="--set") if settings else None
    training, dataset = args.training, find_dataset(args.dataset)
    if not training.exists() and str(training) in names("datasets"):
        training = find_dataset(str(training)).folder
    overlap = training_overlap(
        training,
        dataset,
        args.split,
        columns=args.columns,
        train_split=args.train_split,
        dialect=dialect,
        documents=args.documents,
        ngram=args.ngram,
        threshold=args.near,
        progress=progress_for(args),
    )
    qrels = dataset.open().qrels(overlap.split)
    scored = _score(args, overlap, qrels, protocol) if args.results else {}
    name = f"{slug(f'{overlap.dataset}@{overlap.split}')}--{slug(training.name)}.json"
    out = args.out or Path("results") / "overlap" / name
    data: dict[str, Any] = msgspec.to_builtins(overlap)
    if scored:
        data["left_out"] = {"rule": args.leave_out, "queries": sorted(overlap.seen(args.leave_out))}
        data["protocol"] = protocol.name
        data["scores"] = {
            system: [{**msgspec.structs.asdict(row), "difference": row.difference} for row in rows]
            for system, rows in scored.items()
        }
    write_json(out, data)
    if args.json:
        print_json(data)
        return 0
    _print_found(overlap, shown=None if args.verbose else _SHOWN)
    if scored:
        _print_scores(scored, overlap, args.leave_out, protocol)
    if not args.quiet:
        print(f"beirkit: every id that was found: {out}", file=sys.stderr)
    return 0


def _score(
    args: argparse.Namespace, overlap: TrainingOverlap, qrels: Qrels, protocol: Protocol
) -> dict[str, list[WithWithout]]:
    """The means of every result of the split."""
    from beirkit.corpora.errors import UsageError
    from beirkit.corpora.notices import warn
    from beirkit.evaluate.contamination import with_and_without
    from beirkit.evaluate.measures import parse_measures
    from beirkit.result_paths import find_results
    from beirkit.stored import system_of

    measures = parse_measures(args.measures or protocol.measures)
    seen = overlap.seen(args.leave_out)
    results = find_results(args.results)
    fitting = [one for one in results if (one.dataset, one.facts.split) == (overlap.dataset, overlap.split)]
    if not fitting:
        raise UsageError(
            f"none of {len(results)} results is of {overlap.dataset}@{overlap.split}",
            hint="name results of the split that was looked for",
        )
    if len(fitting) < len(results):
        warn(f"{len(results) - len(fitting)} results of other datasets or splits are passed over")
    for one in fitting:
        if one.facts.sample is None and one.facts.content_ids != overlap.content_ids:
            raise UsageError(
                "is of another version of the dataset than the one that was looked for",
                path=one.folder,
                hint="run it again",
            )
    return {
        system: [with_and_without(scores, measure, seen) for measure in measures]
        for system, one in zip(system_of(fitting), fitting, strict=True)
        for scores in [_scores(one, qrels, protocol, measures)]
    }


def _scores(result: StoredResult, qrels: Qrels, protocol: Protocol, measures: Sequence[Measure]) -> Scores:
    """What was kept, else the run scored with the judgments that are at hand."""
    from beirkit.rescoring import scores_over

    kept = result.stored_scores(protocol)
    if kept is not None and set(measures) <= set(kept.measures):
        return kept
    return scores_over(result, qrels, protocol, measures)


def _print_found(overlap: TrainingOverlap, *, shown: int | None) -> None:
    from beirkit.cli.output import print_table

    rows = []
    for what, found in (("queries", overlap.queries), ("documents", overlap.documents)):
        total = overlap.looked_for[what]
        share = f"{len(found) / total:.1%}" if total else "–"
        kinds = [sum(getattr(one, kind) is not None for one in found.values()) for kind in _KINDS]
        rows.append([what, f"{total:,}", f"{len(found):,}", share, *(f"{number:,}" for number in kinds)])
    title = f"{overlap.dataset}@{overlap.split} in {overlap.training} ({overlap.training_texts:,} texts)"
    columns = ["", "looked for", "found", "share", "exactly", f"{overlap.ngram} words in a row", "nearly"]
    print_table(title, columns, rows)
    print(f"queries with a relevant document that was found: {len(overlap.relevant):,}")
    for what, found in (("query", overlap.queries), ("document", overlap.documents)):
        _print_examples(what, found, shown)


def _print_examples(what: str, found: Mapping[str, Found], shown: int | None) -> None:
    words = {"exact": "stands at", "ngram": "has words in a row of", "near": "is nearly the same as"}
    for kind in _KINDS:
        of_kind = [(name, one) for name, one in found.items() if getattr(one, kind) is not None]
        for name, one in of_kind[:shown]:
            evidence = getattr(one, kind)
            detail = {
                "ngram": f" ({one.share:.0%} of its rows of words are found)",
                "near": f" ({one.similarity:.0%})",
            }
            quoted = " ".join(evidence.text.split())
            print(f"{what} {name!r} {words[kind]} {evidence.where}{detail.get(kind, '')}: {quoted[:80]}")
        if shown is not None and len(of_kind) > shown:
            print(f"  and {len(of_kind) - shown:,} more; --verbose shows them")


def _print_scores(
    scored: Mapping[str, Sequence[WithWithout]], overlap: TrainingOverlap, rule: str, protocol: Protocol
) -> None:
    from beirkit.cli.output import print_table
    from beirkit.figures import figure

    rows = [
        [
            system,
            row.measure,
            *(
                text
                for value, n in ((row.all, row.n), (row.without, row.n_without), (row.seen, row.n_seen))
                for text in (figure(value, protocol.digits), f"{n:,}")
            ),
            "–" if row.difference is None else f"{row.difference:+.{protocol.digits}f}",
        ]
        for system, of_measures in scored.items()
        for row in of_measures
    ]
    columns = ["system", "measure", "all", "n", "without", "n", "found only", "n", "all − without"]
    what = {
        "queries": "found in the training data",
        "documents": "with a relevant document found",
        "either": "found, or with a relevant document found",
    }[rule]
    print_table(f"{overlap.dataset}@{overlap.split}, with and without queries {what}", columns, rows, left=2)
    print(f"Protocol: {protocol.describe()}", file=sys.stderr)
