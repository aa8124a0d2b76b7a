"""Several retrievers searched side by side, and their lists fused."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

import msgspec
import numpy as np

from beirkit.corpora.errors import ConfigError
from beirkit.corpora.records import Document, Query
from beirkit.corpora.run import Run
from beirkit.retrievers.base import Facts, Retriever, Workplace
from beirkit.retrievers.calls import not_indexed, require_results
from beirkit.retrievers.fusion.methods import Fusion, fuse
from beirkit.retrievers.nested import Spec, make_stage
from beirkit.retrievers.stages import Spooled, Stages
from beirkit.retrievers.store import Store


class FusionOptions(Fusion, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Options of :class:`FusionRetriever`: those of the fusion, and what is fused.

    Attributes:
        members: the retrievers, each a name as behind ``-r``, a YAML file, or ``{kind: …, options: …}``.
        depth: results of each member that count; ``None``: 1000.
        tuned_on: ``DATASET@SPLIT`` whose judgments the weights were chosen by; a run on one of them is
            refused.
    """

    members: list[Spec]
    tuned_on: list[str] = msgspec.field(default_factory=list)


DEPTH = 1000
"""Results of each member that are fused, whatever number of results is asked for: so the first k of a longer
list are the list of k."""


class FusionRetriever(Retriever[FusionOptions]):
    """Fuses the runs of its members.

    Each member's run is kept in the store; another method or other weights search nothing anew.
    """

    kind: ClassVar[str] = "fusion"
    summary: ClassVar[str] = "several retrievers fused: reciprocal ranks, min-max, z-scores, weighted sum"
    Options = FusionOptions

    def __init__(self, options: FusionOptions, workplace: Workplace | None = None) -> None:
        super().__init__(options, workplace)
        if len(options.members) < 2:
            raise ConfigError(f"{len(options.members)} members", hint="a fusion has two or more")
        options.check(len(options.members))
        self._members = [
            make_stage(spec, self.workplace, f"members[{place}]")
            for place, spec in enumerate(options.members)
        ]
        self._stages: Stages | None = None
        self._corpus: Spooled | None = None

    def identity(self) -> Facts:
        """Method, weights and the rest, and the identities of the members."""
        return {
            "kind": self.kind,
            "stage": self.stage,
            "fusion": {**self.options.describe(len(self._members)), "depth": self._depth},
            "members": [member.retriever.identity() for member in self._members],
            "tuned_on": list(self.options.tuned_on),
        }

    def index(self, documents: Iterable[Document]) -> None:
        """Read the corpus; a member indexes it when its run is not in the store.

        Raises:
            DataError: the corpus is empty, or an id occurs twice.
        """
        self._corpus = Spooled(documents, self.workplace)
        self._stages = Stages(self._members, self._corpus, Store(self.workplace.cache))

    def search(self, queries: Iterable[Query], k: int) -> Run:
        """The ``k`` best documents of each query.

        Raises:
            UsageError: nothing is indexed, or ``k`` is below 1.
        """
        if self._stages is None or self._corpus is None:
            raise not_indexed()
        require_results(k)
        listed = list(queries)
        with self.workplace.progress("search", len(listed), "queries") as advance:
            runs = [self._stages.search(index, listed, self._depth) for index in range(len(self._members))]
            fused = fuse(runs, self.options, tag=self.kind)
            advance(len(listed))
        run = Run(
            fused.query_ids, fused.doc_ids, fused.offsets, fused.docs,
            fused.scores.astype(np.float32), self.kind,
        )  # fmt: skip
        return run.ordered().top(k)

    def report(self) -> Facts:
        """What each member tells of itself."""
        return {"members": self._stages.report()} if self._stages else {}

    def costs(self) -> Facts:
        """What each member took, and whether its run was in the store."""
        return {"members": self._stages.costs()} if self._stages else {}

    @property
    def _depth(self) -> int:
        return self.options.depth or DEPTH


def tuned_on(identity: Facts) -> set[str]:
    """``DATASET@SPLIT`` of all fusions in an identity whose weights were chosen by judgments."""
    found: set[str] = set()
    waiting: list[object] = [identity]
    while waiting:
        item = waiting.pop()
        if isinstance(item, dict):
            found.update(map(str, item.get("tuned_on", ())))
            waiting += item.values()
        elif isinstance(item, list):
            waiting += item
    return found
