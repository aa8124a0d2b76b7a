"""What a target of ``beirkit export`` is, and what it is given to write."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, ClassVar, Generic, Literal, TypeVar

import msgspec

from beirkit.corpora.collection import Collection, Provenance
from beirkit.corpora.manifest import ContentId, Counts, SplitTally
from beirkit.corpora.notices import warn
from beirkit.corpora.progress import Progress, silent
from beirkit.corpora.records import Document, Judgment, Query

Takes = Literal["folder", "results"]

_STEP = 1024


class NoOptions(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Options of a target that has none."""


OptionsT = TypeVar("OptionsT", bound=msgspec.Struct)
RecordT = TypeVar("RecordT")


class Facts(msgspec.Struct, frozen=True, kw_only=True):
    """What is known about a dataset beyond its records; an empty text: not known.

    Attributes:
        name: short name, fit for a file.
        title: what people call it.
        task: the kind of retrieval.
        domain: what the documents are about.
        language: BCP 47 code.
        licence: as the owner states it.
        citation: as the owner asks for it.
        source: where the raw data come from, in a sentence.
        revision: revision of the source.
        reported_split: the split that published figures are of.
        differences: how the records differ from the published BEIR files, in sentences.
    """

    name: str
    title: str = ""
    task: str = ""
    domain: str = ""
    language: str = ""
    licence: str = ""
    citation: str = ""
    source: str = ""
    revision: str = ""
    reported_split: str = ""
    differences: tuple[str, ...] = ()


class Records:
    """The records of a collection, which are counted while they pass by.

    Args:
        collection: what is exported.
        progress: told of every record.
    """

    def __init__(self, collection: Collection, progress: Progress = silent) -> None:
        self._collection = collection
        self._progress = progress
        self._corpus, self._queried = ContentId(), ContentId()
        self._documents = self._queries = 0
        self._splits: dict[str, SplitTally] = {}
        self.changed: Counter[str] = Counter()
        """How many records were changed, by what was done to them."""

    @property
    def splits(self) -> tuple[str, ...]:
        """Names of the splits, sorted."""
        return self._collection.splits

    @property
    def provenance(self) -> Provenance:
        """Where the records came from."""
        return self._collection.provenance

    def have_metadata(self) -> tuple[bool, bool]:
        """Whether any document and any query has metadata; reads up to the first that does."""
        return (
            any(document.metadata for document in self._collection.documents()),
            any(query.metadata for query in self._collection.queries()),
        )

    def documents(self) -> Iterator[Document]:
        """Every document; to be read once."""
        for document in self._passing("documents", "documents", self._collection.documents()):
            self._corpus.add_document(document)
            self._documents += 1
            yield document

    def queries(self) -> Iterator[Query]:
        """Every query; to be read once."""
        for query in self._passing("queries", "queries", self._collection.queries()):
            self._queried.add_query(query)
            self._queries += 1
            yield query

    def judgments(self, split: str) -> Iterator[Judgment]:
        """The judgments of one split; to be read once."""
        tally = self._splits[split] = SplitTally()
        label = f"judgments of {split}"
        for judgment in self._passing(label, "judgments", self._collection.judgments(split)):
            tally.add(judgment)
            yield judgment

    def _passing(self, label: str, unit: str, records: Iterable[RecordT]) -> Iterator[RecordT]:
        count = 0
        with self._progress(label, None, unit) as advance:
            for count, record in enumerate(records, 1):
                yield record
                if count % _STEP == 0:
                    advance(_STEP)
            advance(count % _STEP)

    def tell_changes(self) -> None:
        """Warn of what was changed, one line for each kind."""
        for what, count in sorted(self.changed.items()):
            warn(f"exported {what}: {count:,}")

    def counts(self) -> Counts:
        """How much passed by."""
        splits = {split: tally.counts() for split, tally in self._splits.items()}
        return Counts(self._documents, self._queries, splits)

    def content_ids(self) -> dict[str, str]:
        """The content ids of what passed by, under the keys that a BEIR folder's manifest has."""
        ids = {"corpus": self._corpus.hexdigest(), "queries": self._queried.hexdigest()}
        return ids | {f"qrels/{split}": tally.content.hexdigest() for split, tally in self._splits.items()}


class Export(ABC):
    """A target of ``beirkit export``.

    Attributes:
        name: catalog name.
        summary: one line for ``beirkit list exports``.
        takes: whether it is given a BEIR folder or results.
        Options: the options it takes, each documented in the class's docstring.
    """

    name: ClassVar[str]
    summary: ClassVar[str]
    takes: ClassVar[Takes]
    Options: ClassVar[type[msgspec.Struct]] = NoOptions


class FolderExport(Export, Generic[OptionsT]):
    """A target that is given a BEIR folder and writes a folder that another tool reads."""

    takes: ClassVar[Takes] = "folder"

    @abstractmethod
    def write(self, records: Records, folder: Path, facts: Facts, options: OptionsT) -> None:
        """Write everything into an empty folder, reading each stream of the records once.

        What the form cannot carry is refused, or changed and counted in ``records.changed``.

        Raises:
            DataError: a record cannot stand in the form.
            MissingExtraError: an optional library is needed and not installed.
        """


def told(options: msgspec.Struct) -> dict[str, Any]:
    """The options that were given another value than their default."""
    given: dict[str, Any] = msgspec.to_builtins(options)
    default: dict[str, Any] = msgspec.to_builtins(type(options)())
    return {name: value for name, value in given.items() if value != default[name]}
