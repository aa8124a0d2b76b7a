"""One rule of scoring done otherwise makes the gap, and is named first."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import pytest

from beirkit.corpora.errors import UsageError
from beirkit.corpora.progress import Advance
from beirkit.corpora.run import Run
from beirkit.evaluate.explain.explain import explain
from beirkit.evaluate.explain.explanation import Explanation, Target
from tests.evaluate.explain import made_up as m

JUDGED = m.qrels()
LISTS = m.lists()
OTHER = m.qrels(seed=9)  # of the same queries, by somebody else
DEV = {query_id: row for query_id, row in m.qrels(seed=5).items() if query_id < "q30"}


class Case(NamedTuple):
    """What is done otherwise, and what comes of it."""

    axis: str
    says: str
    measure: str
    value: Callable[[], float]
    more: dict[str, Any] = {}  # noqa: RUF012


def cut_first() -> float:
    """A list that was cut to ten and loses the query's own document then."""
    left = {q: {d: s for d, s in row.items() if d != q} for q, row in m.top(LISTS, 10).items()}
    return m.mean(JUDGED, left, "nDCG@10")


def geometric() -> float:
    found = m.values(JUDGED, LISTS, "AP")
    return math.exp(math.fsum(math.log(max(value, 1e-5)) for value in found.values()) / len(found))


def weighted() -> float:
    found = m.values(JUDGED, LISTS, "R@100")
    weights = {query_id: sum(grade > 0 for grade in JUDGED[query_id].values()) for query_id in found}
    return sum(found[query_id] * weights[query_id] for query_id in found) / sum(weights.values())


def at_most_k() -> float:
    found = m.values(JUDGED, LISTS, "AP@10")
    relevant = {query_id: sum(grade > 0 for grade in JUDGED[query_id].values()) for query_id in found}
    return sum(found[q] * relevant[q] / min(10, relevant[q]) for q in found if relevant[q]) / len(found)


NDCG = "nDCG@10"
SKIP = "beirkit:self_match=keep,missing=skip"
CASES = [
    Case("self-match", "is removed", NDCG, lambda: m.mean(JUDGED, LISTS, NDCG, "beirkit:self_match=remove")),
    Case("self-match", "cut already", NDCG, cut_first),
    Case("missing queries", "the run does not have are left out of the mean (pytrec_eval)", "RR@10",
         lambda: m.mean(JUDGED, LISTS, "RR@10", SKIP)),
    Case("missing queries", "without results are left out", NDCG,
         lambda: m.mean(JUDGED, m.without(LISTS, m.EMPTY), NDCG, SKIP)),
    Case("denominator", "that have a relevant document", NDCG,
         lambda: m.mean(m.only(JUDGED, lambda q: q not in m.HOPELESS), LISTS, NDCG)),
    Case("denominator", "all queries", NDCG, lambda: m.mean(JUDGED, LISTS, NDCG) * 60 / 75, {"queries": 75}),
    Case("split", "judgments dev", NDCG, lambda: m.mean(DEV, LISTS, NDCG), {"splits": {"dev": DEV}}),
    Case("qrels version", "judgments v1", NDCG, lambda: m.mean(OTHER, LISTS, NDCG),
         {"versions": {"v1": OTHER}}),
    Case("recall", "capped", "R@10", lambda: m.mean(m.only(JUDGED, lambda q: q not in m.HOPELESS), LISTS,
                                                    "R_cap@10")),
    Case("gain", "2^grade - 1", NDCG, lambda: m.mean(JUDGED, LISTS, "nDCG_exp@10")),
    Case("gain", "counts 1", NDCG, lambda: m.mean(m.graded(JUDGED, lambda g: int(g > 0)), LISTS, NDCG)),
    Case("relevance level", "from grade 2", "P@10",
         lambda: m.mean(m.graded(JUDGED, lambda g: int(g > 1)), LISTS, "P@10")),
    Case("ties", "ascending", NDCG, lambda: m.mean(JUDGED, m.with_order(LISTS, lambda d, _: d), NDCG)),
    Case("ties", "insertion order", NDCG, lambda: m.mean(JUDGED, m.with_order(LISTS, lambda _, n: n), NDCG)),
    Case("precision", "float64", NDCG,
         lambda: m.mean(JUDGED, LISTS, NDCG, "beirkit:self_match=keep,precision=float64")),
    Case("cut-off", "looks at all results", "RR@10", lambda: m.mean(JUDGED, LISTS, "RR")),
    Case("cut-off", "looks at 100", NDCG, lambda: m.mean(JUDGED, LISTS, "nDCG@100")),
    Case("depth", "only 10", "Rprec", lambda: m.mean(JUDGED, m.top(LISTS, 10), "Rprec")),
    Case("unjudged documents", "taken out", NDCG, lambda: m.mean(JUDGED, LISTS, "nDCG(judged_only=True)@10")),
    Case("mean", "geometric", "AP", geometric),
    Case("mean", "weighted", "R@100", weighted),
    Case("AP's divisor", "relevant documents found", "AP@10", lambda: m.of_found(JUDGED, LISTS, "AP@10", 10)),
    Case("ideal order", "of the documents found alone", NDCG, lambda: m.of_found(JUDGED, LISTS, NDCG, 10)),
    Case("AP's divisor", "at most k", "AP@10", at_most_k),
    Case("rounding", "cut off", "AP@30", lambda: math.floor(m.mean(JUDGED, LISTS, "AP@30") * 1e4) / 1e4),
]  # fmt: skip


def explained(case: Case, value: float, decimals: int | None = 5, *, named: bool = False) -> Explanation:
    value = value if decimals is None else round(value, decimals)
    return explain(
        Run.from_dict(LISTS),
        JUDGED,
        case.measure,
        Target(value=value, decimals=4 if case.axis == "rounding" else decimals),
        protocol="beirkit:self_match=keep",
        # half of the datasets have a name, of a set that people tell of another cause of
        facts={"dataset": "arguana" if case.axis != "self-match" else "msmarco"} if named else None,
        **case.more,
    )


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.axis}: {case.says}")
def test_the_rule_that_was_another_is_named_first(case: Case) -> None:
    value = case.value()
    found = explained(case, value, named=CASES.index(case) % 2 == 0)
    assert abs(found.gap) > found.target.tolerance, "the case makes no gap"
    first = found.causes[0]
    assert (first.axes, first.explains) == ((case.axis,), True), [one.says for one in found.causes[:4]]
    assert case.says in first.says
    assert first.value == pytest.approx(value, abs=1e-9)
    sure = "Explained" if found.chance < 0.1 else "Perhaps explained"
    assert found.verdict.startswith(f"{sure} by {case.axis}: ")
    assert any("is left" in line for line in first.arithmetic)


def test_how_many_scorings_were_tried_is_shown_while_they_are() -> None:
    seen: dict[str, tuple[int | None, int]] = {}

    @contextmanager
    def progress(label: str, total: int | None, unit: str) -> Iterator[Advance]:
        done = 0

        def advance(more: int = 1, /) -> None:
            nonlocal done
            done += more

        yield advance
        seen[label] = (total, done)

    found = explain(Run.from_dict(LISTS), JUDGED, NDCG, Target(value=0.987), progress=progress)
    assert not any(cause.explains for cause in found.causes)
    assert seen["trying every setting"][1] > 10
    total, done = seen["trying two settings together"]
    assert total == done
    assert total


def test_self_matches_that_were_kept() -> None:
    kept = m.mean(JUDGED, LISTS, NDCG)
    found = explain(
        Run.from_dict(LISTS), JUDGED, NDCG, Target(value=kept), protocol="beirkit:self_match=remove"
    )
    assert found.causes[0].axes == ("self-match",)
    assert "is kept" in found.causes[0].says


def test_two_rules_at_once_are_found_where_no_single_one_explains() -> None:
    value = m.mean(JUDGED, LISTS, NDCG, "beirkit:self_match=remove,missing=skip")
    found = explain(
        Run.from_dict(LISTS),
        JUDGED,
        NDCG,
        Target(value=round(value, 5), decimals=5),
        protocol="beirkit:self_match=keep",
    )
    first, *others = found.causes
    assert (first.axes, first.says) == (("protocol",), "all rules of the protocol beir")
    assert first.value == pytest.approx(value, abs=1e-9)
    assert {"self-match", "missing queries"} in [set(one.axes) for one in others if one.explains]


def test_the_sum_can_be_done_by_hand() -> None:
    case = CASES[0]
    first = explained(case, case.value()).causes[0]
    [ours, changes, then, left] = first.arithmetic
    total, queries = ours.removeprefix("ours: ").partition(" queries")[0].split(" / ")
    assert float(total) / int(queries) == pytest.approx(m.mean(JUDGED, LISTS, NDCG), abs=1e-6)
    moved = float(changes.partition("by ")[2].partition(" together")[0])
    after = then.removeprefix("then: ").partition(" queries")[0].split(" / ")
    assert float(total) + moved == pytest.approx(float(after[0]), abs=2e-6)
    assert left.endswith("is left")


def test_a_number_that_nothing_makes() -> None:
    found = explained(Case("", "", NDCG, lambda: 0), 0.98765)
    assert not found.explained
    assert found.verdict.startswith("Nothing known explains the gap of +0.")
    assert found.tried > 100


def test_a_number_that_is_ours() -> None:
    found = explained(CASES[0], m.mean(JUDGED, LISTS, NDCG), 3)
    assert found.explained
    assert found.causes == ()
    assert found.verdict.startswith("There is no gap: ")


@pytest.mark.parametrize("measure", ["NumRel", "gm_map"])
def test_what_is_no_mean_is_refused(measure: str) -> None:
    with pytest.raises(UsageError, match="is no mean over queries"):
        explain(Run.from_dict(LISTS), JUDGED, measure, Target(value=0.5))


def test_what_could_not_be_tried_is_named() -> None:
    plain = {query_id: dict.fromkeys(row, 1) for query_id, row in JUDGED.items()}
    alone = {query_id: {f"d{n:03}": 50.0 - n for n in range(20)} for query_id in JUDGED}
    found = explain(
        Run.from_dict(alone), plain, NDCG, Target(value=0.5, decimals=1), splits={"dev": {"x": {"d": 1}}}
    )
    assert found.untested["split"] == "the run has no query of dev: search that split too"
    assert set(found.untested) >= {"qrels version", "self-match", "gain", "ties", "title handling"}
    assert any("how the other number was made is not known" in why for why in found.untested.values())


def test_a_number_that_any_scoring_may_meet_is_no_proof() -> None:
    coarse = [explained(CASES[0], at / 100, 2) for at in range(30, 60, 3)]
    met = [one for one in coarse if one.causes and one.causes[0].explains]
    assert met
    assert all(one.verdict.startswith("Perhaps explained by ") for one in met)
    assert all("is met by chance in" in one.verdict for one in met)


def test_the_chance_of_a_hit_grows_with_coarse_figures() -> None:
    value = CASES[0].value()
    assert explained(CASES[0], value, 2).chance > explained(CASES[0], value, 5).chance > 0
    assert explained(CASES[0], value, None).chance == 0


def test_nothing_is_stated_by_a_number_alone() -> None:
    case = CASES[1]
    assert not explained(case, case.value()).causes[0].stated


@pytest.mark.parametrize(
    ("says", "sum_of"),
    [
        ("geometric", " / 60 queries) = "),
        ("weighted", " relevant documents = "),
        ("is removed", " / 60 queries = "),
    ],
)
def test_each_kind_of_mean_has_its_sum(says: str, sum_of: str) -> None:
    case = next(case for case in CASES if case.says == says)
    [then] = [
        line for line in explained(case, case.value()).causes[0].arithmetic if line.startswith("then: ")
    ]
    assert sum_of in then
    total, _, rest = then.removeprefix("then: ").removeprefix("exp(").partition(" / ")
    value = float(total) / float(rest.partition(" ")[0].replace(",", ""))
    assert float(then.rpartition("= ")[2]) == pytest.approx(
        math.exp(value) if says == "geometric" else value, abs=1e-6
    )
