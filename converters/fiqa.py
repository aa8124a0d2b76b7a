"""FiQA's opinion questions from the release: answers of a forum as documents."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import ClassVar

import msgspec

from beirkit.converters.base import Converter
from beirkit.converters.reading.given import GivenSplits
from beirkit.converters.reading.readers import read_csv
from beirkit.converters.reading.rows import Row
from beirkit.converters.reading.source import Source
from beirkit.converters.reading.without import WITHOUT_DOCUMENTS, documents_unless
from beirkit.corpora.collection import Collection
from beirkit.corpora.notices import Once
from beirkit.corpora.records import Document, Judgment, Query


class FiqaOptions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Options of :class:`Fiqa`."""

    splits: str = ""
    split: str = "test"
    without_documents: bool = False


class Fiqa(Converter[FiqaOptions]):
    """FiQA 2018, task 2, as BEIR has it: questions as queries, every answer given to one as relevant.

    ``raw`` is the folder or archive with ``FiQA_train_doc_final.tsv``, ``FiQA_train_question_final.tsv`` and
    ``FiQA_train_question_doc_final.tsv``. The tables are read without quotes: a question may start with one.
    Texts lose the blanks at their edges, and answers without any text are left out, as in BEIR.

    BEIR drew its three splits by chance, which cannot be done again: name the folder of its qrels with
    ``splits``, or all judgments are in one split.

    Options:
        splits: folder with BEIR's ``train.tsv``, ``dev.tsv`` and ``test.tsv``, which say the split of each
            question; the judgments themselves are the release's.
        split: name of the one split, where none are given.
        without_documents: read questions and judgments only; ``FiQA_train_doc_final.tsv`` need not be there.
    """

    name: ClassVar[str] = "fiqa"
    summary: ClassVar[str] = (
        "FiQA's release: FiQA_train_doc_final.tsv, …_question_final, …_question_doc_final"
    )
    Options: ClassVar[type[msgspec.Struct]] = FiqaOptions

    def convert(self, raw: Path | None, options: FiqaOptions) -> Collection:
        """Open the release.

        Raises:
            DataError: a file is missing, or a given split is damaged.
            UsageError: there is no folder of the name in ``splits``.
        """
        assert raw is not None  # the catalog sees to it
        source = Source(raw)
        questions = source.only("FiQA_train_question_final.tsv", what="the questions")
        pairs = source.only("FiQA_train_question_doc_final.tsv", what="the answers of each question")
        answers = []
        if not options.without_documents:
            answers = [source.only("FiQA_train_doc_final.tsv", what="the answers", instead=WITHOUT_DOCUMENTS)]
        given = GivenSplits(Path(options.splits)) if options.splits else None
        told = Once()

        def documents() -> Iterator[Document]:
            empty = 0
            for row in _rows(source.path(answers[0])):
                if text := row.text("doc").strip():
                    yield Document(row.id("docid"), "", text)
                else:
                    empty += 1
            if empty:
                told(f"{answers[0]}: {empty} answers without text left out")

        def judgments(split: str) -> Iterator[Judgment]:
            left_out: Counter[str] = Counter()
            for row in _rows(source.path(pairs)):
                query_id = row.id("qid")
                belongs = given.of(query_id) if given else split
                if belongs == split:
                    yield Judgment(query_id, row.id("docid"), 1)
                elif belongs is None:
                    left_out[query_id] += 1
            if left_out:
                told(
                    f"{len(left_out)} questions are in none of the given splits; their judgments are left out"
                )

        def in_one_split() -> Iterator[Judgment]:
            told(
                f"BEIR drew its splits by chance, so all judgments are in split {options.split}; for BEIR's: "
                "--set splits=FOLDER, the folder of its qrels"
            )
            return judgments(options.split)

        return self.collection(
            source,
            options,
            files=[*answers, questions, pairs],
            documents=documents_unless(options.without_documents, documents),
            queries=lambda: (
                Query(row.id("qid"), row.text("question").strip()) for row in _rows(source.path(questions))
            ),
            judgments={split: partial(judgments, split) for split in given.names}
            if given
            else {options.split: in_one_split},
            more_inputs=given.inputs() if given else None,
        )


def _rows(path: Path) -> Iterator[Row]:
    return read_csv(path, delimiter="\t", quotes=False)
