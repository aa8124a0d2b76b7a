"""Mending the documents or queries of a folder: what stays is streamed, what goes is told."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Generic, TypeVar

import msgspec

from beirkit.corpora.errors import DataError
from beirkit.corpora.findings import Refused
from beirkit.corpora.json_keys import convert_hint, ends_in_cr, is_wrapped, other_id_key, repeated_key
from beirkit.corpora.jsonl import parse_document, parse_query, records_on
from beirkit.corpora.mend_log import CONTROL, Log, raw_lines
from beirkit.corpora.mend_rules import Rules
from beirkit.corpora.records import Document, Query
from beirkit.corpora.unique import record_id

RecordT = TypeVar("RecordT", Document, Query)

_TEXT_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")


class RecordMender(Generic[RecordT]):
    """One file of records, and what becomes of each of them.

    :meth:`plan` reads the file and settles everything; :meth:`records` then starts a pass over what stays.

    Args:
        path: the file.
        parse: reads a line.
        kind: ``"document"`` or ``"query"``.
        rules: what the user decided; told what is missing.
        log: told of every change.

    Attributes:
        ids: the ids that stay, once the plan is made.
        escaped: whether the file escapes everything beyond ASCII.
    """

    def __init__(
        self, path: Path, parse: Callable[[bytes], RecordT], kind: str, rules: Rules, log: Log
    ) -> None:
        self.ids: set[str] = set()
        self.escaped = False
        self._path = path
        self._parse: Callable[[bytes], RecordT] = parse
        self._kind = kind
        self._many = "documents" if kind == "document" else "queries"
        self._rules = rules
        self._log = log
        self._skip: set[int] = set()
        self._lines = 0
        self._other_ids: Counter[str] = Counter()

    def plan(self) -> None:
        """Read the file and decide about every record.

        Raises:
            DataError: the file cannot be read to its end, or none of its records would stay.
        """
        again: set[str] = set()
        for _, record in self._pass(self._log, self._rules, first=True):
            key = record_id(record)
            if key in self.ids:
                again.add(key)
            self.ids.add(key)
        if again:
            self._settle(again)
        self._require_records()

    def records(self) -> Iterator[RecordT]:
        """What stays, in the order of the file."""
        for ordinal, (_, record) in enumerate(self._pass(Log(), self._rules.again())):
            if ordinal not in self._skip:
                yield record

    def _pass(self, log: Log, rules: Rules, *, first: bool = False) -> Iterator[tuple[int, RecordT]]:
        """Every record that is not left out for itself, with its line; the first pass also looks at form."""
        plain, escapes = True, False
        for number, line in raw_lines(self._path, self._path.name, log):
            if first:
                plain = plain and line.isascii()
                escapes = escapes or b"\\u" in line
            self._lines += first
            for record in self._on(line, number, log, rules, first):
                yield number, record
        if first:
            self.escaped = plain and escapes

    def _on(self, line: bytes, number: int, log: Log, rules: Rules, first: bool) -> Iterator[RecordT]:
        """The records of one line: one, none, or several where it holds several."""
        try:
            record = self._parse(line)
        except Refused as refused:
            parts = records_on(line) if refused.code != "BK008" and _is_utf8(line) else []
            if len(parts) > 1:
                if ends_in_cr(line, parts):
                    log.form(
                        "BK059", self._path.name, number, f"{len(parts)} lines that end with CR alone parted"
                    )
                else:
                    done = f"line of {len(parts)} records taken apart"
                    log.change("BK002", self._path.name, number, "", done)
                for part in parts:
                    yield from self._on(part, number, log, rules, first)
                return
            other = other_id_key(line) if first and refused.code == "BK005" else ""
            if other:
                self._other_ids[other] += 1
            mended = self._with_another_id(line, number, refused, log, rules)
            if mended is None:
                return
            record = mended
        twice = repeated_key(line)
        if twice:
            found = f"holds the key {twice!r} twice"
            if rules.ask("unreadable-records", self._path.name, number, found):
                log.change("BK045", self._path.name, number, "", f"line left out: it {found}")
            return
        if first:
            self._tell_form(line, number, log)
        record = self._without_control_characters(record, number, log, rules)
        if not self._is_left_out_empty(record, number, log, rules):
            yield record

    def _require_records(self) -> None:
        """Refuse to leave nothing of a file that held something."""
        if self.ids or not self._lines:
            return
        path, many = self._path, self._many
        for key, count in self._other_ids.items():
            if count == self._lines:
                option = "corpus_keys" if self._kind == "document" else "query_keys"
                found = f"none of its {count} records has an '_id', all have {key!r}"
                raise DataError(found, path=path, hint=convert_hint(option, key))
        dropped = self._rules.dropped(path.name)
        if dropped:
            told = ", ".join(f"{name}=drop ({count} times)" for name, count in dropped.items())
            found = f"no {self._kind} would be left in the mended copy: {told}"
            raise DataError(found, path=path, hint=f"mend the file where it is made; {many} are needed")

    def _with_another_id(
        self, line: bytes, number: int, refused: Refused, log: Log, rules: Rules
    ) -> RecordT | None:
        """A record whose id held control characters without them; None where the record goes."""
        name = self._path.name
        stripped = _strip_id(line) if refused.code == "BK007" else None
        if stripped is None:
            if rules.ask("unreadable-records", name, number, refused.found):
                log.change(refused.code, name, number, "", f"line left out: it {refused.found}")
            return None
        old, new, text = stripped
        choice = rules.ask("ids-with-control-characters", name, number, refused.found)
        if choice == "drop":
            log.change("BK007", name, number, old, f"{self._kind} left out: its id holds a control character")
        if choice != "strip":
            return None
        log.change("BK007", name, number, old, f"control characters taken out of the id: {new!r}")
        try:
            mended: RecordT = self._parse(text)
            return mended
        except Refused as still:
            if rules.ask("unreadable-records", name, number, still.found):
                log.change(still.code, name, number, new, f"line left out: it {still.found}")
            return None

    def _tell_form(self, line: bytes, number: int, log: Log) -> None:
        """Count what the reader takes as it is meant and a writer writes in another form."""
        fields: Any = msgspec.json.decode(line)
        name = self._path.name
        if not isinstance(fields["_id"], str):
            log.form("BK042", name, number, "id written as a string, not a number")
        if self._kind == "document":
            for key in ("title", "text"):
                if key in fields and fields[key] is None:
                    log.form("BK012", name, number, f"{key} written as an empty string, not null")
            if "title" not in fields:
                log.form("BK041", name, number, "empty title written where there was none")
        if "metadata" in fields and fields["metadata"] is None:
            log.form("", name, number, "metadata written as an empty object, not null")
        elif is_wrapped(fields):
            log.form("BK058", name, number, "metadata that is no object put into one")
        known = {"_id", "text", "metadata", *(["title"] if self._kind == "document" else [])}
        if fields.keys() - known:
            log.form("", name, number, "keys of the record moved into its metadata")

    def _without_control_characters(self, record: RecordT, number: int, log: Log, rules: Rules) -> RecordT:
        fields = {name: getattr(record, name) for name in ("title", "text") if hasattr(record, name)}
        odd = {name: value for name, value in fields.items() if _TEXT_CONTROL.search(value)}
        if not odd:
            return record
        found = f"{self._kind} {record_id(record)!r}"
        if rules.ask("control-characters", self._path.name, number, found) != "strip":
            return record
        done = f"control characters taken out of its {' and '.join(odd)}"
        log.change("BK017", self._path.name, number, record_id(record), done)
        stripped = {name: _TEXT_CONTROL.sub("", value) for name, value in odd.items()}
        return msgspec.structs.replace(record, **stripped)

    def _is_left_out_empty(self, record: RecordT, number: int, log: Log, rules: Rules) -> bool:
        title = record.title if isinstance(record, Document) else ""
        if title.strip() or record.text.strip():
            return False
        found = f"{self._kind} {record_id(record)!r}"
        choice = rules.ask(f"empty-{self._many}", self._path.name, number, found)
        if choice != "drop":
            return False
        code = "BK010" if self._kind == "document" else "BK011"
        log.change(code, self._path.name, number, record_id(record), f"empty {self._kind} left out")
        return True

    def _settle(self, again: set[str]) -> None:
        """Decide which records stay of those whose id comes more than once."""
        found: dict[str, list[tuple[int, int, RecordT]]] = {}
        for ordinal, (number, record) in enumerate(self._pass(Log(), self._rules.again())):
            if record_id(record) in again:
                found.setdefault(record_id(record), []).append((ordinal, number, record))
        for key, copies in found.items():
            contents = [_content(record) for _, _, record in copies]
            choice: str | None = "first"
            if any(content != contents[0] for content in contents):
                lines = ", ".join(str(number) for _, number, _ in copies)
                choice = self._rules.ask(
                    f"duplicate-{self._many}", self._path.name, copies[-1][1], f"{key!r} on lines {lines}"
                )
                if choice is None:
                    continue
            kept = 0 if choice == "first" else len(copies) - 1 if choice == "last" else None
            if kept is None:
                self.ids.discard(key)
            for place, (ordinal, number, _) in enumerate(copies):
                if place == kept:
                    continue
                self._skip.add(ordinal)
                if kept is None:
                    code, done = "BK006", f"{self._kind} left out: its id stands for different texts"
                elif contents[place] == contents[kept]:
                    code, done = "BK009", f"copy of line {copies[kept][1]} left out"
                else:
                    code, done = "BK006", f"{self._kind} left out: the one on line {copies[kept][1]} stays"
                self._log.change(code, self._path.name, number, key, done)


def document_mender(path: Path, rules: Rules, log: Log) -> RecordMender[Document]:
    """A mender of ``corpus.jsonl``."""
    return RecordMender(path, parse_document, "document", rules, log)


def query_mender(path: Path, rules: Rules, log: Log) -> RecordMender[Query]:
    """A mender of ``queries.jsonl``."""
    return RecordMender(path, parse_query, "query", rules, log)


def _content(record: Document | Query) -> tuple[str, str]:
    """What tells copies from contradictions; metadata may differ."""
    return (record.title if isinstance(record, Document) else "", record.text)


def _is_utf8(line: bytes) -> bool:
    try:
        line.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _strip_id(line: bytes) -> tuple[str, str, bytes] | None:
    """The id of a line, the id without control characters, and the line with that; None: there are none."""
    fields: Any = msgspec.json.decode(line)
    old = fields["_id"]
    new = CONTROL.sub("", old)
    if new == old:
        return None
    return old, new, json.dumps({**fields, "_id": new}, ensure_ascii=False).encode("utf-8", "surrogatepass")
