"""Climate-FEVER: claims about the climate, and pages of Wikipedia that bear on them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

import msgspec

from beirkit.converters.base import Converter
from beirkit.converters.reading.readers import read_jsonl
from beirkit.converters.reading.source import Source
from beirkit.converters.reading.wikipedia import PAGES, fever_pages, page_name
from beirkit.converters.reading.without import documents_unless
from beirkit.corpora.collection import Collection
from beirkit.corpora.notices import Once
from beirkit.corpora.records import Document, Judgment, Query


class ClimateFeverOptions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Options of :class:`ClimateFever`."""

    pages: str = PAGES
    more_pages: str = ""
    split: str = "test"
    without_documents: bool = False


class ClimateFever(Converter[ClimateFeverOptions]):
    """Climate-FEVER's claims as queries, every page of their evidence as relevant, whatever its label.

    The documents are FEVER's pages of Wikipedia. Some judged pages are not among them, for they are from a
    later Wikipedia; they are counted and named, and ``more_pages`` adds them. That file is made by the user,
    in JSON lines as FEVER's: ``id`` is the name of the page, such as ``Fox_(animal)``, and ``text`` its text.

    Options:
        pages: shell pattern for the files of FEVER's pages, by default those of ``wiki-pages``.
        more_pages: file of further pages in ``raw``, by name or shell pattern.
        split: name of the split.
        without_documents: read claims and judgments only; the pages need not be there.
    """

    name: ClassVar[str] = "climate-fever"
    summary: ClassVar[str] = "Climate-FEVER's claims in JSON lines, over the wiki-pages of FEVER"
    Options: ClassVar[type[msgspec.Struct]] = ClimateFeverOptions

    def convert(self, raw: Path | None, options: ClimateFeverOptions) -> Collection:
        """Open claims and pages.

        Raises:
            DataError: a file is missing; the message lists what is there.
        """
        assert raw is not None  # the catalog sees to it
        source = Source(raw)
        claims = source.only("climate-fever*.jsonl", what="the claims")
        patterns = [options.pages, *filter(None, [options.more_pages])]
        pages, every_page = fever_pages(source, *([] if options.without_documents else patterns))
        told = Once()

        def documents() -> Iterator[Document]:
            missing = dict.fromkeys(judgment.doc_id for judgment in judgments())
            judged = len(missing)
            for document in every_page():
                missing.pop(document.doc_id, None)
                yield document
            if missing:
                names = ", ".join(list(missing)[:30])
                told(f"{len(missing)} of {judged} judged pages are not there: {names}; more_pages adds them")

        def queries() -> Iterator[Query]:
            for row in read_jsonl(source.path(claims)):
                label = row.text("claim_label") if "claim_label" in row.cells else ""
                yield Query(row.id("claim_id"), row.text("claim").strip(), {"label": label} if label else {})

        def judgments() -> Iterator[Judgment]:
            for row in read_jsonl(source.path(claims)):
                articles: dict[str, None] = {}
                for evidence in row.list("evidences"):
                    if not isinstance(evidence, dict) or "article" not in evidence:
                        raise row.error(f"its evidence {str(evidence)[:60]} has no 'article'")
                    articles[page_name(row.as_id("article", evidence["article"]))] = None
                yield from (Judgment(row.id("claim_id"), article, 1) for article in articles)

        return self.collection(
            source,
            options,
            files=[claims, *pages],
            documents=documents_unless(options.without_documents, documents),
            queries=queries,
            judgments={options.split: judgments},
        )
