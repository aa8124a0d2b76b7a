"""FEVER: claims, and the pages of Wikipedia that support or refute them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import ClassVar, NamedTuple

import msgspec

from beirkit.converters.base import Converter
from beirkit.converters.reading.readers import read_jsonl
from beirkit.converters.reading.rows import Row
from beirkit.converters.reading.source import Source
from beirkit.converters.reading.wikipedia import PAGES, fever_pages, page_id
from beirkit.converters.reading.without import documents_unless
from beirkit.corpora.collection import Collection
from beirkit.corpora.notices import Once
from beirkit.corpora.records import Judgment, Query

_CLAIMS = {"train": "train.jsonl", "dev": "paper_dev.jsonl", "test": "paper_test.jsonl"}
_UNDECIDED = "NOT ENOUGH INFO"


class FeverOptions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Options of :class:`Fever`."""

    claims: dict[str, str] = msgspec.field(default_factory=_CLAIMS.copy)
    pages: str = PAGES
    without_documents: bool = False


class Claim(NamedTuple):
    """A claim that its evidence decides, and the pages of that evidence, each once."""

    query: Query
    pages: list[str]


class Fever(Converter[FeverOptions]):
    """FEVER's claims as queries, the pages of their evidence as relevant documents.

    Claims that the pages do not decide (``NOT ENOUGH INFO``) are left out and counted. The id of a document
    is the name of its page with brackets and colons restored, its title the same with blanks; its text stays
    as tokens between blanks. Names are compared with accented letters composed (NFC), for claims and pages
    write them in two ways.

    Options:
        claims: for each split, the file of its claims, by name or shell pattern; by default ``train.jsonl``,
            ``paper_dev.jsonl`` and ``paper_test.jsonl``, the splits of the paper.
        pages: shell pattern for the files of Wikipedia's pages, by default those of ``wiki-pages``.
        without_documents: read claims and judgments only; the pages need not be there.
    """

    name: ClassVar[str] = "fever"
    summary: ClassVar[str] = "FEVER's release: wiki-pages, and claims with evidence in JSON lines"
    Options: ClassVar[type[msgspec.Struct]] = FeverOptions

    def convert(self, raw: Path | None, options: FeverOptions) -> Collection:
        """Open the release.

        Raises:
            DataError: a file is missing; the message lists what is there.
        """
        assert raw is not None  # the catalog sees to it
        source = Source(raw)
        files = {s: source.only(p, what=f"the claims of {s}") for s, p in options.claims.items()}
        pages, documents = fever_pages(source, *() if options.without_documents else (options.pages,))
        told = Once()

        def claims(split: str) -> Iterator[Claim]:
            undecided = 0
            for row in read_jsonl(source.path(files[split])):
                if row.text("label") == _UNDECIDED:
                    undecided += 1
                else:
                    yield _claim(row)
            if undecided:
                told(f"split {split}: {undecided} claims without evidence left out ({_UNDECIDED})")

        def judgments(split: str) -> Iterator[Judgment]:
            return (Judgment(c.query.query_id, page, 1) for c in claims(split) for page in c.pages)

        return self.collection(
            source,
            options,
            files=[*pages, *files.values()],
            documents=documents_unless(options.without_documents, documents),
            queries=lambda: (claim.query for split in files for claim in claims(split)),
            judgments={split: partial(judgments, split) for split in files},
        )


def _claim(row: Row) -> Claim:
    """A decided claim. Its evidence is a list of sets of ``[annotation, evidence, page, sentence]``."""
    pages: dict[str, None] = {}
    for evidence in row.list("evidence"):
        for item in evidence if isinstance(evidence, list) else [evidence]:
            if not isinstance(item, list) or len(item) != 4:
                hint = "an item is [annotation, evidence, page, sentence]"
                raise row.error(f"its evidence holds {str(item)[:60]}", hint)
            if item[2] is not None:
                pages[page_id(row.as_id("evidence", item[2]))] = None
    if not pages:
        raise row.error(f"is labelled {row.text('label')!r} and has no page as evidence")
    return Claim(Query(row.id("id"), row.text("claim"), {"label": row.text("label")}), list(pages))
