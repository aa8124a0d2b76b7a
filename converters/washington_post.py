"""The TREC Washington Post collection, with background linking or other topics of the News Track."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import ClassVar

import msgspec

from beirkit.converters.base import Converter
from beirkit.converters.reading.markdown import MarkedText
from beirkit.converters.reading.readers import read_jsonl
from beirkit.converters.reading.rows import Row
from beirkit.converters.reading.source import Source
from beirkit.converters.reading.trec_task import Task, TaskOptions
from beirkit.converters.reading.without import WITHOUT_DOCUMENTS, documents_unless
from beirkit.corpora.collection import Collection
from beirkit.corpora.errors import DataError
from beirkit.corpora.files import byte_lines
from beirkit.corpora.records import Document, Query

_ARTICLES = ("*.jl", "*.jsonl", "*washington*.json")
_DOCID = "docid"


class WashingtonPostOptions(TaskOptions, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Options of :class:`WashingtonPost`."""

    field: str = _DOCID
    articles: str = ""
    without_documents: bool = False

    def __post_init__(self) -> None:
        if self.without_documents and self.field == _DOCID:
            raise ValueError("field=docid needs the articles, and without_documents leaves them out")


class WashingtonPost(Converter[WashingtonPostOptions]):
    """The Washington Post collection: one JSON line an article, with topics and qrels below one folder.

    An article's text is its paragraphs (``contents`` of subtype ``paragraph``), one a line: ``text/plain``
    as it is, ``text/html`` as html2text gives it, without links, images and emphasis. That package is the
    extra ``html``; it is needed where a paragraph holds markup.

    Options:
        topics: pattern of the file with the topics; by default ``*topics*``.
        topics_format: ``sgml``, ``xml``, ``tsv`` or ``colon``, where the file does not show it.
        field: what a query's text is; with ``docid``, as background linking topics have, the title of the
            article that the topic names, which is looked up in the collection.
        collapse: make runs of white space in a query one blank.
        query_metadata: fields of the topics that become metadata of the queries, such as ``[docid, url]``.
        qrels: the file of each split; by default ``*qrels*``.
        grades: the grade of each grade of the qrels, such as ``{0: 0, 2: 1, 4: 2, 8: 3, 16: 4}``; complete.
        keep_topics: ``all``, those that are ``judged``, or those that have a ``relevant`` document.
        articles: pattern of the file or files with the articles; by default ``*.jl`` or ``*.jsonl``.
        without_documents: read topics and qrels only, with another ``field`` than ``docid``.
    """

    name: ClassVar[str] = "washington-post"
    summary: ClassVar[str] = "the TREC Washington Post collection (.jl) with News Track topics and qrels"
    Options: ClassVar[type[WashingtonPostOptions]] = WashingtonPostOptions

    def convert(self, raw: Path | None, options: WashingtonPostOptions) -> Collection:
        """Open the collection.

        Raises:
            DataError: articles, topics or qrels are missing; the message lists what is there.
        """
        assert raw is not None  # the catalog sees to it
        source = Source(raw)
        patterns = (options.articles,) if options.articles else _ARTICLES
        articles: list[str] = []
        if not options.without_documents:
            instead = "" if options.field == _DOCID else WITHOUT_DOCUMENTS
            only = partial(source.only, what="the articles", instead=instead)
            articles = source.find(*patterns) or [only(*patterns)]
        task = Task(source, options)

        def paths() -> Iterator[Path]:
            return map(source.path, articles)

        return self.collection(
            source,
            options,
            files=[*articles, *task.files],
            documents=documents_unless(options.without_documents, lambda: _documents(paths())),
            queries=task.queries if options.field != _DOCID else lambda: _titled(task, paths()),
            judgments=task.judgments,
        )


def _documents(paths: Iterator[Path]) -> Iterator[Document]:
    marked = MarkedText()
    for path in paths:
        for row in read_jsonl(path):
            text = "\n".join(filter(None, _paragraphs(row, marked)))
            yield Document(row.id("id"), _one_line(row.text("title")), text)


def _paragraphs(row: Row, marked: MarkedText) -> Iterator[str]:
    for part in row.list("contents"):
        if not isinstance(part, dict) or part.get("subtype") != "paragraph":
            continue  # kickers, dates, pictures, videos, tweets, and nulls, of which there are some
        content = row.as_text("contents", part.get("content"))
        yield _one_line(marked(content) if part.get("mime") == "text/html" else content)


class _Head(msgspec.Struct):
    """What of an article says which one it is; the rest of its line is skipped."""

    id: str = ""
    title: str | None = None


def _titled(task: Task, paths: Iterator[Path]) -> Iterator[Query]:
    """The kept topics with the titles of their articles, looked up in one pass that ends with the last."""
    topics = list(task.topics())
    wanted = {topic.text(_DOCID) for topic in topics}
    titles: dict[str, str] = {}
    decoder = msgspec.json.Decoder(_Head)
    for path in paths:
        for number, line in byte_lines(path):
            if len(titles) == len(wanted):
                break
            try:
                head = decoder.decode(line) if line.strip() else _Head()
            except (msgspec.DecodeError, UnicodeDecodeError) as error:
                raise DataError(f"is no article: {error}", path=path, line=number) from error
            if head.id in wanted:
                titles[head.id] = _one_line(head.title or "")
    for topic in topics:
        docid = topic.text(_DOCID)
        if not titles.get(docid):
            found = (
                f"topic {topic.number} names article {docid}, which is not in the collection or has no title"
            )
            hint = "is this the version of the collection that the topics are of?"
            raise DataError(found, path=topic.path, line=topic.line, hint=hint)
        yield task.query(topic, titles[docid])


def _one_line(text: str) -> str:
    return " ".join(text.split())
