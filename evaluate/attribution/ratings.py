"""Several annotators' ratings: mean, spread, and how far they agree. Indicative, and marked so."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import combinations
from typing import Any

import msgspec


class Rating(msgspec.Struct, frozen=True):
    """What one annotator gave one record in one dimension."""

    annotator: str
    dimension: str
    score: float


class DimensionRatings(msgspec.Struct, frozen=True, kw_only=True):
    """The ratings of one dimension.

    Attributes:
        records: records rated.
        ratings: ratings of all of them.
        mean: of all ratings.
        spread: their standard deviation; None of fewer than two.
        same: share of pairs of annotators who gave one record the same; None without a pair.
        alpha: Krippendorff's alpha for interval data; None where nothing varies or nobody can be compared.
    """

    records: int
    ratings: int
    mean: float
    spread: float | None
    same: float | None
    alpha: float | None


class HumanRatings(msgspec.Struct, frozen=True, kw_only=True):
    """Ratings by dimension.

    Attributes:
        dimensions: by name, sorted.
        indicative: always true: the card calls its ratings indicative, and no ground truth.
    """

    dimensions: dict[str, DimensionRatings]
    indicative: bool = True


def ratings_of(given: Any) -> Iterator[Rating]:
    """The ratings of one record in any of the shapes they come in.

    The card names four annotators and five dimensions and shows no shape, so these are read: by dimension a
    list of scores; by dimension, or by annotator, an object of scores; a list with an object per annotator.
    Whether an object's keys are annotators or dimensions does not change a mean as long as they are used
    alike; outer keys that look like annotators (``annotator_1``, ``a1``, ``1``) are taken for such.

    Raises:
        ValueError: they have another shape, or a score is no number.
    """
    if isinstance(given, Mapping):
        for outer, inner in given.items():
            if isinstance(inner, Mapping):
                for key, score in inner.items():
                    pair = (outer, key) if _is_annotator(outer) else (key, outer)
                    yield Rating(str(pair[0]), str(pair[1]), _number(score))
            elif isinstance(inner, list):
                for place, score in enumerate(inner, 1):
                    yield Rating(str(place), str(outer), _number(score))
            else:
                raise ValueError(f"ratings of {outer!r} are neither a list nor an object")
    elif isinstance(given, list):
        for place, one in enumerate(given, 1):
            if not isinstance(one, Mapping):
                raise ValueError("a list of ratings holds something other than objects")
            name = str(one.get("annotator", one.get("annotator_id", place)))
            scores = one.get("scores", one.get("ratings", one))
            for key, score in scores.items():
                if key not in ("annotator", "annotator_id"):
                    yield Rating(name, str(key), _number(score))
    else:
        raise ValueError(f"ratings are {given!r}, neither a list nor an object")


def summarize_ratings(records: Iterable[Iterable[Rating]]) -> HumanRatings:
    """Mean, spread and agreement of each dimension, over records."""
    by_dimension: dict[str, list[list[float]]] = {}
    for record in records:
        units: dict[str, list[float]] = {}
        for rating in record:
            units.setdefault(rating.dimension, []).append(rating.score)
        for dimension, scores in units.items():
            by_dimension.setdefault(dimension, []).append(scores)
    return HumanRatings(dimensions={name: _summary(by_dimension[name]) for name in sorted(by_dimension)})


def _summary(units: list[list[float]]) -> DimensionRatings:
    from statistics import fmean, stdev

    scores = [score for unit in units for score in unit]
    pairs = [pair for unit in units for pair in combinations(unit, 2)]
    return DimensionRatings(
        records=len(units),
        ratings=len(scores),
        mean=fmean(scores),
        spread=stdev(scores) if len(scores) > 1 else None,
        same=fmean(a == b for a, b in pairs) if pairs else None,
        alpha=_alpha(units),
    )


def _alpha(units: list[list[float]]) -> float | None:
    """Krippendorff's alpha, 1 - observed / expected disagreement, with squared differences."""
    paired = [unit for unit in units if len(unit) > 1]
    scores = [score for unit in paired for score in unit]
    n = len(scores)
    if n < 2:
        return None
    observed = sum(
        2 * sum((a - b) ** 2 for a, b in combinations(unit, 2)) / (len(unit) - 1) for unit in paired
    )
    total, squares = sum(scores), sum(score * score for score in scores)
    expected = 2 * (n * squares - total * total)  # over ordered pairs of all scores
    if expected <= 0:
        return None
    return 1 - (observed / n) / (expected / (n * (n - 1)))


def _is_annotator(key: object) -> bool:
    text = str(key).lower()
    return text.startswith(("annotator", "rater", "judge")) or text.lstrip("ar").isdecimal()


def _number(score: object) -> float:
    if isinstance(score, bool) or not isinstance(score, int | float):
        raise ValueError(f"a score is {score!r}, which is no number")
    return float(score)
