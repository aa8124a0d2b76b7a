"""Passages retrieved by any other retriever, and documents scored by their passages."""

from __future__ import annotations

import logging
import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, ClassVar

import msgspec
import numpy as np
import numpy.typing as npt

from beirkit.corpora.errors import ConfigError
from beirkit.corpora.passages import PassageRules, Unit
from beirkit.corpora.records import Document, Query
from beirkit.corpora.run import Run, id_ranks
from beirkit.retrievers.base import Facts, Retriever, Workplace
from beirkit.retrievers.calls import known_length, not_indexed, require_results
from beirkit.retrievers.chunked.aggregation import (
    Method,
    Ordinals,
    Ranked,
    Scores,
    best_passages,
    mean_passages,
    surely_best,
)
from beirkit.retrievers.chunked.chunks import Chunks
from beirkit.retrievers.chunked.reports import merged
from beirkit.retrievers.nested import Spec, make_stage
from beirkit.retrievers.store import blocks
from beirkit.retrievers.topk import top_k

logger = logging.getLogger(__name__)

PAIRS = 1 << 22
"""Queries times passages that are asked for at once."""

_DEEPER = 4  # times as many passages are asked for where too few were
_TOP = 3


class ChunkedOptions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Options of :class:`ChunkedRetriever`.

    Attributes:
        retriever: what retrieves the passages, a name as behind ``-r``, a YAML file, or
            ``{kind: …, options: …}``.
        size: of a passage, in units; the last one of a document may be shorter.
        overlap: units that a passage shares with the next.
        unit: ``words``, between white space; ``characters`` (code points); or ``sentences``.
        title: whether every passage has its document's title; else none has it, except that of a document
            without text.
        aggregation: what a document scores: as its best passage (``maxp``), as its first one, the others not
            being indexed (``firstp``), the mean of all its passages (``mean``), or of its best ones
            (``topk-mean``). In means a passage that is not retrieved counts 0.
        top: passages of a document that ``topk-mean`` takes the mean of; ``None``: 3.
        passages_per_query: look at no more than so many passages of each query, an approximation; ``None``:
            at as many as it takes to be exact.
    """

    retriever: Spec
    size: int
    overlap: int = 0
    unit: Unit = "words"
    title: bool = True
    aggregation: Method = "maxp"
    top: int | None = None
    passages_per_query: int | None = None

    def __post_init__(self) -> None:
        if self.top is not None and self.aggregation != "topk-mean":
            raise ValueError(f"top means nothing for {self.aggregation}; it is topk-mean's")
        for name in ("top", "passages_per_query"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise ValueError(f"{name} is {value}; it must be at least 1")


class ChunkedRetriever(Retriever[ChunkedOptions]):
    """Gives the passages of documents to another retriever, and ranks documents by what it finds.

    The ranking is exact to any depth, given what the other retriever ranks: for ``maxp`` and ``firstp`` it is
    asked for more passages until no other document can come in, for means for all passages. Of the documents
    only ids are held.
    """

    kind: ClassVar[str] = "chunked"
    summary: ClassVar[str] = (
        "any retriever over passages of long documents, which are scored by their passages"
    )
    Options = ChunkedOptions

    def __init__(self, options: ChunkedOptions, workplace: Workplace | None = None) -> None:
        super().__init__(options, workplace)
        try:
            self._rules = PassageRules(size=options.size, overlap=options.overlap, unit=options.unit)
        except ValueError as error:
            raise ConfigError(str(error)) from error
        self._inner = make_stage(options.retriever, self.workplace, "retriever")
        self._chunks: Chunks | None = None
        self._sizes: Ordinals = np.empty(0, dtype=np.int32)
        self._ranks: Ordinals = np.empty(0, dtype=np.int32)
        self._found: Facts = {}
        self._asked: Facts = {}
        self._reports: list[Facts] = []
        self._weights: list[int] = []
        self.best: Ordinals = np.empty(0, dtype=np.int32)
        """``(n_results,)`` of the last run: which passage of each result, from 0, is its best: ``DOC#N``."""

    def identity(self) -> Facts:
        """How documents are cut and scored, and the identity of the retriever of the passages."""
        options = self.options
        return {
            "kind": self.kind,
            "stage": self.stage,
            "chunk": {
                "size": options.size,
                "overlap": options.overlap,
                "unit": options.unit,
                "title": options.title,
            },
            "aggregation": {"method": options.aggregation, **self._details()},
            "passages_per_query": options.passages_per_query,
            "retriever": self._inner.retriever.identity(),
        }

    def index(self, documents: Iterable[Document]) -> None:
        """Cut the documents as they come, and have the passages indexed.

        Raises:
            DataError: the corpus is empty, or an id occurs twice.
        """
        self._chunks = None
        chunks = Chunks(
            self._rules, title=self.options.title, first_only=self.options.aggregation == "firstp"
        )
        with self.workplace.progress("index", known_length(documents), "documents") as advance:
            self._inner.retriever.index(chunks.cut(documents, advance))
        self._chunks, self._sizes, self._ranks = chunks, chunks.sizes, id_ranks(chunks.doc_ids)
        self._found = {
            "documents": len(self._sizes),
            "passages": len(chunks),
            "passages_per_document": {
                "mean": round(float(self._sizes.mean()), 3),
                "most": int(self._sizes.max()),
            },
            "documents_of_one_passage": int((self._sizes == 1).sum()),
        }
        self._reports, self._weights = [self._inner.retriever.report()], [0]

    def search(self, queries: Iterable[Query], k: int) -> Run:
        """The ``k`` best documents of each query.

        Raises:
            UsageError: nothing is indexed, or ``k`` is below 1.
            DataError: a result of the other retriever is no passage.
        """
        chunks = self._chunks
        if chunks is None:
            raise not_indexed()
        require_results(k)
        listed = list(queries)
        self._asked = {"searches": 0, "passages_per_query": 0}
        if listed:
            self._reports, self._weights = [], []
        self._found |= {"queries_cut": 0, "queries_with_scores_below_0": 0}
        docs: list[Ordinals] = []
        scores: list[Scores] = []
        best: list[Ordinals] = []
        with self.workplace.progress("search", len(listed), "queries") as advance:
            for own_docs, own_scores, own_best in self._search(chunks, listed, k, self._first_depth(k)):
                docs.append(own_docs)
                scores.append(own_scores)
                best.append(own_best.astype(np.int32))
                advance(1)
        self.best = np.concatenate(best) if best else np.empty(0, dtype=np.int32)
        self._warn(len(listed))
        return Run.from_lists(
            [query.query_id for query in listed], chunks.doc_ids, docs, scores, tag=self.kind
        )

    def report(self) -> Facts:
        """Documents and passages; queries cut short; what the retriever of the passages tells."""
        inner = (
            {"name": self._inner.name, "report": merged(self._reports, self._weights)}
            if self._reports
            else {}
        )
        return {**self._found, "retriever": inner} if self._found else {}

    def costs(self) -> Facts:
        """Passages that were asked for, in how many searches; what the retriever of the passages took."""
        return {**self._asked, "retriever": {"name": self._inner.name, **self._inner.retriever.costs()}}

    def _search(
        self, chunks: Chunks, queries: Sequence[Query], k: int, depth: int
    ) -> Iterator[tuple[Ordinals, Scores, npt.NDArray[Any]]]:
        """Documents, scores and the number of the best passage, query by query.

        Where a query is not decided, all of its block are searched deeper: an encoder then has their vectors.
        """
        whole = len(chunks)
        for part in blocks(queries, max(1, PAIRS // depth)):
            run = self._inner.retriever.search(part, depth)
            self._asked["searches"] += 1
            self._asked["passages_per_query"] = max(self._asked["passages_per_query"], depth)
            documents, numbers = chunks.locate(run)
            made: list[tuple[Ordinals, Scores, npt.NDArray[Any]]] = []
            open_ended = short = 0
            for place in range(len(part)):
                passages, scores = run.results(place)
                own = scores.astype(np.float32)
                ranked = self._ranked(documents[passages], own)
                ended = depth >= whole or len(passages) < depth
                open_ended += not ended and not (self._by_best and surely_best(ranked, own, k))
                short += len(passages) < whole and bool((own < 0).any())
                kept, top = top_k(ranked[1], self._ranks[ranked[0]], k)
                made.append((ranked[0][kept], top, numbers[passages[ranked[2][kept]]]))
            if open_ended and self.options.passages_per_query is None:
                yield from self._search(chunks, part, k, min(whole, depth * _DEEPER))
                continue
            self._found["queries_cut"] += open_ended
            self._found["queries_with_scores_below_0"] += 0 if self._by_best else short
            self._reports.append(self._inner.retriever.report())
            self._weights.append(len(part))
            yield from made

    @property
    def _by_best(self) -> bool:
        return self.options.aggregation in ("maxp", "firstp")

    @property
    def _top(self) -> int | None:
        return (self.options.top or _TOP) if self.options.aggregation == "topk-mean" else None

    def _ranked(self, documents: Ordinals, scores: Scores) -> Ranked:
        if self._by_best:
            return best_passages(documents, scores)
        return mean_passages(documents, scores, self._sizes, self._top)

    def _first_depth(self, k: int) -> int:
        """Passages of each query that are asked for first: all of them where less cannot be enough."""
        whole = int(self._sizes.sum())
        if self.options.passages_per_query is not None:
            return min(whole, self.options.passages_per_query)
        if not self._by_best or k >= len(self._sizes):
            return whole
        return min(whole, math.ceil(2 * k * whole / len(self._sizes)))

    def _details(self) -> Facts:
        """What belongs to the aggregation, as it stands in the identity."""
        if self._by_best:
            return {}
        top = {} if self._top is None else {"top": self._top}
        return {**top, "absent": "counts 0"}

    def _warn(self, queries: int) -> None:
        if cut := self._found["queries_cut"]:
            logger.warning(
                "%d of %d queries have more passages than the %d that are looked at (passages_per_query); "
                "their documents are ranked by those alone",
                cut, queries, self.options.passages_per_query,
            )  # fmt: skip
        if below := self._found["queries_with_scores_below_0"]:
            logger.warning(
                "%d of %d queries have passages with scores below 0 and others that were not retrieved, and "
                "these count 0, which is more: take maxp",
                below, queries,
            )  # fmt: skip
