"""One retriever's work on a small corpus, watched, and killed while a block is written where asked for.

Run as a script: ``python -m tests.retrievers.resuming JSON`` with kind, options, cache, counted and kill_at.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any
from unittest.mock import patch

from beirkit.configs.schema import RetrieverConfig
from beirkit.corpora.files import atomic_open
from beirkit.corpora.records import Document, Query
from beirkit.retrievers import store
from beirkit.retrievers.base import Workplace
from beirkit.retrievers.catalog import create

BLOCK = 7
OWN_BLOCKS = ("beirkit.retrievers.late.retriever",)
"""Modules that have blocks of a size of their own, under the name ``BLOCK``."""

WORDS = [
    "owl", "owls", "barn", "hunt", "hunts", "voles", "at", "night", "the", "kestrel", "falcon", "bird",
    "birds", "eat",
]  # fmt: skip


def words_of(number: int) -> str:
    """A text of a few words, another for each number."""
    return " ".join(WORDS[(number * step + step * step) % len(WORDS)] for step in range(1, 4 + number % 5))


DOCUMENTS = [Document(f"d{n}", "", f"{words_of(n)} {WORDS[n % 14]} {WORDS[n // 14]}") for n in range(31)]
QUERIES = [Query(f"q{n}", f"{WORDS[n]} {words_of(n + 3)}") for n in range(9)]


def work(
    kind: str, options: dict[str, Any], cache: Path, counted: str, documents: Sequence[Document] = DOCUMENTS
) -> tuple[list[Any], list[str]]:
    """Index and search; what was found, and every text that the encoder was given.

    Args:
        kind: of the retriever.
        options: its options.
        cache: the store.
        counted: ``module:Class.method`` that is given texts, a list of them, and encodes each.
        documents: the corpus.
    """
    place = Workplace(cache=cache, device="cpu", offline=True)
    with _small_blocks(), _watched(counted) as encoded:
        retriever = create(RetrieverConfig(name="resumed", kind=kind, options=options), place)
        retriever.index(documents)
        return [*retriever.search(QUERIES, 20).lists()], encoded


def content(cache: Path) -> dict[str, bytes]:
    """Every file of a store but those that a killed process was writing."""
    files = (path for path in cache.rglob("*") if path.is_file() and not path.name.endswith(".part"))
    return {path.relative_to(cache).as_posix(): path.read_bytes() for path in files}


@contextmanager
def _small_blocks() -> Iterator[None]:
    # most modules call the one function without a size, so its default is the size of their blocks
    with ExitStack() as stack:
        stack.enter_context(patch.object(store.blocks, "__defaults__", (BLOCK,)))
        for module in OWN_BLOCKS:
            stack.enter_context(patch.object(import_module(module), "BLOCK", BLOCK))
        yield


@contextmanager
def _watched(counted: str) -> Iterator[list[str]]:
    module, _, name = counted.partition(":")
    owner, method = name.split(".")
    cls = getattr(import_module(module), owner)
    whole, encoded = getattr(cls, method), []

    def noted(self: Any, *arguments: Any, **keywords: Any) -> Any:
        encoded.extend(next(value for value in arguments if isinstance(value, list)))
        return whole(self, *arguments, **keywords)

    with patch.object(cls, method, noted):
        yield encoded


@contextmanager
def _killed(at: int) -> Iterator[None]:
    """End this process, as nothing can catch, while the array of the block of this number is written."""
    whole, arrays = atomic_open, 0

    @contextmanager
    def opened(path: Path, mode: Any = "w") -> Iterator[Any]:
        nonlocal arrays
        arrays += path.suffix == ".npy"
        with whole(path, mode) as stream:
            if arrays > at and path.suffix == ".npy":
                stream.write(b"half of a")
                stream.flush()
                os.kill(os.getpid(), signal.SIGKILL)
            yield stream

    with patch.object(store, "atomic_open", opened):
        yield


if __name__ == "__main__":
    asked = json.loads(sys.argv[1])
    with ExitStack() as stack:
        stack.enter_context(_killed(asked["kill_at"]))
        work(asked["kind"], asked["options"], Path(asked["cache"]), asked["counted"])
