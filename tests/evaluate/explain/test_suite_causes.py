"""The mean of a suite is another one by its members, their rules or the kind of mean: that is named first."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import NamedTuple

import pytest

from beirkit.corpora.errors import DataError
from beirkit.evaluate.explain.explanation import Target
from beirkit.evaluate.explain.suites import explain_mean
from beirkit.evaluate.explain.two_means import explain_means

NDCG = "nDCG@10"
FORUMS = {f"forum{n:02}": 0.2 + 0.0173 * n + 0.0031 * n * n for n in range(12)}
SETS = {"arguana": 0.4712, "beta": 0.8123, "gamma": 0.3379, "delta": 0.6101, "epsilon": 0.2917}
OUTER: Mapping[str, float | Mapping[str, float]] = {**SETS, "forums": FORUMS}
COUNTS = {name: 100 + 90 * (n % 5) + n for n, name in enumerate([*FORUMS, *SETS])}
HIGHER = {name: value + 0.01 * (n % 3) for n, (name, value) in enumerate(SETS.items())}
SKIPPED: Mapping[str, float | Mapping[str, float]] = {**HIGHER, "forums": FORUMS}
PARTS = {"two": ("beta", "delta"), "three": ("arguana", "beta", "gamma"), "elsewhere": ("beta", "zeta")}


def mean(values: Mapping[str, float], *without: str) -> float:
    kept = [value for name, value in values.items() if name not in without]
    return sum(kept) / len(kept)


def outer(*without: str, forums: float = mean(FORUMS)) -> float:
    return mean({**SETS, "forums": forums}, *without)


FLAT = {**SETS, **FORUMS}


class Case(NamedTuple):
    axes: tuple[str, ...]
    says: str
    value: Callable[[], float]


CASES = [
    Case(("mean",), "geometric mean of the members",
         lambda: math.prod([*SETS.values(), mean(FORUMS)]) ** (1 / 6)),
    Case(("mean",), "every query counts alike",
         lambda: sum(FLAT[name] * COUNTS[name] for name in FLAT) / sum(COUNTS.values())),
    Case(("mean",), "every dataset counts alike", lambda: mean(FLAT)),
    Case(("members",), "5 of 6: gamma is missing", lambda: outer("gamma")),
    Case(("members",), "forums is the mean of 11 of 12: forum07 is missing",
         lambda: outer(forums=mean(FORUMS, "forum07"))),
    Case(("members",), "5 of 6: forums is missing", lambda: outer("forums")),
    Case(("members",), "4 of 6: beta and forums are missing", lambda: outer("beta", "forums")),
    Case(("members",), "the mean of three, which is 3 of 17 datasets",
         lambda: mean(SETS, "delta", "epsilon")),
    Case(("protocol",), "all rules of the protocol mteb",
         lambda: outer() + sum(0.01 * (n % 3) for n in range(5)) / 6),
    Case(("mean", "members"), "every dataset counts alike, not every member; forums is the mean of 11 of 12",
         lambda: mean(FLAT, "forum03")),
    Case(("mean", "members"), "geometric mean of the members; the mean of 5 of 6: beta is missing",
         lambda: math.prod([value for name, value in {**SETS, "forums": mean(FORUMS)}.items()
                            if name != "beta"]) ** (1 / 5)),
    Case(("protocol", "mean"), "geometric",
         lambda: math.prod([value if isinstance(value, float) else mean(FORUMS)
                            for value in SKIPPED.values()]) ** (1 / 6)),
]  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.says)
def test_what_was_done_otherwise_is_named_first(case: Case) -> None:
    target = Target(value=round(case.value(), 6), decimals=6)
    found = explain_mean(OUTER, NDCG, target, queries=COUNTS, rules=lambda: {"mteb": SKIPPED}, parts=PARTS)
    first = found.causes[0]
    assert (first.axes, first.explains) == (case.axes, True), [one.says for one in found.causes]
    assert case.says in first.says
    assert first.value == pytest.approx(case.value(), abs=1e-9)


@pytest.mark.parametrize(
    ("members", "printed", "says"),
    [
        ({"a": 0.5116, "b": 0.5126}, 0.513, "3 digits first"),
        ({"a": 0.5129, "b": 0.5127}, 0.512, "is cut off"),
    ],
)
def test_rounding(members: dict[str, float], printed: float, says: str) -> None:
    found = explain_mean(members, NDCG, Target(value=printed, decimals=3))
    assert (found.causes[0].axes, found.causes[0].explains) == (("rounding",), True)
    assert says in found.causes[0].says


def test_members_are_scored_by_other_rules_only_where_nothing_else_explains() -> None:
    def never() -> dict[str, Mapping[str, float]]:
        raise AssertionError

    explain_mean(OUTER, NDCG, Target(value=outer("gamma")), rules=never)
    explain_mean(OUTER, NDCG, Target(value=outer()), rules=never)
    with pytest.raises(AssertionError):
        explain_mean(OUTER, NDCG, Target(value=0.9), rules=never)


@pytest.mark.parametrize("number", [0.98761, 0.01234, 0.71239])
def test_a_mean_that_nothing_makes(number: float) -> None:
    found = explain_mean(OUTER, NDCG, Target(value=number, decimals=5), queries=COUNTS, parts=PARTS)
    assert (found.explained, found.near) == (False, False)
    assert found.verdict.startswith("Nothing known explains")
    with pytest.raises(DataError):
        explain_mean({}, NDCG, Target(value=0.9))


def test_the_sums_can_be_done_by_hand() -> None:
    target = Target(value=round(mean(FLAT), 6), decimals=6)
    [ours, then, rest] = explain_mean(OUTER, NDCG, target).causes[0].arithmetic
    assert ours == f"ours: {outer() * 6:.6f} / 6 members = {outer():.6f}"
    assert then == f"then: {sum(FLAT.values()):.6f} / 17 members = {mean(FLAT):.6f}"
    assert rest.endswith("is left")


def against(theirs: Mapping[str, float]) -> Target:
    return Target(value=mean(theirs), says="theirs")


def test_one_member_that_differs_explains_the_whole_gap() -> None:
    theirs = {**SETS, "gamma": 0.5}
    found = explain_means(SETS, theirs, NDCG, against(theirs))
    assert (found.causes[0].axes, found.causes[0].explains) == (("gamma",), True)
    assert found.verdict == "Explained by gamma: 0.500000 there and 0.337900 here."


def test_several_members_each_make_a_part() -> None:
    theirs = {**SETS, "gamma": 0.5, "beta": 0.79}
    found = explain_means(SETS, theirs, NDCG, against(theirs))
    first, second, *_ = found.causes
    assert (first.axes, first.explains) == (("members",), True)
    assert first.says == "2 of 5 members differ: gamma +0.032420, beta -0.004460"
    assert second.axes == ("gamma",)
    assert not second.explains
    assert first.arithmetic[1].startswith(
        "gamma: 0.337900 here, 0.500000 there, which moves the mean of 5 by"
    )


def test_members_that_only_one_of_the_two_has() -> None:
    theirs = {name: value for name, value in SETS.items() if name != "beta"} | {"zeta": 0.1}
    [cause] = explain_means(SETS, theirs, NDCG, against(theirs)).causes
    assert (cause.axes, cause.explains) == (("members",), True)
    assert cause.says == "there is no beta there; there is no zeta here"


def test_two_means_that_are_one() -> None:
    assert explain_means(SETS, dict(SETS), NDCG, against(SETS)).verdict.startswith("There is no gap")
    other = {"eta": 0.1}
    [cause] = explain_means(SETS, other, NDCG, against(other)).causes
    assert "no arguana, beta" in cause.says
    with pytest.raises(DataError):
        explain_means(SETS, {}, NDCG, against(SETS))
