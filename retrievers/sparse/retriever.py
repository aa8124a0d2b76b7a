"""Learned sparse retrieval: documents and queries as weighted terms, compared by inner product."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator
from typing import ClassVar

from beirkit.corpora.records import Document, Query
from beirkit.corpora.run import Run
from beirkit.retrievers.base import Facts, Retriever, Workplace
from beirkit.retrievers.calls import known_length, not_indexed, require_results
from beirkit.retrievers.dense.encoder import Role
from beirkit.retrievers.dense.truncation import PLURAL, tell_truncated, truncated_share
from beirkit.retrievers.lexical.builder import PostingsBuilder
from beirkit.retrievers.lexical.postings import Postings
from beirkit.retrievers.sparse.encoder import SparseEncoderOptions, SparseModel
from beirkit.retrievers.sparse.rows import Rows
from beirkit.retrievers.sparse.searching import Active, RowSearch
from beirkit.retrievers.sparse.stored import RowStore
from beirkit.retrievers.store import BLOCK, Store, blocks
from beirkit.retrievers.template import Template

logger = logging.getLogger(__name__)


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
        self.encoder = SparseModel(options, self.workplace)
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
            "encoder": self.encoder.identity(),
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
        self._postings, self._found, self._reused = None, {}, {}
        builder, active = PostingsBuilder(), Active()
        for doc_ids, rows in self.document_rows(documents):
            builder.add_rows(doc_ids, rows.indptr, rows.terms, rows.weights)
            active.add(rows)
        self._postings = builder.build()
        self._note("document", active)

    def search(self, queries: Iterable[Query], k: int) -> Run:
        """The ``k`` best documents of each query among those that share a term with it.

        Raises:
            UsageError: nothing is indexed, or ``k`` is below 1.
        """
        if self._postings is None:
            raise not_indexed()
        require_results(k)
        found, query_ids = RowSearch(self._postings, k), []
        for ids, rows in self.query_rows(queries):
            query_ids += ids
            found.add(rows)
        self._note("query", found.active)
        self._found["flops"] = found.flops()
        return found.run(query_ids, self.kind)

    def document_rows(self, documents: Iterable[Document]) -> Iterator[tuple[list[str], Rows]]:
        """Ids and weights of the documents, block by block; see :meth:`index`."""
        with self.workplace.progress("index", known_length(documents), "documents") as advance:
            store = self._rows("document")
            for part in blocks(documents):
                made = store.block([self._template.render(document) for document in part], advance)
                self._count("document", made.truncated, len(part) if made.reused else 0)
                yield [document.doc_id for document in part], made.rows

    def query_rows(self, queries: Iterable[Query]) -> Iterator[tuple[list[str], Rows]]:
        """Ids and weights of the queries, block by block; see :meth:`search`."""
        with self.workplace.progress("search", known_length(queries), "queries") as advance:
            store = self._rows("query")
            for part in blocks(queries):
                made = store.block([query.text for query in part], advance)
                cut = [q.query_id for q in part if made.truncated and self._is_cut(q.text)]
                self._count("query", made.truncated, len(part) if made.reused else 0, cut)
                yield [query.query_id for query in part], made.rows

    def report(self) -> Facts:
        """Of each role its texts, active dimensions and truncated texts; FLOPS (see :class:`RowSearch`)."""
        return dict(self._found)

    def costs(self) -> Facts:
        """Bytes of the postings; how many texts of each role had their weights in the store already."""
        size = 0 if self._postings is None else self._postings.nbytes
        return {"index_bytes": size, "from_store": dict(self._reused)}

    def _rows(self, role: Role) -> RowStore:
        if self._store is None:
            self._store = Store(self.workplace.cache)
        self._reused[role], self._found[role] = 0, {"truncated": 0}
        return RowStore(self.encoder, role, self._store)

    def _is_cut(self, text: str) -> bool:
        return bool(self.encoder.count_truncated([text], "query"))

    def _count(self, role: Role, truncated: int, reused: int, cut: list[str] | None = None) -> None:
        self._reused[role] += reused
        self._found[role]["truncated"] += truncated
        if cut:
            self._found[role].setdefault("truncated_ids", []).extend(cut)

    def _note(self, role: Role, active: Active) -> None:
        found: Facts = self._found[role]
        truncated = found["truncated"]
        found |= active.report()
        found["truncated_share"] = truncated_share(truncated, active.texts)
        if truncated:
            limit = f"{self.encoder.max_length(role)} tokens"
            tell_truncated(logger, role, truncated, active.texts, limit)
        if active.empty:
            logger.warning(
                "%d of %d %s have no term: they match nothing", active.empty, active.texts, PLURAL[role]
            )
