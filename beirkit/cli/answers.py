"""``beirkit answers``."""

from __future__ import annotations

import argparse
from pathlib import Path

from beirkit.cli.arguments import add_json


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "dataset", metavar="FOLDER", help="questions with their answers: a dataset's name or a BEIR folder"
    )
    parser.add_argument(
        "answers",
        metavar="ANSWERS",
        type=Path,
        help="what a system answered: JSON lines of id and answer, or one JSON object of answers by id; the "
        "empty text declines",
    )
    parser.add_argument(
        "--split", metavar="NAME", help="only the questions that are judged in this split (default: all)"
    )
    parser.add_argument("--id-key", default="id", metavar="NAME", help="name of the id (default: id)")
    parser.add_argument(
        "--answer-key", default="answer", metavar="NAME", help="name of the answer (default: answer)"
    )
    parser.add_argument(
        "--out", type=Path, metavar="FILE", help="write every question's scores as JSON lines"
    )
    add_json(parser)


def execute(args: argparse.Namespace) -> int:
    """Read the answers, score them, and print the means."""
    import msgspec

    from beirkit.answering import answer_rates, read_answers, references_of, score_answers
    from beirkit.cli.output import print_json, print_table
    from beirkit.corpora.files import atomic_open
    from beirkit.datasets import choose_split, find_dataset

    dataset = find_dataset(args.dataset)
    collection = dataset.open()
    references = references_of(collection.queries())
    if args.split is not None:
        judged = collection.qrels(choose_split(dataset, collection, args.split))
        references = {query_id: found for query_id, found in references.items() if query_id in judged}
    answers = read_answers(args.answers, set(references), id_key=args.id_key, answer_key=args.answer_key)
    scored = score_answers(references, answers, path=args.answers)
    if args.out is not None:
        with atomic_open(args.out, "wb") as file:
            file.writelines(msgspec.json.encode(one) + b"\n" for one in scored)
    rates = answer_rates(scored)
    if args.json:
        print_json(
            {"dataset": dataset.name, "split": args.split, "rules": "squad", **msgspec.to_builtins(rates)}
        )
        return 0
    rows = [
        [name, f"{one.questions:,}", str(one.exact_match), one.exact_match.range, str(one.f1), one.f1.range]
        for name, one in rates.items()
    ]
    columns = ["", "questions", "exact match", "95 %", "F1", "95 %"]
    print_table(f"{args.answers} on {dataset.name}, by SQuAD's rules", columns, rows)
    return 0
