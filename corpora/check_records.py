"""What is wrong with one JSON lines file, and what the checks of the other files need to know of it."""

from __future__ import annotations

import hashlib
import io
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, Literal, TypeVar

import numpy as np

from beirkit.corpora.blocks import are_blank, bare, common_documents, common_queries, line_blocks
from beirkit.corpora.check_repeats import tell_repeats
from beirkit.corpora.check_tally import Tally
from beirkit.corpora.check_text import (
    Look,
    look_at_document,
    look_at_query,
    nothing_in_documents,
    nothing_in_queries,
    nothing_in_written,
)
from beirkit.corpora.errors import DataError
from beirkit.corpora.files import BOM, open_bytes
from beirkit.corpora.findings import Refused, Report, counted
from beirkit.corpora.json_keys import convert_hint, ends_in_cr, other_id_key
from beirkit.corpora.jsonl import parse_document, parse_query, records_on
from beirkit.corpora.keys import IdSet
from beirkit.corpora.records import Document, Query
from beirkit.corpora.unique import record_ids

RecordT = TypeVar("RecordT", Document, Query)

_UNREADABLE, _OTHER_ID = "unreadable", "other id"  # lines that are counted, and told with others


@dataclass(frozen=True)
class Kind(Generic[RecordT]):
    """How one kind of record is read, and what is looked at in it."""

    decode: Callable[[Sequence[bytes]], list[RecordT] | None]
    parse: Callable[[bytes], RecordT]
    look: Callable[[RecordT, bytes], Sequence[Look]]
    nothing: Callable[[Sequence[RecordT], Sequence[bytes]], bool]  # to be seen in a block
    nothing_written: Callable[[Sequence[RecordT], bytes], bool]  # to be seen in a block of beirkit's writing
    one: str
    many: str
    none: str  # the code for there being none
    option: str  # of ``beirkit convert beir``, for other keys


DOCUMENTS = Kind(
    common_documents,
    parse_document,
    look_at_document,
    nothing_in_documents,
    nothing_in_written,
    "document",
    "documents",
    "BK043",
    "corpus_keys",
)
QUERIES = Kind(
    common_queries,
    parse_query,
    look_at_query,
    nothing_in_queries,
    nothing_in_written,
    "query",
    "queries",
    "BK044",
    "query_keys",
)


class Ids:
    """The ids of a file that was read to its end.

    Attributes:
        exact: the ids.
        complete: whether every record could be read; else an id that is not here may stand in the file.
    """

    def __init__(self) -> None:
        self.exact = IdSet()
        self.complete = True
        self._forms = IdSet()  # normal form C of those beyond ASCII
        self._plain_forms: list[str] = []

    def add(self, ids: Sequence[str], *, are_new: bool = False) -> tuple[list[str], list[str]]:
        """Add ids; those that were there before, and the normal forms that another id has too.

        With ``are_new`` they are among the ``exact`` ones already, for the first time and each once.
        """
        new = np.ones(len(ids), np.bool_) if are_new else self.exact.add_all(ids)
        repeated = [] if new.all() else [ids[place] for place in np.flatnonzero(~new).tolist()]
        if all(map(str.isascii, ids)):
            return repeated, []
        beyond = [ids[place] for place in np.flatnonzero(new).tolist() if not ids[place].isascii()]
        forms = [unicodedata.normalize("NFC", value) for value in beyond]
        self._plain_forms += [form for form in forms if form.isascii()]  # a Kelvin sign is a K
        return repeated, [forms[place] for place in np.flatnonzero(~self._forms.add_all(forms)).tolist()]

    def plain_twins(self) -> list[str]:
        """Ids in ASCII that another id has as its normal form."""
        return [form for form in self._plain_forms if form in self.exact]

    def twin(self, value: str) -> str:
        """The id with the same normal form as far as it can be named, escaped; else empty."""
        forms: tuple[Literal["NFC", "NFD"], ...] = ("NFC", "NFD")
        twins = (unicodedata.normalize(form, value) for form in forms)
        return next((ascii(twin) for twin in twins if twin != value and twin in self.exact), "")

    def has_twin(self, value: str) -> bool:
        """Whether another id has the same normal form."""
        form = unicodedata.normalize("NFC", value)
        return form in self._forms or (form != value and form in self.exact) or form in self._plain_forms


class RecordsCheck(Generic[RecordT]):
    """The check of one file, block by block, as they are read from it or were just written into it.

    Args:
        name: the file's, for messages.
        kind: what it holds.
        report: told of every defect.
        each: given the line numbers and the records of each block, for whatever else is looked at.
    """

    def __init__(
        self,
        name: str,
        kind: Kind[RecordT],
        report: Report,
        each: Callable[[Sequence[int], Sequence[RecordT]], object] = lambda numbers, records: None,
    ) -> None:
        self.name = name
        self._kind: Kind[RecordT] = kind
        self._report = report
        self._each: Callable[[Sequence[int], Sequence[RecordT]], object] = each
        self._ids = Ids()
        self._repeated, self._twins = IdSet(), set[str]()
        self._tallies: dict[str, Tally] = {}
        self._carriage_returns = 0
        self._line, self._offset = 1, 0  # of what comes next
        self._next: Sequence[str] = ()  # ids of it, where they were added before

    def read(self, path: Path) -> Ids | None:
        """Check a file from its start to its end.

        Returns:
            its ids; None where it cannot be read to its end, for what was not read may hold any id.
        """
        try:
            self._offset = check_start(path, self.name, self._report)
            for first, lines in line_blocks(path):
                self._look(first, lines)
            return self.end(path)
        except DataError as error:
            self._report.add("BK001", self.name, error.line, error.found, error.hint)
            self._tell_together()
            return None

    def are_new(self, ids: Sequence[str]) -> bool:
        """Take the ids of records that are to be written next; whether none was there before."""
        new = bool(self._ids.exact.add_all(ids).all())
        self._next = ids if new else ()
        return new

    def written(self, records: Sequence[RecordT], lines: bytes) -> None:
        """Check records that beirkit just wrote as these lines; finds what :meth:`read` would find in them.

        Records about which there is something to say, or may be, are read from their lines.
        """
        if not records:
            return
        if self._kind.nothing_written(records, lines):
            self._add(range(self._line, self._line + len(records)), records)
            self._line += len(records)
            self._offset += len(lines)
        else:
            self._look(self._line, io.BytesIO(lines).readlines())

    def end(self, path: Path) -> Ids:
        """Tell what only the whole file shows.

        Args:
            path: where the file is; it is read again where ids, or their normal forms, repeat.

        Raises:
            DataError: it cannot be read.
        """
        self._twins.update(self._ids.plain_twins())
        if len(self._repeated) or self._twins:
            blocks = readable(path, self._kind)
            tell_repeats(self.name, blocks, self._repeated, self._twins, self._report)
        self._ids.complete = _UNREADABLE not in self._tallies
        if not len(self._ids.exact):
            _tell_none(self.name, self._kind, self._tallies, self._report)
        self._tell_together()
        return self._ids

    def _look(self, first: int, lines: Sequence[bytes]) -> None:
        self._carriage_returns += sum([line.endswith(b"\r\n") for line in lines])
        self._add(*_records(self.name, first, lines, self._kind, self._report, self._tallies, self._offset))
        self._line = first + len(lines)
        self._offset += sum(map(len, lines))

    def _add(self, numbers: Sequence[int], records: Sequence[RecordT]) -> None:
        ids = record_ids(records)
        again, same_form = self._ids.add(ids, are_new=ids == self._next)
        self._next = ()
        if again:
            self._repeated.add_all(again)
        self._twins.update(same_form)
        self._each(numbers, records)

    def _tell_together(self) -> None:
        _tell_together(self.name, self._carriage_returns, self._tallies, self._report)


def readable(path: Path, kind: Kind[RecordT]) -> Iterator[tuple[Sequence[int], Sequence[RecordT]]]:
    """The records that can be read, with their lines, block by block; nothing is told of the others."""
    silent = Report(cap=0)
    for first, lines in line_blocks(path):
        yield _records(path.name, first, lines, kind, silent, {})


def check_start(path: Path, name: str, report: Report) -> int:
    """Tell a byte-order mark; the number of bytes it takes."""
    with open_bytes(path) as stream:
        if stream.read(len(BOM)) != BOM:
            return 0
    report.add("BK013", name, 1, "starts with a byte-order mark", "harmless here; other readers stumble")
    return len(BOM)


def _tell_together(name: str, carriage_returns: int, tallies: dict[str, Tally], report: Report) -> None:
    if carriage_returns:
        found = counted(carriage_returns, "line ends", "lines end") + " with CR LF"
        report.add("BK014", name, None, found, "harmless here; other readers keep the CR")
    blank = tallies.get("BK046")
    if blank is not None:
        found = counted(blank.count, "line is blank", "lines are blank")
        report.add("BK046", name, blank.line, found, "harmless here; other readers stop", count=blank.count)
    for code, one, many, todo in (
        (
            "BK041",
            "record has no title",
            "records have no title",
            "beir's reader makes None of it; write an empty string",
        ),
        (
            "BK042",
            "record has a number as id in JSON",
            "records have a number as id in JSON",
            "beir's reader misses their judgments; write strings",
        ),
    ):
        tally = tallies.get(code)
        if tally is not None:
            found = f"{counted(tally.count, one, many)} ({tally})"
            report.add(code, name, tally.line, found, todo, key=tally.key, count=tally.count)


def _records(
    name: str,
    first: int,
    lines: Sequence[bytes],
    kind: Kind[RecordT],
    report: Report,
    tallies: dict[str, Tally],
    offset: int = 0,
) -> tuple[Sequence[int], Sequence[RecordT]]:
    """The records of a block with their line numbers; what is wrong with each line is told.

    ``offset`` is where the block starts in the file, in bytes.
    """
    if are_blank(lines):
        tallies.setdefault("BK046", Tally()).add_blank(len(lines), first)
        return (), ()
    records = kind.decode(lines)
    if records is not None:
        if kind.nothing(records, lines):
            return range(first, first + len(lines)), records
        for number, (record, line) in enumerate(zip(records, lines, strict=True), first):
            _tell(kind.look(record, line), number, name, report, tallies)
        return range(first, first + len(lines)), records
    numbers, slow = list[int](), list[RecordT]()
    for number, line in enumerate(lines, first):
        for record in _parsed(bare(line), number, name, kind, report, tallies, offset):
            numbers.append(number)
            slow.append(record)
        offset += len(line)
    return numbers, slow


def _parsed(
    line: bytes,
    number: int,
    name: str,
    kind: Kind[RecordT],
    report: Report,
    tallies: dict[str, Tally],
    offset: int,
) -> Iterator[RecordT]:
    """The records of a line: one, or none with a finding, or several with one finding for their being so."""
    if not line.strip():
        tallies.setdefault("BK046", Tally()).add_blank(1, number)
        return
    try:
        record = kind.parse(line)
    except Refused as refused:
        parts = records_on(line)
        key, other = line_key(line), other_id_key(line)
        if len(parts) > 1 and ends_in_cr(line, parts):
            found = f"its {len(parts)} records end with CR alone, which is no line end here"
            report.add("BK059", name, number, found, "convert the line ends; --fix does", key=key)
        else:
            found, todo = refused.found + place_in_file(line, offset), refused.todo
            if refused.code == "BK005" and other:
                todo = convert_hint(kind.option, other)
                tallies.setdefault(_OTHER_ID, Tally()).add(other, number)
            report.add(refused.code, name, number, found, todo, key=key)
        if len(parts) < 2:
            tallies.setdefault(_UNREADABLE, Tally()).add("", number)
        else:  # their ids count, so that judgments are not called orphans for this
            for part in parts:
                yield from _parsed(part, number, name, kind, report, tallies, offset)
        return
    _tell(kind.look(record, line), number, name, report, tallies)
    yield record


def _tell_none(name: str, kind: Kind[RecordT], tallies: Mapping[str, Tally], report: Report) -> None:
    refused = tallies.get(_UNREADABLE)
    found, todo = f"holds no {kind.one}", "make the file again"
    if refused is not None:
        found = (
            f"holds no {kind.one} that can be read: {counted(refused.count, 'line is', 'lines are')} refused"
        )
        todo = "mend what is said of them"
        other = tallies.get(_OTHER_ID)
        if other is not None and other.count == refused.count:
            todo = convert_hint(kind.option, other.examples[0].strip("'"))
    report.add(kind.none, name, None, found, todo)


def _tell(looks: Sequence[Look], number: int, name: str, report: Report, tallies: dict[str, Tally]) -> None:
    for look in looks:
        if look.found:
            report.add(look.code, name, number, look.found, look.todo, key=look.key)
        else:
            tallies.setdefault(look.code, Tally()).add(look.key, number)


def line_key(line: bytes) -> str:
    """What tells a line from others, for lines without an id."""
    return "line " + hashlib.blake2b(line, digest_size=8).hexdigest()


def place_in_file(line: bytes, offset: int) -> str:
    """Where in the file a line that starts at ``offset`` stops being UTF-8; empty where it is UTF-8."""
    try:
        line.decode("utf-8")
    except UnicodeDecodeError as error:
        return f" (byte {offset + error.start + 1} of the file)"
    return ""
