"""From what ``beirkit compare`` finds to what a report says."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from beirkit.cli.query_inputs import expanded, find_answers, with_compare_defaults

if TYPE_CHECKING:
    from collections.abc import Mapping

    from beirkit.cli.compare_inputs import Contest, Given
    from beirkit.cli.compare_report import Report as Compared
    from beirkit.corpora.progress import Progress
    from beirkit.evaluate.compare import ComparisonTable
    from beirkit.evaluate.report.model import DatasetPart, QuerySet, Report


def make_report(args: argparse.Namespace, progress: Progress) -> Report:
    """Compare the results, and bring together all that is told of them.

    Raises:
        BeirkitError: results cannot be read, or are not comparable.
    """
    from beirkit.cli.compare_inputs import gather
    from beirkit.cli.compare_report import build
    from beirkit.evaluate.report.model import Report, Said
    from beirkit.reporting import behind, merged_manifests

    whole = with_compare_defaults(args)
    whole.runs = expanded(args.runs)
    given = _alone(gather(whole, []))
    compared = build(whole, given, [])
    with progress("looking at queries", len(given.contests), "datasets") as advance:
        parts = []
        for contest in given.contests:
            parts.append(_part(whole, compared, contest))
            advance()
    paths = [path for contest in given.contests for path in contest.paths.values()]
    sources, bibtex = behind(paths)
    return Report(
        title=args.title or _title(given),
        baseline=given.baseline,
        verdict=tuple(Said(where, measure, tuple(said)) for where, measure, said in compared.verdict()),
        suites=tuple(compared.suites),
        parts=tuple(parts),
        notes=tuple(compared.notes),
        digits=compared.style.digits,
        manifests=merged_manifests({contest.dataset: contest.paths for contest in given.contests}),
        behind=sources,
        bibtex=bibtex,
        with_text=not args.no_text,
    )


def _alone(given: Given) -> Given:
    """The same without a suite of one dataset, whose mean would say the same once more."""
    from dataclasses import replace

    return replace(given, suite=None) if len(given.contests) == 1 else given


def _title(given: Given) -> str:
    where = given.suite.name if given.suite is not None else given.contests[0].dataset
    systems = len({name for contest in given.contests for name in contest.scores})
    told = f"{systems} systems" if systems > 1 else next(iter(given.contests[0].scores))
    return f"{told} on {where}" if where else told


def _part(args: argparse.Namespace, compared: Compared, contest: Contest) -> DatasetPart:
    from beirkit.evaluate.report.model import DatasetPart
    from beirkit.reporting import costs_of, licence_of, stored_result, training_status

    results = [one for one in compared.results if one.contest is contest]
    kept = {system: stored_result(path) for system, path in contest.paths.items()}
    training = {
        system: compared.given.training.get((contest.dataset, system), "") or training_status(one)
        for system, one in kept.items()
        if one is not None
    }
    queries, notes = _queries(args, contest, results[0].table)
    first = next((one for one in kept.values() if one is not None), None)
    return DatasetPart(
        dataset=contest.dataset,
        mark=contest.mark,
        tables=tuple(one.table for one in results),
        boards=tuple(one.leaderboard for one in results),
        differences=_differences(contest, results[0].table),
        training=training,
        costs={system: costs_of(path) for system, path in contest.paths.items()},
        queries=queries,
        licence="" if first is None else licence_of(first),
        notes=notes,
    )


def _differences(contest: Contest, table: ComparisonTable) -> Mapping[str, tuple[float, ...]]:
    """Of every system to the baseline, on each query that all have a value for."""
    from beirkit.evaluate.comparable import comparable_values

    if not table.rows:
        return {}
    baseline = table.baseline or table.rows[0].other
    names = [baseline, *(name for name in contest.scores if name != baseline)]
    _, values = comparable_values(contest.scores, table.measure, names)
    return {name: tuple((values[name] - values[baseline]).tolist()) for name in names[1:]}


def _queries(
    args: argparse.Namespace, contest: Contest, table: ComparisonTable
) -> tuple[QuerySet | None, tuple[str, ...]]:
    """The queries in the order of disagreement, and what is said where something of them is not here."""
    from beirkit.evaluate.report.model import QuerySet
    from beirkit.evaluate.report.whole import DEPTH
    from beirkit.query_views import by_disagreement, by_value, shown_documents

    found = find_answers(args, contest, table.measure, texts=not args.no_text)
    values = found.answers.values()
    order = by_disagreement(values) if len(contest.scores) > 1 else by_value(values)
    views = found.answers.views(order, DEPTH)
    texts = found.texts(shown_documents(views))
    notes = (f"Judgments and texts are not shown: {found.lacking}.",) if found.lacking else ()
    return QuerySet(tuple(contest.scores), len(order), tuple(views), texts), notes
