"""K07 and K08: queries and documents that one side has and the other has not."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from beirkit.cli.main import main
from beirkit.converters import catalog
from beirkit.corpora.errors import DataError
from beirkit.corpora.jsonl import read_documents, read_queries
from beirkit.evaluate import evaluate
from beirkit.retrievers.template import Template
from tests.faults.cases import QRELS, Case, case, check, documents_of, one_file, open_case, score


@case("K07-01")
def test_a_judged_query_without_results_counts_0(case: Case, caplog: pytest.LogCaptureFixture) -> None:
    scores = score(case, case["expected"]["values"])
    check(scores, case["expected"]["values"])
    assert scores.counts.missing == 1
    assert "1 of 2 judged queries have no results in the run" in caplog.text
    assert "'q2'" in caplog.text


@case("K07-03")
def test_queries_without_judgments_are_ignored_and_told_once(
    case: Case, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    scores = score(case, case["expected"]["values"])
    check(scores, case["expected"]["values"])
    assert scores.counts.unjudged == 2
    said = [one for one in caplog.messages if "have no judgments and are ignored" in one]
    assert said == ["2 queries of the run have no judgments and are ignored: 'q8', 'q9'"]


@case("K07-05")
def test_a_judged_query_without_text_is_refused_or_left_out(
    case: Case, tmp_path: Path, caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]
) -> None:
    collection = open_case(case, tmp_path / "in")
    with pytest.raises(DataError, match="1 judged query has no text, such as q2"):
        collection.to_dicts("test")
    _, queries, qrels = collection.to_dicts("test", lenient=True)
    assert (list(queries), list(qrels)) == (["q1"], ["q1"])
    assert "1 judged query has no text, left out: q2" in caplog.text
    assert main(["run", "-d", str(tmp_path / "in"), "-r", "bm25", "--out", str(tmp_path / "results")]) == 2
    assert "1 judged query has no text, such as q2" in capsys.readouterr().err
    skip = ["--set", "skip_queries_without_text=true"]
    assert main(["convert", "beir", str(tmp_path / "in"), "--out", str(tmp_path / "out"), *skip]) == 0
    assert "1 judged query has no text and is left out: q2" in capsys.readouterr().err
    assert catalog.convert("beir", tmp_path / "out").qrels("test") == {"q1": {"d1": 1}}


@case("K07-07")
def test_missing_queries_count_0_as_trec_eval_has_it_with_c(case: Case) -> None:
    scores = score(case, case["expected"]["values"], protocol="trec_eval")
    check(scores, case["expected"]["values"])
    assert "a missing query counts 0" in scores.protocol.describe()


@case("K07-08")
def test_run_and_judgments_without_a_common_query_are_refused(
    case: Case, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(DataError, match=r"0 of 1 judged queries are in the run.*'a1'.*'b1'"):
        evaluate(case["input"]["qrels"], case["input"]["run"])
    (tmp_path / "run.trec").write_text("b1 Q0 d 1 1.0 x\n", encoding="utf-8")
    (tmp_path / "q.tsv").write_text(f"{QRELS}a1\td\t1\n", encoding="utf-8")
    assert main(["score", str(tmp_path / "run.trec"), str(tmp_path / "q.tsv")]) == 2
    captured = capsys.readouterr()
    assert "0 of 1 judged queries" in captured.err
    assert captured.out == ""


def test_an_empty_run_and_empty_judgments_are_refused() -> None:
    with pytest.raises(DataError, match=r"0 of 1 judged queries are in the run.*the run is empty"):
        evaluate({"q": {"d": 1}}, {})
    with pytest.raises(DataError, match="there are no judgments"):
        evaluate({}, {"q": {"d": 1.0}})


@case("K08-01")
def test_a_judged_document_that_the_corpus_lacks_stays_in_the_ideal_ranking(
    case: Case, caplog: pytest.LogCaptureFixture
) -> None:
    expected = case["expected"]["values"]
    scores = score(case, expected, corpus_ids=case["input"]["corpus_ids"])
    check(scores, expected)
    assert (scores.counts.judged_not_in_corpus, scores.counts.relevant_not_in_corpus) == (1, 1)
    assert "1 of 2 judged documents are not in the corpus (of 2 relevant ones 1)" in caplog.text
    assert "'ghost'" in caplog.text


@case("K08-03")
def test_a_result_that_the_corpus_lacks_keeps_its_rank(case: Case, caplog: pytest.LogCaptureFixture) -> None:
    expected = case["expected"]["values"]
    scores = score(case, expected, corpus_ids=iter(case["input"]["corpus_ids"]))
    check(scores, expected)
    assert scores.counts.results_not_in_corpus == 1
    assert "1 of 2 documents of the run are not in the corpus; they keep their ranks: 'old7'" in caplog.text


def test_scoring_against_a_folder_looks_into_its_corpus(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = {
        "corpus.jsonl": '{"_id": "d1", "text": "x"}\n{"_id": "d2", "text": "y"}\n',
        "queries.jsonl": '{"_id": "q", "text": "x"}\n',
        "qrels/test.tsv": f"{QRELS}q\td1\t1\nq\tghost\t1\n",
    }
    open_case({"input": {"files": files}}, tmp_path / "birds")
    (tmp_path / "run.trec").write_text("q Q0 old7 1 3.0 x\nq Q0 d1 2 2.0 x\n", encoding="utf-8")
    assert main(["score", str(tmp_path / "run.trec"), str(tmp_path / "birds"), "-m", "R@10"]) == 0
    captured = capsys.readouterr()
    assert "0.5000" in captured.out
    assert "'ghost'" in captured.err
    assert "'old7'" in captured.err
    assert "judged not in corpus 1, relevant not in corpus 1, results not in corpus 1" in captured.err


@case("K08-04")
def test_a_missing_field_leaves_no_trace_in_the_text(case: Case, tmp_path: Path) -> None:
    assert case["input"]["template"] == 'title + " " + text'
    template = Template("{title} {text}")
    texts = {document.doc_id: template.render(document) for document in documents_of(case, tmp_path)}
    assert texts == case["expected"]["values"]
    assert "None" not in "".join(texts.values())


@case("K08-06")
def test_nan_is_no_text(case: Case, tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r'corpus\.jsonl:1: "text" is not a string but nan'):
        documents_of(case, tmp_path)


@case("K08-07")
def test_other_keys_are_named_and_read_when_they_are_given(case: Case, tmp_path: Path) -> None:
    path = one_file(case, tmp_path)
    with pytest.raises(DataError, match=r"queries\.jsonl:1: has no \"_id\"; its keys: 'id', 'title'"):
        list(read_queries(path))
    queries = list(read_queries(path, keys={"_id": "id", "text": "title"}))
    assert [(query.query_id, query.text) for query in queries] == [("a", "first"), ("b", "second")]
    assert all(query.metadata == {} for query in queries)
    open_case(case, tmp_path)
    options = {"query_keys": {"_id": "id", "text": "title"}}
    assert [query.query_id for query in catalog.convert("beir", tmp_path, options).queries()] == ["a", "b"]


@pytest.mark.parametrize(
    "field", ['"title":NaN', '"text":7', '"text":["x"]', '"title":{"x":1}', '"text":true']
)
def test_only_strings_are_texts(tmp_path: Path, field: str) -> None:
    (tmp_path / "c.jsonl").write_text(f'{{"_id":"d1",{field}}}\n', encoding="utf-8")
    with pytest.raises(DataError, match=r"c\.jsonl:1: .*is not a string"):
        list(read_documents(tmp_path / "c.jsonl"))
