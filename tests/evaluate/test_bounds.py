"""How far unjudged documents could move scores and differences, against every grading there is."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from beirkit.corpora.errors import UsageError
from beirkit.corpora.qrels import read_qrels
from beirkit.corpora.records import Qrels
from beirkit.corpora.run import Run
from beirkit.corpora.run_files import read_run
from beirkit.evaluate import evaluate
from beirkit.evaluate.bounds import BoundsTable, bounds, has_bounds
from beirkit.evaluate.measures import Measure

MEASURES = [
    "nDCG@3", "nDCG", "nDCG_exp@3", "P@3", "P(rel=2)@3", "R@3", "R(rel=2)@2", "RR@3", "RR", "Success@2",
    "AP@3", "AP",
]  # fmt: skip


def as_run(*lists: str, first: int = 1) -> Run:
    """One list of one-letter documents per query."""
    return Run.from_dict(
        {f"q{i}": {d: -float(place) for place, d in enumerate(docs)} for i, docs in enumerate(lists, first)}
    )


def made(runs: dict[str, Run], qrels: Qrels, measure: str) -> BoundsTable:
    scores = {name: evaluate(qrels, run, [measure]) for name, run in runs.items()}
    return bounds(scores, runs, qrels, measure, next(iter(runs)))


def test_precision_by_hand() -> None:
    # a is relevant, b is judged not to be, x and y are unknown
    table = made({"A": as_run("axb"), "B": as_run("xya")}, {"q1": {"a": 1, "b": 0}}, "P@3")
    ours, theirs = table.systems
    assert (ours.mean, ours.low, ours.high) == pytest.approx((1 / 3, 1 / 3, 2 / 3))
    assert (theirs.mean, theirs.low, theirs.high) == pytest.approx((1 / 3, 1 / 3, 1))
    assert (ours.unjudged, theirs.unjudged) == pytest.approx((1 / 3, 2 / 3))
    [row] = table.rows  # x counts in both, y in B alone
    assert (row.difference, row.low, row.high) == pytest.approx((0, 0, 1 / 3))
    assert not row.settled


def test_a_relevant_document_further_down_lowers_ndcg() -> None:
    table = made({"A": as_run("abcdefghix")}, {"q1": dict.fromkeys("abcdefghi", 0) | {"a": 1}}, "nDCG@10")
    [one] = table.systems
    discount = 0.2890648263178879  # 1 / log2(11)
    assert one.mean == one.high == pytest.approx(1)
    assert one.low == pytest.approx((1 + discount) / (1 + 0.6309297535714575))


def test_unjudged_in_place_of_nothing() -> None:
    # nobody knows a relevant document: alone, x makes the score 1 or leaves it 0
    [one] = made({"A": as_run("xa")}, {"q1": {"a": 0}}, "nDCG@10").systems
    assert (one.mean, one.low, one.high) == (0, 0, 1)


def test_the_best_grade_may_lie_between() -> None:
    # with x of grade 1 the list is ideal; of grade 0 or 3, the highest there is, it is not
    table = made({"A": as_run("axb", "c")}, {"q1": {"a": 1, "b": 1}, "q2": {"c": 3}}, "nDCG@3")
    assert table.highest == 3
    assert table.systems[0].mean == pytest.approx((1.5 / 1.6309297535714575 + 1) / 2)
    assert table.systems[0].high == pytest.approx(1)


def test_settled_where_judgments_are_enough() -> None:
    qrels: Qrels = {"q1": {"a": 1, "b": 0, "c": 0}, "q2": {"a": 1, "b": 0, "c": 0}}
    table = made({"A": as_run("abc", "abx"), "B": as_run("cba", "cbx")}, qrels, "RR@3")
    assert table.queries == 2
    [row] = table.rows
    assert row.settled
    assert row.high < 0
    data = json.loads(json.dumps(table.to_dict(), allow_nan=False))
    assert (data["measure"], data["rows"][0]["settled"]) == ("RR@3", True)


def test_fully_judged_lists_have_no_room() -> None:
    qrels: Qrels = {"q1": {"a": 2, "b": 0, "c": 1}}
    for measure in MEASURES:
        table = made({"A": as_run("cab"), "B": as_run("bca")}, qrels, measure)
        for one in table.systems:
            assert one.low == pytest.approx(one.mean, abs=1e-12)
            assert one.high == pytest.approx(one.mean, abs=1e-12)
            assert one.unjudged == 0
        assert table.rows[0].low == pytest.approx(table.rows[0].high, abs=1e-12)


def test_measures_without_bounds_are_refused() -> None:
    assert not has_bounds(Measure.parse("Bpref"))
    assert not has_bounds(Measure.parse("nDCG(judged_only=True)@10"))
    with pytest.raises(UsageError, match="Bpref has no bounds"):
        made({"A": as_run("a")}, {"q1": {"a": 1}}, "Bpref")


def test_a_query_without_results_is_0_for_certain() -> None:
    qrels: Qrels = {"q1": {"a": 1}, "q2": {"a": 1}}
    [one] = made({"A": as_run("a")}, qrels, "nDCG@10").systems
    assert (one.mean, one.low, one.high, one.unjudged) == pytest.approx((0.5, 0.5, 0.5, 0))


LETTERS = "abcdef"


@st.composite
def questions(draw: st.DrawFn) -> tuple[str, str, dict[str, int]]:
    """Two lists of five documents out of six, at most four of them unjudged."""
    ours = "".join(draw(st.permutations(LETTERS))[: draw(st.integers(1, 5))])
    theirs = "".join(draw(st.permutations(LETTERS))[: draw(st.integers(1, 5))])
    judged = draw(st.lists(st.sampled_from(LETTERS), min_size=2, max_size=5, unique=True))
    return ours, theirs, {d: draw(st.integers(-1, 3)) for d in judged} | {"z": draw(st.integers(0, 2))}


@settings(max_examples=40)
@given(question=questions(), measure=st.sampled_from(MEASURES))
def test_bounds_are_those_of_every_grading(question: tuple[str, str, dict[str, int]], measure: str) -> None:
    ours, theirs, judged = question
    runs = {"A": as_run(theirs), "B": as_run(ours)}
    table = made(runs, {"q1": judged}, measure)
    level = Measure.parse(measure)
    binary = level.family not in ("nDCG", "nDCG_exp")
    grades = (0, table.highest) if binary else range(table.highest + 1)

    def every(unjudged: str) -> tuple[list[float], list[float]]:
        found: tuple[list[float], list[float]] = ([], [])
        for given_grades in itertools.product(grades, repeat=len(unjudged)):
            graded = {"q1": judged | dict(zip(unjudged, given_grades, strict=True))}
            for values, run in zip(found, runs.values(), strict=True):
                values.append(float(evaluate(graded, run, [measure]).values[0, 0]))
        return found

    at = level.cutoff
    for number, docs in enumerate((theirs, ours)):
        values = every("".join(sorted(set(docs[:at]) - judged.keys())))[number]
        one = table.systems[number]
        assert (one.low, one.high) == pytest.approx((min(values), max(values)), abs=1e-9)
    both = every("".join(sorted(set(theirs[:at] + (ours[:at])) - judged.keys())))
    differences = [b - a for a, b in zip(*both, strict=True)]
    [row] = table.rows
    if table.exact:
        assert (row.low, row.high) == pytest.approx((min(differences), max(differences)), abs=1e-9)
    else:
        assert row.low <= min(differences) + 1e-9
        assert row.high >= max(differences) - 1e-9


def test_fourteen_runs_of_trec_covid(shared: Path) -> None:
    """Every topic has results in every run, so the unjudged share is what Judged@10 leaves."""
    folder = shared / "data" / "metric_oracles" / "trec_covid_round1"
    qrels = read_qrels(folder / "qrels-rnd1.txt")
    runs = {path.stem: read_run(path) for path in sorted((folder / "runs").glob("*.gz"))}
    scores = {name: evaluate(qrels, run, ["nDCG@10", "Judged@10"]) for name, run in runs.items()}
    table = bounds(scores, runs, qrels, "nDCG@10", "sheikh_bm25_manual")
    assert (len(table.systems), table.queries, table.highest) == (14, 30, 2)
    for one in table.systems:
        judged = scores[one.system].mean("Judged@10")
        assert judged is not None
        assert one.unjudged == pytest.approx(1 - judged)
        assert one.low - 1e-12 <= one.mean <= one.high + 1e-12
    assert sum(row.settled for row in table.rows) == 7
    assert {row.system for row in table.rows if row.low > 0} == set()
