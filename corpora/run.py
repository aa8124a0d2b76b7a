"""Ranked lists in columns, and the one rule by which lists are ordered.

The rule: score descending, then document id descending by its UTF-8 bytes. It is trec_eval's. Ranking,
writing, measuring, fusing and merging shards all call :func:`ranking_order`.
"""

from __future__ import annotations

import itertools
import reprlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from beirkit.corpora.errors import DataError
from beirkit.corpora.packed_ids import PackedIds, take

if TYPE_CHECKING:
    import pandas as pd

_SHORT = 64  # results of a list
_AT_ONCE = 1 << 16  # results that are pairs at once

Scores = npt.NDArray[np.float32] | npt.NDArray[np.float64]
Precision = Literal["float32", "float64"]


def id_ranks(doc_ids: Sequence[str]) -> npt.NDArray[np.int32]:
    """For each document its place, from 0, among all ids sorted descending by UTF-8 bytes.

    Python compares strings by code point, which for valid Unicode is the order of their UTF-8 bytes.

    Args:
        doc_ids: distinct ids.

    Returns:
        ``(len(doc_ids),) int32``.
    """
    if isinstance(doc_ids, PackedIds):
        return doc_ids.ranks()
    order = sorted(range(len(doc_ids)), key=doc_ids.__getitem__, reverse=True)
    ranks = np.empty(len(doc_ids), dtype=np.int32)
    ranks[order] = np.arange(len(doc_ids), dtype=np.int32)
    return ranks


def ranking_order(
    scores: npt.NDArray[Any],
    ranks: npt.NDArray[np.int32],
    groups: npt.NDArray[Any] | None = None,
    *,
    precision: Precision | None = None,
) -> npt.NDArray[np.intp]:
    """The permutation that puts results into ranking order.

    Args:
        scores: ``(n,)`` scores; a NaN comes after every number.
        ranks: ``(n,)`` value of :func:`id_ranks` for the document of each result.
        groups: ``(n,)`` ascending query ordinals where the results are of several queries.
        precision: compare scores after rounding them to this type; ``None``: as they are.

    Returns:
        ``(n,)`` indexes into ``scores``: by group, then score descending, then document id descending.
    """
    with np.errstate(over="ignore"):  # what is too large for float32 ties at infinity, as in a C float
        keys = scores if precision is None else scores.astype(precision)
    if groups is None:
        return np.lexsort((ranks, -keys))
    return np.lexsort((ranks, -keys, groups))


def any_repeated(docs: npt.NDArray[np.int32], offsets: npt.NDArray[np.int64]) -> bool:
    """Whether a document stands twice in one of the lists ``docs[offsets[i]:offsets[i + 1]]``.

    Lists of some length are sorted each by itself: that stays in the processor's cache and takes a fifth of
    the time that sorting all pairs takes.
    """
    lists = len(offsets) - 1
    if len(docs) < _SHORT * lists:
        pairs = np.repeat(np.arange(lists, dtype=np.int64), np.diff(offsets)) << 32 | docs
        pairs.sort()
        return bool((pairs[1:] == pairs[:-1]).any())
    bounds = offsets.tolist()
    for start, end in itertools.pairwise(bounds):
        part = np.sort(docs[start:end])
        if (part[1:] == part[:-1]).any():
            return True
    return False


LENIENT = (
    "to rank NaN last and infinity by its sign: --lenient-scores of score and compare "
    "(in Python: lenient_scores=True)"
)
"""What to do about scores that are not finite, where they are scored."""


@dataclass(frozen=True, eq=False)
class Run:
    """The ranked lists of a set of queries, in columns.

    Attributes:
        query_ids: one per list, each once; a query without results is there with an empty list.
        doc_ids: every document id that occurs, each once, in any order.
        offsets: ``(len(query_ids) + 1,) int64``; query ``i`` has the results ``offsets[i]:offsets[i + 1]``.
        docs: ``(n_results,) int32`` indexes into ``doc_ids``.
        scores: ``(n_results,)`` in the type they came in: float64 from files, float32 from retrievers;
            finite, unless a reader was told to take others.
        tag: name of the system.
        source: the file it was read from, for messages; empty: none.
        duplicates: further copies of a document in a list that were dropped when the file was read.
        distinct: whether it is known that no document stands twice in a list.
    """

    query_ids: Sequence[str]
    doc_ids: Sequence[str]
    offsets: npt.NDArray[np.int64]
    docs: npt.NDArray[np.int32]
    scores: Scores
    tag: str = "beirkit"
    source: str = ""
    duplicates: int = 0
    distinct: bool = False

    def __post_init__(self) -> None:
        if len(self.offsets) != len(self.query_ids) + 1:
            raise ValueError(f"{len(self.query_ids)} queries need {len(self.query_ids) + 1} offsets")
        if not (len(self.docs) == len(self.scores) == self.offsets[-1]):
            raise ValueError("docs, scores and the last offset must agree")

    def __len__(self) -> int:
        """Number of queries."""
        return len(self.query_ids)

    @property
    def n_results(self) -> int:
        """Number of (query, document) pairs."""
        return len(self.docs)

    @cached_property
    def groups(self) -> npt.NDArray[np.int64]:
        """``(n_results,)`` ordinal of the query of each result."""
        return np.repeat(np.arange(len(self), dtype=np.int64), np.diff(self.offsets))

    @cached_property
    def ranks(self) -> npt.NDArray[np.int32]:
        """``(len(doc_ids),)`` value of :func:`id_ranks`."""
        return id_ranks(self.doc_ids)

    def ordered(self, precision: Precision | None = None) -> Run:
        """The same results, each list in ranking order."""
        order = ranking_order(self.scores, self.ranks[self.docs], self.groups, precision=precision)
        return self._with(self.offsets, self.docs[order], self.scores[order])

    def keep(self, mask: npt.NDArray[np.bool_]) -> Run:
        """Only the results where ``mask`` (``(n_results,)``) is true; queries stay, in their order."""
        counts = np.bincount(self.groups[mask], minlength=len(self))
        offsets = np.concatenate(([0], np.cumsum(counts))).astype(np.int64)
        return self._with(offsets, self.docs[mask], self.scores[mask])

    def top(self, k: int) -> Run:
        """The first ``k`` results of each list as it stands; call :meth:`ordered` before."""
        place = np.arange(self.n_results, dtype=np.int64) - np.repeat(
            self.offsets[:-1], np.diff(self.offsets)
        )
        return self.keep(place < k)

    def select(self, query_ids: Iterable[str]) -> Run:
        """Only the lists of these queries that the run has, in the run's order."""
        wanted = set(query_ids)
        chosen = [i for i, query_id in enumerate(self.query_ids) if query_id in wanted]
        if len(chosen) == len(self):
            return self
        mask = np.zeros(len(self), dtype=bool)
        mask[chosen] = True
        counts = np.diff(self.offsets)[mask]
        offsets = np.concatenate(([0], np.cumsum(counts))).astype(np.int64)
        inside = mask[self.groups]
        ids = [self.query_ids[i] for i in chosen]
        return replace(
            self, query_ids=ids, offsets=offsets, docs=self.docs[inside], scores=self.scores[inside]
        )

    def including(self, query_ids: Iterable[str]) -> Run:
        """With an empty list for each of these queries that has none; a TREC file cannot hold such lists."""
        known = set(self.query_ids)
        more = [query_id for query_id in query_ids if query_id not in known]
        if not more:
            return self
        offsets = np.concatenate((self.offsets, np.full(len(more), self.offsets[-1])))
        return replace(self, query_ids=[*self.query_ids, *more], offsets=offsets)

    def results(self, index: int) -> tuple[npt.NDArray[np.int32], Scores]:
        """Documents and scores of the query at ``index``, as they stand."""
        part = slice(int(self.offsets[index]), int(self.offsets[index + 1]))
        return self.docs[part], self.scores[part]

    def lists(self) -> Iterator[tuple[str, list[tuple[str, float]]]]:
        """Each query with its ``(doc_id, score)`` pairs, as they stand."""
        ids = self.doc_ids
        # An array of texts hands many of them out in a third of the time; making one takes its time too.
        column = np.array(ids, dtype=object) if isinstance(ids, list) and self.n_results > len(ids) else None
        first = 0
        while first < len(self):  # texts are made for many lists at once
            start = int(self.offsets[first])
            last = max(first + 1, int(np.searchsorted(self.offsets, start + _AT_ONCE, side="right")) - 1)
            ends = (self.offsets[first : last + 1] - start).tolist()
            docs, scores = self.docs[start : start + ends[-1]], self.scores[start : start + ends[-1]]
            texts = take(ids, docs) if column is None else column[docs].tolist()
            pairs = list(zip(texts, scores.tolist(), strict=True))
            for query_id, (begin, end) in zip(
                self.query_ids[first:last], itertools.pairwise(ends), strict=True
            ):
                yield query_id, pairs[begin:end]
            first = last

    def to_dict(self) -> dict[str, dict[str, float]]:
        """``{query_id: {doc_id: score}}``, the form pytrec_eval and BEIR use."""
        return {query_id: dict(pairs) for query_id, pairs in self.lists()}

    def to_frame(self) -> pd.DataFrame:
        """A data frame with the columns ``query_id, doc_id, score, rank`` (from 1), in ranking order.

        Raises:
            MissingExtraError: pandas is not installed.
        """
        try:
            import pandas as pd
        except ImportError as error:
            from beirkit.corpora.errors import MissingExtraError

            raise MissingExtraError("a data frame", "frames") from error
        run = self.ordered()
        place = np.arange(run.n_results, dtype=np.int64) - np.repeat(run.offsets[:-1], np.diff(run.offsets))
        return pd.DataFrame(
            {
                "query_id": [run.query_ids[g] for g in run.groups.tolist()],
                "doc_id": take(run.doc_ids, run.docs),
                "score": run.scores,
                "rank": place + 1,
            }
        )

    @classmethod
    def from_dict(
        cls, run: Mapping[str, Mapping[str, Any]], *, tag: str = "beirkit", lenient_scores: bool = False
    ) -> Run:
        """A run of ``{query_id: {doc_id: score}}``; scores may be Python or numpy numbers.

        Args:
            run: the lists.
            tag: name of the system.
            lenient_scores: take NaN and infinite scores; whoever scores the run must say so again.

        Raises:
            DataError: a query has no dictionary of scores, an id is not a string, or a score is not a finite
                number; the message names the pair.
        """
        places: dict[str, int] = {}
        docs: list[int] = []
        scores: list[float] = []
        offsets = [0]
        for query_id, row in run.items():
            if not isinstance(query_id, str):
                raise DataError(f"query id {query_id!r} is not a string")
            if not isinstance(row, Mapping):
                raise DataError(
                    f"the results of query {query_id!r} are {reprlib.repr(row)}, not {{doc_id: score}}",
                    hint="give every document its score; without scores, falling numbers such as -rank do",
                )
            for doc_id, score in row.items():
                if not isinstance(doc_id, str):
                    raise DataError(f"query {query_id!r}: document id {doc_id!r} is not a string")
                docs.append(places.setdefault(doc_id, len(places)))
                scores.append(_number(score, query_id, doc_id))
            offsets.append(len(docs))
        made = cls(
            list(run),
            list(places),
            np.asarray(offsets, dtype=np.int64),
            np.asarray(docs, dtype=np.int32),
            np.asarray(scores, dtype=np.float64),
            tag,
            distinct=True,
        )
        if not lenient_scores:
            made.require_finite()
        return made

    @classmethod
    def from_lists(
        cls,
        query_ids: Sequence[str],
        doc_ids: Sequence[str],
        docs: Sequence[npt.NDArray[np.int32]],
        scores: Sequence[npt.NDArray[np.float32]],
        *,
        tag: str = "beirkit",
    ) -> Run:
        """A run of one array of document ordinals and one of scores per query."""
        offsets = np.concatenate(([0], np.cumsum([len(part) for part in docs]))).astype(np.int64)
        return cls(
            query_ids,
            doc_ids,
            offsets,
            np.concatenate(docs) if docs else np.empty(0, dtype=np.int32),
            np.concatenate(scores) if scores else np.empty(0, dtype=np.float32),
            tag,
        )

    def require_finite(self, hint: str = "") -> None:
        """Refuse scores that have no place in a ranking.

        Args:
            hint: what to do about it.

        Raises:
            DataError: a score is NaN or infinite; the message names the first such pairs.
        """
        bad = np.flatnonzero(~np.isfinite(self.scores))
        if len(bad):
            first = ", ".join(
                f"{self.query_ids[self.groups[i]]}/{self.doc_ids[self.docs[i]]} = {self.scores[i]}"
                for i in bad[:3].tolist()
            )
            raise DataError(
                f"{len(bad)} scores are not finite numbers: {first}", path=self.source or None, hint=hint
            )

    def _with(self, offsets: npt.NDArray[np.int64], docs: npt.NDArray[np.int32], scores: Scores) -> Run:
        changed = replace(self, offsets=offsets, docs=docs, scores=scores)
        if "ranks" in self.__dict__:  # the ids are the same, so their order is
            changed.__dict__["ranks"] = self.ranks
        return changed


def _number(score: Any, query_id: str, doc_id: str) -> float:
    """A score as a Python float: Python's and numpy's numbers are taken, texts and truth values are not."""
    if isinstance(score, int | float | np.integer | np.floating) and not isinstance(score, bool):
        try:
            return float(score)
        except OverflowError:
            pass  # an integer beyond the range of floats
    elif getattr(score, "ndim", None) == 0 and hasattr(score, "item"):  # a 0-d array or tensor
        return _number(score.item(), query_id, doc_id)
    raise DataError(
        f"the score of {query_id}/{doc_id} is {score!r}, not a number", hint="convert scores to numbers first"
    )
