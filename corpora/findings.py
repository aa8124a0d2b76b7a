"""The form in which a defect of a BEIR folder is told, and what is done with those that are known."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from beirkit.corpora.codes import CODES, Code, Severity
from beirkit.corpora.compressed import bare_name

__all__ = ["CAP", "CODES", "Code", "Finding", "Identity", "Known", "Refused", "Report", "Severity", "counted"]

CAP = 20
"""So many findings of one code in one file are told one by one; the rest as one more with their number."""


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """One defect of a folder.

    Attributes:
        code: a key of :data:`CODES`.
        severity: as in :data:`CODES`; ``known`` for a published defect, ``accepted`` for one in a baseline.
        path: the file, relative to the folder.
        line: from 1; None where the defect has no line.
        found: what was found.
        todo: what to do about it.
        count: how many defects this stands for; more than 1 where like ones are told together.
        key: what the defect is about, whatever its line: an id, two ids with a tab between, a digest of the
            line; empty where it is about the file.
    """

    code: str
    severity: Severity
    path: str
    line: int | None = None
    found: str
    todo: str = ""
    count: int = 1
    key: str = ""

    def __str__(self) -> str:
        """The defect on one line: severity, code, place, what was found, what to do."""
        todo = f" ({self.todo})" if self.todo else ""
        return f"{self.severity} {self.code} {self.place}: {self.found}{todo}"

    @property
    def place(self) -> str:
        """File and line."""
        return self.path if self.line is None else f"{self.path}:{self.line}"

    @property
    def is_rest(self) -> bool:
        """Whether it only counts those that are not told one by one."""
        return self.found == _rest(self.code, self.count)

    @property
    def identity(self) -> Identity:
        """What stays the same when lines move and files are compressed."""
        return Identity(self.code, bare_name(self.path), self.key)

    def to_dict(self) -> dict[str, Any]:
        """The fields, for JSON."""
        return {name: getattr(self, name) for name in self.__struct_fields__}


class Identity(NamedTuple):
    """Which defect it is: its code, its file without a compression's ending, what it is about."""

    code: str
    file: str
    key: str


class Known(msgspec.Struct, frozen=True, kw_only=True):
    """A published defect of a dataset.

    Attributes:
        code: a key of :data:`CODES`.
        note: what is known about it.
        file: the file it is in; empty: any.
        keys: the ids it is about; empty: any. Of a pair, either id or both with a tab between.
        count: so many there may be, when more are found, none of them is the known one; None: any number.
    """

    code: str
    note: str
    file: str = ""
    keys: tuple[str, ...] = ()
    count: int | None = None

    def covers(self, identity: Identity) -> bool:
        """Whether a defect is one of these."""
        if identity.code != self.code or self.file not in ("", identity.file):
            return False
        return not self.keys or not {identity.key, *identity.key.split("\t")}.isdisjoint(self.keys)


def counted(count: int, one: str, many: str) -> str:
    """A number and what it counts, in the singular or the plural."""
    return f"{count:,} {one if count == 1 else many}"


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
    """Collects findings and keeps their number readable.

    Args:
        known: published defects of the dataset.
        accepted: how many of each defect a baseline accepts.
        cap: findings of one code in one file that are told one by one; None: all.
    """

    def __init__(
        self,
        known: Sequence[Known] = (),
        accepted: Mapping[Identity, int] | None = None,
        cap: int | None = CAP,
    ) -> None:
        self._known = known
        self._accepted = Counter(accepted)
        self._gone = dict.fromkeys(self._accepted)
        self._cap = cap
        self._told: list[Finding] = []
        self._seen: Counter[tuple[str, str, Severity]] = Counter()  # findings
        self._beyond: Counter[tuple[str, str, Severity]] = Counter()  # defects of findings that are not told
        self._covered: Counter[Known] = Counter()

    def add(
        self,
        code: str,
        path: str,
        line: int | None,
        found: str,
        todo: str = "",
        *,
        key: str = "",
        count: int = 1,
    ) -> None:
        """Add one defect, or ``count`` that are told together."""
        identity = Identity(code, bare_name(path), key)
        self._gone.pop(identity, None)
        severity = CODES[code].severity
        known = next((one for one in self._known if one.covers(identity)), None)
        if known is not None:
            self._covered[known] += count
            severity, todo = "known", known.note
        elif self._accepted[identity] >= count:
            self._accepted[identity] -= count
            severity = "accepted"
        kind = (path, code, severity)
        self._seen[kind] += 1
        if self._cap is not None and self._seen[kind] > self._cap:
            self._beyond[kind] += count
            return
        self._told.append(
            Finding(
                code=code,
                severity=severity,
                path=path,
                line=line,
                found=found,
                todo=todo,
                count=count,
                key=key,
            )
        )

    def gone(self) -> list[Identity]:
        """The accepted defects that were not added."""
        return list(self._gone)

    def findings(self) -> list[Finding]:
        """What was added: file by file and line by line, then one for each kind that went beyond the cap."""
        beyond = [
            Finding(
                code=code,
                severity=severity,
                path=path,
                found=_rest(code, count),
                count=count,
            )
            for (path, code, severity), count in self._beyond.items()
        ]
        too_many = [
            known for known, count in self._covered.items() if known.count is not None and count > known.count
        ]
        told = [self._unless_too_many(finding, too_many) for finding in [*self._told, *beyond]]
        return sorted(told, key=_place)

    def _unless_too_many(self, finding: Finding, too_many: Sequence[Known]) -> Finding:
        """A finding as one that is not known, where there are more of it than there should be."""
        if finding.severity != "known":
            return finding
        for known in too_many:
            # one that stands for many has no key of its own, but only one known defect can have so many
            if known.code == finding.code and (known.covers(finding.identity) or finding.count > 1):
                todo = f"{known.count} of these are known, and {self._covered[known]} are here"
                return msgspec.structs.replace(finding, severity=CODES[finding.code].severity, todo=todo)
        return finding


def _rest(code: str, count: int) -> str:
    return f"{count} more like these: {CODES[code].title}"


def _place(finding: Finding) -> tuple[int, str, bool, int]:
    files = ("corpus.jsonl", "queries.jsonl")
    name = bare_name(finding.path)
    file = files.index(name) if name in files else 2 + (not name.startswith("qrels"))
    return file, name, finding.line is None, finding.line or 0
