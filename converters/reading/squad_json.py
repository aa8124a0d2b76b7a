"""The JSON of SQuAD, paragraph by paragraph."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import msgspec

from beirkit.converters.reading.json_document import JsonDocument
from beirkit.corpora.ids import id_problem


class Release(msgspec.Struct):
    """The document; articles are decoded one at a time."""

    data: list[msgspec.Raw]


class Article(msgspec.Struct):
    """Paragraphs under one title."""

    paragraphs: list[msgspec.Raw]
    title: str | None = None


class Asked(msgspec.Struct):
    """A text and its questions, which are decoded one at a time."""

    context: str
    qas: list[msgspec.Raw]


class Answer(msgspec.Struct):
    """An answer, and where in the paragraph it starts, in code points."""

    text: str
    answer_start: int | None = None

    def span(self, context: str) -> dict[str, str | int] | None:
        """The answer with the offsets of its ends; None where the text does not have it there."""
        start = self.answer_start
        if start is None or start < 0 or not context.startswith(self.text, start):
            return None
        return {"text": self.text, "start": start, "end": start + len(self.text)}


class Question(msgspec.Struct):
    """A question; version 2 of the format has ``is_impossible``."""

    id: str | int
    question: str
    answers: list[Answer] | None = None
    is_impossible: bool | None = None

    @property
    def unanswerable(self) -> bool:
        """Whether the paragraph does not answer it; a question without the key has secret answers."""
        return self.is_impossible if self.is_impossible is not None else self.answers == []

    def bare(self) -> Question:
        """The question without white space around its text."""
        return msgspec.structs.replace(self, question=self.question.strip())


class Paragraph(NamedTuple):
    """A text, the title of its article, and the questions about it."""

    title: str
    text: str
    questions: list[Question]


def read_squad(path: Path) -> Iterator[Paragraph]:
    """The paragraphs of one file, in order; its bytes are held in memory.

    Raises:
        DataError: it is not of SQuAD's form; with path, line, and the number of article, paragraph, question.
    """
    file = JsonDocument(path, "SQuAD")
    for a, article_raw in enumerate(file.whole(Release).data, 1):
        article = file.part(article_raw, Article, f"article {a}")
        for p, paragraph_raw in enumerate(article.paragraphs, 1):
            place = f"paragraph {p} of article {a}"
            asked = file.part(paragraph_raw, Asked, place)
            questions = []
            for q, raw in enumerate(asked.qas, 1):
                question = file.part(raw, Question, f"question {q} of {place}")
                if problem := id_problem(str(question.id)):
                    raise file.error(raw, f"question {q} of {place}: the id {question.id!r} {problem}")
                questions.append(question)
            yield Paragraph(article.title or "", asked.context, questions)


def last_of_each(path: Path, *, drop: bool) -> dict[str, str | int]:
    """For every text of a question in a file, without white space around it, the id of the last that has it.

    Args:
        path: in SQuAD's form.
        drop: leave questions out that their paragraph does not answer.

    Raises:
        DataError: as :func:`read_squad`.
    """
    return {
        question.question.strip(): question.id
        for paragraph in read_squad(path)
        for question in paragraph.questions
        if not (drop and question.unanswerable)
    }
