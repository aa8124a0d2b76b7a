"""Mending the judgments of one split: what stays is written as BEIR's table, what goes is told."""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Iterator
from pathlib import Path

from beirkit.corpora.findings import Refused
from beirkit.corpora.mend_log import CONTROL, Log, raw_lines
from beirkit.corpora.mend_rules import Rules
from beirkit.corpora.qrels_lines import QrelsParser, UnclearFirstLine, lines_within
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
        self._parser = QrelsParser()
        self._twins = (Twins(queries), Twins(documents))
        self._more: dict[tuple[str, str], list[tuple[int, int]]] = {}

    def plan(self) -> None:
        """Read the file and decide about every judgment.

        Raises:
            DataError: the file cannot be read to its end.
        """
        if not self._read():
            return
        self._tell_form(self._parser)
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

    def _read(self) -> bool:
        """Take in every line; false where the file cannot be understood without a rule."""
        for number, line in raw_lines(self._path, self._name, self._log, lines_within):
            line = self._without_quotes(line, number)
            if self._parser.form is None and _lacks_grades(line):
                found = "has 2 columns: the relevance column is missing"
                choice = self._rules.ask("missing-grades", self._name, number, found)
                if choice is None:
                    return False
                self._parser = QrelsParser(default_relevance=int(choice))
            quoted, header = self._parser.quoted, self._parser.header
            try:
                judgment = self._parsed(line, number)
            except Refused as refused:
                judgment = self._mended(line, number, refused)
            if judgment is None:
                if line.startswith(b"#") and self._parser.header is header:
                    self._log.form("BK049", self._name, number, "comment taken out")
                continue
            self._look_at_grade(line, number, judgment)
            if self._parser.quoted > quoted:
                judgment = self._unquoted(judgment, number)
            known = self._with_known_ids(judgment, number)
            if known is not None:
                self._take(known, number)
        return True

    def _parsed(self, line: bytes, number: int) -> Judgment | None:
        """The judgment of a line; whether a first line without the known names is a header is asked."""
        first = self._parser.form is None
        try:
            judgment = self._parser.parse(line)
        except UnclearFirstLine as unclear:
            found = unclear.found
        else:
            if not first or self._parser.header is None or self._parser.header_known:
                return judgment
            found = f"the header is {' '.join(self._parser.header)!r}"
        choice = self._rules.ask("unknown-header", self._name, number, found)
        self._parser = QrelsParser(header=choice != "judgment")
        return self._parser.parse(line)

    def _without_quotes(self, line: bytes, number: int) -> bytes:
        """A line whose every field stands in quotes without them, where that is the rule."""
        fields = line.decode("utf-8", "surrogateescape").split("\t")
        if len(fields) < 3 or not all(map(_is_quoted, fields)):
            return line
        if self._rules.ask("quoted-ids", self._name, number, "every field stands in quotes") != "strip":
            return line
        self._log.form("BK029", self._name, number, "quotes around every field taken off")
        return "\t".join(map(_bare, fields)).encode("utf-8", "surrogateescape")

    def _mended(self, line: bytes, number: int, refused: Refused) -> Judgment | None:
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
                return self._parser.parse(line)
            except Refused as still:
                refused = still
        if self._rules.ask("unreadable-judgments", self._name, number, refused.found):
            self._log.change(refused.code, self._name, number, "", f"line left out: {refused.found}")
        return None

    def _look_at_grade(self, line: bytes, number: int, judgment: Judgment) -> None:
        if self._parser.form == "pairs" or not self._parser.in_order:
            return
        grade = line.split()[-1].decode()
        if grade != str(judgment.relevance):
            code, such = ("BK047", "2.0") if "." in grade else ("", "+2 or 02")
            self._log.form(code, self._name, number, f"grade such as {such} written as a whole number")

    def _unquoted(self, judgment: Judgment, number: int) -> Judgment:
        """A judgment without the quotes around its ids, where that is the rule; known ids keep them."""
        bare = [_barest(judgment.query_id, self._queries), _barest(judgment.doc_id, self._documents)]
        if bare == [judgment.query_id, judgment.doc_id]:
            return judgment
        pair = f"{judgment.query_id}/{judgment.doc_id}"
        if self._rules.ask("quoted-ids", self._name, number, pair) != "strip":
            return judgment
        self._log.change("BK029", self._name, number, pair, "quotes taken off")
        return Judgment(bare[0], bare[1], judgment.relevance)

    def _with_known_ids(self, judgment: Judgment, number: int) -> Judgment | None:
        """The judgment with its ids in the Unicode form that is there; None where it goes."""
        ids = [judgment.query_id, judgment.doc_id]
        for place, twins in enumerate(self._twins):
            there = twins.of(ids[place])
            if not there:
                continue
            pair = f"{judgment.query_id}/{judgment.doc_id}"
            choice = self._rules.ask("ids-in-another-form", self._name, number, ascii(ids[place]))
            if choice == "drop":
                done = "judgment left out: the id is there in another Unicode form only"
                self._log.change("BK032", self._name, number, pair, done)
                return None
            if choice == "match" and len(there) == 1:
                self._log.change("BK032", self._name, number, pair, f"{ids[place]!a} is now {there[0]!a}")
                ids[place] = there[0]
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


class Twins:
    """Ids by their normal form, to find those that look like one that is not there.

    Args:
        ids: the ids that are there.
    """

    def __init__(self, ids: Collection[str]) -> None:
        self._ids = ids
        self._forms: dict[str, list[str]] | None = None

    def of(self, value: str) -> list[str]:
        """The ids that look the same; none where the id itself is there."""
        if value in self._ids:
            return []
        if self._forms is None:  # made when the first id is met that is not there
            self._forms = {}
            for each in sorted(each for each in self._ids if not each.isascii()):
                self._forms.setdefault(unicodedata.normalize("NFC", each), []).append(each)
        form = unicodedata.normalize("NFC", value)
        plain = [form] if form.isascii() and form in self._ids else []
        return plain + self._forms.get(form, [])


def _is_quoted(value: str) -> bool:
    """Whether a field stands in quotes, those inside it doubled."""
    return len(value) > 2 and value[0] == value[-1] == '"' and '"' not in value[1:-1].replace('""', "")


def _bare(value: str) -> str:
    """A field without the quotes around it, and with single ones inside; quotes around nothing stay."""
    return value[1:-1].replace('""', '"') if _is_quoted(value) else value


def _barest(value: str, there: Collection[str]) -> str:
    """An id without quotes around it, down to the first form that is there: quotes of an id belong to it."""
    while value not in there and (bare := _bare(value)) != value:
        value = bare
    return value
