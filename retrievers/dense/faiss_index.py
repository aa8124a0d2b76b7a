"""faiss indexes by factory string, built the same each time and kept in the store."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np
import numpy.typing as npt

from beirkit.corpora.errors import ConfigError, MissingExtraError, UsageError
from beirkit.corpora.run import ranking_order
from beirkit.retrievers.base import Facts
from beirkit.retrievers.dense.encoder import Vectors
from beirkit.retrievers.dense.exact import Ordinals
from beirkit.retrievers.dense.forms import encode
from beirkit.retrievers.dense.searching import Found, rescored, rows
from beirkit.retrievers.dense.vectors import VectorBlock
from beirkit.retrievers.store import Store, text_key

logger = logging.getLogger(__name__)

_STAGE = 1
_SEED = 1234
_TRAINED_ON = 200_000  # vectors at most; faiss itself takes 256 for each cluster
_QUERIES = 1024


def is_binary(factory: str) -> bool:
    """Whether a factory string is one of faiss's binary indexes, such as ``BFlat``."""
    return factory.startswith("B")


def describe_index(factory: str, parameters: Mapping[str, float]) -> Facts:
    """What results of an index depend on besides the vectors; faiss stays unloaded.

    Raises:
        MissingExtraError: faiss is not installed.
    """
    try:
        installed = version("faiss-cpu")
    except PackageNotFoundError as error:
        raise MissingExtraError("option index", "dense") from error
    return {
        "faiss": installed,
        "factory": factory,
        "parameters": dict(parameters),
        "seed": _SEED,
        "stage": _STAGE,
    }


class FaissSearcher:
    """Searches a faiss index.

    It is built in one thread where the order of insertion decides (HNSW), and trained on a seeded sample, so
    equal vectors make an equal index. Its own scores make the ranking, unless candidates are scored again.

    Args:
        factory: what ``faiss.index_factory`` or, with a ``B`` in front, ``index_binary_factory`` reads.
        parameters: of the search, such as ``nprobe`` and ``efSearch``.
        blocks: float32 vectors.
        ranks: break ties.
        rescore: how many times ``k`` are scored again with the float32 vectors; 0: none.
        store: keeps the index.

    Raises:
        ConfigError: faiss cannot read the factory string, or the index has no such parameter.
        UsageError: there are too few documents to train it.
        MissingExtraError: faiss is not installed.
    """

    def __init__(
        self,
        factory: str,
        parameters: Mapping[str, float],
        blocks: Sequence[VectorBlock],
        ranks: Ordinals,
        rescore: int,
        store: Store,
        configuration: Facts,
    ) -> None:
        try:
            import faiss
        except ImportError as error:
            raise MissingExtraError("option index", "dense") from error
        self._faiss: Any = faiss
        self._factory, self._blocks, self._ranks, self._rescore = factory, blocks, ranks, rescore
        self._binary = is_binary(factory)
        self._missing = 0
        facts = describe_index(factory, {})
        section = store.section("indexes", {**configuration, "index": facts})
        key = text_key([block.key for block in blocks])
        stored = section.get(key)
        if stored is None:
            index = self._build()
            data = (faiss.serialize_index_binary if self._binary else faiss.serialize_index)(index)
            stored = section.put(key, data, {})
        read = faiss.deserialize_index_binary if self._binary else faiss.deserialize_index
        self._index: Any = read(np.array(stored.array))
        self._nbytes = int(stored.array.nbytes)
        stored.release()
        self._set(parameters)

    def search(self, queries: Vectors, k: int) -> Found:
        """At most ``k`` documents of each query; fewer where the index gives fewer."""
        found: Found = []
        wanted = min(k * max(1, self._rescore), len(self._ranks))
        for start in range(0, len(queries), _QUERIES):
            some = np.ascontiguousarray(queries[start : start + _QUERIES])
            scores, places = self._index.search(self._codes(some), wanted)
            if self._binary:
                scores = 1 - 2 * scores.astype(np.float32) / np.float32(queries.shape[1])
            for query, docs, values in zip(some, places, scores, strict=True):
                docs, values = without_padding(docs, values)
                self._missing += max(0, min(k, wanted) - len(docs))
                if self._rescore:
                    found.append(rescored(query, docs, self._blocks, self._ranks, k))
                else:
                    order = ranking_order(values, self._ranks[docs])
                    found.append((docs[order], values[order]))
        if self._missing:
            logger.warning("index %s gave %d results fewer than were asked for", self._factory, self._missing)
        return found

    def report(self) -> Facts:
        """Results that the index did not find."""
        return {"missing_results": self._missing}

    @property
    def nbytes(self) -> int:
        """Size of the index as it is stored."""
        return self._nbytes

    def _build(self) -> Any:
        dim, faiss = self._blocks[0].dim, self._faiss
        logger.info("building the faiss index %s", self._factory)
        try:
            if self._binary:
                index = faiss.index_binary_factory(-(-dim // 8) * 8, self._factory)
            else:
                index = faiss.index_factory(dim, self._factory, faiss.METRIC_INNER_PRODUCT)
        except RuntimeError as error:
            raise ConfigError(
                f"faiss cannot make an index {self._factory!r} for {dim} dimensions: {_first(error)}",
                hint="for instance Flat, HNSW32, IVF256,Flat, PQ48, SQ8 or BFlat",
            ) from error
        one_thread = "HNSW" in self._factory or "NSG" in self._factory
        with self._threads(1 if one_thread else 0):
            try:
                if not index.is_trained:
                    index.train(self._codes(self._sample()))
                for block in self._blocks:
                    index.add(self._codes(np.ascontiguousarray(block.vectors)))
                    block.stored.release()
            except RuntimeError as error:
                raise UsageError(
                    f"the faiss index {self._factory} cannot be built over {len(self._ranks)} documents: "
                    f"{_first(error)}",
                    hint="smaller collections need fewer clusters and codes, or none: Flat",
                ) from error
        return index

    def _sample(self) -> Vectors:
        count = len(self._ranks)
        chosen = np.arange(count)
        if count > _TRAINED_ON:
            rng = np.random.default_rng(_SEED)
            chosen = np.sort(rng.choice(count, _TRAINED_ON, replace=False))
        return rows(self._blocks, chosen)

    def _codes(self, vectors: Vectors) -> npt.NDArray[Any]:
        return encode(vectors, "binary") if self._binary else vectors

    def _set(self, parameters: Mapping[str, float]) -> None:
        for name, value in parameters.items():
            try:
                if self._binary:
                    owner = self._index.hnsw if name.startswith("ef") else self._index
                    getattr(owner, name)
                    setattr(owner, name, int(value))
                else:
                    self._faiss.ParameterSpace().set_index_parameter(self._index, name, value)
            except (RuntimeError, AttributeError) as error:
                raise ConfigError(
                    f"the faiss index {self._factory} has no parameter {name!r}: {_first(error)}",
                    hint="IVF has nprobe, HNSW has efSearch",
                ) from error

    @contextmanager
    def _threads(self, number: int) -> Iterator[None]:
        """Keep faiss to a number of threads for a while; 0: as many as it likes."""
        before = self._faiss.omp_get_max_threads()
        self._faiss.omp_set_num_threads(number or before)
        try:
            yield
        finally:
            self._faiss.omp_set_num_threads(before)


def without_padding(places: npt.NDArray[np.int64], scores: Vectors) -> tuple[Ordinals, Vectors]:
    """A row of an index's output without the -1 it fills up with, which is no document and not the last one.

    Args:
        places: document ordinals, -1 where there is none.
        scores: theirs.
    """
    real = places >= 0
    return places[real].astype(np.int32), scores[real].astype(np.float32)


def _first(error: Exception) -> str:
    """The message of faiss without the place in its source."""
    return str(error).strip().splitlines()[-1].rsplit(": ", 1)[-1]
