"""What an explanation says: the gap, its causes in order, and what was not tried."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import msgspec

Kind = Literal["scoring", "run", "manifest", "published", "harmless"]
"""How a cause is known: the run was scored anew; another run has only this apart, and was scored; two
manifests differ in it; the very number is printed elsewhere; two manifests differ in what moves last digits
only."""


class Target(msgspec.Struct, frozen=True, kw_only=True):
    """The other number.

    Attributes:
        value: as a fraction.
        decimals: that it is printed with; None: it is exact, as of another result.
        says: what it is, for people.
        values: of each query, where it is of another result.
        facts: how it was made, as far as is known: a manifest's facts, or those that a source states.
        rules: which words of a cause its source states, by axis, such as ``{"self-match": "removed"}``.
        stated: what its source says of its making in words, by axis, such as ``analyzer``.
        notes: what else its source says of itself.
    """

    value: float
    decimals: int | None = None
    says: str = "the published number"
    values: Mapping[str, float] | None = None
    facts: Mapping[str, Any] | None = None
    rules: Mapping[str, str] = {}
    stated: Mapping[str, str] = {}
    notes: Mapping[str, str] = {}

    @property
    def tolerance(self) -> float:
        """What is no difference: half a unit of the last printed digit."""
        return 1e-9 if self.decimals is None else 0.5 * 10.0**-self.decimals + 1e-9

    @property
    def printed(self) -> str:
        """The number as it is printed."""
        return f"{self.value:.6f}" if self.decimals is None else f"{self.value:.{self.decimals}f}"


class Cause(msgspec.Struct, frozen=True, kw_only=True):
    """Something that may make the gap.

    Attributes:
        axes: what it is about; several where it takes several switches.
        says: what was done otherwise, for people.
        kind: how it is known.
        value: our number with it; None: that could not be computed.
        closes: share of the gap that it closes: 1 all of it, below 0 it widens; None: not measured.
        explains: whether nothing is left of the gap.
        alike: share of the queries whose value is then that of the other result; None: those are not known.
        arithmetic: the sum, line by line.
        stated: whether the other number's source says that it was done so.
    """

    axes: tuple[str, ...]
    says: str
    kind: Kind
    value: float | None = None
    closes: float | None = None
    explains: bool = False
    alike: float | None = None
    arithmetic: tuple[str, ...] = ()
    stated: bool = False

    @property
    def about(self) -> str:
        """Its axes in one word or several."""
        return " + ".join(self.axes)


class Explanation(msgspec.Struct, frozen=True, kw_only=True):
    """Why a number is another one.

    Attributes:
        measure: of our number.
        ours: our number, unrounded.
        target: the other number.
        verdict: the answer in a sentence or two.
        causes: the best first: those that explain the gap, then those that close most of it, then what
            differs and could not be measured.
        tried: how many scorings were compared.
        chance: how likely one of them meets a number that is no further from ours than the other number is.
        untested: what was not tried, and why.
    """

    measure: str
    ours: float
    target: Target
    verdict: str
    causes: tuple[Cause, ...]
    tried: int
    chance: float
    untested: dict[str, str]

    @property
    def gap(self) -> float:
        """The other number minus ours."""
        return self.target.value - self.ours

    @property
    def explained(self) -> bool:
        """Whether some cause leaves nothing of the gap, or there is none."""
        return abs(self.gap) <= self.target.tolerance or any(cause.explains for cause in self.causes)

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        facts: dict[str, Any] = msgspec.to_builtins(self)
        facts["target"] = {
            "value": self.target.value,
            "decimals": self.target.decimals,
            "says": self.target.says,
            "notes": dict(self.target.notes),
        }
        return {**facts, "gap": self.gap, "explained": self.explained}


def closed(ours: float, then: float, target: Target) -> tuple[float, bool]:
    """The share of a gap that another number closes, and whether nothing is left of it."""
    gap, left = target.value - ours, target.value - then
    explains = abs(left) <= target.tolerance
    if gap == 0:
        return float(explains), explains
    return 1 - abs(left) / abs(gap), explains
