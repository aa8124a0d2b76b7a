"""Signal-1M Related Tweets: tweets, news articles that ask for them, and their judgments."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import ClassVar

import msgspec

from beirkit.converters.base import Converter
from beirkit.converters.reading.readers import format_of, read_jsonl
from beirkit.converters.reading.rows import Row
from beirkit.converters.reading.source import Source
from beirkit.converters.reading.trec_judgments import TrecJudgments
from beirkit.corpora.collection import Collection
from beirkit.corpora.compressed import bare_name
from beirkit.corpora.errors import DataError
from beirkit.corpora.files import lines
from beirkit.corpora.notices import Once
from beirkit.corpora.records import Document, Query

_ENDINGS = (".tsv", ".txt", ".jsonl")
_TWEETS = tuple(f"*tweet*{ending}" for ending in _ENDINGS)
_TOPICS = tuple(f"*{word}*{ending}" for word in ("topics", "articles", "signal*1m") for ending in _ENDINGS)

# Emoticons, symbols and pictographs, transport and map signs, flags: the four ranges that BEIR took out.
_EMOJI = re.compile("[\U0001f600-\U0001f64f\U0001f300-\U0001f5ff\U0001f680-\U0001f6ff\U0001f1e0-\U0001f1ff]+")
_LINK = re.compile(r"http\S+")


class Signal1mOptions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Options of :class:`Signal1m`."""

    tweets: str = ""
    topics: str = ""
    qrels: str = ""
    only_relevant: bool = True


class Signal1m(Converter[Signal1mOptions]):
    """Signal-1M Related Tweets as BEIR has it: articles' titles as queries, tweets as documents.

    Tweets are JSON lines as the service gave them (``id_str`` or ``id``, ``full_text`` or ``text``), or one a
    line as id, tab, text. Emoji, line ends and links are taken out of them and the edges stripped, in this
    order; a tweet with nothing left is no document. Articles are JSON lines (``id``, ``title``) or id, tab,
    title; only judged ones are queries, so the whole of Signal-1M may be given.

    Options:
        tweets: pattern of the file or files with the tweets; by default ``*tweet*``.
        topics: pattern of the file with the articles; by default ``*topics*``, ``*articles*`` or
            ``*signal*1m*``.
        qrels: pattern of the file with the judgments; by default ``*qrels*``.
        only_relevant: leave out judgments of grade 0, as BEIR does.
    """

    name: ClassVar[str] = "signal1m"
    summary: ClassVar[str] = "Signal-1M Related Tweets: tweets and articles as JSON lines or tsv, and qrels"
    Options: ClassVar[type[Signal1mOptions]] = Signal1mOptions

    def convert(self, raw: Path | None, options: Signal1mOptions) -> Collection:
        """Open the collection.

        Raises:
            DataError: tweets, articles or qrels are missing; the message lists what is there.
        """
        assert raw is not None  # the catalog sees to it
        source = Source(raw)
        qrels = TrecJudgments(
            source,
            {"test": options.qrels} if options.qrels else {},
            keep="relevant" if options.only_relevant else "judged",
            only_relevant=options.only_relevant,
        )

        def find(asked: str, patterns: tuple[str, ...], what: str, taken: tuple[str, ...]) -> list[str]:
            wanted = (asked,) if asked else patterns
            found = [name for name in source.find(*wanted) if name not in taken]
            return found or [source.only(*wanted, what=what)]

        tweets = find(options.tweets, _TWEETS, "the tweets", qrels.files)
        topics = find(options.topics, _TOPICS, "the articles", (*qrels.files, *tweets))
        tell = Once()
        return self.collection(
            source,
            options,
            files=[*tweets, *topics, *qrels.files],
            documents=lambda: _documents(map(source.path, tweets), tell),
            queries=lambda: _queries(map(source.path, topics), qrels),
            judgments={split: partial(qrels.read, split) for split in qrels.splits},
        )


def _documents(paths: Iterator[Path], tell: Once) -> Iterator[Document]:
    empty = 0
    for path in paths:
        for tweet_id, text in _records(path, ("id_str", "id"), ("full_text", "text")):
            if cleaned := _LINK.sub("", _EMOJI.sub("", text).replace("\n", "")).strip():
                yield Document(tweet_id, "", cleaned)
            else:
                empty += 1
    if empty:
        tell(f"tweets without text but emoji and links, left out: {empty}")


def _queries(paths: Iterator[Path], qrels: TrecJudgments) -> Iterator[Query]:
    for path in paths:
        for article_id, title in _records(path, ("id",), ("title", "text")):
            if qrels.keeps(article_id):
                yield Query(article_id, title.strip())


def _records(path: Path, ids: tuple[str, ...], texts: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """Id and text of each line, in JSON under the first of the names that it has."""
    if not bare_name(path.name).endswith(".txt") and format_of(path) == "jsonl":
        for row in read_jsonl(path):
            yield row.id(_name(row, ids)), row.text(_name(row, texts))
        return
    for number, line in lines(path):
        record_id, tab, text = line.partition("\t")
        if tab:
            yield Row(path, number, {"id": record_id}).id("id"), text
        elif line.strip():
            raise DataError("has no tab between id and text", path=path, line=number)


def _name(row: Row, names: tuple[str, ...]) -> str:
    return next((name for name in names if row.cells.get(name) is not None), names[0])
