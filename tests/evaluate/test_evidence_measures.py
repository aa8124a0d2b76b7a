"""SpanRecall@k, SpanPrecision@k and PageRprec: by hand, and as the measures of a run and of its file."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from beirkit.corpora.errors import DataError, UsageError
from beirkit.corpora.records import Document, Query
from beirkit.corpora.run import Run
from beirkit.corpora.spans import SpanJudgment
from beirkit.evaluate import evaluate
from beirkit.evaluate.evidence import Evidence
from beirkit.evaluate.scores import Scores
from beirkit.evaluate.spans import places_in, span_scores

TEXT = "x" * 40
DOCUMENTS = [
    Document("d", "", TEXT),
    Document("d#0", "", TEXT[:15], {"doc": "d", "start": 0, "end": 15}),
    Document("d#1", "", TEXT[12:30], {"doc": "d", "start": 12, "end": 30}),
    Document("e", "", "y" * 10),
]
SPANS = [SpanJudgment("q", "d", 10, 20), SpanJudgment("q", "e", 0, 5), SpanJudgment("lost", "e", 0, 5)]
QRELS = {"q": {"d#0": 2, "e": 1}, "lost": {"e": 1}, "without": {"d": 1}}
LISTS = {"q": {"d#0": 3.0, "e": 2.0, "d#1": 1.0}, "without": {"d": 1.0}}


def evidence(*queries: Query, spans: list[SpanJudgment] = SPANS, passes: list[int] | None = None) -> Evidence:
    def documents() -> list[Document]:
        if passes is not None:
            passes.append(1)
        return DOCUMENTS

    return Evidence(lambda: spans, lambda: queries, documents)


def test_span_measures_beside_graded_ones() -> None:
    passes: list[int] = []
    names = ["nDCG@10", "SpanRecall@1", "SpanRecall@3", "SpanPrecision@1", "SpanPrecision@3"]
    scores = evaluate(QRELS, LISTS, names, evidence=evidence(passes=passes))
    assert scores.per_query()["q"] == {
        "nDCG@10": 1.0,
        "SpanRecall@1": pytest.approx(5 / 15),
        "SpanRecall@3": 1.0,
        "SpanPrecision@1": pytest.approx(5 / 15),
        "SpanPrecision@3": pytest.approx(15 / 40),
    }
    # a query that the run lacks has found nothing; one without spans has no value
    assert scores.per_query()["lost"]["SpanRecall@3"] == 0.0
    assert scores.per_query()["without"]["SpanRecall@3"] is None
    assert scores.mean(names[2]) == 0.5
    assert (scores.n(names[2]), scores.n("nDCG@10")) == (2, 3)
    assert len(passes) <= 2  # of the corpus, whatever the number of measures


def test_a_protocol_says_what_a_missing_query_counts() -> None:
    scores = evaluate(QRELS, LISTS, ["SpanRecall@3"], "beirkit:missing=skip", evidence=evidence())
    assert (scores.mean("SpanRecall@3"), scores.n("SpanRecall@3")) == (1.0, 1)


def test_a_run_file_scores_as_the_run_does(tmp_path: Path) -> None:
    run = tmp_path / "run.trec"
    rows = [(query, doc_id, score) for query, found in LISTS.items() for doc_id, score in found.items()]
    run.write_text("".join(f"{query} Q0 {doc_id} 1 {score} t\n" for query, doc_id, score in rows))
    names = ["SpanPrecision@2", "AP"]
    assert (
        evaluate(QRELS, run, names, evidence=evidence()).per_query()
        == evaluate(QRELS, LISTS, names, evidence=evidence()).per_query()
    )


def test_depth_and_own_documents_count_as_in_other_measures() -> None:
    scores = evaluate(QRELS, LISTS, ["SpanRecall@3"], depth=1, evidence=evidence())
    assert scores.per_query()["q"]["SpanRecall@3"] == pytest.approx(5 / 15)
    lists = {"q": {**LISTS["q"], "q": 9.0}}
    scores = evaluate(QRELS, lists, ["SpanRecall@1"], self_match_ids={"q"}, evidence=evidence())
    assert scores.per_query()["q"]["SpanRecall@1"] == pytest.approx(5 / 15)


@given(st.lists(st.sampled_from(["d", "d#0", "d#1", "e", "d#3-9", "e#0-2"]), min_size=1, unique=True))
def test_they_are_what_beirkit_spans_computes(ranked: list[str]) -> None:
    run = Run.from_dict({"q": {doc_id: float(-rank) for rank, doc_id in enumerate(ranked)}})
    mine = evaluate(
        {"q": {"d": 1}}, run, ["SpanRecall@2", "SpanPrecision@2"], evidence=evidence()
    ).per_query()["q"]
    other = span_scores(run, SPANS, places_in(DOCUMENTS, ranked).__getitem__, cutoffs=(2,))
    assert mine == {"SpanRecall@2": other.recall["@2"]["q"], "SpanPrecision@2": other.precision["@2"]["q"]}


SETS = [["12", "7"], ["5"], ["5", "8", "9"]]


def paged(*ranked: str, sets: object = SETS) -> Scores:
    lists = {"q": {doc_id: float(-rank) for rank, doc_id in enumerate(ranked)}}
    given = evidence(Query("q", "?", {"evidence": sets}), Query("without", "?"))
    return evaluate({"q": {"5": 1}, "without": {"5": 1}}, lists, ["kilt_rprec"], evidence=given)


@pytest.mark.parametrize(
    ("ranked", "value"),
    [
        (("5",), 1.0),
        (("12", "5"), 0.5),  # the one page of the second set is not first; half of the first set is
        (("12", "7"), 1.0),
        (("12#3", "12#1", "7#2"), 1.0),  # paragraphs are their pages, each once
        (("1", "5", "8"), 2 / 3),
        (("1", "2", "3", "5", "12", "7"), 0.0),
    ],
)
def test_the_best_set_of_pages_counts(ranked: tuple[str, ...], value: float) -> None:
    scores = paged(*ranked)
    assert scores.per_query() == {"q": {"PageRprec": value}, "without": {"PageRprec": None}}
    assert scores.n("PageRprec") == 1


@given(
    st.lists(
        st.sampled_from([f"{page}#{n}" for page in range(6) for n in range(3)]), min_size=1, unique=True
    ),
    st.lists(st.lists(st.sampled_from("012345"), min_size=1, unique=True), min_size=1, max_size=4),
)
def test_it_is_kilts_rule(ranked: list[str], sets: list[list[str]]) -> None:
    """As its script goes: pages once, as many as the set has, the share in the set, the best set."""
    best = 0.0
    for wanted in sets:
        first: list[str] = []
        for doc_id in ranked:
            page = doc_id.split("#")[0]
            if page not in first and len(first) < len(wanted):
                first.append(page)
        best = max(best, sum(page in wanted for page in first) / len(wanted))
    assert paged(*ranked, sets=sets).per_query()["q"]["PageRprec"] == pytest.approx(best)


def test_what_is_not_there_is_told() -> None:
    with pytest.raises(UsageError, match=r"SpanRecall@5 needs spans .* qrels/<split>.spans.jsonl"):
        evaluate(QRELS, LISTS, ["SpanRecall@5"])
    with pytest.raises(UsageError, match="SpanRecall@5 needs spans"):
        evaluate(QRELS, LISTS, ["SpanRecall@5"], evidence=evidence(spans=[]))
    with pytest.raises(UsageError, match="PageRprec needs queries with sets of evidence"):
        evaluate(QRELS, LISTS, ["PageRprec"], evidence=evidence(Query("q", "?")))
    with pytest.raises(DataError, match="the evidence of query 'q' is"):
        paged("5", sets=["5"])
    with pytest.raises(DataError, match="'z' is no document of the corpus"):
        evaluate({"q": {"d": 1}}, {"q": {"z": 1.0}}, ["SpanRecall@5"], evidence=evidence())
    with pytest.raises(UsageError, match="needs a cut-off"):
        evaluate(QRELS, LISTS, ["SpanRecall"], evidence=evidence())


def test_nothing_is_read_where_no_measure_asks() -> None:
    def never() -> list[Document]:
        raise AssertionError("read")

    given = Evidence(lambda: [][0], lambda: [][0], never)
    assert evaluate(QRELS, LISTS, ["nDCG@10"], evidence=given).n("nDCG@10") == 3
