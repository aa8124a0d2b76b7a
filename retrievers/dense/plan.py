"""How vectors are searched: exactly, in few bits, or through an index; and how near to exact that comes."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence

import msgspec

from beirkit.corpora.errors import ConfigError
from beirkit.retrievers.base import Facts
from beirkit.retrievers.dense.encoder import Vectors
from beirkit.retrievers.dense.exact import Ordinals, exact_top_k
from beirkit.retrievers.dense.faiss_index import FaissSearcher, describe_index
from beirkit.retrievers.dense.forms import Form, Former
from beirkit.retrievers.dense.hamming import HammingSearcher
from beirkit.retrievers.dense.searching import Found, Searcher, recall
from beirkit.retrievers.dense.vectors import VectorBlock
from beirkit.retrievers.store import Store

logger = logging.getLogger(__name__)

_RESCORE = 4  # of binary vectors, as sentence-transformers does


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """What is done with the vectors of documents.

    Attributes:
        form: their dimensions and precision.
        index: a faiss factory string; ``None``: every document is compared.
        parameters: of the index's search.
        rescore: how many times ``k`` candidates are scored again; ``None``: 4 for binary vectors, else 0.

    Raises:
        ConfigError: the parts do not go together.
    """

    form: Form
    index: str | None = None
    parameters: Mapping[str, float] = {}
    rescore: int | None = None

    def __post_init__(self) -> None:
        if self.form.truncate_dim is not None and self.form.truncate_dim < 1:
            raise ConfigError(f"truncate_dim is {self.form.truncate_dim}", hint="keep at least 1 dimension")
        if self.rescore is not None and self.rescore < 0:
            raise ConfigError(f"rescore is {self.rescore}", hint="0 switches it off")
        if self.index is not None and self.form.precision != "float32":
            raise ConfigError(
                f"precision {self.form.precision} and index do not go together: an index has its own codes",
                hint="for instance SQfp16, SQ8 or BFlat",
            )
        if self.parameters and self.index is None:
            raise ConfigError("parameters are an index's, and there is none", hint="set index")
        if self.rescore and self.exact:
            raise ConfigError(
                "rescore means nothing where every document is compared", hint="set index or precision binary"
            )

    @property
    def exact(self) -> bool:
        """Whether every document's decoded vector is compared."""
        return self.index is None and self.form.precision != "binary"

    def describe(self) -> Facts:
        """What results depend on besides the vectors; nothing heavy is loaded."""
        search: Facts | str = "exact"
        rescore = self.rescore
        if self.index is not None:
            search, rescore = describe_index(self.index, self.parameters), self.rescore or 0
        elif not self.exact:
            search, rescore = "hamming", _RESCORE if self.rescore is None else self.rescore
        told: Facts = {
            "truncate_dim": self.form.truncate_dim, "precision": self.form.precision, "search": search,
        }  # fmt: skip
        return told if self.exact else {**told, "rescore": rescore}


class VectorSearch:
    """Searches documents as a plan says, and compares with the exact search of their float32 vectors.

    Args:
        plan: how.
        blocks: the vectors as the encoder gave them.
        ranks: break ties.
        store: keeps smaller vectors and indexes.
        configuration: what the vectors depend on.
    """

    def __init__(
        self,
        plan: Plan,
        blocks: Sequence[VectorBlock],
        ranks: Ordinals,
        store: Store,
        configuration: Facts,
    ) -> None:
        self._plan, self._ranks = plan, ranks
        whole = Form(truncate_dim=plan.form.truncate_dim, cosine=plan.form.cosine)
        self._reference = _formed(whole, blocks, store, configuration)
        self._blocks = _formed(plan.form, blocks, store, configuration)
        self._queries = whole
        self._recall: dict[str, float] = {}
        self._searcher: Searcher | None = None
        told = {**configuration, "truncate_dim": plan.form.truncate_dim}
        if plan.index is not None:
            self._searcher = FaissSearcher(
                plan.index, plan.parameters, self._reference, ranks, plan.rescore or 0, store, told
            )
        elif not plan.exact:
            times = _RESCORE if plan.rescore is None else plan.rescore
            self._searcher = HammingSearcher(self._blocks, ranks, times)

    def search(self, queries: Vectors, k: int) -> Found:
        """The best ``k`` documents of each query.

        Args:
            queries: ``(n_queries, dim)`` as the encoder gave them.
            k: at least 1.
        """
        queries = self._queries.cut(queries)
        if self._searcher is None:
            docs, scores = exact_top_k(queries, self._blocks, self._ranks, k)
            found = list(zip(docs, scores, strict=True))
        else:
            found = self._searcher.search(queries, k)
        if self._searcher is not None or self._plan.form.precision != "float32":
            exact, _ = exact_top_k(queries, self._reference, self._ranks, k)
            self._recall = recall(found, exact, k)
            told = ", ".join(f"{share:.4f} at {depth}" for depth, share in self._recall.items())
            name = self._plan.index or f"precision {self._plan.form.precision}"
            logger.info("%s: recall against exact search %s", name, told)
        return found

    @property
    def dim(self) -> int:
        """Dimensions that are searched."""
        return self._blocks[0].dim

    @property
    def nbytes(self) -> int:
        """Bytes of what is searched."""
        if self._searcher is not None:
            return self._searcher.nbytes
        return sum(int(block.stored.array.nbytes) for block in self._blocks)

    def report(self) -> Facts:
        """Recall against the exact search, where it is not one."""
        found = self._searcher.report() if self._searcher is not None else {}
        return {"recall_against_exact": self._recall, **found} if self._recall else {}


def _formed(
    form: Form, blocks: Sequence[VectorBlock], store: Store, configuration: Facts
) -> list[VectorBlock]:
    former = Former(form, store, configuration)
    return [former.block(block) for block in blocks]
