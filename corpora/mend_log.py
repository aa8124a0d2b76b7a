"""What was changed while a folder was mended, and the lines of its files, odd forms of which are changes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import msgspec

from beirkit.corpora.collection import Change
from beirkit.corpora.errors import DataError
from beirkit.corpora.files import is_utf16, open_bytes

_BOM = b"\xef\xbb\xbf"
CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
"""Control characters, none of which an id may hold."""


class Log:
    """Collects changes: what alters records one by one, what alters nothing but form once for each file."""

    def __init__(self) -> None:
        self._changes: list[Change] = []
        self._forms: dict[tuple[str, str, str], Change] = {}

    def change(self, code: str, path: str, line: int | None, id: str, done: str) -> None:
        """Note a change of one record or judgment."""
        self._changes.append(Change(code=code, path=path, line=line, id=id, done=done))

    def form(self, code: str, path: str, line: int | None, done: str, count: int = 1) -> None:
        """Count changes of form; the line is that of the first."""
        key = (code, path, done)
        known = self._forms.get(key)
        self._forms[key] = (
            Change(code=code, path=path, line=line, done=done, count=count)
            if known is None
            else msgspec.structs.replace(known, count=known.count + count)
        )

    def changes(self) -> list[Change]:
        """Every change: file by file, form before content, then by line."""
        both = [(0, change) for change in self._forms.values()] + [(1, change) for change in self._changes]
        both.sort(key=lambda item: (item[1].path, item[0], item[1].line or 0))
        return [change for _, change in both]


class _Count:
    """How many lines are so, and the first of them."""

    def __init__(self) -> None:
        self.count = 0
        self.first = 0

    def add(self, number: int) -> None:
        self.count += 1
        self.first = self.first or number


def raw_lines(
    path: Path, name: str, log: Log, within: Callable[[bytes], Sequence[bytes]] | None = None
) -> Iterator[tuple[int, bytes]]:
    """The lines that are not blank, with their numbers, without line ends and byte-order mark.

    Args:
        path: the file.
        name: the file, relative to its folder.
        log: told of what is odd about its form.
        within: the lines of a line that CR alone parts, none where it is one line; each has a number then.

    Raises:
        DataError: the file cannot be read to its end.
    """
    line, more = b"\n", 0
    ends, blanks = _Count(), _Count()  # told at the end, for a file may have millions
    with open_bytes(path) as stream:
        for place, line in enumerate(stream, 1):
            number, text = place + more, line
            if number == 1:
                if is_utf16(line):
                    raise DataError("is UTF-16, not UTF-8", path=path, line=1, hint="save it as UTF-8")
                if line.startswith(_BOM):
                    text = line.removeprefix(_BOM)
                    log.form("BK013", name, 1, "byte-order mark taken off")
            text = text.removesuffix(b"\n")
            if line.endswith(b"\r\n"):
                ends.add(number)
            text = text.removesuffix(b"\r")
            if text.strip():
                parts = within(text) if within is not None and b"\r" in text else ()
                if parts:
                    log.form("BK059", name, number, f"{len(parts)} lines that end with CR alone parted")
                    yield from enumerate(parts, number)
                    more += len(parts) - 1
                else:
                    yield number, text
            else:
                blanks.add(number)
    if ends.count:
        log.form("BK014", name, ends.first, "CR LF made LF", ends.count)
    if blanks.count:
        log.form("BK046", name, blanks.first, "blank line taken out", blanks.count)
    if not line.endswith(b"\n"):
        log.form("", name, None, "line end added to the last line")
