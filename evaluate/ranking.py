"""From a run to the ranked lists that are scored: judged queries, self-matches, order, depth."""

from __future__ import annotations

import logging
from collections.abc import Collection, Mapping

import msgspec
import numpy as np
import numpy.typing as npt

from beirkit.corpora.errors import DataError
from beirkit.corpora.run import Precision, Run, id_ranks, ranking_order
from beirkit.evaluate.protocol import SelfMatch

logger = logging.getLogger(__name__)


class SelfMatches(msgspec.Struct, frozen=True):
    """How many results are the query itself.

    Attributes:
        removed: taken out before scoring.
        kept: have the query's id and were scored.
    """

    removed: int
    kept: int


def without_self_matches(run: Run, rule: SelfMatch, ids: Collection[str] | None) -> tuple[Run, SelfMatches]:
    """The run without results that are the query itself.

    Args:
        run: any order.
        rule: the protocol's.
        ids: the queries whose document of the same id is the query itself; ``None``: not known.
    """
    place = {query_id: i for i, query_id in enumerate(run.query_ids)}
    if place.keys().isdisjoint(run.doc_ids):
        return run, SelfMatches(0, 0)
    own = np.full(len(run), -1, dtype=np.int64)
    for ordinal, doc_id in enumerate(run.doc_ids):
        if doc_id in place:
            own[place[doc_id]] = ordinal
    found = run.docs == own[run.groups]
    if rule == "keep" or (rule == "dataset" and not ids):
        return run, SelfMatches(0, int(found.sum()))
    if rule == "remove":
        gone = found
    else:
        known = set(ids or ())
        named = np.fromiter((query_id in known for query_id in run.query_ids), dtype=bool, count=len(run))
        gone = found & named[run.groups]
    removed = int(gone.sum())
    return (run.keep(~gone) if removed else run), SelfMatches(removed, int(found.sum()) - removed)


def in_order(run: Run, precision: Precision) -> Run:
    """The run with each list in ranking order, scores compared at ``precision``.

    As :meth:`Run.ordered`, but the ids are only sorted where scores tie, and not at all in a sorted run.
    """
    if not run.n_results:
        return run
    with np.errstate(over="ignore"):  # beyond float32 all scores are equally large, as in pytrec_eval
        keys = run.scores.astype(precision)
    groups = run.groups
    ranks = np.zeros(len(run.doc_ids), dtype=np.int32)
    within = groups[1:] == groups[:-1]
    if bool(np.all(~within | (keys[:-1] > keys[1:]))):
        return run
    order = ranking_order(keys, ranks[run.docs], groups)
    by_score = keys[order]
    same = (by_score[1:] == by_score[:-1]) | (np.isnan(by_score[1:]) & np.isnan(by_score[:-1]))
    ties = within & same
    if ties.any():
        tied = np.zeros(len(keys), dtype=bool)
        tied[1:] |= ties
        tied[:-1] |= ties
        docs = np.unique(run.docs[order][tied])
        ranks[docs] = id_ranks([run.doc_ids[d] for d in docs.tolist()])
        order = ranking_order(keys, ranks[run.docs], groups)
    return Run(run.query_ids, run.doc_ids, run.offsets, run.docs[order], run.scores[order], run.tag)


def without_duplicates(run: Run, *, strict: bool) -> tuple[Run, int]:
    """The run with the first, best-scored copy of each document per list, and how many copies went.

    Args:
        run: in ranking order.
        strict: a copy is an error.

    Raises:
        DataError: ``strict``, and there is one; names the first.
    """
    pairs = run.groups * len(run.doc_ids) + run.docs
    _, first = np.unique(pairs, return_index=True)
    copies = len(pairs) - len(first)
    if not copies:
        return run, 0
    mask = np.zeros(len(pairs), dtype=bool)
    mask[first] = True
    example = int(np.flatnonzero(~mask)[0])
    pair = f"{run.query_ids[run.groups[example]]}/{run.doc_ids[run.docs[example]]}"
    if strict:
        raise DataError(f"{copies} results stand twice in their list, the first is {pair}")
    logger.warning("%d results stand twice in their list, the best score counts: %s", copies, pair)
    return run.keep(mask), copies


def places(run: Run) -> npt.NDArray[np.int64]:
    """``(n_results,)`` the rank of each result in its list, from 0."""
    starts = np.repeat(run.offsets[:-1], np.diff(run.offsets))
    return np.arange(run.n_results, dtype=np.int64) - starts


def as_run(run: Run | Mapping[str, Mapping[str, float]], *, lenient_scores: bool) -> Run:
    """The run in columns, with finite scores.

    Args:
        run: in either form.
        lenient_scores: take NaN and infinite scores as they are.

    Raises:
        DataError: a score is not a finite number, or an id not a string.
    """
    if not isinstance(run, Run):
        return Run.from_dict(run, lenient_scores=lenient_scores)
    if not lenient_scores:
        run.require_finite()
    return run
