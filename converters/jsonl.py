"""JSON lines under plain keys: what ``beirkit export --to jsonl`` writes, read back."""

from __future__ import annotations

from functools import partial
from pathlib import Path, PurePosixPath
from typing import ClassVar

import msgspec

from beirkit.converters.base import Converter
from beirkit.converters.reading.source import Source
from beirkit.corpora.collection import Collection
from beirkit.corpora.compressed import bare_name
from beirkit.corpora.errors import DataError
from beirkit.corpora.jsonl import read_documents, read_queries
from beirkit.corpora.notices import Once
from beirkit.corpora.qrels import iter_judgments


class JsonlOptions(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Options of :class:`Jsonl`."""

    documents: str = "documents.jsonl"
    queries: str = "queries.jsonl"
    judgments: str = "judgments/*.jsonl"
    id: str = "id"
    title: str = "title"
    text: str = "text"


class Jsonl(Converter[JsonlOptions]):
    """JSON lines of documents (``id``, ``title``, ``text``), queries (``id``, ``text``) and judgments.

    A folder that ``beirkit export --to jsonl`` wrote comes back as it was, ``metadata``, blanks and documents
    without a text included; files of one's own may have other names and keys. A judgment has a key for the
    query, one for the document and one for the grade: ``query_id``, ``doc_id`` and ``relevance``, or as other
    tools call them; each file of judgments is a split, called by its name. In Pyserini's form
    (``contents=true``), read with ``text=contents``, titles are part of the texts.

    Options:
        documents: the file of the documents; plain or compressed, as the others.
        queries: the file of the queries.
        judgments: the files of the judgments.
        id: key of the id of documents and queries.
        title: key of a document's title.
        text: key of a document's text; that of a query is ``text``.
    """

    name: ClassVar[str] = "jsonl"
    summary: ClassVar[str] = "JSON lines of documents, queries and judgments, as `beirkit export` writes them"
    Options: ClassVar[type[msgspec.Struct]] = JsonlOptions

    def convert(self, raw: Path | None, options: JsonlOptions) -> Collection:
        """Find the files.

        Raises:
            DataError: one is missing, or several could be meant; the message lists what is there.
        """
        assert raw is not None  # the catalog sees to it
        source = Source(raw)
        documents = source.only(options.documents, what="the documents")
        queries = source.only(options.queries, what="the queries")
        found = source.find(options.judgments) or [source.only(options.judgments, what="the judgments")]
        say = Once()
        judged: dict[str, str] = {}
        for name in found:
            split = PurePosixPath(bare_name(name)).stem
            if split in judged:
                found_twice = f"has two files of the split {split!r}: {judged[split]} and {name}"
                raise DataError(found_twice, path=raw, hint="take one of them out")
            judged[split] = name
        keys = {"_id": options.id, "title": options.title, "text": options.text}
        return self.collection(
            source,
            options,
            files=[documents, queries, *judged.values()],
            documents=lambda: read_documents(source.path(documents), keys=keys, warn=say),
            queries=lambda: read_queries(source.path(queries), keys={"_id": options.id}, warn=say),
            judgments={
                split: partial(lambda name: iter_judgments(source.path(name), warn=say), name)
                for split, name in judged.items()
            },
        )
