"""TREC collections: documents in SGML or as web pages, topics, qrels."""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

from beirkit.converters.base import Converter
from beirkit.converters.reading.source import Source
from beirkit.converters.reading.trec_documents import TEXT_TAGS, TITLE_TAGS, Reading, read_documents
from beirkit.converters.reading.trec_task import Task, TaskOptions
from beirkit.corpora.collection import Collection
from beirkit.corpora.errors import DataError
from beirkit.corpora.notices import Once
from beirkit.corpora.records import Document

_OF_EXPORT = "export.json"  # what `beirkit export --to trec` says of its files


class TrecOptions(TaskOptions, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Options of :class:`Trec`."""

    documents: str | tuple[str, ...] = ()
    without_documents: bool = False
    title_tags: tuple[str, ...] = TITLE_TAGS
    text_tags: tuple[str, ...] = TEXT_TAGS
    metadata_tags: tuple[str, ...] = ()
    encoding: str = "utf-8"
    skip_documents_without_id: bool = False

    def __post_init__(self) -> None:
        try:
            codecs.lookup(self.encoding)
        except LookupError as error:
            raise ValueError(f"encoding {self.encoding!r} is none that Python knows") from error
        if not self.text_tags:
            raise ValueError("text_tags is empty: no document would have a text")


class Trec(Converter[TrecOptions]):
    """A TREC test collection: ``<DOC>`` files, topics and qrels below one folder, or in a zip or tar.

    Documents are SGML (``<DOC><DOCNO>``, the text in elements such as ``<TEXT>``) or web pages behind a
    ``<DOCHDR>``, in one file or in thousands, read in the order of their names, plain or compressed; files of
    the Unix program compress (``.Z``) need the extra ``trec`` and are unpacked in Python, so that unpacking
    them once with ``gzip -d`` saves much time. Bytes that are no characters become U+FFFD and are counted.
    Topics are SGML (``<top>``, with or without closing tags and labels), XML (``<topic number="1">``), or one
    a line as ``id``, tab, text or ``id:text``.

    Options:
        topics: pattern of the file or files with the topics; by default ``*topics*`` or ``*testset*``.
        topics_format: ``sgml``, ``xml``, ``tsv`` or ``colon``, where the file does not show it.
        field: what a query's text is: ``title``, ``description``, ``narrative``, any other field of the
            topics, or several, such as ``title+description``. Topics of one line have a title only.
        collapse: make runs of white space in a query one blank; without it each line end becomes one blank
            and nothing else changes, as TREC-COVID's queries in BEIR were made.
        query_metadata: fields of the topics that become metadata of the queries, or ``all``.
        qrels: the file, or a pattern of files, of each split, such as ``{test: qrels.robust04.txt}``; by
            default ``*qrels*``, with the split that the name tells, else ``test``.
        grades: the grade of each grade of the qrels, such as ``{0: 0, 2: 1, 4: 2}``; complete.
        keep_topics: ``all``, those that are ``judged``, or those that have a ``relevant`` document; the
            judgments of the others go with them.
        documents: pattern of the files with the documents, or several; by default every other file.
        without_documents: read topics and qrels only, for instance before the licence of the documents has
            come; the folder then has no document.
        title_tags: elements that make the title, in the order of the document.
        text_tags: elements that make the text, in the order of the document.
        metadata_tags: elements that become metadata, under their names in lower case.
        encoding: of the documents.
        skip_documents_without_id: leave out documents without ``<DOCNO>``, and count them, instead of
            refusing the file.
    """

    name: ClassVar[str] = "trec"
    summary: ClassVar[str] = "TREC documents (SGML or web), topics (SGML, XML, tsv) and qrels"
    Options: ClassVar[type[TrecOptions]] = TrecOptions

    def convert(self, raw: Path | None, options: TrecOptions) -> Collection:
        """Open the collection.

        Raises:
            DataError: topics, qrels or documents are missing; the message lists what is there.
        """
        assert raw is not None  # the catalog sees to it
        source = Source(raw)
        task = Task(source, options)
        patterns = (options.documents,) if isinstance(options.documents, str) else options.documents
        names = [] if options.without_documents else _document_files(source, task, patterns)
        reading = Reading(
            options.title_tags,
            options.text_tags,
            options.metadata_tags,
            options.encoding,
            options.skip_documents_without_id,
        )
        tell = Once()

        def documents() -> Iterator[Document]:
            if names:
                folder = source.folder("", names)  # all at once: a tar is read through for each call
                yield from read_documents((folder / name for name in names), reading, tell)

        return self.collection(
            source,
            options,
            files=[*names, *task.files],
            documents=documents,
            queries=task.queries,
            judgments=task.judgments,
        )


def _document_files(source: Source, task: Task, patterns: tuple[str, ...]) -> list[str]:
    names = source.find(*patterns) if patterns else source.names
    found = [name for name in names if name not in task.files and (patterns or name != _OF_EXPORT)]
    if not found:
        wanted = " or ".join(patterns) or "beside the topics and the qrels"
        hint = "name them with documents=PATTERN; for topics and qrels alone, without_documents=true"
        raise DataError(f"has no file of documents {wanted}", path=source.raw, hint=hint)
    return found
