"""RM3: a query gains the terms that stand out in its first results, and is asked again.

The relevance model of Lavrenko and Croft, mixed with the query as by Abdul-Jaleel et al. ("UMass at TREC
2004"), as Anserini computes it: of each of the first ``fb_docs`` documents the ``fb_terms`` most frequent
terms, each by its share among them times the document's score; of these the ``fb_terms`` heaviest, scaled to
add up to 1. Of terms of equal weight the first by name are taken.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cached_property

import msgspec
import numpy as np
import numpy.typing as npt

from beirkit.retrievers.base import Facts
from beirkit.retrievers.lexical.merge import runs
from beirkit.retrievers.lexical.postings import Postings
from beirkit.retrievers.lexical.scoring import Ranked

_COMMON = np.float32(0.1)
"""A term in more than this share of the documents is none that stands out."""

_PLAIN = re.compile(r"[a-z0-9]+")


class RM3Options(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Options of RM3; the defaults are Anserini's.

    Attributes:
        fb_docs: how many of the first results are taken for relevant.
        fb_terms: how many terms the query gains.
        original_query_weight: what the query itself counts, from 0 to 1; the rest is for what it gains.
        filter_terms: only terms of ``a`` to ``z`` and digits are gained.
    """

    fb_docs: int = 10
    fb_terms: int = 10
    original_query_weight: float = 0.5
    filter_terms: bool = True

    def __post_init__(self) -> None:
        for name, value in (("fb_docs", self.fb_docs), ("fb_terms", self.fb_terms)):
            if value < 1:
                raise ValueError(f"{name} is {value}; it must be at least 1")
        weight = self.original_query_weight
        if not (math.isfinite(weight) and 0 <= weight <= 1):
            raise ValueError(f"original_query_weight is {weight}; it must be between 0 and 1")

    def describe(self) -> Facts:
        """All that the new query depends on."""
        return {**msgspec.structs.asdict(self), "most_documents": 0.1, "length": "2 to 20"}


class RM3:
    """Makes the second query of a first one and its results.

    Args:
        options: how many documents and terms.
        postings: with ``counts`` and a vocabulary.
    """

    def __init__(self, options: RM3Options, postings: Postings) -> None:
        self._options = options
        self._postings = postings

    def expanded(self, terms: Iterable[str], first: Ranked) -> dict[str, float]:
        """Weight of each term of the second query, the query's own terms first.

        Args:
            terms: of the query, repeated ones as often as they stand.
            first: its results; the first ``fb_docs`` are looked at.
        """
        own = Counter(terms)
        length = own.total()
        weight = np.float32(self._options.original_query_weight)
        gained = self._relevance_model(first)
        mixed: dict[str, float] = {}
        for term in [*own, *(term for term in gained if term not in own)]:
            share = float(np.float32(own[term] / length))
            value = float(weight) * share + (1.0 - float(weight)) * gained.get(term, 0.0)
            mixed[term] = float(np.float32(value))
        return mixed

    def _relevance_model(self, first: Ranked) -> dict[str, float]:
        """The terms gained, with weights that add up to 1."""
        most = self._options.fb_terms
        totals: dict[str, float] = {}
        for doc, score in zip(first[0][: self._options.fb_docs].tolist(), first[1].tolist(), strict=False):
            frequencies = _heaviest(self._frequencies(doc), most)
            norm = np.float32(sum(frequencies.values()))
            for term, frequency in frequencies.items():
                share = np.float32(frequency) / norm * np.float32(score)
                totals[term] = float(np.float32(totals.get(term, 0.0)) + share)
        chosen = _heaviest(totals, most)
        total = sum(chosen.values())
        return {term: float(np.float32(value / total)) for term, value in chosen.items()} if total else {}

    def _frequencies(self, doc: int) -> dict[str, float]:
        """How often each term that may be gained stands in a document."""
        indptr, numbers, counts = self._by_document
        part = slice(indptr[doc], indptr[doc + 1])
        names, may = self._names, self._may_be_gained
        found = zip(numbers[part].tolist(), counts[part].tolist(), strict=True)
        return {names[number]: count for number, count in found if may[number]}

    @cached_property
    def _by_document(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32], npt.NDArray[np.int32]]:
        """The postings the other way round: where each document's begin, their terms, their counts."""
        postings = self._postings
        assert postings.counts is not None
        order = np.argsort(postings.docs, kind="stable")
        numbers = np.repeat(np.arange(postings.n_terms, dtype=np.int32), np.diff(postings.indptr))
        sizes = np.zeros(len(postings.doc_ids), dtype=np.int64)
        _, docs, here = runs(postings.docs[order])
        sizes[docs] = here
        indptr = np.concatenate(([0], np.cumsum(sizes)))
        return indptr, numbers[order], postings.counts[order]

    @cached_property
    def _names(self) -> list[str]:
        return sorted(self._postings.vocabulary, key=self._postings.vocabulary.__getitem__)

    @cached_property
    def _may_be_gained(self) -> list[bool]:
        """Which terms are neither very short, long, common, nor (``filter_terms``) of other characters."""
        postings, plain = self._postings, self._options.filter_terms
        documents = np.float32(postings.statistics["documents"] or 1)
        common = np.diff(postings.indptr).astype(np.float32) / documents > _COMMON
        return [
            2 <= len(name) <= 20 and not often and not (plain and not _PLAIN.fullmatch(name))
            for name, often in zip(self._names, common.tolist(), strict=True)
        ]


def _heaviest(weights: Mapping[str, float], most: int) -> dict[str, float]:
    """The terms of the greatest weights; of equal ones, the first by name."""
    return dict(sorted(weights.items(), key=lambda pair: (-pair[1], pair[0]))[:most])
