"""`beirkit score` and `beirkit compare` on files of any origin."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from beirkit.cli.compare_inputs import system_names
from beirkit.cli.main import main

RUN = "q1 Q0 d1 1 2.0 mine\nq1 Q0 d2 2 1.0 mine\nq2 Q0 d9 1 5.0 mine\nq2 Q0 d2 2 4.0 mine\n"
TREC_QRELS = "q1 0 d1 1\nq2 0 d2 1\nq3 0 d3 1\n"


@pytest.fixture
def run(tmp_path: Path) -> Path:
    path = tmp_path / "mine.trec"
    path.write_text(RUN, encoding="utf-8")
    return path


@pytest.fixture
def qrels(tmp_path: Path) -> Path:
    path = tmp_path / "q.qrels"
    path.write_text(TREC_QRELS, encoding="utf-8")
    return path


def _json(capsys: pytest.CaptureFixture[str], *words: str | Path) -> Any:
    assert main([*map(str, words), "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_a_trec_run_is_scored_against_trec_qrels(
    run: Path, qrels: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = _json(capsys, "score", "-m", "MRR@10", "P_1", run, qrels)
    assert found["measures"] == {"RR@10": pytest.approx((1 + 0.5 + 0) / 3), "P@1": pytest.approx(1 / 3)}
    assert (found["queries"]["judged"], found["queries"]["missing"]) == (3, 1)


def test_gzip_and_a_beir_file_say_the_same(
    run: Path, qrels: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    packed = tmp_path / "mine.trec.gz"
    packed.write_bytes(gzip.compress(RUN.encode()))
    tsv = tmp_path / "test.tsv"
    tsv.write_text("query-id\tcorpus-id\tscore\nq1\td1\t1\nq2\td2\t1\nq3\td3\t1\n", encoding="utf-8")
    assert _json(capsys, "score", packed, tsv) == _json(capsys, "score", run, qrels)


def test_abstention_is_told_for_each_measure_and_kind_of_confidence(
    run: Path, qrels: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """q2 has the best score and the same deviation and lead as q1, which is better; q3 has no results."""
    found = _json(capsys, "score", run, qrels, "-m", "RR@10", "R@10", "Judged@10", "--abstention")
    # RR is 1, 1/2, 0. Of three queries 0 are left out (twice), 1 (at .2 to .4) and 2 (from .5 on).
    oracle = 0.1 * (0.5 + (0.5 + 0.75) / 2 + 2 * 0.75 + (0.75 + 1) / 2 + 4 * 1)
    by_max = 0.1 * (0.5 + (0.5 + 0.75) / 2 + 2 * 0.75 + (0.75 + 0.5) / 2 + 4 * 0.5)
    even = 0.1 * (0.5 + (0.5 + 0.75) / 2 + 7 * 0.75)
    assert found["nauc"]["RR@10"] == {
        "max": pytest.approx((by_max - 0.45) / (oracle - 0.45)),
        "std": pytest.approx((even - 0.45) / (oracle - 0.45)),
        "diff1": pytest.approx((even - 0.45) / (oracle - 0.45)),
    }
    assert found["nauc"]["R@10"] == dict.fromkeys(("max", "std", "diff1"), pytest.approx(1.0))
    assert "nauc" not in _json(capsys, "score", run, qrels, "-m", "RR@10")
    same = _json(capsys, "score", run, qrels, "-m", "P@1(judged_only=True)", "NumQ", "--abstention")
    assert same["nauc"]["NumQ"] == {"max": None, "std": None, "diff1": None}
    assert main(["score", str(run), str(qrels), "-m", "NumQ", "--abstention"]) == 0
    assert "–" in capsys.readouterr().out.split("nAUC of abstaining by confidence")[1]


def test_abstention_looks_at_the_lists_that_were_scored(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A query's own document, removed under this protocol, does not make the system sure."""
    (tmp_path / "run.trec").write_text("a Q0 a 1 99 t\na Q0 x 2 1 t\nb Q0 x 1 2 t\n")
    (tmp_path / "q.qrels").write_text("a 0 d 1\nb 0 x 1\n")
    words = ("score", tmp_path / "run.trec", tmp_path / "q.qrels", "-m", "RR", "--abstention")
    assert _json(capsys, *words, "--protocol", "beir")["nauc"]["RR"]["max"] == pytest.approx(1.0)
    assert _json(capsys, *words, "--protocol", "trec_eval")["nauc"]["RR"]["max"] < 0


def test_a_result_folders_run_is_scored_as_its_file_is_with_what_the_folder_tells(
    tmp_path: Path, qrels: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "result").mkdir()
    with gzip.open(tmp_path / "result" / "run.trec.gz", "wt") as file:
        file.write(RUN)
    manifest = {"k": 10, "queries": 3, "self_match": {"query_ids": []}}
    (tmp_path / "result" / "manifest.json").write_text(json.dumps(manifest))
    words = ("score", tmp_path / "result", qrels, "-m", "RR@10", "--protocol", "mteb")
    found = _json(capsys, *words)
    assert found["n"] == {"RR@10": 3}  # q3 was searched and found nothing, so it is not missing from the run
    assert _json(capsys, *words, "--abstention")["measures"] == found["measures"]
    (tmp_path / "result" / "manifest.json").write_text(json.dumps(manifest | {"queries": 2}))
    assert _json(capsys, *words)["n"] == {"RR@10": 2}


def test_per_query_scores_have_canonical_names(
    run: Path, qrels: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = _json(capsys, "score", run, qrels, "-m", "mrr_at_10", "--per-query")
    assert found["per_query"] == {"q1": {"RR@10": 1.0}, "q2": {"RR@10": 0.5}, "q3": {"RR@10": 0.0}}


def test_a_folder_gives_its_split(birds: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = tmp_path / "r.trec"
    run.write_text("q2 Q0 d2 1 1.0 t\n", encoding="utf-8")
    assert _json(capsys, "score", run, birds, "-m", "RR")["measures"] == {"RR": 0.25}
    assert main(["score", str(run), str(birds), "--split", "dev"]) == 2
    assert "it has: test" in capsys.readouterr().err


def test_self_matches_in_bare_files_are_kept(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run, qrels = tmp_path / "r.trec", tmp_path / "q.qrels"
    run.write_text("d1 Q0 d1 1 2.0 t\nd1 Q0 d2 2 1.0 t\n", encoding="utf-8")
    qrels.write_text("d1 0 d2 1\n", encoding="utf-8")
    kept = _json(capsys, "score", run, qrels, "-m", "RR")
    assert (kept["measures"]["RR"], kept["queries"]["self_matches_kept"]) == (0.5, 1)
    removed = _json(capsys, "score", run, qrels, "-m", "RR", "--protocol", "beir")
    assert (removed["measures"]["RR"], removed["queries"]["self_matches_removed"]) == (1.0, 1)


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("r.trec", "q1 Q0 d1 1\n", "r.trec:1"),
        ("r.trec", "q1 Q0 d1 1 high t\n", "r.trec:1"),
        ("r.trec", "q1 Q0 d1 1 nan t\n", "r.trec:1"),
        ("r.trec", "zz Q0 d1 1 1.0 t\n", "0 of 3 judged queries"),
        ("r.trec.gz", gzip.compress(RUN.encode(), mtime=0)[:-9], "truncated gzip"),
        ("r.trec.gz", b"<html>503</html>", "r.trec.gz"),
        ("r.trec", "", "0 of 3 judged queries"),
    ],
)
def test_a_bad_run_is_one_message(
    name: str,
    content: str | bytes,
    said: str,
    qrels: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = tmp_path / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    assert main(["score", str(path), str(qrels)]) == 2
    message = capsys.readouterr().err
    assert said in message
    assert message.count("\n") == 1


def test_a_missing_file_is_one_message(qrels: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["score", "nowhere.trec", str(qrels)]) == 2
    assert capsys.readouterr().err == "beirkit: error: nowhere.trec: does not exist\n"


def test_debug_shows_where_an_error_comes_from(qrels: Path) -> None:
    with pytest.raises((OSError, Exception), match="nowhere"):
        main(["score", "nowhere.trec", str(qrels), "--debug"])


def test_runs_are_compared_with_the_first_or_the_named_one(
    run: Path, qrels: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    better = tmp_path / "better.trec"
    better.write_text("q1 Q0 d1 1 2.0 b\nq2 Q0 d2 1 5.0 b\nq3 Q0 d3 1 5.0 b\n", encoding="utf-8")
    [table] = _json(capsys, "compare", run, better, "--qrels", qrels, "-m", "RR")["tables"]
    assert (table["measure"], table["baseline"], table["queries"]) == ("RR", "mine.trec", 3)
    assert [row["system"] for row in table["standings"]] == ["better.trec", "mine.trec"]
    [row] = table["rows"]
    assert (row["system"], row["other"]) == ("better.trec", "mine.trec")
    assert row["difference"] == pytest.approx(0.5)
    assert row["p"] == pytest.approx(0.5)  # two of 2^2 sign flips
    assert row["wins"] == 2
    [other] = _json(capsys, "compare", run, "--qrels", qrels, "--baseline", better, "-m", "RR")["tables"]
    assert other["baseline"] == "better.trec"
    assert other["rows"][0]["difference"] == pytest.approx(-0.5)
    assert _json(capsys, "compare", run, better, "--qrels", qrels, "-m", "RR")["tables"] == [table]


def test_result_folders_can_be_compared(birds: Path, capsys: pytest.CaptureFixture[str]) -> None:
    items = _json(capsys, "run", "-d", birds, "-r", "bm25", "rank-bm25")["results"]
    [table] = _json(capsys, "compare", *(item["path"] for item in items), "--qrels", birds)["tables"]
    means = {row["system"].split("--")[0]: row["mean"] for row in table["standings"]}
    assert means == {item["retriever"]: pytest.approx(item["measures"]["nDCG@10"]) for item in items}
    assert main(["compare", *(item["path"] for item in items), "--qrels", str(birds)]) == 0
    assert "Holm" in capsys.readouterr().err


def test_what_is_said_about_a_run_names_its_file(
    run: Path, qrels: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = tmp_path / "other.trec"
    other.write_text("q1 Q0 d1 1 2.0 b\n", encoding="utf-8")
    assert main(["compare", str(run), str(other), "--qrels", str(qrels)]) == 0
    said = capsys.readouterr().err
    assert f"{run}: 1 of 3 judged queries have no results in the run" in said
    assert f"{other}: 2 of 3 judged queries have no results in the run" in said
    other.write_text("zz Q0 d1 1 2.0 b\n", encoding="utf-8")
    assert main(["compare", str(run), str(other), "--qrels", str(qrels)]) == 2
    assert f"error: {other}: 0 of 3 judged queries are in the run: " in capsys.readouterr().err


def test_names_of_systems_are_short_and_tell_them_apart() -> None:
    paths = [Path("a/x.trec"), Path("b/x.trec"), Path("c/y.trec"), Path("results/d/bm25--1/run.trec.gz")]
    assert list(system_names(paths)) == ["a/x.trec", "b/x.trec", "y.trec", "bm25--1"]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("odd.trec", "q1 Q0 d1 1 nan mine\nq1 Q0 d2 2 1.0 mine\n"),
        ("odd.json", '{"q1": {"d1": NaN, "d2": 1.0}}'),
    ],
)
@pytest.mark.parametrize("command", ["score", "compare"])
def test_a_score_that_is_not_finite_names_the_option_that_takes_it(
    run: Path, qrels: Path, name: str, text: str, command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    odd = run.with_name(name)
    odd.write_text(text, encoding="utf-8")
    words: list[str | Path] = ["score", odd, qrels]
    if command == "compare":
        words = ["compare", run, odd, "--qrels", qrels]
    assert main([*map(str, words), "-m", "RR@10"]) == 2
    error = capsys.readouterr().err
    assert "--lenient-scores of score and compare (in Python: lenient_scores=True)" in error
    assert str(odd) in error
    found = _json(capsys, *words, "-m", "RR@10", "--lenient-scores")
    mean = found["measures"]["RR@10"] if command == "score" else found["tables"][0]["rows"][0]["mean"]
    assert mean == pytest.approx(1 / 6)


def test_exchanged_and_comma_separated_files_are_recognised(
    run: Path, qrels: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    commas = tmp_path / "commas.csv"
    commas.write_text("q1,0,d1,1\n", encoding="utf-8")
    for words, hint in (
        (
            [qrels, qrels],
            "q.qrels:1: has 4 fields, a run has 6 (query Q0 document rank score tag; this looks like",
        ),
        ([run, run], "mine.trec:1: has 6 columns, which looks like a run (judgments have 3 columns"),
        ([run, commas], "commas.csv:1: has 1 column; are they separated by commas? (judgments have 3"),
        (
            [commas, qrels],
            "commas.csv:1: has 1 fields, a run has 6 (query Q0 document rank score tag; are they",
        ),
    ):
        assert main(["score", *map(str, words)]) == 2
        assert hint in capsys.readouterr().err


def test_json_lines_cannot_hold_nan(qrels: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    odd = tmp_path / "odd.jsonl"
    odd.write_text('{"query_id": "q1", "tag": "x", "results": [["d1", NaN]]}\n', encoding="utf-8")
    assert main(["score", str(odd), str(qrels)]) == 2
    error = capsys.readouterr().err
    assert "odd.jsonl:1: is no list of results" in error
    assert "JSON has no such number; write it as TREC or in a .json, and to rank NaN last" in error
