"""``beirkit score``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from beirkit.cli.arguments import add_json, add_measures
from beirkit.cli.references import add_switch, chosen_measures, score_results
from beirkit.cli.rescoring import add_rescoring, execute_rescoring, refuse_mixture

if TYPE_CHECKING:
    from beirkit.corpora.records import Qrels
    from beirkit.corpora.run import Run
    from beirkit.evaluate.abstention import Sureness
    from beirkit.evaluate.evidence import Evidence
    from beirkit.evaluate.protocol import Protocol
    from beirkit.evaluate.scores import Scores


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    run = parser.add_argument(
        "run",
        metavar="RUN",
        type=Path,
        help="a TREC run (.gz too), run.jsonl, or a result folder of `beirkit run`",
    )
    qrels = add_judgments(parser)
    add_measures(parser)
    add_depth(parser)
    parser.add_argument(
        "--protocol",
        default="beirkit",
        metavar="NAME",
        help="how the run is scored, such as beirkit:missing=skip",
    )
    add_lenient_scores(parser)
    parser.add_argument(
        "--strict", action="store_true", help="refuse a run that has a document twice in one list"
    )
    parser.add_argument("--per-query", action="store_true", help="print every query's scores too")
    parser.add_argument(
        "--abstention",
        action="store_true",
        help="print how much is gained by abstaining where the system is least sure (nAUC), for three kinds "
        "of confidence",
    )
    add_switch(parser)
    add_rescoring(parser, instead_of=(run, qrels))
    add_json(parser)


def add_judgments(parser: argparse.ArgumentParser) -> argparse.Action:
    """Declare where the judgments come from."""
    add_default_relevance(parser)
    qrels = parser.add_argument(
        "qrels",
        metavar="QRELS",
        type=Path,
        help="judgments: a TREC file, a BEIR .tsv, or a BEIR folder",
    )
    parser.add_argument("--split", metavar="NAME", help="split of a BEIR folder (default: the reported one)")
    return qrels


def add_lenient_scores(parser: argparse.ArgumentParser) -> None:
    """Add ``--lenient-scores``."""
    parser.add_argument(
        "--lenient-scores",
        action="store_true",
        help="rank NaN last and infinite scores as numbers, and count both, instead of refusing the run",
    )


def add_depth(parser: argparse.ArgumentParser) -> None:
    """Add ``--depth``."""
    parser.add_argument(
        "--depth",
        type=int,
        metavar="N",
        help="results per query that count, the query's own document not among them where it is removed "
        "(default: all; of a result folder as many as it was asked for)",
    )


def add_default_relevance(parser: argparse.ArgumentParser) -> None:
    """Add ``--default-relevance``."""
    parser.add_argument(
        "--default-relevance",
        type=int,
        metavar="GRADE",
        help="the grade of every pair in a qrels file of two columns (default: such a file is refused)",
    )


def execute(args: argparse.Namespace) -> int:
    """Score one run and print the means."""
    import msgspec

    from beirkit.cli.output import print_json, print_table
    from beirkit.corpora.provider_results import is_provider_results
    from beirkit.evaluate.abstention import CONFIDENCES, abstention
    from beirkit.evaluate.engine import evaluate
    from beirkit.evaluate.protocol import get_protocol
    from beirkit.figures import figure
    from beirkit.runs import counted_depth, find_run, searched_judgments

    refuse_mixture(args)
    if args.run is not None and is_provider_results(args.run):
        return score_results(args)
    if args.rescore:
        return execute_rescoring(args)
    protocol = get_protocol(args.protocol)
    exam = read_judgments(args.qrels, args.split, args.default_relevance)
    given = find_run(args.run)
    own = given.self_match_ids if exam.self_match_ids is None else exam.self_match_ids
    qrels = searched_judgments(exam.qrels, [given])
    sample = exam.sample if given.sample is None else msgspec.to_builtins(given.sample)
    depth = counted_depth(args.depth, [(str(args.run), given)])
    run: Run | Path = given.file  # which is read some lists at a time, where nothing asks for all of them
    searched: Collection[str] = () if given.searched is None else qrels
    sure: Sureness | None = None
    whole = bool(exam.excluded) or (given.searched or len(qrels)) < len(qrels)
    if args.abstention and not whole:
        sure = _sureness(run, qrels, protocol, own, depth)
        whole = sure is None
    if whole:
        searched = ()  # those without a list have an empty one in what is read
        run = given.read(
            qrels, excluded=exam.excluded, strict=args.strict, lenient_scores=args.lenient_scores
        )
        sure = _sureness(run, qrels, protocol, own, depth) if args.abstention else None
    scores = evaluate(
        qrels,
        run,
        chosen_measures(args, protocol),
        protocol,
        self_match_ids=own,
        depth=depth,
        strict=args.strict,
        lenient_scores=args.lenient_scores,
        corpus_ids=exam.corpus_ids,
        searched=searched,
        evidence=exam.evidence,
    )
    measures = scores.measures
    columns, rows = [str(measure) for measure in measures], []
    if args.per_query:
        rows += [
            [query, *(figure(values.get(name), protocol.digits) for name in columns)]
            for query, values in scores.per_query().items()
        ]
    rows.append(["all", *(figure(scores.mean(measure), protocol.digits) for measure in measures)])
    title = f"{args.run} (SAMPLE)" if sample else str(args.run)
    print_table(title, ["query", *columns], rows, to_stderr=args.json)
    nauc = {} if sure is None else {str(measure): abstention(scores, sure, measure) for measure in measures}
    if nauc:
        rows = [[how, *(figure(nauc[name][how], protocol.digits) for name in columns)] for how in CONFIDENCES]
        print_table("nAUC of abstaining by confidence", ["confidence", *columns], rows, to_stderr=args.json)
    if not args.quiet:
        print(f"Protocol: {protocol.describe()}", file=sys.stderr)
        print(f"Queries: {describe_counts(scores)}", file=sys.stderr)
        if scores.depth is not None:
            print(f"Depth: {scores.depth:,} results per query count", file=sys.stderr)
    if args.json:
        data = {
            "measures": {str(measure): scores.mean(measure) for measure in measures},
            "n": {str(measure): scores.n(measure) for measure in measures},
            "queries": msgspec.structs.asdict(scores.counts),
            "protocol": protocol.name,
            "depth": scores.depth,
            "sample": sample,
        }
        if nauc:
            data["nauc"] = nauc
        if args.per_query:
            data["per_query"] = scores.per_query()
        print_json(data)
    return 0


def _sureness(
    run: Run | Path,
    query_ids: Collection[str],
    protocol: Protocol,
    self_match_ids: Collection[str] | None,
    depth: int | None,
) -> Sureness | None:
    """How sure the system is of each query, by the lists as they are scored.

    None where the file must be read as a whole.
    """
    from beirkit.corpora.run import Run
    from beirkit.corpora.run_parts import WholeOnlyError, run_parts
    from beirkit.evaluate.abstention import sureness
    from beirkit.evaluate.counted import counted_lists

    parts = [run] if isinstance(run, Run) else run_parts(run)
    try:
        return sureness(
            counted_lists(part, query_ids, protocol, self_match_ids=self_match_ids, depth=depth)
            for part in parts
        )
    except WholeOnlyError:
        return None


class Exam(NamedTuple):
    """Judgments, and what a BEIR folder says besides them.

    Attributes:
        qrels: the judgments.
        self_match_ids: queries that stand in the corpus; ``None`` where there is no corpus.
        corpus_ids: every document id, to be read once; ``None`` where there is no corpus.
        sample: how the folder was drawn, where it is a sample.
        excluded: for each query, documents that its ranking must not hold.
        evidence: what measures go by beside grades; ``None`` where there is only a file of judgments.
    """

    qrels: Qrels
    self_match_ids: frozenset[str] | None = None
    corpus_ids: Iterator[str] | None = None
    sample: dict[str, Any] | None = None
    excluded: Mapping[str, frozenset[str]] = MappingProxyType({})
    evidence: Evidence | None = None


def read_judgments(path: Path, split: str | None, default_relevance: int | None = None) -> Exam:
    """Judgments of a file, or of one split of a BEIR folder together with its self-matching queries.

    Raises:
        UsageError: ``split`` with a file that has no splits.
    """
    from beirkit.corpora.errors import UsageError
    from beirkit.corpora.folder import open_folder
    from beirkit.corpora.qrels import read_qrels
    from beirkit.datasets import as_folder, choose_split, find_dataset, self_match_ids
    from beirkit.evaluate.evidence import Evidence
    from beirkit.evaluate.exclusions import excluded_of

    if path.is_dir():
        dataset = find_dataset(as_folder(path))
        collection = open_folder(path, default_relevance=default_relevance)
        chosen = choose_split(dataset, collection, split)
        qrels = collection.qrels(chosen)
        own = self_match_ids(dataset, collection, set(qrels))
        ids = (document.doc_id for document in collection.documents())
        excluded = excluded_of(query for query in collection.queries() if query.query_id in qrels)
        part = collection.provenance.options.get("sample")
        return Exam(qrels, own, ids, part, excluded, Evidence.of(collection, chosen))
    if split is not None:
        raise UsageError(
            f"{path} is one file and has no splits", hint="leave --split out, or name a BEIR folder"
        )
    return Exam(read_qrels(path, default_relevance=default_relevance))


def describe_counts(scores: Scores) -> str:
    """The counts behind a mean, in words; what did not happen is only said where it usually does."""
    always = {"judged", "scored", "missing", "unjudged", "self_matches_removed", "self_matches_kept"}
    return ", ".join(
        f"{name.replace('_', ' ')} {value:,}"
        for name, value in scores.counts.to_dict().items()
        if value or name in always
    )
