"""A TREC test collection: documents in SGML, topics, qrels."""

from __future__ import annotations

import re
from collections.abc import Callable
from html import escape
from pathlib import Path
from typing import ClassVar, Literal

import msgspec

from beirkit.corpora.errors import DataError
from beirkit.corpora.exports.base import Facts, FolderExport, Records
from beirkit.corpora.files import atomic_open
from beirkit.corpora.ids import has_white_space, id_problem
from beirkit.corpora.qrels_write import write_qrels
from beirkit.corpora.records import Document, Query

# Neither SGML nor XML has a way to write these; line ends and tabs are white space there.
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ufffe\uffff]")
# What readers of topics without closing tags take for a part of the form, wherever it stands.
_TOPIC_TAG = re.compile(r"</?(top|num|title|desc|narr)\b|^Topic[ \t]*(:|$)", re.IGNORECASE)
_FIELDS = ("description", "narrative")


class TrecOptions(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Options of :class:`Trec`."""

    topics: Literal["tsv", "xml", "sgml"] = "tsv"
    exact: bool = False
    gzip: bool = False


class Trec(FolderExport[TrecOptions]):
    """A TREC test collection: ``documents/documents.trec``, ``topics.tsv`` and ``qrels.<split>.txt``.

    A document is ``<DOC>`` with ``<DOCNO>``, ``<TITLE>`` (where there is one) and ``<TEXT>``, each tag on a
    line of its own; ``&``, ``<`` and ``>`` in title and text are written ``&amp;``, ``&lt;`` and ``&gt;``.
    Documents have a folder of their own, since indexers take one and read every file in it.

    Ids with white space are refused: no reader of qrels or runs could tell them from the next column.
    Metadata are left out but for a query's ``description`` and ``narrative`` in topics of SGML or XML.
    Control characters become blanks, and so does white space within a query. All of that is counted.

    Options:
        topics: ``tsv`` (id, tab, text: the one form that every tool reads and no text can break), ``xml``
            (``<topic number="1">``) or ``sgml`` (``<top>`` with ``<num>`` and ``<title>``).
        exact: refuse every record that readers would not give back as it is, also for its white space, which
            most of them fold to single blanks.
        gzip: compress documents and topics.
    """

    name: ClassVar[str] = "trec"
    summary: ClassVar[str] = "TREC documents (SGML), topics (tsv, XML or SGML) and qrels"
    Options: ClassVar[type[msgspec.Struct]] = TrecOptions

    def write(self, records: Records, folder: Path, facts: Facts, options: TrecOptions) -> None:
        """Write the files; see :class:`FolderExport`."""
        writer = _Writer(records, exact=options.exact)
        suffix = ".gz" if options.gzip else ""
        with atomic_open(folder / "documents" / f"documents.trec{suffix}") as out:
            for document in records.documents():
                out.write(writer.document(document))
        head, topic, tail = _TOPICS[options.topics]
        with atomic_open(folder / f"topics.{_ENDINGS[options.topics]}{suffix}") as out:
            out.write(head)
            for query in records.queries():
                out.write(topic(writer.query(query, options.topics)))
            out.write(tail)
        for split in records.splits:
            write_qrels(folder / f"qrels.{split}.txt", records.judgments(split), "trec")


class _Writer:
    """Makes records fit the form, and counts what that changes."""

    def __init__(self, records: Records, *, exact: bool) -> None:
        self._changed = records.changed
        self._exact = exact

    def document(self, document: Document) -> str:
        """The ``<DOC>`` of a document."""
        where = f"document {document.doc_id!r}"
        _require_id(document.doc_id, where)
        if "<" in document.doc_id:
            self._tell(where, "documents whose id holds <, which some readers take for a tag")
        if document.metadata:
            self._tell(where, "documents without their metadata")
        title, text = (_CONTROL.sub(" ", value) for value in (document.title, document.text))
        if (title, text) != (document.title, document.text):
            self._tell(where, "documents with blanks instead of control characters")
        if self._exact and (_folded(title), _folded(text)) != (title, text):
            self._refuse(where, "has white space that is folded")
        parts = [f"<DOC>\n<DOCNO>{document.doc_id}</DOCNO>\n"]
        if title:
            parts.append(f"<TITLE>\n{escape(title, quote=False)}\n</TITLE>\n")
        parts.append(f"<TEXT>\n{escape(text, quote=False)}\n</TEXT>\n</DOC>\n")
        return "".join(parts)

    def query(self, query: Query, topics: str) -> Query:
        """A query whose texts can stand in the form, with only the metadata that have a place there."""
        where = f"query {query.query_id!r}"
        _require_id(query.query_id, where)
        if query.query_id[0] in "#\ufeff":
            raise DataError(f"the id of {where} begins like a comment or a byte-order mark", hint=_OTHER_ID)
        if topics == "xml" and _CONTROL.search(query.query_id):
            raise DataError(f"the id of {where} holds what XML cannot", hint="topics=tsv can carry it")
        kept = {name: query.metadata[name] for name in _FIELDS if isinstance(query.metadata.get(name), str)}
        if topics == "tsv":
            kept = {}
        if kept != query.metadata:
            self._tell(where, "queries without their metadata")
        texts = {name: _folded(_CONTROL.sub(" ", text)) for name, text in {"": query.text, **kept}.items()}
        if texts != {"": query.text, **kept}:
            self._tell(where, "queries with single blanks instead of other white space or control characters")
        if topics == "sgml" and any(map(_TOPIC_TAG.search, texts.values())):
            self._tell(where, "queries with a text that readers of <top> take for a tag or a label")
        if self._exact and not texts[""]:
            self._refuse(where, "has no text, and a topic needs one")
        return Query(query.query_id, texts.pop(""), {name: text for name, text in texts.items() if text})

    def _tell(self, where: str, what: str) -> None:
        if self._exact:
            self._refuse(where, f"would be among {what}")
        self._changed[what] += 1

    def _refuse(self, where: str, found: str) -> None:
        raise DataError(
            f"{where} {found}", hint="export without exact=true, or to jsonl, which holds any text"
        )


_OTHER_ID = "give it another id, or export to jsonl, which holds any"


def _require_id(value: str, where: str) -> None:
    problem = id_problem(value) or ("holds white space" if has_white_space(value) else "")
    if "</docno" in value.lower():
        problem = "holds the end of its element"
    if problem:
        raise DataError(f"the id of {where} {problem}: it cannot stand in TREC's form", hint=_OTHER_ID)


def _folded(text: str) -> str:
    return " ".join(text.split())


def _tsv(query: Query) -> str:
    return f"{query.query_id}\t{query.text}\n"


def _xml(query: Query) -> str:
    fields = "".join(f"<{name}>{escape(text)}</{name}>\n" for name, text in query.metadata.items())
    return (
        f'<topic number="{escape(query.query_id)}">\n<title>{escape(query.text)}</title>\n{fields}</topic>\n'
    )


def _sgml(query: Query) -> str:
    fields = "".join(
        f"<{name[:4]}> {name.capitalize()}:\n{text}\n\n" for name, text in query.metadata.items()
    )
    return f"<top>\n\n<num> Number: {query.query_id}\n<title> {query.text}\n\n{fields}</top>\n\n"


# What stands before the topics, a topic, and what stands after them.
_TOPICS: dict[str, tuple[str, Callable[[Query], str], str]] = {
    "tsv": ("", _tsv, ""),
    "xml": ('<?xml version="1.0" encoding="UTF-8"?>\n<topics>\n', _xml, "</topics>\n"),
    "sgml": ("", _sgml, ""),
}
_ENDINGS = {"tsv": "tsv", "xml": "xml", "sgml": "txt"}
