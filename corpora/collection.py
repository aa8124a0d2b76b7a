"""A benchmark as the rooms hand it to each other: three streams that can be read again."""

from __future__ import annotations

import reprlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain
from typing import Any

import msgspec

from beirkit.corpora.errors import DataError, UsageError
from beirkit.corpora.notices import warn
from beirkit.corpora.records import Document, Judgment, Qrels, Query
from beirkit.corpora.spans import SpanJudgment

_GRADES = "{query_id: {doc_id: grade}}"


class Change(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One thing that was changed when a folder was mended.

    Attributes:
        code: the finding it answers, a key of :data:`beirkit.corpora.findings.CODES`; empty: none.
        path: the file it was found in, relative to the folder.
        line: its line there, from 1; of several like ones the first; None where it has none.
        id: the record, or query and document of a judgment as ``query/document``; empty: the file.
        done: what was done.
        count: how many times.
    """

    code: str
    path: str
    line: int | None = None
    id: str = ""
    done: str
    count: int = 1

    def __str__(self) -> str:
        """The change on one line: code, place, what was done to what."""
        place = self.path if self.line is None else f"{self.path}:{self.line}"
        what = f"{self.id!r}: " if self.id else ""
        times = f" ({self.count:,} times)" if self.count > 1 else ""
        return f"{self.code or 'form':<5} {place}: {what}{self.done}{times}"


class Download(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A published form of a dataset that was fetched.

    Attributes:
        address: of the archive or file, or of the repository.
        revision: which version it was: a checksum with its kind, such as ``md5:…``, or a full commit.
    """

    address: str
    revision: str = ""


class Provenance(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Where a collection came from; written into the manifest of the folder made of it.

    Attributes:
        source: name of the dataset or the path it was read from.
        converter: catalog name of the converter, empty for a folder read as it stands.
        options: the converter's options, resolved.
        revision: revision of the source, where it has one.
        licence: the licence as the owner states it.
        citation: how the owner asks to be cited.
        inputs: files that were read, by path relative to the raw folder, with their SHA-256.
        changes: what was changed, where the collection is a mended folder.
        fetched: what was fetched to read it from, where beirkit did.
    """

    source: str
    converter: str = ""
    options: dict[str, Any] = {}
    revision: str = ""
    licence: str = ""
    citation: str = ""
    inputs: dict[str, str] = {}
    changes: list[Change] = []
    fetched: list[Download] = []


class Collection:
    """Documents, queries and judgments by split; nothing is held in memory.

    Each argument is a function that starts a fresh pass over the source, so a collection can be read as
    often as needed and a reader of one part never pays for another.

    Args:
        documents: starts a pass over the documents.
        queries: starts a pass over the queries.
        judgments: for each split, a function that starts a pass over its judgments.
        provenance: where all this came from.
        spans: for each split that has any, a function that starts a pass over the spans that answer its
            queries; spans are of whole documents, also where the documents here are passages of them.
        distinct: whether the passes themselves see to it that each id comes once, so that whoever writes the
            collection need not look again.
        inputs: gives the hashes of what is read, for the provenance, once they are asked for: those of large
            files are still being counted while records are read.

    Attributes:
        described: the provenance without waiting for ``inputs``.
    """

    def __init__(
        self,
        *,
        documents: Callable[[], Iterable[Document]],
        queries: Callable[[], Iterable[Query]],
        judgments: Mapping[str, Callable[[], Iterable[Judgment]]],
        provenance: Provenance,
        spans: Mapping[str, Callable[[], Iterable[SpanJudgment]]] | None = None,
        distinct: bool = False,
        inputs: Callable[[], dict[str, str]] | None = None,
    ) -> None:
        self._documents = documents
        self._queries = queries
        self._judgments = dict(judgments)
        self._spans = dict(spans or {})
        self.described = provenance
        self.distinct = distinct
        self._inputs = inputs

    @property
    def provenance(self) -> Provenance:
        """Where all this came from; waits for the hashes of what is read.

        Raises:
            DataError: a file cannot be read.
        """
        if self._inputs is not None:
            self.described = msgspec.structs.replace(self.described, inputs=self._inputs())
            self._inputs = None
        return self.described

    @provenance.setter
    def provenance(self, provenance: Provenance) -> None:
        self.described, self._inputs = provenance, None

    @property
    def splits(self) -> tuple[str, ...]:
        """Names of the splits, sorted."""
        return tuple(sorted(self._judgments))

    def documents(self) -> Iterator[Document]:
        """Every document, in source order."""
        return iter(self._documents())

    def queries(self) -> Iterator[Query]:
        """Every query of every split, judged or not, in source order."""
        return iter(self._queries())

    def judgments(self, split: str) -> Iterator[Judgment]:
        """The judgments of one split, in source order.

        Raises:
            UsageError: the collection has no such split; the message lists those it has.
        """
        if split not in self._judgments:
            have = ", ".join(self.splits) or "none"
            raise UsageError(f"{self.provenance.source} has no split {split!r}", hint=f"it has: {have}")
        return iter(self._judgments[split]())

    @property
    def spans(self) -> dict[str, Callable[[], Iterable[SpanJudgment]]]:
        """For each split with spans, what starts a pass over them."""
        return dict(self._spans)

    def with_judgments(self, split: str, more: Callable[[], Iterable[Judgment]]) -> Collection:
        """The collection with further judgments after those of one split."""
        own = self._judgments[split]
        return Collection(
            documents=self._documents,
            queries=self._queries,
            judgments={**self._judgments, split: lambda: chain(own(), more())},
            provenance=self.provenance,
            spans=self._spans,
            distinct=self.distinct,
        )

    def qrels(self, split: str) -> Qrels:
        """The judgments of one split as ``{query_id: {doc_id: relevance}}``.

        Raises:
            DataError: one pair carries two different grades.
        """
        qrels: Qrels = {}
        for judgment in self.judgments(split):
            row = qrels.setdefault(judgment.query_id, {})
            known = row.setdefault(judgment.doc_id, judgment.relevance)
            if known != judgment.relevance:
                raise DataError(
                    f"{self.provenance.source}, split {split}: query {judgment.query_id!r} and document "
                    f"{judgment.doc_id!r} are judged {known} and {judgment.relevance}"
                )
        return qrels

    def judged(self, split: str, *, lenient: bool = False) -> tuple[Qrels, list[Query]]:
        """The judgments of one split and the queries they judge, each with its text.

        Args:
            split: the split.
            lenient: leave out judged queries that have no text, and say so, instead of refusing them.

        Raises:
            DataError: judged queries are not among the queries; the message counts and names them.
        """
        qrels = self.qrels(split)
        queries = [query for query in self.queries() if query.query_id in qrels]
        missing = sorted(qrels.keys() - {query.query_id for query in queries})
        if missing:
            what = "query has no text" if len(missing) == 1 else "queries have no text"
            found = f"{self.provenance.source}, split {split}: {len(missing)} judged {what}"
            names = ", ".join(missing[:3])
            if not lenient:
                raise DataError(
                    f"{found}, such as {names}",
                    hint="add them to the queries or remove their judgments; to leave them out, say "
                    "lenient=True, or convert beir with --set skip_queries_without_text=true",
                )
            warn(f"{found}, left out: {names}")
            qrels = {query.query_id: qrels[query.query_id] for query in queries}
        return qrels, queries

    @classmethod
    def from_dicts(
        cls,
        corpus: Mapping[str, Mapping[str, Any]],
        queries: Mapping[str, str],
        qrels: Mapping[str, Mapping[str, int]] | Mapping[str, Mapping[str, Mapping[str, int]]],
        *,
        split: str | None = "test",
        source: str = "dictionaries",
    ) -> Collection:
        """A collection over BEIR's three dictionaries, as its data loader returns them.

        Args:
            corpus: ``{doc_id: {"title": ..., "text": ...}}``, either of which may be None or absent; other
                keys become metadata.
            queries: ``{query_id: text}``.
            qrels: ``{query_id: {doc_id: relevance}}``, or with ``split=None`` such a dictionary per split.
            split: the split that ``qrels`` belongs to.
            source: what to call this in messages and manifests.

        Raises:
            UsageError: one of the three is no dictionary.
            DataError: while reading: a document is no dictionary, an id, title or text is not a string, or a
                grade is not a whole number.
        """
        for what, given, form in (
            ("corpus", corpus, '{doc_id: {"title": …, "text": …}}'),
            ("queries", queries, "{query_id: text}"),
            ("qrels", qrels, _GRADES),
        ):
            if not isinstance(given, Mapping):
                raise UsageError(f"{what}: a {type(given).__name__} is not a dictionary", hint=f"give {form}")
        by_split: dict[str, Any] = dict(qrels) if split is None else {split: qrels}

        def documents() -> Iterator[Document]:
            for doc_id, fields in corpus.items():
                _mapping(fields, f"document {doc_id!r}", '{"title": …, "text": …}')
                rest = {
                    key: value for key, value in fields.items() if key not in ("title", "text", "metadata")
                }
                title, text = fields.get("title"), fields.get("text")
                where = f"document {doc_id!r}"
                yield Document(
                    _string(doc_id, where, "id"),
                    "" if title is None else _string(title, where, "title"),
                    "" if text is None else _string(text, where, "text"),
                    {**(fields.get("metadata") or {}), **rest},
                )

        def judgments_of(name: str) -> Callable[[], Iterator[Judgment]]:
            return lambda: (
                Judgment(
                    _string(query_id, "qrels", "query id"),
                    _string(doc_id, "qrels", "document id"),
                    _whole(grade, query_id, doc_id),
                )
                for query_id, row in _mapping(by_split[name], f"split {name!r}", _GRADES).items()
                for doc_id, grade in _mapping(row, f"qrels of {query_id!r}", "{doc_id: grade}").items()
            )

        return cls(
            documents=documents,
            queries=lambda: (
                Query(
                    _string(query_id, f"query {query_id!r}", "id"),
                    _string(text, f"query {query_id!r}", "text"),
                )
                for query_id, text in queries.items()
            ),
            judgments={name: judgments_of(name) for name in by_split},
            provenance=Provenance(source=source),
        )

    def to_dicts(
        self, split: str, *, lenient: bool = False
    ) -> tuple[dict[str, dict[str, Any]], dict[str, str], Qrels]:
        """BEIR's three dictionaries of one split: corpus, the split's judged queries, qrels.

        Args:
            split: the split.
            lenient: as in :meth:`judged`.

        Raises:
            DataError: a judged query has no text.
        """
        qrels, judged = self.judged(split, lenient=lenient)
        corpus = {
            doc.doc_id: {**doc.metadata, "title": doc.title, "text": doc.text} for doc in self.documents()
        }
        return corpus, {query.query_id: query.text for query in judged}, qrels


def _mapping(value: Any, where: str, form: str) -> Mapping[str, Any]:
    if isinstance(value, Mapping):
        return value
    raise DataError(f"{where}: {reprlib.repr(value)} is not a dictionary", hint=f"give {form}")


def _string(value: Any, where: str, what: str) -> str:
    if isinstance(value, str):
        return value
    raise DataError(
        f"{where}: the {what} {value!r} is not a string", hint="convert ids and texts to strings first"
    )


def _whole(grade: Any, query_id: str, doc_id: str) -> int:
    try:
        if int(grade) == grade:
            return int(grade)
    except (TypeError, ValueError, OverflowError):
        pass
    raise DataError(
        f"the grade of {query_id}/{doc_id} is {grade!r}, not a whole number",
        hint="map grades to whole numbers first",
    )
