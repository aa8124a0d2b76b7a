"""The best k by MaxSim equal plain arithmetic over everything, whatever the blocks, threads and company."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from beirkit.corpora.progress import Advance
from beirkit.corpora.run import id_ranks, ranking_order
from beirkit.retrievers.dense.encoder import Vectors
from beirkit.retrievers.late import maxsim, scores
from beirkit.retrievers.late.kept import TokenBlock
from beirkit.retrievers.late.maxsim import maxsim_top_k
from beirkit.retrievers.late.scores import Queries
from beirkit.retrievers.store import Block

Texts = list[Vectors]
Results = list[tuple[list[int], list[float]]]


def _texts(n: int, seed: int, *, dim: int = 24, least: int = 1, most: int = 12) -> Texts:
    """Texts of unit vectors."""
    rng = np.random.default_rng(seed)
    made = [rng.standard_normal((int(size), dim)) for size in rng.integers(least, most + 1, n)]
    return [(rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32) for rows in made]


def _flat(texts: Texts) -> tuple[Any, Vectors]:
    return np.array([len(text) for text in texts], dtype=np.int64), np.concatenate(texts)


def _blocks(documents: Texts, size: int) -> list[TokenBlock]:
    made = []
    for start in range(0, len(documents), size):
        counts, vectors = _flat(documents[start : start + size])
        norm = float(np.linalg.norm(vectors.astype(np.float64), axis=1).max(initial=0))
        facts = {"counts": counts.tolist(), "norm": norm, "limit": None, "truncated": 0}
        made.append(TokenBlock(Block(vectors, facts)))
    return made


def _search(queries: Texts, documents: Texts, k: int, *, size: int = 50, **how: Any) -> Results:
    ranks = id_ranks([str(number) for number in range(len(documents))])
    found = maxsim_top_k(Queries(*_flat(queries)), _blocks(documents, size), ranks, k, **how)
    assert all(docs.dtype == np.int32 and values.dtype == np.float32 for docs, values in found)
    return [(docs.tolist(), values.tolist()) for docs, values in found]


def _score(query: Vectors, document: npt.NDArray[np.float64], *, mean: bool = False) -> np.float32:
    """The definition in float64: pair by pair, added up one after the other."""
    total = 0.0
    for row in query.astype(np.float64):
        total += float(np.einsum("nd,nd->n", np.broadcast_to(row, document.shape), document).max())
    return np.float32(total / len(query) if mean else total)


def _plain(queries: Texts, documents: Texts, k: int, *, mean: bool = False) -> Results:
    ranks = id_ranks([str(number) for number in range(len(documents))])
    wide = [document.astype(np.float64) for document in documents]
    found = []
    for query in queries:
        values = np.array([_score(query, each, mean=mean) if len(each) else -np.inf for each in wide])
        order = [place for place in ranking_order(values, ranks).tolist() if len(documents[place])][:k]
        found.append((order, values[order].tolist()))
    return found


DOCUMENTS, QUERIES = _texts(300, 1), _texts(9, 2, most=7)


@pytest.mark.parametrize("mean", [False, True])
@pytest.mark.parametrize("k", [1, 10, 290, 300, 5000])
def test_the_best_k_are_those_of_plain_arithmetic(k: int, mean: bool) -> None:
    assert _search(QUERIES, DOCUMENTS, k, mean=mean) == _plain(QUERIES, DOCUMENTS, k, mean=mean)


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize(("size", "tokens"), [(1, 4096), (7, 5), (256, 30), (300, 4096)])
def test_no_block_and_no_thread_changes_a_bit(
    threads: int, size: int, tokens: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = _search(QUERIES, DOCUMENTS, 20)
    monkeypatch.setattr(maxsim, "QUERY_TOKENS", tokens)
    monkeypatch.setattr(maxsim, "DOCUMENT_TOKENS", tokens)
    monkeypatch.setattr(scores, "DOCUMENT_TOKENS", tokens)
    monkeypatch.setattr(scores, "_PAIRS", 3)
    monkeypatch.setattr(maxsim, "_SELECT", 2)
    assert _search(QUERIES, DOCUMENTS, 20, size=size, threads=threads) == expected


def test_the_company_of_a_query_and_the_order_of_documents_change_no_bit() -> None:
    whole = _search(QUERIES, DOCUMENTS, 25)
    assert [_search([query], DOCUMENTS, 25)[0] for query in QUERIES] == whole
    assert _search(QUERIES[::-1], DOCUMENTS, 25)[::-1] == whole
    values = [dict(zip(*found, strict=True)) for found in _search(QUERIES, DOCUMENTS, 300)]
    turned = [dict(zip(*found, strict=True)) for found in _search(QUERIES, DOCUMENTS[::-1], 300)]
    assert [{299 - doc: value for doc, value in found.items()} for found in turned] == values


def test_equal_documents_are_in_order_of_their_ids() -> None:
    documents = [DOCUMENTS[3]] * 40 + _texts(40, 5)
    ids = [str(number) for number in range(80)]
    found = maxsim_top_k(Queries(*_flat([DOCUMENTS[3]])), _blocks(documents, 7), id_ranks(ids), 5)
    assert [ids[doc] for doc in found[0][0].tolist()] == sorted(ids[:40], reverse=True)[:5]
    assert len(set(found[0][1].tolist())) == 1


def _close(n: int, seed: int, step: float) -> tuple[Texts, Texts]:
    """Documents so close to each other that their float32 products are in another order than their scores."""
    rng = np.random.default_rng(seed)
    base = _texts(1, seed, dim=96, least=8, most=8)[0]
    return [base], [(base + step * rng.standard_normal(base.shape)).astype(np.float32) for _ in range(n)]


@pytest.mark.parametrize("extra", [1, 16])
@pytest.mark.parametrize("step", [1e-7, 1e-6, 1e-5])
def test_candidates_are_added_until_no_other_can_be_among_the_best(
    step: float, extra: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(maxsim, "_EXTRA", extra)
    queries, documents = _close(600, 11, step)
    asked: list[int] = []
    propose = maxsim._Search._propose

    def noted(self: Any, some: Queries, kept: int, advance: Advance) -> Any:
        asked.append(kept)
        return propose(self, some, kept, advance)

    monkeypatch.setattr(maxsim._Search, "_propose", noted)
    assert _search(queries, documents, 10) == _plain(queries, documents, 10)
    if step == 1e-7 and extra == 16:
        assert asked == [26, 138]  # and then all of them


def test_great_vectors_among_small_ones() -> None:
    rng = np.random.default_rng(8)
    documents = [text * np.float32(10.0 ** rng.integers(-6, 7)) for text in _texts(200, 9)]
    queries = [text * np.float32(10.0 ** rng.integers(-6, 7)) for text in _texts(5, 10)]
    assert _search(queries, documents, 15) == _plain(queries, documents, 15)


def test_negative_scores_and_zero_vectors() -> None:
    documents = [-np.abs(text) for text in _texts(60, 12)]
    documents[7] = np.zeros((3, 24), dtype=np.float32)
    queries = [np.abs(text) for text in _texts(4, 13)]
    found = _search(queries, documents, 60)
    assert found == _plain(queries, documents, 60)
    assert all(docs[0] == 7 and values[0] == 0 and values[1] < 0 for docs, values in found)


@pytest.mark.parametrize("k", [3, 100])
def test_documents_without_vectors_are_no_results(k: int) -> None:
    documents = list(DOCUMENTS[:60])
    for place in (0, 5, 6, 7, 59):
        documents[place] = documents[place][:0]
    for size in (1, 3, 60):
        assert _search(QUERIES, documents, k, size=size) == _plain(QUERIES, documents, k)
    assert _search(QUERIES, [document[:0] for document in DOCUMENTS[:9]], 3) == [([], [])] * 9


def test_half_precision_is_scored_as_the_numbers_it_holds() -> None:
    halves = [document.astype(np.float16) for document in DOCUMENTS]
    wide = [document.astype(np.float32) for document in halves]
    assert _search(QUERIES, halves, 20) == _search(QUERIES, wide, 20)  # type: ignore[arg-type] # float16


def test_blocks_are_read_once_and_released(monkeypatch: pytest.MonkeyPatch) -> None:
    released: list[int] = []
    monkeypatch.setattr(TokenBlock, "release", lambda self: released.append(id(self)))
    told: list[int] = []
    _search(QUERIES, DOCUMENTS, 5, size=100, advance=told.append)
    assert told == [1, 1, 1]
    assert len(released) == 6  # three to propose, three to score
    _search(QUERIES, DOCUMENTS, 300, size=100, advance=told.append)
    assert told == [1] * 6
    queries, documents = _close(600, 11, 1e-7)  # searched more than once
    _search(queries, documents, 10, size=200, advance=told.append)
    assert told == [1] * 9


@pytest.mark.dense
@pytest.mark.parametrize("name", ["maxsim", "mean_maxsim"])
def test_scores_are_those_of_sentence_transformers(name: str) -> None:
    similarity: Any = pytest.importorskip("sentence_transformers.util.similarity")
    theirs: Sequence[Sequence[float]] = getattr(similarity, name)(QUERIES, DOCUMENTS).numpy()
    found = _search(QUERIES, DOCUMENTS, 300, mean=name == "mean_maxsim")
    for row, (docs, values) in zip(theirs, found, strict=True):
        other = np.array(row)[docs]
        np.testing.assert_allclose(values, other, atol=1e-5)
        gaps = -np.diff(np.array(values))
        assert (-np.diff(other)[gaps > 2e-5] > 0).all()  # the same order wherever scores differ by so much
        assert (gaps > 2e-5).mean() > 0.9
