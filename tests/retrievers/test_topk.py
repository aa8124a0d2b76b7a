from __future__ import annotations

from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from beirkit.corpora.run import id_ranks, ranking_order
from beirkit.retrievers.topk import top_k

IDS = ["a", "b", "c", "d", "é", "Z"]
RANKS = id_ranks(IDS)


def _top(scores: list[float], k: int, above: float | None = None) -> list[tuple[str, float]]:
    docs, found = top_k(np.array(scores, dtype=np.float32), RANKS, k, above=above)
    assert docs.dtype == np.int32
    assert found.dtype == np.float32
    return [(IDS[doc], score) for doc, score in zip(docs.tolist(), found.tolist(), strict=True)]


def test_best_first_and_ties_by_id_descending() -> None:
    assert _top([1, 2, 2, 0, 2, 3], 6) == [("Z", 3), ("é", 2), ("c", 2), ("b", 2), ("a", 1), ("d", 0)]


def test_a_tie_at_the_border_keeps_the_greatest_ids() -> None:
    assert _top([1, 1, 1, 1, 1, 2], 3) == [("Z", 2), ("é", 1), ("d", 1)]


def test_k_may_exceed_the_documents() -> None:
    assert len(_top([1, 2, 3, 4, 5, 6], 1000)) == 6


def test_above_leaves_out_what_is_equal() -> None:
    assert _top([0, 1, 0, 2, -1, 0], 10, above=0.0) == [("d", 2), ("b", 1)]
    assert _top([0, 0, 0, 0, 0, 0], 10, above=0.0) == []


@given(
    st.lists(st.sampled_from([-1.5, 0.0, 0.25, 1.0, 1.0000001, 7.0]), min_size=1, max_size=40),
    st.integers(1, 50),
    st.sampled_from([None, -2.0, 0.0, 1.0]),
    st.randoms(use_true_random=False),
)
def test_equals_the_head_of_the_whole_list(
    values: list[float], k: int, above: float | None, random: Random
) -> None:
    ids = [f"d{i}" for i in range(len(values))]
    random.shuffle(ids)
    ranks = id_ranks(ids)
    scores = np.array(values, dtype=np.float32)
    whole = ranking_order(scores, ranks)
    if above is not None:
        whole = whole[scores[whole] > above]
    docs, found = top_k(scores, ranks, k, above=above)
    assert docs.tolist() == whole[:k].tolist()
    assert found.tolist() == scores[whole[:k]].tolist()


@pytest.mark.parametrize("k", [1, 2, 5])
def test_no_documents(k: int) -> None:
    docs, scores = top_k(np.empty(0, np.float32), np.empty(0, np.int32), k)
    assert len(docs) == len(scores) == 0
