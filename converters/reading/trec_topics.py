"""TREC topics: SGML without closing tags, XML, ``id:text`` and two columns."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Literal, NamedTuple
from xml.parsers import expat

from beirkit.corpora.errors import DataError, nearest
from beirkit.corpora.files import lines
from beirkit.corpora.ids import id_problem

Form = Literal["sgml", "xml", "colon", "tsv"]

# The short tags of SGML topics, under the names that people use.
_NAMES = {"num": "number", "desc": "description", "narr": "narrative", "dom": "domain", "smry": "summary"}
# What assessors write before a field's own text; a label is taken off in its field only.
_LABELS = {
    "number": "Number", "title": "Topic", "description": "Description", "narrative": "Narrative",
    "domain": "Domain", "summary": "Summary", "con": r"Concept\(s\)", "fac": r"Factor\(s\)",
    "def": r"Definition\(s\)",
}  # fmt: skip
_NUMBERS = ("number", "num", "id", "qid")  # what a topic's id is called, as an attribute or a field

# A field starts at a known tag wherever it stands, and at any other tag that opens a line.
_FIELD = re.compile(
    r"<(num|title|desc|narr|dom|smry|con|fac|def|docid|url|query|querytime|querytweettime)(?:\s[^<>]*)?>"
    r"|^[ \t]*<([a-z][\w-]*)(?:\s[^<>]*)?>",
    re.IGNORECASE | re.MULTILINE,
)
_TOP = re.compile(r"<top(?:\s[^<>]*)?>", re.IGNORECASE)
_END_OF_TOP = re.compile(r"</top>", re.IGNORECASE)


class Topic(NamedTuple):
    """One topic and where it starts.

    Attributes:
        number: its id.
        fields: its texts by field, such as ``title``, ``description``, ``narrative``, ``question``; each
            line end became one blank, and nothing else was changed but the edges.
        path: the file.
        line: the line it starts at, from 1.
    """

    number: str
    fields: dict[str, str]
    path: Path
    line: int

    def text(self, wanted: str) -> str:
        """The text of a field, or of several, such as ``title+description``, with a blank between.

        Raises:
            DataError: the topic has none of them.
        """
        names = [field_name(name) for name in wanted.split("+")]
        texts = [self.fields[name] for name in names if self.fields.get(name)]
        if not texts:
            hint = nearest(names[0], [name for name, text in self.fields.items() if text])
            found = f"topic {self.number} has no {wanted}"
            raise DataError(found, path=self.path, line=self.line, hint=hint)
        return " ".join(texts)


def field_name(name: str) -> str:
    """The name of a field by any of its names: ``desc`` is ``description``."""
    name = name.strip().lower()
    return _NAMES.get(name, name)


def read_topics(path: Path, form: Form | None = None) -> Iterator[Topic]:
    """The topics of a file, plain or compressed.

    Args:
        path: the file.
        form: its form; None: known by what it holds.

    Raises:
        DataError: the file is not of the form, a topic has no id, or two have the same one; with path and
            line.
    """
    numbered = list(lines(path))
    text = "\n".join(line for _, line in numbered)
    form = form or _form_of(text)
    if form == "sgml":
        topics = _sgml(path, text)
    elif form == "xml":
        topics = _xml(path, text)
    else:
        topics = _columns(path, numbered, "\t" if form == "tsv" else ":")
    seen: dict[str, int] = {}
    for topic in topics:
        if not topic.number or (problem := id_problem(topic.number)):
            found = f"the number of the topic {problem}" if topic.number else "the topic has no number"
            raise DataError(found, path=path, line=topic.line)
        first = seen.setdefault(topic.number, topic.line)
        if first != topic.line:
            raise DataError(f"topic {topic.number} was at line {first} already", path=path, line=topic.line)
        yield topic
    if not seen:
        raise DataError("holds no topic", path=path, hint="is it of another form? see topics_format")


def _form_of(text: str) -> Form:
    if _TOP.search(text):
        return "sgml"
    if re.search(r"<topic[\s>]", text):
        return "xml"
    first = next((line for line in text.split("\n") if line.strip()), "")
    return "tsv" if "\t" in first else "colon"


def _sgml(path: Path, text: str) -> Iterator[Topic]:
    starts = list(_TOP.finditer(text))
    for start, after in zip(starts, [*starts[1:], None], strict=False):
        body = text[start.end() : after.start() if after else len(text)]
        if end := _END_OF_TOP.search(body):
            body = body[: end.start()]
        fields = dict(_fields(body))
        yield Topic(fields.pop("number", ""), fields, path, text.count("\n", 0, start.start()) + 1)


def _fields(body: str) -> Iterator[tuple[str, str]]:
    """The fields of an SGML topic; a second tag of the field being read closes it, as people mistype it."""
    found: dict[str, list[str]] = {}
    tags = list(_FIELD.finditer(body))
    for tag, after in zip(tags, [*tags[1:], None], strict=False):
        raw = (tag[1] or tag[2]).lower()
        name = field_name(raw)
        text = body[tag.end() : after.start() if after else len(body)]
        text = re.sub(rf"</{raw}>\s*$", "", text, flags=re.IGNORECASE).strip()
        if label := _LABELS.get(name):
            text = re.sub(rf"^{label}(?:[ \t]*:|[ \t]*$)", "", text, flags=re.MULTILINE, count=1)
        found.setdefault(name, []).append(_joined(text))
    for name, texts in found.items():
        yield name, " ".join(filter(None, texts))


class _XmlTopics:
    """Collects the ``<topic>`` elements of a file; each child, and each attribute, is a field."""

    def __init__(self, path: Path, text: str) -> None:
        self.topics: list[Topic] = []
        self._path = path
        self._depth = 0  # below the topic; 0: outside of one
        self._field = ""
        self._parser = expat.ParserCreate()
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._data
        self._parser.EntityDeclHandler = self._refuse
        try:
            self._parser.Parse(text, True)
        except expat.ExpatError as error:
            found = f"is not XML: {expat.errors.messages[error.code]}"
            hint = "write & as &amp;, and close each element; for topics of <top>, topics_format=sgml"
            raise DataError(found, path=path, line=error.lineno, hint=hint) from error

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        if self._depth:
            self._depth += 1
            if self._depth == 2:
                self._field = field_name(name)
                fields = self.topics[-1].fields
                fields[self._field] = f"{fields[self._field]}\n" if fields.get(self._field) else ""
        elif name.lower() in ("topic", "top"):
            self._depth = 1
            fields = {field_name(key): value for key, value in attributes.items()}
            self.topics.append(Topic("", fields, self._path, self._parser.CurrentLineNumber))

    def _data(self, data: str) -> None:
        if self._depth > 1:
            self.topics[-1].fields[self._field] += data

    def _end(self, _name: str) -> None:
        self._depth = max(0, self._depth - 1)

    def _refuse(self, name: str, *_rest: object) -> None:
        found = f"declares the entity {name!r}; topics need none"
        raise DataError(found, path=self._path, line=self._parser.CurrentLineNumber)


def _xml(path: Path, text: str) -> Iterator[Topic]:
    for topic in _XmlTopics(path, text).topics:
        fields = {name: _joined(value.strip()) for name, value in topic.fields.items()}
        numbers = [fields.pop(name) for name in _NUMBERS if name in fields]
        yield topic._replace(number=next(iter(numbers), ""), fields=fields)


def _columns(path: Path, numbered: list[tuple[int, str]], sign: str) -> Iterator[Topic]:
    """Topics of one line; the first sign parts id and text, since texts may hold it too."""
    for line, text in numbered:
        number, found, rest = text.partition(sign)
        if found:
            yield Topic(number.strip(), {"title": rest.strip()}, path, line)
        elif text.strip():
            what = "tab" if sign == "\t" else "colon"
            hint = "a topic of one line is id, tab, text, or id:text"
            raise DataError(f"has no {what} between id and text", path=path, line=line, hint=hint)


def _joined(text: str) -> str:
    return text.strip().replace("\n", " ")
