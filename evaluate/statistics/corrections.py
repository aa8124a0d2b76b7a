"""P-values of several tests, adjusted for their number."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

Correction = Literal["holm", "bh", "none"]


def holm(p_values: Sequence[float]) -> list[float]:
    """P-values adjusted so that the chance of any false finding stays below the level (Holm 1979)."""
    adjusted, highest = [0.0] * len(p_values), 0.0
    for rank, index in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        highest = max(highest, min(1.0, (len(p_values) - rank) * p_values[index]))
        adjusted[index] = highest
    return adjusted


def benjamini_hochberg(p_values: Sequence[float]) -> list[float]:
    """P-values adjusted to bound the share of false findings (Benjamini and Hochberg 1995)."""
    from scipy import stats

    if not p_values:
        return []
    found: list[float] = stats.false_discovery_control(p_values, method="bh").tolist()
    return found


CORRECTIONS: dict[Correction, Callable[[Sequence[float]], list[float]]] = {
    "holm": holm,
    "bh": benjamini_hochberg,
    "none": list,
}
