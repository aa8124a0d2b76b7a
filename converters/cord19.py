"""CORD-19 with the topics and judgments of TREC-COVID."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import ClassVar

from beirkit.converters.base import Converter
from beirkit.converters.reading.papers import Dedupe, Papers
from beirkit.converters.reading.readers import read_csv
from beirkit.converters.reading.source import Source
from beirkit.converters.reading.trec_task import Task, TaskOptions
from beirkit.converters.reading.without import WITHOUT_DOCUMENTS, documents_unless
from beirkit.corpora.collection import Collection


class Cord19Options(TaskOptions, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Options of :class:`Cord19`."""

    field: str = "question"
    collapse: bool = False
    query_metadata: tuple[str, ...] = ("query", "narrative")
    dedupe: Dedupe = "cord_uid"
    without_documents: bool = False

    def __post_init__(self) -> None:
        if self.without_documents and self.dedupe == "title":
            raise ValueError("dedupe=title needs the papers, and without_documents leaves them out")


class Cord19(Converter[Cord19Options]):
    """TREC-COVID: the ``metadata.csv`` of one release of CORD-19, topics and qrels, below one folder.

    Title and text are the paper's title and abstract, either of which may be empty; ``url`` and
    ``pubmed_id`` are metadata. A release names some papers in several rows, with one ``cord_uid`` or with
    several. Of rows that are one document the first with an abstract is taken, else the first. Merging keeps
    the papers' ids, and with ``title`` the titles, in memory.

    Options:
        topics: pattern of the file with the topics; by default ``*topics*``.
        topics_format: ``sgml``, ``xml``, ``tsv`` or ``colon``, where the file does not show it.
        field: what a query's text is: ``question``, ``query``, ``narrative``, or several with ``+``.
        collapse: make runs of white space in a query one blank.
        query_metadata: fields of the topics that become metadata of the queries, or ``all``.
        qrels: the file of each split, such as ``{test: qrels-covid_d5_j0.5-5.txt}``; by default ``*qrels*``.
        grades: the grade of each grade of the qrels; complete.
        keep_topics: ``all``, those that are ``judged``, or those that have a ``relevant`` document.
        dedupe: which rows are one document: ``none``, each is its own, so that an id that stands twice is
            refused; ``cord_uid``, those of one id; ``title``, those of one id or one title, letter case and
            white space aside. There a judgment goes to the document that its paper became, and of two of
            different grades the higher one counts.
        without_documents: read topics and qrels only; ``metadata.csv`` need not be there.
    """

    name: ClassVar[str] = "cord19"
    summary: ClassVar[str] = "CORD-19's metadata.csv with TREC-COVID's topics and qrels"
    Options: ClassVar[type[Cord19Options]] = Cord19Options

    def convert(self, raw: Path | None, options: Cord19Options) -> Collection:
        """Open the release.

        Raises:
            DataError: ``metadata.csv``, topics or qrels are missing; the message lists what is there.
        """
        assert raw is not None  # the catalog sees to it
        source = Source(raw)
        table = []
        if not options.without_documents:
            table = [source.only("metadata.csv", what="the papers", instead=WITHOUT_DOCUMENTS)]
        task = Task(source, options)
        papers = Papers(lambda: read_csv(source.path(table[0])), options.dedupe)
        judgments = {split: partial(papers.judgments, start) for split, start in task.judgments.items()}
        return self.collection(
            source,
            options,
            files=[*table, *task.files],
            documents=documents_unless(options.without_documents, papers.documents),
            queries=task.queries,
            judgments=judgments,
        )
