"""Collections in the form of the SMART system: Cranfield, CISI, CACM, MEDLINE, ADI."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import ClassVar

import msgspec

from beirkit.converters.base import Converter
from beirkit.converters.reading.joining import Join, count_positions
from beirkit.converters.reading.marked_fields import plain_number, read_marked
from beirkit.converters.reading.source import Source
from beirkit.corpora.collection import Collection
from beirkit.corpora.errors import DataError
from beirkit.corpora.files import lines
from beirkit.corpora.notices import Once
from beirkit.corpora.records import Document, Judgment, Query

_USUAL = {
    "documents": ("*.all", "*.ALL", "*.all.[0-9]*[0-9]"),
    "queries": ("*.qry", "*.QRY", "query.text"),
    "judgments": ("*.rel", "*.REL", "*qrel", "qrels.text"),
}


class SmartOptions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Options of :class:`Smart`."""

    documents: str = ""
    queries: str = ""
    judgments: str = ""
    metadata: dict[str, str] = {}
    query_metadata: dict[str, str] = {}
    doc_column: int = 2
    grade_column: int = 0
    grades: dict[str, int] = {}
    join: Join = "auto"
    split: str = "test"

    def __post_init__(self) -> None:
        if self.doc_column < 1 or self.grade_column < 0:
            raise ValueError("columns are counted from 1")


class Smart(Converter[SmartOptions]):
    """Three files: documents, queries (both of ``.I``, ``.T``, ``.A``, ``.B``, ``.W``) and judgments.

    ``raw`` is the folder, zip or tar with the three. A document's title is ``.T`` and its text ``.W``; a
    query's text is ``.T`` and ``.W``. The lines of a field are joined and their white space is collapsed, so
    either line end gives the same texts; numbers lose the zeros before them. Empty documents stay. Other
    fields, such as the citations under ``.X``, are read where an option names them.

    Some query files are numbered with gaps and their judgments without. Then judgments count positions: the
    queries get the numbers 1, 2, … as ids and keep their own as ``original_number`` in their metadata. Which
    way was taken is told.

    Options:
        documents: file of the documents, by default ``*.all``, also with a number behind.
        queries: file of the queries, by default ``*.qry`` or ``query.text``.
        judgments: file of the judgments, by default ``*.rel``, ``*qrel`` or ``qrels.text``.
        metadata: fields that go into a document's metadata, such as ``{author: A, bib: B}``.
        query_metadata: the same for queries.
        doc_column: column of the judgments with the document, from 1; the query is the first one.
        grade_column: column of the grade; 0: every pair that is listed has grade 1.
        grades: the grade of each code, where the codes are no grades, such as ``{1: 4, 2: 3}``; complete.
        join: whether judgments name queries by the ``ids`` in the query file or by their ``positions`` there;
            ``auto`` takes ids where all are there, else positions where they count to the last query.
        split: name of the split the judgments make.
    """

    name: ClassVar[str] = "smart"
    summary: ClassVar[str] = "SMART collections with .I .T .A .B .W fields: Cranfield, CISI, CACM, MEDLINE"
    Options: ClassVar[type[msgspec.Struct]] = SmartOptions

    def convert(self, raw: Path | None, options: SmartOptions) -> Collection:
        """Find the three files.

        Raises:
            DataError: one is missing, or several could be meant; the message lists what is there.
        """
        assert raw is not None  # the catalog sees to it
        source = Source(raw)
        given = {what: getattr(options, what) for what in _USUAL}
        names = [source.only(*([given[w]] if given[w] else usual), what=w) for w, usual in _USUAL.items()]
        corpus, asked, judged = names
        say = Once()

        def documents() -> Iterator[Document]:
            for record in read_marked(source.path(corpus)):
                metadata = {key: record.get(letter) for key, letter in options.metadata.items()}
                yield Document(record.number, record.get("T"), record.get("W"), metadata)

        @cache
        def by_position() -> bool:
            numbers = [record.number for record in read_marked(source.path(asked))]
            used = [judgment.query_id for judgment in judgments()]
            positions = count_positions(numbers, used, options.join, source.path(judged))
            if positions and numbers != [str(n) for n in range(1, len(numbers) + 1)]:
                say(
                    f"{asked}: judgments name its queries by position, 1 to {len(numbers)}; their own "
                    f"numbers, up to {numbers[-1]}, are kept as original_number"
                )
            return positions

        def queries() -> Iterator[Query]:
            for position, record in enumerate(read_marked(source.path(asked)), 1):
                metadata = {key: record.get(letter) for key, letter in options.query_metadata.items()}
                text = " ".join(filter(None, (record.get("T"), record.get("W"))))
                if by_position():
                    yield Query(str(position), text, {**metadata, "original_number": record.number})
                else:
                    yield Query(record.number, text, metadata)

        def judgments() -> Iterator[Judgment]:
            return _judgments(source.path(judged), options)

        def joined() -> Iterator[Judgment]:
            by_position()  # refuses judgments that fit no query
            return judgments()

        return self.collection(
            source,
            options,
            files=names,
            documents=documents,
            queries=queries,
            judgments={options.split: joined},
        )


def _judgments(path: Path, options: SmartOptions) -> Iterator[Judgment]:
    for line, text in lines(path):
        cells = text.split()
        if not cells:
            continue
        if len(cells) < (needed := max(options.doc_column, options.grade_column)):
            found, hint = f"has {len(cells)} columns instead of {needed}", "see doc_column and grade_column"
            raise DataError(found, path=path, line=line, hint=hint)
        code = cells[options.grade_column - 1] if options.grade_column else "1"
        try:
            grade = options.grades[code] if options.grades else int(code)
        except (KeyError, ValueError) as error:
            hint = "write it into the option grades" if options.grades else "see the option grade_column"
            raise DataError(f"the grade is {code!r}", path=path, line=line, hint=hint) from error
        yield Judgment(plain_number(cells[0]), plain_number(cells[options.doc_column - 1]), grade)
