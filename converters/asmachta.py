"""Asmachta: Hebrew questions, their sources, and the exact spans that back each claim of the answer."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar, Literal

import msgspec

from beirkit.converters.base import Converter
from beirkit.converters.reading.asmachta_records import Offsets, Placed, read_records, true_spans
from beirkit.converters.reading.distractors import Distractors
from beirkit.converters.reading.source import Source
from beirkit.corpora.collection import Collection
from beirkit.corpora.passages import PassageRules, passages_of, split_passages
from beirkit.corpora.records import Document, Judgment, Query
from beirkit.corpora.spans import SpanJudgment


class AsmachtaOptions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Options of :class:`Asmachta`."""

    form: Literal["passages", "documents"] = "passages"
    size: int = 400
    overlap: int = 80
    unanswerable: Literal["keep", "judge", "drop"] = "keep"
    offsets: Offsets = "code-points"
    distractors: str = ""
    split: str = "test"

    def __post_init__(self) -> None:
        """Refuse windows that cannot be cut, as options are read.

        Raises:
            ValueError: the size or the overlap is impossible.
        """
        _rules(self)


class Asmachta(Converter[AsmachtaOptions]):
    """Records of Asmachta's form: the source of a question is its document, or is cut into passages.

    ``raw`` is a JSON array or JSON lines, or a folder with one such file. Equal sources are one document,
    whose id is made of its text. Of passages, which tell their exact place, those that contain an attributed
    span wholly are relevant with grade 2 and those that overlap one with grade 1; of whole documents the
    source is, with grade 1. Queries tell their ``spans`` (``doc``, ``start``, ``end``, in code points),
    genre, difficulty and reference answer, and an unanswerable one ``answerable: false``.

    Window, overlap and grades are ours; the card says nothing of retrieval.

    Options:
        form: ``passages``, or ``documents`` for whole sources.
        size: characters of a passage.
        overlap: characters that a passage shares with the next; a span of no more is whole in some passage.
        unanswerable: what becomes of questions of difficulty 0: ``keep`` them as queries without a judgment,
            ``judge`` their source (of passages each one) relevant with grade 1, or ``drop`` them.
        offsets: what offsets count: ``code-points`` as the card says, or ``utf-16`` units, which are
            converted. A span whose excerpt does not stand there is refused.
        distractors: BEIR folder whose documents are added, cut as the others are; its queries are not.
        split: name of the split the judgments make.
    """

    name: ClassVar[str] = "asmachta"
    summary: ClassVar[str] = "records of Asmachta: questions, sources, and the spans that back each claim"
    Options: ClassVar[type[msgspec.Struct]] = AsmachtaOptions

    def convert(self, raw: Path | None, options: AsmachtaOptions) -> Collection:
        """Find the file.

        Raises:
            DataError: there is none, or several.
        """
        assert raw is not None  # the catalog sees to it
        source = Source(raw, alone=True)
        file = source.names[0] if raw.is_file() and source.names == (raw.name,) else ""
        file = file or source.only("*.json", "*.jsonl", what="records of Asmachta")

        distractors = Distractors(options.distractors)
        rules = _rules(options) if options.form == "passages" else None

        def records(*, answerable: bool | None = None) -> Iterator[Placed]:
            for one in read_records(source.path(file)):
                if answerable in (None, one.record.answerable):
                    yield one

        def documents() -> Iterator[Document]:
            met: set[str] = set()
            for one in records():
                if (doc_id := one.doc_id) not in met:
                    met.add(doc_id)
                    yield _document(one)
            yield from distractors.documents()

        def queries() -> Iterator[Query]:
            for one in records(answerable=True if options.unanswerable == "drop" else None):
                yield Query(one.query_id, one.record.question, _metadata(one, options.offsets))

        def spans() -> Iterator[SpanJudgment]:
            for one in records(answerable=True):
                for start, end in true_spans(one, options.offsets):
                    yield SpanJudgment(one.query_id, one.doc_id, start, end)

        def unanswerable() -> Iterator[Judgment]:
            for one in records(answerable=False) if options.unanswerable == "judge" else ():
                pieces = passages_of(_document(one), rules) if rules else (_document(one),)
                yield from (Judgment(one.query_id, piece.doc_id, 1) for piece in pieces)

        whole = self.collection(
            source,
            options,
            files=[file],
            documents=documents,
            queries=queries,
            judgments={
                options.split: lambda: (Judgment(r.query_id, r.doc_id, 1) for r in records(answerable=True))
            },
            spans={options.split: spans},
            more_inputs=distractors.inputs,
        )
        made = split_passages(whole, rules) if rules else whole
        # a question without spans could not say which passages it is judged with
        return made.with_judgments(options.split, source.reading(unanswerable))


def _rules(options: AsmachtaOptions) -> PassageRules:
    return PassageRules(size=options.size, overlap=options.overlap, judgments="overlap")


def _document(one: Placed) -> Document:
    record = one.record
    return Document(one.doc_id, "", record.source_text, {"genre": record.genre} if record.genre else {})


def _metadata(placed: Placed, offsets: Offsets) -> dict[str, Any]:
    record = placed.record
    told = {
        "genre": record.genre,
        "difficulty": record.difficulty,
        "reference_answer": record.reference_answer,
    }
    metadata: dict[str, Any] = {key: value for key, value in told.items() if value not in ("", None)}
    if not record.answerable:
        metadata["answerable"] = False
    metadata["spans"] = [
        {"doc": placed.doc_id, "start": start, "end": end} for start, end in true_spans(placed, offsets)
    ]
    return metadata
