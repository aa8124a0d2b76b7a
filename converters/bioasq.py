"""BioASQ's document task from its releases: PubMed's abstracts, and the questions of task 8b."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Any, ClassVar, Literal

import msgspec

from beirkit.converters.base import Converter
from beirkit.converters.reading.json_stream import json_items
from beirkit.converters.reading.present import Present
from beirkit.converters.reading.readers import read_csv
from beirkit.converters.reading.rows import Row
from beirkit.converters.reading.seen_numbers import SeenNumbers
from beirkit.converters.reading.source import Source
from beirkit.corpora.collection import Collection
from beirkit.corpora.notices import Once
from beirkit.corpora.records import Document, Judgment, Query

_METADATA = ("journal", "year", "meshMajor")


class BioasqOptions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Options of :class:`Bioasq`."""

    encoding: Literal["iso-8859-1", "cp1252", "utf-8"] = "iso-8859-1"
    articles: str = "allMeSH*.json"
    train: str = "training*b.json"
    test: str = "*_golden.json"
    metadata: bool = False


class Bioasq(Converter[BioasqOptions]):
    """BioASQ as BEIR has it: PubMed's abstracts as documents, the cited ones as relevant to a question.

    ``raw`` is a folder or archive with the abstracts of task a (``allMeSH_2020.json``), the questions of task
    8b (``training8b.json``; ``8B1_golden.json`` to ``8B5_golden.json`` are the split ``test``) and, where you
    have it, BEIR's sheet of abstracts that are missing from the former (``…Manual-Fixes….tsv`` or ``.csv``:
    pmid, title, abstract). The fifteen million abstracts are read one at a time; of several with one pmid
    the first counts, for which one bit of each pmid is held.

    A judged document is the last part of the address that the question cites, its grade is 1, and judgments
    of abstracts that are not there are left out.

    Options:
        encoding: of the abstracts: the releases are not UTF-8. Bytes 80 to 9F are control characters in
            ``iso-8859-1``, as most readers of this file take it, and dashes and quotes in ``cp1252``.
        articles: file of the abstracts.
        train: files of the questions for training; there may be none.
        test: files of the questions for testing.
        metadata: keep journal, year and MeSH headings of an abstract.
    """

    name: ClassVar[str] = "bioasq"
    summary: ClassVar[str] = "BioASQ's releases: allMeSH_2020.json, training8b.json, 8B1_golden.json, …"
    Options: ClassVar[type[msgspec.Struct]] = BioasqOptions

    def convert(self, raw: Path | None, options: BioasqOptions) -> Collection:
        """Open the releases.

        Raises:
            DataError: a file is missing; the message says which.
        """
        assert raw is not None  # the catalog sees to it
        source = Source(raw)
        articles = source.only(options.articles, what="the abstracts")
        asked = {"train": source.find(options.train), "test": source.find(options.test)}
        if not asked["test"]:
            source.only(options.test, what="the questions")  # says what is there
        if not asked["train"]:
            del asked["train"]
        fixes = source.find("*[Mm]anual*[Ff]ixes*.tsv", "*[Mm]anual*[Ff]ixes*.csv")
        told = Once()

        def questions(split: str) -> Iterator[Row]:
            for name in asked[split]:
                yield from json_items(source.path(name), "questions")

        def judgments(split: str) -> Iterator[Judgment]:
            for row in questions(split):
                pmids = (PurePosixPath(address).name for address in row.texts("documents"))
                for pmid in dict.fromkeys(pmids):
                    yield Judgment(row.id("id"), pmid, 1)

        def documents() -> Iterator[Document]:
            seen = SeenNumbers()
            repeated = 0
            for document in _documents(source, articles, fixes, options):
                if seen.add(document.doc_id):
                    yield document
                else:
                    repeated += 1
            if repeated:
                told(f"{repeated} abstracts with a pmid that was there already left out")

        def judged() -> Iterator[str]:
            return (judgment.doc_id for split in asked for judgment in judgments(split))

        def start(split: str) -> Any:
            return lambda: present.only(judgments(split), f"split {split}")

        present = Present(documents, judged)
        return self.collection(
            source,
            options,
            files=[articles, *fixes, *(name for files in asked.values() for name in files)],
            documents=present.documents,
            queries=lambda: (_query(row) for split in asked for row in questions(split)),
            judgments={split: start(split) for split in asked},
        )


def _documents(source: Source, articles: str, fixes: list[str], options: BioasqOptions) -> Iterator[Document]:
    for row in json_items(source.path(articles), "articles", encoding=options.encoding):
        metadata = {name: row.cells[name] for name in _METADATA if options.metadata and name in row.cells}
        yield Document(row.id("pmid"), row.text("title"), row.text("abstractText"), metadata)
    for name in fixes:
        quotes = ".csv" in name
        for row in read_csv(
            source.path(name), delimiter="," if quotes else "\t", quotes=quotes, header=False
        ):
            if row.text("1").lower() != "pmid":
                yield Document(row.id("1"), row.text("2"), row.text("3"))


def _query(row: Row) -> Query:
    return Query(row.id("id"), row.text("body"), {"type": row.text("type")} if "type" in row.cells else {})
