"""K01 to K03: ids are opaque texts, a query may stand in its own corpus, and there is one order."""

from __future__ import annotations

import copy
import json
import logging
import random
from pathlib import Path

import msgspec
import numpy as np
import pytest

from beirkit.converters import catalog
from beirkit.corpora.errors import DataError
from beirkit.corpora.folder import write_folder
from beirkit.corpora.run import Run
from beirkit.corpora.run_files import read_run, run_file_name, write_run
from beirkit.evaluate import evaluate
from beirkit.evaluate.protocol import get_protocol
from beirkit.evaluate.score_files import read_scores, write_scores
from beirkit.retrievers.topk import top_k
from tests.faults.cases import Case, case, check, open_case, score


@case("K01-01")
def test_leading_zeros_stay(case: Case, tmp_path: Path) -> None:
    collection = open_case(case, tmp_path)
    corpus, _, qrels = collection.to_dicts("test")
    assert list(corpus) == ["001", "1"]
    check(score(case, case["expected"]["values"], qrels), case["expected"]["values"])


@case("K01-02")
def test_an_integer_id_is_its_decimal_text(case: Case, tmp_path: Path) -> None:
    corpus, queries, qrels = open_case(case, tmp_path).to_dicts("test")
    assert (list(corpus), list(queries)) == (["7", "70"], ["3"])
    check(score(case, case["expected"]["values"], qrels), case["expected"]["values"])


@pytest.mark.parametrize("value", ["7.0", "true", "null", '["7"]'])
def test_other_values_are_no_ids(tmp_path: Path, value: str) -> None:
    made: Case = {"input": {"files": {"corpus.jsonl": f'{{"_id": {value}, "text": "fern"}}\n'}}}
    with pytest.raises(DataError, match=r'corpus\.jsonl:1: "_id" is .*, neither a string nor an integer'):
        list(open_case(made, tmp_path).documents())


@case("K01-04")
def test_a_row_without_an_id_changes_no_other_row(
    case: Case, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "docs.csv").write_text(case["input"]["files"]["docs.csv"], encoding="utf-8")
    (tmp_path / "q.csv").write_text("question,doc_id\nwhich letter,12\n", encoding="utf-8")
    columns = {"question": "question", "doc_id": "doc_id", "corpus": "docs.csv", "text": "body"}
    with pytest.raises(DataError, match=r"docs\.csv:3: has no id .*skip_rows_without_id=true"):
        list(catalog.convert("table", tmp_path / "q.csv", columns).documents())
    lenient = catalog.convert("table", tmp_path / "q.csv", {**columns, "skip_rows_without_id": True})
    assert [document.doc_id for document in lenient.documents()] == ["12", "14"]
    assert "1 rows without id left out" in caplog.text


def test_rows_without_an_id_of_a_beir_folder_are_left_out_only_when_asked(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    rows = '{"_id": "12", "text": "alpha"}\n{"text": "beta"}\n{"_id": null, "text": "c"}\n{"_id": ""}\n'
    made: Case = {"input": {"files": {"corpus.jsonl": rows, "qrels/test.tsv": "q1\t12\t1\n"}}}
    (tmp_path / "queries.jsonl").write_text('{"_id": "q1", "text": "alpha"}\n', encoding="utf-8")
    open_case(made, tmp_path)
    with pytest.raises(DataError, match=r'corpus\.jsonl:2: has no "_id"'):
        list(catalog.convert("beir", tmp_path).documents())
    lenient = catalog.convert("beir", tmp_path, {"skip_rows_without_id": "true"})
    assert [document.doc_id for document in lenient.documents()] == ["12"]
    assert "3 records without an id left out (line 2, 3, 4)" in caplog.text


@case("K01-06")
def test_ids_with_a_suffix_on_one_side_are_no_table_of_zeros(case: Case) -> None:
    with pytest.raises(DataError, match=r"0 of 2 judged queries are in the run.*'12\.1'.*'12'"):
        evaluate(case["input"]["qrels"], case["input"]["run"])


@case("K01-07")
def test_ids_with_white_space_go_into_a_form_that_holds_them(case: Case, tmp_path: Path) -> None:
    (run,) = case["input"]["run"].items()
    assert run == ("q 1", {"doc a": 2.0, "doc\tb": 1.0})
    with pytest.raises(DataError, match=r"query id 'q 1' holds white space.*run\.jsonl"):
        write_run(Run.from_dict(case["input"]["run"]), tmp_path / "run.trec")
    blanks = {"q 1": {"doc a": 2.0, "doc b": 1.0}}
    assert run_file_name(Run.from_dict(blanks)) == "run.jsonl.gz"
    write_run(Run.from_dict(blanks), tmp_path / "run.jsonl.gz")
    assert read_run(tmp_path / "run.jsonl.gz").to_dict() == blanks
    # docs/decisions/0009: an id with a control character is refused in every form, not only in TREC's.
    with pytest.raises(DataError, match=r"'doc\\tb' holds the control character U\+0009"):
        write_run(Run.from_dict(case["input"]["run"]), tmp_path / "run.jsonl")
    with pytest.raises(DataError, match="holds half of a surrogate pair"):
        write_run(Run.from_dict({"q": {"\ud800": 1.0}}), tmp_path / "half.trec")
    assert [path.name for path in tmp_path.iterdir()] == ["run.jsonl.gz"]


@case("K02-01")
def test_both_readings_of_a_self_match_are_stored_with_the_scores(case: Case, tmp_path: Path) -> None:
    for rule, key in (("remove", "ignore=True"), ("keep", "ignore=False")):
        protocol = msgspec.structs.replace(get_protocol("beirkit"), self_match=rule)
        expected = case["expected"]["values"][key]
        scores = score(case, expected, protocol=protocol)
        check(scores, expected)
        write_scores(scores, tmp_path / "scores.jsonl")
        stored = read_scores(tmp_path / "scores.jsonl")
        assert stored.protocol.self_match == rule
        assert stored.counts.self_matches_removed == (rule == "remove")
        assert stored.counts.self_matches_kept == (rule == "keep")


@case("K02-05")
def test_scoring_changes_no_run(case: Case) -> None:
    qrels, run = case["input"]["qrels"], case["input"]["run"]
    before = copy.deepcopy(run)
    rules = [get_protocol("beir"), get_protocol("trec_eval")]
    values = [case["expected"]["values"][name]["ndcg@10"] for name in ("call1", "call2")]
    for order in ((0, 1), (1, 0)):
        for place in order:
            found = evaluate(qrels, run, "nDCG@10", rules[place]).mean("nDCG@10")
            assert found == pytest.approx(values[place], abs=1e-6)
            assert run == before


@case("K03-01")
def test_ties_are_ordered_by_descending_id(case: Case) -> None:
    check(score(case, case["expected"]["values"]), case["expected"]["values"])
    ((_, ranked),) = Run.from_dict(case["input"]["run"]).ordered().lists()
    assert [doc_id for doc_id, _ in ranked] == ["c", "b", "a"]


@case("K03-02")
def test_a_constant_scorer_wins_nothing_by_its_order(case: Case) -> None:
    (row,) = case["input"]["run"].values()
    for seed in range(5):
        names = list(row)
        random.Random(seed).shuffle(names)
        run = {"q": {name: row[name] for name in names}}
        check(score(case, case["expected"]["values"], run=run), case["expected"]["values"])


@case("K03-04")
def test_the_protocol_says_at_which_precision_scores_are_compared(case: Case) -> None:
    expected = case["expected"]["values"]
    for protocol, key in (
        ("beirkit", "float32 (pytrec_eval 0.5.x)"),
        ("trec_eval", "float32 (pytrec_eval 0.5.x)"),
        ("trec_eval-10", "double"),
    ):
        scores = score(case, expected[key], protocol=protocol)
        check(scores, expected[key])
        assert ("float64" if key == "double" else "float32") in scores.protocol.describe()


@case("K03-06")
def test_scores_are_written_so_that_they_read_back_equal(case: Case, tmp_path: Path) -> None:
    write_run(Run.from_dict(case["input"]["run"]), tmp_path / "run.trec")
    back = read_run(tmp_path / "run.trec")
    assert back.to_dict() == case["input"]["run"]
    check(score(case, case["expected"]["values"], run=back), case["expected"]["values"])


@case("K03-08")
def test_no_measure_depends_on_the_order_of_keys_or_lines(case: Case, tmp_path: Path) -> None:
    expected, given = case["expected"]["values"], case["input"]["run"]
    lines = [f"{q} Q0 {d} 1 {s} x" for q, row in given.items() for d, s in row.items()]
    for seed in range(50):
        rng = random.Random(seed)
        run = {
            query_id: dict(rng.sample(list(given[query_id].items()), len(given[query_id])))
            for query_id in rng.sample(list(given), len(given))
        }
        check(score(case, expected, run=run), expected)
        rng.shuffle(lines)
        (tmp_path / "run.trec").write_text("\n".join(lines), encoding="utf-8")
        check(score(case, expected, run=read_run(tmp_path / "run.trec")), expected)
    run_ids = Run.from_dict(given)
    for index, query_id in enumerate(run_ids.query_ids):
        docs, scores = run_ids.results(index)
        ranked = [pair for one, pairs in run_ids.ordered().lists() if one == query_id for pair in pairs]
        for k in (1, 2, 3):
            places, _ = top_k(scores.astype(np.float32), run_ids.ranks[docs], k)
            assert [run_ids.doc_ids[docs[p]] for p in places.tolist()] == [d for d, _ in ranked[:k]]


def test_ids_survive_a_folder_unchanged(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Whatever looks like a number, a null or a quote is text: written and read back, nothing moves."""
    odd = [
        "001",
        "1",
        "1.0",
        "1e3",
        "nan",
        "None",
        "null",
        '"d',
        "#d",
        " d",
        "d ",
        "caf\u00e9",
        "cafe\u0301",
        "-0",
    ]
    made: Case = {
        "input": {
            "files": {
                "corpus.jsonl": "".join(json.dumps({"_id": i, "text": i}) + "\n" for i in odd),
                "queries.jsonl": json.dumps({"_id": "007", "text": "x"}) + "\n",
                "qrels/test.tsv": "query-id\tcorpus-id\tscore\n" + "".join(f"007\t{i}\t1\n" for i in odd),
            }
        }
    }
    caplog.set_level(logging.WARNING)
    write_folder(open_case(made, tmp_path / "in"), tmp_path / "out")
    corpus, queries, qrels = catalog.convert("beir", tmp_path / "out").to_dicts("test")
    assert list(corpus) == odd
    assert list(queries) == ["007"]
    assert list(qrels["007"]) == odd
