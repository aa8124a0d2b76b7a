"""The retriever around a model: what is kept, what is refused, what is told."""

from __future__ import annotations

import json
import logging
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from beirkit.configs.schema import RetrieverConfig
from beirkit.corpora.errors import DataError, UsageError
from beirkit.corpora.progress import Advance
from beirkit.corpora.records import Document, Query
from beirkit.retrievers.base import Retriever, Workplace
from beirkit.retrievers.catalog import create
from beirkit.retrievers.dense.encoder import Role
from beirkit.retrievers.late import kept, retriever
from beirkit.retrievers.late.encoder import LateModel, TokenVectors

TINY = Path(__file__).parents[2] / "fixtures" / "models" / "tiny-late"
DOCUMENTS = [Document(f"d{n}", "", f"a{n % 3} b{n} c") for n in range(10)]
QUERIES = [Query("q1", "a1 b4"), Query("q2", "a2"), Query("none", ""), Query("q3", "b9 c")]

Encoded = list[str]


def _vector(word: str) -> list[float]:
    if word in ("nan", "huge"):
        return [float("nan") if word == "nan" else 1e6] * 4
    number = int(word[1:] or 0)
    return [float(word[0] == "a") * (number + 1), float(word[0] == "b") * (number + 1), word[0] == "c", 0.5]


@pytest.fixture
def encoded(monkeypatch: pytest.MonkeyPatch) -> Encoded:
    """Puts a model in place of the real one; the list is of the texts that it encoded."""
    seen: list[str] = []

    def encode(model: LateModel, texts: Sequence[str], role: Role, advance: Advance) -> TokenVectors:
        if "stop" in texts:
            raise KeyboardInterrupt
        seen.extend(texts)
        advance(len(texts))
        words = [text.split() for text in texts]
        rows = [_vector(word) for row in words for word in row]
        vectors = np.array(rows, dtype=np.float32).reshape(-1, 4)
        truncated = sum(len(row) > 2 for row in words)
        return TokenVectors(np.array([len(row) for row in words]), vectors, 2, truncated)

    monkeypatch.setattr(LateModel, "encode", encode)
    monkeypatch.setattr(kept, "BLOCK", 4)
    monkeypatch.setattr(retriever, "BLOCK", 4)
    return seen


def _make(cache: Path | None = None, **options: Any) -> Retriever[Any]:
    config = RetrieverConfig(name="late", kind="late", options={"model": str(TINY), **options})
    return create(config, Workplace(device="cpu", offline=True, cache=cache))


def test_scores_are_sums_of_greatest_products(encoded: Encoded) -> None:
    late = _make()
    late.index(DOCUMENTS)
    found = dict(late.search(QUERIES, 3).lists())
    # a1 = (2, 0, 0, .5) with a0, a2, a1: 2.25, 6.25, 4.25
    # b4 = (0, 5, 0, .5) with b9, b8, b7: 50.25, 45.25, 40.25
    assert found["q1"] == [("d9", 52.5), ("d8", 51.5), ("d7", 44.5)]
    assert found["none"] == []
    assert found["q3"][0] == ("d9", 100.25 + 1.25)


def test_a_mean_is_over_the_vectors_of_the_query(encoded: Encoded) -> None:
    one, other = _make(), _make(similarity="meanmaxsim")
    for late in (one, other):
        late.index(DOCUMENTS)
    sums, means = dict(one.search(QUERIES, 10).lists()), dict(other.search(QUERIES, 10).lists())
    assert [(doc, score / 2) for doc, score in sums["q1"]] == means["q1"]
    assert sums["q2"] == means["q2"]


def test_a_killed_run_is_taken_up_where_it_ended(encoded: Encoded, tmp_path: Path) -> None:
    stopped = [*DOCUMENTS[:9], Document("d9", "", "stop")]
    with pytest.raises(KeyboardInterrupt):
        _make(tmp_path).index(stopped)
    assert len(encoded) == 8  # two blocks of four
    encoded.clear()
    late = _make(tmp_path)
    late.index(DOCUMENTS)
    assert encoded == ["a2 b8 c", "a0 b9 c"]
    assert late.costs()["from_store"] == {"document": 8}
    whole = _make()
    whole.index(DOCUMENTS)
    assert list(late.search(QUERIES, 10).lists()) == list(whole.search(QUERIES, 10).lists())


def test_a_second_start_encodes_nothing(encoded: Encoded, tmp_path: Path) -> None:
    for start in range(2):
        late = _make(tmp_path)
        late.index(DOCUMENTS)
        late.search(QUERIES, 3)
        assert late.costs()["from_store"] == {"document": 10 * start, "query": 4 * start}
    assert len(encoded) == 14


@pytest.mark.parametrize(
    ("options", "documents", "queries"),
    [
        ({"prompts": {"query": "find: "}}, 0, 4),
        ({"prompts": {"document": "this: "}}, 10, 0),
        ({"query_length": 16}, 0, 4),
        ({"document_length": 16}, 10, 0),
        ({"projection": "none"}, 10, 4),
        ({"batch_size": 8}, 10, 4),
        ({"similarity": "meanmaxsim"}, 0, 0),
    ],
)
def test_what_changes_vectors_encodes_anew(
    options: dict[str, Any], documents: int, queries: int, encoded: Encoded, tmp_path: Path
) -> None:
    first = _make(tmp_path)
    first.index(DOCUMENTS)
    first.search(QUERIES, 3)
    encoded.clear()
    second = _make(tmp_path, **options)
    second.index(DOCUMENTS)
    assert len(encoded) == documents
    second.search(QUERIES, 3)
    assert len(encoded) == documents + queries


def test_half_precision_is_made_from_what_is_kept(encoded: Encoded, tmp_path: Path) -> None:
    _make(tmp_path).index(DOCUMENTS)
    late, alone = _make(tmp_path, precision="float16"), _make(precision="float16")
    late.index(DOCUMENTS)
    assert len(encoded) == 10
    assert late.costs()["from_store"] == {"document": 10}
    alone.index(DOCUMENTS)
    assert list(late.search(QUERIES, 10).lists()) == list(alone.search(QUERIES, 10).lists())
    assert late.report() == alone.report()
    _make(tmp_path / "other", precision="float16").index(DOCUMENTS)
    encoded.clear()
    _make(tmp_path / "other").index(DOCUMENTS)
    assert len(encoded) == 10  # more digits than are kept are not to be had


def test_a_changed_text_or_model_encodes_anew(encoded: Encoded, tmp_path: Path) -> None:
    folder = tmp_path / "model"
    shutil.copytree(TINY, folder)
    _make(tmp_path / "cache", model=str(folder)).index(DOCUMENTS)
    encoded.clear()
    changed = [*DOCUMENTS[:5], Document("d5", "", "a7"), *DOCUMENTS[6:]]
    _make(tmp_path / "cache", model=str(folder)).index(changed)
    assert encoded == ["a1 b4 c", "a7", "a0 b6 c", "a1 b7 c"]  # its block, not the others
    encoded.clear()
    (folder / "model.safetensors").write_bytes(b"other weights")
    _make(tmp_path / "cache", model=str(folder)).index(DOCUMENTS)
    assert len(encoded) == 10


def test_a_damaged_block_is_made_again(encoded: Encoded, tmp_path: Path) -> None:
    _make(tmp_path).index(DOCUMENTS)
    encoded.clear()
    path = sorted((tmp_path / "tokens").rglob("*.npy"))[0]
    path.write_bytes(path.read_bytes()[:-3] + b"abc")
    _make(tmp_path).index(DOCUMENTS)
    assert 2 <= len(encoded) <= 4


def test_half_precision_halves_the_bytes(encoded: Encoded) -> None:
    sizes = []
    for precision in ("float32", "float16"):
        late = _make(precision=precision)
        late.index(DOCUMENTS)
        sizes.append(late.costs()["index_bytes"])
    assert sizes == [30 * 4 * 4, 30 * 4 * 2]


def test_vectors_that_are_not_finite_are_refused(encoded: Encoded) -> None:
    late = _make()
    with pytest.raises(DataError, match=r"NaN or infinity for 1 of 2 texts \(document 'bad'\)"):
        late.index([DOCUMENTS[0], Document("bad", "", "a1 nan")])
    late.index(DOCUMENTS)
    with pytest.raises(DataError, match=r"NaN or infinity for 1 of 1 texts \(query 'q'\)"):
        late.search([Query("q", "nan")], 3)
    with pytest.raises(DataError, match=r"too great for float16.*precision: float32"):
        _make(precision="float16").index([Document("big", "", "huge")])


def test_scores_that_are_not_finite_are_refused(encoded: Encoded, monkeypatch: pytest.MonkeyPatch) -> None:
    vectors = {"document": [3e38, 0, 0, 0], "query": [3e38, 0, 0, 0]}
    monkeypatch.setattr(
        LateModel,
        "encode",
        lambda self, texts, role, advance: TokenVectors(
            np.ones(len(texts), dtype=np.int64), np.array([vectors[role]] * len(texts), dtype=np.float32)
        ),
    )
    late = _make()
    late.index([Document("d", "", "x")])
    with pytest.raises(DataError, match=r"greater than a float32 holds \(query 'q'\)"):
        late.search([Query("q", "x")], 1)


def test_the_report_counts(encoded: Encoded, caplog: pytest.LogCaptureFixture) -> None:
    late = _make()
    with caplog.at_level(logging.WARNING):
        late.index([*DOCUMENTS, Document("blank", " ", "")])
        late.search(QUERIES, 3)
    report = late.report()
    assert report["document"] == {
        "texts": 11, "vectors": 30, "vectors_per_text": 2.727, "without_vectors": 1, "max_length": 2,
        "truncated": 10, "truncated_share": 0.909091,
    }  # fmt: skip
    assert report["query"]["vectors"] == 5
    assert report["query"]["without_vectors"] == 1
    assert report["dimensions"] == 4
    assert "10 of 11 documents are longer than the 2 tokens" in caplog.text
    assert late.costs()["index_bytes"] == 30 * 4 * 4


def test_two_models_are_not_mixed(encoded: Encoded, monkeypatch: pytest.MonkeyPatch) -> None:
    late = _make()
    late.index(DOCUMENTS)
    shape = np.ones((1, 3), dtype=np.float32)
    monkeypatch.setattr(LateModel, "encode", lambda *_: TokenVectors(np.array([1]), shape))
    with pytest.raises(UsageError, match="two models were mixed"):
        late.search([Query("q", "x")], 1)


def test_it_is_a_stage_of_fusion_and_of_reranking(encoded: Encoded, tmp_path: Path) -> None:
    late = {"kind": "late", "options": {"model": str(TINY)}}
    scorer = tmp_path / "longest.py"
    scorer.write_text("def score(query, texts):\n    return [float(text.split()[1][1:]) for text in texts]\n")
    alone = _make()
    alone.index(DOCUMENTS)
    best = [doc for doc, _ in dict(alone.search(QUERIES, 3).lists())["q1"]]
    for options in (
        {"kind": "fusion", "options": {"members": [late, "bm25"], "method": "rrf"}},
        {"kind": "rerank", "options": {"retriever": late, "model": f"{scorer}:score", "depth": 3}},
    ):
        config = RetrieverConfig(name="pipeline", kind=str(options["kind"]), options=options["options"])  # type: ignore[arg-type] # a table
        pipeline = create(config, Workplace(device="cpu", offline=True, cache=tmp_path / "cache"))
        pipeline.index(DOCUMENTS)
        found = [doc for doc, _ in dict(pipeline.search(QUERIES, 3).lists())["q1"]]
        assert set(found) & set(best)
        if config.kind == "rerank":
            assert sorted(best, key=lambda doc: int(doc[1:]), reverse=True) == found


@pytest.mark.dense
def test_a_real_model_from_index_to_run(tiny_late: Path, tmp_path: Path) -> None:
    config = RetrieverConfig(name="late", kind="late", options={"model": str(tiny_late)})
    documents = [
        Document("d1", "owl", "hunts voles"),
        Document("d2", "", "the kestrel"),
        Document("é", "", ""),
    ]
    runs = []
    for _ in range(2):
        late = create(config, Workplace(device="cpu", offline=True, cache=tmp_path))
        late.index(documents)
        runs.append(dict(late.search([Query("q", "owl hunts voles"), Query("empty", "")], 10).lists()))
    assert runs[0] == runs[1]
    assert next(doc for doc, _ in runs[0]["q"]) == "d1"
    assert len(runs[0]["empty"]) == 3  # an empty text has its special tokens
    assert late.costs()["from_store"] == {"document": 3, "query": 2}
    report = json.loads(json.dumps(late.report()))
    assert report["query"]["vectors_per_text"] == 12
    assert report["dimensions"] == 16
