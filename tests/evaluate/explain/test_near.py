"""What comes near another number without meeting it is told as that, and what does not come near is not."""

from __future__ import annotations

from typing import Any

import pytest

from beirkit.corpora.run import Run
from beirkit.evaluate.explain.explain import explain
from beirkit.evaluate.explain.explanation import LAST_DIGITS, Explanation, Target, closing
from beirkit.evaluate.explain.makings import Alternative
from beirkit.evaluate.explain.suites import explain_mean
from tests.evaluate.explain import made_up as m

JUDGED = m.qrels()
LISTS = m.lists()
NDCG = "nDCG@10"
KEEP, REMOVE = "beirkit:self_match=keep", "beirkit:self_match=remove"


def against(value: float, decimals: int = 4, **more: Any) -> Explanation:
    target = Target(value=round(value, decimals), decimals=decimals)
    return explain(Run.from_dict(LISTS), JUDGED, NDCG, target, protocol=KEEP, **more)


def test_a_rule_that_prints_one_unit_off_comes_near() -> None:
    value = m.mean(JUDGED, LISTS, NDCG, REMOVE)
    found = against(value + 1e-5, 5)
    first = found.causes[0]
    assert (first.axes, first.near, first.explains) == (("self-match",), True, False)
    assert first.leaves == pytest.approx(found.target.value - value, abs=1e-12)
    assert (found.explained, found.near) == (False, True)
    assert found.verdict.startswith("Nearly explained by self-match: a result with the query's id is removed")
    assert (
        f"leaves {first.leaves:+.6f} to {found.target.printed}, which nothing known explains" in found.verdict
    )


@pytest.mark.parametrize("off", [-1e-6, 1e-6])
def test_two_rules_that_print_one_unit_off_come_near(off: float) -> None:
    value = m.mean(JUDGED, LISTS, "nDCG_exp@20")
    found = against(value + off, 6)
    first = found.causes[0]
    assert (set(first.axes), first.near, first.explains) == ({"gain", "cut-off"}, True, False)
    assert first.value == pytest.approx(value, abs=1e-9)
    assert "Nearly explained by" in found.verdict


def test_two_units_off_are_not_near() -> None:
    value = m.mean(JUDGED, LISTS, NDCG, REMOVE)
    found = against(value + 3e-6, 6)
    assert not found.near
    assert found.verdict.startswith("Nothing known explains the gap of ")
    assert "or comes near. The nearest, " in found.verdict
    first = found.causes[0]
    assert f"{first.about}, leaves {first.leaves:+.6f} of it" in found.verdict
    assert abs(first.leaves or 1) <= 3e-6 + 1e-12  # the nearest there is, a single rule or two


def test_the_nearest_of_all_is_named_where_nothing_is_near() -> None:
    value = m.mean(JUDGED, LISTS, "nDCG_exp@20")
    found = against(value + 4e-6, 6)
    assert not found.near
    assert abs(found.causes[0].leaves or 1) <= 4e-6 + 1e-12
    assert len(found.causes[0].axes) == 2  # no single one leaves as little
    assert f"The nearest, {found.causes[0].about}, leaves" in found.verdict


@pytest.mark.parametrize("number", [0.98765, 0.01234, 0.79128])
@pytest.mark.parametrize("name", ["", "arguana"])
def test_a_number_that_nothing_comes_near(number: float, name: str) -> None:
    found = against(number, 5, facts={"dataset": name} if name else None)
    assert (found.explained, found.near) == (False, False)
    assert found.verdict.startswith("Nothing known explains the gap of ")
    assert not any(one.near or one.explains for one in found.causes)


def test_what_explains_goes_before_what_is_near() -> None:
    """The pair meets the number, one of its rules alone comes near, and both are told."""
    value = m.mean(JUDGED, LISTS, NDCG, f"{REMOVE},precision=float64")
    alone = m.mean(JUDGED, LISTS, NDCG, REMOVE)
    assert abs(value - alone) > 5e-6
    near = Alternative(axes=("k1 and b",), says="k1 is 1.2 there", value=value + 1.2e-6)
    found = against(value, 6, alternatives=[near])
    assert found.explained
    assert not found.near
    assert set(found.causes[0].axes) == {"self-match", "precision"}
    assert ("k1 and b",) in [one.axes for one in found.causes if one.near]
    assert "Near it comes k1 and b alone, which leaves -0.000001" in found.verdict


def test_ours_that_is_one_unit_off_is_said_to_be() -> None:
    ours = m.mean(JUDGED, LISTS, NDCG)
    found = against(round(ours, 7) + 1e-7, 7)
    assert not found.causes or not found.causes[0].near
    assert "which prints one unit of the last digit apart" in found.verdict


def test_chance_is_told_where_digits_are_few() -> None:
    """Of two decimals nearly every number has a scoring that comes near."""
    verdicts = [against(at / 1000, 3).verdict for at in range(400, 560, 10)]
    near = [one for one in verdicts if one.startswith("Nearly")]
    assert near
    assert all("one comes as near by chance in" in one for one in near)


@pytest.mark.parametrize(
    ("ours", "then", "value", "decimals", "near"),
    [
        (0.60, 0.6751, 0.676, 3, True),
        (0.60, 0.6744, 0.676, 3, False),  # prints two units off
        (0.60, 0.6756, 0.676, 3, False),  # prints alike, which is more than near
        (0.672, 0.675, 0.676, 3, True),  # a quarter of the gap
        (0.6725, 0.675, 0.676, 3, False),
        (0.60, 0.65 + LAST_DIGITS, 0.65, None, True),
        (0.60, 0.6506, 0.65, None, False),
    ],
)
def test_what_near_is(ours: float, then: float, value: float, decimals: int | None, near: bool) -> None:
    assert closing(ours, then, Target(value=value, decimals=decimals))["near"] is near


def test_a_mean_that_comes_near_while_no_more_queries_agree() -> None:
    target = Target(value=0.65)
    assert closing(0.6, 0.6501, target, alike=0.4, before=0.3)["near"]
    assert not closing(0.6, 0.6501, target, alike=0.3, before=0.3)["near"]


def test_a_mean_of_a_suite_that_comes_near() -> None:
    forums = {f"forum{n:02}": 0.2 + 0.017 * n + 0.003 * n * n for n in range(12)}
    value = sum(list(forums.values())[:-1]) / 11
    found = explain_mean(forums, NDCG, Target(value=round(value, 5) + 1e-5, decimals=5))
    assert (found.explained, found.near, found.causes[0].axes) == (False, True, ("members",))
    assert found.verdict.startswith("Nearly explained by members: the mean of 11 of 12")
