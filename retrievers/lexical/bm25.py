"""BM25 in the five variants people publish, computed when the index is built."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import ClassVar, Literal

import msgspec
import numpy as np
import numpy.typing as npt

from beirkit.corpora.errors import UsageError
from beirkit.corpora.records import Document, Query
from beirkit.corpora.run import Run
from beirkit.retrievers.base import Facts, Retriever, Workplace
from beirkit.retrievers.lexical.analyzer import Analyzer, AnalyzerOptions
from beirkit.retrievers.lexical.counts import TermCounts
from beirkit.retrievers.lexical.postings import Postings
from beirkit.retrievers.lexical.stream import count_terms, search_each
from beirkit.retrievers.template import Template

Variant = Literal["lucene", "robertson", "atire", "bm25l", "bm25+"]

_DELTA: dict[Variant, float] = {"bm25l": 0.5, "bm25+": 1.0}
"""The variants that have a delta, with the value of their authors."""


class BM25Options(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Options of :class:`BM25Retriever`.

    Attributes:
        variant: whose formula: ``lucene``, ``robertson``, ``atire``, ``bm25l`` or ``bm25+``, as compared by
            Kamphuis et al., "Which BM25 do you mean?", ECIR 2020.
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
        if self.delta is not None and self.variant not in _DELTA:
            raise ValueError(f"the variant {self.variant!r} has no delta")
        if self.delta is not None and not (math.isfinite(self.delta) and self.delta >= 0):
            raise ValueError(f"delta is {self.delta}; it must be 0 or more")


class BM25Retriever(Retriever[BM25Options]):
    """BM25 over one flat text per document.

    Documents that share no term with the query are never returned, and terms repeated in the query count as
    often as they stand. Weights are computed in float64 from statistics of the whole corpus and kept as
    float32. The index is built anew each time.
    """

    kind: ClassVar[str] = "bm25"
    summary: ClassVar[str] = (
        "BM25 (Lucene's, Robertson's, ATIRE's, BM25L, BM25+) with stop words and stemming"
    )
    Options: ClassVar[type[msgspec.Struct]] = BM25Options

    def __init__(self, options: BM25Options, workplace: Workplace | None = None) -> None:
        super().__init__(options, workplace)
        self._template = Template(options.template)
        self._analyzer = Analyzer(options.analyzer)
        self._postings: Postings | None = None
        self._facts: Facts = {}

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
        if options.variant in _DELTA:
            facts["delta"] = _delta(options)
        return facts

    def index(self, documents: Iterable[Document]) -> None:
        """Count the terms of every document, then weigh them.

        Raises:
            DataError: there is no document, or an id occurs twice.
        """
        doc_ids, counts = count_terms(documents, self._template, self._analyzer, self.workplace.progress)
        self._postings = weigh(doc_ids, counts, self.options)
        self._facts = {
            **self._postings.statistics,
            "terms": len(counts.vocabulary),
            "postings": len(counts.docs),
            "documents_without_terms": int((counts.lengths == 0).sum()),
        }

    def search(self, queries: Iterable[Query], k: int) -> Run:
        """The ``k`` best documents of each query among those that share a term with it.

        Raises:
            UsageError: nothing has been indexed, or ``k`` is less than 1.
        """
        postings = self._postings
        if postings is None:
            raise UsageError("nothing has been indexed", hint="call index() before search()")
        run, unmatched = search_each(
            queries,
            k,
            postings.doc_ids,
            lambda text: postings.search(self._analyzer.terms(text), k),
            tag=self.kind,
            progress=self.workplace.progress,
        )
        self._facts["queries_without_results"] = unmatched
        return run

    def report(self) -> Facts:
        """Size of the corpus and of the vocabulary, average length, queries without results."""
        return dict(self._facts)


def weigh(doc_ids: list[str], counts: TermCounts, options: BM25Options) -> Postings:
    """BM25 weights of every posting.

    Args:
        doc_ids: id of each document.
        counts: term frequencies and lengths of the whole corpus.
        options: variant and parameters.
    """
    n_docs = len(doc_ids)
    # Without any term there is nothing to weigh, and no average to divide by.
    average = int(counts.lengths.sum()) / n_docs or 1.0
    k1, b, delta = options.k1, options.b, _delta(options)
    frequencies = counts.document_frequencies
    idf = _idf(frequencies, n_docs, options.variant)
    length = (1 - b + b * (counts.lengths / average))[counts.docs]
    tf = counts.counts.astype(np.float64)
    absent: npt.NDArray[np.float64] | None = None
    if options.variant in ("lucene", "robertson"):
        gain = tf / (tf + k1 * length)
    elif options.variant == "atire":
        gain = tf * (k1 + 1) / (tf + k1 * length)
    elif options.variant == "bm25l":
        scaled = tf / length + delta
        nothing = (k1 + 1) * delta / (k1 + delta) if delta else 0.0
        gain = (k1 + 1) * scaled / (k1 + scaled) - nothing
        absent = idf * nothing
    else:
        gain = tf * (k1 + 1) / (tf + k1 * length)
        absent = idf * delta
    weights = np.repeat(idf, frequencies) * gain
    return Postings(
        doc_ids=doc_ids,
        vocabulary=counts.vocabulary,
        indptr=counts.indptr,
        docs=counts.docs,
        weights=weights.astype(np.float32),
        absent=None if absent is None else absent.astype(np.float32),
        statistics={"documents": n_docs, "average_length": average},
    )


def _delta(options: BM25Options) -> float:
    return _DELTA.get(options.variant, 0.0) if options.delta is None else options.delta


def _idf(frequencies: npt.NDArray[np.int64], n_docs: int, variant: Variant) -> npt.NDArray[np.float64]:
    """``(n_terms,) float64`` inverse document frequencies.

    The logarithm is taken once per distinct frequency with :func:`math.log`: numpy's own may differ in the
    last bit from one kind of processor to the next.
    """
    formulas: dict[Variant, Callable[[int], float]] = {
        "lucene": lambda df: math.log(1 + (n_docs - df + 0.5) / (df + 0.5)),
        # Robertson's turns negative for a term in more than half of the documents; it is held at 0.
        "robertson": lambda df: math.log(max(1.0, (n_docs - df + 0.5) / (df + 0.5))),
        "atire": lambda df: math.log(n_docs / df),
        "bm25l": lambda df: math.log((n_docs + 1) / (df + 0.5)),
        "bm25+": lambda df: math.log((n_docs + 1) / df),
    }
    distinct, places = np.unique(frequencies, return_inverse=True)
    values = np.array([formulas[variant](df) for df in distinct.tolist()], dtype=np.float64)
    return values[places]
