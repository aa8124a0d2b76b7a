"""Two rules of scoring done otherwise at once make the gap, and the two are named first."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from beirkit.corpora.progress import silent
from beirkit.corpora.run import Run
from beirkit.evaluate.explain.explain import explain
from beirkit.evaluate.explain.explanation import Target
from beirkit.evaluate.explain.scorer import Scorer
from beirkit.evaluate.explain.settings import Setting
from beirkit.evaluate.explain.switches import switches, together
from beirkit.evaluate.explain.trials import Trials
from beirkit.evaluate.measures import Measure
from beirkit.evaluate.protocol import get_protocol
from tests.evaluate.explain import made_up as m

JUDGED = m.qrels()
LISTS = m.lists()
OTHER = m.qrels(seed=9) | {f"x{n}": {"d001": 1} for n in range(9)}  # of more queries, by somebody else
DEV = {query_id: row for query_id, row in m.qrels(seed=5).items() if query_id < "q30"}
ANSWERED = m.only(JUDGED, lambda query_id: query_id not in m.HOPELESS)
KEEP, REMOVE = "beirkit:self_match=keep", "beirkit:self_match=remove"
NDCG = "nDCG@10"


class Pair(NamedTuple):
    """Two things that are done otherwise, and what comes of them."""

    axes: tuple[str, str]
    measure: str
    value: Callable[[], float]
    more: dict[str, Any] = {}  # noqa: RUF012


def at_most(k: int) -> float:
    """AP at k divided by at most k."""
    found = m.values(JUDGED, LISTS, f"AP@{k}")
    relevant = {query_id: sum(grade > 0 for grade in JUDGED[query_id].values()) for query_id in found}
    return sum(found[q] * relevant[q] / min(k, relevant[q]) for q in found if relevant[q]) / len(found)


def condensed() -> float:
    """The same once unjudged documents are taken out of the lists."""
    ordered = m.with_order(LISTS, lambda d, _: [-ord(c) for c in d])
    kept = {q: {d: s for d, s in row.items() if d in JUDGED[q]} for q, row in ordered.items()}
    return m.of_found(JUDGED, kept, NDCG, 10)


def weighted(at: int) -> float:
    """Recall of all relevant documents together."""
    found = m.values(JUDGED, LISTS, f"R@{at}")
    weights = {query_id: sum(grade > 0 for grade in JUDGED[query_id].values()) for query_id in found}
    return sum(found[query_id] * weights[query_id] for query_id in found) / sum(weights.values())


def geometric(measure: str, protocol: str = KEEP) -> float:
    found = m.values(JUDGED, LISTS, measure, protocol)
    return math.exp(math.fsum(math.log(max(value, 1e-5)) for value in found.values()) / len(found))


PAIRS = [
    Pair(("gain", "cut-off"), NDCG, lambda: m.mean(JUDGED, LISTS, "nDCG_exp@20")),
    Pair(("gain", "cut-off"), NDCG, lambda: m.mean(m.graded(JUDGED, lambda g: int(g > 0)), LISTS, "nDCG@5")),
    Pair(("gain", "self-match"), NDCG, lambda: m.mean(JUDGED, LISTS, "nDCG_exp@10", REMOVE)),
    Pair(("gain", "missing queries"), NDCG,
         lambda: m.mean(JUDGED, m.without(LISTS, m.EMPTY), "nDCG_exp@10", f"{KEEP},missing=skip")),
    Pair(("gain", "unjudged documents"), NDCG,
         lambda: m.mean(m.graded(JUDGED, lambda g: int(g > 0)), LISTS, "nDCG(judged_only=True)@10")),
    Pair(("gain", "split"), NDCG, lambda: m.mean(DEV, LISTS, "nDCG_exp@10"), {"splits": {"dev": DEV}}),
    Pair(("gain", "ties"), NDCG,
         lambda: m.mean(JUDGED, m.with_order(LISTS, lambda d, _: d), "nDCG_exp@10")),
    Pair(("self-match", "cut-off"), "RR@10", lambda: m.mean(JUDGED, LISTS, "RR", REMOVE)),
    Pair(("self-match", "denominator"), NDCG, lambda: m.mean(ANSWERED, LISTS, NDCG, REMOVE)),
    Pair(("self-match", "denominator"), NDCG, lambda: m.mean(JUDGED, LISTS, NDCG, REMOVE) * 60 / 75,
         {"queries": 75}),
    Pair(("self-match", "recall"), "R@10", lambda: m.mean(ANSWERED, LISTS, "R_cap@10", REMOVE)),
    Pair(("self-match", "precision"), NDCG,
         lambda: m.mean(JUDGED, LISTS, NDCG, f"{REMOVE},precision=float64")),
    Pair(("self-match", "mean"), "AP", lambda: geometric("AP", REMOVE)),
    Pair(("self-match", "rounding"), "AP@30",
         lambda: math.floor(m.mean(JUDGED, LISTS, "AP@30", REMOVE) * 1e4) / 1e4),
    # by itself recall capped at 100 is plain recall here
    Pair(("recall", "cut-off"), "R@100", lambda: m.mean(ANSWERED, LISTS, "R_cap@10")),
    Pair(("relevance level", "cut-off"), "P@10",
         lambda: m.mean(m.graded(JUDGED, lambda g: int(g > 1)), LISTS, "P@5")),
    Pair(("relevance level", "mean"), "AP", lambda: geometric("AP(rel=2)")),
    Pair(("relevance level", "denominator"), "RR@10",
         lambda: m.mean({q: row for q, row in JUDGED.items() if max(row.values()) > 1}, LISTS,
                        "RR(rel=2)@10")),
    # every query has a list where those are left out that the run does not have
    Pair(("missing queries", "qrels version"), NDCG,
         lambda: m.mean(OTHER, LISTS, NDCG, f"{KEEP},missing=skip"), {"versions": {"v1": OTHER}}),
    Pair(("denominator", "unjudged documents"), NDCG,
         lambda: m.mean(ANSWERED, LISTS, "nDCG(judged_only=True)@10")),
    Pair(("AP's divisor", "cut-off"), "AP", lambda: at_most(10)),
    Pair(("ideal order", "cut-off"), NDCG, lambda: m.of_found(JUDGED, LISTS, "nDCG@5", 5)),
    Pair(("ideal order", "unjudged documents"), NDCG, condensed),
    Pair(("mean", "cut-off"), "R@100", lambda: weighted(20)),
    Pair(("precision", "cut-off"), NDCG,
         lambda: m.mean(JUDGED, LISTS, "nDCG@100", f"{KEEP},precision=float64")),
    Pair(("depth", "relevance level"), "Rprec",
         lambda: m.mean(m.graded(JUDGED, lambda g: int(g > 1)), m.top(LISTS, 10), "Rprec")),
]  # fmt: skip


# half of the datasets are named, by the name of a set that people tell of another cause of
@pytest.mark.parametrize(
    "number", range(len(PAIRS)), ids=[f"{p.measure}: {' + '.join(p.axes)}" for p in PAIRS]
)
def test_the_two_rules_that_were_others_are_named_first(number: int) -> None:
    pair = PAIRS[number]
    value = pair.value()
    decimals = 4 if "rounding" in pair.axes else 6
    found = explain(
        Run.from_dict(LISTS),
        JUDGED,
        pair.measure,
        Target(value=round(value, decimals), decimals=decimals),
        protocol=KEEP,
        facts={"dataset": "arguana"} if number % 2 else None,
        **pair.more,
    )
    first = found.causes[0]
    assert (set(first.axes), first.explains) == (set(pair.axes), True), [one.says for one in found.causes[:4]]
    assert first.value == pytest.approx(value, abs=1e-9)
    assert f"plained by {first.about}: " in found.verdict


def of(measure: str) -> Trials:
    """Every single switch of a measure, tried."""
    rules = get_protocol(KEEP)
    judgments = {"": JUDGED, "dev": DEV, "v1": OTHER}
    scorer = Scorer(Run.from_dict(LISTS), judgments, queries=75)
    base = Setting.of(Measure.parse(measure), rules)
    kinds = {"dev": "split", "v1": "qrels version"}
    trials = Trials(scorer, base, scorer.score(base), Target(value=0.987, decimals=4), kinds, silent)
    trials.singles()
    return trials


MEASURES = ("nDCG@10", "nDCG", "nDCG_exp@10", "AP", "AP@100", "RR@10", "RR", "R@10", "R@100", "P@10", "Rprec")


@pytest.mark.parametrize("measure", MEASURES)
def test_any_two_things_are_tried_together_that_docs_do_not_except(measure: str) -> None:
    trials = of(measure)
    tried = {frozenset((one.axis, two.axis)) for one, two in trials.pairs()}
    axes = {switch.axis for switch in switches(trials.base, trials.scorer, trials.kinds)}
    assert len(axes) >= 10
    changing = {switch.axis for switch in trials.able if trials.changes(switch)}
    lacking = {pair for pair in combinations(sorted(axes), 2) if frozenset(pair) not in tried}
    assert {pair for pair in lacking if changing & set(pair)} <= {("qrels version", "split")}


@pytest.mark.parametrize("measure", MEASURES)
def test_every_pair_is_both_of_its_switches(measure: str) -> None:
    """None takes back what the other did, so that the two together are not one of them under two names."""
    trials = of(measure)
    for one, two in trials.pairs():
        both = two.applied(one.applied(trials.base))
        assert both == one.applied(two.applied(trials.base))
        assert both not in (one.applied(trials.base), two.applied(trials.base)), (one.says, two.says)


def test_what_is_not_tried_together_is_told_in_docs() -> None:
    docs = (Path(__file__).parents[3] / "docs" / "why.md").read_text(encoding="utf-8")
    for told in (
        "two of one kind",
        "a split and a version of judgments",
        "at best or at worst",
        "alone changes",
    ):
        assert told in docs


def test_bounds_of_ties_go_with_nothing() -> None:
    trials = of(NDCG)
    bounds = [one for one in switches(trials.base, trials.scorer, trials.kinds) if "iest" in one.says]
    assert len(bounds) == 2
    assert not any(together(one, other) for one in bounds for other in bounds)
    assert not any(one.alone for pair in trials.pairs() for one in pair)
