"""A system's answers against those that a dataset has: exact match and F1, by SQuAD's rules."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from pathlib import Path

import msgspec

from beirkit.converters.reading.json_stream import json_records
from beirkit.corpora.errors import DataError
from beirkit.corpora.notices import warn
from beirkit.corpora.records import Query
from beirkit.evaluate.answers import exact_match, token_f1
from beirkit.evaluate.statistics.means import Mean, mean_of

_NAMED = 3


class ScoredAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """One question.

    Attributes:
        id: of the query.
        answerable: whether it has an answer; where it has none, the empty answer is right.
        answer: what the system said; None: nothing is there for it, which counts 0.
        exact_match: 1 or 0.
        f1: 0 to 1.
    """

    id: str
    answerable: bool
    answer: str | None
    exact_match: float
    f1: float


class AnswerRates(msgspec.Struct, frozen=True, kw_only=True):
    """Means over questions.

    Attributes:
        questions: how many.
        exact_match: with its interval.
        f1: the same.
    """

    questions: int
    exact_match: Mean
    f1: Mean


def references_of(queries: Iterable[Query]) -> dict[str, list[str]]:
    """The accepted answers of every question that tells of any; none for one that says it has no answer.

    They stand in the metadata: ``answers``, a list, or ``reference_answer``; ``answerable`` is false where
    there is none, whatever else is said.

    Raises:
        DataError: they are no texts.
    """
    found: dict[str, list[str]] = {}
    for query in queries:
        told, one = query.metadata.get("answers"), query.metadata.get("reference_answer")
        if query.metadata.get("answerable") is False:
            found[query.query_id] = []
        elif told is not None or one is not None:
            answers = told if told is not None else [one]
            if not isinstance(answers, list) or not all(isinstance(answer, str) for answer in answers):
                raise DataError(
                    f"the answers of query {query.query_id!r} are {answers!r:.60}",
                    hint="write a list of texts",
                )
            found[query.query_id] = answers
    return found


def read_answers(path: Path, known: Collection[str], *, id_key: str, answer_key: str) -> dict[str, str]:
    """A system's answers by question.

    Args:
        path: JSON lines or an array of objects with an id and an answer, or one object of answers by id, as
            SQuAD's own script reads it.
        known: ids of the questions.
        id_key: the name of the id.
        answer_key: the name of the answer.

    Raises:
        DataError: an answer is of no question, or a question has two; with path and line.
    """
    answers: dict[str, str] = {}
    for row in json_records(path):
        texts = all(isinstance(value, str) for value in row.cells.values())
        if id_key not in row.cells and row.cells and (texts or any(name in known for name in row.cells)):
            pairs = [(name, row.text(name)) for name in row.cells]
        else:
            pairs = [(row.id(id_key), row.text(answer_key))]
        for name, answer in pairs:
            if name not in known:
                raise row.error(f"is an answer for {name!r}, and there is no such question")
            if name in answers:
                raise row.error(f"is a second answer for {name!r}")
            answers[name] = answer
    return answers


def score_answers(
    references: Mapping[str, list[str]], answers: Mapping[str, str], *, path: Path | None = None
) -> list[ScoredAnswer]:
    """Every question scored; one without an answer in the file counts 0 and is told.

    Args:
        references: accepted answers by question.
        answers: by question.
        path: the file they are from, for messages.

    Raises:
        DataError: there is no question, or none has an answer in the file.
    """
    missing = [query_id for query_id in references if query_id not in answers]
    if len(missing) == len(references):
        raise DataError(
            "no question has an answer in the file" if references else "no query tells its answers",
            path=path if references else None,
        )
    if missing:
        few = ", ".join(missing[:_NAMED]) + (", …" if len(missing) > _NAMED else "")
        warn(f"{len(missing)} questions have no answer in the file and count 0: {few}")
    return [
        ScoredAnswer(
            id=query_id,
            answerable=bool(accepted),
            answer=answers.get(query_id),
            exact_match=exact_match(answers[query_id], accepted) if query_id in answers else 0.0,
            f1=token_f1(answers[query_id], accepted) if query_id in answers else 0.0,
        )
        for query_id, accepted in references.items()
    ]


def answer_rates(scored: Iterable[ScoredAnswer]) -> dict[str, AnswerRates]:
    """Means over ``all`` questions, and over the ``answerable`` and the ``unanswerable`` where both exist."""
    scored = list(scored)
    groups = {"all": scored}
    for name, answerable in (("answerable", True), ("unanswerable", False)):
        group = [one for one in scored if one.answerable is answerable]
        if group and len(group) < len(scored):
            groups[name] = group
    return {
        name: AnswerRates(
            questions=len(group),
            exact_match=mean_of(one.exact_match for one in group),
            f1=mean_of(one.f1 for one in group),
        )
        for name, group in groups.items()
    }
