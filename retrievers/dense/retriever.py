"""Dense retrieval: documents and queries as vectors, compared exactly."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from typing import ClassVar

import msgspec
import numpy as np

from beirkit.corpora.errors import UsageError
from beirkit.corpora.records import Document, Query
from beirkit.corpora.run import Run, id_ranks
from beirkit.retrievers.base import Facts, Retriever, Workplace
from beirkit.retrievers.calls import (
    empty_corpus,
    known_length,
    not_indexed,
    require_distinct,
    require_results,
)
from beirkit.retrievers.dense.encoder import Billing, Encoder, Role
from beirkit.retrievers.dense.factory import make_encoder
from beirkit.retrievers.dense.forms import Form, Precision
from beirkit.retrievers.dense.plan import Plan, VectorSearch
from beirkit.retrievers.dense.sentence_transformer import EncoderOptions
from beirkit.retrievers.dense.services.options import ServiceOptions
from beirkit.retrievers.dense.truncation import PLURAL, tell_truncated, truncated_share
from beirkit.retrievers.dense.vectors import VectorBlock, VectorStore, configuration
from beirkit.retrievers.stages import read_twice
from beirkit.retrievers.store import BLOCK, Store, blocks
from beirkit.retrievers.template import Template

logger = logging.getLogger(__name__)


class DenseOptions(EncoderOptions, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Options of :class:`DenseRetriever`: those of its encoder, the text of a document, and the search.

    Attributes:
        template: how title and text become what the model reads.
        truncate_dim: dimensions of the vectors that are kept, the first ones, for models that were trained
            for it (Matryoshka); ``None``: all.
        precision: how the documents' vectors are kept: ``float32``, ``float16``, ``int8`` (each vector has a
            scale of its own), ``binary`` (the signs). Queries stay float32.
        index: a faiss factory string such as ``HNSW32``, ``IVF256,Flat``, ``PQ48``, ``SQ8``, or with a ``B``
            in front a binary index such as ``BFlat``; ``None``: every document is compared.
        parameters: of the index's search, such as ``nprobe`` and ``efSearch``.
        rescore: how many times ``k`` candidates are scored again: of an index with the float32 vectors, of
            binary vectors with the float32 query; ``None``: 4 for binary vectors, else 0.
        service: how an embedding service is asked, where ``model`` is ``service:NAME``.
    """

    template: str = "{title} {text}"
    truncate_dim: int | None = None
    precision: Precision = "float32"
    index: str | None = None
    parameters: dict[str, float] = msgspec.field(default_factory=dict)
    rescore: int | None = None
    service: ServiceOptions | None = None


class DenseRetriever(Retriever[DenseOptions]):
    """Encodes documents and queries, and ranks by cosine or inner product.

    Every document is compared, unless the options name an index or binary vectors; then the share of the
    exact best that was found is told and kept in the report.

    Vectors are kept in the store block by block, so a second start encodes only what is new. Scores are
    float32 whatever the precision of the model, and the cosine with a zero vector is 0.

    Args:
        options: see :class:`DenseOptions`.
        workplace: cache, progress, device.
        encoder: used in place of the model that the options name.
    """

    kind: ClassVar[str] = "dense"
    summary: ClassVar[str] = (
        "one vector per text from any encoder; exact search, fewer bits, or a faiss index"
    )
    stage = 2
    Options = DenseOptions

    def __init__(
        self, options: DenseOptions, workplace: Workplace | None = None, *, encoder: Encoder | None = None
    ) -> None:
        super().__init__(options, workplace)
        self.encoder = make_encoder(options, self.workplace, options.service) if encoder is None else encoder
        self._template = Template(options.template)
        self._plan()
        self._store: Store | None = None
        self._doc_ids: list[str] = []
        self._blocks: list[VectorBlock] = []
        self._search: VectorSearch | None = None
        self._found: Facts = {}
        self._reused: dict[str, int] = {}
        self._bought: Facts = {}

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
            **self._plan().describe(),
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
        self._doc_ids, self._blocks, self._search, self._bought = [], [], None, {}
        total = known_length(documents)
        if isinstance(self.encoder, Billing):
            documents = read_twice(documents, self.workplace)
        rendered = ([self._template.render(document) for document in part] for part in blocks(documents))
        with (
            vectors.announced(rendered),
            self.workplace.progress("index", total, "documents") as advance,
        ):
            for part in blocks(documents):
                ids = [document.doc_id for document in part]
                texts = [self._template.render(document) for document in part]
                self._blocks.append(vectors.block(ids, texts, advance))
                self._doc_ids += ids
        if not self._doc_ids:
            raise empty_corpus()
        require_distinct(self._doc_ids)
        self._note("document", self._blocks)
        told = configuration(self.encoder, "document")
        plan = self._plan(cosine=self.encoder.similarity == "cosine")
        self._search = VectorSearch(plan, self._blocks, id_ranks(self._doc_ids), self._store, told)
        self._found["dimensions"] = self._search.dim

    def search(self, queries: Iterable[Query], k: int) -> Run:
        """The ``k`` best documents of each query, out of all.

        Raises:
            UsageError: nothing is indexed, or ``k`` is below 1.
            DataError: a vector is not finite.
        """
        if self._store is None or self._search is None:
            raise not_indexed()
        require_results(k)
        listed = list(queries)
        ids = [query.query_id for query in listed]
        vectors = VectorStore(self.encoder, "query", self._store)
        made: list[VectorBlock] = []
        cut: list[str] = []
        texts = ([query.text for query in part] for part in blocks(listed))
        with (
            vectors.announced(texts),
            self.workplace.progress("search", len(listed), "queries") as advance,
        ):
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
        wanted, have = made[0].dim, self._blocks[0].dim
        if wanted != have:
            raise UsageError(f"queries have {wanted} dimensions, documents {have}: two models were mixed")
        found = self._search.search(np.concatenate([block.vectors for block in made]), k)
        offsets = np.cumsum([0, *(len(docs) for docs, _ in found)], dtype=np.int64)
        docs, scores = (np.concatenate(parts) for parts in zip(*found, strict=True))
        run = Run(ids, self._doc_ids, offsets, docs, scores, self.kind)
        run.require_finite()
        return run

    def report(self) -> Facts:
        """Counts of texts, truncated texts and zero vectors by role; dimensions; what the encoder tells."""
        named: Facts = getattr(self.encoder, "report", dict)()
        searched = self._search.report() if self._search is not None else {}
        if isinstance(self.encoder, Billing):
            named["service"] = self.encoder.bill(self._bought)
        return {**named, **self._found, **searched}

    def costs(self) -> Facts:
        """Bytes of what is searched; how many texts of each role had their vectors in the store already."""
        size = self._search.nbytes if self._search is not None else 0
        paid = {"service": self.encoder.costs()} if isinstance(self.encoder, Billing) else {}
        return {"index_bytes": size, "from_store": dict(self._reused), **paid}

    def _plan(self, *, cosine: bool = True) -> Plan:
        options = self.options
        return Plan(
            form=Form(truncate_dim=options.truncate_dim, precision=options.precision, cosine=cosine),
            index=options.index,
            parameters=options.parameters,
            rescore=options.rescore,
        )

    def _note(self, role: Role, made: list[VectorBlock]) -> None:
        for block in made:
            self._bought |= block.sources or {}
        texts = sum(block.size for block in made)
        counts = [block.truncated for block in made]
        known = [count for count in counts if count is not None]
        truncated = sum(known) if len(known) == len(counts) else None
        zeros = sum(block.zeros for block in made)
        self._reused[role] = sum(block.size for block in made if block.reused)
        self._found[role] = {
            "texts": texts,
            "truncated": truncated,
            "truncated_share": truncated_share(truncated, texts),
            "zero_vectors": zeros,
        }
        if truncated:
            told = self.encoder.identity()
            limit = f"{told.get('max_length')} tokens"
            if told.get("truncate_characters"):
                limit = f"{told['truncate_characters']} characters"
            tell_truncated(logger, role, truncated, texts, limit)
        if zeros:
            logger.warning(
                "%d zero vector%s among %d %s: similarity 0 with everything",
                zeros, "" if zeros == 1 else "s", texts, PLURAL[role],
            )  # fmt: skip
