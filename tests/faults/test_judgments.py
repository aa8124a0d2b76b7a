"""K04 to K06: judgment files in every shape people write, grades, and what stands twice."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import pytest

from beirkit.cli.main import main
from beirkit.converters import catalog
from beirkit.corpora.check import check_folder
from beirkit.corpora.collection import Collection
from beirkit.corpora.errors import DataError
from beirkit.corpora.jsonl import read_queries
from beirkit.corpora.qrels import read_qrels
from beirkit.corpora.run_files import read_run
from beirkit.evaluate import evaluate
from tests.faults.cases import (
    QRELS,
    Case,
    case,
    check,
    documents_of,
    one_file,
    open_case,
    qrels_of,
    score,
    write_files,
)  # fmt: skip


@case("K04-01", "K04-02", "K04-06", "K04-08")
def test_every_shape_gives_its_judgments(
    case: Case, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    assert qrels_of(case, tmp_path) == case["expected"]["values"]["qrels"]
    assert not caplog.records


def test_a_first_line_of_data_is_never_a_header(tmp_path: Path) -> None:
    """beir skips the first line whatever it holds; here the grade of the first line decides."""
    for text, expected in (
        ("q1\td1\t1\n", {"q1": {"d1": 1}}),
        ("query-id\tcorpus-id\tscore\nq1\td1\t1\n", {"q1": {"d1": 1}}),
        ("query-id\tcorpus-id\t1\n", {"query-id": {"corpus-id": 1}}),
        ("score\tquery-id\tcorpus-id\n1\tq1\td1\n", {"q1": {"d1": 1}}),
    ):
        (tmp_path / "t.tsv").write_text(text, encoding="utf-8")
        assert read_qrels(tmp_path / "t.tsv") == expected


@case("K04-04")
def test_windows_line_ends(case: Case, tmp_path: Path) -> None:
    write_files(case, tmp_path)
    (tmp_path / "corpus.csv").write_bytes(b"doc,text\r\nd1,a bird\r\n")
    expected = case["expected"]["values"]
    qrels = read_qrels(tmp_path / "qrels" / "test.tsv")
    assert qrels == expected["qrels"]
    table: dict[str, Any] = {"question": "2", "query_id": "1", "header": False, "corpus": "corpus.tsv"}
    (tmp_path / "corpus.tsv").write_bytes(b"d1\ta bird\r\n")
    (tmp_path / "judged.tsv").write_bytes(b"q1\td1\t1\r\n")
    table |= {"corpus_doc_id": "1", "text": "2", "judgments": "judged.tsv", "judgments_query_id": "1"}
    table |= {"judgments_doc_id": "2", "grade": "3"}
    collection = catalog.convert("table", tmp_path / "queries.tsv", table)
    assert {query.query_id: query.text for query in collection.queries()} == expected["queries"]
    assert [document.text for document in collection.documents()] == ["a bird"]
    scores = evaluate(qrels, read_run(tmp_path / "run.trec"), "nDCG@10")
    assert scores.mean("nDCG@10") == expected["ndcg@10"]


def test_a_balanced_pair_of_quotes_is_kept_and_told(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "t.tsv").write_text('q1\t"d2"\t1\n', encoding="utf-8")
    assert read_qrels(tmp_path / "t.tsv") == {"q1": {'"d2"': 1}}
    assert "1 ids stand in quotes" in caplog.text


@case("K04-10")
def test_a_missing_column_of_grades_is_never_guessed(
    case: Case, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(DataError, match=r"pairs\.tsv:1: .*relevance column is missing.*default_relevance=1"):
        qrels_of(case, tmp_path)
    path = one_file(case, tmp_path)
    assert read_qrels(path, default_relevance=1) == {"q1": {"d1": 1, "d2": 1}}
    (tmp_path / "run.trec").write_text("q1 Q0 d1 1 2.0 x\n", encoding="utf-8")
    assert main(["score", str(tmp_path / "run.trec"), str(path)]) == 2
    assert "relevance column is missing" in capsys.readouterr().err
    command = ["score", str(tmp_path / "run.trec"), str(path), "--default-relevance", "1", "-m", "R@10"]
    assert main(command) == 0
    assert "0.5000" in capsys.readouterr().out


def test_a_beir_folder_with_two_columns_is_read_with_the_option(tmp_path: Path) -> None:
    files = {
        "corpus.jsonl": '{"_id": "d1", "text": "x"}\n',
        "queries.jsonl": '{"_id": "q1", "text": "x"}\n',
        "qrels/test.tsv": "q1\td1\n",
    }
    open_case({"input": {"files": files}}, tmp_path)
    with pytest.raises(DataError, match=r"test\.tsv:1: has 2 columns"):
        catalog.convert("beir", tmp_path).qrels("test")
    assert catalog.convert("beir", tmp_path, {"default_relevance": "2"}).qrels("test") == {"q1": {"d1": 2}}


@case("K04-11")
def test_a_damaged_line_is_named(case: Case, tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"t\.qrels:2: has 8 columns where the lines before have 4"):
        qrels_of(case, tmp_path)


@case("K04-12")
def test_text_after_the_tag_is_ignored_and_told(
    case: Case, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    assert read_run(one_file(case, tmp_path)).to_dict() == case["expected"]["values"]["run"]
    assert "1 line with extra fields" in caplog.text


@case("K05-01")
def test_a_fraction_is_no_grade(case: Case, tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"t\.qrels:1: the grade is '0\.9', not a whole number"):
        qrels_of(case, tmp_path)
    with pytest.raises(DataError, match=r"q/b is 1\.5, not a whole number"):
        evaluate({"q": {"b": 1.5}}, {"q": {"b": 1.0}})  # type: ignore[dict-item]  # what a caller might pass


@case("K05-02")
def test_a_whole_number_written_as_a_float_is_one(case: Case, tmp_path: Path) -> None:
    qrels = qrels_of(case, tmp_path)
    assert qrels == case["expected"]["values"]["qrels"]
    assert {type(grade) for grade in qrels["q"].values()} == {int}


@case("K05-04")
def test_an_empty_grade_is_named(case: Case, tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"test\.tsv:3: the grade is missing: an empty score"):
        qrels_of(case, tmp_path)


@case("K05-06")
def test_a_level_counts_in_binary_measures_and_not_in_ndcg(case: Case) -> None:
    level = case["input"]["relevance_level"]
    names = {"map": f"AP(rel={level})", "mrr@10": f"RR(rel={level})@10", "p@1": f"P(rel={level})@1"}
    names |= {"recall@1": f"R(rel={level})@1", "ndcg": "nDCG"}
    scores = evaluate(case["input"]["qrels"], case["input"]["run"], names.values())
    for name, value in case["expected"]["values"].items():
        assert scores.mean(names[name]) == pytest.approx(value, abs=1e-6), name


@case("K05-08")
def test_every_label_needs_a_grade(case: Case, tmp_path: Path) -> None:
    write_files(case, tmp_path)
    (tmp_path / "q.csv").write_text("q,question\nq1,what\n", encoding="utf-8")
    (tmp_path / "c.csv").write_text("d,text\nd1,a\nd2,b\nd3,c\n", encoding="utf-8")
    options: dict[str, Any] = {"question": "question", "query_id": "q", "text": "text"}
    options |= {"corpus": "c.csv", "doc_id": "d"}
    options |= {"judgments": "j.csv", "grade": "label", "grades": case["input"]["map"]["grades"]}
    with pytest.raises(DataError, match=r"j\.csv:4: label 'none' .*no grade"):
        catalog.convert("table", tmp_path / "q.csv", options).qrels("test")
    options["grades"] = {**case["input"]["map"]["grades"], "none": 0}
    qrels = catalog.convert("table", tmp_path / "q.csv", options).qrels("test")
    assert qrels == {"q1": {"d1": 2, "d2": 1, "d3": 0}}


@pytest.mark.parametrize("grade", ["2147483648", "-2147483649", "9" * 5000])
def test_a_grade_that_trec_eval_cannot_hold_is_named(tmp_path: Path, grade: str) -> None:
    (tmp_path / "t.tsv").write_text(f"{QRELS}q\ta\t{grade}\n", encoding="utf-8")
    with pytest.raises(DataError, match=r"t\.tsv:2: the grade is .*beyond 32 bits"):
        read_qrels(tmp_path / "t.tsv")


def test_a_grade_that_would_end_the_process_never_reaches_pytrec_eval() -> None:
    for grade in (1 << 30, -(1 << 31)):
        with pytest.raises(DataError, match=r"q/a is -?\d+, beyond 1000"):
            evaluate({"q": {"a": grade}}, {"q": {"a": 1.0}})


@case("K06-01")
def test_a_repeated_judgment_counts_once(
    case: Case, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    expected = case["expected"]["values"]
    check(score(case, expected, qrels_of(case, tmp_path)), expected)
    assert "1 exact duplicate judgments dropped (e.g. q/a)" in caplog.text


def test_two_grades_for_one_pair_are_refused(tmp_path: Path) -> None:
    (tmp_path / "t.tsv").write_text(f"{QRELS}q\ta\t1\nq\tb\t1\nq\ta\t2\n", encoding="utf-8")
    with pytest.raises(DataError, match=r"t\.tsv:4: .*judged 1 at line 2 and 2 at line 4"):
        read_qrels(tmp_path / "t.tsv")


@case("K06-03")
def test_two_texts_under_one_document_id_are_refused(case: Case, tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"'d1' stands at lines 1 and 3 with different texts"):
        documents_of(case, tmp_path)


@case("K06-04")
def test_two_texts_under_one_query_id_are_refused(case: Case, tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"'44' stands at lines 1 and 2 with different texts"):
        list(read_queries(one_file(case, tmp_path)))


def test_an_identical_copy_is_dropped_and_told(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    line = '{"_id": "d1", "text": "x"}\n'
    made: Case = {"input": {"files": {"corpus.jsonl": line + '{"_id": "d2", "text": "y"}\n' + line}}}
    assert [document.doc_id for document in documents_of(made, tmp_path)] == ["d1", "d2"]
    assert "1 repeated records dropped" in caplog.text


@case("K06-05")
def test_a_document_twice_in_a_ranking_counts_once(
    case: Case, tmp_path: Path, caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]
) -> None:
    expected, qrels = case["expected"]["values"], case["input"]["qrels"]
    path = one_file(case, tmp_path)
    run = read_run(path)
    assert run.to_dict() == {"q": {"d1": 0.9, "d2": 0.7}}
    assert "1 duplicate results dropped, the best score of each kept (e.g. q/d1)" in caplog.text
    check(score(case, expected, qrels, run), expected)
    with pytest.raises(DataError, match=r"run\.trec: 1 results stand twice in a list \(e\.g\. q/d1\)"):
        read_run(path, strict=True)
    (tmp_path / "q.tsv").write_text(f"{QRELS}q\td1\t1\n", encoding="utf-8")
    assert main(["score", str(path), str(tmp_path / "q.tsv"), "--strict"]) == 2
    assert "stand twice" in capsys.readouterr().err


def test_dictionaries_and_files_are_checked_alike(tmp_path: Path) -> None:
    """What a reader refuses, a collection made by hand does not smuggle in."""
    collection = Collection.from_dicts({"d": {"text": "x"}}, {"q": "x"}, {"q": {"d": 0.5}})  # type: ignore[arg-type]
    with pytest.raises(DataError, match=r"q/d is 0\.5, not a whole number"):
        collection.qrels("test")


def test_the_linter_finds_what_the_readers_refuse(tmp_path: Path) -> None:
    """One folder with one fault of each kind: every reader stops at its first, the check names them all."""
    files = {
        "corpus.jsonl": '{"_id": "d1", "text": "old"}\n{"_id": "d1", "text": "new"}\n',
        "queries.jsonl": '{"_id": "44", "text": "a"}\n{"_id": "44", "text": "b"}\n',
        "qrels/test.tsv": f"{QRELS}44\td1\t1\n44\td1\t2\n44\td1\t\n",
    }
    open_case({"input": {"files": files}}, tmp_path)
    found = {(finding.path.rpartition("/")[2], finding.line) for finding in check_folder(tmp_path)}
    assert {("corpus.jsonl", 2), ("queries.jsonl", 2), ("test.tsv", 3), ("test.tsv", 4)} <= found


@pytest.fixture(autouse=True)
def warnings_only(caplog: pytest.LogCaptureFixture) -> None:
    """Information is no finding."""
    caplog.set_level(logging.WARNING)
