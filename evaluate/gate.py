"""A bound that a difference to the baseline must not fall below: ``nDCG@10 >= -0.01``."""

from __future__ import annotations

import math
import re

import msgspec

from beirkit.corpora.errors import BeirkitError, UsageError
from beirkit.evaluate.measures import Measure
from beirkit.evaluate.pairs import Comparison

# Equals signs stand inside a measure too: AP(rel=2)@10.
_FORM = re.compile(
    r"\s*(?P<measure>[^<>=!(\s][^<>=!(]*(?:\([^)]*\)[^<>=!(]*)?)(?P<sign>>=|=>|>|<=|<|==?|!=)"
    r"\s*(?P<bound>[^<>=!\s].*?)\s*",
    re.DOTALL,
)
_HINT = "write MEASURE >= NUMBER, such as 'nDCG@10 >= -0.01'"


class Gate(msgspec.Struct, frozen=True, kw_only=True):
    """What must hold: even the lower end of the interval of the difference reaches the bound.

    Attributes:
        measure: whose difference it is.
        bound: the least that is let through, in the measure's own units.
    """

    measure: Measure
    bound: float

    @classmethod
    def parse(cls, text: str) -> Gate:
        """Read ``MEASURE >= NUMBER``; the measure in any spelling.

        Raises:
            UsageError: it has another form, no such measure, or a bound that no difference of means can have;
                says which and how to write it.
        """
        match = _FORM.fullmatch(text)
        if match is None:
            raise UsageError(f"the gate {text!r} cannot be read", hint=_HINT)
        if match["sign"] != ">=":
            raise UsageError(f"the gate {text!r} has {match['sign']!r} where only >= is known", hint=_HINT)
        try:
            measure = Measure.parse(match["measure"].strip())
        except BeirkitError as error:
            raise UsageError(f"the gate {text!r}: {error.found}", hint=error.hint or _HINT) from error
        try:
            bound = float(match["bound"])
        except ValueError:
            raise UsageError(f"the gate {text!r}: {match['bound']!r} is no number", hint=_HINT) from None
        if not math.isfinite(bound) or (measure.about.bounded and abs(bound) > 1):
            raise UsageError(
                f"the gate {text!r}: differences lie between -1 and 1, the bound at {match['bound']}",
                hint="a hundredth is 0.01",
            )
        return cls(measure=measure, bound=bound)

    def __str__(self) -> str:
        return f"{self.measure} >= {self.bound:g}"

    def holds(self, row: Comparison) -> bool:
        """Whether a comparison with the baseline passes; one without an interval does not."""
        return row.interval is not None and row.interval[0] >= self.bound

    def told(self, row: Comparison, digits: int = 4) -> str:
        """What was found, in words."""
        name = f"{row.system} against {row.other}"
        if row.interval is None:
            return f"{name}: no interval ({row.note or 'nothing to draw from'})"
        low, high = row.interval
        where = "reaches" if self.holds(row) else "falls below"
        return (
            f"{name}: {row.difference:+.{digits}f} [{low:.{digits}f}, {high:.{digits}f}], whose lower end "
            f"{where} {self.bound:g}"
        )
