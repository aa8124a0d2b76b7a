"""What a converter is: a pure reader from a raw benchmark to a collection."""

from __future__ import annotations

from abc import ABC, abstractmethod
from pathlib import Path
from typing import ClassVar, Generic, TypeVar

import msgspec

from beirkit.corpora.collection import Collection


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
        Options: the options it takes, each documented in the class's docstring.
    """

    name: ClassVar[str]
    summary: ClassVar[str]
    needs_raw: ClassVar[bool] = True
    Options: ClassVar[type[msgspec.Struct]] = NoOptions

    @abstractmethod
    def convert(self, raw: Path | None, options: OptionsT) -> Collection:
        """Open ``raw`` (a file or a folder) as a collection.

        Opening is cheap; the records are read when the collection is iterated.

        Raises:
            DataError: the source is not what this converter reads, with path and line.
        """
