"""The bm25s package as a retriever: its tokenizer and its arithmetic, our ordering."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from functools import cached_property
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from typing import Any, ClassVar, Literal
from unicodedata import normalize

import msgspec
import numpy as np

from beirkit.corpora.errors import ConfigError, MissingExtraError, nearest
from beirkit.corpora.records import Document, Query
from beirkit.corpora.run import Run, id_ranks
from beirkit.retrievers.base import Facts, Retriever, Workplace
from beirkit.retrievers.calls import known_length, not_indexed
from beirkit.retrievers.lexical.analysis.steps import SNOWBALL
from beirkit.retrievers.lexical.formulas import Variant
from beirkit.retrievers.lexical.scoring import Ranked
from beirkit.retrievers.lexical.stream import (
    latency,
    require_ids,
    search_each,
    warn_without_terms,
)
from beirkit.retrievers.store import blocks
from beirkit.retrievers.template import Template
from beirkit.retrievers.topk import top_k

STOPWORDS = (
    "english", "en", "english_plus", "en_plus", "german", "de", "dutch", "nl", "french", "fr", "spanish",
    "es", "portuguese", "pt", "italian", "it", "russian", "ru", "swedish", "sv", "norwegian", "no", "chinese",
    "zh", "turkish", "tr", "korean", "ko", "danish", "da",
)  # fmt: skip
"""The package's names for its lists, written down so that options are checked without loading it."""


class Bm25sOptions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    r"""Options of :class:`Bm25sRetriever`; the defaults are the package's own.

    Attributes:
        variant: the package's ``method``: ``lucene``, ``robertson``, ``atire``, ``bm25l`` or ``bm25+``.
        k1: how fast repeated terms stop counting.
        b: how far long documents are held back, from 0 (not at all) to 1.
        delta: ``bm25l`` and ``bm25+`` only, default 0.5 in both.
        template: the text of a document.
        normalize: ``nfc`` composes texts (a letter and its accent become one character) before the package
            sees them, so that equal words are equal; ``none`` gives it the texts as they are.
        lower: whether texts are brought to lower case.
        pattern: words are the matches of this regular expression.
        stopwords: a name of the package's lists (``english``, ``de``, ...), ``none``, or a list of words.
        stemmer: a Snowball stemmer by name (``english``), or ``none``.
    """

    variant: Variant = "lucene"
    k1: float = 1.5
    b: float = 0.75
    delta: float | None = None
    template: str = "{title} {text}"
    normalize: Literal["nfc", "none"] = "nfc"
    lower: bool = True
    pattern: str = r"(?u)\b\w\w+\b"
    stopwords: str | list[str] = "english"
    stemmer: str = "none"

    def __post_init__(self) -> None:
        if not (math.isfinite(self.k1) and self.k1 > 0):
            raise ValueError(f"k1 is {self.k1}; it must be greater than 0")
        if not 0 <= self.b <= 1:
            raise ValueError(f"b is {self.b}; it must be between 0 and 1")
        if self.delta is not None and self.variant not in ("bm25l", "bm25+"):
            raise ValueError(f"the variant {self.variant!r} has no delta")
        if self.delta is not None and not (math.isfinite(self.delta) and self.delta >= 0):
            raise ValueError(f"delta is {self.delta}; it must be 0 or more")


class Bm25sRetriever(Retriever[Bm25sOptions]):
    """BM25 as ``bm25s`` computes it, from the text to the score.

    Three things the package leaves open are settled here: texts are composed (``normalize``), documents that
    share no term with the query are not returned (it fills lists with them, at a score of 0 or, in ``bm25l``
    and ``bm25+``, of more), and ties go by the one ordering rule. Scores are its float32 sums
    of ``get_scores``, unchanged.

    It holds the words of all documents as Python strings while it indexes; ``bm25-mteb`` computes the same
    with the same parameters, streams, and is faster.
    """

    kind: ClassVar[str] = "bm25s"
    summary: ClassVar[str] = "BM25 of the bm25s package (Lucene's, Robertson's, ATIRE's, BM25L, BM25+)"
    Options: ClassVar[type[msgspec.Struct]] = Bm25sOptions

    def __init__(self, options: Bm25sOptions, workplace: Workplace | None = None) -> None:
        super().__init__(options, workplace)
        self._template = Template(options.template)
        _check(options)
        self._doc_ids: list[str] = []
        self._model: Any = None
        self._facts: Facts = {}
        self._seconds: list[float] = []

    def identity(self) -> Facts:
        """Version of the package, variant, parameters, template and its tokenizer's settings, resolved."""
        options = self.options
        given = options.stopwords
        facts: Facts = {
            "kind": self.kind,
            "stage": self.stage,
            "bm25s": _installed_version(),
            "variant": options.variant,
            "k1": options.k1,
            "b": options.b,
            "template": options.template,
            "repeated_query_terms": "counted as often as they stand",
            "normalize": options.normalize,
            "lower": options.lower,
            "pattern": options.pattern,
            "stopwords": given if isinstance(given, str) else "list",
            "stemmer": options.stemmer,
        }
        if options.variant in ("bm25l", "bm25+"):
            facts["delta"] = self._delta
        if not isinstance(given, str):
            facts["stopwords_sha256"] = sha256("\n".join(sorted(given)).encode()).hexdigest()
        if options.stemmer != "none":
            facts["pystemmer"] = version("PyStemmer")
        return facts

    def index(self, documents: Iterable[Document]) -> None:
        """Hand the text of every document to the package.

        Raises:
            DataError: there is no document, or an id occurs twice.
        """
        import bm25s

        options = self.options
        doc_ids: list[str] = []
        terms: list[list[str]] = []
        with self.workplace.progress("index", known_length(documents), "documents") as advance:
            for block in blocks(documents):
                doc_ids.extend(document.doc_id for document in block)
                terms.extend(self._terms([self._template.render(document) for document in block]))
                advance(len(block))
        require_ids(doc_ids)
        self._doc_ids, self._ranks, self._model = doc_ids, id_ranks(doc_ids), None
        if any(terms):
            self._model = bm25s.BM25(
                method=options.variant, k1=options.k1, b=options.b, delta=self._delta, backend="numpy"
            )
            self._model.index(terms, show_progress=False)
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
            lambda text: self._terms([text])[0],
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
        """Bytes of the package's matrix, and latencies."""
        arrays = (
            [] if self._model is None else [self._model.scores[key] for key in ("data", "indices", "indptr")]
        )
        return {"index_bytes": sum(np.asarray(array).nbytes for array in arrays), **latency(self._seconds)}

    @property
    def _delta(self) -> float:
        return 0.5 if self.options.delta is None else self.options.delta

    def _terms(self, texts: list[str]) -> list[list[str]]:
        import bm25s

        options = self.options
        found: list[list[str]] = bm25s.tokenize(
            [normalize("NFC", text) for text in texts] if options.normalize == "nfc" else texts,
            lower=options.lower,
            token_pattern=options.pattern,
            stopwords=None if options.stopwords == "none" else options.stopwords,
            stemmer=self._stemmer,
            return_ids=False,
            show_progress=False,
        )
        return found

    @cached_property
    def _stemmer(self) -> Any:
        if self.options.stemmer == "none":
            return None
        import Stemmer

        return Stemmer.Stemmer(self.options.stemmer)

    def _search(self, terms: list[str], k: int) -> Ranked:
        scores = np.full(len(self._doc_ids), -np.inf, dtype=np.float32)
        numbers = [] if self._model is None else self._model.get_tokens_ids(terms)
        if numbers:
            matrix = self._model.scores
            bounds = [(matrix["indptr"][number], matrix["indptr"][number + 1]) for number in numbers]
            matches = np.concatenate([matrix["indices"][start:end] for start, end in bounds])
            scores[matches] = self._model.get_scores_from_ids(numbers)[matches]
        return top_k(scores, self._ranks, k, above=-np.inf)


def _installed_version() -> str:
    try:
        return version("bm25s")
    except PackageNotFoundError as error:
        raise MissingExtraError("retriever kind 'bm25s'", "bm25s") from error


def _check(options: Bm25sOptions) -> None:
    """Refuse names that the package does not know, before it is loaded."""
    for what, name, known in (
        ("list of stop words", options.stopwords, (*STOPWORDS, "none")),
        ("stemmer", options.stemmer, (*SNOWBALL, "none")),
    ):
        if isinstance(name, str) and name not in known:
            raise ConfigError(f"no {what} is called {name!r}", hint=nearest(name, list(known)))
    try:
        re.compile(options.pattern)
    except re.error as error:
        raise ConfigError(f"pattern {options.pattern!r} is no regular expression: {error}") from error
