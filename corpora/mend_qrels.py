"""Mending the judgments of one split: what stays is written as BEIR's table, what goes is told."""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Literal

from beirkit.corpora.findings import Refused
from beirkit.corpora.mend_log import CONTROL, Log, raw_lines
from beirkit.corpora.mend_rules import Rules
from beirkit.corpora.qrels_lines import QrelsParser
from beirkit.corpora.records import Judgment


class QrelsMender:
    """One file of judgments, and what becomes of each of them.

    Args:
        path: the file.
        name: the file, relative to its folder.
        documents: ids of the documents that stay.
        queries: ids of the queries that stay.
        rules: what the user decided; told what is missing.
        log: told of every change.

    Attributes:
        dropped: whether the split goes, because it holds nothing.
    """

    def __init__(
        self,
        path: Path,
        name: str,
        documents: Collection[str],
        queries: Collection[str],
        rules: Rules,
        log: Log,
    ) -> None:
        self.dropped = False
        self._path = path
        self._name = name
        self._documents = documents
        self._queries = queries
        self._rules = rules
        self._log = log
        self._rows: dict[str, dict[str, tuple[int, int]]] = {}
        self._more: dict[tuple[str, str], list[tuple[int, int]]] = {}

    def plan(self) -> None:
        """Read the file and decide about every judgment.

        Raises:
            DataError: the file cannot be read to its end.
        """
        parser = self._read(QrelsParser())
        if parser is None:
            return
        self._tell_form(parser)
        for (query_id, doc_id), others in self._more.items():
            self._settle(query_id, doc_id, others)
        for query_id in list(self._rows):
            self._look_at(query_id)
        if not self._rows:
            choice = self._rules.ask("empty-splits", self._name, None, "it holds no judgments")
            if choice == "drop":
                self.dropped = True
                self._log.change("BK030", self._name, None, "", "split without judgments left out")

    def judgments(self) -> Iterator[Judgment]:
        """What stays, in the order of the file."""
        rows = sorted(
            (line, query_id, doc_id, grade)
            for query_id, row in self._rows.items()
            for doc_id, (line, grade) in row.items()
        )
        return (Judgment(query_id, doc_id, grade) for _, query_id, doc_id, grade in rows)

    def _read(self, parser: QrelsParser) -> QrelsParser | None:
        """Take in every line; None where the file cannot be understood without a rule."""
        for number, line in raw_lines(self._path, self._name, self._log):
            quoted, header = parser.quoted, parser.header
            if parser.form is None and _lacks_grades(line):
                found = "has 2 columns: the relevance column is missing"
                choice = self._rules.ask("missing-grades", self._name, number, found)
                if choice is None:
                    return None
                parser = QrelsParser(default_relevance=int(choice))
            try:
                judgment = parser.parse(line)
            except Refused as refused:
                judgment = self._mended(line, number, refused, parser)
            if judgment is None:
                if line.startswith(b"#") and parser.header is header:
                    self._log.form("BK049", self._name, number, "comment taken out")
                continue
            self._look_at_grade(line, number, judgment, parser)
            if parser.quoted > quoted:
                judgment = self._unquoted(judgment, number)
            known = self._with_known_ids(judgment, number)
            if known is not None:
                self._take(known, number)
        return parser

    def _mended(self, line: bytes, number: int, refused: Refused, parser: QrelsParser) -> Judgment | None:
        """A judgment whose ids held control characters without them; None where the line goes."""
        if refused.code == "BK007" and "control character" in refused.found:
            choice = self._rules.ask("ids-with-control-characters", self._name, number, refused.found)
            if choice == "drop":
                self._log.change("BK007", self._name, number, "", f"judgment left out: {refused.found}")
            if choice != "strip":
                return None
            # tabs part the columns; \x1c to \x1f and \x0b, \x0c would do so in no table that has tabs
            fields = (CONTROL.sub("", field) for field in line.decode("utf-8").split("\t"))
            line = "\t".join(fields).encode()
            self._log.change(
                "BK007", self._name, number, "", f"control characters taken out: {refused.found}"
            )
            try:
                return parser.parse(line)
            except Refused as still:
                refused = still
        if self._rules.ask("unreadable-judgments", self._name, number, refused.found):
            self._log.change(refused.code, self._name, number, "", f"line left out: {refused.found}")
        return None

    def _look_at_grade(self, line: bytes, number: int, judgment: Judgment, parser: QrelsParser) -> None:
        if parser.form == "pairs" or not parser.in_order:
            return
        grade = line.split()[-1].decode()
        if grade != str(judgment.relevance):
            code, such = ("BK047", "2.0") if "." in grade else ("", "+2 or 02")
            self._log.form(code, self._name, number, f"grade such as {such} written as a whole number")

    def _unquoted(self, judgment: Judgment, number: int) -> Judgment:
        pair = f"{judgment.query_id}/{judgment.doc_id}"
        if self._rules.ask("quoted-ids", self._name, number, pair) != "strip":
            return judgment
        self._log.change("BK029", self._name, number, pair, "quotes taken off")
        return Judgment(_bare(judgment.query_id), _bare(judgment.doc_id), judgment.relevance)

    def _with_known_ids(self, judgment: Judgment, number: int) -> Judgment | None:
        """The judgment with its ids in the Unicode form that is there; None where it goes."""
        ids = [judgment.query_id, judgment.doc_id]
        for place, there in enumerate((self._queries, self._documents)):
            twin = _twin(ids[place], there)
            if twin is None:
                continue
            pair = f"{judgment.query_id}/{judgment.doc_id}"
            choice = self._rules.ask("ids-in-another-form", self._name, number, ascii(ids[place]))
            if choice == "drop":
                done = "judgment left out: the id is there in another Unicode form only"
                self._log.change("BK032", self._name, number, pair, done)
                return None
            if choice == "match":
                self._log.change("BK032", self._name, number, pair, f"{ids[place]!a} is now {twin!a}")
                ids[place] = twin
        return Judgment(ids[0], ids[1], judgment.relevance)

    def _take(self, judgment: Judgment, number: int) -> None:
        row = self._rows.setdefault(judgment.query_id, {})
        if judgment.doc_id in row:
            pair = (judgment.query_id, judgment.doc_id)
            self._more.setdefault(pair, []).append((number, judgment.relevance))
        else:
            row[judgment.doc_id] = (number, judgment.relevance)

    def _tell_form(self, parser: QrelsParser) -> None:
        if parser.at_blanks:
            self._log.form("BK048", self._name, 1, "tabs put between the columns, where blanks were")
        if parser.form == "trec":
            self._log.form("BK019", self._name, 1, "TREC's four columns written as BEIR's three")
        elif parser.form == "pairs":
            self._log.form("BK022", self._name, 1, "grade 1 given to every pair")
        elif parser.form == "table" and parser.header is None:
            self._log.form("BK020", self._name, 1, "header added")
        elif not parser.in_order:
            self._log.form("BK021", self._name, 1, "columns put in BEIR's order")
        elif not parser.header_known:
            header = " ".join(parser.header or [])
            if self._rules.ask("unknown-header", self._name, 1, f"the header is {header!r}"):
                self._log.form("BK021", self._name, 1, f"header {header!r} replaced by BEIR's")
        elif parser.header not in (None, ["query-id", "corpus-id", "score"]):
            header = " ".join(parser.header or [])
            self._log.form("", self._name, 1, f"header {header!r} replaced by BEIR's")

    def _settle(self, query_id: str, doc_id: str, others: list[tuple[int, int]]) -> None:
        """Decide which judgment of a pair stays that comes more than once."""
        found = [self._rows[query_id][doc_id], *others]
        grades = [grade for _, grade in found]
        pair = f"{query_id}/{doc_id}"
        choice: str | None = "first"
        if len(set(grades)) > 1:
            told = " and ".join(f"{grade} on line {line}" for line, grade in found)
            choice = self._rules.ask(
                "conflicting-grades", self._name, found[-1][0], f"{pair} is judged {told}"
            )
        if choice is None:
            return
        kept = {
            "first": 0,
            "last": len(found) - 1,
            "max": grades.index(max(grades)),
            "min": grades.index(min(grades)),
        }.get(choice)
        if kept is None:
            del self._rows[query_id][doc_id]
        else:
            self._rows[query_id][doc_id] = found[kept]
        for place, (line, grade) in enumerate(found):
            if place == kept:
                continue
            if kept is None:
                code, done = "BK025", f"grade {grade} left out: the pair has different grades"
            elif grade == grades[kept]:
                code, done = "BK024", f"copy of line {found[kept][0]} left out"
            else:
                code, done = "BK025", f"grade {grade} left out: {grades[kept]} on line {found[kept][0]} stays"
            self._log.change(code, self._name, line, pair, done)

    def _look_at(self, query_id: str) -> None:
        """Decide about a query's judgments as they stand in the folder to be written."""
        row = self._rows[query_id]
        if query_id not in self._queries and row:
            line = min(line for line, _ in row.values())
            choice = self._rules.ask("judged-queries-without-text", self._name, line, f"query {query_id!r}")
            if choice == "drop":
                self._drop(query_id, "BK027", "judgment left out: the query is not among the queries")
        for doc_id in [doc_id for doc_id in row if doc_id not in self._documents]:
            line, _ = row[doc_id]
            if self._rules.ask("orphan-judgments", self._name, line, f"document {doc_id!r}") == "drop":
                del row[doc_id]
                done = "judgment left out: the document is not in the corpus"
                self._log.change("BK026", self._name, line, f"{query_id}/{doc_id}", done)
        if row and not any(grade > 0 for _, grade in row.values()):
            line = min(line for line, _ in row.values())
            choice = self._rules.ask("queries-without-positives", self._name, line, f"query {query_id!r}")
            if choice == "drop":
                self._drop(query_id, "BK028", "judgment left out: its query has no relevant document")
        if not row:
            del self._rows[query_id]

    def _drop(self, query_id: str, code: str, done: str) -> None:
        row = self._rows[query_id]
        for doc_id, (line, _) in row.items():
            self._log.change(code, self._name, line, f"{query_id}/{doc_id}", done)
        row.clear()


def _lacks_grades(line: bytes) -> bool:
    """Whether a file whose first line this is has a query and a document in each line and no grade."""
    try:
        QrelsParser().parse(line)
    except Refused as refused:
        return "relevance column is missing" in refused.found
    return False


def _twin(value: str, there: Collection[str]) -> str | None:
    """The id that looks the same and is there, where this one is not."""
    if value in there or value.isascii():
        return None
    forms: tuple[Literal["NFC", "NFD"], ...] = ("NFC", "NFD")
    for form in forms:
        twin = unicodedata.normalize(form, value)
        if twin in there:
            return twin
    return None


def _bare(value: str) -> str:
    """An id without the quotes around it; quotes around nothing stay."""
    return value[1:-1] if len(value) > 2 and value[0] == value[-1] == '"' else value
