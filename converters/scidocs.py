"""SciDocs' citation task from its release: a paper's title as query, papers it cites as relevant."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

from beirkit.converters.base import Converter, NoOptions
from beirkit.converters.reading.json_stream import json_members
from beirkit.converters.reading.present import Present
from beirkit.converters.reading.rows import Row
from beirkit.converters.reading.source import Source
from beirkit.corpora.collection import Collection
from beirkit.corpora.errors import DataError
from beirkit.corpora.notices import Once
from beirkit.corpora.qrels import iter_judgments
from beirkit.corpora.records import Document, Judgment, Query

_METADATA = ("authors", "year", "cited_by", "references")


class Scidocs(Converter[NoOptions]):
    """SCIDOCS as BEIR has it: 1,000 papers as queries, each with papers it cites and papers it does not.

    ``raw`` is the folder or archive of the release, with ``paper_metadata_view_cite_read.json`` and
    ``cite/test.qrel``. Documents are the papers that some query judges, with title, abstract and, in the
    metadata, authors, year and both directions of citation; a query is a paper's title. Papers that are not
    cited keep their grade 0: they are judged. Judgments of papers without metadata are left out and counted;
    of repeated ones the first counts. Options: none.
    """

    name: ClassVar[str] = "scidocs"
    summary: ClassVar[str] = "SciDocs's release: paper_metadata_view_cite_read.json and cite/test.qrel"

    def convert(self, raw: Path | None, options: NoOptions) -> Collection:
        """Open the release.

        Raises:
            DataError: a file is missing; the message says which.
        """
        assert raw is not None  # the catalog sees to it
        source = Source(raw)
        papers = source.only("paper_metadata_view_cite_read.json", what="the papers")
        qrels = source.only("cite/test.qrel", what="the judgments")

        told = Once()

        def judged() -> Iterator[Judgment]:
            return iter_judgments(source.path(qrels), warn=told)

        def documents() -> Iterator[Document]:
            wanted = {judgment.doc_id for judgment in judged()}
            for paper_id, row in json_members(source.path(papers)):
                if paper_id in wanted:
                    yield Document(paper_id, row.text("title"), row.text("abstract"), _metadata(row))

        def queries() -> Iterator[Query]:
            missing = {judgment.query_id: None for judgment in judged()}
            for paper_id, row in json_members(source.path(papers)):
                if paper_id in missing:
                    del missing[paper_id]
                    yield Query(paper_id, row.text("title"), _metadata(row))
            if missing:
                found = f"lacks {len(missing)} papers that are queries, such as {next(iter(missing))}"
                raise DataError(found, path=source.path(papers))

        present = Present(documents, lambda: (judgment.doc_id for judgment in judged()))
        return self.collection(
            source,
            options,
            files=[papers, qrels],
            documents=present.documents,
            queries=queries,
            judgments={"test": lambda: present.only(judged(), "split test")},
        )


def _metadata(row: Row) -> dict[str, Any]:
    return {name: row.cells[name] for name in _METADATA if name in row.cells}
