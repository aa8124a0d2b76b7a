"""How far one query's score could move, were the unjudged documents that it found judged.

An unjudged document in the lists that are compared may have any grade from 0 to the highest. Were it
relevant, it would count as found, and in nDCG, recall and AP among the documents that ought to be found as
well: such a score can fall by it too. What no list holds stays not relevant.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from beirkit.evaluate.measures import Measure

Floats = npt.NDArray[np.float64]


class Found(NamedTuple):
    """What a list holds of one query, down to where the measure looks.

    Attributes:
        graded: ``(place, grade)`` of the judged results, places from 0.
        unjudged: the place of each result without a judgment.
    """

    graded: list[tuple[int, int]]
    unjudged: dict[str, int]

    @classmethod
    def of(cls, doc_ids: Sequence[str], judgments: Mapping[str, int]) -> Found:
        """Tell the judged documents of a list from the others."""
        graded = [(place, judgments[d]) for place, d in enumerate(doc_ids) if d in judgments]
        return cls(graded, {d: place for place, d in enumerate(doc_ids) if d not in judgments})


NOTHING = Found([], {})

_NEVER = 1 << 60  # the place of what is not found


def greatest_difference(
    measure: Measure, judgments: Mapping[str, int], ours: Found, theirs: Found, highest: int
) -> float:
    """The most by which the score of one list could exceed the other's, whatever the unjudged are.

    Beside :data:`NOTHING` it is the highest score of the list itself, and with both turned round the negative
    of the lowest.

    Args:
        measure: one of :data:`FAMILIES`.
        judgments: of the query.
        ours: the list that should be ahead.
        theirs: the other one.
        highest: the highest grade there is; where a measure asks whether a document is relevant, any unjudged
            one may be.
    """
    return FAMILIES[measure.family](measure, judgments, ours, theirs, highest)


def _weights(ours: Found, theirs: Found, discount: Callable[[int], float]) -> Floats:
    """What each unjudged document adds to the difference where it is relevant, the largest first."""
    found = [
        (discount(ours.unjudged[d]) if d in ours.unjudged else 0.0)
        - (discount(theirs.unjudged[d]) if d in theirs.unjudged else 0.0)
        for d in ours.unjudged.keys() | theirs.unjudged.keys()
    ]
    return np.sort(np.array(found, dtype=np.float64))[::-1]


def _gain(measure: Measure, judgments: Mapping[str, int], ours: Found, theirs: Found, highest: int) -> float:
    """nDCG: a document of grade g is one of gain 1 on each of g levels, and each level has its own ideal."""
    levels = np.arange(1, highest + 1)
    steps = np.exp2(levels - 1) if measure.family == "nDCG_exp" else np.ones(highest)
    gains = np.concatenate(([0.0], np.cumsum(steps)))
    weights = _weights(ours, theirs, _discount)
    grades = np.array(list(judgments.values()))
    held = np.array([(grades >= level).sum() for level in levels], dtype=np.int64)
    counts = held[:, None] + np.arange(len(weights) + 1)
    if measure.cutoff is not None:
        counts = np.minimum(counts, measure.cutoff)
    ideals = np.concatenate(([0.0], np.cumsum(1 / np.log2(np.arange(counts.max()) + 2.0))))[counts]
    reached = sum(gains[max(grade, 0)] * _discount(place) for place, grade in ours.graded)
    reached -= sum(gains[max(grade, 0)] * _discount(place) for place, grade in theirs.graded)
    return _greatest_ratio(float(reached), weights, ideals, steps)


@cache
def _discount(place: int) -> float:
    return float(1 / np.log2(place + 2))


def _share(measure: Measure, judgments: Mapping[str, int], ours: Found, theirs: Found, highest: int) -> float:
    """P and R: relevant results, divided by the cut-off or by all relevant documents."""
    weights = _weights(ours, theirs, lambda place: 1.0)
    if measure.family == "P":
        whole = np.full(len(weights) + 1, float(measure.cutoff or 1))
    else:
        whole = sum(g >= measure.level for g in judgments.values()) + np.arange(len(weights) + 1.0)
    hits = len(_relevant(ours, measure)) - len(_relevant(theirs, measure))
    return _greatest_ratio(float(hits), weights, whole[None], np.ones(1))


def _first(measure: Measure, judgments: Mapping[str, int], ours: Found, theirs: Found, highest: int) -> float:
    """RR and Success: of several documents that turn out relevant only the best placed one counts.

    So one at most is turned at a time.
    """
    best = min(_relevant(ours, measure), default=_NEVER)
    other = min(_relevant(theirs, measure), default=_NEVER)

    def value(place: int) -> float:
        if place == _NEVER:
            return 0.0
        return 1 / (place + 1) if measure.family == "RR" else 1.0

    turned = [(place, theirs.unjudged.get(d, _NEVER)) for d, place in ours.unjudged.items()]
    return max(value(min(best, a)) - value(min(other, b)) for a, b in [(_NEVER, _NEVER), *turned])


def _average_precision(
    measure: Measure, judgments: Mapping[str, int], ours: Found, theirs: Found, highest: int
) -> float:
    """AP: the highest of one list minus the lowest of the other, which no single set of grades may give."""
    relevant = sum(g >= measure.level for g in judgments.values())
    ours_alone = len(ours.unjudged.keys() - theirs.unjudged.keys())
    high = _ap(_relevant(ours, measure), sorted(ours.unjudged.values()), relevant).max()
    places = sorted(theirs.unjudged.values(), reverse=True)
    low = _ap(_relevant(theirs, measure), places, relevant + ours_alone).min()
    return float(high - low)


def _ap(relevant: Sequence[int], turned: Sequence[int], whole: int) -> Floats:
    """AP with the first 0, 1, … all of ``turned`` relevant too, where ``whole`` documents were before."""
    depth = 1 + max((*relevant, *turned), default=0)
    hits = np.zeros((len(turned) + 1, depth), dtype=bool)
    hits[:, list(relevant)] = True
    for count, place in enumerate(turned, 1):
        hits[count:, place] = True
    precision = np.cumsum(hits, axis=1) / np.arange(1, depth + 1)
    summed = np.where(hits, precision, 0.0).sum(axis=1)
    found: Floats = summed / np.maximum(whole + np.arange(len(turned) + 1), 1)
    return found


def _relevant(found: Found, measure: Measure) -> list[int]:
    return [place for place, grade in found.graded if grade >= measure.level]


def _greatest_ratio(reached: float, weights: Floats, wholes: Floats, steps: Floats) -> float:
    """The greatest ``(reached + Σ steps·gained) / Σ steps·wholes`` over how many documents reach each level.

    With all of them at the highest grade or at none, every count can be tried. That is enough with a single
    level, and where nothing above 0 can be reached: the ratio is then convex in the grades. Else it is found
    by Dinkelbach's method, in which each level is on its own; the best counts fall from level to level by
    themselves, since an ideal grows the less the more documents it already has.

    Args:
        reached: the difference that is judged already.
        weights: ``(n,)`` what each document adds to it on one level, descending.
        wholes: ``(levels, n + 1)`` what each level is divided by, for 0 … n more relevant documents.
        steps: ``(levels,)`` gain of one level more.
    """
    gained = np.concatenate(([0.0], np.cumsum(weights)))
    above = reached + steps.sum() * gained
    below = steps @ wholes
    tried = np.divide(above, below, out=np.zeros_like(above), where=below > 0)
    best = float(tried.max())
    if len(steps) == 1 or above.max() <= 0:
        return best
    while True:
        counts = np.argmax(gained - best * wholes, axis=1)
        whole = float(steps @ np.take_along_axis(wholes, counts[:, None], axis=1)[:, 0])
        found = (reached + float(steps @ gained[counts])) / whole if whole > 0 else 0.0
        if found <= best + 1e-12:
            return max(best, found)
        best = found


FAMILIES: dict[str, Callable[[Measure, Mapping[str, int], Found, Found, int], float]] = {
    "nDCG": _gain,
    "nDCG_exp": _gain,
    "P": _share,
    "R": _share,
    "RR": _first,
    "Success": _first,
    "AP": _average_precision,
}
"""Families of measures whose bounds are known."""
