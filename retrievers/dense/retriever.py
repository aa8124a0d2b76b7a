"""Dense retrieval: documents and queries as vectors, compared exactly."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sized
from typing import ClassVar

import numpy as np

from beirkit.corpora.errors import DataError, UsageError
from beirkit.corpora.records import Document, Query
from beirkit.corpora.run import Run, id_ranks
from beirkit.retrievers.base import Facts, Retriever, Workplace
from beirkit.retrievers.dense.encoder import Encoder, Role
from beirkit.retrievers.dense.exact import exact_top_k
from beirkit.retrievers.dense.sentence_transformer import EncoderOptions, SentenceTransformerEncoder
from beirkit.retrievers.dense.vectors import VectorBlock, VectorStore
from beirkit.retrievers.store import BLOCK, Store, blocks
from beirkit.retrievers.template import Template

logger = logging.getLogger(__name__)


class DenseOptions(EncoderOptions, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Options of :class:`DenseRetriever`: those of its encoder, and the text of a document.

    Attributes:
        template: how title and text become what the model reads.
    """

    template: str = "{title} {text}"


class DenseRetriever(Retriever[DenseOptions]):
    """Encodes documents and queries, and ranks by cosine or inner product over all documents.

    Vectors are kept in the store block by block, so a second start encodes only what is new. Scores are
    float32 whatever the precision of the model, and the cosine with a zero vector is 0.

    Args:
        options: see :class:`DenseOptions`.
        workplace: cache, progress, device.
        encoder: used in place of the model that the options name.
    """

    kind: ClassVar[str] = "dense"
    summary: ClassVar[str] = "one vector per text from any sentence-transformers model, exact search"
    Options = DenseOptions

    def __init__(
        self, options: DenseOptions, workplace: Workplace | None = None, *, encoder: Encoder | None = None
    ) -> None:
        super().__init__(options, workplace)
        self.encoder = SentenceTransformerEncoder(options, self.workplace) if encoder is None else encoder
        self._template = Template(options.template)
        self._store: Store | None = None
        self._doc_ids: list[str] = []
        self._blocks: list[VectorBlock] = []
        self._found: Facts = {}
        self._reused: dict[str, int] = {}

    @classmethod
    def over(
        cls, encoder: Encoder, workplace: Workplace | None = None, *, template: str = "{title} {text}"
    ) -> DenseRetriever:
        """A dense retriever over an encoder of one's own."""
        return cls(DenseOptions(model=[], template=template), workplace, encoder=encoder)

    def identity(self) -> Facts:
        """The encoder's identity, similarity, template, search; torch stays unloaded."""
        return {
            "kind": self.kind,
            "stage": self.stage,
            "encoder": self.encoder.identity(),
            "similarity": self.encoder.similarity,
            "template": self.options.template,
            "search": "exact",
            "block": BLOCK,
        }

    def index(self, documents: Iterable[Document]) -> None:
        """Encode the corpus, or take its vectors from the store.

        Raises:
            DataError: the corpus is empty, an id occurs twice, or a vector is not finite.
            UsageError: the model is missing or is no dense encoder.
            WriteError: the store cannot be written.
        """
        getattr(self.encoder, "advise", lambda: None)()
        self._store = Store(self.workplace.cache)
        vectors = VectorStore(self.encoder, "document", self._store)
        self._doc_ids, self._blocks = [], []
        total = len(documents) if isinstance(documents, Sized) else None
        with self.workplace.progress("index", total, "documents") as advance:
            for part in blocks(documents):
                ids = [document.doc_id for document in part]
                texts = [self._template.render(document) for document in part]
                self._blocks.append(vectors.block(ids, texts, advance))
                self._doc_ids += ids
        if not self._doc_ids:
            raise DataError("the corpus is empty: there is nothing to index")
        _require_distinct(self._doc_ids)
        self._ranks = id_ranks(self._doc_ids)
        self._note("document", self._blocks)

    def search(self, queries: Iterable[Query], k: int) -> Run:
        """The ``k`` best documents of each query, out of all.

        Raises:
            UsageError: nothing is indexed, or ``k`` is below 1.
            DataError: a vector is not finite.
        """
        if self._store is None or not self._blocks:
            raise UsageError("nothing is indexed yet", hint="call index first")
        if k < 1:
            raise UsageError(f"k is {k}", hint="ask for at least 1 result")
        listed = list(queries)
        ids = [query.query_id for query in listed]
        vectors = VectorStore(self.encoder, "query", self._store)
        made: list[VectorBlock] = []
        cut: list[str] = []
        with self.workplace.progress("search", len(listed), "queries") as advance:
            for part in blocks(listed):
                part_ids = [query.query_id for query in part]
                made.append(vectors.block(part_ids, [query.text for query in part], advance))
                if made[-1].truncated:
                    cut += [q.query_id for q in part if self.encoder.count_truncated([q.text], "query")]
        self._note("query", made)
        if cut:
            self._found["query"]["truncated_ids"] = cut
        if not made:
            return Run.from_lists([], self._doc_ids, [], [], tag=self.kind)
        wanted, have = made[0].vectors.shape[1], self._blocks[0].vectors.shape[1]
        if wanted != have:
            raise UsageError(f"queries have {wanted} dimensions, documents {have}: two models were mixed")
        found = np.concatenate([block.vectors for block in made])
        docs, scores = exact_top_k(found, self._blocks, self._ranks, k)
        offsets = np.arange(len(ids) + 1, dtype=np.int64) * docs.shape[1]
        run = Run(ids, self._doc_ids, offsets, docs.ravel(), scores.ravel(), self.kind)
        run.require_finite()
        return run

    def report(self) -> Facts:
        """Counts of texts, truncated texts and zero vectors by role; dimensions; the model's public name."""
        named: Facts = getattr(self.encoder, "report", dict)()
        return {**named, **self._found}

    def costs(self) -> Facts:
        """Bytes of the documents' vectors; how many texts of each role had theirs in the store already."""
        size = sum(block.vectors.nbytes for block in self._blocks)
        return {"index_bytes": size, "from_store": dict(self._reused)}

    def _note(self, role: Role, made: list[VectorBlock]) -> None:
        texts = sum(len(block.vectors) for block in made)
        truncated = sum(block.truncated for block in made)
        zeros = sum(block.zeros for block in made)
        self._reused[role] = sum(len(block.vectors) for block in made if block.reused)
        self._found[role] = {
            "texts": texts,
            "truncated": truncated,
            "truncated_share": round(truncated / texts, 6) if texts else 0.0,
            "zero_vectors": zeros,
        }
        plural = {"query": "queries", "document": "documents"}[role]
        if made:
            self._found["dimensions"] = int(made[0].vectors.shape[1])
        if truncated:
            limit = self.encoder.identity().get("max_length")
            logger.warning(
                "%d of %d %s are longer than the %s tokens the model reads; their ends are not seen",
                truncated, texts, plural, limit,
            )  # fmt: skip
        if zeros:
            logger.warning(
                "%d zero vector%s among %d %s: similarity 0 with everything",
                zeros, "" if zeros == 1 else "s", texts, plural,
            )  # fmt: skip


def _require_distinct(ids: list[str]) -> None:
    if len(set(ids)) < len(ids):
        seen: set[str] = set()
        twice = [doc_id for doc_id in ids if doc_id in seen or seen.add(doc_id)]  # type: ignore[func-returns-value]
        raise DataError(f"{len(twice)} document ids occur twice, the first {twice[0]!r}")
