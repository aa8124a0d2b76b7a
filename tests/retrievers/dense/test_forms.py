"""Vectors cut short and kept in fewer bits: what is lost, and that nothing else is."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from beirkit.corpora.errors import ConfigError, UsageError
from beirkit.corpora.records import Document, Query
from beirkit.retrievers.base import Workplace
from beirkit.retrievers.dense.encoder import Role, Vectors
from beirkit.retrievers.dense.forms import Precision, decode, encode
from beirkit.retrievers.dense.retriever import DenseOptions, DenseRetriever
from beirkit.retrievers.dense.vectors import unit
from tests.retrievers.dense.known import KnownVectors

N, DIM = 300, 64


def _vectors(n: int, seed: int, dim: int = DIM) -> Vectors:
    return unit(np.random.default_rng(seed).standard_normal((n, dim)).astype(np.float32))


DOCS, QUERIES = _vectors(N, 1), _vectors(20, 2)


def _retriever(cache: Path | None = None, **options: Any) -> DenseRetriever:
    encoder = KnownVectors(DOCS, QUERIES, similarity=options.pop("similarity_of_encoder", "cosine"))
    place = Workplace(cache=cache)
    made = DenseRetriever(DenseOptions(model=[], **options), place, encoder=encoder)
    made.index([Document(f"d{n}", text=str(n)) for n in range(N)])
    return made


def _search(retriever: DenseRetriever, k: int = 10) -> dict[str, list[tuple[str, float]]]:
    return dict(retriever.search([Query(f"q{n}", str(n)) for n in range(len(QUERIES))], k).lists())


def _expected(docs: Vectors, queries: Vectors, k: int = 10) -> dict[str, list[str]]:
    scores = queries.astype(np.float64) @ docs.astype(np.float64).T
    return {f"q{n}": [f"d{d}" for d in np.argsort(-row, kind="stable")[:k]] for n, row in enumerate(scores)}


def _ids(found: dict[str, list[tuple[str, float]]]) -> dict[str, list[str]]:
    return {query: [doc for doc, _ in row] for query, row in found.items()}


@pytest.mark.parametrize(
    ("precision", "shape", "dtype", "cosine"),
    [
        ("float32", (N, DIM), np.float32, 1.0),
        ("float16", (N, DIM), np.float16, 0.999999),
        ("int8", (N, DIM + 4), np.int8, 0.9999),
        ("binary", (N, DIM // 8), np.uint8, 0.7),
    ],
)
def test_codes_keep_most_of_a_vector(
    precision: Precision, shape: tuple[int, int], dtype: type, cosine: float
) -> None:
    codes = encode(DOCS, precision)
    assert codes.shape == shape
    assert codes.dtype == np.dtype(dtype)
    back = decode(codes, precision, DIM)
    assert back.dtype == np.float32
    assert (unit(back) * DOCS).sum(axis=1).min() > cosine - 1e-6


def test_int8_has_a_scale_for_each_vector() -> None:
    vectors = np.array([[1.0, -0.5, 0.25], [100.0, 0.0, -100.0], [0.0, 0.0, 0.0]], dtype=np.float32)
    codes = encode(vectors, "int8")
    assert codes[:, :3].tolist() == [[127, -64, 32], [127, 0, -127], [0, 0, 0]]
    np.testing.assert_allclose(decode(codes, "int8", 3), vectors, rtol=0.01)
    alone = np.concatenate([encode(row[None], "int8") for row in vectors])
    assert alone.tolist() == codes.tolist(), "no vector depends on another"


def test_binary_codes_of_dimensions_that_fill_no_byte() -> None:
    vectors = np.array([[1.0, -2.0, 0.0], [-1.0, 3.0, 4.0]], dtype=np.float32)
    codes = encode(vectors, "binary")
    assert codes.tolist() == [[0b10000000], [0b01100000]]
    third = 1 / np.sqrt(3)
    np.testing.assert_allclose(
        decode(codes, "binary", 3), [[third, -third, -third], [-third, third, third]], rtol=1e-6
    )


@pytest.mark.parametrize("dim", [1, 16, DIM])
def test_vectors_are_cut_and_made_unit_length_again(dim: int) -> None:
    retriever = _retriever(truncate_dim=dim)
    found = _search(retriever)
    if dim > 1:
        assert _ids(found) == _expected(unit(DOCS[:, :dim]), unit(QUERIES[:, :dim]))
    assert max(score for row in found.values() for _, score in row) <= 1.000001
    assert retriever.report()["dimensions"] == dim
    assert retriever.costs()["index_bytes"] == N * dim * 4


def test_inner_products_of_cut_vectors_are_not_made_cosines() -> None:
    found = _search(_retriever(truncate_dim=16, similarity_of_encoder="dot"))
    scores = QUERIES[:, :16].astype(np.float64) @ DOCS[:, :16].astype(np.float64).T
    assert found["q0"][0][1] == pytest.approx(scores[0].max(), abs=1e-6)


@pytest.mark.parametrize("precision", ["float16", "int8"])
def test_documents_in_fewer_bits_are_compared_as_they_are_kept(precision: Precision, tmp_path: Path) -> None:
    retriever = _retriever(tmp_path, precision=precision)
    found = _search(retriever)
    kept = decode(encode(DOCS, precision), precision, DIM)
    assert _ids(found) == _expected(kept, QUERIES)
    assert retriever.report()["recall_against_exact"]["10"] > 0.97
    assert retriever.costs()["index_bytes"] == N * {"float16": DIM * 2, "int8": DIM + 4}[precision]


def test_binary_vectors_are_found_by_their_bits() -> None:
    bits, asked = DOCS > 0, QUERIES > 0
    agree = (bits[None] == asked[:, None]).sum(axis=2)
    found = _search(_retriever(precision="binary", rescore=0), k=N)
    for n, row in enumerate(found.values()):
        for doc, score in row:
            assert score == pytest.approx(2 * agree[n, int(doc[1:])] / DIM - 1, abs=1e-6)
        order = [(-score, [-byte for byte in doc.encode()]) for doc, score in row]
        assert [score for score, _ in order] == sorted(score for score, _ in order)


def test_binary_candidates_are_scored_again_with_the_whole_query() -> None:
    retriever = _retriever(precision="binary")
    found = _search(retriever, k=5)
    whole = _expected(decode(encode(DOCS, "binary"), "binary", DIM), QUERIES, k=N)
    agree = ((DOCS > 0)[None] == (QUERIES > 0)[:, None]).sum(axis=2)
    for n, (query, row) in enumerate(found.items()):
        # Of four times as many candidates by bits, the best by the float32 query are in order.
        border = np.sort(agree[n])[-20]
        surely = {f"d{d}" for d in np.flatnonzero(agree[n] > border)}
        got = [doc for doc, _ in row]
        assert got == [doc for doc in whole[query] if doc in got]
        assert {doc for doc in whole[query][:5] if doc in surely} <= set(got)
    plain = _retriever(precision="binary", rescore=0)
    _search(plain, k=5)
    better, worse = (r.report()["recall_against_exact"]["5"] for r in (retriever, plain))
    assert better > worse


def test_a_model_is_run_once_for_all_forms(tmp_path: Path) -> None:
    calls = []
    for options in ({}, {"truncate_dim": 16}, {"precision": "int8"}, {"precision": "binary"}, {}):
        retriever = _retriever(tmp_path, **options)
        _search(retriever)
        assert isinstance(retriever.encoder, KnownVectors)
        calls.append(retriever.encoder.calls)
    assert calls == [2, 0, 0, 0, 0]


def test_forms_never_meet_each_others_vectors(tmp_path: Path) -> None:
    options: list[dict[str, Any]] = [
        {}, {"truncate_dim": 16}, {"truncate_dim": 32}, {"precision": "int8"}, {"precision": "float16"},
        {"precision": "int8", "truncate_dim": 16},
    ]  # fmt: skip
    alone = [_search(_retriever(**each)) for each in options]
    for _ in range(2):
        assert [_search(_retriever(tmp_path, **each)) for each in options] == alone


def test_recall_is_told_and_kept(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO):
        retriever = _retriever(precision="binary", rescore=0)
        _search(retriever, k=100)
    told = retriever.report()["recall_against_exact"]
    assert set(told) == {"10", "100"}
    expected = (
        f"precision binary: recall against exact search {told['10']:.4f} at 10, {told['100']:.4f} at 100"
    )
    assert expected in caplog.messages
    assert "recall_against_exact" not in _retriever().report()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"truncate_dim": 0}, "truncate_dim is 0"),
        ({"rescore": 3}, "rescore means nothing where every document is compared"),
        ({"precision": "int8", "rescore": 3}, "rescore means nothing"),
        ({"precision": "binary", "rescore": -1}, "rescore is -1"),
        ({"index": "Flat", "precision": "int8"}, "precision int8 and index do not go together"),
        ({"parameters": {"nprobe": 3}}, "parameters are an index's, and there is none"),
    ],
)
def test_options_that_do_not_go_together_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        DenseRetriever(DenseOptions(model="m", **options))


def test_more_dimensions_than_there_are(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="truncate_dim is 65, and the model gives 64"):
        _retriever(truncate_dim=65)


def test_a_zero_vector_stays_zero_in_every_form() -> None:
    def vector(text: str, role: Role) -> list[float]:
        return [0.0, 0.0] if text == "nothing" else [3.0, 4.0]

    from tests.faults.stubs import Stub

    for precision in ("float32", "float16", "int8"):
        options = DenseOptions(model=[], precision=precision, truncate_dim=1)
        retriever = DenseRetriever(options, encoder=Stub(vector))
        retriever.index([Document("a", text="x"), Document("z", text="nothing")])
        found = dict(retriever.search([Query("q", "x")], 2).lists())["q"]
        assert [doc for doc, _ in found] == ["a", "z"]
        assert found[1][1] == 0.0
