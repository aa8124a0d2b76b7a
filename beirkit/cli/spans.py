"""``beirkit spans``."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from beirkit.cli.arguments import add_json


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("run", metavar="RUN", type=Path, help="a TREC run, run.jsonl, or a result folder")
    parser.add_argument(
        "dataset",
        metavar="FOLDER",
        help="the benchmark: a BEIR folder with spans, or a dataset's name; results are its documents, its "
        "passages, or chunks of one's own with ids DOC#START-END",
    )
    parser.add_argument("--split", metavar="NAME", help="whose spans (default: the reported split)")
    parser.add_argument(
        "--cutoff",
        dest="cutoffs",
        action="append",
        type=int,
        default=[],
        metavar="K",
        help="results looked at; may be repeated (default: 1, 5, 10)",
    )
    parser.add_argument(
        "--characters",
        action="append",
        type=int,
        default=[],
        metavar="N",
        help="characters looked at, whatever the number of results; may be repeated",
    )
    parser.add_argument("--per-query", action="store_true", help="with --json: every query's values too")
    add_json(parser)


def execute(args: argparse.Namespace) -> int:
    """Read the run, find the place of every result, and measure."""
    import msgspec

    from beirkit.cli.output import print_json, print_table
    from beirkit.corpora.errors import UsageError
    from beirkit.datasets import find_dataset
    from beirkit.evaluate.spans import places_in, span_scores
    from beirkit.evaluate.statistics.means import mean_of
    from beirkit.runs import find_run

    for option, numbers in (("--cutoff", args.cutoffs), ("--characters", args.characters)):
        if any(number < 1 for number in numbers):
            raise UsageError(f"{option} is a number from 1, not {min(numbers)}")
    dataset = find_dataset(args.dataset)
    collection = dataset.open()
    split = args.split or (dataset.config.reported_split if dataset.config else None)
    split = split or ("test" if "test" in collection.spans else next(iter(collection.spans), ""))
    if split not in collection.spans:
        have = ", ".join(collection.spans) or "none"
        raise UsageError(
            f"{dataset.name} has no spans of {split or 'any split'}",
            hint=f"it has: {have}; asmachta has them, and squad with --set spans=true",
        )
    given = find_run(args.run)
    run = given.read({span.query_id for span in collection.spans[split]()}).ordered()
    run = run if given.depth is None else run.top(given.depth)
    places = places_in(collection.documents(), run.doc_ids)
    scores = span_scores(
        run,
        collection.spans[split](),
        places.__getitem__,
        cutoffs=args.cutoffs or ([] if args.characters else [1, 5, 10]),
        characters=args.characters,
    )
    means = {
        f"{name}{cutoff}": mean_of(values.values())
        for name, by_cutoff in (("SpanRecall", scores.recall), ("SpanPrecision", scores.precision))
        for cutoff, values in by_cutoff.items()
    }
    if args.json:
        data: dict[str, Any] = {"dataset": dataset.name, "split": split, "queries": scores.queries}
        data["means"] = msgspec.to_builtins(means)
        if args.per_query:
            data["recall"], data["precision"] = scores.recall, scores.precision
        print_json(data)
        return 0
    rows = [[name, str(one), one.range] for name, one in means.items()]
    print_table(f"{dataset.name}@{split}, {scores.queries:,} queries with spans", ["", "mean", "95 %"], rows)
    return 0
