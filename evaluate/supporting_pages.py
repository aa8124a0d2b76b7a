"""Search tools by the pages they return: at which rank is a supporting page, at which the answer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal

import msgspec
import numpy as np
import numpy.typing as npt

from beirkit.corpora.errors import UsageError
from beirkit.corpora.provider_results import ProviderResults, Response, Result, Status
from beirkit.corpora.supporting import Supporting, Task
from beirkit.corpora.urls import UrlPolicy, document_url
from beirkit.evaluate.answer_cues import AnswerCues, Kind
from beirkit.evaluate.leaks import Reason, leak

MEASURES = ("Reference Hit", "Reference MRR", "Answer Match", "Answer Match (strict)", "Archived Hit")
MAIN = MEASURES[:3]

CAVEATS = (
    "references are not every relevant page: a page that is none of them may support the answer as well",
    "an answer's words in a returned text do not establish that the result answers the question",
    "these measures say nothing about a model's own knowledge and are no SimpleQA accuracy",
    "they stand apart from graded relevance: no mean holds both",
    "addresses, cues and leaks follow beirkit's own rules; equality with another harness is not claimed",
)

Values = npt.NDArray[np.float64]


class Flag(msgspec.Struct, frozen=True):
    """A result that holds the benchmark itself."""

    rank: int
    url: str
    reason: Reason


class Found(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The first result that counts.

    Attributes:
        rank: the tool's own.
        url: as the tool gave it.
        line: where the result stands in the tool's file.
        reference: the reference that the page is, as the publisher wrote it.
        by: ``reference`` itself, a verified ``copy`` of it, or an ``archived`` form.
        cue: the cue of the answer that fired.
    """

    rank: int
    url: str
    line: int
    reference: str = ""
    by: Literal["", "reference", "copy", "archived"] = ""
    cue: Kind | None = None


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """What one tool's list is worth for one question.

    Attributes:
        query_id: the question.
        status: of the response; ``absent``: the tool's file does not have the query.
        page: the first result that is a reference or a verified copy of one.
        archived: the first that is an archived form of one.
        answer: the first whose text has a cue of the answer.
        answer_strict: the first that has it with the answer's own accents.
        flags: results that hold the benchmark itself, all of them.
        seconds: how long the tool took, where told.
        evidence: the stored raw response.
        sha256: of that.
    """

    query_id: str
    status: Status | Literal["absent"]
    page: Found | None = None
    archived: Found | None = None
    answer: Found | None = None
    answer_strict: Found | None = None
    flags: tuple[Flag, ...] = ()
    seconds: float | None = None
    evidence: str = ""
    sha256: str = ""

    def value(self, measure: str, k: int) -> float:
        """A measure at a cut-off, on the tool's own ranks; a query without an answer counts 0."""
        found = {
            "Reference Hit": self.page,
            "Reference MRR": self.page,
            "Answer Match": self.answer,
            "Answer Match (strict)": self.answer_strict,
            "Archived Hit": self.archived,
        }[measure]
        if found is None or found.rank > k:
            return 0.0
        return 1.0 / found.rank if measure == "Reference MRR" else 1.0


class Judged(msgspec.Struct, frozen=True, kw_only=True):
    """All lists of one tool, judged twice: as they are, and without the flagged results.

    Attributes:
        provider: its name.
        outcomes: by query, of all questions.
        unflagged: the same where flagged results do not count; the others keep their ranks.
        unknown: queries of the tool's file that are no questions of the dataset.
    """

    provider: str
    outcomes: dict[str, Outcome]
    unflagged: dict[str, Outcome]
    unknown: tuple[str, ...] = ()

    def values(self, measure: str, k: int, query_ids: Iterable[str], *, flagged: bool = True) -> Values:
        """``(n,) float64`` a measure for the given queries, in their order.

        Args:
            measure: one of :data:`MEASURES`.
            k: results that count, by the tool's ranks.
            query_ids: which queries.
            flagged: whether results that hold the benchmark count.
        """
        outcomes = self.outcomes if flagged else self.unflagged
        return np.array([outcomes[query].value(measure, k) for query in query_ids], dtype=np.float64)


def judge(tasks: Mapping[str, Task], results: ProviderResults, policy: UrlPolicy) -> Judged:
    """Judge what a tool returned.

    Args:
        tasks: every question, by id.
        results: of one tool.
        policy: when two addresses are one document.

    Raises:
        UsageError: no query of the file is a question of the dataset.
    """
    unknown = tuple(query for query in results.responses if query not in tasks)
    if len(unknown) == len(results.responses):
        raise UsageError(
            f"none of its {len(unknown)} queries is a question of this dataset",
            path=results.path,
            hint=f"they are called {unknown[0]!r} there, and {next(iter(tasks), 'nothing')!r} in the dataset",
        )
    outcomes, unflagged = {}, {}
    for query_id, task in tasks.items():
        response = results.responses.get(query_id)
        if response is None:
            outcomes[query_id] = unflagged[query_id] = Outcome(query_id=query_id, status="absent")
            continue
        cues, supporting = AnswerCues(task.reference_answer, task.answer_type), Supporting(task, policy)
        reasons = {result.rank: leak(task, cues, result) for result in response.results}
        flags = tuple(
            Flag(result.rank, result.url, reason)
            for result in response.results
            if (reason := reasons[result.rank]) is not None
        )
        outcomes[query_id] = _outcome(response, response.results, supporting, cues, flags)
        clean = tuple(result for result in response.results if reasons[result.rank] is None)
        unflagged[query_id] = _outcome(response, clean, supporting, cues, flags)
    return Judged(provider=results.name, outcomes=outcomes, unflagged=unflagged, unknown=unknown)


def _outcome(
    response: Response,
    results: tuple[Result, ...],
    supporting: Supporting,
    cues: AnswerCues,
    flags: tuple[Flag, ...],
) -> Outcome:
    page = archived = answer = strict = None
    for result in results:
        if page is None or archived is None:
            address = document_url(result.url, supporting.policy)
            if page is None and (name := supporting.of(address)) is not None:
                by: Literal["reference", "copy"] = "reference" if name == address.canonical else "copy"
                page = _found(result, reference=supporting.references[name], by=by)
            elif archived is None and (name := supporting.archived(address)) is not None:
                archived = _found(result, reference=supporting.references[name], by="archived")
        if (answer is None or strict is None) and (fired := cues.find(result.shown)) is not None:
            answer = answer or _found(result, cue=fired.kind)
            strict = strict or (_found(result, cue=fired.kind) if fired.strict else None)
    return Outcome(
        query_id=response.query_id,
        status=response.status if response.results or response.status != "ok" else "empty",
        page=page,
        archived=archived,
        answer=answer,
        answer_strict=strict,
        flags=flags,
        seconds=response.seconds,
        evidence=response.evidence,
        sha256=response.sha256,
    )


def _found(
    result: Result,
    *,
    reference: str = "",
    by: Literal["", "reference", "copy", "archived"] = "",
    cue: Kind | None = None,
) -> Found:
    return Found(rank=result.rank, url=result.url, line=result.line, reference=reference, by=by, cue=cue)
