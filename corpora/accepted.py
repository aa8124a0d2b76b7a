"""Findings that somebody has looked at and accepted, in a file of their own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import msgspec

from beirkit.corpora.codes import CODES
from beirkit.corpora.errors import DataError
from beirkit.corpora.files import atomic_open, byte_lines
from beirkit.corpora.findings import Finding, Identity


class _Head(msgspec.Struct, forbid_unknown_fields=True):
    """The first line of the file."""

    accepted_findings: int  # the version of the form


class _Line(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    code: str
    file: str
    key: str = ""
    count: int = 1


def write_accepted(path: Path | str, findings: Iterable[Finding]) -> int:
    """Write the findings that are not known anyway: one JSON object a line, sorted, without line numbers.

    Args:
        path: the file.
        findings: all of them, so of a check without a cap.

    Returns:
        how many defects are accepted.
    """
    counts: Counter[Identity] = Counter()
    for finding in findings:
        if finding.severity != "known":
            counts[finding.identity] += finding.count
    with atomic_open(path) as out:
        out.write(msgspec.json.encode(_Head(1)).decode() + "\n")
        for identity, count in sorted(counts.items()):
            out.write(msgspec.json.encode(_Line(*identity, count)).decode() + "\n")
    return counts.total()


def read_accepted(path: Path | str) -> dict[Identity, int]:
    """How many of each defect a file accepts.

    Raises:
        DataError: it is no such file; with its line.
    """
    accepted: dict[Identity, int] = {}
    for number, text in byte_lines(path):
        try:
            if number == 1:
                version = msgspec.json.decode(text, type=_Head).accepted_findings
                if version != 1:
                    raise DataError(f"is of version {version}", path=path, line=1, hint="of a newer beirkit")
                continue
            if not text.strip():
                continue
            line = msgspec.json.decode(text, type=_Line)
        except msgspec.DecodeError as error:
            hint = "such a file is written with --write-accept"
            found = f"is no list of accepted findings: {error}"
            raise DataError(found, path=path, line=number, hint=hint) from error
        if line.code not in CODES:
            raise DataError(f"there is no code {line.code!r}", path=path, line=number)
        accepted[Identity(line.code, line.file, line.key)] = line.count
    return accepted
