"""Span recall and precision: by hand, whatever the chunks, and on HeQ under three chunkings."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from beirkit.converters.catalog import convert
from beirkit.corpora.errors import DataError, UsageError
from beirkit.corpora.passages import PassageRules, split_passages
from beirkit.corpora.records import Document
from beirkit.corpora.run import Run
from beirkit.corpora.spans import SpanJudgment
from beirkit.evaluate.spans import Place, SpanScores, chunk_id, places_in, span_scores
from beirkit.evaluate.statistics.means import mean_of
from beirkit.retrievers.lexical.analyzer import AnalyzerOptions
from beirkit.retrievers.lexical.bm25 import BM25Options, BM25Retriever

SPANS = [SpanJudgment("q", "d", 10, 20), SpanJudgment("q", "d", 15, 25), SpanJudgment("q", "e", 0, 5)]


def scored(
    *chunks: tuple[str, int, int], cutoffs: tuple[int, ...] = (1, 5), characters: tuple[int, ...] = ()
) -> SpanScores:
    places = {chunk_id(*chunk): Place(*chunk) for chunk in chunks}
    ranked = {chunk_id(*chunk): float(len(chunks) - rank) for rank, chunk in enumerate(chunks)}
    run = Run.from_dict({"q": ranked})
    return span_scores(run, SPANS, places.__getitem__, cutoffs=cutoffs, characters=characters)


def test_by_hand() -> None:
    found = scored(("d", 0, 15), ("e", 3, 13), ("d", 12, 30))
    # of 20 span characters: 5 in the first chunk, then 15 of d and 2 of e in 30 + 10 of text
    assert found.recall == {"@1": {"q": 5 / 20}, "@5": {"q": 17 / 20}}
    assert found.precision == {"@1": {"q": 5 / 15}, "@5": {"q": 17 / 40}}
    assert found.queries == 1


def test_a_budget_of_characters_cuts_the_last_result_and_counts_text_once() -> None:
    found = scored(("d", 0, 15), ("d", 5, 18), ("e", 0, 9), cutoffs=(), characters=(12, 15, 17, 20, 99))
    assert found.recall == {
        "@12c": {"q": 2 / 20}, "@15c": {"q": 5 / 20}, "@17c": {"q": 7 / 20},
        "@20c": {"q": 10 / 20}, "@99c": {"q": 13 / 20},
    }  # fmt: skip
    assert found.precision["@99c"] == {"q": 13 / 27}


def test_a_query_without_results_scores_0_and_one_without_spans_not_at_all() -> None:
    run = Run.from_dict({"other": {"d": 1.0}})
    found = span_scores(run, SPANS, {"d": Place("d", 0, 9)}.__getitem__, cutoffs=(1,))
    assert found.recall == found.precision == {"@1": {"q": 0.0}}


@given(
    st.lists(st.tuples(st.integers(0, 30), st.integers(1, 20), st.integers(0, 20)), min_size=1, max_size=6)
)
def test_splitting_a_chunk_changes_nothing_at_equal_characters(
    drawn: list[tuple[int, int, int]],
) -> None:
    whole = {(start, start + length): min(cut, length) for start, length, cut in drawn}
    halves = [
        part
        for (start, end), cut in whole.items()
        for part in ((start, start + cut), (start + cut, end))
        if part[0] < part[1]
    ]
    halves = list(dict.fromkeys(halves))
    one = scored(*(("d", *chunk) for chunk in whole), cutoffs=(len(whole),), characters=(7, 25))
    other = scored(*(("d", *chunk) for chunk in halves), cutoffs=(len(halves),), characters=(7, 25))
    assert list(one.recall[f"@{len(whole)}"].values()) == list(other.recall[f"@{len(halves)}"].values())
    assert list(one.precision[f"@{len(whole)}"].values()) == list(other.precision[f"@{len(halves)}"].values())
    for budget in ("@7c", "@25c"):
        assert one.recall[budget] == other.recall[budget]
    assert 0 <= one.recall["@7c"]["q"] <= one.recall["@25c"]["q"] <= 1


def test_places_of_passages_documents_and_own_chunks() -> None:
    documents = [
        Document("d#0", "", "abc", {"doc": "d", "start": 4, "end": 7}),
        Document("e", "", "abcdef"),
        Document("f#1-2", "", "xy"),
    ]
    places = places_in(documents, ["d#0", "e", "e#1-3", "f#1-2"])
    assert places == {
        "d#0": Place("d", 4, 7), "e": Place("e", 0, 6),
        "e#1-3": Place("e", 1, 3), "f#1-2": Place("f#1-2", 0, 2),
    }  # fmt: skip
    # a chunk of a document of which there are passages only
    documents += [Document("d#1", "", "defg", {"doc": "d", "start": 6, "end": 10})]
    assert places_in([*documents, documents[0]], ["d#2-10"]) == {"d#2-10": Place("d", 2, 10)}
    for wrong in ("e#3-9", "e#3-3", "d#2-11", "g#0-1", "g"):
        with pytest.raises(DataError, match=f"'{wrong}' is no document"):
            places_in(documents, [wrong])


def test_wrong_use() -> None:
    with pytest.raises(UsageError, match="1 or more"):
        scored(("d", 0, 1), cutoffs=(0,))
    with pytest.raises(UsageError, match="1 or more"):
        scored(("d", 0, 1), cutoffs=())
    with pytest.raises(DataError, match="no query has a span"):
        span_scores(Run.from_dict({"q": {"d": 1.0}}), [], lambda doc_id: Place(doc_id, 0, 1))


def test_three_chunkings_of_heq(shared: Path) -> None:
    """At equal numbers of results large chunks cover most, at equal characters those of 200 with overlap."""
    whole = convert("squad", shared / "data" / "heq_he" / "raw", {"spans": True})
    (split,) = whole.splits
    assert sum(1 for _ in whole.spans[split]()) == 1769
    found = {}
    for size, overlap in ((200, 0), (200, 50), (400, 80)):
        chunks = split_passages(whole, PassageRules(size=size, overlap=overlap, judgments="overlap"))
        assert list(chunks.spans[split]()) == list(whole.spans[split]())
        retriever = BM25Retriever(BM25Options(analyzer=AnalyzerOptions(language="hebrew")))
        retriever.index(chunks.documents())
        run = retriever.search(whole.queries(), 50)
        places = places_in(chunks.documents(), run.doc_ids)
        scores = span_scores(
            run, whole.spans[split](), places.__getitem__, cutoffs=(1, 10), characters=(400,)
        )
        assert scores.queries == 1058
        found[size, overlap] = tuple(
            round(mean_of(scores.recall[name].values()).mean, 4) for name in ("@1", "@10", "@400c")
        )
    assert found == {
        (200, 0): (0.6625, 0.8991, 0.7947),
        (200, 50): (0.6784, 0.9244, 0.8235),
        (400, 80): (0.8040, 0.9689, 0.8151),
    }


def test_splitting_the_chunks_of_heq_never_raises_recall(shared: Path) -> None:
    """Halves in the place of each chunk found: at equal characters the same, at equal numbers never more."""
    whole = convert("squad", shared / "data" / "heq_he" / "raw", {"spans": True})
    (split,) = whole.splits
    texts = {document.doc_id: document.text for document in whole.documents()}
    chunks = split_passages(whole, PassageRules(size=400, overlap=80, judgments="overlap"))
    retriever = BM25Retriever(BM25Options(analyzer=AnalyzerOptions(language="hebrew")))
    retriever.index(chunks.documents())
    found = retriever.search(whole.queries(), 10).ordered()
    places = places_in(chunks.documents(), found.doc_ids)
    halves: dict[str, dict[str, float]] = {}
    for query_id, ranked in found.lists():
        parts: dict[str, float] = halves.setdefault(query_id, {})
        for doc_id, _ in ranked:
            doc, start, end = places[doc_id]
            middle = (start + end) // 2
            for first, last in ((start, middle), (middle, end)):
                if first < last:
                    parts.setdefault(chunk_id(doc, first, last), float(-len(parts)))
    cut = Run.from_dict(halves)
    at = places_in(whole.documents(), cut.doc_ids)
    assert all(0 <= place.start < place.end <= len(texts[place.doc_id]) for place in at.values())
    names = ("@1", "@5", "@400c", "@1000c")
    one, other = (
        span_scores(run, whole.spans[split](), where.__getitem__, cutoffs=(1, 5), characters=(400, 1000))
        for run, where in ((found, places), (cut, at))
    )
    for name in names:
        for query_id, recall in other.recall[name].items():
            assert recall <= one.recall[name][query_id], (name, query_id)
    for name in names[2:]:
        assert other.recall[name] == one.recall[name]
        assert other.precision[name] == one.precision[name]
