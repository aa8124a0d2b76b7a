"""What can be wrong with a BEIR folder: one table of codes, and the form in which a defect is told."""

from __future__ import annotations

from collections import Counter
from typing import Any, Literal, NamedTuple

import msgspec

Severity = Literal["error", "warning", "info"]


class Code(NamedTuple):
    """One kind of defect.

    Attributes:
        severity: error (the folder must not be used), warning (it can be, knowing this), info.
        title: the kind, in a few words.
    """

    severity: Severity
    title: str


CODES: dict[str, Code] = {
    "BK001": Code("error", "a file is missing or cannot be read to its end"),
    "BK002": Code("error", "a line is not JSON"),
    "BK003": Code("error", "a line is not a JSON object"),
    "BK004": Code("error", "a value has the wrong type"),
    "BK005": Code("error", "a key is missing"),
    "BK006": Code("error", "one id stands for different texts"),
    "BK007": Code("error", "an id is empty or holds a control character"),
    "BK008": Code("error", "a line is not UTF-8"),
    "BK009": Code("warning", "a record is repeated with the same id and text"),
    "BK010": Code("warning", "a document has neither title nor text"),
    "BK011": Code("warning", "a query has no text"),
    "BK012": Code("info", "a title is null"),
    "BK013": Code("info", "a file starts with a byte-order mark"),
    "BK014": Code("info", "lines end with CR LF"),
    "BK019": Code("warning", "a qrels file has TREC's columns, not BEIR's"),
    "BK020": Code("warning", "a qrels file has no header"),
    "BK021": Code("warning", "a qrels header has unknown names or another order"),
    "BK022": Code("error", "a qrels line has the wrong number of columns"),
    "BK023": Code("error", "a grade is missing or not a whole number in 32 bits"),
    "BK024": Code("warning", "a judgment is repeated"),
    "BK025": Code("error", "one pair is judged with different grades"),
    "BK026": Code("warning", "a judged document is not in the corpus"),
    "BK027": Code("error", "a judged query is not among the queries"),
    "BK028": Code("warning", "a judged query has no relevant document"),
    "BK029": Code("warning", "an id stands in quotes, which are kept as characters"),
    "BK030": Code("warning", "a split holds no judgments"),
    "BK031": Code("warning", "no split is there"),
    "BK040": Code("warning", "a file does not match the manifest"),
}
"""Every code with its severity and title; the documentation's table is made of it."""

CAP = 20
"""So many findings of one code in one file are told one by one; the rest as one more with their number."""


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """One defect of a folder.

    Attributes:
        code: a key of :data:`CODES`.
        severity: as in :data:`CODES`.
        path: the file, relative to the folder.
        line: from 1; None where the defect has no line.
        found: what was found.
        todo: what to do about it.
        count: how many defects this stands for; more than 1 where like ones are told together.
    """

    code: str
    severity: Severity
    path: str
    line: int | None = None
    found: str
    todo: str = ""
    count: int = 1

    def __str__(self) -> str:
        """The defect on one line: severity, code, place, what was found, what to do."""
        place = self.path if self.line is None else f"{self.path}:{self.line}"
        todo = f" ({self.todo})" if self.todo else ""
        return f"{self.severity} {self.code} {place}: {self.found}{todo}"

    def to_dict(self) -> dict[str, Any]:
        """The fields, for JSON."""
        return {name: getattr(self, name) for name in self.__struct_fields__}


class Refused(ValueError):  # noqa: N818 - a verdict on a line; the reader makes an error or a finding of it
    """A line is not what it should be; whoever reads the file adds path and line.

    Args:
        code: a key of :data:`CODES`.
        found: what is wrong.
        todo: what to do about it.
    """

    def __init__(self, code: str, found: str, todo: str = "") -> None:
        super().__init__(found)
        self.code = code
        self.found = found
        self.todo = todo


class Report:
    """Collects findings and keeps their number readable."""

    def __init__(self) -> None:
        self._findings: list[Finding] = []
        self._counts: Counter[tuple[str, str]] = Counter()

    def add(self, code: str, path: str, line: int | None, found: str, todo: str = "") -> None:
        """Add one defect."""
        self._counts[path, code] += 1
        if self._counts[path, code] <= CAP:
            severity = CODES[code].severity
            self._findings.append(
                Finding(code=code, severity=severity, path=path, line=line, found=found, todo=todo)
            )

    def findings(self) -> list[Finding]:
        """What was added, with one more finding for each kind that went beyond the cap."""
        beyond = [
            Finding(
                code=code,
                severity=CODES[code].severity,
                path=path,
                found=f"{count - CAP} more like these: {CODES[code].title}",
                count=count - CAP,
            )
            for (path, code), count in self._counts.items()
            if count > CAP
        ]
        return [*self._findings, *beyond]
