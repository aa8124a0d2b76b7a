"""Weighted queries against weighted documents, and what that takes: active dimensions and FLOPS."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from beirkit.corpora.run import Run
from beirkit.retrievers.base import Facts
from beirkit.retrievers.lexical.postings import Postings
from beirkit.retrievers.lexical.scoring import Ranked
from beirkit.retrievers.sparse.rows import Rows


class Active:
    """How many terms the texts of one role have."""

    def __init__(self) -> None:
        self.texts = self.empty = self._terms = 0

    def add(self, rows: Rows) -> None:
        """Count some texts."""
        self.add_counts(*rows.counts.tolist())

    def add_counts(self, *counts: int) -> None:
        """Count texts by the number of their terms."""
        self.texts += len(counts)
        self.empty += counts.count(0)
        self._terms += sum(counts)

    def report(self) -> Facts:
        """Texts, those without a term, and terms of a text in the mean: the active dimensions."""
        mean = round(self._terms / self.texts, 3) if self.texts else 0.0
        return {"texts": self.texts, "active_dims": mean, "empty": self.empty}


class RowSearch:
    """Searches an index with queries that are rows of weights.

    FLOPS are those of Formal et al. 2021 (SPLADE): products of a query's weight and a document's per pair of
    the two, in the mean over all pairs of this search.

    Args:
        postings: the documents.
        k: results of a query.
    """

    def __init__(self, postings: Postings, k: int) -> None:
        self._postings, self._k = postings, k
        self._lengths = np.diff(postings.indptr)
        self._products = 0
        self._found: list[Ranked] = []
        self.active = Active()

    def add(self, rows: Rows) -> None:
        """Search for some queries; numbers of terms beyond the index's are those of no document."""
        self.active.add(rows)
        bounds = rows.indptr.tolist()
        for start, end in pairwise(bounds):
            terms = rows.terms[start:end]
            self._found.append(self._postings.search_numbers(terms, rows.weights[start:end], self._k))
            self._products += int(self._lengths[terms[terms < self._postings.n_terms]].sum())

    def flops(self) -> float:
        """Products per pair of a query and a document."""
        pairs = self.active.texts * len(self._postings.doc_ids)
        return round(self._products / pairs, 6) if pairs else 0.0

    def run(self, query_ids: Sequence[str], tag: str) -> Run:
        """What was found, query by query in the order in which they came."""
        docs, scores = [docs for docs, _ in self._found], [scores for _, scores in self._found]
        run = Run.from_lists(query_ids, self._postings.doc_ids, docs, scores, tag=tag)
        run.require_finite()
        return run
