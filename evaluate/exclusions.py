"""Documents that a benchmark takes out of single queries' rankings before they are scored, as BRIGHT does."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

import numpy as np

from beirkit.corpora.errors import DataError
from beirkit.corpora.packed_ids import ordinals
from beirkit.corpora.records import Query
from beirkit.corpora.run import Run

EXCLUDED = "excluded_ids"
"""Key of a query's metadata: ids of the documents that its ranking must not hold."""


def excluded_of(queries: Iterable[Query]) -> dict[str, frozenset[str]]:
    """For each query that excludes documents, their ids.

    Raises:
        DataError: a query's ``excluded_ids`` are no list of ids.
    """
    found = {}
    for query in queries:
        ids = query.metadata.get(EXCLUDED)
        if not ids:
            continue
        if not isinstance(ids, list) or not all(isinstance(doc_id, str) for doc_id in ids):
            raise DataError(
                f"the {EXCLUDED} of query {query.query_id!r} are {ids!r:.60}",
                hint="write a list of document ids, as texts",
            )
        found[query.query_id] = frozenset(ids)
    return found


def without_excluded(run: Run, excluded: Mapping[str, Collection[str]]) -> tuple[Run, int]:
    """The run without the documents that its queries exclude, and how many results that took out.

    Args:
        run: in any order; what is left keeps its order.
        excluded: for each query, ids of documents; those that are not in the run do nothing.
    """
    wanted = [(i, doc_id) for i, q in enumerate(run.query_ids) for doc_id in sorted(excluded.get(q, ()))]
    if not wanted or not run.n_results:
        return run, 0
    docs = ordinals(run.doc_ids, [doc_id for _, doc_id in wanted])
    pairs = np.array([i for i, _ in wanted], dtype=np.int64) * len(run.doc_ids) + docs
    gone = np.isin(run.groups * len(run.doc_ids) + run.docs, pairs[docs >= 0])
    removed = int(gone.sum())
    return (run.keep(~gone) if removed else run), removed
