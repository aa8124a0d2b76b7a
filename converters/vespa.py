"""Documents in the feed of Vespa, with queries in TSV and TREC qrels beside them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

import msgspec

from beirkit.converters.base import Converter
from beirkit.converters.reading.json_stream import json_records
from beirkit.converters.reading.rows import Row
from beirkit.converters.reading.source import Source
from beirkit.converters.reading.text_blocks import ids_and_texts
from beirkit.corpora.collection import Collection
from beirkit.corpora.notices import Once
from beirkit.corpora.qrels import iter_judgments
from beirkit.corpora.records import Document, Judgment, Query


class VespaOptions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Options of :class:`Vespa`."""

    documents: str = ""
    queries: str = "*quer*.tsv"
    qrels: str = "*qrels*"
    title: str = "title"
    text: str = "text"
    separator: str = " "
    metadata: list[str] = []
    split: str = "test"


class Vespa(Converter[VespaOptions]):
    """A feed of Vespa (``{"put": "id:NAMESPACE:TYPE::ID", "fields": {…}}``), queries and judgments.

    ``raw`` is a folder, zip or tar with the feed (JSON lines or a JSON array), the queries (an id, a tab and
    a text) and the qrels. What stands behind the fourth colon of a document's id is its id; a field that is
    a list is one text. Operations other than ``put`` are left out and counted.

    Options:
        documents: file of the feed, by default the only ``*.jsonl`` or ``*.json``.
        queries: file of the queries.
        qrels: file of the judgments.
        title: field of the title, which may be missing.
        text: field of the text.
        separator: what is put between the items of a list, a blank by default.
        metadata: further fields that go into the document's metadata.
        split: name of the split the judgments make.
    """

    name: ClassVar[str] = "vespa"
    summary: ClassVar[str] = "a feed of Vespa in JSON, with queries in TSV and TREC qrels"
    Options: ClassVar[type[msgspec.Struct]] = VespaOptions

    def convert(self, raw: Path | None, options: VespaOptions) -> Collection:
        """Find the three files.

        Raises:
            DataError: one is missing, or several could be meant; the message lists what is there.
        """
        assert raw is not None  # the catalog sees to it
        source = Source(raw)
        feed = source.only(
            *([options.documents] if options.documents else ["*.jsonl", "*.json"]), what="a feed"
        )
        asked = source.only(options.queries, what="queries")
        judged = source.only(options.qrels, what="judgments")
        say = Once()

        def documents() -> Iterator[Document]:
            others = 0
            for row in json_records(source.path(feed)):
                if "put" in row.cells:
                    yield _document(row, options)
                else:
                    others += 1
            if others:
                say(f"{feed}: {others} operations that put no document left out")

        def queries() -> Iterator[Query]:
            return (Query(query_id, text) for query_id, text in ids_and_texts(source.path(asked)))

        def judgments() -> Iterator[Judgment]:
            return iter_judgments(source.path(judged), warn=say)

        return self.collection(
            source,
            options,
            files=[feed, asked, judged],
            documents=documents,
            queries=queries,
            judgments={options.split: judgments},
        )


def _document(row: Row, options: VespaOptions) -> Document:
    parts = row.text("put").split(":", 4)  # an id of the user's own may have further colons
    fields = row.cell("fields")
    if len(parts) < 5 or parts[0] != "id":
        raise row.error(f"the document id is {row.cells['put']!r}", "it should be id:NAMESPACE:TYPE::ID")
    if not isinstance(fields, dict):
        raise row.error("its fields are no object")
    cells = row._replace(cells=fields)

    def text(field: str) -> str:
        value: Any = cells.cell(field)
        return options.separator.join(cells.texts(field)) if isinstance(value, list) else cells.text(field)

    metadata = {field: fields[field] for field in options.metadata if field in fields}
    title = text(options.title) if options.title in fields else ""
    return Document(row.as_id("put", parts[4]), title, text(options.text), metadata)
