"""mteb's search protocol, both ways: its search models as retrievers, our retrievers as its search models."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from typing import Any, ClassVar

import msgspec
import numpy as np

from beirkit.corpora.errors import DataError, MissingExtraError, UnknownNameError, UsageError, nearest
from beirkit.corpora.records import Document, Query
from beirkit.corpora.run import Run
from beirkit.retrievers.base import Facts, Retriever, Workplace
from beirkit.retrievers.calls import (
    empty_corpus,
    known_length,
    not_indexed,
    require_distinct,
    require_results,
)
from beirkit.retrievers.objects import describe_object, foreign_code, load_object, split_target

_EXTRA = 16
"""Results asked for beyond k, so that ties at the border can be put into order."""

_NAME = "beirkit"


class MtebSearchOptions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Options of :class:`MtebSearchRetriever`.

    Attributes:
        model: ``OWNER/NAME`` of a search model that mteb implements, or ``package.module:Class`` or
            ``path/to/file.py:Class`` with mteb's ``index`` and ``search``.
        arguments: of the model's constructor, by name.
        language: what the model is told the texts are in, in mteb's form.
        batch_size: what the model is told to encode at once; ``None``: its own default.
    """

    model: str
    arguments: dict[str, Any] = {}
    language: str = "eng-Latn"
    batch_size: int | None = None


class MtebSearchRetriever(Retriever[MtebSearchOptions]):
    """Hands a corpus and queries to a model of mteb's search protocol and takes its dictionary as a run.

    The model is told that the task is retrieval and the language, and neither a dataset's name nor a split.
    The corpus is held in memory, which is how mteb has it.
    """

    kind: ClassVar[str] = "mteb"
    summary: ClassVar[str] = "any model of mteb's search protocol, by name or of one's own"
    Options = MtebSearchOptions

    def __init__(self, options: MtebSearchOptions, workplace: Workplace | None = None) -> None:
        super().__init__(options, workplace)
        if ":" in options.model:
            split_target(options.model)
        self._model: Any = None
        self._doc_ids: dict[str, int] = {}
        self._found: Facts = {}

    def identity(self) -> Facts:
        """The model, its arguments, and mteb's version; nothing of it is loaded.

        Raises:
            MissingExtraError: mteb is not installed.
        """
        options = self.options
        return {
            "kind": self.kind,
            "stage": self.stage,
            "mteb": _mteb_version(),
            "model": describe_object(options.model) if ":" in options.model else options.model,
            "arguments": options.arguments,
            "language": options.language,
            "batch_size": options.batch_size,
        }

    def index(self, documents: Iterable[Document]) -> None:
        """Make the model and hand it the corpus.

        Raises:
            DataError: the corpus is empty, or an id occurs twice.
            UsageError: the model cannot be found or made, or fails.
        """
        rows: list[dict[str, str]] = []
        with self.workplace.progress("index", known_length(documents), "documents") as advance:
            for document in documents:
                rows.append(
                    {"id": document.doc_id, "title": document.title or "", "text": document.text or ""}
                )
                advance(1)
        if not rows:
            raise empty_corpus()
        require_distinct([row["id"] for row in rows])
        self._doc_ids = {row["id"]: place for place, row in enumerate(rows)}
        self._model = self._make()
        with foreign_code(f"model {self.options.model} failed in index"):
            self._model.index(_dataset(rows), num_proc=None, **self._told())

    def search(self, queries: Iterable[Query], k: int) -> Run:
        """The ``k`` best documents of each query, as the model finds them.

        Raises:
            UsageError: nothing is indexed, ``k`` is below 1, or the model failed.
            DataError: it returned unknown ids, or scores that are no finite numbers.
        """
        if self._model is None:
            raise not_indexed()
        require_results(k)
        listed = list(queries)
        ids = [query.query_id for query in listed]
        if not ids:
            return Run.from_lists([], list(self._doc_ids), [], [], tag=self.kind)
        rows = [{"id": query.query_id, "text": query.text} for query in listed]
        asked = min(k + _EXTRA, len(self._doc_ids))
        with (
            self.workplace.progress("search", len(ids), "queries") as advance,
            foreign_code(f"model {self.options.model} failed in search"),
        ):
            found = self._model.search(_dataset(rows), top_k=asked, num_proc=None, **self._told())
            advance(len(ids))
        if not isinstance(found, Mapping):
            raise DataError(f"{self.options.model} returned {type(found).__name__}, not a dictionary")
        whole = Run.from_dict({query_id: found.get(query_id, {}) for query_id in ids})
        unknown = [doc_id for doc_id in whole.doc_ids if doc_id not in self._doc_ids]
        if unknown:
            raise DataError(
                f"{self.options.model} returned {len(unknown)} unknown ids, the first {unknown[0]!r}"
            )
        self._found = {"documents": len(self._doc_ids)}
        return Run(
            whole.query_ids, whole.doc_ids, whole.offsets, whole.docs,
            whole.scores.astype(np.float32), self.kind,
        ).ordered().top(k)  # fmt: skip

    def report(self) -> Facts:
        """How many documents were searched."""
        return self._found

    def _told(self) -> dict[str, Any]:
        size = self.options.batch_size or self.workplace.batch_size
        return {
            "task_metadata": _task(self.options.language),
            "hf_split": "test",
            "hf_subset": "default",
            "encode_kwargs": {} if size is None else {"batch_size": size},
        }

    def _make(self) -> Any:
        options = self.options
        _mteb_version()
        if ":" in options.model:
            factory = load_object(options.model)
            with foreign_code(f"model {options.model} cannot be made"):
                return factory(**options.arguments)
        import mteb  # pyright: ignore[reportMissingImports]
        from mteb.models.model_implementations import MODEL_REGISTRY  # pyright: ignore[reportMissingImports]

        if options.model not in MODEL_REGISTRY:
            raise UnknownNameError(
                f"mteb {version('mteb')} implements no model {options.model!r}",
                hint=nearest(options.model, list(MODEL_REGISTRY)),
            )
        meta = mteb.get_model_meta(options.model, fetch_from_hf=False)
        with foreign_code(f"mteb cannot load {options.model}"):
            model = meta.load_model(**options.arguments)
        if not (hasattr(model, "index") and hasattr(model, "search")):
            raise UsageError(
                f"{options.model} encodes and does not search",
                hint=f"{{kind: dense, options: {{model: mteb:{options.model}}}}}",
            )
        return model


class AsMteb:
    """A retriever with mteb's search protocol; see :func:`as_mteb`."""

    def __init__(self, retriever: Retriever[Any], name: str, revision: str) -> None:
        self._retriever = retriever
        self._name, self._revision = name, revision

    def index(self, corpus: Iterable[Mapping[str, Any]], **_: Any) -> None:
        """Take in a corpus: rows with ``id``, ``text``, perhaps ``title``; what else is told is not used."""
        self._retriever.index(
            Document(str(row["id"]), row.get("title") or "", row.get("text") or "") for row in corpus
        )

    def search(
        self,
        queries: Iterable[Mapping[str, Any]],
        *,
        top_k: int,
        top_ranked: Mapping[str, Sequence[str]] | None = None,
        **_: Any,
    ) -> dict[str, dict[str, float]]:
        """The best documents of each query: ``{query_id: {doc_id: score}}``.

        Raises:
            UsageError: candidates are given, or a query is a conversation or has an instruction.
        """
        if top_ranked is not None:
            raise UsageError("tasks that hand candidates to be reranked are not served")
        asked: list[Query] = []
        for row in queries:
            if not isinstance(row["text"], str) or row.get("instruction"):
                raise UsageError(f"query {row['id']!r} is more than a text, which is not served")
            asked.append(Query(str(row["id"]), row["text"]))
        return self._retriever.search(asked, top_k).to_dict()

    @property
    def mteb_model_meta(self) -> Any:
        """Name and revision, under which mteb files its results."""
        from mteb.models.model_meta import ModelMeta  # pyright: ignore[reportMissingImports]

        return ModelMeta.create_empty(overwrites={"name": self._name, "revision": self._revision})


def as_mteb(retriever: Retriever[Any], name: str) -> AsMteb:
    """Any retriever as a search model that ``mteb.evaluate`` takes.

    Args:
        retriever: what searches; it learns nothing of the task but texts and ids.
        name: ``OWNER/NAME``, under which mteb files the results; their revision is a hash of the retriever's
            identity.

    Raises:
        MissingExtraError: mteb is not installed.
    """
    from beirkit.retrievers.store import configuration_key

    _mteb_version()
    return AsMteb(
        retriever, name if "/" in name else f"{_NAME}/{name}", configuration_key(retriever.identity())
    )


def _task(language: str) -> Any:
    from mteb.abstasks.task_metadata import TaskMetadata  # pyright: ignore[reportMissingImports]

    return TaskMetadata(
        name="BeirkitRetrieval",
        description="retrieval",
        type="Retrieval",
        prompt=None,
        dataset={"path": _NAME, "revision": "1"},
        eval_langs=[language],
        main_score="ndcg_at_10",
    )


def _dataset(rows: list[dict[str, str]]) -> Any:
    import datasets

    return datasets.Dataset.from_list(rows)


def _mteb_version() -> str:
    try:
        return version("mteb")
    except PackageNotFoundError as error:
        raise MissingExtraError("retriever kind 'mteb'", "mteb") from error
