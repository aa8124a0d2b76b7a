"""What an explanation says: the gap, its causes in order, and what was not tried."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypedDict

import msgspec

Kind = Literal["scoring", "run", "manifest", "published", "harmless"]
"""How a cause is known: the run was scored anew; another run has only this apart, and was scored; two
manifests differ in it; the very number is printed elsewhere; two manifests differ in what moves last digits
only."""

LAST_DIGITS = 5e-4
"""How far other processors, batches and versions move a mean at most, as measured over small encoders."""

_ONE_OFF = 1.5  # units of the last printed digit: what prints one unit off may be so far from what is printed
_PART = 0.25  # of a gap: what leaves more of it is not near, however fine the digits are


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
        reading: how it was read, where it can be read in two ways.
        protocol: by whose rules it was scored, where that is known; empty: it is not.
    """

    value: float
    decimals: int | None = None
    says: str = "the published number"
    values: Mapping[str, float] | None = None
    facts: Mapping[str, Any] | None = None
    rules: Mapping[str, str] = {}
    stated: Mapping[str, str] = {}
    notes: Mapping[str, str] = {}
    reading: str = ""
    protocol: str = ""

    @property
    def tolerance(self) -> float:
        """What is no difference: half a unit of the last printed digit."""
        return 1e-9 if self.decimals is None else 0.5 * 10.0**-self.decimals + 1e-9

    @property
    def reach(self) -> float:
        """How far a number may be from it and still come near.

        It then prints one unit of the last digit off, or is off by what machines and versions do to an exact
        number.
        """
        return LAST_DIGITS if self.decimals is None else _ONE_OFF * 10.0**-self.decimals + 1e-9

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
        leaves: what is left of it: the other number minus ours with it; None: not measured.
        near: whether that is little: a unit of the last printed digit, and a quarter of the gap at most.
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
    leaves: float | None = None
    near: bool = False
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

    @property
    def near(self) -> bool:
        """Whether nothing explains it, and some cause comes near."""
        return not self.explained and any(cause.near for cause in self.causes)

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        facts: dict[str, Any] = msgspec.to_builtins(self)
        facts["target"] = {
            "value": self.target.value,
            "decimals": self.target.decimals,
            "says": self.target.says,
            "reading": self.target.reading,
            "notes": dict(self.target.notes),
        }
        return {**facts, "gap": self.gap, "explained": self.explained, "near": self.near}


class Closing(TypedDict):
    """What another number makes of a gap, as :class:`Cause` has it."""

    closes: float
    leaves: float
    explains: bool
    near: bool


def closing(
    ours: float, then: float, target: Target, *, alike: float | None = None, before: float = 0.0
) -> Closing:
    """What another number makes of a gap.

    Args:
        ours: our number.
        then: what it becomes.
        target: the other one.
        alike: the share of queries whose value is then the other's; None: those are not known.
        before: the same of our number. A mean that comes nearer while no more queries agree does so by
            chance, and so does one that is equal while some query is not.
    """
    gap, left = target.value - ours, target.value - then
    explains = abs(left) <= target.tolerance
    little = abs(left) <= target.reach and abs(left) <= _PART * abs(gap)
    near = little and not explains and (alike is None or alike > before)
    share = float(explains) if gap == 0 else 1 - abs(left) / abs(gap)
    return Closing(closes=share, leaves=left, explains=explains and alike in (None, 1.0), near=near)
