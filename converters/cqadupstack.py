"""CQADupStack's forums from the release: of questions that duplicate each other, one is the query."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache, partial
from pathlib import Path
from typing import Any, ClassVar, Literal

import msgspec

from beirkit.converters.base import Converter
from beirkit.converters.reading.clusters import Clusters
from beirkit.converters.reading.given import GivenSplits
from beirkit.converters.reading.json_stream import json_members
from beirkit.converters.reading.markdown import MarkedText
from beirkit.converters.reading.markup import html_title_and_text
from beirkit.converters.reading.rows import Row
from beirkit.converters.reading.source import Source
from beirkit.corpora.collection import Collection
from beirkit.corpora.notices import Once
from beirkit.corpora.records import Document, Judgment, Query

_LINE_ENDS = re.compile(r"\n+")


class CqadupstackOptions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Options of :class:`Cqadupstack`."""

    forum: str = ""
    body: Literal["markdown", "text", "html"] = "markdown"
    splits: str = ""


class Cqadupstack(Converter[CqadupstackOptions]):
    """One forum of CQADupStack as BEIR has it: titles of threads as queries, their duplicates as relevant.

    ``raw`` is the folder or archive of a forum, or one with several, with ``FORUM_questions.json``; a folder
    of the release's archives (``FORUM.zip``) is read as it is. Documents are the first posts of all threads
    that are no query, with title, body and, in the metadata, tags. Threads that are marked as duplicates,
    directly or through others, are one cluster, and one thread of each cluster is a query.

    Which thread that is in BEIR is documented nowhere and looks drawn by chance; here it is the one that was
    asked first, the smallest id. Numbers of documents, queries and judgments do not depend on it. For BEIR's
    own queries and judgments name the folder of its qrels with ``splits``.

    Options:
        forum: which of several forums, such as ``android``.
        body: of posts: ``markdown``: as BEIR's look: html2text (the part ``html``) without links, line ends
            becoming a blank; ``text``: their plain text, white space one blank; ``html``: as released.
        splits: folder with BEIR's ``test.tsv`` of this forum: queries and judgments are taken from there.
    """

    name: ClassVar[str] = "cqadupstack"
    summary: ClassVar[str] = "one forum of CQADupStack's release: FORUM_questions.json, or FORUM.zip"
    Options: ClassVar[type[msgspec.Struct]] = CqadupstackOptions

    def convert(self, raw: Path | None, options: CqadupstackOptions) -> Collection:
        """Open the forum.

        Raises:
            DataError: it is not there, or there are several and none was chosen.
            UsageError: there is no folder of the name in ``splits``.
        """
        assert raw is not None  # the catalog sees to it
        packed = raw / f"{options.forum}.zip"
        source = Source(packed if options.forum and packed.is_file() else raw)
        name = source.only(f"{options.forum or '*'}_questions.json", what="the threads of the forum")
        given = GivenSplits(Path(options.splits)) if options.splits else None
        told = Once()

        def threads() -> Iterator[tuple[str, Row]]:
            return json_members(source.path(name))

        @cache
        def relevant() -> dict[str, list[str]]:
            """Of each query the other threads of its cluster."""
            return _relevant(threads(), told)

        @cache
        def asked() -> frozenset[str]:
            if given:
                return frozenset(judgment.query_id for s in given.names for judgment in given.judgments(s))
            return frozenset(relevant())

        def documents() -> Iterator[Document]:
            text_of = _BODIES[options.body]()
            for thread_id, row in threads():
                if thread_id not in asked():
                    yield Document(thread_id, row.text("title"), text_of(row.text("body")), _tags(row))

        def judgments() -> Iterator[Judgment]:
            return (Judgment(one, other, 1) for one, others in relevant().items() for other in others)

        return self.collection(
            source,
            options,
            files=[name],
            documents=documents,
            queries=lambda: (
                Query(thread_id, row.text("title"), _tags(row))
                for thread_id, row in threads()
                if thread_id in asked()
            ),
            judgments={split: partial(given.judgments, split) for split in given.names}
            if given
            else {"test": judgments},
            more_inputs=given.inputs() if given else None,
        )


def _markdown() -> Callable[[str], str]:
    marked = MarkedText(plain=False)
    return lambda body: _LINE_ENDS.sub(" ", marked(body)).strip()


_BODIES: dict[str, Callable[[], Callable[[str], str]]] = {
    "markdown": _markdown,
    "text": lambda: lambda body: html_title_and_text(body)[1],
    "html": lambda: str,
}


def _relevant(threads: Iterator[tuple[str, Row]], told: Once) -> dict[str, list[str]]:
    clusters = Clusters()
    links: list[tuple[str, str]] = []
    known: set[str] = set()
    for thread_id, row in threads:
        known.add(thread_id)
        links += [(thread_id, other) for other in row.cells.get("dups") or ()]
    missing = {other for _, other in links} - known
    if missing:
        told(f"{len(missing)} duplicates that are no threads of the forum left out ({min(missing)}, …)")
    for one, other in links:
        if other not in missing:
            clusters.link(one, other)
    oldest_first = (sorted(cluster, key=lambda one: (len(one), one)) for cluster in clusters)
    return {first: others for first, *others in sorted(oldest_first, key=lambda ids: (len(ids[0]), ids[0]))}


def _tags(row: Row) -> dict[str, Any]:
    return {"tags": row.texts("tags")} if row.cells.get("tags") else {}
