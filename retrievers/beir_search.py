"""Any class that implements ``beir.retrieval.search.BaseSearch``, as a retriever."""

from __future__ import annotations

import importlib.metadata
import inspect
import logging
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar, Literal

import msgspec
import numpy as np

from beirkit.corpora.errors import DataError, MissingExtraError, UsageError
from beirkit.corpora.records import Document, Query
from beirkit.corpora.run import Run
from beirkit.retrievers.base import Facts, Retriever, Workplace
from beirkit.retrievers.calls import empty_corpus, known_length, not_indexed, repeated_id, require_results
from beirkit.retrievers.dense.encoder import Encoder, Role, Vectors
from beirkit.retrievers.dense.sentence_transformer import EncoderOptions, SentenceTransformerEncoder
from beirkit.retrievers.objects import describe_object, foreign_code, load_object, split_target
from beirkit.retrievers.store import blocks
from beirkit.retrievers.template import Template

logger = logging.getLogger(__name__)

_EXTRA = 16  # results asked for beyond k, so that ties at the border can be put into order


class BeirSearchOptions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Options of :class:`BeirSearchRetriever`.

    Attributes:
        class_: the search class, ``package.module:Class`` or ``path/to/file.py:Class``. A result is made
            again once the code has changed: an installed distribution is told by its version, other code by
            the hash of its files and of the modules beside them that they import.
        model: the first argument of its constructor: options of a sentence-transformers encoder, or
            ``package.module:callable`` or ``path/to/file.py:callable``, which makes an object with BEIR's
            ``encode_queries`` and ``encode_corpus``; ``None``: the class takes no model.
        arguments: further arguments of its constructor, by name.
        score_function: handed to its ``search``, where that takes one.
        batch_size: handed to its constructor; ``None``: the class's own default.
        template: how title and text become what our encoder reads; the class itself gets both apart.
    """

    class_: str = msgspec.field(name="class")
    model: EncoderOptions | str | None = None
    arguments: dict[str, Any] = {}
    score_function: Literal["cos_sim", "dot"] = "cos_sim"
    batch_size: int | None = None
    template: str = "{title} {text}"


class BeirSearchRetriever(Retriever[BeirSearchOptions]):
    """Hands BEIR's dictionaries to a search class and takes its dictionary back as a run.

    Results are put into the one ordering rule; classes of BEIR break ties as they come. Three habits of
    beir 2.2.0's exact search are worked around: it fails on a single query (a second one is added and
    dropped again), it leaves out a result whose id equals the query's (such a query is renamed on the way in
    and out), and it leaves to chance which of several documents that tie at the border it keeps (somewhat
    more than ``k`` are asked for, and a tie that reaches beyond those is counted in the report).

    The corpus is held in memory, which is how these classes want it.
    """

    kind: ClassVar[str] = "beir"
    summary: ClassVar[str] = "any search class of beir, or one that implements its BaseSearch"
    Options = BeirSearchOptions

    def __init__(self, options: BeirSearchOptions, workplace: Workplace | None = None) -> None:
        super().__init__(options, workplace)
        template = Template(options.template)
        self._model: _BeirModel | None = None
        if isinstance(options.model, EncoderOptions):
            encoder = SentenceTransformerEncoder(options.model, self.workplace)
            self._model = _BeirModel(encoder, template, self.workplace)
        split_target(options.class_)
        if isinstance(options.model, str):
            split_target(options.model)
        self._search: Any = None
        self._corpus: dict[str, dict[str, str]] = {}
        self._found: Facts = {}

    def identity(self) -> Facts:
        """The class, its arguments, the versions of what it comes from; nothing of it is loaded."""
        options = self.options
        beir, model = self._parts()
        return {
            "kind": self.kind,
            "stage": self.stage,
            "class": describe_object(options.class_),
            "beir": beir,
            "model": model,
            "arguments": options.arguments,
            "score_function": options.score_function,
            "batch_size": options.batch_size,
            "template": options.template,
        }

    def index(self, documents: Iterable[Document]) -> None:
        """Take the corpus into memory and make the search object.

        Raises:
            DataError: the corpus is empty or an id occurs twice.
            UsageError: the class cannot be found or made, or does not implement BaseSearch.
            MissingExtraError: beir is not installed.
        """
        self._search = self._make()
        self._corpus = {}
        with self.workplace.progress("index", known_length(documents), "documents") as advance:
            for document in documents:
                if document.doc_id in self._corpus:
                    raise repeated_id(document.doc_id)
                # BEIR's code adds strings to these two, so neither may be null.
                self._corpus[document.doc_id] = {"title": document.title or "", "text": document.text or ""}
                advance(1)
        if not self._corpus:
            raise empty_corpus()

    def search(self, queries: Iterable[Query], k: int) -> Run:
        """The ``k`` best documents of each query, as the class finds them.

        Raises:
            UsageError: nothing is indexed, ``k`` is below 1, or the class failed, with its own error as the
                cause.
            DataError: the class returned unknown ids or scores that are no finite numbers.
        """
        if not self._corpus:
            raise not_indexed()
        require_results(k)
        listed = list(queries)
        ids = [query.query_id for query in listed]
        if not ids:
            return Run.from_lists([], list(self._corpus), [], [], tag=self.kind)
        names = _unlike(ids, self._corpus)
        texts = {name: query.text for name, query in zip(names, listed, strict=True)}
        if len(texts) == 1:
            texts[_unlike([names[0] + " again"], {**self._corpus, **texts})[0]] = listed[0].text
        asked = min(k + _EXTRA, len(self._corpus))
        with (
            self.workplace.progress("search", len(ids), "queries") as advance,
            foreign_code(f"class {self.options.class_} failed in search"),
        ):
            found = self._search.search(self._corpus, texts, asked, **self._keywords())
            advance(len(ids))
        self._found = {
            "documents": len(self._corpus),
            "queries_renamed": sum(name != query_id for name, query_id in zip(names, ids, strict=True)),
        }
        return self._as_run(found, names, ids, k, asked)

    def report(self) -> Facts:
        """Queries renamed because a document has their id, and ties that could not be settled."""
        return self._found

    def _as_run(self, found: Any, names: Sequence[str], ids: Sequence[str], k: int, asked: int) -> Run:
        if not isinstance(found, Mapping):
            raise DataError(f"{self.options.class_} returned {type(found).__name__}, not a dictionary")
        for name, query_id in zip(names, ids, strict=True):
            if not isinstance(row := found.get(name, {}), Mapping):
                raise DataError(
                    f"{self.options.class_} returned {type(row).__name__} for query {query_id!r}, not a "
                    "dictionary of document ids and scores"
                )
        unknown = [doc_id for name in names for doc_id in found.get(name, {}) if doc_id not in self._corpus]
        if unknown:
            raise DataError(
                f"{self.options.class_} returned {len(unknown)} unknown ids, the first {unknown[0]!r}"
            )
        whole = Run.from_dict(
            {query_id: found.get(name, {}) for name, query_id in zip(names, ids, strict=True)}
        )
        whole = Run(
            whole.query_ids, whole.doc_ids, whole.offsets, whole.docs,
            whole.scores.astype(np.float32), self.kind,
        ).ordered()  # fmt: skip
        undecided = 0
        for index in range(len(whole)):
            scores = whole.results(index)[1]
            full = len(scores) >= asked and asked < len(self._corpus)
            undecided += bool(full and scores[k - 1] == scores[-1])
        self._found["undecided_ties"] = undecided
        if undecided:
            logger.warning("in %d queries more documents tie at the border than were asked for", undecided)
        return whole.top(k)

    def _make(self) -> Any:
        try:
            from beir.retrieval.search.base import BaseSearch
        except ImportError as error:
            raise MissingExtraError("retriever kind 'beir'", "beir") from error
        options = self.options
        found = load_object(options.class_)
        if not (isinstance(found, type) and issubclass(found, BaseSearch)):
            raise UsageError(f"{options.class_} does not implement beir.retrieval.search.BaseSearch")
        arguments = dict(options.arguments)
        if options.batch_size is not None:
            arguments["batch_size"] = options.batch_size
        first: list[Any] = []
        if self._model is not None:
            first.append(self._model)
        elif isinstance(options.model, str):
            factory = load_object(options.model)
            with foreign_code(f"model {options.model} cannot be made"):
                first.append(factory())
        with foreign_code(f"class {options.class_} cannot be made"):
            return found(*first, **arguments)

    def _parts(self) -> tuple[str, Any]:
        """The version of beir, and what the model is; what is not installed is told in one message."""
        missing: list[str] = []
        beir, model = "", None
        try:
            beir = _beir_version()
        except MissingExtraError as error:
            missing += error.extras
        try:
            if self._model is not None:
                model = self._model.encoder.identity()
            elif isinstance(self.options.model, str):
                model = describe_object(self.options.model)
        except MissingExtraError as error:
            missing += error.extras
        if missing:
            raise MissingExtraError(f"retriever kind {self.kind!r}", *missing)
        return beir, model

    def _keywords(self) -> dict[str, Any]:
        parameters = inspect.signature(self._search.search).parameters
        takes = "score_function" in parameters or any(
            parameter.kind is inspect.Parameter.VAR_KEYWORD for parameter in parameters.values()
        )
        return {"score_function": self.options.score_function} if takes else {}


class _BeirModel:
    """One of our encoders with the two methods that BEIR's dense search calls."""

    def __init__(self, encoder: Encoder, template: Template, workplace: Workplace) -> None:
        self.encoder = encoder
        self._template = template
        self._workplace = workplace

    def encode_queries(self, queries: Sequence[str], convert_to_tensor: bool = False, **_: Any) -> Any:
        return self._encode(list(queries), "query", convert_to_tensor)

    def encode_corpus(self, corpus: Sequence[Any], convert_to_tensor: bool = False, **_: Any) -> Any:
        texts = [
            self._template.render(Document("", fields.get("title", ""), fields.get("text", "")))
            for fields in corpus
        ]
        return self._encode(texts, "document", convert_to_tensor)

    def _encode(self, texts: list[str], role: Role, convert_to_tensor: bool) -> Any:
        with self._workplace.progress("encoding", len(texts), "texts") as advance:
            parts: list[Vectors] = [self.encoder.encode(part, role, advance) for part in blocks(texts)]
        vectors = np.concatenate(parts)
        if not convert_to_tensor:
            return vectors
        import torch

        return torch.from_numpy(vectors)


def _unlike(names: Sequence[str], taken: Mapping[str, Any]) -> list[str]:
    """The names, each with apostrophes added until nothing else is called so."""
    used, made = {*taken, *names}, []
    for name in names:
        new = name
        if name in taken:
            while new in used:
                new += "'"
            used.add(new)
        made.append(new)
    return made


def _beir_version() -> str:
    try:
        return importlib.metadata.version("beir")
    except importlib.metadata.PackageNotFoundError as error:
        raise MissingExtraError("retriever kind 'beir'", "beir") from error
