"""Lucene's BM25 to the last bit: its quantised lengths, its float32 arithmetic, its sum of clauses."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from beirkit.retrievers.lexical.counts import CorpusStatistics, TermCounts
from beirkit.retrievers.lexical.merge import ranges
from beirkit.retrievers.lexical.postings import Postings
from beirkit.retrievers.lexical.scoring import Ranked, best
from beirkit.retrievers.lexical.spill import Column
from beirkit.retrievers.lexical.together import Counted, Together, best_of_each

Floats = npt.NDArray[np.float32]

_EXACT = 24
"""Lengths up to this are kept as they are; of what goes beyond it, the four highest bits."""


def quantised(lengths: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Lengths as Lucene keeps them, in one byte each: 40 stays 40, 41 becomes 40, 1000 becomes 984.

    Args:
        lengths: ``(n,)`` number of terms, repeated ones counted.
    """
    beyond = np.maximum(lengths - _EXACT, 0)
    _, bits = np.frexp(beyond.astype(np.float64))
    dropped = np.maximum(bits.astype(np.int64) - 4, 0)
    return np.where(lengths > _EXACT, _EXACT + ((beyond >> dropped) << dropped), lengths)


def statistics(counts: TermCounts) -> CorpusStatistics:
    """The statistics of one field: documents without any term in it are not counted."""
    return CorpusStatistics(
        documents=int((counts.lengths > 0).sum()),
        length=int(counts.lengths.sum()),
        frequencies=np.diff(counts.indptr),
    )


def weigh(
    doc_ids: Sequence[str],
    counts: TermCounts,
    whole: CorpusStatistics,
    *,
    k1: float,
    b: float,
    with_counts: bool = False,
) -> Postings:
    """The postings of one field.

    Lucene computes ``w - w / (1 + tf / norm)`` in float32, where ``w`` is the inverse document frequency
    times the number of times the query has the term. Since ``w`` is rounded before that, ``weights`` are the
    ``1 + tf / norm``, and :func:`search` does the rest.

    Args:
        doc_ids: id of each document.
        counts: term frequencies and lengths.
        whole: statistics of the whole corpus, which ``counts`` may be a part of; its frequencies are by the
            numbers of the vocabulary of ``counts``.
        k1: how fast repeated terms stop counting.
        b: how far long documents are held back.
        with_counts: whether the postings keep the term frequencies too.
    """
    one, k1_, b_ = np.float32(1), np.float32(k1), np.float32(b)
    average = np.float32(whole.average_length) if whole.documents else one
    with np.errstate(divide="ignore"):  # at k1 = 0 every term is worth all it can be
        norms = one / (k1_ * ((one - b_) + b_ * quantised(counts.lengths).astype(np.float32) / average))
    weights = Column(np.float32)
    for first, last in ranges(counts.indptr):
        part = slice(counts.indptr[first], counts.indptr[last])
        weights.append(counts.counts[part].astype(np.float32) * norms[counts.docs[part]] + one)
    return Postings(
        doc_ids=doc_ids,
        vocabulary=counts.vocabulary,
        indptr=counts.indptr,
        docs=counts.docs,
        weights=weights.array(),
        idf=_idf(whole),
        counts=counts.counts if with_counts else None,
        statistics={
            "documents": whole.documents,
            "average_length": whole.average_length if whole.documents else 0.0,
        },
    )


def search(fields: Sequence[tuple[Postings, float]], terms: Iterable[str], k: int) -> Ranked:
    """The ``k`` best of the documents that share a term with the query in some field, in ranking order.

    Args:
        fields: postings of each field over the same documents, and what the field counts.
        terms: of the query; one that stands there n times counts n times as much.
        k: how many to keep.

    Returns:
        ``(n,) int32`` document ordinals and ``(n,) float32`` scores, ``n <= k``.
    """
    return search_weighted(fields, Counter(terms), k)


def search_each(
    fields: Sequence[tuple[Postings, float]], queries: Sequence[Sequence[str]], k: int
) -> list[Ranked]:
    """What :func:`search` gives for each of some queries, with fewer calls to numpy.

    Args:
        fields: postings of each field over the same documents, and what the field counts.
        queries: the terms of each.
        k: how many to keep.
    """
    parts = []
    for postings, boost in fields:
        assert postings.idf is not None
        counted = Counted.of(queries, postings.vocabulary)
        weights = np.float32(boost) * counted.times * postings.idf[counted.numbers]
        parts.append(Together(postings.clauses(counted.numbers, weights, saturating=True), counted.sizes))
    if not all(part.clauses.only_add for part in parts):
        return [search(fields, terms, k) for terms in queries]
    return best_of_each(parts, fields[0][0].places, k)


def search_weighted(fields: Sequence[tuple[Postings, float]], query: Mapping[str, float], k: int) -> Ranked:
    """The same for terms that count by weights, which multiply their inverse document frequencies.

    Args:
        fields: postings of each field over the same documents, and what the field counts.
        query: the weight of each term.
        k: how many to keep.

    Returns:
        ``(n,) int32`` document ordinals and ``(n,) float32`` scores, ``n <= k``.
    """
    # Lucene adds the float32 scores of the clauses up as doubles.
    clauses = []
    for postings, boost in fields:
        assert postings.idf is not None
        known = [term for term in query if term in postings.vocabulary and query[term]]
        numbers = np.array(postings.numbers(known), dtype=np.int64)
        times = np.array([query[term] for term in known], dtype=np.float32)
        weights = np.float32(boost) * times * postings.idf[numbers]
        clauses.append(postings.clauses(numbers, weights, saturating=True))
    return best(clauses, fields[0][0].places, k)


def _idf(whole: CorpusStatistics) -> Floats:
    """Inverse document frequencies; the logarithm is :func:`math.log`, equal on every processor."""
    distinct, places = np.unique(whole.frequencies, return_inverse=True)
    n = whole.documents
    values = [math.log(1 + (n - df + 0.5) / (df + 0.5)) for df in distinct.tolist()]
    return np.array(values, dtype=np.float32)[places]
