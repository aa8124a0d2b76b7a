from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from beirkit.corpora.errors import DataError
from beirkit.retrievers.lexical.postings import Postings


def _postings(**changes: Any) -> Postings:
    """Terms ``x`` in a and b, ``y`` in b and c, of four documents."""
    fields: dict[str, Any] = {
        "doc_ids": ["a", "b", "c", "d"],
        "vocabulary": {"x": 0, "y": 1},
        "indptr": np.array([0, 2, 4], dtype=np.int64),
        "docs": np.array([0, 1, 1, 2], dtype=np.int32),
        "weights": np.array([1.0, 1.0, 0.5, 2.0], dtype=np.float32),
        "statistics": {"documents": 4, "average_length": 1.5},
    }
    return Postings(**{**fields, **changes})


def _search(postings: Postings, terms: list[str], k: int = 10) -> list[tuple[str, float]]:
    docs, scores = postings.search(terms, k)
    assert docs.dtype == np.int32
    assert scores.dtype == np.float32
    return [(postings.doc_ids[doc], score) for doc, score in zip(docs.tolist(), scores.tolist(), strict=True)]


def test_sums_of_weights() -> None:
    assert _search(_postings(), ["x", "y"]) == [("c", 2.0), ("b", 1.5), ("a", 1.0)]
    assert _search(_postings(), ["x"]) == [("b", 1.0), ("a", 1.0)]
    assert _search(_postings(), ["x"], k=1) == [("b", 1.0)]


def test_a_repeated_term_counts_again() -> None:
    assert _search(_postings(), ["y", "x", "x", "x"]) == [("b", 3.5), ("a", 3.0), ("c", 2.0)]


@pytest.mark.parametrize("terms", [[], ["unknown"], ["unknown", "unknown"]])
def test_nothing_shared_nothing_found(terms: list[str]) -> None:
    assert _search(_postings(), terms) == []


def test_unknown_terms_change_nothing() -> None:
    assert _search(_postings(), ["unknown", "x", "other"]) == _search(_postings(), ["x"])


def test_a_match_of_weight_zero_is_returned_and_a_miss_is_not() -> None:
    postings = _postings(weights=np.array([0.0, 0.0, -1.0, 2.0], dtype=np.float32))
    assert _search(postings, ["x"]) == [("b", 0.0), ("a", 0.0)]
    assert _search(postings, ["x", "y"]) == [("c", 2.0), ("a", 0.0), ("b", -1.0)]


def test_what_absent_terms_add_goes_to_every_match() -> None:
    postings = _postings(absent=np.array([0.25, 0.5], dtype=np.float32))
    assert _search(postings, ["x", "y"]) == [("c", 2.75), ("b", 2.25), ("a", 1.75)]


def test_scores_do_not_depend_on_how_terms_are_numbered() -> None:
    rng = np.random.default_rng(7)
    weights = rng.random((40, 30)).astype(np.float32)
    terms = [f"t{i}" for i in range(40)]

    def built(order: list[int]) -> Postings:
        return Postings(
            doc_ids=[f"d{i}" for i in range(30)],
            vocabulary={terms[term]: number for number, term in enumerate(order)},
            indptr=np.arange(0, 40 * 30 + 1, 30, dtype=np.int64),
            docs=np.tile(np.arange(30, dtype=np.int32), 40),
            weights=np.concatenate([weights[term] for term in order]),
        )

    query = [terms[i] for i in rng.permutation(40)]
    one = built(list(range(40))).search(query, 30)
    other = built(rng.permutation(40).tolist()).search(query, 30)
    assert one[0].tobytes() == other[0].tobytes()
    assert one[1].tobytes() == other[1].tobytes()


@pytest.mark.parametrize("absent", [None, np.array([0.25, 0.5], dtype=np.float32)])
def test_saved_and_opened_it_is_the_same(tmp_path: Path, absent: Any) -> None:
    postings = _postings(doc_ids=["a", "é", "\ud800", 'q"\n'], absent=absent)
    postings.save(tmp_path / "deep" / "index")
    opened = Postings.load(tmp_path / "deep" / "index")
    assert isinstance(opened.docs, np.memmap)
    assert isinstance(opened.weights, np.memmap)
    assert opened.doc_ids == postings.doc_ids
    assert opened.vocabulary == postings.vocabulary
    assert opened.statistics == postings.statistics
    assert _search(opened, ["x", "y"]) == _search(postings, ["x", "y"])
    assert [path.name for path in (tmp_path / "deep").iterdir()] == ["index"]


def test_saving_twice_gives_the_same_bytes(tmp_path: Path) -> None:
    _postings().save(tmp_path / "one")
    _postings().save(tmp_path / "two")
    for path in (tmp_path / "one").iterdir():
        assert path.read_bytes() == (tmp_path / "two" / path.name).read_bytes()


def test_an_index_is_never_overwritten(tmp_path: Path) -> None:
    _postings().save(tmp_path / "index")
    with pytest.raises(DataError, match="index: is there already"):
        _postings().save(tmp_path / "index")


def test_a_failed_save_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(np, "save", full)
    with pytest.raises(OSError, match="No space left"):
        _postings().save(tmp_path / "index")
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_no_index_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="is no complete index"):
        Postings.load(tmp_path)
    _postings().save(tmp_path / "index")
    (tmp_path / "index" / "docs.npy").write_bytes(b"\x93NUMPY")
    with pytest.raises(DataError, match="is no complete index"):
        Postings.load(tmp_path / "index")


def test_an_index_of_another_format_is_refused(tmp_path: Path) -> None:
    _postings().save(tmp_path / "index")
    (tmp_path / "index" / "manifest.json").write_text(json.dumps({"format": 99, "statistics": {}}))
    with pytest.raises(DataError, match="is an index of format 99, not 1"):
        Postings.load(tmp_path / "index")
