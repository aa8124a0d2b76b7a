"""What a retriever is: documents in, then queries in and a run out."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from pathlib import Path
from typing import Any, ClassVar, Generic, TypeVar

import msgspec

from beirkit.corpora.errors import ConfigError
from beirkit.corpora.progress import Progress, silent
from beirkit.corpora.records import Document, Query
from beirkit.corpora.run import Run

OptionsT = TypeVar("OptionsT", bound=msgspec.Struct)

Facts = dict[str, Any]
"""JSON-serialisable facts about what was done, for the manifest and for people."""


class Workplace(msgspec.Struct, frozen=True, kw_only=True):
    """What a retriever may use and no result may depend on, except ``device``, ``dtype`` and ``batch_size``.

    Attributes:
        cache: folder of the store for indexes and embeddings; ``None``: keep nothing on disk.
        progress: opens a progress display.
        device: ``auto``, ``cpu``, ``cuda``, ``cuda:1``, ``mps``: where encoders run; several with
            commas between them (``cuda:0,cuda:1``).
        batch_size: texts an encoder takes at once, ``None``: the retriever's own default.
        dtype: ``float32``, ``bfloat16`` or ``float16`` inside encoders, ``None``: the retriever's default.
        offline: never ask a hub for anything.
    """

    cache: Path | None = None
    progress: Progress = silent
    device: str = "auto"
    batch_size: int | None = None
    dtype: str | None = None
    offline: bool = False

    def batch(self, own: int | None, default: int) -> int:
        """Texts an encoder takes at once: as is said here, else its ``own`` option, else its ``default``.

        Raises:
            ConfigError: it is below 1.
        """
        asked = own if self.batch_size is None else self.batch_size
        if asked is not None and asked < 1:
            raise ConfigError("batch_size must be at least 1")
        return default if asked is None else asked


class Retriever(ABC, Generic[OptionsT]):
    """Indexes documents, then ranks them for queries.

    A retriever never learns which benchmark it is tested on: it gets no dataset name, no split and no
    judgments. Rankings follow the one ordering rule of :mod:`beirkit.corpora.run`.

    Args:
        options: an instance of the class's ``Options``, complete.
        workplace: where to keep an index, how to report progress, which device to use.

    Attributes:
        kind: catalog name.
        summary: one line for ``beirkit list retrievers``.
        stage: version of the code; raised when the same options and texts give another result.
        Options: the options it takes, each documented in the class's docstring.
    """

    kind: ClassVar[str]
    summary: ClassVar[str]
    stage: ClassVar[int] = 1
    Options: ClassVar[type[msgspec.Struct]]

    def __init__(self, options: OptionsT, workplace: Workplace | None = None) -> None:
        self.options = options
        self.workplace = workplace if workplace is not None else Workplace()

    @abstractmethod
    def identity(self) -> Facts:
        """Everything the result depends on besides the texts, resolved, known before any work is done.

        Cheap: heavy libraries stay unloaded. Two retrievers with equal identities give equal runs on equal
        texts; the runner uses it as the key under which results are kept.

        Raises:
            UsageError: what the retriever needs (a model, an optional part) is not there.
        """

    @abstractmethod
    def index(self, documents: Iterable[Document]) -> None:
        """Take in the corpus, in one pass.

        Raises:
            DataError: the corpus is empty.
        """

    @abstractmethod
    def search(self, queries: Iterable[Query], k: int) -> Run:
        """The ``k`` best documents of each query, fewer where fewer match; scores are float32.

        Every query is in the run, in the order given, with or without results. ``k`` may exceed the corpus.
        """

    def report(self) -> Facts:
        """What was found out while indexing and searching (truncated share, vocabulary size, ...)."""
        return {}

    def costs(self) -> Facts:
        """What the last work took: memory of the index, latencies, texts that were not encoded anew.

        No score depends on it, and it differs from one time to the next.
        """
        return {}
