"""Vectors that were made elsewhere: files of term weights, searched in the postings engine."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from pathlib import Path
from typing import ClassVar, Literal

import msgspec
import numpy as np

from beirkit.corpora.errors import DataError
from beirkit.corpora.records import Document, Query
from beirkit.corpora.run import Run
from beirkit.retrievers.base import Facts, Retriever, Workplace
from beirkit.retrievers.calls import known_length, not_indexed, require_results
from beirkit.retrievers.dense.encoder import Role
from beirkit.retrievers.dense.truncation import PLURAL
from beirkit.retrievers.lexical.builder import PostingsBuilder
from beirkit.retrievers.lexical.postings import Postings
from beirkit.retrievers.lexical.stream import require_ids
from beirkit.retrievers.sparse.rows import Rows
from beirkit.retrievers.sparse.searching import Active, RowSearch
from beirkit.retrievers.sparse.vector_files import read_vectors, vectors_sha256

logger = logging.getLogger(__name__)


class SparseVectorsOptions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Options of :class:`SparseVectorsRetriever`.

    Attributes:
        documents: a file of vectors, or a folder of such files, as for Anserini's ``JsonVectorCollection``.
        queries: the same, or a table of ids and pseudo-text, for the queries; it may have more queries than
            are searched.
        missing: what is done about documents and queries without a vector: ``refuse`` them, or take them for
            ``empty``, which match nothing, and count them.
        unknown: what is done about vectors of documents that the corpus lacks: ``refuse`` them, or ``drop``
            and count them.
    """

    documents: str
    queries: str
    missing: Literal["refuse", "empty"] = "refuse"
    unknown: Literal["refuse", "drop"] = "refuse"


class SparseVectorsRetriever(Retriever[SparseVectorsOptions]):
    """Ranks by the inner product of weights that stand in files, by ids; texts are not looked at.

    A weight may be negative, for the inner product is defined; one of 0 is none. A document that shares no
    term with a query is no result.
    """

    kind: ClassVar[str] = "sparse-vectors"
    summary: ClassVar[str] = (
        "term weights from files, written -r vectors:FOLDER; Anserini's and SPLADE's forms"
    )
    Options = SparseVectorsOptions

    def __init__(self, options: SparseVectorsOptions, workplace: Workplace | None = None) -> None:
        super().__init__(options, workplace)
        self._places: dict[Role, Path] = {
            "document": Path(options.documents).expanduser(),
            "query": Path(options.queries).expanduser(),
        }
        self._postings: Postings | None = None
        self._found: Facts = {}

    def identity(self) -> Facts:
        """The hashes of the files.

        Raises:
            UsageError: a file is not there.
        """
        return {
            "kind": self.kind,
            "stage": self.stage,
            "documents": vectors_sha256(self._places["document"], "document"),
            "queries": vectors_sha256(self._places["query"], "query"),
            "missing": self.options.missing,
            "unknown": self.options.unknown,
        }

    def index(self, documents: Iterable[Document]) -> None:
        """Read the vectors of the corpus.

        Raises:
            DataError: the corpus is empty or an id occurs twice; a line cannot be read; a document has no
                vector, or a vector no document.
        """
        self._postings, self._found = None, {}
        doc_ids: list[str] = []
        with self.workplace.progress("index", known_length(documents), "documents") as advance:
            for document in documents:
                doc_ids.append(document.doc_id)
                advance(1)
        require_ids(doc_ids)
        lacking, dropped, active = dict.fromkeys(doc_ids), 0, Active()
        builder = PostingsBuilder()
        with self.workplace.progress("read vectors", len(doc_ids), "vectors") as advance:
            for vector in read_vectors(self._places["document"], "document"):
                if vector.key not in lacking:
                    dropped += 1
                    if self.options.unknown == "drop":
                        continue
                    raise DataError(
                        f"the corpus has no document {vector.key!r}",
                        path=vector.path,
                        line=vector.line,
                        hint="are they the vectors of another corpus? unknown: drop leaves such vectors out",
                    )
                del lacking[vector.key]
                builder.add(vector.key, vector.weights)
                active.add_counts(sum(weight != 0 for weight in vector.weights.values()))
                advance(1)
        for doc_id in self._refuse_missing("document", list(lacking), len(doc_ids)):
            builder.add(doc_id, {})
            active.add_counts(0)
        self._postings = builder.build()
        self._found["document"] = {**active.report(), "missing": len(lacking), "dropped": dropped}
        if dropped:
            logger.warning(
                "%s: %d vectors are of no document of the corpus and left out",
                self.options.documents,
                dropped,
            )

    def search(self, queries: Iterable[Query], k: int) -> Run:
        """The ``k`` best documents of each query among those that share a term with it.

        Raises:
            UsageError: nothing is indexed, or ``k`` is below 1.
            DataError: a line cannot be read, or a query has no vector.
        """
        if self._postings is None:
            raise not_indexed()
        require_results(k)
        wanted = [query.query_id for query in queries]
        own = dict.fromkeys(wanted)
        vectors = {v.key: v.weights for v in read_vectors(self._places["query"], "query") if v.key in own}
        lacking = self._refuse_missing("query", [key for key in wanted if key not in vectors], len(wanted))
        found, numbers = RowSearch(self._postings, k), self._postings.vocabulary
        with self.workplace.progress("search", len(wanted), "queries") as advance:
            for key in wanted:
                weights = {term: weight for term, weight in vectors.get(key, {}).items() if weight != 0}
                # a term of no document has a number beyond those of the index
                terms = [numbers.get(term, self._postings.n_terms) for term in weights]
                found.add(
                    Rows(
                        np.array([len(terms)], dtype=np.int64),
                        np.array(terms, dtype=np.int32),
                        np.array(list(weights.values()), dtype=np.float32),
                    )
                )
                advance(1)
        self._found["query"] = {**found.active.report(), "missing": len(lacking)}
        self._found["flops"] = found.flops()
        return found.run(wanted, self.kind)

    def report(self) -> Facts:
        """Of each role its texts, active dimensions, empty and missing vectors; FLOPS."""
        return dict(self._found)

    def costs(self) -> Facts:
        """Bytes of the postings."""
        return {"index_bytes": 0 if self._postings is None else self._postings.nbytes}

    def _refuse_missing(self, role: Role, keys: list[str], count: int) -> list[str]:
        """The ids that have no vector, where that is allowed, after it was told."""
        if not keys:
            return keys
        told = f"{len(keys)} of {count} {PLURAL[role]} have no vector, such as {keys[0]!r}"
        if self.options.missing == "refuse":
            raise DataError(
                told, path=self._places[role], hint="missing: empty takes them for vectors without a term"
            )
        logger.warning("%s: %s; they match nothing", self._places[role], told)
        return keys
