"""Mending the documents or queries of a folder: what stays is streamed, what goes is told."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Generic, TypeVar

import msgspec

from beirkit.corpora.errors import DataError
from beirkit.corpora.findings import Refused
from beirkit.corpora.json_keys import convert_hint, ends_in_cr, other_id_key, repeated_key
from beirkit.corpora.jsonl import parse_document, parse_query, records_on
from beirkit.corpora.mend_lines import line_of, odd_forms, without_controls_in_id
from beirkit.corpora.mend_log import Log, raw_lines
from beirkit.corpora.mend_rules import Rules
from beirkit.corpora.records import Document, Query
from beirkit.corpora.unique import record_id

RecordT = TypeVar("RecordT", Document, Query)

_TEXT_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")


class RecordMender(Generic[RecordT]):
    """One file of records, and what becomes of each of them.

    :meth:`plan` reads the file and settles everything; :meth:`records` then starts a pass over what stays,
    and :meth:`encode` gives the lines of what it handed out: those that need no change byte for byte.

    Args:
        path: the file.
        parse: reads a line.
        kind: ``"document"`` or ``"query"``.
        rules: what the user decided; told what is missing.
        log: told of every change.

    Attributes:
        ids: the ids that stay, once the plan is made.
    """

    def __init__(
        self, path: Path, parse: Callable[[bytes], RecordT], kind: str, rules: Rules, log: Log
    ) -> None:
        self.ids: set[str] = set()
        self._handed_out: dict[str, bytes] = {}
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
        for _, record, _ in self._pass(self._log, self._rules, first=True):
            key = record_id(record)
            if key in self.ids:
                again.add(key)
            self.ids.add(key)
        if again:
            self._settle(again)
        self._require_records()

    def records(self) -> Iterator[RecordT]:
        """What stays, in the order of the file."""
        self._handed_out.clear()
        for ordinal, (_, record, line) in enumerate(self._pass(Log(), self._rules.again())):
            if ordinal not in self._skip:
                self._handed_out[record_id(record)] = line
                yield record

    def encode(self, records: Sequence[Document] | Sequence[Query]) -> bytes:
        """The lines of records that :meth:`records` handed out, each once."""
        return b"".join([self._handed_out.pop(record_id(record)) + b"\n" for record in records])

    def _pass(self, log: Log, rules: Rules, *, first: bool = False) -> Iterator[tuple[int, RecordT, bytes]]:
        """Every record that is not left out for itself, with its number and the line it becomes."""
        for number, line in raw_lines(self._path, self._path.name, log):
            self._lines += first
            for record, new in self._on(line, number, log, rules, first):
                yield number, record, new

    def _on(
        self, line: bytes, number: int, log: Log, rules: Rules, first: bool
    ) -> Iterator[tuple[RecordT, bytes]]:
        """The records of one line with the lines they become: one, none, or several."""
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
            record, line = mended
        twice = repeated_key(line)
        if twice:
            found = f"holds the key {twice!r} twice"
            if rules.ask("unreadable-records", self._path.name, number, found):
                log.change("BK045", self._path.name, number, "", f"line left out: it {found}")
            return
        forms = odd_forms(line, self._kind)
        for code, done in forms:
            log.form(code, self._path.name, number, done)
        stripped = self._without_control_characters(record, number, log, rules)
        if not self._is_left_out_empty(stripped, number, log, rules):
            yield stripped, line_of(stripped, line) if forms or stripped is not record else line

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
    ) -> tuple[RecordT, bytes] | None:
        """A record whose id held control characters, and its line, without them; None where it goes."""
        name = self._path.name
        stripped = without_controls_in_id(line) if refused.code == "BK007" else None
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
            return self._parse(text), text
        except Refused as still:
            if rules.ask("unreadable-records", name, number, still.found):
                log.change(still.code, name, number, new, f"line left out: it {still.found}")
            return None

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
        for ordinal, (number, record, _) in enumerate(self._pass(Log(), self._rules.again())):
            if record_id(record) in again:
                found.setdefault(record_id(record), []).append((ordinal, number, record))
        for key, copies in found.items():
            contents = [_content(record) for _, _, record in copies]
            choice: str | None = "first"
            if any(content != contents[0] for content in contents):
                told = f"{key!r} on lines {', '.join(str(number) for _, number, _ in copies)}"
                if len({content[:2] for content in contents}) == 1:
                    told += ", with different metadata"
                choice = self._rules.ask(f"duplicate-{self._many}", self._path.name, copies[-1][1], told)
                if choice is None:
                    continue
            kept = 0 if choice == "first" else len(copies) - 1 if choice == "last" else None
            if kept is None:
                self.ids.discard(key)
            for place, (ordinal, number, _) in enumerate(copies):
                if place == kept:
                    continue
                self._skip.add(ordinal)
                code = "BK009" if len({content[:2] for content in contents}) == 1 else "BK006"
                if kept is None:
                    done = f"{self._kind} left out: its id stands for different {_differing(code)}"
                elif contents[place] == contents[kept]:
                    code, done = "BK009", f"copy of line {copies[kept][1]} left out"
                else:
                    done = f"{self._kind} left out: the one on line {copies[kept][1]} stays"
                self._log.change(code, self._path.name, number, key, done)


def document_mender(path: Path, rules: Rules, log: Log) -> RecordMender[Document]:
    """A mender of ``corpus.jsonl``."""
    return RecordMender(path, parse_document, "document", rules, log)


def query_mender(path: Path, rules: Rules, log: Log) -> RecordMender[Query]:
    """A mender of ``queries.jsonl``."""
    return RecordMender(path, parse_query, "query", rules, log)


def _content(record: Document | Query) -> tuple[str, str, bytes]:
    """What tells copies from contradictions."""
    title = record.title if isinstance(record, Document) else ""
    return title, record.text, msgspec.json.encode(record.metadata, order="deterministic")


def _differing(code: str) -> str:
    return "metadata" if code == "BK009" else "texts"


def _is_utf8(line: bytes) -> bool:
    try:
        line.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True
