"""Lucene's BM25 as a retriever, over one flat text or over title and text apart."""

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
from beirkit.retrievers.lexical import lucene
from beirkit.retrievers.lexical.index_stats import spread
from beirkit.retrievers.lexical.kept import Index, kept_or_built
from beirkit.retrievers.lexical.lucene_analyzer import LuceneAnalyzer, LuceneAnalyzerOptions
from beirkit.retrievers.lexical.postings import Postings
from beirkit.retrievers.lexical.rm3 import RM3, RM3Options
from beirkit.retrievers.lexical.scoring import Ranked
from beirkit.retrievers.lexical.stream import count_fields, latency, search_each
from beirkit.retrievers.template import FIELDS, Template


class LuceneBM25Options(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Options of :class:`LuceneBM25Retriever`; the defaults are Anserini's.

    Attributes:
        k1: how fast repeated terms stop counting.
        b: how far long documents are held back, from 0 (not at all) to 1.
        template: the text of a document; not read where there are ``fields``.
        fields: ``title`` and ``text`` with what each counts, to score them apart; none: one flat text.
        analyzer: how texts become terms.
        rm3: expands every query by terms of its first results and asks it again (``rm3={}`` with Anserini's
            parameters); not with ``fields``.
    """

    k1: float = 0.9
    b: float = 0.4
    template: str = "{title} {text}"
    fields: dict[str, float] = {}
    analyzer: LuceneAnalyzerOptions = LuceneAnalyzerOptions()
    rm3: RM3Options | None = None

    def __post_init__(self) -> None:
        if not (math.isfinite(self.k1) and self.k1 >= 0):
            raise ValueError(f"k1 is {self.k1}; it must be 0 or more")
        if not 0 <= self.b <= 1:
            raise ValueError(f"b is {self.b}; it must be between 0 and 1")
        if self.rm3 is not None and self.fields:
            raise ValueError("rm3 expands queries over one flat text; leave fields out")
        for name, boost in self.fields.items():
            if name not in FIELDS:
                raise ValueError(f"there is no field {name!r}; fields are {' and '.join(FIELDS)}")
            if not (math.isfinite(boost) and boost > 0):
                raise ValueError(f"the field {name!r} counts {boost}; it must be greater than 0")


class LuceneBM25Retriever(Retriever[LuceneBM25Options]):
    """BM25 as Lucene computes it behind Anserini, without a JVM.

    Tokens, quantised document lengths and the float32 arithmetic are Lucene's, so scores are equal to the
    last bit and rankings differ in the order of exact ties alone (ours: by the one ordering rule;
    Anserini's: by ascending id). With ``fields`` each field has its own vocabulary, statistics and lengths,
    and the scores of a document's fields are added up. Documents that share no term with the query are never
    returned. Anserini leaves documents without text out of its index; here their titles can be found.
    """

    kind: ClassVar[str] = "bm25-lucene"
    summary: ClassVar[str] = "BM25 equal to Lucene's as Anserini runs it, flat or by fields"
    Options: ClassVar[type[msgspec.Struct]] = LuceneBM25Options

    def __init__(self, options: LuceneBM25Options, workplace: Workplace | None = None) -> None:
        super().__init__(options, workplace)
        self._analyzer = LuceneAnalyzer(options.analyzer)
        patterns = {f"{{{name}}}": boost for name, boost in options.fields.items()}
        self._fields = {
            Template(pattern): boost for pattern, boost in (patterns or {options.template: 1.0}).items()
        }
        self._rm3: RM3 | None = None
        self._index: list[tuple[Postings, float]] = []
        self._facts: Facts = {}
        self._seconds: list[float] = []

    def identity(self) -> Facts:
        """Parameters, template or fields, and analyzer, resolved."""
        options = self.options
        return {
            "kind": self.kind,
            "stage": self.stage,
            "variant": "lucene",
            "lengths": "quantised to one byte",
            "k1": options.k1,
            "b": options.b,
            **({"fields": options.fields} if options.fields else {"template": options.template}),
            "repeated_query_terms": "counted as often as they stand",
            "analyzer": self._analyzer.describe(),
            **({"rm3": options.rm3.describe()} if options.rm3 is not None else {}),
        }

    def index(self, documents: Iterable[Document]) -> None:
        """Count the terms of every document, then weigh them; large indexes are kept where there is a store.

        Raises:
            DataError: there is no document, or an id occurs twice.
        """
        index = kept_or_built(documents, self.workplace, self.identity(), self._build)
        self._index = list(zip(index.fields, self._fields.values(), strict=True))
        self._rm3 = RM3(self.options.rm3, index.fields[0]) if self.options.rm3 is not None else None
        self._facts = dict(index.facts)

    def search(self, queries: Iterable[Query], k: int) -> Run:
        """The ``k`` best documents of each query among those that share a term with it.

        Raises:
            UsageError: nothing has been indexed, or ``k`` is less than 1.
        """
        if not self._index:
            raise not_indexed()
        self._seconds = []
        run, unmatched = search_each(
            queries,
            k,
            self._index[0][0].doc_ids,
            self._analyzer.terms,
            lambda terms: self._search(terms, k),
            tag=self.kind,
            progress=self.workplace.progress,
            seconds=self._seconds,
            by_kernels=True,
            together=None if self._rm3 else lambda queries: lucene.search_each(self._index, queries, k),
        )
        self._facts["queries_without_results"] = unmatched
        return run

    def report(self) -> Facts:
        """Size of the corpus and of the vocabulary, lengths by field, queries without results."""
        return dict(self._facts)

    def costs(self) -> Facts:
        """Bytes of the postings in memory, and latencies."""
        size = {"index_bytes": sum(postings.nbytes for postings, _ in self._index)} if self._index else {}
        return {**size, **latency(self._seconds)}

    def _search(self, terms: list[str], k: int) -> Ranked:
        if self._rm3 is None or self.options.rm3 is None:
            return lucene.search(self._index, terms, k)
        first = lucene.search(self._index, terms, self.options.rm3.fb_docs)
        return lucene.search_weighted(self._index, self._rm3.expanded(terms, first), k)

    def _build(self, documents: Iterable[Document]) -> Index:
        options = self.options
        doc_ids, counted = count_fields(
            documents, list(self._fields), self._analyzer, self.workplace.progress
        )
        fields = tuple(
            lucene.weigh(
                doc_ids,
                counts,
                lucene.statistics(counts),
                k1=options.k1,
                b=options.b,
                with_counts=options.rm3 is not None,
            )
            for counts in counted
        )
        lengths = np.sum([counts.lengths for counts in counted], axis=0)
        facts: Facts = {
            "documents": len(doc_ids),
            "terms": sum(len(counts.vocabulary) for counts in counted),
            "postings": sum(len(counts.docs) for counts in counted),
            "documents_without_terms": int((lengths == 0).sum()),
            "lengths": spread(lengths),
            "fields": {
                template.pattern: postings.statistics
                for template, postings in zip(self._fields, fields, strict=True)
            },
        }
        return Index(fields, facts)
