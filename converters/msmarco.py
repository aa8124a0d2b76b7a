"""MS MARCO and the TREC Deep Learning tracks: collection, queries and qrels in tables without headers."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import ClassVar, Literal

import msgspec

from beirkit.converters.base import Converter
from beirkit.converters.reading.readers import read_jsonl
from beirkit.converters.reading.source import Source
from beirkit.converters.reading.text_blocks import ids_and_texts, problem_of, text_blocks
from beirkit.converters.reading.without import WITHOUT_DOCUMENTS, documents_unless
from beirkit.corpora.collection import Collection
from beirkit.corpora.errors import DataError
from beirkit.corpora.ids import id_problem
from beirkit.corpora.notices import Once
from beirkit.corpora.qrels import iter_judgments
from beirkit.corpora.records import Document, Judgment, Query

Form = Literal["passages", "documents", "json"]

_COLLECTION = {"passages": "collection.tsv", "documents": "msmarco-docs.tsv", "json": "*.json*"}
_QUERIES = {
    "train": "queries.train.tsv", "dev": "queries.dev.small.tsv", "test": "msmarco-test2019-queries.tsv",
}  # fmt: skip
_QRELS = {"train": "qrels.train.tsv", "dev": "qrels.dev.small.tsv", "test": "2019qrels-pass.txt"}


class MsmarcoOptions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Options of :class:`Msmarco`."""

    form: Form = "passages"
    collection: str = ""
    queries: dict[str, str] = msgspec.field(default_factory=_QUERIES.copy)
    qrels: dict[str, str] = msgspec.field(default_factory=_QRELS.copy)
    all_queries: bool = False
    without_documents: bool = False

    def __post_init__(self) -> None:
        if alone := sorted(self.queries.keys() ^ self.qrels.keys()):
            raise ValueError(f"split {alone[0]!r} needs a file in `queries` and one in `qrels`")
        if not self.queries:
            raise ValueError("no split has a file in `queries` and `qrels`")


class Msmarco(Converter[MsmarcoOptions]):
    """MS MARCO's files: one collection, and for each split its queries and qrels, all without a header.

    The texts stay as they are, the wrongly decoded characters of the release included. Files are named by
    shell patterns; one that ends in ``.gz`` is found under its plain name too. By default the splits are
    those of BEIR: ``train``, ``dev`` (the small one, of 6,980 queries) and ``test`` (TREC DL 2019), each with
    its judged queries only.

    Options:
        form: ``passages``: lines of id and text; ``documents``: lines of id, URL, title and text; ``json``:
            JSON lines of the second release, passages, documents or segments, in one file or many.
        collection: file of the collection, by default ``collection.tsv``, ``msmarco-docs.tsv``, ``*.json*``.
        queries: for each split, the file of its queries.
        qrels: for each split, the file of its judgments.
        all_queries: keep queries without judgments too.
        without_documents: read queries and judgments only; the collection need not be there.
    """

    name: ClassVar[str] = "msmarco"
    summary: ClassVar[str] = "MS MARCO and TREC DL: collection.tsv, queries.*.tsv, qrels; documents, v2 JSON"
    Options: ClassVar[type[msgspec.Struct]] = MsmarcoOptions

    def convert(self, raw: Path | None, options: MsmarcoOptions) -> Collection:
        """Open the release.

        Raises:
            DataError: a file is missing, or several could be meant; the message lists what is there.
        """
        assert raw is not None  # the catalog sees to it
        source = Source(raw)
        queries = {s: source.only(p, what=f"the queries of {s}") for s, p in options.queries.items()}
        qrels = {s: source.only(p, what=f"the judgments of {s}") for s, p in options.qrels.items()}
        collection = [] if options.without_documents else _collection(source, options)
        read = _READERS[options.form]
        told = Once()

        def documents() -> Iterator[Document]:
            for name in collection:
                yield from read(source.path(name))

        def asked() -> Iterator[Query]:
            known: dict[str, str] = {}
            for split, name in queries.items():
                judged = {judgment.query_id for judgment in judgments(split)}
                left_out = 0
                for query_id, text in ids_and_texts(source.path(name)):
                    if query_id not in judged and not options.all_queries:
                        left_out += 1
                    elif known.get(query_id) != text:  # one that two splits share is given once
                        known[query_id] = text
                        yield Query(query_id, text)
                if left_out:
                    told(f"split {split}: {left_out} queries without a judgment left out")

        def judgments(split: str) -> Iterator[Judgment]:
            return iter_judgments(source.path(qrels[split]), warn=told)

        return self.collection(
            source,
            options,
            files=dict.fromkeys([*collection, *queries.values(), *qrels.values()]),
            documents=documents_unless(options.without_documents, documents),
            queries=asked,
            judgments={split: partial(judgments, split) for split in qrels},
        )


def _collection(source: Source, options: MsmarcoOptions) -> list[str]:
    pattern = options.collection or _COLLECTION[options.form]
    if options.form == "json" and (several := source.find(pattern)):
        return several
    return [source.only(pattern, what="the collection", instead=WITHOUT_DOCUMENTS)]


def _passages(path: Path) -> Iterator[Document]:
    return (Document(doc_id, "", text) for doc_id, text in ids_and_texts(path))


def _documents(path: Path) -> Iterator[Document]:
    for first, block in text_blocks(path):
        for number, line in enumerate(block, first):
            cells = line.split("\t", 3)
            if len(cells) == 4 and not id_problem(cells[0]):
                yield Document(cells[0], cells[2], cells[3], {"url": cells[1]} if cells[1] else {})
            elif line.strip():
                found = problem_of(cells[0], len(cells) == 4)
                hint = "each line is an id, a URL, a title and a text, between tabs"
                raise DataError(found, path=path, line=number, hint=hint)


def _json(path: Path) -> Iterator[Document]:
    """Records of the second release: passages have a ``pid``, documents and segments of them a ``docid``."""
    for row in read_jsonl(path):
        name = "pid" if "pid" in row.cells else "docid"
        text = next((key for key in ("passage", "segment", "body") if key in row.cells), "body")
        rest = {key: value for key, value in row.cells.items() if key not in (name, text, "title")}
        yield Document(row.id(name), row.text("title") if "title" in row.cells else "", row.text(text), rest)


_READERS = {"passages": _passages, "documents": _documents, "json": _json}
