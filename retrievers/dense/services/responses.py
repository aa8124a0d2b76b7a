"""What a service answered, kept text by text, so that nothing is paid for twice."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from beirkit.retrievers.base import Facts
from beirkit.retrievers.dense.encoder import Vectors
from beirkit.retrievers.outside.client import RequestError
from beirkit.retrievers.store import Section, text_key

_BYTES = 16  # of a digest; 2^-64 of a chance that two of four thousand million texts share one
_SHOWN = 16


class Responses:
    """The answers to one way of asking: one block of the store for each, found by the texts that it is of.

    An answer is on the disk before :meth:`keep` returns. Threads may share it.

    Args:
        section: where they are kept.
    """

    def __init__(self, section: Section) -> None:
        self._section = section
        self._lock = threading.Lock()
        self._places: dict[bytes, tuple[str, int]] = {}
        self._facts: dict[str, Facts] = {}
        for key, facts in section.facts():
            self._remember(key, facts)

    def __contains__(self, text: str) -> bool:
        """Whether a text has a vector, as far as is known without reading it."""
        return digest(text) in self._places

    @property
    def dim(self) -> int | None:
        """The dimensions of the vectors; ``None`` while there are none."""
        with self._lock:
            return next((int(facts["dim"]) for facts in self._facts.values()), None)

    @property
    def tokens_per_byte(self) -> float | None:
        """What the service counted so far; ``None`` where it counted nothing."""
        with self._lock:
            told = [facts for facts in self._facts.values() if facts["counted"]]
        size = sum(facts["bytes"] for facts in told)
        return sum(facts["tokens"] for facts in told) / size if size else None

    def find(self, texts: Iterable[str]) -> dict[str, Vectors]:
        """The vectors of those of the texts that have one; an answer that is damaged is forgotten."""
        wanted: dict[str, list[tuple[str, int]]] = {}
        for text in texts:
            if (place := self._places.get(digest(text))) is not None:
                wanted.setdefault(place[0], []).append((text, place[1]))
        found = {}
        for key, rows in wanted.items():
            block = self._section.get(key)
            if block is None:
                self._forget(key)
                continue
            array: Any = block.array
            found.update({text: np.array(array[row]) for text, row in rows})
        return found

    def keep(self, texts: Sequence[str], vectors: Vectors, facts: Facts) -> None:
        """Keep an answer.

        Args:
            texts: that it is of, each once.
            vectors: ``(len(texts), dim)``.
            facts: ``tokens``, whether the service ``counted`` them, how often the request was ``sent``, and
                ``model``, the name in the answer.

        Raises:
            RequestError: the vectors have other dimensions than those before.
            WriteError: the store refuses it.
        """
        key = text_key(texts)
        with self._lock:
            dims = {int(other["dim"]) for other in self._facts.values()}
            if dims and dims != {vectors.shape[1]}:
                raise RequestError(
                    f"the answer has {vectors.shape[1]} dimensions, those before had {dims.pop()}: another "
                    "model answers now; tell it from the first by another service.version"
                )
            full = {
                **facts, "dim": vectors.shape[1], "bytes": sum(map(byte_count, texts)),
                "texts": [digest(text).hex() for text in texts],
            }  # fmt: skip
            self._remember(key, full)
        self._section.put(key, vectors, full)

    def sources(self, texts: Iterable[str]) -> dict[str, Facts]:
        """The answers that vectors of the texts come from: what each took, by its key."""
        keys = {place[0] for text in texts if (place := self._places.get(digest(text))) is not None}
        return {
            key[:_SHOWN]: {name: self._facts[key][name] for name in ("tokens", "counted", "sent", "model")}
            for key in sorted(keys)
        }

    def _remember(self, key: str, facts: Facts) -> None:
        self._facts[key] = facts
        for row, digest in enumerate(facts["texts"]):
            self._places[bytes.fromhex(digest)] = key, row

    def _forget(self, key: str) -> None:
        with self._lock:
            del self._facts[key]
            self._places = {digest: place for digest, place in self._places.items() if place[0] != key}


def byte_count(text: str) -> int:
    """Bytes of a text in UTF-8."""
    return len(text.encode("utf-8", "surrogatepass"))


def digest(text: str) -> bytes:
    """What a text is known by."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[:_BYTES]
