"""One line of a judgment file, in the form its first line shows: BEIR's table or TREC's four columns."""

from __future__ import annotations

import re
from typing import Literal

from beirkit.corpora.files import LONE_CR, LONE_CR_TODO
from beirkit.corpora.findings import Refused
from beirkit.corpora.ids import id_problem
from beirkit.corpora.records import Judgment

Form = Literal["table", "trec", "pairs"]

_WHOLE = re.compile(r"[+-]?[0-9]+(\.0*)?", re.ASCII)
_NUMBER = re.compile(
    r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?|nan|[+-]?inf(inity)?", re.ASCII | re.IGNORECASE
)
_NAMES = {
    "query": {"query-id", "query_id", "queryid", "qid", "q_id", "query", "topic", "topic-id", "topic_id"},
    "document": {
        *(
            "corpus-id",
            "corpus_id",
            "corpusid",
            "doc-id",
            "doc_id",
            "docid",
            "did",
            "docno",
            "doc",
            "document",
        ),
        *("document-id", "document_id", "pid", "passage-id", "passage_id"),
    },
    "grade": {
        "score",
        "relevance",
        "rel",
        "grade",
        "label",
        "relevance-score",
        "relevance_score",
        "judgment",
    },
}
# Words of headers that say no role for certain; they tell a header from a judgment all the same.
_HEADER_WORDS = {
    "q",
    "d",
    "query id",
    "corpus id",
    "document id",
    "judgement",
    "rating",
    "relevancy",
    "gain",
    "qrel",
}
MAX_GRADE = 1000
"""The highest grade that is scored: pytrec_eval's nDCG slows with its square, and dies at 2^30."""

_LOW, _HIGH = -(1 << 31), (1 << 31) - 1


class UnclearFirstLine(Refused):
    """The first line of a table may be a header of unknown names, or a judgment with a damaged grade."""


class QrelsParser:
    """Reads the lines of one judgment file.

    The first line that is no comment decides the form: three tab-separated fields are BEIR's table, four
    fields at white space are TREC's (the second is ignored), three at white space are the table too. Every
    later line must have as many. A header stands only where the grade of the first line is no number; known
    names in it say which column is which. Other names are taken in BEIR's order where the third is the known
    name of a grade, or the first two are known: any other such line may be a judgment with a damaged grade,
    and is refused. Quotes are characters like any other.

    Args:
        default_relevance: the grade of every pair in a file of two columns; None: such a file is refused.
        header: whether a first line that may be a header or a judgment is one; None: it is refused.

    Attributes:
        form: the form, once it is known.
        header: the fields of the header, None where there is none.
        header_known: whether the header's names say which column is which.
        unclear: whether the first line was refused because it may be a header or a judgment.
        quoted: how many ids stand in quotes.
        decimals: how many grades are written with a decimal point, such as 1.0.
    """

    def __init__(self, default_relevance: int | None = None, *, header: bool | None = None) -> None:
        self.form: Form | None = None
        self.header: list[str] | None = None
        self.header_known = True
        self.unclear = False
        self.quoted = 0
        self.decimals = 0
        self._default = default_relevance
        self._is_named = header
        self._tabs = False
        self._columns = (0, 1, 2)
        self._width = 0
        self._grades: dict[str, int] = {}

    @property
    def in_order(self) -> bool:
        """Whether the columns stand in the order of their form; a header can name them in another."""
        return list(self._columns) == sorted(self._columns) or self.form == "pairs"

    @property
    def at_blanks(self) -> bool:
        """Whether the columns of a table are parted by blanks, not by tabs."""
        return self.form == "table" and not self._tabs

    def query_of(self, line: bytes) -> str:
        """The query a refused line seems to judge; empty where that cannot be told."""
        fields = line.split(b"\t") if self._tabs else line.split()
        place = self._columns[0]
        return fields[place].decode("utf-8", "replace") if place < len(fields) else ""

    def parse(self, line: bytes) -> Judgment | None:
        """The judgment of one line; None for a blank line, a comment or the header.

        Raises:
            Refused: the line is none of these.
        """
        if not line.strip():
            return None
        if b"\r" in line and lines_within(line):
            raise Refused("BK059", LONE_CR, LONE_CR_TODO)
        comment = line.startswith(b"#")
        if comment and self.form == "trec":
            return None
        try:
            text = line.decode("utf-8")
        except UnicodeDecodeError as error:
            raise Refused(
                "BK008", f"is not UTF-8 at byte {error.start + 1} of the line", "save it as UTF-8"
            ) from None
        if self.form is None:
            if comment and not self._is_row(text.split("\t")):
                return None
            if self._open(line, text):
                return None
        fields = text.split("\t") if self._tabs else _at_white_space(line)
        if len(fields) != self._width:
            if comment:
                return None
            raise Refused(
                "BK022",
                f"has {len(fields)} columns where the lines before have {self._width}",
                "every line has the same columns",
            )
        return self._judgment(fields)

    def _open(self, line: bytes, text: str) -> bool:
        """Settle the form by the first line; whether that line is a header."""
        fields = text.split("\t")
        self._tabs = len(fields) in (2, 3)
        if not self._tabs:
            fields = _at_white_space(line)
        self._width = len(fields)
        if self._width == 4:
            self.form, self._columns = "trec", (0, 2, 3)
        elif self._width == 3:
            self.form, self._columns = "table", (0, 1, 2)
        elif self._width == 2:
            return self._open_pairs(fields)
        else:
            found = f"has {self._width} column{'s' * (self._width != 1)}"
            if self._width == 1 and "," in text:
                found += "; are they separated by commas?"
            if self._width == 6:
                found += ", which looks like a run"
            todo = "judgments have 3 columns (query, document, grade) or TREC's 4 (query, 0, document, grade)"
            raise Refused("BK022", found, f"{todo}, between tabs or blanks")
        return self._is_header(fields)

    def _open_pairs(self, fields: list[str]) -> bool:
        if self._default is None:
            raise Refused(
                "BK022",
                "has 2 columns: the relevance column is missing",
                "if every pair is relevant, say default_relevance=1 or --default-relevance 1",
            )
        self.form, self._columns = "pairs", (0, 1, -1)
        return _is_header_of_pairs(fields)

    def _is_header(self, fields: list[str]) -> bool:
        grade = fields[self._columns[2]].strip()
        roles = [column_role(field) for field in fields]
        known = all(roles.count(role) == 1 for role in ("query", "document", "grade"))
        if known and (not _NUMBER.fullmatch(grade)):
            self._columns = (roles.index("query"), roles.index("document"), roles.index("grade"))
        elif not grade or _NUMBER.fullmatch(grade) or self.form == "trec" or self._is_named is False:
            return False
        elif self._is_named or _names_columns(fields):
            self.header_known = False
        else:
            self.unclear = True
            todo = "give the judgment a whole number as grade, or name the columns query-id, corpus-id, score"
            if grade[0] == grade[-1] == '"':
                todo = "take the quotes off"
            found = f"the grade is {grade!r}, no number, and the line is no header that is known"
            raise UnclearFirstLine("BK023", found, todo)
        self.header = fields
        return True

    @staticmethod
    def _is_row(fields: list[str]) -> bool:
        return len(fields) == 3 and bool(_NUMBER.fullmatch(fields[2].strip()))

    def _judgment(self, fields: list[str]) -> Judgment:
        query, document, grade = self._columns
        query_id, doc_id = fields[query], fields[document]
        for what, value in (("query", query_id), ("document", doc_id)):
            if not value.isprintable() or not value:
                problem = id_problem(value)
                if problem:
                    raise Refused("BK007", f"{what} id {value!r} {problem}", "give it another id")
            if value[0] == '"' and value[-1] == '"' and len(value) > 1:
                self.quoted += 1
        if grade < 0:
            return Judgment(query_id, doc_id, self._default or 0)
        text = fields[grade]
        relevance = self._grades.get(text)
        if relevance is None:
            relevance = self._grades[text] = parse_grade(text)
        self.decimals += "." in text
        return Judgment(query_id, doc_id, relevance)


def lines_within(line: bytes) -> list[bytes]:
    """The lines of a line that end with a carriage return alone; none where it holds no such lines.

    They are lines where all have the columns of judgments, and as many; else the carriage return is a
    control character in an id.
    """
    parts = [part for part in line.split(b"\r") if part.strip()]
    if len(parts) < 2:
        return []
    widths = {len(part.split(b"\t")) if b"\t" in part else len(part.split()) for part in parts}
    return parts if widths in ({2}, {3}, {4}) else []


def parse_grade(text: str) -> int:
    """A grade as a whole number; ``2.0`` is one.

    Raises:
        Refused: the grade is missing, fractional, no number, or beyond 32 bits (what trec_eval holds).
    """
    stripped = text.strip()
    if not stripped:
        raise Refused("BK023", "the grade is missing: an empty score", "give every judgment its grade")
    if not _WHOLE.fullmatch(stripped):
        kind = "not a whole number" if _NUMBER.fullmatch(stripped) else "no number"
        todo = (
            "take the quotes off"
            if stripped[0] == stripped[-1] == '"'
            else "map grades to whole numbers first"
        )
        raise Refused("BK023", f"the grade is {stripped!r}, {kind}", todo)
    value = int(stripped.split(".")[0]) if len(stripped) < 20 else _HIGH + 1
    if not _LOW <= value <= _HIGH:
        raise Refused(
            "BK023", f"the grade is {stripped}, beyond 32 bits", "map grades to small whole numbers"
        )
    return value


def column_role(name: str) -> str:
    """What a column of this name holds: ``query``, ``document``, ``grade``, or nothing that is known."""
    name = name.strip().lower()
    return next((role for role, names in _NAMES.items() if name in names), "")


def _names_columns(fields: list[str]) -> bool:
    """Whether a first line without the three known names is a header all the same."""
    known = [bool(column_role(field)) or field.strip().lower() in _HEADER_WORDS for field in fields]
    return known[2] or (known[0] and known[1])


def is_header_of_pairs(line: bytes) -> bool:
    """Whether a line names a column of queries and one of documents, and no other."""
    text = line.decode("utf-8", "replace")
    return _is_header_of_pairs(text.split("\t") if "\t" in text else text.split())


def _is_header_of_pairs(fields: list[str]) -> bool:
    return [column_role(field) for field in fields] == ["query", "document"]


def _at_white_space(line: bytes) -> list[str]:
    """Fields at ASCII white space, as C programs split; a no-break space belongs to its id."""
    return [field.decode("utf-8") for field in line.split()]
