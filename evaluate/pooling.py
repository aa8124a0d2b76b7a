"""What to have judged next: unjudged results of several runs, by depth or by how much the runs disagree."""

from __future__ import annotations

import random
from collections.abc import Collection, Mapping
from typing import Literal, get_args

import msgspec
import numpy as np

from beirkit.corpora.errors import UsageError, nearest
from beirkit.corpora.packed_ids import take
from beirkit.corpora.records import Qrels
from beirkit.corpora.run import Run
from beirkit.corpora.sample import require_seed
from beirkit.evaluate.protocol import Protocol, get_protocol
from beirkit.evaluate.ranking import in_order, without_duplicates, without_self_matches

By = Literal["depth", "disagreement"]


class Pooled(msgspec.Struct, frozen=True):
    """One document to be judged for one query.

    Attributes:
        query_id: the query.
        doc_id: the document.
        ranks: the systems that found it, each with its rank from 1.
    """

    query_id: str
    doc_id: str
    ranks: dict[str, int]


class Pool(msgspec.Struct, frozen=True):
    """What is to be judged.

    Attributes:
        items: in the order in which they matter.
        left: how many more there are that a limit left out.
    """

    items: list[Pooled]
    left: int


def pool_runs(
    qrels: Qrels,
    runs: Mapping[str, Run],
    *,
    depth: int = 10,
    by: By = "depth",
    limit: int | None = None,
    protocol: str | Protocol = "beirkit",
    self_match_ids: Collection[str] | None = None,
    unjudged_queries: bool = False,
) -> Pool:
    """The unjudged documents among the first of each list.

    By depth, a document matters the more the better its best rank is, and then the more systems found it. By
    disagreement it matters the more the discounts of its ranks (nDCG's, 1 / log2(rank + 1), 0 where a system
    did not find it) spread over the systems: its judgment moves their scores apart, while one that all have
    at the same rank moves none.

    Args:
        qrels: the judgments there are; a document with any grade is not pooled.
        runs: by system.
        depth: results of each list that are looked at.
        by: which documents come first.
        limit: documents of all queries together that are kept.
        protocol: orders the lists and decides about self-matches.
        self_match_ids: the queries whose document of the same id is the query itself; ``None``: not known.
        unjudged_queries: pool also for queries of the runs that have no judgment at all.

    Raises:
        UsageError: there is no run, or an option is impossible.
    """
    if by not in get_args(By):
        raise UsageError(f"no order is called {by!r}", hint=nearest(by, list(get_args(By))))
    if not runs or depth < 1 or (limit is not None and limit < 1):
        raise UsageError("a pool needs a run, and a depth and limit of 1 or more")
    rules = get_protocol(protocol)
    found: dict[tuple[str, str], dict[str, int]] = {}
    for system, run in runs.items():
        chosen = run if unjudged_queries else run.select(qrels)
        lists, _ = without_self_matches(chosen, rules.self_match, self_match_ids)
        ordered, _ = without_duplicates(in_order(lists, rules.precision), strict=False)
        for index, query_id in enumerate(ordered.query_ids):
            judged = qrels.get(query_id, {})
            docs, _ = ordered.results(index)
            for rank, doc_id in enumerate(take(ordered.doc_ids, docs[:depth]), 1):
                if doc_id not in judged:
                    found.setdefault((query_id, doc_id), {})[system] = rank
    items = [Pooled(query_id, doc_id, ranks) for (query_id, doc_id), ranks in found.items()]
    if by == "depth":
        items.sort(key=lambda one: (min(one.ranks.values()), -len(one.ranks), one.query_id, one.doc_id))
    else:
        items.sort(key=lambda one: (-disagreement(one, len(runs)), one.query_id, one.doc_id))
    kept = items if limit is None else items[:limit]
    return Pool(kept, len(items) - len(kept))


def disagreement(item: Pooled, systems: int) -> float:
    """The standard deviation of the discounts of a document's ranks over all systems.

    Args:
        item: the document.
        systems: how many there are, those that did not find it among them.
    """
    # sorted, so that equal ranks in other systems have the very same deviation
    ranks = np.array(sorted(item.ranks.values()), dtype=np.float64)
    discounts = np.concatenate((1 / np.log2(ranks + 1), np.zeros(systems - len(ranks))))
    return float(discounts.std())


def shuffled(items: Collection[Pooled], seed: int) -> list[Pooled]:
    """The pool in an order that says nothing about ranks and systems: queries together, all else by chance.

    Args:
        items: in any order, on which the outcome does not depend.
        seed: of the shuffle.

    Raises:
        UsageError: the seed is negative.
    """
    require_seed(seed)
    rng = random.Random(seed)
    by_query: dict[str, list[Pooled]] = {}
    for item in sorted(items, key=lambda one: (one.query_id, one.doc_id)):
        by_query.setdefault(item.query_id, []).append(item)
    order = list(by_query)
    rng.shuffle(order)
    for query_id in order:
        rng.shuffle(by_query[query_id])
    return [item for query_id in order for item in by_query[query_id]]
