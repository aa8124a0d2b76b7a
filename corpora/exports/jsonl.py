"""Records as JSON lines under plain keys, which need no reader of their own."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, ClassVar

import msgspec

from beirkit.corpora.errors import DataError
from beirkit.corpora.exports.base import Facts, FolderExport, Records
from beirkit.corpora.files import atomic_open
from beirkit.corpora.qrels_write import write_qrels
from beirkit.corpora.records import Document, Query

_encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode


class JsonlOptions(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Options of :class:`Jsonl`."""

    contents: bool = False
    gzip: bool = False


class Jsonl(FolderExport[JsonlOptions]):
    """JSON lines: ``documents/documents.jsonl``, ``queries.jsonl`` and ``judgments/<split>.jsonl``.

    A document has the keys ``id``, ``title`` and ``text``, a query ``id`` and ``text``, both ``metadata``
    where there is any; a judgment ``query_id``, ``doc_id`` and ``relevance``. Documents have a folder of
    their own, since indexers take one and read every file in it.

    Options:
        contents: write ``id`` and ``contents`` instead, which Pyserini's and Anserini's ``JsonCollection``
            indexes; that is the title, a line end and the text, or the text alone where there is no title.
        gzip: compress the files.
    """

    name: ClassVar[str] = "jsonl"
    summary: ClassVar[str] = "JSON lines under plain keys, or for Pyserini's and Anserini's JsonCollection"
    Options: ClassVar[type[msgspec.Struct]] = JsonlOptions

    def write(self, records: Records, folder: Path, facts: Facts, options: JsonlOptions) -> None:
        """Write the files; see :class:`FolderExport`."""
        suffix = ".jsonl.gz" if options.gzip else ".jsonl"
        with atomic_open(folder / "documents" / f"documents{suffix}") as out:
            for document in records.documents():
                fields = _contents(document) if options.contents else _document(document)
                out.write(json_line(fields, document.doc_id))
        with atomic_open(folder / f"queries{suffix}") as out:
            for query in records.queries():
                out.write(json_line(_query(query), query.query_id))
        for split in records.splits:
            write_qrels(folder / "judgments" / f"{split}{suffix}", records.judgments(split), "jsonl")


def json_line(fields: dict[str, Any], name: str) -> str:
    """One object as a line, its end included.

    Raises:
        DataError: it cannot be written as JSON.
    """
    try:
        return _encode(fields) + "\n"
    except (TypeError, ValueError) as error:
        raise DataError(f"record {name!r} cannot be written as JSON: {error}") from error


def _document(document: Document) -> dict[str, Any]:
    fields: dict[str, Any] = {"id": document.doc_id, "title": document.title, "text": document.text}
    return fields | ({"metadata": document.metadata} if document.metadata else {})


def _contents(document: Document) -> dict[str, Any]:
    text = f"{document.title}\n{document.text}" if document.title else document.text
    return {"id": document.doc_id, "contents": text}


def _query(query: Query) -> dict[str, Any]:
    fields: dict[str, Any] = {"id": query.query_id, "text": query.text}
    return fields | ({"metadata": query.metadata} if query.metadata else {})
