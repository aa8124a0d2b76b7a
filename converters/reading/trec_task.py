"""The queries and judgments of a TREC track: what every collection's converter has in common."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import msgspec

from beirkit.converters.reading.source import Source
from beirkit.converters.reading.trec_judgments import Keep, TrecJudgments
from beirkit.converters.reading.trec_topics import Form, Topic, field_name, read_topics
from beirkit.corpora.errors import DataError
from beirkit.corpora.records import Query

_TOPICS = ("*topics*", "*testset*")


class TaskOptions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Options of every converter of a TREC track."""

    topics: str = ""
    topics_format: Form | None = None
    field: str = "title"
    collapse: bool = True
    query_metadata: tuple[str, ...] = ()
    qrels: dict[str, str] = {}
    grades: dict[int, int] = {}
    keep_topics: Keep = "all"


class Task:
    """Topics and judgments of a source.

    Args:
        source: holds the files.
        options: which, and how they are read.

    Raises:
        DataError: there are no topics or no judgments.
    """

    def __init__(self, source: Source, options: TaskOptions) -> None:
        self._source = source
        self._options = options
        patterns = (options.topics,) if options.topics else _TOPICS
        qrels = TrecJudgments(source, options.qrels, grades=options.grades, keep=options.keep_topics)
        topics = [name for name in source.find(*patterns) if name not in qrels.files]
        self._topics = topics or [source.only(*patterns, what="the topics")]
        self.qrels = qrels
        self.files = (*self._topics, *qrels.files)
        self.judgments = {split: partial(qrels.read, split) for split in qrels.splits}

    def topics(self) -> Iterator[Topic]:
        """The topics that are kept, in the order of their files.

        Raises:
            DataError: a topic stands in two files, with other texts.
        """
        seen: dict[str, Topic] = {}
        for name in self._topics:
            for topic in read_topics(self._source.path(name), self._options.topics_format):
                first = seen.setdefault(topic.number, topic)
                if first is topic:
                    if self.qrels.keeps(topic.number):
                        yield topic
                elif first.fields != topic.fields:
                    found = f"topic {topic.number} has another text in {first.path.name}:{first.line}"
                    raise DataError(found, path=topic.path, line=topic.line, hint="choose a file: topics=")

    def queries(self) -> Iterator[Query]:
        """The kept topics with the text of the chosen field."""
        return (self.query(topic, topic.text(self._options.field)) for topic in self.topics())

    def query(self, topic: Topic, text: str) -> Query:
        """A topic as a query of the given text, with the metadata that was asked for."""
        options = self._options
        text = " ".join(text.split()) if options.collapse else text
        wanted = tuple(map(field_name, options.query_metadata))
        fields = topic.fields.items() if "all" in wanted else ((k, topic.fields.get(k)) for k in wanted)
        return Query(topic.number, text, {name: value for name, value in fields if value})
