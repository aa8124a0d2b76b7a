"""From a run to the ranked lists that are scored: judged queries, self-matches, order, depth."""

from __future__ import annotations

import logging
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from beirkit.corpora.errors import DataError, UsageError
from beirkit.corpora.packed_ids import PackedIds, ordinals, take
from beirkit.corpora.records import Qrels
from beirkit.corpora.run import LENIENT, Precision, Run, any_repeated, id_ranks, ranking_order
from beirkit.corpora.run_files import read_run
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
    own = ordinals(run.doc_ids, run.query_ids)
    if (own < 0).all():
        return run, SelfMatches(0, 0)
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
    within = run.groups[1:] == run.groups[:-1]
    docs, scores = run.docs, run.scores
    if not bool(np.all(~within | (keys[:-1] > keys[1:]) | _same(keys))):  # not in the order of scores
        order = ranking_order(keys, np.zeros(len(keys), dtype=np.int32), run.groups)
        keys, docs, scores = keys[order], docs[order], scores[order]
    ties = within & _same(keys)
    if ties.any():
        tied = np.zeros(len(keys), dtype=bool)
        tied[1:] |= ties
        tied[:-1] |= ties
        at = np.flatnonzero(tied)
        stretch = np.cumsum(np.append(True, ~ties))[at]
        order = at[np.lexsort((_ranks(run.doc_ids, docs[at]), stretch))]
        docs, scores = docs.copy(), scores.copy()
        docs[at], scores[at] = docs[order], scores[order]
    if docs is run.docs:
        return run
    return replace(run, docs=docs, scores=scores)


def _same(keys: npt.NDArray[np.floating[Any]]) -> npt.NDArray[np.bool_]:
    """Whether each score equals the one before; NaN equals NaN."""
    same: npt.NDArray[np.bool_] = (keys[1:] == keys[:-1]) | (np.isnan(keys[1:]) & np.isnan(keys[:-1]))
    return same


def _ranks(doc_ids: Sequence[str], docs: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
    """``(len(docs),)`` :func:`id_ranks` of some documents among themselves."""
    if isinstance(doc_ids, PackedIds):
        return -docs  # they stand in ascending order
    distinct, places = np.unique(docs, return_inverse=True)
    ranks: npt.NDArray[np.int32] = id_ranks(take(doc_ids, distinct))[places]
    return ranks


def without_duplicates(run: Run, *, strict: bool) -> tuple[Run, int]:
    """The run with the first, best-scored copy of each document per list, and how many copies went.

    Args:
        run: in ranking order.
        strict: a copy is an error.

    Raises:
        DataError: ``strict``, and there is one; names the first.
    """
    if run.distinct or not any_repeated(run.docs, run.offsets):
        return run, 0
    pairs = run.groups * len(run.doc_ids) + run.docs
    _, first = np.unique(pairs, return_index=True)
    copies = len(pairs) - len(first)
    mask = np.zeros(len(pairs), dtype=bool)
    mask[first] = True
    example = int(np.flatnonzero(~mask)[0])
    pair = f"{run.query_ids[run.groups[example]]}/{run.doc_ids[run.docs[example]]}"
    if strict:
        raise DataError(f"{copies} results stand twice in their list, the first is {pair}")
    logger.warning("%d results stand twice in their list, the best score counts: %s", copies, pair)
    return run.keep(mask), copies


def judged_results(run: Run, qrels: Qrels) -> tuple[npt.NDArray[np.intp], list[str]]:
    """Where documents stand that are judged for the query of their list, ascending, and their ids.

    Only the judged ids are looked up among those of the run, not the other way round.
    """
    wanted = [(i, d) for i, query_id in enumerate(run.query_ids) for d in qrels.get(query_id, ())]
    docs = ordinals(run.doc_ids, [doc_id for _, doc_id in wanted])
    pairs = np.array([i for i, _ in wanted], dtype=np.int64) * len(run.doc_ids) + docs
    pairs[docs < 0] = -1
    order = np.argsort(pairs)
    known = np.zeros(len(run.doc_ids), dtype=bool)
    known[docs[docs >= 0]] = True
    at = np.flatnonzero(known[run.docs])  # judged for some query
    if not len(at):
        return at, []
    own = run.groups[at] * len(run.doc_ids) + run.docs[at]
    found = np.searchsorted(pairs[order], own)
    found = order[np.minimum(found, len(order) - 1)]
    hit = pairs[found] == own
    return at[hit], [wanted[i][1] for i in found[hit].tolist()]


def places(run: Run) -> npt.NDArray[np.int64]:
    """``(n_results,)`` the rank of each result in its list, from 0."""
    starts = np.repeat(run.offsets[:-1], np.diff(run.offsets))
    return np.arange(run.n_results, dtype=np.int64) - starts


def as_run(
    run: Run | Mapping[str, Mapping[str, float]] | Path | str, *, strict: bool, lenient_scores: bool
) -> Run:
    """The run in columns, with finite scores.

    Args:
        run: in any form, or the file it stands in.
        strict: refuse a file with a document that stands twice in one list.
        lenient_scores: take NaN and infinite scores as they are.

    Raises:
        UsageError: it is none of these.
        DataError: a score is not a finite number, or an id not a string; the file cannot be read.
    """
    if isinstance(run, str | Path):
        return read_run(run, strict=strict, lenient_scores=lenient_scores)
    if not isinstance(run, Run):
        if not isinstance(run, Mapping):
            raise UsageError(
                f"the run is of type {type(run).__name__}",
                hint="give {query_id: {doc_id: score}}, a Run, or the path of a run file",
            )
        run = Run.from_dict(run, lenient_scores=True)
    if not lenient_scores:
        run.require_finite(LENIENT)
    return run
