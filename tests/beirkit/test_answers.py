"""``beirkit answers``: exact match and F1 of a system's answers to the questions of a dataset."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from beirkit.cli.main import main

FIXTURES = Path(__file__).parents[1] / "fixtures"


def folder(tmp_path: Path, *queries: dict[str, Any]) -> str:
    made = tmp_path / "quiz"
    (made / "qrels").mkdir(parents=True)
    (made / "corpus.jsonl").write_text('{"_id": "d", "title": "", "text": "x"}\n')
    lines = [json.dumps({"_id": f"q{n}", "text": "?", "metadata": m}) for n, m in enumerate(queries, 1)]
    (made / "queries.jsonl").write_text("\n".join(lines) + "\n")
    (made / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\nq1\td\t1\nq2\td\t1\n")
    (made / "qrels" / "dev.tsv").write_text("query-id\tcorpus-id\tscore\nq3\td\t1\n")
    return str(made)


QUERIES: tuple[dict[str, Any], ...] = (
    {"answers": ["Eiffel Tower", "the tower"]},
    {"reference_answer": "in 1911"},
    {"answers": ["x"], "answerable": False},
    {"answers": []},
    {"other": 1},
)


def scored(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
    assert main(["answers", *words, "--json"]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def written(path: Path, *rows: Any) -> str:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return str(path)


def test_answers_by_hand(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    given = [("q1", "Tower!"), ("q2", "it was 1911"), ("q3", ""), ("q4", "nobody")]
    path = written(tmp_path / "a.jsonl", *({"id": name, "answer": text} for name, text in given))
    data, out = folder(tmp_path, *QUERIES), tmp_path / "scores.jsonl"
    found = scored(capsys, data, path, "--out", str(out))
    # words of q2: it, was, 1911 against in, 1911
    assert found["answerable"]["f1"]["mean"] == pytest.approx((1 + 2 * 1 / 5) / 2)
    assert found["answerable"]["exact_match"]["mean"] == 0.5
    assert found["unanswerable"]["exact_match"]["mean"] == found["unanswerable"]["f1"]["mean"] == 0.5
    assert (found["all"]["questions"], found["all"]["exact_match"]["mean"]) == (4, 0.5)
    low, high = found["all"]["exact_match"]["interval"]
    assert 0 <= low < 0.5 < high <= 1
    lines = [json.loads(line) for line in out.read_text().splitlines()]
    assert lines[0] == {"id": "q1", "answerable": True, "answer": "Tower!", "exact_match": 1.0, "f1": 1.0}
    assert main(["answers", data, path]) == 0
    assert "by SQuAD's rules" in capsys.readouterr().out


def test_squads_own_form_a_split_and_other_keys(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = folder(tmp_path, *QUERIES)
    path = written(tmp_path / "predictions.json", {"q1": "the Eiffel tower", "q2": "In 1911."})
    found = scored(capsys, data, path, "--split", "test")
    assert found["all"] == found["all"] | {"questions": 2}
    assert found["all"]["exact_match"]["mean"] == found["all"]["f1"]["mean"] == 1.0
    assert "unanswerable" not in found
    path = written(tmp_path / "b.jsonl", {"n": "q1", "said": "tower"}, {"n": "q2", "said": ""})
    words = [data, path, "--split", "test", "--id-key", "n", "--answer-key", "said"]
    assert scored(capsys, *words)["all"]["exact_match"]["mean"] == 0.5


def test_an_answer_that_is_not_there_counts_0_and_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = written(tmp_path / "a.jsonl", {"id": "q1", "answer": "tower"})
    assert main(["answers", folder(tmp_path, *QUERIES), path, "--json"]) == 0
    done = capsys.readouterr()
    assert "3 questions have no answer in the file and count 0: q2, q3, q4" in done.err
    assert json.loads(done.out)["unanswerable"]["exact_match"]["mean"] == 0.0


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([{"id": "q1", "answer": "x"}, {"id": "zz", "answer": "x"}], ":2: is an answer for 'zz'"),
        ([{"id": "q1", "answer": "x"}, {"id": "q1", "answer": "y"}], ":2: is a second answer for 'q1'"),
        ([{"id": "q1", "text": "x"}], ":1: has no 'answer'"),
        ([{"id": "q1", "answer": 7}], ":1: column 'answer' is not text"),
        ([{"nobody": "x"}], ":1: is an answer for 'nobody'"),
        ([{"q1": 7}], ":1: column 'q1' is not text"),
        ([{"qid": 7}], ":1: has no 'id'"),
        ([], "a.jsonl: no question has an answer in the file"),
    ],
)
def test_wrong_files_are_told_by_line(
    rows: list[Any], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = written(tmp_path / "a.jsonl", *rows)
    assert main(["answers", folder(tmp_path, *QUERIES), path]) == 2
    assert message in capsys.readouterr().err


def test_wrong_answers_of_a_dataset(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = written(tmp_path / "a.jsonl", {"id": "q1", "answer": "x"})
    assert main(["answers", folder(tmp_path, {"answers": "x"}), path]) == 2
    assert "the answers of query 'q1' are 'x'" in capsys.readouterr().err
    scifact = str(FIXTURES / "scifact" / "beir")
    assert main(["answers", scifact, path]) == 2


def test_hebrew_answers_of_squads_form(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = written(tmp_path / "a.jsonl", {"id": "d1", "answer": "מגדלור."}, {"id": "d2", "answer": ""})
    found = scored(capsys, str(FIXTURES / "squad" / "beir"), path)
    assert found["answerable"]["exact_match"]["mean"] > 0
    assert found["unanswerable"]["exact_match"]["mean"] > 0
