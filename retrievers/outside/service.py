"""A search service over HTTP as a retriever."""

from __future__ import annotations

import logging
import math
from collections.abc import Iterable, Sequence
from typing import Any, ClassVar, Literal

import msgspec
import numpy as np

from beirkit.corpora.errors import ConfigError, DataError, UsageError
from beirkit.corpora.records import Document, Query
from beirkit.corpora.run import Run
from beirkit.retrievers.base import Facts, Retriever, Workplace
from beirkit.retrievers.calls import listed_ids, not_indexed, require_results
from beirkit.retrievers.outside.client import Client, RequestError
from beirkit.retrievers.outside.pace import Pace
from beirkit.retrievers.outside.requests import at_path, filled_body, filled_url
from beirkit.retrievers.outside.secret import redacted, refuse_secrets, resolved_headers, secrets_of
from beirkit.retrievers.store import Section, Store, text_key

logger = logging.getLogger(__name__)

Pairs = list[tuple[str, float]]


class ServiceOptions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Options of :class:`ServiceRetriever`. ``{query}``, ``{k}``, ``{offset}`` and ``{page}`` are filled in.

    Attributes:
        url: address of a search, such as ``http://127.0.0.1:8081/v1/birds/search?query={query}&hits={k}``.
        method: how it is asked.
        body: JSON that is sent, for ``POST``; a text that is ``{k}`` alone becomes a number.
        headers: sent as well; ``env:NAME`` in a value is the environment's, and is stored nowhere.
        results: path of the list of results in the answer, such as ``hits.hits``; empty: the answer itself.
        id: path of a document's id inside a result.
        score: path of its score; empty: there is none, and results count by their place.
        page_size: results of one answer at most, where more are asked for page by page; ``None``: ``k`` at
            once.
        first_page: the number of the first page.
        timeout: seconds until a connection, and until an answer.
        retries: how often a request is sent again.
        backoff: seconds before the first repetition, then twice as many each time.
        rate: requests a second at most.
        on_error: what is done about queries that got no answer: ``refuse`` the run, after all were tried, or
            ``record`` them with empty lists.
        unknown: what is done about results that the corpus lacks: ``refuse`` or ``drop`` them.
        version: what tells one state of the service from another; answers are kept under it.
    """

    url: str
    method: Literal["GET", "POST"] = "GET"
    body: Any = None
    headers: dict[str, str] = {}
    results: str = ""
    id: str = "id"
    score: str = "score"
    page_size: int | None = None
    first_page: int = 0
    timeout: float = 30.0
    retries: int = 3
    backoff: float = 0.5
    rate: float | None = None
    on_error: Literal["refuse", "record"] = "refuse"
    unknown: Literal["refuse", "drop"] = "refuse"
    version: str = ""


class ServiceRetriever(Retriever[ServiceOptions]):
    """Asks a service that has the corpus already, one query after the other.

    Each answer is kept in the store, so that a killed run goes on and a second one asks nothing; a service
    that has changed is told by another ``version``. Results are put into the one ordering rule by their
    scores as float32.
    """

    kind: ClassVar[str] = "http"
    summary: ClassVar[str] = "a search service, by a request and the path of its answer; -r http:FILE.yaml"
    Options = ServiceOptions

    def __init__(self, options: ServiceOptions, workplace: Workplace | None = None) -> None:
        super().__init__(options, workplace)
        if not options.url.startswith(("http://", "https://")):
            raise ConfigError(f"url is {options.url!r}", hint="write http://… or https://…")
        if "{query}" not in f"{options.url} {options.body}":
            raise ConfigError("neither url nor body has {query}", hint="write {query} where its text goes")
        if options.page_size is not None:
            if options.page_size < 1:
                raise ConfigError(f"page_size is {options.page_size}")
            if not any(field in f"{options.url} {options.body}" for field in ("{offset}", "{page}")):
                raise ConfigError("page_size needs {offset} or {page} in url or body")
        if options.rate is not None and options.rate <= 0:
            raise ConfigError(f"rate is {options.rate}", hint="it is greater than 0")
        refuse_secrets(options.url, options.headers, options.body)
        self._client = Client(options.timeout, options.retries, options.backoff, Pace(options.rate))
        self._doc_ids: set[str] = set()
        self._found: Facts = {}
        self._kept = 0

    def identity(self) -> Facts:
        """The request, the paths and the version; how patiently it is asked changes no answer."""
        options = self.options
        return {
            "kind": self.kind,
            "stage": self.stage,
            "request": {
                key: getattr(options, key)
                for key in ("url", "method", "body", "headers", "page_size", "first_page", "version")
            },
            "answer": {"results": options.results, "id": options.id, "score": options.score},
            "on_error": options.on_error,
            "unknown": options.unknown,
        }

    def index(self, documents: Iterable[Document]) -> None:
        """Learn which documents there are; the service has its own index.

        Raises:
            DataError: the corpus is empty.
        """
        self._doc_ids = set()  # a corpus that is refused leaves the one before it no longer searchable
        self._doc_ids = listed_ids(documents, self.workplace)

    def search(self, queries: Iterable[Query], k: int) -> Run:
        """The ``k`` best documents of each query, as the service has them.

        Raises:
            UsageError: nothing is indexed, ``k`` is below 1, a secret is not set, or a query got no answer.
            DataError: the corpus lacks a result.
        """
        if not self._doc_ids:
            raise not_indexed()
        require_results(k)
        listed = list(queries)
        asked = {key: value for key, value in self.identity().items() if key not in ("on_error", "unknown")}
        section = Store(self.workplace.cache).section("answers", asked)
        headers = resolved_headers(self.options.headers)
        self._client.secrets = secrets_of(self.options.headers)
        self._kept = 0
        lists: dict[str, dict[str, float]] = {}
        errors: dict[str, str] = {}
        with self.workplace.progress("search", len(listed), "queries") as advance:
            for query in listed:
                try:
                    lists[query.query_id] = dict(self._answer(section, query.text, k, headers)[:k])
                except RequestError as error:
                    errors[query.query_id] = redacted(str(error), self._client.secrets)
                    lists[query.query_id] = {}
                advance(1)
        self._tell(errors, len(listed))
        lists, unknown = self._known(lists)
        self._found = {"errors": errors, "results_not_in_corpus": unknown}
        found = Run.from_dict(lists)
        run = Run(
            found.query_ids, found.doc_ids, found.offsets, found.docs,
            found.scores.astype(np.float32), self.kind,
        )  # fmt: skip
        run.require_finite()
        return run.ordered().top(k)

    def report(self) -> Facts:
        """Queries without an answer and why; results that the corpus lacks."""
        return self._found

    def costs(self) -> Facts:
        """Requests sent, how many of them again, and queries whose answer was in the store."""
        return {"requests": self._client.sent, "repeated": self._client.repeated, "from_store": self._kept}

    def _answer(self, section: Section, text: str, k: int, headers: dict[str, str]) -> Pairs:
        """The results of one query, from the store or the service."""
        key = text_key([text, str(k)])
        block = section.get(key)
        if block is not None:
            self._kept += 1
            return [(doc_id, score) for doc_id, score in block.facts["results"]]
        pairs: Pairs = []
        seen: set[str] = set()
        options = self.options
        size = options.page_size or k
        for page in range(math.ceil(k / size)):
            values: dict[str, str | int] = {
                "query": text, "k": min(size, k), "offset": page * size, "page": page + options.first_page,
            }  # fmt: skip
            answer, _ = self._client.json(
                options.method, filled_url(options.url, values), headers, filled_body(options.body, values)
            )
            items = at_path(answer, options.results, "the answer")
            if not isinstance(items, list):
                raise RequestError(f"{options.results!r} of the answer is no list but {type(items).__name__}")
            new = [pair for pair in self._pairs(items, len(pairs)) if pair[0] not in seen]
            seen.update(doc_id for doc_id, _ in new)
            pairs += new
            if len(items) < size or not new:
                break
        section.put(key, np.empty(0, dtype=np.float32), {"query": text, "k": k, "results": pairs})
        return pairs

    def _pairs(self, items: Sequence[Any], before: int) -> Pairs:
        """Ids and scores of one answer; the first of several copies of a document counts."""
        found: dict[str, float] = {}
        for place, item in enumerate(items):
            doc_id = at_path(item, self.options.id, "a result")
            if isinstance(doc_id, bool) or not isinstance(doc_id, str | int):
                raise RequestError(f"the id of a result is {doc_id!r}")
            score: Any = -float(before + place + 1)
            if self.options.score:
                score = at_path(item, self.options.score, "a result")
            if isinstance(score, bool) or not isinstance(score, int | float) or not math.isfinite(score):
                raise RequestError(f"the score of {doc_id!r} is {score!r}, no number")
            found.setdefault(str(doc_id), float(score))
        return list(found.items())

    def _tell(self, errors: dict[str, str], queries: int) -> None:
        if not errors:
            return
        first = next(iter(errors))
        told = f"{len(errors)} of {queries} queries got no answer, the first {first!r}: {errors[first]}"
        if self.options.on_error == "refuse":
            raise UsageError(
                told,
                hint="answers so far are kept: run it again, or count them as empty with on_error: record",
            )
        logger.warning("%s; their lists are empty", told)

    def _known(self, lists: dict[str, dict[str, float]]) -> tuple[dict[str, dict[str, float]], int]:
        """The lists without documents that the corpus lacks, and how many those are."""
        unknown = [doc for row in lists.values() for doc in row if doc not in self._doc_ids]
        if unknown and self.options.unknown == "refuse":
            raise DataError(
                f"{len(unknown)} results are documents that the corpus lacks, such as {unknown[0]!r}",
                hint="does the service search the same corpus? They are left out with unknown: drop",
            )
        if unknown:
            logger.warning("%d results are not in the corpus and are left out", len(unknown))
            lists = {q: {d: s for d, s in row.items() if d in self._doc_ids} for q, row in lists.items()}
        return lists, len(unknown)
