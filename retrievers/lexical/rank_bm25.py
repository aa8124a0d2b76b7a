"""The rank_bm25 package as a retriever: its arithmetic, our text handling and our ordering."""

from __future__ import annotations

import math
from collections.abc import Iterable
from importlib.metadata import version
from typing import Any, ClassVar, Literal

import msgspec
import numpy as np

from beirkit.corpora.records import Document, Query
from beirkit.corpora.run import Run, id_ranks
from beirkit.retrievers.base import Facts, Retriever, Workplace
from beirkit.retrievers.calls import known_length, not_indexed
from beirkit.retrievers.lexical.analyzer import Analyzer, AnalyzerOptions
from beirkit.retrievers.lexical.scoring import Ranked
from beirkit.retrievers.lexical.stream import (
    latency,
    require_ids,
    search_each,
    warn_without_terms,
)
from beirkit.retrievers.template import Template
from beirkit.retrievers.topk import top_k

Variant = Literal["okapi", "l", "plus"]

_CLASSES: dict[Variant, str] = {"okapi": "BM25Okapi", "l": "BM25L", "plus": "BM25Plus"}
_DELTA: dict[Variant, float] = {"l": 0.5, "plus": 1.0}
_EPSILON: dict[Variant, float] = {"okapi": 0.25}


class RankBM25Options(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Options of :class:`RankBM25Retriever`; the defaults are the package's own.

    Attributes:
        variant: ``okapi``, ``l`` or ``plus``: the package's class.
        k1: how fast repeated terms stop counting.
        b: how far long documents are held back, from 0 (not at all) to 1.
        epsilon: ``okapi`` only (default 0.25): a term in more than half of the documents gets this share of
            the average inverse document frequency.
        delta: ``l`` (default 0.5) and ``plus`` (default 1) only.
        template: the text of a document.
        analyzer: how texts become terms.
    """

    variant: Variant = "okapi"
    k1: float = 1.5
    b: float = 0.75
    epsilon: float | None = None
    delta: float | None = None
    template: str = "{title} {text}"
    analyzer: AnalyzerOptions = AnalyzerOptions()

    def __post_init__(self) -> None:
        # At k1 = 0 the package divides 0 by 0 for every document that lacks a term.
        if not (math.isfinite(self.k1) and self.k1 > 0):
            raise ValueError(f"k1 is {self.k1}; it must be greater than 0")
        # At b = 1 it does so for documents without any term.
        if not 0 <= self.b < 1:
            raise ValueError(f"b is {self.b}; it must be at least 0 and less than 1")
        for name, value, known in (("epsilon", self.epsilon, _EPSILON), ("delta", self.delta, _DELTA)):
            if value is not None and self.variant not in known:
                raise ValueError(f"the variant {self.variant!r} has no {name}")
            if value is not None and not (math.isfinite(value) and value >= 0):
                raise ValueError(f"{name} is {value}; it must be 0 or more")


class RankBM25Retriever(Retriever[RankBM25Options]):
    """BM25 as ``rank_bm25`` computes it, which many scripts report as "BM25".

    What the package leaves to its callers is settled here:

    - Its inverse document frequency is 0 for a term in exactly half of the documents, and can be negative
      in small corpora: a score says nothing about whether a document matched. Documents that share a term
      with the query are returned whatever their score, and no others.
    - It divides by zero where no document has a term; here every query is then without results.
    - Its ``get_top_n`` orders ties as numpy happens to; here the one ordering rule holds.
    - Its average frequency is a sum in the order in which terms are met: documents are handed over sorted
      by id, so that their order does not reach the scores.

    Its ``BM25L`` multiplies by the term frequency once more than the paper does, and ranks far worse for it
    (SciFact nDCG@10 .452, where the published formula gives .678); that is kept, being what it computes.

    It holds every term of every document as a Python string and looks at every document for every term of a
    query (10 to 30 ms per query on 5,000 documents); it is here as a reference, ``bm25`` is the fast one.
    """

    kind: ClassVar[str] = "rank-bm25"
    summary: ClassVar[str] = "BM25 of the rank_bm25 package (Okapi, L, Plus)"
    Options: ClassVar[type[msgspec.Struct]] = RankBM25Options

    def __init__(self, options: RankBM25Options, workplace: Workplace | None = None) -> None:
        super().__init__(options, workplace)
        self._template = Template(options.template)
        self._analyzer = Analyzer(options.analyzer)
        self._doc_ids: list[str] = []
        self._model: Any = None
        self._facts: Facts = {}
        self._seconds: list[float] = []

    def identity(self) -> Facts:
        """Class of the package, its version, parameters, template and analyzer, resolved."""
        return {
            "kind": self.kind,
            "stage": self.stage,
            "rank_bm25": version("rank-bm25"),
            "class": _CLASSES[self.options.variant],
            **self._parameters(),
            "template": self.options.template,
            "repeated_query_terms": "counted as often as they stand",
            "analyzer": self._analyzer.describe(),
        }

    def index(self, documents: Iterable[Document]) -> None:
        """Hand the terms of every document to the package.

        Raises:
            DataError: there is no document, or an id occurs twice.
        """
        import rank_bm25

        doc_ids: list[str] = []
        terms: list[list[str]] = []
        with self.workplace.progress("index", known_length(documents), "documents") as advance:
            for document in documents:
                doc_ids.append(document.doc_id)
                terms.append(self._analyzer.terms(self._template.render(document)))
                advance()
        require_ids(doc_ids)
        order = np.argsort(id_ranks(doc_ids)).tolist()
        self._doc_ids = [doc_ids[place] for place in order]
        self._ranks = np.arange(len(doc_ids), dtype=np.int32)
        self._model = None
        if any(terms):
            model = getattr(rank_bm25, _CLASSES[self.options.variant])
            self._model = model([terms[place] for place in order], **self._parameters())
        else:
            warn_without_terms(len(doc_ids))
        self._facts = {
            "documents": len(doc_ids),
            "average_length": sum(map(len, terms)) / len(doc_ids),
            "terms": len(set().union(*terms)),
            "documents_without_terms": sum(not found for found in terms),
        }

    def search(self, queries: Iterable[Query], k: int) -> Run:
        """The ``k`` best documents of each query among those that share a term with it.

        Raises:
            UsageError: nothing has been indexed, or ``k`` is less than 1.
        """
        if not self._doc_ids:
            raise not_indexed()
        self._seconds = []
        run, self._facts["queries_without_results"] = search_each(
            queries,
            k,
            self._doc_ids,
            self._analyzer.terms,
            lambda terms: self._search(terms, k),
            tag=self.kind,
            progress=self.workplace.progress,
            seconds=self._seconds,
        )
        return run

    def report(self) -> Facts:
        """Size of the corpus and of the vocabulary, average length, queries without results."""
        return dict(self._facts)

    def costs(self) -> Facts:
        """Latencies; what the package's index takes it does not say."""
        return latency(self._seconds)

    def _search(self, terms: list[str], k: int) -> Ranked:
        scores = np.full(len(self._doc_ids), -np.inf, dtype=np.float32)
        if self._model is not None:
            wanted = set(terms)
            matches = np.array([not wanted.isdisjoint(known) for known in self._model.doc_freqs])
            if matches.any():
                scores[matches] = self._model.get_scores(terms)[matches]
        return top_k(scores, self._ranks, k, above=-np.inf)

    def _parameters(self) -> dict[str, float]:
        """What the package's class is called with."""
        options = self.options
        parameters = {"k1": options.k1, "b": options.b}
        for name, given, known in (("epsilon", options.epsilon, _EPSILON), ("delta", options.delta, _DELTA)):
            if options.variant in known:
                parameters[name] = known[options.variant] if given is None else given
        return parameters
