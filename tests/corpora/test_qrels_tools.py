"""Judgments chosen, graded anew, merged, counted and compared."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from beirkit.corpora.errors import DataError, UsageError
from beirkit.corpora.qrels import read_qrels
from beirkit.corpora.qrels_counts import Spread, count_judgments, judgments_of
from beirkit.corpora.qrels_diff import diff_qrels
from beirkit.corpora.qrels_tools import filter_judgments, merge_qrels, parse_grades, read_query_ids
from beirkit.corpora.qrels_where import parse_where
from beirkit.corpora.records import Qrels

QRELS: Qrels = {"q1": {"d1": 3, "d2": 1, "d3": 0}, "q2": {"d1": 1}, "q3": {"d4": 2}}

TABLES = st.dictionaries(
    st.sampled_from(["a", "b", "c"]),
    st.dictionaries(st.sampled_from(["x", "y", "z"]), st.integers(-1, 3), min_size=1),
)


def test_nothing_asked_nothing_done() -> None:
    done = filter_judgments(QRELS)
    assert (done.qrels, done.dropped, done.changed, done.not_judged) == (QRELS, {}, {}, [])


def test_steps_apply_in_their_order_and_are_counted() -> None:
    done = filter_judgments(
        QRELS,
        queries=["q1", "q2", "q9"],
        where=parse_where("grade > 0"),
        grades={3: 2, 1: 1},
        min_grade=1,
        binarize=2,
    )
    assert done.qrels == {"q1": {"d1": 1, "d2": 0}, "q2": {"d1": 0}}
    assert done.dropped == {"queries": 1, "where": 1, "grades": 0, "min_grade": 0}
    assert done.changed == {"grades": 1, "binarize": 3}
    assert done.not_judged == ["q9"]


def test_a_query_that_loses_everything_is_gone() -> None:
    assert filter_judgments(QRELS, min_grade=2).qrels == {"q1": {"d1": 3}, "q3": {"d4": 2}}
    assert filter_judgments(QRELS, binarize=1).qrels == {
        "q1": {"d1": 1, "d2": 1, "d3": 0},
        "q2": {"d1": 1},
        "q3": {"d4": 1},
    }


def test_a_grade_without_a_new_one_is_refused() -> None:
    with pytest.raises(DataError) as caught:
        filter_judgments(QRELS, grades={3: 2, 2: None})
    assert str(caught.value) == (
        "no new grade is given for 0 (1 judgments), 1 (2 judgments) "
        "(say what becomes of it, for example 0=drop)"
    )
    assert filter_judgments(QRELS, queries=["q3"], grades={2: 5}).qrels == {"q3": {"d4": 5}}


@pytest.mark.parametrize(
    ("text", "expected"),
    [("3=2,2=1,1=drop", {3: 2, 2: 1, 1: None}), (" -1 = 0 , 0=0", {-1: 0, 0: 0}), ("1=drop", {1: None})],
)
def test_grade_maps(text: str, expected: dict[int, int | None]) -> None:
    assert parse_grades(text) == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("3", "grades '3': '3' is not OLD=NEW"),
        ("3=2,", "'' is not OLD=NEW"),
        ("3=b", "'3=b' is not OLD=NEW"),
        ("drop=1", "'drop=1' is not OLD=NEW"),
        ("1=99999999999", "is not OLD=NEW"),
        ("1=2,1=3", "1 stands twice"),
    ],
)
def test_wrong_grade_maps(text: str, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_grades(text)
    assert message in str(caught.value)


@pytest.mark.parametrize(("how", "grade"), [("first", 1), ("last", 2), ("max", 3), ("min", 1)])
def test_merging_settles_what_differs(how: str, grade: int) -> None:
    versions: list[Qrels] = [{"q": {"d": 1, "e": 1}}, {"q": {"d": 3}, "p": {"d": 0}}, {"q": {"d": 2, "e": 1}}]
    merged = merge_qrels(versions, how)  # type: ignore[arg-type]  # one of the literals
    assert merged.qrels == {"q": {"d": grade, "e": 1}, "p": {"d": 0}}
    assert (merged.same, merged.settled) == (1, 1)


def test_merging_refuses_what_differs() -> None:
    with pytest.raises(DataError) as caught:
        merge_qrels([{"q": {"d": 1}}, {"q": {"d": 3}}], names=["a.tsv", "b.tsv"])
    assert "1 pairs of a.tsv, b.tsv have different grades: query 'q' and document 'd': 1 and 3" in str(
        caught.value
    )
    with pytest.raises(UsageError, match="did you mean 'first'"):
        merge_qrels([], "frist")  # type: ignore[arg-type]  # the mistake under test


@given(TABLES, TABLES)
def test_merging_the_old_with_what_was_added_gives_the_new_up_to_what_was_removed(
    old: Qrels, new: Qrels
) -> None:
    merged = merge_qrels([old, new], "last").qrels
    difference = diff_qrels(old, new)
    assert diff_qrels(merged, new).removed == difference.removed
    assert not diff_qrels(merged, new).added
    assert not diff_qrels(merged, new).changed


@given(TABLES, TABLES)
def test_a_difference_turned_round(old: Qrels, new: Qrels) -> None:
    there, back = diff_qrels(old, new), diff_qrels(new, old)
    assert (there.added, there.removed, there.same) == (back.removed, back.added, back.same)
    assert {(q, d): (b, a) for q, row in there.changed.items() for d, (a, b) in row.items()} == {
        (q, d): pair for q, row in back.changed.items() for d, pair in row.items()
    }
    assert bool(there) == (old != new)


def test_a_difference_by_query() -> None:
    difference = diff_qrels(QRELS, {"q1": {"d1": 2, "d2": 1, "d9": 1}, "q2": {"d1": 2}, "q4": {"d1": 0}})
    assert difference.to_dict() == {
        "added": 2,
        "removed": 2,
        "changed": 2,
        "same": 1,
        "queries_added": ["q4"],
        "queries_removed": ["q3"],
        "queries": {
            "q1": {"added": {"d9": 1}, "removed": {"d3": 0}, "changed": {"d1": [3, 2]}},
            "q2": {"added": {}, "removed": {}, "changed": {"d1": [1, 2]}},
            "q3": {"added": {}, "removed": {"d4": 2}, "changed": {}},
            "q4": {"added": {"d1": 0}, "removed": {}, "changed": {}},
        },
    }
    assert difference.transitions() == [(1, 2, 1), (3, 2, 1)]


def test_counts() -> None:
    counts = count_judgments(QRELS)
    assert (counts.judgments, counts.queries, counts.documents) == (5, 3, 4)
    assert counts.grades == {0: 1, 1: 2, 2: 1, 3: 1}
    assert counts.queries_by_grade == {0: 1, 1: 2, 2: 1, 3: 1}
    assert counts.judged == Spread(1, 1.0, 5 / 3, 3)
    assert counts.relevant == Spread(1, 1.0, 4 / 3, 2)
    assert count_judgments({"q": {"d": 0}}).without_relevant == 1
    assert count_judgments({}).judged is None
    assert counts.to_dict()["grades"] == {"0": 1, "1": 2, "2": 1, "3": 1}


def test_query_ids_of_lists_and_of_queries(tmp_path: Path) -> None:
    plain, table, records = tmp_path / "ids.txt", tmp_path / "topics.tsv", tmp_path / "queries.jsonl"
    plain.write_text("q1\n\nq 2\nq1\n", encoding="utf-8")
    table.write_text("q1\twhat is it\tor not\nq2\tthat\n", encoding="utf-8")
    records.write_text('{"_id": "q1", "text": "a"}\n{"_id": "q2", "text": ""}\n', encoding="utf-8")
    assert read_query_ids(plain) == ["q1", "q 2"]
    assert read_query_ids(table) == ["q1", "q2"]
    assert read_query_ids(records) == ["q1", "q2"]


@pytest.mark.parametrize(
    ("raw", "made", "grades"),
    [
        ("nfcorpus/raw/dev.3-2-1.qrel", "nfcorpus/raw/dev.2-1-0.qrel", "3=2,2=1,1=drop"),
        ("nfcorpus/raw/test.3-2-1.qrel", "nfcorpus/raw/test.2-1-0.qrel", "3=2,2=1,1=drop"),
        ("nfcorpus/raw/train.3-2-1.qrel.gz", "nfcorpus/raw/train.2-1-0.qrel.gz", "3=2,2=1,1=drop"),
        (
            "nfcorpus/raw/test.3-2-1.qrel",
            "nfcorpus/beir/qrels.beir-v1.0.0-nfcorpus.test.txt",
            "3=2,2=1,1=drop",
        ),
        (
            "trec_news/raw/qrels.backgroundlinking19.txt",
            "trec_news/beir/qrels.beir-v1.0.0-trec-news.test.txt",
            "0=0,2=1,4=2,8=3,16=4",
        ),
        ("fiqa/beir/qrels/test.tsv", "fiqa/beir/qrels.beir-v1.0.0-fiqa.test.txt", "1=1"),
    ],
)
def test_published_versions_follow_from_the_raw_ones(shared: Path, raw: str, made: str, grades: str) -> None:
    old = filter_judgments(read_qrels(shared / "data" / raw), grades=parse_grades(grades)).qrels
    new = read_qrels(shared / "data" / made)
    difference = diff_qrels(old, new)
    assert not difference
    assert difference.same == sum(1 for _ in judgments_of(new)) > 1000
    assert count_judgments(old).content_id == count_judgments(new).content_id
