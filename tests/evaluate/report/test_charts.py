"""Where the marks of charts stand, and which points are the Pareto front."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from beirkit.evaluate.report.charts import (
    WIDTH,
    Chart,
    Deltas,
    Point,
    Spread,
    deltas,
    front,
    intervals,
    tradeoff,
)

POINTS = st.lists(
    st.tuples(st.floats(0.01, 1e6), st.sampled_from([0.1, 0.2, 0.3, 0.4])), min_size=1, max_size=20
).map(lambda rows: [Point(number, f"s{number}", *row) for number, row in enumerate(rows, 1)])


def beats(one: Point, other: Point) -> bool:
    better = one.quality >= other.quality and one.cost <= other.cost
    return better and (one.quality, one.cost) != (other.quality, other.cost)


def inside(chart: Chart) -> bool:
    places = [(mark.x, mark.y) for mark in chart.marks] + [p for line in chart.lines for p in line.points]
    return all(0 <= x <= WIDTH and 0 <= y <= chart.height for x, y in places)


@given(POINTS)
def test_the_front_is_what_no_other_point_beats(points: list[Point]) -> None:
    wanted = {one.number for one in points if not any(beats(other, one) for other in points)}
    assert {one.number for one in front(points)} == wanted


@given(POINTS)
def test_points_stand_inside_dearer_ones_to_the_right_better_ones_above(points: list[Point]) -> None:
    chart = tradeoff("c", "t", "ms", "nDCG@10", points)
    assert inside(chart)
    at = {int(mark.about.split()[0]): mark for mark in chart.marks}
    for one, other in itertools.combinations(points, 2):
        left, right = at[one.number], at[other.number]
        assert (left.x - right.x) * (one.cost - other.cost) >= -1e-6
        assert (left.y - right.y) * (one.quality - other.quality) <= 1e-6
    diamonds = {number for number, mark in at.items() if mark.style == "diamond"}
    assert diamonds == {one.number for one in front(points)}


def test_an_interval_reaches_from_end_to_end_with_its_mean_between() -> None:
    rows = [Spread("bm25", 0.4, (0.3, 0.5), "0.4"), Spread("minilm", 0.6, None, "0.6")]
    chart = intervals("c", "t", rows)
    assert inside(chart)
    [reach] = [
        line for line in chart.lines if line.style == "reach" and line.points[0][1] == line.points[1][1]
    ]
    low, high = (x for x, _ in reach.points)
    assert chart.marks[0].x == pytest.approx((low + high) / 2)
    assert chart.marks[1].x > high
    assert "bm25: 0.4; minilm: 0.6" in chart.about


@pytest.mark.parametrize("values", [[0.0], [0.5, -0.2, 0.0], [0.1] * 500, [-1.0] * 3])
def test_wins_are_above_the_line_and_losses_below(values: list[float]) -> None:
    chart = deltas("c", "t", "bm25", [Deltas("minilm", values, "1/1/1")])
    assert inside(chart)
    [zero] = [line.points[0][1] for line in chart.lines if line.style == "zero"]
    wins = [y for line in chart.lines if line.style == "win" for _, y in line.points]
    losses = [y for line in chart.lines if line.style == "loss" for _, y in line.points]
    assert all(y <= zero for y in wins)
    assert all(y >= zero for y in losses)
    assert bool(wins) == any(value > 0 for value in values)
    assert bool(losses) == any(value < 0 for value in values)


def test_equal_means_have_an_axis_too() -> None:
    assert inside(intervals("c", "t", [Spread("a", 0.5, (0.5, 0.5), ""), Spread("b", 0.5, (0.5, 0.5), "")]))
