"""NFCorpus from its release: pages of NutritionFacts.org as queries, the papers they lead to as documents."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import ClassVar, Literal

import msgspec

from beirkit.converters.base import Converter
from beirkit.converters.reading.source import Source
from beirkit.converters.reading.tab_columns import tab_columns
from beirkit.converters.reading.without import WITHOUT_DOCUMENTS, documents_unless
from beirkit.corpora.collection import Collection
from beirkit.corpora.errors import DataError
from beirkit.corpora.notices import Once
from beirkit.corpora.qrels import iter_judgments
from beirkit.corpora.records import Document, Judgment, Query

SPLITS = ("train", "dev", "test")

Grades = Literal["beir", "2-1-0", "3-2-1"]


class NfcorpusOptions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Options of :class:`Nfcorpus`."""

    grades: Grades = "beir"
    corpus: Literal["judged", "all"] = "judged"
    titles: Literal["original", "filtered"] = "original"
    without_documents: bool = False


class Nfcorpus(Converter[NfcorpusOptions]):
    """NFCorpus as BEIR has it: titles of pages as queries, linked papers as relevant.

    ``raw`` is the folder or archive of the release: ``raw/doc_dump.txt``, ``raw/nfdump.txt`` and the
    judgments of each split, ``SPLIT.3-2-1.qrel`` or ``SPLIT.2-1-0.qrel``. Of three levels of links (3 direct,
    2 indirect, 1 by a common topic) BEIR leaves out the lowest and takes one off the others; the release's
    own files with 2-1-0 in their name are the same judgments. In BEIR's training split every grade is 1.
    Queries are those that are judged, with their address in the metadata, like that of documents.

    Options:
        grades: ``beir``: 2 and 1, and 1 alone in the training split; ``2-1-0``: 2 and 1 in every split;
            ``3-2-1``: all three levels, as the release has them.
        corpus: ``judged``: the documents that some split judges; ``all``: every document of the release.
        titles: ``original``: the titles of pages as they are shown (``nfdump.txt``); ``filtered``: those of
            ``SPLIT.titles.queries``, lower-cased and without stop words.
        without_documents: read queries and judgments only; ``doc_dump.txt`` need not be there.
    """

    name: ClassVar[str] = "nfcorpus"
    summary: ClassVar[str] = "NFCorpus's release: doc_dump.txt, nfdump.txt and SPLIT.3-2-1.qrel"
    Options: ClassVar[type[msgspec.Struct]] = NfcorpusOptions

    def convert(self, raw: Path | None, options: NfcorpusOptions) -> Collection:
        """Open the release.

        Raises:
            DataError: a file is missing; the message says which.
        """
        assert raw is not None  # the catalog sees to it
        source = Source(raw)
        qrels = {split: _qrels_of(source, split, options.grades) for split in SPLITS}
        titles = _titles_of(source, options)
        corpus = []
        if not options.without_documents:
            corpus = [source.only("doc_dump.txt", what="the documents", instead=WITHOUT_DOCUMENTS)]

        told = Once()

        def judgments(split: str) -> Iterator[Judgment]:
            return _graded(source.path(qrels[split]), split, options.grades, told)

        def documents() -> Iterator[Document]:
            judged = {judgment.doc_id for split in SPLITS for judgment in judgments(split)}
            for row in tab_columns(source.path(corpus[0]), "id", "url", "title", "abstract"):
                if options.corpus == "all" or row.cells["id"] in judged:
                    found = row.cells
                    yield Document(row.id("id"), found["title"], found["abstract"], {"url": found["url"]})

        def queries() -> Iterator[Query]:
            missing = {judgment.query_id: None for split in SPLITS for judgment in judgments(split)}
            for name in titles:
                for query in _queries(source.path(name), options):
                    if query.query_id in missing:
                        del missing[query.query_id]
                        yield query
            if missing:
                names = ", ".join(list(missing)[:3])
                raise DataError(f"{len(missing)} judged queries have no title, such as {names}", path=raw)

        return self.collection(
            source,
            options,
            files=[*corpus, *titles, *qrels.values()],
            documents=documents_unless(options.without_documents, documents),
            queries=queries,
            judgments={split: partial(judgments, split) for split in SPLITS},
        )


def _qrels_of(source: Source, split: str, grades: Grades) -> str:
    """The judgments of a split on all levels, else on the upper two, where those are enough."""
    forms = [f"{split}.3-2-1.qrel", f"{split}.2-1-0.qrel"]
    if grades == "3-2-1" or source.find(forms[0]):
        del forms[1]
    return source.only(*forms, what=f"the judgments of {split}")


def _titles_of(source: Source, options: NfcorpusOptions) -> list[str]:
    if options.titles == "original":
        filtered = "--set titles=filtered" if source.find("*.titles.queries") else ""
        return [source.only("nfdump.txt", what="the titles of pages", instead=filtered)]
    return [source.only(f"{split}.titles.queries", what=f"the titles of {split}") for split in SPLITS]


def _queries(path: Path, options: NfcorpusOptions) -> Iterator[Query]:
    if options.titles == "filtered":
        return (Query(row.id("id"), row.text("title")) for row in tab_columns(path, "id", "title"))
    rows = tab_columns(path, "id", "url", "title", "rest")
    return (Query(row.id("id"), row.text("title"), {"url": row.text("url")}) for row in rows)


def _graded(path: Path, split: str, grades: Grades, told: Once) -> Iterator[Judgment]:
    lower = ".3-2-1." in path.name and grades != "3-2-1"
    all_one = grades == "beir" and split == "train"
    for judgment in iter_judgments(path, warn=told):
        grade = judgment.relevance - lower
        if grade:
            yield Judgment(judgment.query_id, judgment.doc_id, 1 if all_one else grade)
