"""What the mean scores of one system on one set of queries cannot be beside each other.

Every bound follows from the definitions of the measures, query by query, and so holds for their means. For a
list of which k results count:

- recall, hit rate, average precision and reciprocal rank do not fall as k grows;
- no measure is above the hit rate, and average precision is not above recall;
- a query with a hit has a reciprocal rank of 1/k or more, and without one no measure is above 0: the mean
  reciprocal rank is at least a k-th of any other measure;
- a first hit at rank r gains 1/log2(r + 1) or more, which is 1/r or more, and the ideal list at most the
  highest grade, taken for 4, times the sum of 1/log2(i + 1) up to k: nDCG is at least the mean reciprocal
  rank divided by that;
- with N queries and J relevant judgments, at least h * N queries have a hit where a measure has the mean h.
  Each of them has a recall of 1/R or more, R its number of relevant documents, and the sum of 1/R over them
  is at least (h * N)^2 / J (Cauchy and Schwarz): recall is at least h^2 * N / J. Likewise average precision,
  with the mean reciprocal rank for h.

mteb computes reciprocal ranks by itself, with another order of equal scores than that of pytrec_eval, which
computes the rest: between the two a bound holds only where there are few ties.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from beirkit.evaluate.exports.mteb_facts import Size

_NAME = re.compile(r"(ndcg|map|recall|precision|mrr|hit_rate)_at_(\d+)")
_HIGHEST_GRADE = 4
_RISING = ("recall", "hit_rate", "map", "mrr")


class Contradiction(NamedTuple):
    """A score that is too low beside another.

    Attributes:
        name: mteb's name of the score that is too low.
        least: what it is at least.
        other: the score from which that follows.
    """

    name: str
    least: float
    other: str


def contradictions(
    values: Mapping[str, float], size: Size | None, *, tolerance: float, with_ties: float = 0.0
) -> Iterator[Contradiction]:
    """Scores that cannot stand beside each other, each told once, with the bound that it misses by most.

    Args:
        values: fractions by mteb's names; names of other measures are passed over.
        size: of the split; None: nothing is known of it.
        tolerance: how far rounding may bring a score below its bound.
        with_ties: what is taken of a bound between reciprocal rank and another measure, from 0 (they are not
            compared) to 1.
    """
    parsed = {name: (match[1], int(match[2])) for name in values if (match := _NAME.fullmatch(name))}
    for name, (family, k) in parsed.items():
        found = [
            Contradiction(name, least, other)
            for other, (of, depth) in parsed.items()
            if (least := _least(family, k, of, depth, values[other], size, with_ties))
            > values[name] + tolerance
        ]
        if found:
            yield max(found, key=lambda one: one.least)


def _least(
    family: str, k: int, of: str, depth: int, value: float, size: Size | None, with_ties: float
) -> float:
    """The least that a measure at k can be where another, at another depth, has a value; 0: anything."""
    if depth > k or (family == of and family not in _RISING):
        return 0.0
    if family == of:
        return value
    share = with_ties if "mrr" in (family, of) else 1.0
    if family == "hit_rate" or (family, of) == ("recall", "map"):
        return share * value
    bound = value / depth if family == "mrr" else 0.0
    if (family, of) == ("ndcg", "mrr"):
        bound = value / (_HIGHEST_GRADE * math.fsum(1 / math.log2(rank + 1) for rank in range(1, k + 1)))
    if (family == "recall" or (family, of) == ("map", "mrr")) and size is not None and size.queries:
        bound = value * value * size.queries / max(size.judgments, 1)
    return share * bound
