"""The details of ``beirkit compare`` as tables, as sentences and for machines."""

from __future__ import annotations

import argparse
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from beirkit.cli.compare_tables import Sheet, Style, p_text

if TYPE_CHECKING:
    from beirkit.cli.compare_inputs import Contest, Given, Texts
    from beirkit.corpora.collection import Collection as Folder
    from beirkit.evaluate.measures import Measure
    from beirkit.evaluate.robustness import Robustness, Setting
    from beirkit.evaluate.scores import Scores
    from beirkit.evaluate.slices import SliceTable


@dataclass
class Detail:
    """One of the details.

    Attributes:
        data: for machines.
        sheets: for people.
        sentences: what they say.
    """

    data: Any
    sheets: list[Sheet]
    sentences: list[str] = field(default_factory=list)


@dataclass
class Systems:
    """The systems on one dataset, and what the details are made of.

    Attributes:
        args: of the command.
        contest: the systems. Of one with several seeds the first run is looked at.
        baseline: the system all others are compared with.
        style: of figures.
    """

    args: argparse.Namespace
    contest: Contest
    baseline: str
    style: Style

    @cached_property
    def scores(self) -> dict[str, Scores]:
        """Of the runs that are looked at."""
        seeds = self.contest.seeds
        return {name: seeds[name][0] if name in seeds else its for name, its in self.contest.scores.items()}

    @property
    def results(self) -> dict[str, Path]:
        """Where each system's result is."""
        return self.contest.paths

    @cached_property
    def exam(self) -> Texts:
        """Judgments, runs and texts of queries."""
        from beirkit.cli.compare_stored import texts_of

        return texts_of(self.contest)

    @property
    def first(self) -> Scores:
        """The baseline's."""
        return self.scores[self.baseline]

    @property
    def measure(self) -> Measure:
        """The first one that is compared."""
        return self.first.measures[0]

    @cached_property
    def folder(self) -> Folder | None:
        """The dataset, where it is at hand."""
        from beirkit.corpora.folder import open_folder
        from beirkit.stored import read_result

        if self.args.qrels is None:
            return read_result(self.results[self.baseline]).exam().collection
        return open_folder(self.args.qrels) if self.args.qrels.is_dir() else None

    @cached_property
    def own(self) -> dict[str, Collection[str] | None]:
        """Of each system, the queries whose document of the same id is the query itself."""
        from beirkit.cli.score import read_judgments
        from beirkit.runs import find_run

        if self.args.qrels is not None and self.args.qrels.is_dir():
            exam = read_judgments(self.args.qrels, self.args.split, self.args.default_relevance)
            if exam.self_match_ids is not None:
                return dict.fromkeys(self.scores, exam.self_match_ids)
        return {name: find_run(path).self_match_ids for name, path in self.results.items()}


def _statistics(args: argparse.Namespace) -> dict[str, Any]:
    """How differences are tested."""
    return {
        "test": args.test, "correction": args.correction, "level": args.level, "seed": args.seed,
        "samples": args.samples,
    }  # fmt: skip


def slices_detail(these: Systems) -> Detail:
    """Differences within slices."""
    from beirkit.evaluate.slices import compare_slices
    from beirkit.query_slices import slicings

    style = these.style
    divided = slicings(
        these.exam.qrels, these.exam.queries, these.folder, these.results,
        keys=these.args.slice_by, level=these.measure.level,
    )  # fmt: skip
    table = compare_slices(these.scores, these.measure, these.baseline, divided, **_statistics(these.args))
    return _slice_table(table, style)


def suite_slices_detail(args: argparse.Namespace, given: Given, style: Style) -> Detail:
    """Differences within groups of datasets, by what their configurations say of them."""
    from beirkit.configs.load import load_dataset, names
    from beirkit.evaluate.slices import compare_groups

    facts = {d: load_dataset(d) for one in given.contests if (d := one.dataset) in names("datasets")}
    groupings = {key: {d: str(getattr(its, key)) for d, its in facts.items()} for key in ("task", "language")}
    table = compare_groups(
        {one.dataset: one.scores for one in given.contests}, given.measures[0], given.baseline, groupings,
        **_statistics(args),
    )  # fmt: skip
    return _slice_table(table, style)


def _slice_table(table: SliceTable, style: Style) -> Detail:
    rows: list[tuple[str, ...]] = [
        (
            row.slicing, row.label, row.comparison.system, f"{row.queries:,}",
            style.figure(row.comparison.difference, "+"), style.interval(row.comparison.interval, "+"),
            p_text(row.comparison.p), p_text(row.comparison.p_adjusted), row.comparison.note,
        )
        for row in table.rows
    ]  # fmt: skip
    columns = (
        "slices by", "slice", "system", "queries", "difference", f"{1 - table.level:.0%} interval", "p",
        "p adjusted", "",
    )  # fmt: skip
    said = [f"{name}: all are alike, there is nothing to slice" for name in table.undivided]
    return Detail(
        table.to_dict(),
        [Sheet(f"{table.measure} in slices, compared with {table.baseline}", columns, rows, left=3)],
        said,
    )


def bounds_detail(these: Systems) -> Detail:
    """What unjudged documents could do."""
    from beirkit.evaluate.bounds import bounds, has_bounds

    style, data, sheets, said = these.style, [], [], []
    for measure in these.first.measures:
        if not has_bounds(measure):
            said.append(f"{measure}: its bounds are not known")
            continue
        table = bounds(
            these.scores, these.exam.runs, these.exam.qrels, measure, these.baseline, self_match_ids=these.own
        )
        data.append(table.to_dict())
        rows: list[tuple[str, ...]] = [
            (
                one.system, "–" if one.unjudged is None else f"{one.unjudged:.1%}",
                *map(style.figure, (one.mean, one.low, one.high)),
            )
            for one in table.systems
        ]  # fmt: skip
        columns = ("system", "unjudged", "mean", "at least", "at most")
        title = f"{measure}, were the unjudged of any grade from 0 to {table.highest}"
        sheets.append(Sheet(title, columns, rows))
        for row in table.rows:
            ends = f"{style.figure(row.low, '+')} … {style.figure(row.high, '+')}"
            turns = "could not turn" if row.settled else "could turn"
            wide = "" if table.exact else ", at the widest"
            said.append(
                f"{measure}: unjudged documents {turns} who is ahead of {row.system} and {row.other} "
                f"({style.figure(row.difference, '+')}, {ends}{wide})"
            )
    return Detail(data, sheets, said)


def overlap_detail(these: Systems) -> Detail:
    """How alike the lists are."""
    from beirkit.cli.compare_stored import runs_of
    from beirkit.evaluate.ranking_overlap import PERSISTENCE, overlaps
    from beirkit.figures import figure

    base = these.baseline if these.args.pairs == "baseline" else None
    at = these.measure.cutoff or 10
    found = overlaps(these.scores, runs_of(these.contest), base, at=at, self_match_ids=these.own)
    rows: list[tuple[str, ...]] = [
        (
            one.system, one.other, f"{one.queries:,}", figure(one.overlap, 3), figure(one.rbo, 3),
            figure(one.tau, 3), f"{one.tau_queries:,}",
        )
        for one in found
    ]  # fmt: skip
    columns = (
        "system", "compared with", "queries", f"overlap@{at}", f"RBO({PERSISTENCE})", "tau",
        "queries with tau",
    )  # fmt: skip
    return Detail([one.to_dict() for one in found], [Sheet("How alike the lists are", columns, rows, left=2)])


def worst_detail(these: Systems) -> Detail:
    """The queries on which systems differ most."""
    from beirkit.evaluate.differences import largest_differences

    style = these.style
    found = largest_differences(
        these.scores, these.exam.runs, these.exam.qrels, these.measure, these.baseline,
        count=these.args.worst, queries=these.exam.queries, self_match_ids=these.own,
    )  # fmt: skip
    sheets = []
    for pair in found:
        rows: list[tuple[str, ...]] = [
            (
                one.query_id, _short(one.text), style.figure(one.difference, "+"),
                style.figure(one.value), style.figure(one.other_value),
                str(one.first or "–"), str(one.other_first or "–"),
            )
            for one in pair.queries
        ]  # fmt: skip
        columns = ("query", "text", "difference", pair.system, pair.other, "first relevant", "the other's")
        title = f"{pair.measure}: where {pair.system} and {pair.other} differ most"
        sheets.append(Sheet(title, columns, rows, left=2))
    return Detail([pair.to_dict() for pair in found], sheets)


def _short(text: str, width: int = 60) -> str:
    one_line = " ".join(text.split())
    return one_line if len(one_line) <= width else one_line[: width - 1] + "…"


def costs_detail(these: Systems) -> Detail:
    """What results cost."""
    from beirkit.cli.output import size_text
    from beirkit.costs import read_cost
    from beirkit.figures import figure

    found = {name: read_cost(these.results[name]) for name in these.scores if name in these.results}
    rows: list[tuple[str, ...]] = [
        (
            name,
            figure(one.documents_per_second, 0), figure(one.queries_per_second, 1),
            figure(one.latency_p50, 2), figure(one.latency_p95, 2),
            "–" if one.index_bytes is None else size_text(one.index_bytes),
            *("–" if count is None else f"{count:,}" for count in (one.dimensions, one.parameters)),
            one.licence or "–",
        )
        for name, one in found.items()
    ]  # fmt: skip
    columns = (
        "system", "documents/s", "queries/s", "p50 ms", "p95 ms", "index", "dimensions", "parameters",
        "licence",
    )  # fmt: skip
    machines = {one.machine for one in found.values() if one.machine}
    said = ["Costs were measured on several machines; speeds cannot be compared"] if len(machines) > 1 else []
    return Detail({name: one.to_dict() for name, one in found.items()}, [Sheet("Costs", columns, rows)], said)


def robustness_detail(these: Systems) -> Detail:
    """The conclusions under other rules."""
    from beirkit.evaluate.robustness import robustness

    style, first = these.style, these.first
    with _warned_once():
        found = robustness(
            these.exam.runs, these.exam.qrels, these.measure, these.baseline, first.protocol,
            self_match_ids=these.own, depth=first.depth, lenient_scores=these.args.lenient_scores,
            evidence=these.exam.evidence, **_statistics(these.args),
        )  # fmt: skip
    rows: list[tuple[str, ...]] = [
        (
            system, str(one.measure), _several(one.protocols),
            f"{one.outcomes[system]} ({style.figure(one.differences[system], '+')})",
        )
        for system in found.asked
        for one in found.flips(system)
    ]  # fmt: skip
    columns = ("system", "measure", "protocols", f"beside {found.baseline}")
    said = [_held(found, system, style) for system in found.asked]
    said += [f"not comparable under {name}: {why}" for name, why in found.refused.items()]
    sheets = [Sheet("Where the conclusion is another", columns, rows, left=4)] if rows else []
    return Detail(found.to_dict(), sheets, said)


def _several(names: Sequence[str], most: int = 3) -> str:
    """Names, those beyond the first few only counted."""
    more = f" and {len(names) - most} like them" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def _held(found: Robustness, system: str, style: Style) -> str:
    """Under how many settings a conclusion holds, in a sentence."""
    words = {
        "ahead": f"{system} is ahead of {found.baseline}",
        "behind": f"{system} is behind {found.baseline}",
        "not separable": f"{system} is not separable from {found.baseline}",
        "identical": f"{system} is identical to {found.baseline}",
        "untested": f"{system} is not tested against {found.baseline}",
    }
    turned: list[Setting] = [
        one for one in found.settings if {one.outcomes[system], found.asked[system]} == {"ahead", "behind"}
    ]
    end = f"; turned round under {len(turned)}" if turned else ""
    return f"{words[found.asked[system]]} under {found.holds(system)} of {len(found.settings)} settings{end}"


@contextmanager
def _warned_once() -> Iterator[None]:
    """Leave out warnings about the runs, which were given when they were scored first."""
    import logging

    logger = logging.getLogger("beirkit")
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        yield
    finally:
        logger.setLevel(level)
