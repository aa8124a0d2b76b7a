"""How large a collection is and what its texts are like."""

from __future__ import annotations

from array import array
from pathlib import Path
from typing import Any

import msgspec

from beirkit.corpora.collection import Collection
from beirkit.corpora.folder import open_folder
from beirkit.corpora.manifest import ContentId, SplitTally


class Lengths(msgspec.Struct, frozen=True):
    """Mean, median and maximum of a length."""

    mean: float
    median: float
    max: int


class TextStats(msgspec.Struct, frozen=True):
    """A set of texts.

    Attributes:
        count: how many there are.
        empty: how many hold nothing but white space.
        characters: lengths in Unicode code points.
        words: lengths in words at white space.
    """

    count: int
    empty: int
    characters: Lengths
    words: Lengths


class SplitStats(msgspec.Struct, frozen=True):
    """One split.

    Attributes:
        queries: judged queries.
        judgments: judged pairs.
        grades: pairs by grade, in decimal.
        positives_per_query: pairs of grade 1 or more per judged query, on average.
    """

    queries: int
    judgments: int
    grades: dict[str, int]
    positives_per_query: float


class FolderStats(msgspec.Struct, frozen=True):
    """What there is in a collection.

    Attributes:
        documents: title and text of each document, joined by a blank where both are there.
        queries: every query, judged or not.
        splits: by name.
        content_ids: as in the manifest.
    """

    documents: TextStats
    queries: TextStats
    splits: dict[str, SplitStats]
    content_ids: dict[str, str]

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain dictionaries, for JSON."""
        built: dict[str, Any] = msgspec.to_builtins(self)
        return built

    def rows(self) -> list[tuple[str, str]]:
        """Everything as pairs of a label and a value, for a table."""
        rows: list[tuple[str, str]] = []
        for label, texts in (("documents", self.documents), ("queries", self.queries)):
            rows.append((label, f"{texts.count:,}" + (f" ({texts.empty:,} empty)" if texts.empty else "")))
            for unit, lengths in (("characters", texts.characters), ("words", texts.words)):
                figures = f"mean {lengths.mean:.1f}, median {lengths.median:g}, max {lengths.max:,}"
                rows.append((f"  {unit}", figures))
        for split, stats in self.splits.items():
            grades = ", ".join(f"{grade}: {count:,}" for grade, count in stats.grades.items())
            judged = f"{stats.judgments:,} judgments of {stats.queries:,} queries (grade {grades})"
            rows.append((f"split {split}", judged if stats.judgments else "no judgments"))
            rows.append(("  relevant per query", f"{stats.positives_per_query:.2f}"))
        return [*rows, *((f"content id of {name}", value) for name, value in self.content_ids.items())]


def folder_stats(path: Path | str) -> FolderStats:
    """The figures of a BEIR folder, by one pass over its files.

    Raises:
        DataError: the folder cannot be read; with path and line.
    """
    return collection_stats(open_folder(path))


def collection_stats(collection: Collection) -> FolderStats:
    """The figures of any collection, by one pass over everything."""
    corpus, queries = ContentId(), ContentId()
    documents, asked = _Texts(), _Texts()
    for document in collection.documents():
        corpus.add_document(document)
        documents.add(
            f"{document.title} {document.text}"
            if document.title and document.text
            else document.title or document.text
        )
    for query in collection.queries():
        queries.add_query(query)
        asked.add(query.text)
    ids = {"corpus": corpus.hexdigest(), "queries": queries.hexdigest()}
    splits: dict[str, SplitStats] = {}
    for split in collection.splits:
        tally = SplitTally()
        for judgment in collection.judgments(split):
            tally.add(judgment)
        counts = tally.counts()
        positives = sum(count for grade, count in tally.grades.items() if grade > 0)
        mean = positives / counts.queries if counts.queries else 0.0
        splits[split] = SplitStats(counts.queries, counts.judgments, counts.grades, mean)
        ids[f"qrels/{split}"] = tally.content.hexdigest()
    return FolderStats(documents.stats(), asked.stats(), splits, ids)


class _Texts:
    """Lengths of texts, eight bytes each."""

    def __init__(self) -> None:
        self._characters = array("I")
        self._words = array("I")
        self._empty = 0

    def add(self, text: str) -> None:
        words = len(text.split())
        self._characters.append(len(text))
        self._words.append(words)
        self._empty += not words

    def stats(self) -> TextStats:
        return TextStats(len(self._words), self._empty, _lengths(self._characters), _lengths(self._words))


def _lengths(values: array[int]) -> Lengths:
    if not values:
        return Lengths(0.0, 0.0, 0)
    ordered = sorted(values)
    middle = len(ordered) // 2
    median = ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2
    return Lengths(sum(ordered) / len(ordered), float(median), ordered[-1])
