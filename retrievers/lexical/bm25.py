"""BM25 as a retriever: every weight is computed when the index is built, a search only adds."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import ClassVar

import msgspec
import numpy as np

from beirkit.corpora.records import Document, Query
from beirkit.corpora.run import Run
from beirkit.retrievers.base import Facts, Retriever, Workplace
from beirkit.retrievers.calls import not_indexed
from beirkit.retrievers.lexical import formulas
from beirkit.retrievers.lexical.analyzer import Analyzer, AnalyzerOptions
from beirkit.retrievers.lexical.counts import CorpusStatistics, TermCounts
from beirkit.retrievers.lexical.formulas import DELTA, Parameters, Variant
from beirkit.retrievers.lexical.index_stats import spread
from beirkit.retrievers.lexical.kept import Index, kept_or_built
from beirkit.retrievers.lexical.merge import ranges
from beirkit.retrievers.lexical.postings import Postings
from beirkit.retrievers.lexical.spill import Column
from beirkit.retrievers.lexical.stream import count_terms, latency, search_each
from beirkit.retrievers.template import Template


class BM25Options(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Options of :class:`BM25Retriever`.

    Attributes:
        variant: whose formula: ``lucene``, ``robertson``, ``atire``, ``bm25l`` or ``bm25+``.
        k1: how fast repeated terms stop counting.
        b: how far long documents are held back, from 0 (not at all) to 1.
        delta: what a term is worth at least, in ``bm25l`` (default 0.5) and ``bm25+`` (default 1).
        template: the text of a document.
        analyzer: how texts become terms.
    """

    variant: Variant = "lucene"
    k1: float = 0.9
    b: float = 0.4
    delta: float | None = None
    template: str = "{title} {text}"
    analyzer: AnalyzerOptions = AnalyzerOptions()

    def __post_init__(self) -> None:
        if not (math.isfinite(self.k1) and self.k1 >= 0):
            raise ValueError(f"k1 is {self.k1}; it must be 0 or more")
        if not 0 <= self.b <= 1:
            raise ValueError(f"b is {self.b}; it must be between 0 and 1")
        if self.delta is not None and self.variant not in DELTA:
            raise ValueError(f"the variant {self.variant!r} has no delta")
        if self.delta is not None and not (math.isfinite(self.delta) and self.delta >= 0):
            raise ValueError(f"delta is {self.delta}; it must be 0 or more")

    @property
    def parameters(self) -> Parameters:
        """Variant and parameters, resolved."""
        delta = DELTA.get(self.variant, 0.0) if self.delta is None else self.delta
        return Parameters(variant=self.variant, k1=self.k1, b=self.b, delta=delta)


class BM25Retriever(Retriever[BM25Options]):
    """BM25 over one flat text per document.

    Documents that share no term with the query are never returned, and terms repeated in the query count as
    often as they stand. An index takes 9 s for 100,000 documents of 110 terms on one core; from 20,000
    documents on it is kept in the store, if there is one, and mapped into memory the next time.
    """

    kind: ClassVar[str] = "bm25"
    summary: ClassVar[str] = (
        "BM25 (Lucene's, Robertson's, ATIRE's, BM25L, BM25+) with stop words and stemming"
    )
    stage: ClassVar[int] = 2
    Options: ClassVar[type[msgspec.Struct]] = BM25Options

    def __init__(self, options: BM25Options, workplace: Workplace | None = None) -> None:
        super().__init__(options, workplace)
        self._template = Template(options.template)
        self._analyzer = Analyzer(options.analyzer)
        self._postings: Postings | None = None
        self._facts: Facts = {}
        self._seconds: list[float] = []

    def identity(self) -> Facts:
        """Variant, parameters, template and analyzer, resolved."""
        options = self.options
        facts: Facts = {
            "kind": self.kind,
            "stage": self.stage,
            "variant": options.variant,
            "k1": options.k1,
            "b": options.b,
            "template": options.template,
            "repeated_query_terms": "counted as often as they stand",
            "analyzer": self._analyzer.describe(),
        }
        if options.variant in DELTA:
            facts["delta"] = options.parameters.delta
        return facts

    def index(self, documents: Iterable[Document]) -> None:
        """Count the terms of every document, then weigh them; large indexes are kept where there is a store.

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
        run, unmatched = search_each(
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
        self._facts["queries_without_results"] = unmatched
        return run

    def report(self) -> Facts:
        """Size of the corpus and of the vocabulary, average length, queries without results."""
        return dict(self._facts)

    def costs(self) -> Facts:
        """Bytes of the postings in memory, and latencies."""
        postings = self._postings
        size = {} if postings is None else {"index_bytes": postings.nbytes}
        return {**size, **latency(self._seconds)}

    def _build(self, documents: Iterable[Document]) -> Index:
        doc_ids, counts = count_terms(documents, self._template, self._analyzer, self.workplace.progress)
        postings = weigh(doc_ids, counts, counts.statistics, self.options.parameters)
        facts: Facts = {
            **postings.statistics,
            "terms": len(counts.vocabulary),
            "postings": len(counts.docs),
            "documents_without_terms": int((counts.lengths == 0).sum()),
            "lengths": spread(counts.lengths),
        }
        return Index((postings,), facts)


def weigh(
    doc_ids: list[str], counts: TermCounts, statistics: CorpusStatistics, parameters: Parameters
) -> Postings:
    """BM25 weights of every posting, computed in float64 and kept as float32.

    Args:
        doc_ids: id of each document.
        counts: the documents' term frequencies and lengths.
        statistics: of the whole corpus, which ``counts`` may be a part of; its frequencies are by the
            numbers of the vocabulary of ``counts``.
        parameters: variant and parameters.
    """
    idf = formulas.idf(parameters.variant, statistics.frequencies, statistics.documents)
    # Without any term there is nothing to weigh, and no average to divide by.
    lengths = counts.lengths / (statistics.average_length or 1.0)
    weights = Column(np.float32)
    for first, last in ranges(counts.indptr):
        part = slice(counts.indptr[first], counts.indptr[last])
        gain = formulas.gain(parameters, counts.counts[part].astype(np.float64), lengths[counts.docs[part]])
        weights.append(np.repeat(idf[first:last], np.diff(counts.indptr[first : last + 1])) * gain)
    absent = formulas.absent_gain(parameters)
    return Postings(
        doc_ids=doc_ids,
        vocabulary=counts.vocabulary,
        indptr=counts.indptr,
        docs=counts.docs,
        weights=weights.array(),
        absent=(idf * absent).astype(np.float32) if absent else None,
        statistics={"documents": statistics.documents, "average_length": statistics.average_length},
    )
