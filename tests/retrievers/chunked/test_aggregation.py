"""Aggregation of one query's passages, of scores of either sign, against the words of the documentation."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from beirkit.retrievers.chunked.aggregation import Ordinals, Scores, best_passages, mean_passages, surely_best
from beirkit.retrievers.chunked.reports import merged

SIZES = np.array([1, 2, 3, 4, 9], dtype=np.int32)

Found = list[tuple[int, float]]


@st.composite
def lists(draw: st.DrawFn) -> Found:
    """Passages of documents of :data:`SIZES`, each at most once, the best first; some scores are equal."""
    values = st.one_of(st.sampled_from([-1.0, 0.0, 0.5]), st.floats(-10, 10, width=32))
    found: Found = []
    for document, size in enumerate(SIZES.tolist()):
        found += [(document, draw(values)) for _ in range(draw(st.integers(0, size)))]
    return sorted(found, key=lambda one: -one[1])


def columns(found: Found) -> tuple[Ordinals, Scores]:
    documents = np.array([document for document, _ in found], dtype=np.int32)
    return documents, np.array([score for _, score in found], dtype=np.float32)


@given(lists(), st.one_of(st.none(), st.integers(1, 10)))
def test_means_are_those_of_the_list_filled_up_with_0(found: Found, top: int | None) -> None:
    documents, scores = columns(found)
    got, means, _ = mean_passages(documents, scores, SIZES, top)
    expected = {}
    for document in {document for document, _ in found}:
        own = [score for other, score in found if other == document]
        full = sorted(own + [0.0] * (int(SIZES[document]) - len(own)), reverse=True)[:top]
        expected[document] = float(np.float32(sum(full) / len(full)))
    assert dict(zip(got.tolist(), means.tolist(), strict=True)) == expected


@given(lists())
def test_the_best_is_the_first_of_its_document_in_the_list(found: Found) -> None:
    documents, scores = columns(found)
    best = best_passages(documents, scores)
    assert best[1].tolist() == [found[place][1] for place in best[2].tolist()]
    for got, _, places in (best, mean_passages(documents, scores, SIZES)):
        assert sorted(got.tolist()) == sorted({document for document, _ in found})
        for document, place in zip(got.tolist(), places.tolist(), strict=True):
            assert place == min(at for at, (other, _) in enumerate(found) if other == document)


@given(lists(), lists(), st.integers(1, 5))
def test_what_is_surely_best_stays_whatever_follows(found: Found, rest: Found, k: int) -> None:
    documents, scores = columns(found)
    if not surely_best(best_passages(documents, scores), scores, k):
        return
    last = found[-1][1]
    longer = found + [(document, min(score, last)) for document, score in rest]
    now = _first(found, k)
    assert len(now) == k
    assert _first(longer, k) == now


def _first(found: Found, k: int) -> list[tuple[int, float]]:
    docs, scores, _ = best_passages(*columns(found))
    pairs = zip(docs.tolist(), scores.tolist(), strict=True)
    return sorted(pairs, key=lambda one: (one[1], one[0]), reverse=True)[:k]


def test_no_passage_is_no_document() -> None:
    documents, scores = columns([])
    assert not surely_best(best_passages(documents, scores), scores, 1)
    for got, own, places in (best_passages(documents, scores), mean_passages(documents, scores, SIZES, 2)):
        assert len(got) == len(own) == len(places) == 0


def test_reports_of_several_searches_are_put_together() -> None:
    one = {"dimensions": 4, "query": {"texts": 3, "share": 0.5, "cut": ["a"], "note": None}, "recall": 0.5}
    two = {"dimensions": 4, "query": {"texts": 1, "share": 0.1, "cut": ["b"], "note": None}, "recall": 0.7}
    assert merged([one], [3]) == one
    assert merged([one, two], [3, 1]) == {
        "dimensions": 4,
        "query": {"texts": 4, "share": 0.4, "cut": ["a", "b"], "note": None},
        "searches": 2,
        "varying": ["recall"],
    }
    assert merged([{"queries_without_results": 2}] * 2, [3, 3])["queries_without_results"] == 4
    assert merged([], []) == {}
