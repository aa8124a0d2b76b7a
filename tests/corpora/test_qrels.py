"""Judgments: the forms they come in, and what is refused in which words."""

from __future__ import annotations

import gzip
import logging
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from beirkit.corpora.errors import DataError
from beirkit.corpora.qrels import iter_judgments, read_qrels, write_qrels_tsv
from beirkit.corpora.records import Judgment, Qrels

HEADER = "query-id\tcorpus-id\tscore\n"


def written(tmp_path: Path, content: str, name: str = "test.tsv") -> Path:
    path = tmp_path / name
    path.write_bytes(content.encode())
    return path


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        pytest.param(HEADER + "a\tx\t1\na\ty\t0\n", {"a": {"x": 1, "y": 0}}, id="BEIR"),
        pytest.param("a\tx\t1\nb\ty\t2", {"a": {"x": 1}, "b": {"y": 2}}, id="no header, no last line end"),
        pytest.param("a x 1\nb  y\t2\n", {"a": {"x": 1}, "b": {"y": 2}}, id="three at white space"),
        pytest.param("a 0 x 1\na\tQ0\ty   2\n", {"a": {"x": 1, "y": 2}}, id="TREC"),
        pytest.param("a\t0\tx\t-1\n", {"a": {"x": -1}}, id="TREC between tabs, negative grade"),
        pytest.param(HEADER + "a\tx\t2.0\na\ty\t0.\n", {"a": {"x": 2, "y": 0}}, id="whole floats"),
        pytest.param("a\tx\t1.0\n", {"a": {"x": 1}}, id="a whole float on line 1 is no header"),
        pytest.param(HEADER.replace("\n", "\r\n") + "a\tx\t1\r\n", {"a": {"x": 1}}, id="CRLF"),
        pytest.param("\ufeff" + HEADER + "a\tx\t1\n", {"a": {"x": 1}}, id="BOM"),
        pytest.param(HEADER + "\na\tx\t1\n  \n", {"a": {"x": 1}}, id="blank lines"),
        pytest.param(
            "corpus-id\tquery-id\tscore\nx\ta\t1\n", {"a": {"x": 1}}, id="columns named in another order"
        ),
        pytest.param("qid\tdocid\trelevance\na\tx\t1\n", {"a": {"x": 1}}, id="other known names"),
        pytest.param("query_id iter doc_id rel\na 0 x 1\n", {"a": {"x": 1}}, id="TREC with a header"),
        pytest.param(
            "# pool\na 0 x#1 1\n#b 0 y 1\na 0 #y 0\n", {"a": {"x#1": 1, "#y": 0}}, id="comments in TREC"
        ),
        pytest.param("# a note\n" + HEADER + "#1\tx\t1\n", {"#1": {"x": 1}}, id="a number sign begins an id"),
        pytest.param(HEADER + "my query\tdoc 1\t1\n", {"my query": {"doc 1": 1}}, id="blanks inside ids"),
        pytest.param(
            HEADER + 'a\t"x\t1\nb\ty"\t1\n', {"a": {'"x': 1}, "b": {'y"': 1}}, id="quotes are characters"
        ),
        pytest.param("a 0 x\u00a0y 1\n", {"a": {"x\u00a0y": 1}}, id="a no-break space belongs to its id"),
        pytest.param(
            HEADER + "001\t1\t1\n1\t001\t1\n", {"001": {"1": 1}, "1": {"001": 1}}, id="leading zeros"
        ),
        pytest.param(HEADER, {}, id="a header alone"),
        pytest.param("", {}, id="empty"),
    ],
)
def test_forms(tmp_path: Path, content: str, expected: Qrels) -> None:
    path = written(tmp_path, content)
    assert read_qrels(path) == expected
    packed = tmp_path / "test.tsv.gz"
    packed.write_bytes(gzip.compress(content.encode()))
    assert read_qrels(packed) == expected
    grades = [grade for row in read_qrels(path).values() for grade in row.values()]
    assert all(type(grade) is int for grade in grades)


@pytest.mark.parametrize(
    ("content", "line", "message"),
    [
        (
            "a\tx\n",
            1,
            "has 2 columns: the relevance column is missing "
            "(if every pair is relevant, say default_relevance=1 or --default-relevance 1)",
        ),
        ("a x\n", 1, "the relevance column is missing"),
        ("a\n", 1, "has 1 column (judgments have 3"),
        ("# c\na b  c d 1\n", 2, "has 5 columns"),
        ("a 0 x 1\na 0 y 1 a 0 z 1\n", 2, "has 8 columns where the lines before have 4"),
        (HEADER + "a\tx\t1\na\ty\t1\t0\n", 3, "has 4 columns where the lines before have 3"),
        (HEADER + "a\tx\t1\nb\ty\n", 3, "has 2 columns where"),
        ("a 0 x 0.9\n", 1, "the grade is '0.9', not a whole number"),
        ("a\tx\t1.5\n", 1, "the grade is '1.5', not a whole number"),
        ("a\tx\tnan\n", 1, "the grade is 'nan', not a whole number"),
        ("a 0 x high\n", 1, "the grade is 'high', no number"),
        (HEADER + "a\tx\thigh\n", 2, "the grade is 'high', no number"),
        (HEADER + "a\tx\t1_0\n", 2, "the grade is '1_0', no number"),
        (HEADER + "a\tx\t١\n", 2, "no number"),
        (HEADER + "a\tx\t1\nb\ty\t\n", 3, "the grade is missing: an empty score"),
        ("a\tx\t\n", 1, "the grade is missing"),
        (HEADER + "a\tx\t2147483648\n", 2, "beyond 32 bits"),
        (HEADER + "a\tx\t-2147483649\n", 2, "beyond 32 bits"),
        (HEADER + "a\tx\t" + "9" * 6000 + "\n", 2, "beyond 32 bits"),
        (HEADER + "\tx\t1\n", 2, "query id '' is empty"),
        (HEADER + "a\tx\0y\t1\n", 2, "document id 'x\\x00y' holds the control character U+0000"),
        (
            HEADER + "a\tx\t1\nb\ty\t1\na\tx\t2\n",
            4,
            "'a' and document 'x' are judged 1 at line 2 and 2 at line 4",
        ),
    ],
)
def test_refusals_name_the_line(tmp_path: Path, content: str, line: int, message: str) -> None:
    path = written(tmp_path, content)
    with pytest.raises(DataError) as caught:
        read_qrels(path)
    assert str(caught.value).startswith(f"{path}:{line}: ")
    assert message in str(caught.value)


def test_a_damaged_byte_names_the_line(tmp_path: Path) -> None:
    path = tmp_path / "test.tsv"
    path.write_bytes(HEADER.encode() + b"a\tx\t1\nb\t\xff\t1\n")
    with pytest.raises(DataError, match=r"test\.tsv:3: is not UTF-8 at byte 3"):
        read_qrels(path)


def test_extreme_grades_that_fit(tmp_path: Path) -> None:
    path = written(tmp_path, HEADER + "a\tx\t2147483647\na\ty\t-2147483648\na\tz\t+3\n")
    assert read_qrels(path) == {"a": {"x": 2147483647, "y": -2147483648, "z": 3}}


def test_pairs_take_the_grade_that_is_asked_for(tmp_path: Path) -> None:
    path = written(tmp_path, "a\tx\nb\ty\n")
    assert read_qrels(path, default_relevance=1) == {"a": {"x": 1}, "b": {"y": 1}}
    assert read_qrels(written(tmp_path, "query-id\tcorpus-id\na\tx\n"), default_relevance=2) == {
        "a": {"x": 2}
    }
    with_grades = written(tmp_path, HEADER + "a\tx\t3\n")
    assert read_qrels(with_grades, default_relevance=1) == {"a": {"x": 3}}


def test_copies_are_dropped_and_told(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = written(tmp_path, "a 0 x 1\na 0 x 1\na 0 y 0\na 0 x 1.0\n", "t.qrels")
    with caplog.at_level(logging.WARNING):
        assert list(iter_judgments(path)) == [Judgment("a", "x", 1), Judgment("a", "y", 0)]
    assert [record.getMessage() for record in caplog.records] == [
        f"{path}: 2 exact duplicate judgments dropped (e.g. a/x, a/x)"
    ]


def test_what_is_odd_is_told_once(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = written(tmp_path, 'one\ttwo\tScore\na\t"x"\t1\nb\t"y"\t1\n')
    with caplog.at_level(logging.WARNING):
        assert read_qrels(path) == {"a": {'"x"': 1}, "b": {'"y"': 1}}
    assert [record.getMessage() for record in caplog.records] == [
        f"{path}: the first line, one two Score, is taken as a header",
        f"{path}: 2 ids stand in quotes, which are kept as part of the id",
    ]


@pytest.mark.parametrize("grade", ["1,0", "high", "relevant", '"1"', "score?"])
@pytest.mark.parametrize("ids", ["q1\td1", "query\td1", "q1\tdoc"])
def test_a_first_judgment_with_a_damaged_grade_is_no_header(ids: str, grade: str, tmp_path: Path) -> None:
    path = written(tmp_path, f"{ids}\t{grade}\nq1\td2\t1\n")
    with pytest.raises(
        DataError, match=r":1: the grade is .*, no number, and the line is no header"
    ) as caught:
        read_qrels(path)
    assert ("take the quotes off" if grade == '"1"' else "query-id, corpus-id, score") in str(caught.value)


@pytest.mark.parametrize("header", ["qid\tdocid\tgold", "a\tb\trelevance", "Q\tD\trating", "q\tdoc\tx"])
def test_a_header_with_some_known_names_is_one(header: str, tmp_path: Path) -> None:
    assert read_qrels(written(tmp_path, f"{header}\na\tx\t1\n")) == {"a": {"x": 1}}


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("test.tsv", HEADER + "a\tx\t1\na\ty\t0\n"),
        ("test.tsv", "a\tx\t1\na\ty\t0"),
        ("t.qrels", "a 0 x 1\na 0 y 0\n"),
        ("q.jsonl", '{"qid": "a", "docid": "x", "score": 1}\n{"qid": "a", "docid": "y", "score": 1}\n'),
    ],
)
def test_lines_that_end_with_cr_alone_are_refused(name: str, content: str, tmp_path: Path) -> None:
    mixed = [] if name.endswith(".jsonl") else [content.replace("\n", "\r", 1)]
    for old in (content.replace("\n", "\r"), *mixed):
        with pytest.raises(DataError, match=r":1: its lines end with CR alone, .*--fix"):
            read_qrels(written(tmp_path, old, name))


def test_a_lone_cr_in_an_id_is_a_control_character(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"query id 'a\\rb' holds the control character U\+000D"):
        read_qrels(written(tmp_path, HEADER + "a\rb\tx\t1\nb\tx\t1\n"))


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"qid": "a", "docid": "x", "score": 1, "score": 2}', "the key 'score' stands twice"),
        ('{"qid": "a", "qid": "b", "docid": "x", "score": 1}', "the key 'qid' stands twice"),
        ('{"qid": "a", "docid": "x", "score": "1"}', "the grade is '1', not a number"),
    ],
)
def test_json_lines_are_as_strict_as_json(line: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(DataError, match=rf"q\.jsonl:1: {message}"):
        read_qrels(written(tmp_path, line, "q.jsonl"))


def test_a_known_header_is_not_worth_a_word(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO):
        read_qrels(written(tmp_path, HEADER + "a\tx\t1\n"))
    assert caplog.records == []


def test_json(tmp_path: Path) -> None:
    path = written(tmp_path, '{"a": {"x": 1, "y": 2.0}, "b": {"x": 0}}', "qrels.json")
    assert read_qrels(path) == {"a": {"x": 1, "y": 2}, "b": {"x": 0}}
    for content, message in [
        ('{"a": {"x": 0.5}}', "a/x: the grade is '0.5', not a whole number"),
        ('{"a": {"x": true}}', "the grade of a/x is True, not a number"),
        ('{"a": {"x": "1"}}', "the grade of a/x is '1', not a number"),
        ('{"a": [1]}', "query 'a' has no object of document ids"),
        ("[]", "is not an object of query ids"),
        ('{"a": ', "is not JSON"),
    ]:
        with pytest.raises(DataError) as caught:
            read_qrels(written(tmp_path, content, "qrels.json"))
        assert message in str(caught.value)


# Any id but the empty one and those with control characters.
ids = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1)
grades = st.integers(-(2**31), 2**31 - 1)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.dictionaries(ids, st.dictionaries(ids, grades, min_size=1)))
def test_writing_and_reading_is_identity(tmp_path: Path, qrels: Qrels) -> None:
    path = tmp_path / "test.tsv"
    judgments = [Judgment(q, d, grade) for q, row in qrels.items() for d, grade in row.items()]
    write_qrels_tsv(path, judgments)
    assert list(iter_judgments(path)) == judgments
    assert read_qrels(path) == qrels


def test_the_written_bytes(tmp_path: Path) -> None:
    write_qrels_tsv(tmp_path / "a.tsv", [Judgment("q 1", "é", 2), Judgment("q 1", "d", -1)])
    assert (tmp_path / "a.tsv").read_bytes() == "query-id\tcorpus-id\tscore\nq 1\té\t2\nq 1\td\t-1\n".encode()


@pytest.mark.parametrize(
    ("judgment", "message"),
    [
        (Judgment("a\tb", "x", 1), r"query id 'a\\tb' holds the control character U\+0009"),
        (Judgment("a", "x\ny", 1), r"document id 'x\\ny' holds the control character U\+000A"),
        (Judgment("a", "", 1), "document id '' is empty"),
    ],
)
def test_ids_that_cannot_stand_in_a_table(tmp_path: Path, judgment: Judgment, message: str) -> None:
    with pytest.raises(DataError, match=message):
        write_qrels_tsv(tmp_path / "a.tsv", [judgment])
    assert list(tmp_path.iterdir()) == []


def test_files_of_others(shared: Path) -> None:
    oracles, variants = shared / "data" / "metric_oracles", shared / "faults" / "files" / "R13"
    expected = {"q1": {"d1": 1, "d2": 2, "d3": 3}, "q2": {"d1": 1, "d2": 2}}
    for name in ("qrels.trec", "qrels.trec.gz", "qrels.json"):
        assert read_qrels(variants / name) == expected
    plain = read_qrels(oracles / "trec_eval" / "qrels.test")
    assert {query_id: len(row) for query_id, row in plain.items()} == {"301": 1708, "302": 1061, "303": 912}
    assert sum(grade > 0 for row in plain.values() for grade in row.values()) == 561
    commented = read_qrels(oracles / "trec_eval" / "qrels.test.with-comments")
    assert {d.replace("#", ""): grade for d, grade in commented["301"].items()} == plain["301"]
    assert sum("#" in doc_id for doc_id in commented["301"]) == 1
    with pytest.raises(DataError, match=r"prefs\.test:1: has 5 columns"):
        read_qrels(oracles / "trec_eval" / "prefs.test")
    cwl = read_qrels(oracles / "ir_measures" / "cwl.qrels")
    assert {query_id: len(row) for query_id, row in cwl.items()} == {"T1": 8, "T2": 8, "T3": 7}
