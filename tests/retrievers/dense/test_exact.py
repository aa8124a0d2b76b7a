"""The exact best k equal a plain sort over all documents, whatever the blocks and the ties."""

from __future__ import annotations

import sys

import numpy as np
import numpy.typing as npt
import pytest

from beirkit.corpora.run import id_ranks, ranking_order
from beirkit.retrievers.dense import exact, proposals
from beirkit.retrievers.dense.encoder import Vectors
from beirkit.retrievers.dense.exact import exact_top_k
from beirkit.retrievers.dense.vectors import VectorBlock, unit
from beirkit.retrievers.store import Block


def _blocks(vectors: Vectors, size: int) -> list[VectorBlock]:
    norm = float(np.linalg.norm(vectors.astype(np.float64), axis=1).max())
    return [
        VectorBlock(Block(vectors[start : start + size], {"truncated": 0, "zeros": 0, "norm": norm}))
        for start in range(0, len(vectors), size)
    ]


def _plain(
    queries: Vectors, vectors: Vectors, ranks: npt.NDArray[np.int32], k: int
) -> tuple[list[list[int]], list[list[float]]]:
    scores = np.einsum("qd,nd->qn", queries.astype(np.float64), vectors.astype(np.float64)).astype(np.float32)
    orders = [ranking_order(row, ranks)[:k] for row in scores]
    return [order.tolist() for order in orders], [
        row[order].tolist() for row, order in zip(scores, orders, strict=True)
    ]


def _random(n: int, dim: int, seed: int) -> Vectors:
    return np.random.default_rng(seed).standard_normal((n, dim), dtype=np.float32)


RANKS = id_ranks([str(number) for number in range(500)])


@pytest.mark.parametrize("k", [1, 7, 100, 500, 3000])
@pytest.mark.parametrize("size", [500, 128, 3])
@pytest.mark.parametrize("n_queries", [1, 25])
def test_the_best_k_are_those_of_a_plain_sort(k: int, size: int, n_queries: int) -> None:
    vectors, queries = _random(500, 40, 1), _random(n_queries, 40, 2)
    docs, scores = exact_top_k(queries, _blocks(vectors, size), RANKS, k)
    assert docs.dtype == np.int32
    assert scores.dtype == np.float32
    assert docs.shape == (n_queries, min(k, 500))
    assert (docs.tolist(), scores.tolist()) == _plain(queries, vectors, RANKS, k)


@pytest.mark.parametrize("room", [1, 3, 512])
@pytest.mark.parametrize("threads", [1, 2, 3])
def test_parts_that_do_not_fit_at_once_are_merged(
    room: int, threads: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(proposals, "_DOCUMENTS", 7)
    monkeypatch.setattr(proposals, "_QUERIES", 4)
    monkeypatch.setattr(proposals, "_ROOM", room)
    monkeypatch.setattr(exact, "_QUERIES", 2)
    monkeypatch.setattr(exact, "_PAIRS", 5)
    vectors, queries = _random(500, 40, 3), _random(11, 40, 4)
    docs, scores = exact_top_k(queries, _blocks(vectors, 32), RANKS, 20, threads=threads)
    assert (docs.tolist(), scores.tolist()) == _plain(queries, vectors, RANKS, 20)


@pytest.mark.parametrize("descending", [False, True])
def test_documents_that_stand_in_the_order_of_their_scores(
    descending: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(proposals, "_DOCUMENTS", 50)
    monkeypatch.setattr(proposals, "_ROOM", 8)
    vectors, queries = _random(500, 40, 12), _random(1, 40, 13)
    order = np.argsort(vectors @ queries[0])
    vectors = np.ascontiguousarray(vectors[order[::-1] if descending else order])
    docs, scores = exact_top_k(queries, _blocks(vectors, 100), RANKS, 30)
    assert (docs.tolist(), scores.tolist()) == _plain(queries, vectors, RANKS, 30)


def test_without_a_way_to_limit_threads_the_result_is_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    vectors, queries = _random(500, 40, 14), _random(40, 40, 15)
    expected = [part.tolist() for part in exact_top_k(queries, _blocks(vectors, 64), RANKS, 10)]
    monkeypatch.setitem(sys.modules, "threadpoolctl", None)
    found = exact_top_k(queries, _blocks(vectors, 64), RANKS, 10)
    assert [part.tolist() for part in found] == expected


@pytest.mark.parametrize("k", [1, 5, 30, 100, 400])
def test_ties_that_reach_far_beyond_the_border_go_by_id(k: int) -> None:
    few = _random(5, 16, 5)
    vectors = few[np.random.default_rng(6).integers(0, 5, 500)]
    queries = _random(3, 16, 7)
    docs, scores = exact_top_k(queries, _blocks(vectors, 64), RANKS, k)
    assert (docs.tolist(), scores.tolist()) == _plain(queries, vectors, RANKS, k)


def test_equal_vectors_have_equal_scores_wherever_they_stand() -> None:
    vectors = np.repeat(unit(_random(1, 384, 8)), 500, axis=0)
    _, scores = exact_top_k(unit(_random(3, 384, 9)), _blocks(vectors, 37), RANKS, 500)
    assert [len(set(row)) for row in scores.tolist()] == [1, 1, 1]


def test_a_query_does_not_depend_on_the_others_or_on_the_blocks() -> None:
    vectors, queries = unit(_random(500, 384, 10)), unit(_random(70, 384, 11))
    docs, scores = exact_top_k(queries, _blocks(vectors, 500), RANKS, 50)
    for size in (500, 64):
        alone = [exact_top_k(queries[i : i + 1], _blocks(vectors, size), RANKS, 50) for i in range(70)]
        assert [part[0][0].tolist() for part in alone] == docs.tolist()
        assert [part[1][0].tolist() for part in alone] == scores.tolist()


def test_scores_that_differ_in_the_last_bit_of_float32_are_kept_apart() -> None:
    step = np.float32(2.0**-23)
    vectors = np.array([[1 + step * i, 0] for i in range(4)], dtype=np.float32)
    docs, scores = exact_top_k(np.array([[1, 0]], dtype=np.float32), _blocks(vectors, 2), id_ranks("dcba"), 4)
    assert docs.tolist() == [[3, 2, 1, 0]]
    assert len(set(scores[0].tolist())) == 4


def test_negative_and_zero_products_are_ordered() -> None:
    vectors = np.array([[-2], [0], [-1], [3], [-3]], dtype=np.float32)
    docs, scores = exact_top_k(np.array([[1]], dtype=np.float32), _blocks(vectors, 2), id_ranks("abcde"), 5)
    assert docs.tolist() == [[3, 1, 2, 0, 4]]
    assert scores.tolist() == [[3, 0, -1, -2, -3]]


def test_unit_vectors_and_zero_ones() -> None:
    made = unit(np.array([[3, 4], [0, 0], [1e-30, 0], [1e30, 0]], dtype=np.float32))
    assert made.dtype == np.float32
    expected = np.array([[0.6, 0.8], [0.0, 0.0], [1.0, 0.0], [1.0, 0.0]], dtype=np.float32)
    np.testing.assert_allclose(made, expected, rtol=1e-7)
