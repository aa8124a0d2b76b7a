"""Question answering over paragraphs in the JSON of SQuAD."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, partial
from itertools import chain
from pathlib import Path
from typing import Any, ClassVar, Literal, NamedTuple

import msgspec

from beirkit.converters.base import Converter
from beirkit.converters.reading.distractors import Distractors
from beirkit.converters.reading.source import Source
from beirkit.converters.reading.splits import split_files
from beirkit.converters.reading.squad_json import Question, last_of_each, read_squad
from beirkit.corpora.collection import Collection
from beirkit.corpora.notices import Once
from beirkit.corpora.records import Document, Judgment, Query
from beirkit.corpora.spans import SpanJudgment


class SquadOptions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Options of :class:`Squad`."""

    splits: dict[str, str] = {}
    prefix: str = ""
    unanswerable: Literal["keep", "judge", "drop"] = "keep"
    repeated: Literal["keep", "last"] = "keep"
    answerable: bool = True
    spans: bool = False
    titles: bool = False
    distractors: str = ""


class Judged(NamedTuple):
    """A paragraph as a document; ``new`` is whether no paragraph before it has its text."""

    document: Document
    new: bool
    questions: list[Question]


class Squad(Converter[SquadOptions]):
    """Paragraphs as documents, questions as queries, the paragraph of a question as its relevant document.

    ``raw`` is a JSON file of SQuAD's form, version 1 or 2, or a folder, zip or tar with one per split. The
    bytes of one file at a time are held in memory. Paragraphs with the same text are one document; ids are
    ``p0``, ``p1``, … in order of appearance, over all files. A query keeps its own id, and its answers as
    ``answers`` in its metadata.

    Options:
        splits: file of each split, such as ``{train: train-v2.0.json, dev: dev-v2.0.json}``; by default the
            names of the files tell, and a file alone is ``test``.
        prefix: stands before the ids of documents: ``en`` makes ``en-p0``.
        unanswerable: what becomes of questions that their paragraph does not answer: ``keep`` them as queries
            without a judgment, ``judge`` their paragraph relevant all the same, or ``drop`` them.
        repeated: of questions of a split whose texts differ in nothing but white space at the ends, ``keep``
            each, or only the ``last`` one, without that white space, as MTEB has XQuAD.
        answerable: whether such questions say ``answerable: false`` in their metadata.
        spans: put each answer with its ``start`` and ``end`` in its paragraph, in code points, into the
            metadata, and the spans of a split beside its judgments (``qrels/SPLIT.spans.jsonl``); one that
            is not where it should be is left out and counted.
        titles: take the title of the article for that of each of its paragraphs.
        distractors: BEIR folder whose documents are added; its queries are not.
    """

    name: ClassVar[str] = "squad"
    summary: ClassVar[str] = "question answering in the JSON of SQuAD 1 and 2: paragraphs, questions, answers"
    Options: ClassVar[type[msgspec.Struct]] = SquadOptions

    def convert(self, raw: Path | None, options: SquadOptions) -> Collection:
        """Find the file of each split.

        Raises:
            DataError: there is none, or the names do not tell which is which.
        """
        assert raw is not None  # the catalog sees to it
        source = Source(raw, alone=True)
        files = split_files(source, options.splits, "*.json", what="questions in SQuAD's form")
        say, distractors = Once(), Distractors(options.distractors)
        prefix = f"{options.prefix}-p" if options.prefix else "p"
        drop = options.unanswerable == "drop"
        last = cache(lambda split: last_of_each(source.path(files[split]), drop=drop))

        def paragraphs() -> Iterator[tuple[str, Judged]]:
            ids: dict[str, str] = {}
            for split, name in files.items():
                for title, text, questions in read_squad(source.path(name)):
                    new = text not in ids
                    doc_id = ids.setdefault(text, f"{prefix}{len(ids)}")
                    document = Document(doc_id, title if options.titles else "", text)
                    kept = [q for q in questions if not (drop and q.unanswerable)]
                    if options.repeated == "last":
                        kept = [q.bare() for q in kept if last(split)[q.question.strip()] == q.id]
                    yield split, Judged(document, new, kept)

        def queries() -> Iterator[Query]:
            wrong = 0
            for _, judged in paragraphs():
                for question in judged.questions:
                    metadata, astray = _metadata(question, judged.document.text, options)
                    wrong += astray
                    yield Query(str(question.id), question.question, metadata)
            if wrong:
                say(f"{raw}: {wrong} answers do not stand where they should and have no span")

        def judgments(split: str) -> Iterator[Judgment]:
            for own, judged in paragraphs():
                for question in judged.questions if own == split else ():
                    if options.unanswerable == "judge" or not question.unanswerable:
                        yield Judgment(str(question.id), judged.document.doc_id, 1)

        def spans(split: str) -> Iterator[SpanJudgment]:
            for own, (document, _, questions) in paragraphs():
                for question in questions if own == split else ():
                    for span in sorted(_places(question, document.text)):
                        yield SpanJudgment(str(question.id), document.doc_id, *span)

        return self.collection(
            source,
            options,
            files=files.values(),
            documents=lambda: chain(
                (judged.document for _, judged in paragraphs() if judged.new), distractors.documents()
            ),
            queries=queries,
            judgments={split: partial(judgments, split) for split in files},
            spans={split: partial(spans, split) for split in files} if options.spans else {},
            more_inputs=distractors.inputs,
        )


def _places(question: Question, context: str) -> set[tuple[int, int]]:
    found = (answer.span(context) for answer in question.answers or [])
    return {(int(span["start"]), int(span["end"])) for span in found if span}


def _metadata(question: Question, context: str, options: SquadOptions) -> tuple[dict[str, Any], int]:
    """What a query tells of its answers, and how many of them are not where they should be."""
    answers = question.answers or []
    metadata: dict[str, Any] = {"answers": [answer.text for answer in answers]}
    if question.unanswerable and options.answerable:
        metadata["answerable"] = False
    if not options.spans:
        return metadata, 0
    spans = [span for answer in answers if (span := answer.span(context))]
    return {**metadata, "spans": spans}, len(answers) - len(spans)
