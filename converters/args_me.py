"""The args.me corpus with the topics and judgments of Touché: arguments as documents."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

import msgspec

from beirkit.converters.base import Converter
from beirkit.converters.reading.json_stream import json_items
from beirkit.converters.reading.rows import Row
from beirkit.converters.reading.source import Source
from beirkit.converters.reading.trec_topics import Topic, read_topics
from beirkit.corpora.collection import Collection
from beirkit.corpora.notices import Once
from beirkit.corpora.qrels import iter_judgments
from beirkit.corpora.records import Document, Judgment, Query

_SPAM = -2  # Touché's grade for what is no argument

_URL = "sourceUrl"


class ArgsMeOptions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Options of :class:`ArgsMe`."""

    grade_of_spam: int | None = None
    topics: str = "topics*.xml"
    qrels: str = "*qrels*"


class ArgsMe(Converter[ArgsMeOptions]):
    """Touché's argument retrieval over args.me, as BEIR has it: conclusions as titles, premises as texts.

    ``raw`` is a folder or archive with the corpus (``args-me*.json``, one document ``{"arguments": [...]}``,
    read one argument at a time), the topics (XML) and the judgments (TREC qrels). Stance and address of an
    argument are in its metadata, description and narrative of a topic in the query's. Touché judged what is
    no argument with -2; in the current version of BEIR's files such arguments have 0, in the older one -2.

    Options:
        grade_of_spam: the grade of arguments that were judged -2, such as 0; by default they keep -2.
        topics: file of the topics.
        qrels: file of the judgments.
    """

    name: ClassVar[str] = "args-me"
    summary: ClassVar[str] = "the args.me corpus (args-me*.json) with Touché's topics in XML and its qrels"
    Options: ClassVar[type[msgspec.Struct]] = ArgsMeOptions

    def convert(self, raw: Path | None, options: ArgsMeOptions) -> Collection:
        """Open the corpus.

        Raises:
            DataError: a file is missing, or several could be meant; the message lists them.
        """
        assert raw is not None  # the catalog sees to it
        source = Source(raw)
        corpus = source.only("args-me*.json", "args_me*.json", what="the arguments")
        topics = source.only(options.topics, what="the topics")
        qrels = source.only(options.qrels, what="the judgments")

        told = Once()

        def judgments() -> Iterator[Judgment]:
            for judgment in iter_judgments(source.path(qrels), warn=told):
                if judgment.relevance == _SPAM and options.grade_of_spam is not None:
                    judgment = Judgment(judgment.query_id, judgment.doc_id, options.grade_of_spam)
                yield judgment

        return self.collection(
            source,
            options,
            files=[corpus, topics, qrels],
            documents=lambda: map(_document, json_items(source.path(corpus), "arguments")),
            queries=lambda: map(_query, read_topics(source.path(topics), "xml")),
            judgments={"test": judgments},
        )


def _document(row: Row) -> Document:
    premises = [_inner(row, "premises", premise) for premise in row.list("premises")]
    text = " ".join(premise.text("text") for premise in premises)
    metadata = {"stance": premises[0].text("stance")} if premises else {}
    context = _inner(row, "context", row.cells.get("context") or {})
    if context.cells.get(_URL):
        metadata["url"] = context.text(_URL)
    return Document(row.id("id"), row.text("conclusion"), text, metadata)


def _inner(row: Row, name: str, value: Any) -> Row:
    """An object inside a record, at the record's line."""
    if not isinstance(value, dict):
        raise row.error(f"{name!r} holds {str(value)[:40]!r}, which is no object")
    return Row(row.path, row.line, value)


def _query(topic: Topic) -> Query:
    more = {name: topic.fields[name] for name in ("description", "narrative") if topic.fields.get(name)}
    return Query(topic.number, topic.text("title"), more)
