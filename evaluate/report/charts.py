"""Charts as lines, shapes and words at places: geometry only, which a template draws as SVG.

Nothing is told by colour alone: intervals have figures beside them, points have shapes and numbers, wins and
losses lie on two sides of a line. All lengths are in units of the drawing, whose width is :data:`WIDTH`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

WIDTH = 760
_ROW = 24
_LETTER = 8.0  # of the drawing's type, on the wide side
_LABELS = 240


@dataclass(frozen=True)
class Line:
    """A line through points; closed and filled where it is an ``area``."""

    points: tuple[tuple[float, float], ...]
    style: str

    @property
    def path(self) -> str:
        """As SVG writes it."""
        return " ".join(f"{x:.1f},{y:.1f}" for x, y in self.points)


@dataclass(frozen=True)
class Mark:
    """A shape at a place: ``dot``, ``ring``, ``diamond``."""

    x: float
    y: float
    style: str
    about: str = ""


@dataclass(frozen=True)
class Words:
    """Words at a place, which begin, end or are centred there."""

    x: float
    y: float
    text: str
    anchor: str = "start"
    style: str = "label"


@dataclass(frozen=True)
class Chart:
    """A drawing.

    Attributes:
        name: of the chart, once in a page; letters, digits and ``-``.
        title: what it shows.
        about: the same told in words, for those who do not see it.
        height: of the drawing.
        lines: drawn first.
        marks: drawn over them.
        words: drawn last.
    """

    kind: ClassVar[str] = "chart"
    name: str
    title: str
    about: str
    height: float
    lines: tuple[Line, ...] = ()
    marks: tuple[Mark, ...] = ()
    words: tuple[Words, ...] = ()
    width: float = WIDTH


@dataclass(frozen=True)
class Spread:
    """A mean with its interval.

    Attributes:
        name: whose it is.
        mean: the point.
        interval: both ends; None: there is none.
        figures: the same as text.
    """

    name: str
    mean: float
    interval: tuple[float, float] | None
    figures: str


@dataclass(frozen=True)
class Point:
    """A system by what it costs and what it is worth.

    Attributes:
        number: as a table beside the chart has it.
        name: of the system.
        cost: less is better; above 0.
        quality: more is better.
    """

    number: int
    name: str
    cost: float
    quality: float


@dataclass(frozen=True)
class Deltas:
    """One system against another, query by query.

    Attributes:
        name: of the system.
        differences: of each query.
        told: wins, ties and losses as text.
    """

    name: str
    differences: Sequence[float]
    told: str


@dataclass
class _Drawing:
    lines: list[Line] = field(default_factory=list)
    marks: list[Mark] = field(default_factory=list)
    words: list[Words] = field(default_factory=list)

    def line(self, style: str, *points: tuple[float, float]) -> None:
        self.lines.append(Line(points, style))

    def mark(self, x: float, y: float, style: str, about: str = "") -> None:
        self.marks.append(Mark(x, y, style, about))

    def say(self, x: float, y: float, text: str, anchor: str = "start", style: str = "label") -> None:
        self.words.append(Words(x, y, text, anchor, style))

    def chart(self, name: str, title: str, about: str, height: float) -> Chart:
        return Chart(name, title, about, height, tuple(self.lines), tuple(self.marks), tuple(self.words))


def intervals(name: str, title: str, rows: Sequence[Spread], *, digits: int = 2) -> Chart:
    """Means as points on their intervals, one row each, figures beside them.

    Args:
        name: of the chart.
        title: what it shows.
        rows: in the order in which they are drawn.
        digits: decimals on the axis, or more where its ticks need them.
    """
    drawing = _Drawing()
    ends = [end for row in rows for end in (row.interval or (row.mean, row.mean))]
    left = min(_LABELS, max((len(row.name) for row in rows), default=0) * _LETTER) + 14
    right = WIDTH - max((len(row.figures) for row in rows), default=0) * _LETTER - 14
    low, high, ticks = _axis(min(ends, default=0.0), max(ends, default=1.0))
    bottom = len(rows) * _ROW + 10

    def x(value: float) -> float:
        return left + (value - low) / (high - low) * (right - left)

    for tick in ticks:
        drawing.line("grid", (x(tick), 4), (x(tick), bottom))
        drawing.say(x(tick), bottom + 16, f"{tick:.{max(digits, _digits(ticks))}f}", "middle", "axis")
    for place, row in enumerate(rows):
        y = place * _ROW + 18
        drawing.say(0, y + 4, _short(row.name, left), "start")
        if row.interval is not None:
            start, end = x(row.interval[0]), x(row.interval[1])
            drawing.line("reach", (start, y), (end, y))
            drawing.line("reach", (start, y - 4), (start, y + 4))
            drawing.line("reach", (end, y - 4), (end, y + 4))
        drawing.mark(x(row.mean), y, "dot", f"{row.name}: {row.figures}")
        drawing.say(WIDTH, y + 4, row.figures, "end", "figure")
    about = "; ".join(f"{row.name}: {row.figures}" for row in rows)
    return drawing.chart(name, title, about, bottom + 24)


def front(points: Sequence[Point]) -> list[Point]:
    """The Pareto front: points that no other one beats in cost without loss in quality, cheapest first."""
    found: list[Point] = []
    for point in sorted(points, key=lambda one: (one.cost, -one.quality, one.name)):
        if (
            not found
            or point.quality > found[-1].quality
            or (point.quality == found[-1].quality and point.cost == found[-1].cost)
        ):
            found.append(point)
    return found


def tradeoff(name: str, title: str, cost: str, quality: str, points: Sequence[Point]) -> Chart:
    """Quality over cost on a logarithmic axis, the Pareto front as diamonds on a line.

    Args:
        name: of the chart.
        title: what it shows.
        cost: what the horizontal axis is, with its unit.
        quality: what the vertical axis is.
        points: at least one.
    """
    drawing = _Drawing()
    best = front(points)
    left, right, top, bottom = 64.0, WIDTH - 16.0, 26.0, 330.0
    low, high, ticks = _axis(min(p.quality for p in points), max(p.quality for p in points))
    costs = [math.log10(point.cost) for point in points]
    first, last = math.floor(min(costs) * 2 - 0.2) / 2, math.ceil(max(costs) * 2 + 0.2) / 2

    def x(value: float) -> float:
        return left + (math.log10(value) - first) / (last - first) * (right - left)

    def y(value: float) -> float:
        return bottom - (value - low) / (high - low) * (bottom - top)

    for tick in ticks:
        drawing.line("grid", (left, y(tick)), (right, y(tick)))
        drawing.say(left - 8, y(tick) + 4, f"{tick:.{_digits(ticks)}f}", "end", "axis")
    for tenth in _decades(first, last):
        drawing.line("grid", (x(tenth), top), (x(tenth), bottom))
        drawing.say(x(tenth), bottom + 18, _plain(tenth), "middle", "axis")
    drawing.say((left + right) / 2, bottom + 38, f"{cost} (logarithmic, less is better)", "middle", "axis")
    drawing.say(0, 12, quality, "start", "axis")
    steps: list[tuple[float, float]] = []
    for point in best:
        steps += [(x(point.cost), steps[-1][1])] if steps else []
        steps.append((x(point.cost), y(point.quality)))
    drawing.line("front", *steps)
    taken = [(x(point.cost) - 6, y(point.quality) + 4, 12.0) for point in points]  # by marks, then labels
    for point in [*best, *(one for one in points if one not in best)]:
        on_front = point in best
        label = f"{point.number} {point.name}" if on_front or len(points) <= 8 else str(point.number)
        at = (x(point.cost), y(point.quality))
        drawing.mark(*at, "diamond" if on_front else "ring", f"{point.number} {point.name}")
        _beside(drawing, at, _short(label, 220), taken, (left, right, top, bottom))
    told = "; ".join(f"{one.number} {one.name}: {_plain(one.cost)}, {one.quality:.4f}" for one in points)
    named = ", ".join(one.name for one in best)
    return drawing.chart(name, title, f"On the Pareto front: {named}. All: {told}.", bottom + 46)


def deltas(name: str, title: str, baseline: str, rows: Sequence[Deltas], *, most: int = 80) -> Chart:
    """Differences to a baseline, sorted, one strip per system: above the line it wins, below it loses.

    Args:
        name: of the chart.
        title: what it shows.
        baseline: what all are compared with.
        rows: one strip each.
        most: points of a strip; of more queries quantiles are drawn.
    """
    drawing = _Drawing()
    strip, left = 50, min(_LABELS, max((len(row.name) for row in rows), default=0) * _LETTER) + 14
    right = WIDTH - max((len(row.told) for row in rows), default=0) * _LETTER - 14
    reach = max((abs(value) for row in rows for value in row.differences), default=0.0) or 1.0
    for place, row in enumerate(rows):
        zero = place * strip + 30
        values = _quantiles(sorted(row.differences, reverse=True), most)
        width = (right - left) / max(1, len(values))
        for style, sign in (("win", 1), ("loss", -1)):
            chosen = [(i, v) for i, v in enumerate(values) if v * sign > 0]
            if chosen:
                tops = [
                    (left + (i + side) * width, zero - v / reach * 20) for i, v in chosen for side in (0, 1)
                ]
                drawing.line(style, (tops[0][0], zero), *tops, (tops[-1][0], zero))
        drawing.line("zero", (left, zero), (right, zero))
        drawing.say(0, zero + 4, _short(row.name, left))
        drawing.say(WIDTH, zero + 4, row.told, "end", "figure")
    about = f"Against {baseline}, better/same/worse: " + "; ".join(f"{one.name} {one.told}" for one in rows)
    return drawing.chart(name, title, about, len(rows) * strip + 12)


def _quantiles(values: Sequence[float], most: int) -> list[float]:
    if len(values) <= most:
        return list(values)
    last = len(values) - 1
    return [values[round(i * last / (most - 1))] for i in range(most)]


def _axis(low: float, high: float) -> tuple[float, float, list[float]]:
    """Ends and ticks that are round numbers."""
    if high - low < 1e-9:
        low, high = low - 0.05, high + 0.05
    step = 10 ** math.floor(math.log10((high - low) / 4))
    step *= next(one for one in (1, 2, 5, 10) if (high - low) / (one * step) <= 6)
    start, end = math.floor(low / step), math.ceil(high / step)
    return start * step, end * step, [place * step for place in range(start, end + 1)]


def _digits(ticks: Sequence[float]) -> int:
    return max(0, min(6, -math.floor(math.log10(ticks[1] - ticks[0]) + 1e-9)))


def _decades(first: float, last: float) -> list[float]:
    """1, 10, 100, with 3, 30, 300 between where there is room."""
    whole = [10.0**power for power in range(math.ceil(first), math.floor(last) + 1)]
    if last - first > 4:
        return whole
    between = [3 * 10.0**power for power in range(math.floor(first), math.ceil(last))]
    return sorted([*whole, *(one for one in between if first <= math.log10(one) <= last)])


def _plain(value: float) -> str:
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= size:
            return f"{value / size:.3g} {letter}"
    return f"{value:.3g}"


def _beside(
    drawing: _Drawing,
    at: tuple[float, float],
    label: str,
    taken: list[tuple[float, float, float]],
    inside: tuple[float, float, float, float],
) -> None:
    """Put a label where no other one is, below to the right first, for there no line of the front runs."""
    left, right, top, bottom = inside
    width = len(label) * _LETTER
    choices = [(7.0, 18.0, "start"), (-7.0, -8.0, "end"), (10.0, 4.0, "start"), (-10.0, 4.0, "end")]
    boxes = []
    for across, down, anchor in choices:
        x, y = at[0] + across, at[1] + down
        begin = x if anchor == "start" else x - width if anchor == "end" else x - width / 2
        boxes.append((begin, y, x, anchor))
    free = [
        box
        for box in boxes
        if left <= box[0]
        and box[0] + width <= right + 8
        and top - 8 <= box[1] <= bottom + 4
        and all(box[0] > b + w or b > box[0] + width or abs(box[1] - y) > 13 for b, y, w in taken)
    ]
    begin, y, x, anchor = (free or boxes)[0]
    taken.append((begin, y, width))
    drawing.say(x, y, label, anchor)


def _short(text: str, room: float) -> str:
    """A name cut to the room there is; the table beside has it whole."""
    most = max(4, int(room / _LETTER))
    return text if len(text) <= most else text[: most - 1] + "…"
