"""Test queries and documents of a dataset that stand in training data."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Literal

import msgspec

from beirkit.converters.reading.readers import Dialect
from beirkit.corpora.collection import Collection
from beirkit.corpora.errors import UsageError
from beirkit.corpora.files import sha256_file
from beirkit.corpora.folder import folder_content_ids
from beirkit.corpora.overlap import NEAR, NGRAM, Found, TrainingText, find_overlap
from beirkit.corpora.progress import Advance, Progress, silent
from beirkit.corpora.records import Qrels
from beirkit.datasets import Dataset, choose_split
from beirkit.training_texts import training_texts

_STEP = 1024  # texts between two signs of progress

Documents = Literal["all", "judged", "relevant", "none"]
Seen = Literal["queries", "documents", "either"]


class TrainingOverlap(msgspec.Struct, kw_only=True):
    """What of a dataset's split stands in training data.

    Attributes:
        dataset: its name.
        split: whose queries were looked for.
        content_ids: of what was looked for.
        training: the file or folder that was looked into.
        training_id: SHA-256 of the file, or content ids of the folder.
        training_texts: how many texts it has.
        columns: of the file that were looked at; empty: all.
        ngram: words in a row that count.
        threshold: similarity from which a text is found nearly.
        looked_for: how many queries and documents.
        queries: those that were found, by id.
        documents: those that were found, by id.
        relevant: of each query that was looked for, its relevant documents that were found.
    """

    dataset: str
    split: str
    content_ids: dict[str, str]
    training: str
    training_id: str | dict[str, str]
    training_texts: int
    columns: list[str]
    ngram: int
    threshold: float
    looked_for: dict[str, int]
    queries: dict[str, Found]
    documents: dict[str, Found]
    relevant: dict[str, list[str]]

    def seen(self, what: Seen = "queries") -> set[str]:
        """The queries that are found themselves, that have a relevant document that is, or either."""
        queries = set(self.queries) if what != "documents" else set[str]()
        return queries | (set(self.relevant) if what != "queries" else set())


def training_overlap(
    training: Path,
    dataset: Dataset,
    split: str | None = None,
    *,
    columns: Sequence[str] = (),
    train_split: str | None = None,
    dialect: Dialect | None = None,
    documents: Documents = "all",
    ngram: int = NGRAM,
    threshold: float = NEAR,
    progress: Progress = silent,
) -> TrainingOverlap:
    """Look for the queries of a split, and for documents, in training data.

    Of each text looked for some 20 bytes per word are held, and three times that while they are sorted; the
    training data are read once.

    Args:
        training: a file or BEIR folder; see :func:`beirkit.training_texts.training_texts`.
        dataset: the benchmark.
        split: whose queries; ``None``: the dataset's reported one.
        columns: of the training file that count; none: all.
        train_split: of a training folder: only the queries of this split count.
        dialect: how the training file is written.
        documents: which documents are looked for: all, those that the split judges, its relevant ones, none.
        ngram: words in a row.
        threshold: similarity from which a text is found nearly.
        progress: told of every training text.

    Raises:
        UsageError: an option is impossible.
        DataError: a file cannot be read.
    """
    if ngram < 2 or not 0 < threshold <= 1:
        raise UsageError("an n-gram has 2 words or more, and a similarity is above 0 and at most 1")
    collection = dataset.open()
    chosen = choose_split(dataset, collection, split)
    qrels = collection.qrels(chosen)
    if training.is_dir() and training.resolve() == dataset.folder.resolve() and train_split in (None, chosen):
        raise UsageError(
            "is the test set itself", path=training, hint="say which of its splits trained: --train-split"
        )
    ids: list[tuple[str, str]] = []
    texts = training_texts(training, columns, split=train_split, dialect=dialect)
    with progress("training texts", None, "texts") as advance:
        overlap = find_overlap(
            _test_texts(collection, qrels, documents, ids),
            _told(texts, advance),
            ngram=ngram,
            threshold=threshold,
        )
    found: dict[str, dict[str, Found]] = {"query": {}, "document": {}}
    for place, one in overlap.found.items():
        kind, name = ids[place]
        found[kind][name] = one
    relevant = {
        query_id: sorted(doc_id for doc_id, grade in row.items() if grade > 0 and doc_id in found["document"])
        for query_id, row in qrels.items()
    }
    content = folder_content_ids(dataset.folder)
    return TrainingOverlap(
        dataset=dataset.name,
        split=chosen,
        content_ids={name: content[name] for name in ("corpus", "queries", f"qrels/{chosen}")},
        training=str(training),
        training_id=folder_content_ids(training) if training.is_dir() else sha256_file(training),
        training_texts=overlap.training_texts,
        columns=list(columns),
        ngram=ngram,
        threshold=threshold,
        looked_for={
            "queries": sum(kind == "query" for kind, _ in ids),
            "documents": sum(kind == "document" for kind, _ in ids),
        },
        queries=found["query"],
        documents=found["document"],
        relevant={query_id: docs for query_id, docs in relevant.items() if docs},
    )


def _test_texts(
    collection: Collection, qrels: Qrels, documents: Documents, ids: list[tuple[str, str]]
) -> Iterator[tuple[str, ...]]:
    """What is looked for, with the title and without; ``ids`` is told what each text is."""
    for query in collection.queries():
        if query.query_id in qrels:
            ids.append(("query", query.query_id))
            yield (query.text,)
    least = {"judged": -(1 << 31), "relevant": 1}.get(documents)
    wanted = (
        None
        if least is None
        else {doc_id for row in qrels.values() for doc_id, grade in row.items() if grade >= least}
    )
    for document in collection.documents() if documents != "none" else ():
        if wanted is None or document.doc_id in wanted:
            ids.append(("document", document.doc_id))
            yield (f"{document.title} {document.text}".strip(), document.text)


def _told(texts: Iterable[TrainingText], advance: Advance) -> Iterator[TrainingText]:
    done = 0
    for done, text in enumerate(texts, 1):
        yield text
        if not done % _STEP:
            advance(_STEP)
    advance(done % _STEP)
