"""BM25F: fields count by weights, and what a term stands for in all of them saturates once."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import ClassVar

import msgspec
import numpy as np
import numpy.typing as npt

from beirkit.corpora.records import Document, Query
from beirkit.corpora.run import Run
from beirkit.retrievers.base import Facts, Retriever, Workplace
from beirkit.retrievers.calls import not_indexed
from beirkit.retrievers.lexical import formulas
from beirkit.retrievers.lexical.counts import TermCounts
from beirkit.retrievers.lexical.index_stats import spread
from beirkit.retrievers.lexical.kept import Index, kept_or_built
from beirkit.retrievers.lexical.lucene_analyzer import LuceneAnalyzerOptions
from beirkit.retrievers.lexical.merge import ranges, runs
from beirkit.retrievers.lexical.postings import Postings
from beirkit.retrievers.lexical.spill import Column
from beirkit.retrievers.lexical.stream import count_fields, latency, search_each
from beirkit.retrievers.template import FIELDS, Template


class BM25FOptions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Options of :class:`BM25FRetriever`.

    Attributes:
        fields: ``title`` and ``text`` with what each counts.
        k1: how fast repeated terms stop counting, over all fields together.
        b: how far long fields are held back, from 0 (not at all) to 1.
        b_of: fields with a ``b`` of their own.
        analyzer: how texts become terms.
    """

    fields: dict[str, float] = msgspec.field(default_factory=lambda: {"title": 1.0, "text": 1.0})
    k1: float = 0.9
    b: float = 0.4
    b_of: dict[str, float] = {}
    analyzer: LuceneAnalyzerOptions = LuceneAnalyzerOptions()

    def __post_init__(self) -> None:
        if not (math.isfinite(self.k1) and self.k1 > 0):
            raise ValueError(f"k1 is {self.k1}; it must be greater than 0")
        if not self.fields:
            raise ValueError(f"there must be a field; fields are {' and '.join(FIELDS)}")
        for name, weight in self.fields.items():
            if name not in FIELDS:
                raise ValueError(f"there is no field {name!r}; fields are {' and '.join(FIELDS)}")
            if not (math.isfinite(weight) and weight > 0):
                raise ValueError(f"the field {name!r} counts {weight}; it must be greater than 0")
        for name, b in (("", self.b), *self.b_of.items()):
            if name and name not in self.fields:
                raise ValueError(f"b_of names {name!r}, which is none of the fields")
            if not 0 <= b <= 1:
                raise ValueError(f"b is {b}; it must be between 0 and 1")


class BM25FRetriever(Retriever[BM25FOptions]):
    """BM25 over weighted fields by Robertson, Zaragoza and Taylor ("Simple BM25 extension", CIKM 2004).

    The frequency of a term is ``sum(weight * tf / (1 - b + b * length / average))`` over the fields, and its
    score is Lucene's ``log(1 + (N - df + .5) / (df + .5))`` times that frequency ``/ (k1 + frequency)``,
    where ``df`` counts documents with the term in any field. ``bm25-lucene`` with ``fields`` adds finished
    scores of the fields instead, so that a term in both counts nearly twice.
    """

    kind: ClassVar[str] = "bm25f"
    summary: ClassVar[str] = "BM25F: title and text by weights, with one saturation over both"
    Options: ClassVar[type[msgspec.Struct]] = BM25FOptions

    def __init__(self, options: BM25FOptions, workplace: Workplace | None = None) -> None:
        super().__init__(options, workplace)
        self._analyzer = options.analyzer.analyzer()
        self._postings: Postings | None = None
        self._facts: Facts = {}
        self._seconds: list[float] = []

    def identity(self) -> Facts:
        """Parameters, weights and analyzer, resolved."""
        options = self.options
        return {
            "kind": self.kind,
            "stage": self.stage,
            "fields": options.fields,
            "k1": options.k1,
            "b": {name: options.b_of.get(name, options.b) for name in options.fields},
            "repeated_query_terms": "counted as often as they stand",
            "analyzer": self._analyzer.describe(),
        }

    def index(self, documents: Iterable[Document]) -> None:
        """Count the terms of every field, then weigh them; large indexes are kept where there is a store.

        Raises:
            DataError: there is no document, or an id occurs twice.
        """
        index = kept_or_built(documents, self.workplace, self.identity(), self._build)
        (self._postings,) = index.fields
        self._facts = dict(index.facts)

    def search(self, queries: Iterable[Query], k: int) -> Run:
        """The ``k`` best documents of each query among those that share a term with it.

        Raises:
            UsageError: nothing has been indexed, or ``k`` is less than 1.
        """
        postings = self._postings
        if postings is None:
            raise not_indexed()
        self._seconds = []
        run, self._facts["queries_without_results"] = search_each(
            queries,
            k,
            postings.doc_ids,
            self._analyzer.terms,
            lambda terms: postings.search(terms, k),
            tag=self.kind,
            progress=self.workplace.progress,
            seconds=self._seconds,
            by_kernels=True,
            together=lambda queries: postings.search_each(queries, k),
        )
        return run

    def report(self) -> Facts:
        """Size of the corpus and of the vocabulary, lengths by field, queries without results."""
        return dict(self._facts)

    def costs(self) -> Facts:
        """Bytes of the postings in memory, and latencies."""
        size = {} if self._postings is None else {"index_bytes": self._postings.nbytes}
        return {**size, **latency(self._seconds)}

    def _build(self, documents: Iterable[Document]) -> Index:
        options = self.options
        templates = [Template(f"{{{name}}}") for name in options.fields]
        doc_ids, counted = count_fields(documents, templates, self._analyzer, self.workplace.progress)
        weights = list(options.fields.values())
        b = [options.b_of.get(name, options.b) for name in options.fields]
        postings = weigh(doc_ids, counted, weights=weights, b=b, k1=options.k1)
        lengths = np.sum([counts.lengths for counts in counted], axis=0)
        facts: Facts = {
            **postings.statistics,
            "terms": postings.n_terms,
            "postings": len(postings.docs),
            "documents_without_terms": int((lengths == 0).sum()),
            "lengths": spread(lengths),
        }
        return Index((postings,), facts)


def weigh(
    doc_ids: list[str],
    counted: Sequence[TermCounts],
    *,
    weights: Sequence[float],
    b: Sequence[float],
    k1: float,
) -> Postings:
    """BM25F weights of every posting, computed in float64 and kept as float32.

    Args:
        doc_ids: id of each document.
        counted: term frequencies and lengths, field by field.
        weights: what each field counts.
        b: how far each field's length holds it back.
        k1: how fast repeated terms stop counting.
    """
    vocabulary: dict[str, int] = {}
    for counts in counted:
        for term in counts.vocabulary:
            vocabulary.setdefault(term, len(vocabulary))
    fields = [_Field(counts, vocabulary, *given) for counts, *given in zip(counted, weights, b, strict=True)]
    sizes = np.sum([field.sizes for field in fields], axis=0)
    docs, gains, frequencies = Column(np.int32), Column(np.float32), []
    for first, last in ranges(np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)):
        parts = [field.between(first, last) for field in fields]
        terms, here, values = (np.concatenate(columns) for columns in zip(*parts, strict=True))
        pairs = terms * np.int64(len(doc_ids)) + here
        order = np.argsort(pairs, kind="stable")
        starts = np.flatnonzero(np.diff(pairs[order], prepend=-1))
        total = np.add.reduceat(values[order], starts) if len(starts) else values
        where, _, many = runs(terms[order][starts].astype(np.int32))
        df = np.zeros(last - first, dtype=np.int64)
        df[terms[order][starts][where] - first] = many
        idf = formulas.idf("lucene", df, len(doc_ids))
        docs.append(here[order][starts])
        gains.append(np.repeat(idf, df) * (total / (k1 + total)))
        frequencies.append(df)
    indptr = np.concatenate(([0], np.cumsum(np.concatenate([*frequencies, np.empty(0, np.int64)]))))
    return Postings(
        doc_ids=doc_ids,
        vocabulary=vocabulary,
        indptr=indptr.astype(np.int64),
        docs=docs.array(),
        weights=gains.array(),
        statistics={
            "documents": len(doc_ids),
            "average_lengths": [counts.statistics.average_length for counts in counted],
        },
    )


class _Field:
    """The frequencies of one field, held back by its length, under the numbers of all fields' terms."""

    def __init__(self, counts: TermCounts, vocabulary: dict[str, int], weight: float, b: float) -> None:
        own = np.array([vocabulary[term] for term in counts.vocabulary], dtype=np.int64)
        self._counts = counts
        self._number = np.full(len(vocabulary), -1, dtype=np.int64)
        self._number[own] = np.arange(len(own))
        self.sizes = np.zeros(len(vocabulary), dtype=np.int64)
        self.sizes[own] = np.diff(counts.indptr)
        average = counts.statistics.average_length or 1.0
        with np.errstate(divide="ignore"):  # what has no length has no postings either
            self._scale = weight / (1 - b + b * counts.lengths / average)

    def between(
        self, first: int, last: int
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32], npt.NDArray[np.float64]]:
        """Terms, documents and frequencies of the terms from ``first`` on and below ``last``."""
        counts, sizes = self._counts, self.sizes[first:last]
        starts = counts.indptr[self._number[first:last].clip(min=0)]
        shift = np.concatenate(([0], np.cumsum(sizes)[:-1])) if len(sizes) else sizes
        places = np.arange(sizes.sum()) + np.repeat(starts - shift, sizes)
        docs = counts.docs[places]
        terms = np.repeat(np.arange(first, last, dtype=np.int64), sizes)
        return terms, docs, counts.counts[places] * self._scale[docs]
