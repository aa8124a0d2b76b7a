"""All that ``beirkit compare`` finds, before it is written in any form."""

from __future__ import annotations

import argparse
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from beirkit.cli.compare_details import details
from beirkit.cli.compare_settings import report_notes, settings_notes
from beirkit.cli.compare_tables import Result, Style, leaderboard_note

if TYPE_CHECKING:
    from collections.abc import Sequence

    from beirkit.cli.compare_detail_tables import Detail
    from beirkit.cli.compare_inputs import Given
    from beirkit.evaluate.compare_suites import SuiteTable
    from beirkit.evaluate.gate import Gate
    from beirkit.evaluate.pairs import Comparison
    from beirkit.evaluate.stated import StatedMeans

CORRECTED = {
    "holm": "Holm over the comparisons of one table",
    "bh": "Benjamini and Hochberg over the comparisons of one table",
    "none": "not corrected for the number of comparisons",
}


@dataclass(frozen=True)
class GateOutcome:
    """Whether one system kept a gate's bound.

    Attributes:
        gate: the bound.
        where: the suite or dataset.
        system: whose difference to the baseline it is.
        passed: whether the interval's lower end reaches the bound.
        told: what was found.
    """

    gate: Gate
    where: str
    system: str
    passed: bool
    told: str


@dataclass(frozen=True)
class Report:
    """What was compared and what came out.

    Attributes:
        given: systems, datasets, protocol.
        results: one per dataset and measure.
        suites: one per measure, where there are several datasets.
        gates: one per gate and system.
        style: of figures.
        notes: what must be known to read the tables.
        rounded: whether figures for machines are rounded too.
        details: what was asked for besides, by dataset and name.
        stated: figures of others.
    """

    given: Given
    results: list[Result]
    suites: list[SuiteTable]
    gates: list[GateOutcome]
    style: Style
    notes: list[str]
    rounded: bool = False
    details: dict[str, dict[str, Detail]] = field(default_factory=dict)
    stated: list[StatedMeans] = field(default_factory=list)

    def verdict(self) -> list[tuple[str, str, list[str]]]:
        """Where, on which measure, and the sentences: of suites, then of datasets."""
        from beirkit.evaluate.verdict import verdict

        digits, percent = self.style.digits, self.style.percent
        found = []
        for table in self.suites:
            said = [*verdict(table, digits=digits, percent=percent)]
            said += [f"{system} has no mean ({why})" for system, why in table.incomplete.items()]
            found.append((table.suite, str(table.measure), said))
        for one in self.results:
            said = [*verdict(one.table, one.contest.speeds, digits=digits, percent=percent)]
            found.append((one.contest.dataset, str(one.table.measure), said))
        return [item for item in found if item[2]]

    def said(self) -> list[str]:
        """What the details say, in sentences."""
        return [
            f"{dataset}: {sentence}" if dataset else sentence
            for dataset, found in self.details.items()
            for detail in found.values()
            for sentence in detail.sentences
        ]

    @property
    def passed(self) -> bool:
        """Whether every gate holds."""
        return all(one.passed for one in self.gates)

    def to_json(self) -> dict[str, Any]:
        """Everything unrounded, whatever the style of figures is."""
        from msgspec import to_builtins

        return {
            "tables": [
                {
                    **one.table.to_dict(),
                    "dataset": one.contest.dataset,
                    "depth": one.contest.depth,
                    "sample": one.contest.sample,
                    "leaderboard": one.leaderboard.to_dict(),
                    "seeds": to_builtins(one.spreads),
                    "forced": [*self.given.forced, *one.contest.cuts, *one.contest.forced],
                }
                for one in self.results
            ],
            "suite": [{**table.to_dict(), "forced": self.given.told_of_force()} for table in self.suites],
            "verdict": [
                {"where": where, "measure": measure, "sentences": said}
                for where, measure, said in self.verdict()
            ],
            "details": [
                {"dataset": dataset, **{name: detail.data for name, detail in found.items()}}
                for dataset, found in self.details.items()
            ],
            "stated": [one.to_dict() for one in self.stated],
            "gates": [
                {
                    "gate": str(one.gate),
                    "where": one.where,
                    "system": one.system,
                    "passed": one.passed,
                    "told": one.told,
                }
                for one in self.gates
            ],
        }


def build(args: argparse.Namespace, given: Given, gates: Sequence[Gate]) -> Report:
    """Compare on every dataset and over the suite, and hold the gates against it.

    Raises:
        BeirkitError: what was asked for does not exist, or scores are not comparable.
    """
    from beirkit.corpora.errors import UsageError
    from beirkit.evaluate.compare import compare
    from beirkit.evaluate.compare_suites import compare_suite
    from beirkit.evaluate.leaderboard import leaderboard
    from beirkit.evaluate.seeds import seed_spread
    from beirkit.evaluate.stated import read_stated

    if gates and {name for one in given.contests for name in one.scores} <= {given.baseline}:
        raise UsageError(
            f"there is no system to hold to the gate, only the baseline {given.baseline!r}",
            hint="name another run beside it",
        )
    shared = {
        "correction": args.correction, "level": args.level, "seed": args.seed, "samples": args.samples,
    }  # fmt: skip
    results, suites = [], []
    for measure in given.measures:
        for contest in given.contests:
            names = contest.scores
            baseline = given.baseline if given.baseline in names else next(iter(names))
            spreads = {name: seed_spread(parts, measure) for name, parts in contest.seeds.items()}
            table = compare(contest.scores, measure, baseline, pairs=args.pairs, test=args.test, **shared)
            results.append(
                Result(
                    contest,
                    table,
                    leaderboard(contest.scores, measure, test=args.test, **shared),
                    {name: spread for name, spread in spreads.items() if spread is not None},
                )
            )
        if given.suite is not None:
            by_dataset = {contest.dataset: contest.scores for contest in given.contests}
            suites.append(
                compare_suite(given.suite, by_dataset, measure, given.baseline, pairs=args.pairs, **shared)
            )
    digits = given.protocol.digits - (2 if args.percent else 0)
    style = Style(max(0, digits) if args.decimals is None else args.decimals, args.percent)
    outcomes = [outcome for gate in gates for outcome in _held(gate, given, results, suites, style)]
    return Report(
        given,
        results,
        suites,
        outcomes,
        style,
        _notes(args, given, results, suites),
        args.decimals is not None,
        details(args, given, style),
        [read_stated(path) for path in args.stated],
    )


def _held(
    gate: Gate, given: Given, results: Sequence[Result], suites: Sequence[SuiteTable], style: Style
) -> list[GateOutcome]:
    """A gate against every other system: over the suite where there is one, else on the dataset."""
    systems = dict.fromkeys(name for one in given.contests for name in one.scores if name != given.baseline)
    rows: dict[str, Comparison] = {}
    lacking: dict[str, str] = {}
    where = ""
    for table in suites:
        if table.measure == gate.measure:
            where, lacking = table.suite, table.incomplete
            rows = _against(table.rows, given.baseline)
    for one in results if not suites else ():
        if one.table.measure == gate.measure:
            where = one.contest.dataset
            beside = (one.table.between(name, given.baseline) for name in systems)
            rows = _against([row for row in beside if row is not None], given.baseline)
    found = []
    for name in systems:
        row = rows.get(name)
        if row is None:
            why = lacking.get(name) or lacking.get(given.baseline) or "not compared with the baseline"
            found.append(GateOutcome(gate, where, name, False, f"{name}: no difference ({why})"))
        else:
            digits = style.digits + (2 if style.percent else 0)
            found.append(GateOutcome(gate, where, name, gate.holds(row), gate.told(row, digits)))
    return found


def _against(rows: Sequence[Comparison], baseline: str) -> dict[str, Comparison]:
    return {row.system: row for row in rows if row.other == baseline}


def _notes(
    args: argparse.Namespace, given: Given, results: Sequence[Result], suites: Sequence[SuiteTable]
) -> list[str]:
    from beirkit.evaluate.compare_suites import TEST
    from beirkit.evaluate.stated import UNTESTED
    from beirkit.evaluate.statistics.paired import TESTS

    notes = [f"Forced: {sentence}" for sentence in given.told_of_force()]
    notes.append(f"Protocol: {given.protocol.describe()}")
    depths = {one.depth for one in given.contests if one.depth is not None}
    if depths:
        told = ", ".join(f"{depth:,}" for depth in sorted(depths))
        notes.append(f"Depth: {told} results per query count")
    notes.append(
        f"Intervals: bootstrap, percentile, {1 - args.level:.0%}; p: {TESTS[results[0].table.test]}; "
        f"{args.samples:,} draws, seed {args.seed}; {CORRECTED[args.correction]}"
    )
    boards = [(one.title, one.leaderboard) for one in results]
    for table in suites:
        if table.leaderboard is not None:
            boards.append((f"mean of {table.suite}: {table.measure}", table.leaderboard))
    boards = [(title, board) for title, board in boards if len(board.places) > 2]
    if boards:
        notes.append(
            "Ranks: systems share one while a t-test, corrected for all pairs, does not separate them from "
            "the first of them; ranks: its bootstrap interval; first: how probable it is to be first"
        )
    notes += [f"{title}: {leaderboard_note(board, args.level)}" for title, board in boards]
    notes += settings_notes(given) + report_notes(given)
    if any(one.spreads for one in results):
        notes.append("Seeds: tests compare each query's mean over the seeds; the deviation is that of means")
    if suites:
        table = suites[0]
        notes.append(f"Suite: {TEST}; every member counts the same; better/same/worse counts datasets")
        if table.members < 10:
            notes.append(
                f"Suite: {table.members} members are few to draw from: intervals of means may be too narrow; "
                "those of differences allow for it"
            )
        others = [one.dataset for one in given.contests if one.dataset not in table.datasets]
        if others:
            notes.append(f"Suite: not part of {table.suite}: {', '.join(others)}")
        if any(given.training.values()):
            notes.append(f"Training: {_training(given)}")
    if args.stated:
        notes.append(f"Stated: {UNTESTED}")
    return notes


def _training(given: Given) -> str:
    """On which datasets each system is no zero-shot system, as far as is declared."""
    systems = dict.fromkeys(name for _, name in given.training)
    told = []
    for system in systems:
        parts = []
        for status in ("in-domain", "unknown"):
            sets = [d for (d, name), known in given.training.items() if name == system and known == status]
            parts += [f"{status} on {', '.join(sets)}"] if sets else []
        told.append(f"{system}: {'; '.join(parts) or 'zero-shot everywhere'}")
    return " | ".join(told)
