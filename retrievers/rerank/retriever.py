"""The best of a first stage, put into the order of a model that reads query and document together."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from beirkit.corpora.errors import ConfigError
from beirkit.corpora.records import Document, Query
from beirkit.corpora.run import Run, ranking_order
from beirkit.retrievers.base import Facts, Retriever, Workplace
from beirkit.retrievers.calls import not_indexed, require_results
from beirkit.retrievers.nested import Spec, make_stage
from beirkit.retrievers.rerank.kept import PairScores
from beirkit.retrievers.rerank.scorer import ScorerOptions, Scores, make_scorer
from beirkit.retrievers.stages import Spooled, Stages
from beirkit.retrievers.store import Store
from beirkit.retrievers.template import Template


class RerankOptions(ScorerOptions, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Options of :class:`RerankRetriever`: those of the model, the first stage, and how deep it goes.

    Attributes:
        retriever: the first stage, a name as behind ``-r``, a YAML file, or ``{kind: …, options: …}``.
        depth: results of the first stage that are put into a new order.
        template: how title and text become what the model reads.
    """

    retriever: Spec
    depth: int = 100
    template: str = "{title} {text}"


class RerankRetriever(Retriever[RerankOptions]):
    """Reranks the first ``depth`` results of another retriever; below them its order stays.

    No document is added and none is lost, and with a depth of 1 the order is the first stage's. The
    candidates are frozen: their hash stands in the report, so that two rerankers can be held to have read the
    same lists. A document below the depth has a score one lower than the one before it.
    """

    kind: ClassVar[str] = "rerank"
    summary: ClassVar[str] = "the best of another retriever reordered by a cross-encoder or a function"
    Options = RerankOptions

    def __init__(self, options: RerankOptions, workplace: Workplace | None = None) -> None:
        super().__init__(options, workplace)
        if options.depth < 1:
            raise ConfigError(f"depth is {options.depth}", hint="at least the first result is read")
        self._first = make_stage(options.retriever, self.workplace, "retriever")
        self._scorer = make_scorer(options, self.workplace)
        self._template = Template(options.template)
        self._stages: Stages | None = None
        self._corpus: Spooled | None = None
        self._store: Store | None = None
        self._found: Facts = {}
        self._pairs: Facts = {}

    def identity(self) -> Facts:
        """The model's identity, depth, template, and the identity of the first stage."""
        return {
            "kind": self.kind,
            "stage": self.stage,
            "scorer": self._scorer.identity(),
            "depth": self.options.depth,
            "template": self.options.template,
            "retriever": self._first.retriever.identity(),
        }

    def index(self, documents: Iterable[Document]) -> None:
        """Read the corpus; the first stage indexes it when its run is not in the store.

        Raises:
            DataError: the corpus is empty, or an id occurs twice.
        """
        self._corpus = Spooled(documents, self.workplace)
        self._store = Store(self.workplace.cache)
        self._stages = Stages([self._first], self._corpus, self._store)

    def search(self, queries: Iterable[Query], k: int) -> Run:
        """The ``k`` best documents of each query.

        Raises:
            UsageError: nothing is indexed, ``k`` is below 1, or the model failed.
            DataError: a score is no finite number.
        """
        if self._stages is None or self._corpus is None or self._store is None:
            raise not_indexed()
        require_results(k)
        listed, depth = list(queries), self.options.depth
        first = self._stages.search(0, listed, max(k, depth))
        candidates = first.top(depth)
        texts = self._texts(np.unique(candidates.docs))
        pairs = PairScores(self._scorer, self.stage, self._store)
        docs: list[npt.NDArray[np.int32]] = []
        scores: list[Scores] = []
        with self.workplace.progress("search", len(listed), "queries") as advance:
            for place, query in enumerate(listed):
                all_docs, _ = first.results(place)
                head, tail = all_docs[:depth], all_docs[depth:]
                own = pairs.score(query.text, [texts[doc] for doc in head.tolist()])
                order = ranking_order(own, first.ranks[head])
                docs.append(np.concatenate((head[order], tail)))
                scores.append(np.concatenate((own[order], below(own, len(tail)))))
                advance(1)
        self._pairs = {"computed": pairs.computed, "from_store": pairs.reused}
        self._found = {
            "candidates_sha256": candidates_hash(candidates),
            "candidates": candidates.n_results,
            "depth": depth,
        }
        return Run.from_lists([q.query_id for q in listed], first.doc_ids, docs, scores, tag=self.kind).top(k)

    def report(self) -> Facts:
        """Hash and number of the candidates, the depth, and what the first stage tells of itself."""
        return {**self._found, "retriever": self._stages.report()[0]} if self._stages else {}

    def costs(self) -> Facts:
        """Pairs that were scored and that were in the store; what the first stage took."""
        return {"pairs": self._pairs, "retriever": self._stages.costs()[0]} if self._stages else {}

    def _texts(self, wanted: npt.NDArray[np.int32]) -> dict[int, str]:
        """What the model reads of the candidates, and of no other document."""
        assert self._corpus is not None
        chosen: set[Any] = set(wanted.tolist())
        return {
            place: self._template.render(document)
            for place, document in enumerate(self._corpus)
            if place in chosen
        }


def below(scores: Scores, count: int) -> Scores:
    """``(count,) float32`` falling scores, all below the given ones."""
    last = np.float32(scores.min()) if len(scores) else np.float32(0)
    made = (last - np.arange(1, count + 1, dtype=np.float32)).astype(np.float32)
    if count and (made[0] >= last or (np.diff(made) >= 0).any()):  # too large for steps of 1
        value = last
        for place in range(count):
            value = made[place] = np.nextafter(value, np.float32(-np.inf), dtype=np.float32)
    return made


def candidates_hash(run: Run) -> str:
    """SHA-256 over queries and the documents that stand in their lists, in order; scores do not count."""
    digest = hashlib.sha256()
    for query_id, pairs in run.lists():
        row: Sequence[Any] = [query_id, [doc_id for doc_id, _ in pairs]]
        digest.update(json.dumps(row, ensure_ascii=True).encode() + b"\n")
    return digest.hexdigest()
