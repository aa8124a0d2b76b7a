"""What a converter is: a pure reader from a raw benchmark to a collection."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, ClassVar, Generic, TypeVar

import msgspec

from beirkit.converters.reading.source import Source
from beirkit.corpora.collection import Collection, Provenance
from beirkit.corpora.records import Document, Judgment, Query
from beirkit.corpora.spans import SpanJudgment


class NoOptions(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Options of a converter that has none."""


OptionsT = TypeVar("OptionsT", bound=msgspec.Struct)


class Converter(ABC, Generic[OptionsT]):
    """Reads one family of source formats.

    A converter only reads: it writes no file, opens no connection and prints nothing. What a user should
    know (rows skipped, duplicates dropped) goes to the logger of its module.

    Attributes:
        name: catalog name.
        summary: one line for ``beirkit list formats``.
        needs_raw: whether ``raw`` must be given.
        subject: the option that ``beirkit convert NAME:VALUE`` gives; empty: there is none.
        Options: the options it takes, each documented in the class's docstring.
    """

    name: ClassVar[str]
    summary: ClassVar[str]
    needs_raw: ClassVar[bool] = True
    subject: ClassVar[str] = ""
    Options: ClassVar[type[msgspec.Struct]] = NoOptions

    @abstractmethod
    def convert(self, raw: Path | None, options: OptionsT) -> Collection:
        """Open ``raw`` (a file or a folder) as a collection.

        Opening is cheap; the records are read when the collection is iterated.

        Raises:
            DataError: the source is not what this converter reads, with path and line.
        """

    def collection(
        self,
        source: Source,
        options: msgspec.Struct,
        *,
        files: Iterable[str],
        documents: Callable[[], Iterable[Document]],
        queries: Callable[[], Iterable[Query]],
        judgments: Mapping[str, Callable[[], Iterable[Judgment]]],
        spans: Mapping[str, Callable[[], Iterable[SpanJudgment]]] | None = None,
        more_inputs: Mapping[str, str] | None = None,
    ) -> Collection:
        """The collection over files of a source: it keeps them open, and its errors name them as users do.

        Args:
            source: what ``raw`` is.
            options: as ``convert`` got them; those that say something are recorded.
            files: names of the source's files that are read; their hashes are recorded.
            documents: starts a pass over the documents.
            queries: starts a pass over the queries.
            judgments: for each split, what starts a pass over its judgments.
            spans: for each split that has any, what starts a pass over the spans that answer its queries.
            more_inputs: SHA-256 of files outside the source, by name.
        """
        return Collection(
            documents=source.reading(documents),
            queries=source.reading(queries),
            judgments={split: source.reading(start) for split, start in judgments.items()},
            spans={split: source.reading(start) for split, start in (spans or {}).items()},
            provenance=Provenance(
                source=self.name,
                converter=self.name,
                options=_told(options),
            ),
            inputs=source.hashing(files, more_inputs),
        )


def _told(options: msgspec.Struct) -> dict[str, Any]:
    """The options that were given a value."""
    given: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(options))  # as a manifest has them
    return {name: value for name, value in given.items() if value not in ("", None, {}, [])}
