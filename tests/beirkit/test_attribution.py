"""``beirkit attribution``: prompts, scores and checks from files, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from beirkit.cli.main import main

RECORDS = Path(__file__).parents[1] / "fixtures" / "asmachta" / "raw.json"

OUTPUTS = {
    "k1": "1. ההצעה נדחתה [ההצעה {3} נדחתה ב-7 קולות]\n2. ההצבעה נפסלה [וההצבעה נפסלה]",
    "k2": "אין תשובה במסמך.",
    "e1": "להלן התשובה:\n1) הגשר נבנה ב-1912 [הַגֶּשֶׁר נבנה בשנת 1912]",
    "e2": "הגשר עמד פתוח 43 שנים.",
    "7": "1. השוק ייפתח במאי [שוק הדגים ייפתח  מחדש\nבחודש מאי]",
}


def outputs(folder: Path, given: dict[str, str] = OUTPUTS, **more: Any) -> str:
    path = folder / "outputs.jsonl"
    lines = [json.dumps({"id": name, "output": text, **more}) for name, text in given.items()]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return str(path)


def scored(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
    assert main(["attribution", "score", *words, "--json"]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def test_scores_of_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "scores.jsonl"
    found = scored(capsys, str(RECORDS), outputs(tmp_path), "--out", str(out))
    overall = found["overall"]
    assert (overall["records"], overall["parsed"]) == (4, 3)
    assert overall["verified_quote_rate_strict"] == 0.75
    assert overall["verified_quote_rate_parsed"] == 1.0
    assert overall["format_compliance"] == 0.75
    assert found["quotes"] == {"exact": 2, "normalized": 1, "fuzzy": 1, "none": 0}
    assert found["warnings"] == {"digits": 1}
    assert found["abstention"]["unanswerable"] == {"answered": 0, "declined": 1, "empty": 0, "missing": 0}
    assert found["rules"]["fuzzy_threshold"] == 0.9
    assert found["refusals"] == "beirkit-refusals/1"
    assert set(found["versions"]) == {"beirkit", "rapidfuzz"}
    assert set(found["genres"]) == {"dialogue", "encyclopedic", "journalistic"}
    assert set(found["difficulties"]) == {"1", "2"}
    assert found["human_ratings"]["indicative"] is True
    assert len(found["human_ratings"]["dimensions"]) == 5
    lines = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    assert [line["id"] for line in lines] == ["k1", "k2", "e1", "e2", "7"]
    sources = {str(r["id"]): r["source_text"] for r in json.loads(RECORDS.read_text(encoding="utf-8"))}
    quote = lines[0]["attributed"]["claims"][1]["quotes"][0]
    assert sources["k1"][quote["start"] : quote["end"]] == "וההצבעה נפסלה"


def test_the_table_keeps_rates_apart(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["attribution", "score", str(RECORDS), outputs(tmp_path)]) == 0
    printed = capsys.readouterr().out
    for words in ("strict", "parsed", "format compliance", "genre dialogue", "difficulty 2", "indicative"):
        assert words in printed
    assert "exact 2 (50%), normalized 1 (25%), fuzzy 1 (25%), none 0 (0%)" in printed


def test_rules_are_kept_with_the_figures(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = scored(capsys, str(RECORDS), outputs(tmp_path), "--set", "fuzzy_threshold=0.99", "unit=claim")
    assert found["rules"]["fuzzy_threshold"] == 0.99
    assert found["overall"]["verified_quote_rate_strict"] == 0.5
    assert main(["attribution", "score", str(RECORDS), outputs(tmp_path), "--set", "threshold=1"]) == 2
    assert "fuzzy_threshold" in capsys.readouterr().err
    assert main(["attribution", "score", str(RECORDS), outputs(tmp_path), "--set", "fuzzy_threshold=2"]) == 2
    assert "at most 1" in capsys.readouterr().err


def test_a_file_without_outputs_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = outputs(tmp_path, {})
    assert main(["attribution", "score", str(RECORDS), path]) == 2
    assert f"{path}: no record has an output" in capsys.readouterr().err


def test_missing_outputs_count_and_are_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    few = {name: OUTPUTS[name] for name in ("k1", "k2")}
    assert main(["attribution", "score", str(RECORDS), outputs(tmp_path, few), "--json"]) == 0
    done = capsys.readouterr()
    assert "3 records have no output and count as unparsable: e1, e2, 7" in done.err
    assert json.loads(done.out)["overall"]["verified_quote_rate_strict"] == 0.25
    assert json.loads(done.out)["abstention"]["answerable"]["missing"] == 3


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ('{"id": "k1", "output": "x"}\n{"id": "zz", "output": "x"}\n', ":2: is an output for 'zz'"),
        ('{"id": "k1", "output": "x"}\n{"id": "k1", "output": "y"}\n', ":2: is a second output for 'k1'"),
        ('{"id": "k1", "text": "x"}\n', ":1: has no 'output'"),
        ('{"id": "k1", "output": 3}\n', ":1: column 'output' is not text"),
        ('{"id": "k1", "output": "x", "declined": "no"}\n', ":1: 'declined' is 'no'"),
        ('{"id": "k1", "output"\n', ":1: "),
    ],
)
def test_wrong_outputs_are_told_by_line(
    lines: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "o.jsonl"
    path.write_text(lines, encoding="utf-8")
    assert main(["attribution", "score", str(RECORDS), str(path)]) == 2
    assert f"o.jsonl{message}" in capsys.readouterr().err


def test_any_file_of_source_and_output_will_do(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "own.jsonl"
    rows = [
        {"n": 1, "context": "The bridge opened in 1911.", "answer": "1. It opened [opened in 1911]"},
        {"n": 2, "context": "The market is closed.", "answer": "Not in the document.", "answerable": False},
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    found = scored(capsys, str(path), "--key", "id=n", "--key", "source=context", "--key", "output=answer")
    assert found["overall"]["verified_quote_rate_strict"] == 1.0
    assert found["abstention"]["unanswerable"]["declined"] == 1
    assert found["human_ratings"] is None
    assert main(["attribution", "score", str(path), "--key", "text=context"]) == 2
    assert "unknown field" in capsys.readouterr().err


def test_records_without_ids_are_counted_where_nothing_is_joined(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, out = tmp_path / "own.jsonl", tmp_path / "scores.jsonl"
    row = {"source_text": "The bridge opened in 1911.", "output": "1. It opened [opened in 1911]"}
    path.write_text(f"{json.dumps(row)}\n" * 2, encoding="utf-8")
    found = scored(capsys, str(path), "--out", str(out))
    assert found["overall"]["records"] == 2
    assert [json.loads(line)["id"] for line in out.read_text(encoding="utf-8").splitlines()] == ["1", "2"]
    path.write_text(f"{json.dumps(row)}\n{json.dumps({**row, 'id': '1'})}\n", encoding="utf-8")
    assert main(["attribution", "score", str(path)]) == 2
    assert "own.jsonl:2: has 'id', and the first record has none" in capsys.readouterr().err
    path.write_text(f"{json.dumps({**row, 'id': 'a'})}\n{json.dumps(row)}\n", encoding="utf-8")
    assert main(["attribution", "score", str(path)]) == 2
    assert "own.jsonl:2: has no 'id'" in capsys.readouterr().err


def test_a_citation_is_never_a_refusal_and_labels_tell_the_rest(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = {"k2": "אין תשובה, אבל:\n1. א [ישיבה 12]", "e1": "סירבתי"}
    path = outputs(tmp_path, given, declined=True)
    assert main(["attribution", "score", str(RECORDS), path, "--json"]) == 0
    done = capsys.readouterr()
    abstention = json.loads(done.out)["abstention"]
    assert abstention["unanswerable"]["answered"] == 1
    assert abstention["answerable"]["declined"] == 1
    assert "1 outputs are labelled as declining and cite all the same" in done.err


def test_refusals_by_own_patterns_and_own_function(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = outputs(tmp_path, {"k2": "PASS", "e1": "אין תשובה"})
    patterns = tmp_path / "p.txt"
    patterns.write_text("# ours\n^pass$\n", encoding="utf-8")
    by_pattern = scored(capsys, str(RECORDS), path, "--refusal-patterns", str(patterns))
    assert by_pattern["refusals"].startswith("p.txt sha256:")
    assert by_pattern["abstention"]["unanswerable"]["declined"] == 1
    assert by_pattern["abstention"]["answerable"]["declined"] == 0
    (tmp_path / "own_refusals.py").write_text("def judge(output):\n    return output == 'PASS'\n")
    monkeypatch.syspath_prepend(tmp_path)
    by_function = scored(capsys, str(RECORDS), path, "--refusal", "own_refusals:judge")
    assert by_function["refusals"] == "own_refusals:judge"
    assert by_function["abstention"] == by_pattern["abstention"]
    for name in ("own_refusals:absent", "nowhere:judge", "own_refusals"):
        assert main(["attribution", "score", str(RECORDS), path, "--refusal", name]) == 2


def test_prompts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "prompts.jsonl"
    assert main(["attribution", "prompts", str(RECORDS), "--out", str(out), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    lines = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    assert told["prompts"] == len(lines) == 5
    assert {line["template_sha256"] for line in lines} == {told["template_sha256"]}
    assert "ההצעה {3} נדחתה" in lines[0]["prompt"]
    assert "מה עלה בגורל ההצעה ומדוע?" in lines[0]["prompt"]
    template = tmp_path / "t.txt"
    template.write_text("{question}\n{source_text}", encoding="utf-8")
    assert main(["attribution", "prompts", str(RECORDS), "--out", str(out), "--template", str(template)]) == 0
    first = json.loads(out.read_text(encoding="utf-8").splitlines()[0])
    assert first["prompt"].startswith("מה עלה בגורל ההצעה ומדוע?\n☂")
    assert first["template_sha256"] != told["template_sha256"]


def test_check(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["attribution", "check", str(RECORDS)]) == 0
    assert "as the card says" in capsys.readouterr().out
    wrong = json.loads(RECORDS.read_text(encoding="utf-8"))
    wrong[0]["genre"] = "poetry"
    path = tmp_path / "a.json"
    path.write_text(json.dumps(wrong, indent=1), encoding="utf-8")
    assert main(["attribution", "check", str(path)]) == 1
    assert "a.json:2: record 'k1': the genre is 'poetry'" in capsys.readouterr().out
    assert main(["attribution", "check", str(path), "--json"]) == 1
    assert json.loads(capsys.readouterr().out)[0]["line"] == 2
    wrong[0] |= {"genre": "dialogue", "question": " "}
    path.write_text(json.dumps(wrong, indent=1), encoding="utf-8")
    assert main(["attribution", "check", str(path)]) == 1
    assert capsys.readouterr().out == f"{path}:2: record 'k1': its question is empty\n"
    path.write_text("[]", encoding="utf-8")
    assert main(["attribution", "check", str(path)]) == 2
    assert "a.json: holds no record" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["prompts", str(RECORDS)], "add --out"),
        (["check", str(RECORDS), "x"], "takes one file"),
        (["score", str(RECORDS), "--template", "x"], "--template is for"),
        (["score", str(RECORDS)], f"{RECORDS}: no record has an output"),
        (["score", "absent.json"], "does not exist"),
    ],
)
def test_wrong_use(words: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["attribution", *words]) == 2
    assert message in capsys.readouterr().err
