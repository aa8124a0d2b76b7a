"""Means over suites: every member counts the same, a suite inside a suite as one, and none may be missing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from beirkit.configs.suites import SuiteNode


@dataclass(frozen=True)
class SuiteMean:
    """The mean of a suite, or what it lacks.

    Attributes:
        suite: its name.
        value: the unweighted mean over its members; None where one is missing or has no value.
        members: how many members the suite has.
        there: how many of them have a value.
        missing: the datasets without one, in the suite's order.
    """

    suite: str
    value: float | None
    members: int
    there: int
    missing: tuple[str, ...]

    def __str__(self) -> str:
        """What stands in place of a value where members are missing."""
        if not self.missing:
            return f"{self.members} of {self.members}"
        shown = ", ".join(self.missing[:3]) + (" …" if len(self.missing) > 3 else "")
        return f"incomplete: {self.there} of {self.members}, missing {shown}"


def suite_mean(suite: SuiteNode, values: Mapping[str, float | None]) -> SuiteMean:
    """The mean of a suite over unrounded values; CQADupStack's twelve forums are one member of BEIR.

    Args:
        suite: the suite, its leaves named as in ``values``.
        values: the value of each dataset; None or absent: it has none.

    Returns:
        the mean with n, or without a value and with what is missing: never the mean of a part.
    """
    found: list[float] = []
    missing: list[str] = []
    for member in suite.members:
        if isinstance(member, SuiteNode):
            inner = suite_mean(member, values)
            missing += inner.missing
            value = inner.value
        else:
            value = values.get(member)
            missing += [member] if value is None else []
        if value is not None:
            found.append(value)
    complete = not missing and bool(found)
    mean = sum(found) / len(found) if complete else None
    return SuiteMean(suite.name, mean, len(suite.members), len(found), tuple(dict.fromkeys(missing)))
