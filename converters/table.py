"""Tables of one's own: CSV, TSV, JSON lines or a JSON array, with declared columns."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

import msgspec

from beirkit.converters.base import Converter
from beirkit.converters.reading.readers import Format
from beirkit.converters.reading.table_columns import check_columns
from beirkit.converters.reading.table_reading import Reading
from beirkit.corpora.collection import Collection, Provenance
from beirkit.corpora.errors import UsageError
from beirkit.corpora.files import sha256_file


class TableOptions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Options of :class:`Table`."""

    question: str = ""
    positive: str = ""
    negative: str = ""
    query_id: str = ""
    doc_id: str = ""
    negative_id: str = ""
    title: str = ""
    grade: str = ""
    grades: dict[str, int] = {}
    separator: str = ""
    corpus: str = ""
    text: str = ""
    judgments: str = ""
    corpus_doc_id: str = ""
    judgments_query_id: str = ""
    judgments_doc_id: str = ""
    split: str = "test"
    judge_negatives: bool = False
    skip_rows_without_id: bool = False
    skip_rows_without_text: bool = False
    format: Format | None = None
    delimiter: str | None = None
    quotes: bool | None = None
    header: bool = True


class Table(Converter[TableOptions]):
    """A table of questions and what answers them; its columns are named, never guessed.

    Three shapes are read. *Passages in the row*: ``question`` and ``positive`` (and ``negative``) are
    columns of texts. *Ids in the row*: ``question`` and ``doc_id``, with the passages in the file
    ``corpus``. *Three files*: questions in ``raw``, passages in ``corpus``, judgments in ``judgments``. The
    names of the other files are relative to the folder of ``raw``.

    Rows with the same question (or query id) are one query with several judgments, and the same passage is
    one document. Without id columns, ids are made of the text (``q-`` or ``d-`` and 16 hex digits), so they
    do not depend on the order of rows. Blanks at the edges of texts are taken off; ids stay as they are. A
    positive without ``grade`` has grade 1. A negative is a document without a judgment: mined or sampled
    negatives are mostly unread and often relevant after all, and only an assessor's "no" may be scored as
    one.

    Options:
        question: column of the question.
        positive: column of the relevant passage; several in a JSON list, or in a cell with ``separator``.
        negative: column of passages that are not relevant; several as in ``positive``.
        query_id: column of the query's id.
        doc_id: column of the id of the relevant passage; several as in ``positive``.
        negative_id: column of the id of the negative passage; several as in ``positive``.
        title: column of the title of the relevant passage; of ``corpus`` where there is one.
        grade: column of the grade, a whole number; of ``judgments`` where there is one.
        grades: the grade of each label of ``grade``, such as ``{high: 2, low: 1, none: 0}``; complete.
        separator: what stands between several passages or ids in one cell, such as ``|``.
        corpus: file of the passages.
        text: column of the passage in ``corpus``.
        judgments: file of the judgments, with the columns ``query_id``, ``doc_id`` and maybe ``grade``.
        corpus_doc_id: column of the id in ``corpus``, where it is not called as ``doc_id``.
        judgments_query_id: column of the query's id in ``judgments``, where it is not called as ``query_id``.
        judgments_doc_id: column of the passage's id in ``judgments``, where it is not called as ``doc_id``.
        split: name of the split the judgments make.
        judge_negatives: judge negatives with grade 0: somebody has read them and found them not relevant.
        skip_rows_without_id: leave out rows with an empty id, and count them, instead of refusing the file.
        skip_rows_without_text: the same for rows with an empty question or passage.
        format: ``csv``, ``tsv``, ``jsonl`` or ``json``, where a file's ending does not say it.
        delimiter: between cells, where it is not a comma (CSV) or a tab (TSV); a tab is written ``tab``.
        quotes: whether ``"`` quotes a cell; by default in CSV and not in TSV.
        header: whether the first row names the columns; without one they are called ``1``, ``2``, ….
    """

    name: ClassVar[str] = "table"
    summary: ClassVar[str] = "your own CSV, TSV or JSON: say which column is the question, the positive, …"
    Options: ClassVar[type[msgspec.Struct]] = TableOptions

    def convert(self, raw: Path | None, options: TableOptions) -> Collection:
        """Open the table; the columns of every file are checked now, its rows when they are read.

        Raises:
            UsageError: a needed column is not named, or is not in its file; the message lists the columns
                that are there.
            DataError: a file is not what its name says; with path and line.
        """
        assert raw is not None  # the catalog sees to it
        if raw.is_dir():
            raise UsageError("is a folder; name the file with the questions", path=raw)
        files = {"raw": raw}
        for role, name in (("corpus", options.corpus), ("judgments", options.judgments)):
            if name:
                files[role] = raw.parent / name
                if not files[role].is_file():
                    raise UsageError(f"there is no such file, named as {role!r}", path=files[role])
        check_columns(options, files)
        reading = Reading(options, files)
        return Collection(
            documents=reading.documents,
            queries=reading.queries,
            judgments={options.split: reading.judgments},
            provenance=Provenance(
                source=raw.name,
                converter=self.name,
                options={k: v for k, v in msgspec.to_builtins(options).items() if v not in ("", None, {})},
                inputs={path.name: sha256_file(path) for path in files.values()},
            ),
        )
