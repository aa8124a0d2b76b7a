"""The run in memory: one ordering rule, columns that keep their meaning."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from beirkit.corpora.errors import DataError
from beirkit.corpora.run import Run, any_repeated, id_ranks, ranking_order

ids = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=4)
scores = st.floats(allow_nan=False, allow_infinity=False)
# Few distinct scores, so that ties are common.
tied = st.sampled_from([-1.5, 0.0, -0.0, 2.0, 20.000000001, 20.000000002])
runs = st.dictionaries(ids, st.dictionaries(ids, scores | tied, max_size=6), max_size=4)


def in_order(row: dict[str, float]) -> list[str]:
    """The rule, written down a second time: two stable sorts."""
    by_id = sorted(row, key=lambda doc_id: doc_id.encode("utf-8"), reverse=True)
    return sorted(by_id, key=lambda doc_id: row[doc_id], reverse=True)


@given(runs)
def test_dictionaries_survive(run: dict[str, dict[str, float]]) -> None:
    made = Run.from_dict(run, tag="t")
    assert made.to_dict() == run
    assert list(made.to_dict()) == list(run)
    assert (len(made), made.n_results, made.tag) == (len(run), sum(map(len, run.values())), "t")
    assert len(set(made.doc_ids)) == len(made.doc_ids)


@given(runs)
def test_order_is_score_then_id_both_descending(run: dict[str, dict[str, float]]) -> None:
    ordered = Run.from_dict(run).ordered()
    assert ordered.to_dict() == run
    for query_id, pairs in ordered.lists():
        assert [doc_id for doc_id, _ in pairs] == in_order(run[query_id])


@given(runs, st.randoms())
def test_order_does_not_depend_on_where_things_stood(run: dict[str, dict[str, float]], random: Any) -> None:
    turned: dict[str, dict[str, float]] = {}
    for query_id in random.sample(list(run), len(run)):
        turned[query_id] = {
            d: run[query_id][d] for d in random.sample(list(run[query_id]), len(run[query_id]))
        }
    straight, other = Run.from_dict(run).ordered(), Run.from_dict(turned).ordered()
    # == takes 0.0 and -0.0 for one score, as the rule does
    assert dict(straight.lists()) == dict(other.lists())


def test_ties_are_broken_by_utf8_bytes() -> None:
    # U+FF21 precedes U+1F600 in UTF-8 and in code points, not in UTF-16.
    names = ["z", "Z", "é", "e", "\uff21", "\U0001f600", "10", "9", "a", "aa"]
    [(_, pairs)] = Run.from_dict({"q": dict.fromkeys(names, 1.0)}).ordered().lists()
    assert [doc_id for doc_id, _ in pairs] == [
        "\U0001f600",
        "\uff21",
        "é",
        "z",
        "e",
        "aa",
        "a",
        "Z",
        "9",
        "10",
    ]
    assert id_ranks(["b", "é", "a"]).tolist() == [1, 0, 2]
    assert id_ranks([]).dtype == np.int32


def test_precision_decides_what_ties() -> None:
    run = Run.from_dict({"q": {"a": 20.000000002, "b": 20.000000001}})
    assert [doc for doc, _ in next(run.ordered().lists())[1]] == ["a", "b"]
    assert [doc for doc, _ in next(run.ordered("float32").lists())[1]] == ["b", "a"]
    assert run.ordered("float32").to_dict() == run.to_dict()  # compared rounded, kept whole
    huge = Run.from_dict({"q": {"a": 1e300, "b": 1e200, "c": 1.0}})
    assert [doc for doc, _ in next(huge.ordered("float32").lists())[1]] == ["b", "a", "c"]


def test_the_order_of_several_queries() -> None:
    order = ranking_order(
        np.array([1.0, 2.0, 5.0, 5.0]), np.array([0, 1, 1, 0], dtype=np.int32), np.array([0, 0, 1, 1])
    )
    assert order.tolist() == [1, 0, 3, 2]


@given(runs, st.integers(0, 5))
def test_top_keeps_the_first_of_each_list(run: dict[str, dict[str, float]], k: int) -> None:
    top = Run.from_dict(run).ordered().top(k)
    assert list(top.query_ids) == list(run)
    for query_id, pairs in top.lists():
        assert [doc_id for doc_id, _ in pairs] == in_order(run[query_id])[:k]


@given(runs, st.sets(ids))
def test_select_keeps_whole_lists(run: dict[str, dict[str, float]], wanted: set[str]) -> None:
    chosen = wanted | set(list(run)[::2])
    assert Run.from_dict(run).select(chosen).to_dict() == {q: row for q, row in run.items() if q in chosen}


def test_keep_leaves_queries_that_lose_everything() -> None:
    run = Run.from_dict({"q1": {"a": 2.0, "b": 1.0}, "q2": {}, "q3": {"a": 3.0}})
    kept = run.keep(np.array([False, True, False]))
    assert kept.to_dict() == {"q1": {"b": 1.0}, "q2": {}, "q3": {}}
    assert kept.keep(np.array([False])).ordered().top(3).to_dict() == {"q1": {}, "q2": {}, "q3": {}}
    assert run.to_dict()["q1"] == {"a": 2.0, "b": 1.0}  # the run itself is unchanged


def test_ranks_are_known_again_after_a_cut() -> None:
    run = Run.from_dict({"q": {"a": 1.0, "b": 1.0}}).ordered()
    cut = run.top(1)
    assert cut.ranks is run.ranks
    assert cut.ranks.tolist() == id_ranks(cut.doc_ids).tolist()


def test_an_empty_run() -> None:
    run = Run.from_dict({})
    assert (len(run), run.n_results, run.to_dict()) == (0, 0, {})
    assert run.ordered().top(10).select(["q"]).to_dict() == {}
    assert Run.from_lists([], [], [], []).n_results == 0


def test_lists_of_a_retriever_stay_float32() -> None:
    run = Run.from_lists(
        ["q1", "q2"],
        ["a", "b", "c"],
        [np.array([2, 0], dtype=np.int32), np.array([], dtype=np.int32)],
        [np.array([0.1, 0.2], dtype=np.float32), np.array([], dtype=np.float32)],
        tag="bm25",
    )
    assert run.scores.dtype == np.float32
    assert run.ordered().scores.dtype == np.float32
    assert [doc for doc, _ in next(run.ordered().lists())[1]] == ["a", "c"]
    assert run.results(1)[0].tolist() == []


@pytest.mark.parametrize("score", [3, 3.0, np.float16(3), np.float32(3), np.int64(3), np.array(3.0)])
def test_numbers_of_every_kind_are_scores(score: Any) -> None:
    run = Run.from_dict({"q": {"a": score}})
    assert run.to_dict() == {"q": {"a": 3.0}}
    assert type(run.to_dict()["q"]["a"]) is float


@pytest.mark.parametrize(
    "score", ["3.0", b"3", None, True, [3.0], 3 + 1j, 10**400, np.array([1.0]), np.str_("3")]
)
def test_anything_else_is_refused_with_the_pair(score: Any) -> None:
    with pytest.raises(DataError, match=r"the score of q7/a is .*, not a number"):
        Run.from_dict({"q7": {"b": 1.0, "a": score}})


def test_scores_that_are_not_finite_are_named() -> None:
    with pytest.raises(DataError, match="1 scores are not finite numbers: q/a = nan"):
        Run.from_dict({"q": {"a": math.nan, "b": 1.0}})
    with pytest.raises(DataError, match="2 scores are not finite numbers: q/a = -inf, r/c = inf"):
        Run.from_dict({"q": {"a": -math.inf, "b": 1.0}, "r": {"c": np.float32("inf")}})


def test_ids_must_be_texts() -> None:
    with pytest.raises(DataError, match="query id 7 is not a string"):
        Run.from_dict({7: {"a": 1.0}})  # type: ignore[dict-item]  # what a caller without types may pass
    with pytest.raises(DataError, match="query 'q': document id 7 is not a string"):
        Run.from_dict({"q": {7: 1.0}})  # type: ignore[dict-item]  # the same


def test_columns_that_do_not_fit_are_refused() -> None:
    docs, found = np.zeros(2, dtype=np.int32), np.zeros(2)
    with pytest.raises(ValueError, match="1 queries need 2 offsets"):
        Run(["q"], ["a"], np.array([0, 1, 2]), docs, found)
    with pytest.raises(ValueError, match="must agree"):
        Run(["q"], ["a"], np.array([0, 3]), docs, found)


@given(runs)
def test_a_frame_holds_the_ranking(run: dict[str, dict[str, float]]) -> None:
    pytest.importorskip("pandas")
    frame = Run.from_dict(run).to_frame()
    assert list(frame.columns) == ["query_id", "doc_id", "score", "rank"]
    rebuilt: dict[str, list[str]] = {}
    for query_id, doc_id, score, rank in frame.itertuples(index=False):
        row = rebuilt.setdefault(query_id, [])
        row.append(doc_id)
        assert rank == len(row)
        assert score == run[query_id][doc_id]
    assert rebuilt == {query_id: in_order(row) for query_id, row in run.items() if row}


def test_queries_without_results_can_be_added() -> None:
    run = Run.from_dict({"b": {"d": 1.0}})
    assert run.including(["a", "b", "c"]).to_dict() == {"b": {"d": 1.0}, "a": {}, "c": {}}
    assert run.including(["b"]) is run


@pytest.mark.parametrize("size", [1, 5, 63, 64, 200])
def test_a_document_that_stands_twice_in_a_list_is_seen(size: int) -> None:
    docs = np.tile(np.arange(size, dtype=np.int32)[::-1], 3)
    offsets = np.array([0, size, size, 2 * size, 3 * size])
    assert not any_repeated(docs, offsets)  # in three lists is not twice
    if size > 1:
        docs[-1] = docs[-2]
        assert any_repeated(docs, offsets)
    assert not any_repeated(docs[:0], np.array([0]))
