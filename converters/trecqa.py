"""TrecQA: questions with sentences that do or do not answer them, in something like XML."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import ClassVar, NamedTuple

import msgspec

from beirkit.converters.base import Converter
from beirkit.converters.reading.distinct import first_of_each
from beirkit.converters.reading.ids import content_hash
from beirkit.converters.reading.source import Source
from beirkit.converters.reading.splits import split_files
from beirkit.corpora.collection import Collection
from beirkit.corpora.errors import DataError
from beirkit.corpora.files import lines
from beirkit.corpora.ids import id_problem
from beirkit.corpora.notices import Once
from beirkit.corpora.records import Document, Judgment, Query

_PAIRS = re.compile(r"<QApairs id=(['\"])(.*)\1>")
_SENTENCE = re.compile(r"<(question|positive|negative)>")


class TrecqaOptions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Options of :class:`Trecqa`."""

    splits: dict[str, str] = {}


class Sentence(NamedTuple):
    """A question (kind ``question``) or a candidate answer (``positive``, ``negative``) of it."""

    query_id: str
    kind: str
    text: str


class Trecqa(Converter[TrecqaOptions]):
    """Questions of TREC's question answering track with judged sentences.

    ``raw`` is a file such as ``DEV.xml``, or a folder, zip or tar with one per split. The files have no root
    element and are no XML; of the lines of a sentence the first has its tokens, and the others (tags, trees,
    names) are not read. A text is its tokens with blanks between. The same sentence is one document, with an
    id made of its text. Sentences that were read and do not answer have grade 0; one that is listed both ways
    under a question answers it.

    Options:
        splits: file of each split, such as ``{train: TRAIN-ALL.xml}``; by default the names of the files
            tell, and a file alone is ``test``.
    """

    name: ClassVar[str] = "trecqa"
    summary: ClassVar[str] = "TrecQA: QApairs of a question, positive and negative sentences"
    Options: ClassVar[type[msgspec.Struct]] = TrecqaOptions

    def convert(self, raw: Path | None, options: TrecqaOptions) -> Collection:
        """Find the file of each split.

        Raises:
            DataError: there is none, or the names do not tell which is which.
        """
        assert raw is not None  # the catalog sees to it
        source = Source(raw, alone=True)
        files = split_files(source, options.splits, "*.xml", what="questions and sentences")
        say = Once()

        def sentences(*splits: str) -> Iterator[Sentence]:
            for split in splits:
                yield from _sentences(source.path(files[split]))

        def documents() -> Iterator[Document]:
            found = (Document(_doc_id(s), "", s.text) for s in sentences(*files) if s.kind != "question")
            return first_of_each(found, str(raw), say)

        def queries() -> Iterator[Query]:
            return (Query(s.query_id, s.text) for s in sentences(*files) if s.kind == "question")

        def judgments(split: str) -> Iterator[Judgment]:
            grades: dict[tuple[str, str], int] = {}
            both = 0
            for sentence in sentences(split):
                if sentence.kind != "question":
                    pair, grade = (sentence.query_id, _doc_id(sentence)), int(sentence.kind == "positive")
                    both += grades.setdefault(pair, grade) != grade
                    grades[pair] = max(grade, grades[pair])
            if both:
                say(f"split {split}: {both} sentences are listed as answers and as none; they answer")
            return (Judgment(query_id, doc_id, grade) for (query_id, doc_id), grade in grades.items())

        return self.collection(
            source,
            options,
            files=files.values(),
            documents=documents,
            queries=queries,
            judgments={split: partial(judgments, split) for split in files},
        )


def _doc_id(sentence: Sentence) -> str:
    return content_hash("d", sentence.text)


def _sentences(path: Path) -> Iterator[Sentence]:
    query_id = kind = ""
    for number, line in lines(path):
        text = line.strip()
        if pairs := _PAIRS.fullmatch(text):
            query_id = pairs[2]
            if problem := id_problem(query_id):
                raise DataError(f"the id {query_id!r} {problem}", path=path, line=number)
        elif opened := _SENTENCE.fullmatch(text):
            kind = opened[1]
            if not query_id:
                raise DataError(f"a {kind} stands outside QApairs", path=path, line=number)
        elif kind:
            yield Sentence(query_id, kind, " ".join(line.split("\t")).strip())
            kind = ""
    if not query_id:
        raise DataError("has no <QApairs id='…'>", path=path, hint="is it a file of TrecQA?")
