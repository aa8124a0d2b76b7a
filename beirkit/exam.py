"""A dataset made ready to be searched: its texts, its answers, and whether it is only a part of itself."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import msgspec

from beirkit.corpora.collection import Collection
from beirkit.corpora.errors import DataError, UsageError
from beirkit.corpora.folder import folder_content_ids
from beirkit.corpora.manifest import content_ids, has_manifest, read_manifest
from beirkit.corpora.records import Document, Qrels, Query
from beirkit.corpora.sample import sample
from beirkit.datasets import Dataset, choose_split
from beirkit.evaluate.evidence import Evidence
from beirkit.evaluate.exclusions import excluded_of

_log = logging.getLogger(__name__)


class Sample(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A part of a dataset, for trying things out; its scores stand for nothing else.

    Attributes:
        queries: judged queries to draw, ``None``: all.
        docs: documents to keep, the judged ones of the drawn queries always among them, ``None``: all.
        seed: seed of the draw.
    """

    queries: int | None = None
    docs: int | None = None
    seed: int = 1

    @property
    def label(self) -> str:
        """What is appended to the dataset's name wherever the result is shown."""
        parts = [f"{self.queries}q"] if self.queries is not None else []
        parts += [f"{self.docs}d"] if self.docs is not None else []
        return "+sample-" + "-".join([*parts, f"s{self.seed}"])


@dataclass(frozen=True)
class Exam:
    """What is searched, and what the answers are.

    Attributes:
        label: the dataset's name, with the watermark of a sample.
        dataset: where it comes from.
        collection: its records.
        split: the split whose queries are searched.
        content: content ids of corpus, queries and the split's judgments.
        qrels: the split's judgments.
        queries: the split's judged queries.
        sample: set where only a part of the dataset is used.
        n_documents: size of the corpus where that is known beforehand.
        excluded: for each query that has some, documents that its ranking must not hold.
    """

    label: str
    dataset: Dataset
    collection: Collection
    split: str
    content: dict[str, str]
    qrels: Qrels
    queries: list[Query]
    sample: Sample | None
    n_documents: int | None
    excluded: dict[str, frozenset[str]]

    @property
    def evidence(self) -> Evidence:
        """What measures go by beside grades."""
        return Evidence.of(self.collection, self.split)

    def documents(self) -> Iterable[Document]:
        """The corpus; it tells its size where that is known, so that progress has an end."""
        documents = self.collection.documents()
        return documents if self.n_documents is None else _Counted(documents, self.n_documents)


class _Counted(Iterable[Document]):
    """A stream of documents with its length."""

    def __init__(self, documents: Iterator[Document], size: int) -> None:
        self._documents = documents
        self._size = size

    def __iter__(self) -> Iterator[Document]:
        return self._documents

    def __len__(self) -> int:
        return self._size


def prepare(dataset: Dataset, split: str | None, part: Sample | None) -> Exam:
    """Open a dataset, choose its split, and take a part of it where that is asked for.

    Raises:
        UsageError: which split to take is not clear.
        DataError: the folder cannot be read, or judged queries have no text.
    """
    collection = dataset.open()
    chosen = choose_split(dataset, collection, split)
    _require_texts(dataset, collection)
    if part is None:
        label, ids = dataset.name, folder_content_ids(dataset.folder)
    else:
        collection = sample(collection, chosen, queries=part.queries, docs=part.docs, seed=part.seed)
        label, ids = dataset.name + part.label, content_ids(collection)
    qrels, queries = collection.judged(chosen)
    hopeless = sum(not any(grade > 0 for grade in row.values()) for row in qrels.values())
    if hopeless:
        _log.warning(
            "%s@%s: %d of %d judged queries have no relevant document and score 0 whatever is found",
            label, chosen, hopeless, len(qrels),
        )  # fmt: skip
    content = {name: ids[name] for name in ("corpus", "queries", f"qrels/{chosen}")}
    size = None if part is not None else _size(dataset)
    return Exam(label, dataset, collection, chosen, content, qrels, queries, part, size, excluded_of(queries))


def _require_texts(dataset: Dataset, collection: Collection) -> None:
    """Refuse a corpus of addresses alone.

    Raises:
        UsageError: no document has a text, since the pages belong to their sites.
    """
    documents = collection.documents()
    first = next(documents, None)
    while first is not None and first.metadata.get("url_only"):
        first = next(documents, None)
        if first is None:
            raise UsageError(
                f"{dataset.name} knows its documents by their addresses alone; there is no text to search",
                hint="convert it with --set pages=FILE, the pages that you captured, or --set results=FILE; "
                "or score a search tool's results with: beirkit providers",
            )


def _size(dataset: Dataset) -> int | None:
    """Documents that the folder's manifest tells of; for progress only, so it is not verified."""
    try:
        return read_manifest(dataset.folder).counts.documents if has_manifest(dataset.folder) else None
    except DataError:
        return None
