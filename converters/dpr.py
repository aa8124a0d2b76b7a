"""Questions with their passages in the JSON of DPR."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

import msgspec

from beirkit.converters.base import Converter
from beirkit.converters.reading.distinct import first_of_each
from beirkit.converters.reading.ids import content_hash
from beirkit.converters.reading.json_stream import json_records
from beirkit.converters.reading.readers import read_csv
from beirkit.converters.reading.rows import Row
from beirkit.converters.reading.source import Source
from beirkit.converters.reading.splits import split_files
from beirkit.corpora.collection import Collection
from beirkit.corpora.notices import Once
from beirkit.corpora.records import Document, Judgment, Query

_NEGATIVES = ("negative_ctxs", "hard_negative_ctxs")
_IDS = ("passage_id", "psg_id", "docid", "id")  # as releases of the format call it


class DprOptions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Options of :class:`Dpr`."""

    splits: dict[str, str] = {}
    question: str = "question"
    query_id: str = ""
    positives: str = "positive_ctxs"
    negatives: list[str] = msgspec.field(default_factory=lambda: list(_NEGATIVES))
    corpus: str = ""
    judge_negatives: bool = False


class Dpr(Converter[DprOptions]):
    """Questions, each with ``positive_ctxs``, ``negative_ctxs`` and ``hard_negative_ctxs``.

    ``raw`` is a file of the form of DPR's training data (a JSON array or JSON lines, read a question at a
    time), or a folder, zip or tar with one per split. The passages of all questions are the corpus. One with
    a ``passage_id`` comes once for each id, as it first stands; one without gets an id made of its title and
    text. The same question is one query, with an id made of its text (``q-`` and 16 hex digits), and keeps
    its ``answers`` in its metadata. Positives have grade 1. Negatives are documents without a judgment: they
    were sampled, or ranked high by BM25 without holding an answer, and nobody has read them.

    Files of the same shape with other names are read too. Those of Tevatron, in which MIRACL and Mr.TyDi are
    given out, have ``{question: query, query_id: query_id, positives: positive_passages, negatives:
    [negative_passages]}``; of MIRACL the negatives were read, so ``judge_negatives`` is right.

    Options:
        splits: file of each split, such as ``{train: biencoder-nq-train.json}``; by default the names of the
            files tell, and a file alone is ``test``.
        question: key of the question's text.
        query_id: key of the question's id, where there is one.
        positives: key of the list of relevant passages.
        negatives: keys of the lists of others.
        corpus: file of all passages (``id``, ``text`` and ``title`` in a table with header, such as
            ``psgs_w100.tsv``), which then is the corpus; every passage must have an id.
        judge_negatives: judge negatives with grade 0, unless the same question has them as positives too.
    """

    name: ClassVar[str] = "dpr"
    summary: ClassVar[str] = "DPR's JSON: questions with positive_ctxs, negative_ctxs and hard_negative_ctxs"
    Options: ClassVar[type[msgspec.Struct]] = DprOptions

    def convert(self, raw: Path | None, options: DprOptions) -> Collection:
        """Find the file of each split.

        Raises:
            DataError: there is none, or the names do not tell which is which.
        """
        assert raw is not None  # the catalog sees to it
        source = Source(raw, alone=True)
        files = split_files(source, options.splits, "*.json", "*.jsonl", what="questions with passages")
        passages = source.only(options.corpus, what="passages") if options.corpus else ""
        say = Once()

        def rows(*splits: str) -> Iterator[Row]:
            for split in splits:
                yield from json_records(source.path(files[split]))

        def documents() -> Iterator[Document]:
            if not passages:
                met = (document for row in rows(*files) for _, document in _contexts(row, options))
                yield from first_of_each(met, str(raw), say)
                return
            for row in read_csv(source.path(passages), delimiter="\t"):
                yield Document(row.id("id"), row.text("title"), row.text("text"))

        def queries() -> Iterator[Query]:
            met: set[tuple[str, str]] = set()
            for row in rows(*files):
                query = _query(row, options)
                if (query.query_id, query.text) not in met:
                    met.add((query.query_id, query.text))
                    yield query

        def judgments(split: str) -> Iterator[Judgment]:
            grades: dict[tuple[str, str], int] = {}
            for row in rows(split):
                query_id = _query(row, options).query_id
                for positive, document in _contexts(row, options):
                    if positive or options.judge_negatives:
                        pair = query_id, document.doc_id
                        grades[pair] = max(int(positive), grades.get(pair, 0))
            return (Judgment(query_id, doc_id, grade) for (query_id, doc_id), grade in grades.items())

        return self.collection(
            source,
            options,
            files=[*files.values(), *filter(None, [passages])],
            documents=documents,
            queries=queries,
            judgments={split: partial(judgments, split) for split in files},
        )


def _query(row: Row, options: DprOptions) -> Query:
    text = row.text(options.question)
    answers: dict[str, Any] = {"answers": row.texts("answers")} if "answers" in row.cells else {}
    return Query(row.id(options.query_id) if options.query_id else content_hash("q", text), text, answers)


def _contexts(row: Row, options: DprOptions) -> Iterator[tuple[bool, Document]]:
    """The passages of a question, positives first, each with whether it is one."""
    row.cell(options.positives)
    for key in (options.positives, *options.negatives):
        for value in row.list(key) if key in row.cells else ():
            if not isinstance(value, dict):
                raise row.error(f"{key} has {value!r:.40}, which is no passage", 'write objects: {"text": …}')
            cells = row._replace(cells=value)
            title, text = cells.text("title") if "title" in value else "", cells.text("text")
            known = next((name for name in _IDS if value.get(name) not in (None, "")), None)
            if known is None and options.corpus:
                raise row.error("has a passage without passage_id", "leave the option corpus out")
            doc_id = cells.id(known) if known else content_hash("d", f"{title}\n{text}")
            yield key == options.positives, Document(doc_id, title, text)
