"""Learned sparse retrieval: documents and queries as weighted terms, compared by inner product."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import ClassVar

import numpy as np

from beirkit.corpora.errors import UsageError
from beirkit.corpora.progress import Advance
from beirkit.corpora.records import Document, Query
from beirkit.corpora.run import Run
from beirkit.retrievers.base import Facts, Retriever, Workplace
from beirkit.retrievers.dense.encoder import Role
from beirkit.retrievers.lexical.builder import PostingsBuilder
from beirkit.retrievers.lexical.postings import Postings
from beirkit.retrievers.lexical.scoring import Ranked
from beirkit.retrievers.lexical.stream import known_length
from beirkit.retrievers.sparse.encoder import Rows, SparseEncoderOptions, SparseModel
from beirkit.retrievers.store import BLOCK, Section, Store, blocks, text_key
from beirkit.retrievers.template import Template


class SparseOptions(SparseEncoderOptions, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Options of :class:`SparseRetriever`: those of its encoder, and the text of a document.

    Attributes:
        template: how title and text become what the model reads.
    """

    template: str = "{title} {text}"


class SparseRetriever(Retriever[SparseOptions]):
    """Ranks by the inner product of term weights, exactly, in the postings engine that BM25 runs on.

    Weights are kept in the store block by block. A document that shares no term with a query is no result.
    """

    kind: ClassVar[str] = "sparse"
    summary: ClassVar[str] = "term weights from a SPLADE-like model, searched exactly in postings"
    Options = SparseOptions

    def __init__(self, options: SparseOptions, workplace: Workplace | None = None) -> None:
        super().__init__(options, workplace)
        self._encoder = SparseModel(options, self.workplace)
        self._template = Template(options.template)
        self._store: Store | None = None
        self._postings: Postings | None = None
        self._found: Facts = {}
        self._reused: dict[str, int] = {}

    def identity(self) -> Facts:
        """The encoder's identity and the template; torch stays unloaded."""
        return {
            "kind": self.kind,
            "stage": self.stage,
            "encoder": self._encoder.identity(),
            "template": self.options.template,
            "block": BLOCK,
        }

    def index(self, documents: Iterable[Document]) -> None:
        """Encode the corpus, or take its weights from the store.

        Raises:
            DataError: the corpus is empty, an id occurs twice, or a weight is not finite.
            UsageError: the model is missing or is no sparse encoder.
            WriteError: the store cannot be written.
        """
        self._store = Store(self.workplace.cache)
        self._postings, self._found, self._reused = None, {}, {"document": 0}
        builder = PostingsBuilder()
        section: Section | None = None
        with self.workplace.progress("index", known_length(documents), "documents") as advance:
            for part in blocks(documents):
                section = section or self._section("document")
                texts = [self._template.render(document) for document in part]
                rows = self._rows(section, texts, "document", advance)
                builder.add_rows(
                    [document.doc_id for document in part], rows.indptr, rows.terms, rows.weights
                )
        self._postings = builder.build()
        counts = len(self._postings.doc_ids)
        self._found["document"] = _active(len(self._postings.docs), counts)

    def search(self, queries: Iterable[Query], k: int) -> Run:
        """The ``k`` best documents of each query among those that share a term with it.

        Raises:
            UsageError: nothing is indexed, or ``k`` is below 1.
        """
        if self._postings is None or self._store is None:
            raise UsageError("nothing is indexed yet", hint="call index first")
        if k < 1:
            raise UsageError(f"k is {k}", hint="ask for at least 1 result")
        postings, listed = self._postings, list(queries)
        self._reused["query"] = 0
        found: list[Ranked] = []
        active = touched = 0
        lengths = np.diff(postings.indptr)
        with self.workplace.progress("search", len(listed), "queries") as advance:
            for part in blocks(listed):
                rows = self._rows(self._section("query"), [query.text for query in part], "query", advance)
                bounds = rows.indptr
                for start, end in zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True):
                    terms = rows.terms[start:end]
                    found.append(postings.search_numbers(terms, rows.weights[start:end], k))
                    active += len(terms)
                    touched += int(lengths[terms[terms < postings.n_terms]].sum())
        self._found["query"] = _active(active, len(listed))
        pairs = len(listed) * len(postings.doc_ids)
        self._found["flops"] = round(touched / pairs, 6) if pairs else 0.0
        ids = [query.query_id for query in listed]
        docs, scores = [docs for docs, _ in found], [scores for _, scores in found]
        run = Run.from_lists(ids, postings.doc_ids, docs, scores, tag=self.kind)
        run.require_finite()
        return run

    def report(self) -> Facts:
        """Active dimensions of a text by role, and FLOPS: products per pair of a query and a document."""
        return dict(self._found)

    def costs(self) -> Facts:
        """Bytes of the postings; how many texts of each role had their weights in the store already."""
        size = 0 if self._postings is None else self._postings.nbytes
        return {"index_bytes": size, "from_store": dict(self._reused)}

    def _section(self, role: Role) -> Section:
        assert self._store is not None
        return self._store.section("sparse", self._encoder.identity(role))

    def _rows(self, section: Section, texts: Sequence[str], role: Role, advance: Advance) -> Rows:
        key = text_key(texts)
        block = section.get(key)
        if block is None:
            rows = self._encoder.encode(texts, role, advance)
            packed = np.stack((rows.terms, rows.weights.view(np.int32)), axis=1)
            section.put(key, packed, {"counts": rows.counts.tolist()})
            return rows
        advance(len(texts))
        self._reused[role] += len(texts)
        weights = np.ascontiguousarray(block.array[:, 1]).view(np.float32)
        return Rows(np.array(block.facts["counts"], dtype=np.int64), block.array[:, 0], weights)


def _active(weights: int, texts: int) -> Facts:
    return {"texts": texts, "active_dims": round(weights / texts, 3) if texts else 0.0}
