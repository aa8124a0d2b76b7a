"""Late interaction: documents and queries as vectors of their tokens, compared by MaxSim, exactly."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from itertools import chain
from typing import ClassVar

import numpy as np

from beirkit.corpora.errors import DataError, UsageError
from beirkit.corpora.progress import Advance
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
from beirkit.retrievers.dense.encoder import Role, Vectors
from beirkit.retrievers.dense.exact import Ordinals
from beirkit.retrievers.dense.truncation import tell_truncated, truncated_share
from beirkit.retrievers.late.encoder import LateEncoderOptions, LateModel
from beirkit.retrievers.late.kept import BLOCK, TokenBlock, TokenPrecision, TokenStore
from beirkit.retrievers.late.maxsim import maxsim_top_k
from beirkit.retrievers.late.scores import Queries
from beirkit.retrievers.store import Store, blocks
from beirkit.retrievers.template import Template

logger = logging.getLogger(__name__)

_GREATEST = float(np.finfo(np.float32).max) / 2


class LateOptions(LateEncoderOptions, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Options of :class:`LateRetriever`: those of its encoder, the text of a document, and its vectors.

    Attributes:
        template: how title and text become what the model reads.
        precision: how documents' token vectors are kept: ``float32``, or ``float16`` in half the space.
            Queries stay float32.
    """

    template: str = "{title} {text}"
    precision: TokenPrecision = "float32"


class LateRetriever(Retriever[LateOptions]):
    """Ranks by MaxSim: for each token of the query, its greatest inner product with a token of the document.

    Every document is compared, over token vectors that are kept in the store block by block and read through
    a memory map. A text for which the model gives no vector is no result, and finds none.
    """

    kind: ClassVar[str] = "late"
    summary: ClassVar[str] = "a vector per token from a ColBERT-like model, MaxSim over all documents"
    Options = LateOptions

    def __init__(self, options: LateOptions, workplace: Workplace | None = None) -> None:
        super().__init__(options, workplace)
        self._model = LateModel(options, self.workplace)
        self._template = Template(options.template)
        self._store: Store | None = None
        self._doc_ids: list[str] = []
        self._blocks: list[TokenBlock] = []
        self._found: Facts = {}
        self._reused: dict[str, int] = {}

    def identity(self) -> Facts:
        """The encoder's identity, similarity, precision, template; torch stays unloaded."""
        return {
            "kind": self.kind,
            "stage": self.stage,
            "encoder": self._model.identity(),
            "similarity": self._model.similarity,
            "precision": self.options.precision,
            "template": self.options.template,
            "block": BLOCK,
        }

    def index(self, documents: Iterable[Document]) -> None:
        """Encode the corpus, or take its token vectors from the store.

        Raises:
            DataError: the corpus is empty, an id occurs twice, or a vector is not finite.
            UsageError: the model is missing or makes no token vectors.
            WriteError: the store cannot be written.
        """
        for warning in self._model.prompts.warnings:
            logger.warning(warning)
        self._store = Store(self.workplace.cache)
        self._doc_ids, self._blocks, self._found = [], [], {}
        tokens = TokenStore(self._model, "document", self.options.precision, self._store)
        with self.workplace.progress("index", known_length(documents), "documents") as advance:
            for part in blocks(documents, BLOCK):
                ids = [document.doc_id for document in part]
                texts = [self._template.render(document) for document in part]
                self._blocks.append(tokens.block(ids, texts, advance))
                self._doc_ids += ids
        if not self._doc_ids:
            raise empty_corpus()
        require_distinct(self._doc_ids)
        self._note("document", self._blocks)
        self._found["dimensions"] = max(block.dim for block in self._blocks)

    def search(self, queries: Iterable[Query], k: int) -> Run:
        """The ``k`` best documents of each query, out of all that have a token vector.

        Raises:
            UsageError: nothing is indexed, or ``k`` is below 1.
            DataError: a vector is not finite.
        """
        if self._store is None or not self._blocks:
            raise not_indexed()
        require_results(k)
        listed = list(queries)
        made: list[TokenBlock] = []
        tokens = TokenStore(self._model, "query", "float32", self._store)
        with self.workplace.progress("search", len(listed), "queries") as advance:
            for part in blocks(listed, BLOCK):
                ids = [query.query_id for query in part]
                made.append(tokens.block(ids, [query.text for query in part], advance))
        self._note("query", made)
        ranks = id_ranks(self._doc_ids)
        with self.workplace.progress("compare", len(made) * len(self._blocks), "blocks") as advance:
            parts = zip(made, blocks(listed, BLOCK), strict=True)
            found = list(chain.from_iterable(self._best(*part, ranks, k, advance) for part in parts))
        docs, scores = [docs for docs, _ in found], [scores for _, scores in found]
        run = Run.from_lists([query.query_id for query in listed], self._doc_ids, docs, scores, tag=self.kind)
        run.require_finite()
        return run

    def report(self) -> Facts:
        """By role: texts, vectors, cut texts; dimensions; where prompts and the model come from."""
        return {**self._model.report(), **self._found}

    def costs(self) -> Facts:
        """Bytes of the token vectors; how many texts of each role had theirs in the store already."""
        size = sum(block.stored.array.nbytes for block in self._blocks)
        return {"index_bytes": size, "from_store": dict(self._reused)}

    def _best(
        self, block: TokenBlock, queries: list[Query], ranks: Ordinals, k: int, advance: Advance
    ) -> list[tuple[Ordinals, Vectors]]:
        """What each query of a block finds; one without vectors finds nothing."""
        nothing = np.empty(0, dtype=np.int32), np.empty(0, dtype=np.float32)
        found = [nothing] * len(block.counts)
        some = np.flatnonzero(block.counts)
        dims = {block.dim, self._found["dimensions"]} - {0}
        if len(dims) > 1:
            raise UsageError(f"queries and documents have {sorted(dims)} dimensions: two models were mixed")
        if len(some) and dims:
            vectors = Queries(block.counts[some], block.rows(0, len(block.stored.array)))
            greatest = vectors.sums(vectors.lengths) * max(block.norm for block in self._blocks)
            if len(too_great := np.flatnonzero(greatest > _GREATEST)):
                name = queries[int(some[too_great[0]])].query_id
                raise DataError(f"a score may be greater than a float32 holds (query {name!r})")
            mean = self._model.similarity == "meanmaxsim"
            best = maxsim_top_k(vectors, self._blocks, ranks, k, mean=mean, advance=advance)
            for place, result in zip(some.tolist(), best, strict=True):
                found[place] = result
        return found

    def _note(self, role: Role, made: list[TokenBlock]) -> None:
        texts = sum(len(block.counts) for block in made)
        vectors = sum(int(block.counts.sum()) for block in made)
        cut = [block.truncated for block in made if block.truncated is not None]
        truncated = sum(cut) if len(cut) == len(made) else None
        limit = made[0].limit if made else None
        self._reused[role] = sum(len(block.counts) for block in made if block.reused)
        self._found[role] = {
            "texts": texts,
            "vectors": vectors,
            "vectors_per_text": round(vectors / texts, 3) if texts else 0.0,
            "without_vectors": sum(int((block.counts == 0).sum()) for block in made),
            "max_length": limit,
            "truncated": truncated,
            "truncated_share": truncated_share(truncated, texts),
        }
        tell_truncated(logger, role, truncated, texts, f"{limit} tokens")
