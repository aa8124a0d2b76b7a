"""faiss indexes: what each family finds of the exact best, the same each time, kept and found again."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from beirkit.corpora.errors import ConfigError, UsageError
from beirkit.corpora.records import Document, Query
from beirkit.corpora.run import Run
from beirkit.retrievers.base import Workplace
from beirkit.retrievers.dense.encoder import Vectors
from beirkit.retrievers.dense.faiss_index import without_padding
from beirkit.retrievers.dense.retriever import DenseOptions, DenseRetriever
from beirkit.retrievers.dense.vectors import unit
from tests.retrievers.dense.known import KnownVectors

pytest.importorskip("faiss")

DIM, N = 32, 2000


def _around(centres: Vectors, n: int, seed: int) -> Vectors:
    rng = np.random.default_rng(seed)
    noise = rng.standard_normal((n, DIM)).astype(np.float32)
    return unit(2 * centres[rng.integers(0, len(centres), n)] + noise)


CENTRES = np.random.default_rng(0).standard_normal((20, DIM)).astype(np.float32)
DOCS, QUERIES = _around(CENTRES, N, 1), _around(CENTRES, 30, 2)


def _retriever(index: str | None, cache: Path | None = None, n: int = N, **options: Any) -> DenseRetriever:
    encoder = KnownVectors(DOCS, QUERIES)
    made = DenseRetriever(
        DenseOptions(model=[], index=index, **options), Workplace(cache=cache), encoder=encoder
    )
    made.index([Document(f"d{i}", text=str(i)) for i in range(n)])
    return made


def _search(retriever: DenseRetriever, k: int = 10) -> Run:
    return retriever.search([Query(f"q{i}", str(i)) for i in range(len(QUERIES))], k)


FAMILIES: dict[str, tuple[dict[str, Any], float, float]] = {
    "Flat": ({}, 1.0, 1.0),
    "HNSW16": ({"efSearch": 64}, 0.95, 1.0),
    "IVF16,Flat": ({"nprobe": 4}, 0.8, 1.0),
    "PQ8": ({}, 0.3, 0.9),
    "SQ8": ({}, 0.95, 1.0),
    "IVF16,SQ8": ({"nprobe": 16}, 0.95, 1.0),
    "BFlat": ({}, 0.1, 0.7),
    "BHNSW16": ({"efSearch": 64}, 0.1, 0.7),
    "BIVF16": ({"nprobe": 16}, 0.1, 0.7),
}
"""Factory string → parameters, and the recall at 10 that it has at least and at most on these vectors."""


@pytest.mark.parametrize("factory", FAMILIES)
def test_recall_of_each_family_is_measured_told_and_kept(
    factory: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    parameters, least, most = FAMILIES[factory]
    with caplog.at_level(logging.INFO):
        retriever = _retriever(factory, tmp_path, parameters=parameters)
        run = _search(retriever)
    told = retriever.report()["recall_against_exact"]["10"]
    exact = dict(_search(_retriever(None)).lists())
    found = {query: {doc for doc, _ in row} for query, row in run.lists()}
    shares = [len(found[query] & {doc for doc, _ in row}) / 10 for query, row in exact.items()]
    assert told == pytest.approx(np.mean(shares), abs=1e-6)
    assert least <= told <= most
    assert f"{factory}: recall against exact search {told:.4f} at 10" in caplog.messages
    assert list(run.ordered().lists()) == list(run.lists()), "the one ordering rule"


@pytest.mark.parametrize("factory", ["HNSW16", "IVF16,Flat", "PQ8", "BHNSW16"])
def test_an_index_is_built_the_same_each_time(factory: str, tmp_path: Path) -> None:
    built, runs = [], []
    for name in ("a", "b"):
        runs.append(list(_search(_retriever(factory, tmp_path / name)).lists()))
        (path,) = (tmp_path / name / "indexes").glob("*/*.npy")
        built.append(path.read_bytes())
    assert built[0] == built[1]
    assert runs[0] == runs[1]


def test_an_index_is_kept_and_belongs_to_its_vectors(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    first = list(_search(_retriever("HNSW16", tmp_path)).lists())
    assert sum("building" in message for message in caplog.messages) == 1
    assert list(_search(_retriever("HNSW16", tmp_path)).lists()) == first
    assert sum("building" in message for message in caplog.messages) == 1
    _retriever("HNSW16", tmp_path, parameters={"efSearch": 99})
    assert sum("building" in message for message in caplog.messages) == 1, "a parameter of the search alone"
    for number, changed in enumerate(({"n": N - 1}, {"truncate_dim": 16}), start=2):
        _retriever("HNSW16", tmp_path, **changed)
        assert sum("building" in message for message in caplog.messages) == number
    _retriever("HNSW8", tmp_path)
    assert sum("building" in message for message in caplog.messages) == 4


def test_a_damaged_index_is_built_again(tmp_path: Path) -> None:
    first = list(_search(_retriever("HNSW16", tmp_path)).lists())
    (path,) = (tmp_path / "indexes").glob("*/*.npy")
    path.write_bytes(path.read_bytes()[:-9])
    assert list(_search(_retriever("HNSW16", tmp_path)).lists()) == first


def test_candidates_scored_again_have_exact_scores_and_better_recall() -> None:
    plain, again = _retriever("PQ8"), _retriever("PQ8", rescore=10)
    _search(plain)
    found = dict(_search(again).lists())
    exact = {query: dict(row) for query, row in _search(_retriever(None), k=N).lists()}
    assert all(score == exact[query][doc] for query, row in found.items() for doc, score in row)
    recall = [r.report()["recall_against_exact"]["10"] for r in (plain, again)]
    assert recall[1] > recall[0] + 0.2


def test_an_index_that_finds_too_few_pads_nothing(caplog: pytest.LogCaptureFixture) -> None:
    retriever = _retriever("IVF16,Flat", parameters={"nprobe": 1})
    run = _search(retriever, k=N)
    rows = [row for _, row in run.lists()]
    assert all(0 < len(row) < N for row in rows)
    assert all(len({doc for doc, _ in row}) == len(row) for row in rows)
    missing = retriever.report()["missing_results"]
    assert missing == sum(N - len(row) for row in rows)
    assert f"index IVF16,Flat gave {missing} results fewer than were asked for" in caplog.messages


def test_padding_is_dropped_before_anything_is_looked_up() -> None:
    places = np.array([2, 0, -1, -1], dtype=np.int64)
    docs, scores = without_padding(places, np.array([0.9, 0.4, -3e38, -3e38], dtype=np.float32))
    assert docs.tolist() == [2, 0]
    assert scores.tolist() == pytest.approx([0.9, 0.4])


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"index": "Flatt"}, ConfigError, "faiss cannot make an index 'Flatt' for 32 dimensions"),
        ({"index": "PQ7"}, ConfigError, "faiss cannot make an index 'PQ7'"),
        (
            {"index": "Flat", "parameters": {"nprobe": 3}},
            ConfigError,
            "has no parameter 'nprobe'.*IVF has nprobe",
        ),
        ({"index": "BFlat", "parameters": {"depth": 3}}, ConfigError, "has no parameter 'depth'"),
        ({"index": "IVF4096,Flat"}, UsageError, "cannot be built over 2000 documents: .*fewer clusters"),
    ],
)
def test_what_faiss_refuses_is_one_message(
    options: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message) as raised:
        _retriever(**options)
    assert "\n" not in str(raised.value)
