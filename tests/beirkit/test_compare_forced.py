"""`beirkit compare --force`: what is not alike is cut to what is, and every form of the report says so."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest

from beirkit.cli.main import main

DETAILS = ("--slices", "--worst", "2", "--bounds", "--overlap", "--all-protocols")


def run(out: str, *words: str) -> str:
    """The folder of one result of bm25 over the birds."""
    assert main(["run", "-d", "birds", "-r", "bm25", "-m", "RR@10", "P@1", "--out", out, *words, "-q"]) == 0
    [manifest] = Path(out).glob("*/*/manifest.json")
    return str(manifest.parent)


def shown(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[str, str]:
    capsys.readouterr()
    assert main(["compare", *words, "--samples", "100"]) == 0
    caught = capsys.readouterr()
    return " ".join(caught.out.split()), " ".join(caught.err.split())


def table(capsys: pytest.CaptureFixture[str], *words: str) -> Any:
    capsys.readouterr()
    assert main(["compare", *words, "--samples", "100", "--json", "-q"]) == 0
    [found] = json.loads(capsys.readouterr().out)["tables"]
    return found


def refused(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    capsys.readouterr()
    assert main(["compare", *words]) == 2
    return " ".join(capsys.readouterr().err.split())


def lose_a_query(birds: Path, query_id: str) -> None:
    judged = birds / "qrels" / "test.tsv"
    lines = judged.read_text(encoding="utf-8").splitlines(keepends=True)
    judged.write_text("".join(line for line in lines if not line.startswith(query_id)), encoding="utf-8")


@pytest.mark.parametrize("measure", ["RR@10", "P@1", "RR"])
def test_kept_results_are_cut_to_the_depth_they_have_in_common(
    measure: str, birds: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    deep, flat = run("deep", "-k", "1000"), run("flat", "-k", "1")
    words = (deep, flat, "-m", measure)
    assert "not comparable: k is 1000 in deep/bm25 and 1 in flat/bm25" in refused(capsys, *words)
    found = table(capsys, *words, "--force")
    assert found["depth"] == 1
    assert found["forced"][0] == "both cut to depth 1 (deep/bm25 holds 1,000, flat/bm25 holds 1)"
    assert found["forced"][1].startswith("compared all the same: k is 1000")
    assert found["rows"][0]["difference"] == 0  # bm25 beside itself, looked at as deep
    said, notes = shown(capsys, *words, "--force")
    assert "(FORCED: both cut to depth 1 (" in said
    assert "Forced: birds: both cut to depth 1 (" in notes
    assert "Forced: birds: compared all the same: k is 1000" in notes


def test_a_measure_that_looks_deeper_is_scored_at_the_common_depth(
    birds: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    queries = birds / "queries.jsonl"
    queries.write_text(queries.read_text(encoding="utf-8").replace("penguin", "bird"), encoding="utf-8")
    deep, flat = run("deep", "-k", "1000"), run("flat", "-k", "1")
    [alone] = table(capsys, deep, "-m", "NumRet")["standings"]
    assert alone["mean"] > 1  # two of the documents are birds
    found = table(capsys, deep, flat, "-m", "NumRet", "--force")
    assert {standing["mean"] for standing in found["standings"]} == {1.0}


def test_kept_results_are_compared_over_their_common_queries(
    birds: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    whole = run("whole")
    lose_a_query(birds, "q4")
    less = run("less")
    assert "different data versions: content id of qrels/test" in refused(capsys, whole, less)
    found = table(capsys, whole, less, "--force", "-m", "RR@10")
    assert found["queries"] == 3
    assert {standing["mean"] for standing in found["standings"]} == {1.0}  # q4, which nothing finds, is out
    assert found["forced"][0] == "compared over 3 common queries"
    said, notes = shown(capsys, whole, less, "--force", "-m", "RR@10")
    assert "over 3 queries (FORCED: compared over 3 common queries)" in said
    assert "Forced: birds: compared over 3 common queries" in notes


def test_a_sample_beside_the_whole(birds: Path, capsys: pytest.CaptureFixture[str]) -> None:
    whole, part = run("whole"), run("part", "--sample", "queries=2")
    for words in ((whole, part), (part, whole)):
        said, _ = shown(capsys, *words, "-m", "RR@10", "--force")
        assert "(SAMPLE) (FORCED: compared over 2 common queries)" in said
    found = table(capsys, whole, part, "--qrels", "birds", "-m", "RR@10", "--force")
    assert found["queries"] == 2


def test_nothing_in_common_is_no_comparison(birds: Path, capsys: pytest.CaptureFixture[str]) -> None:
    whole = birds / "qrels" / "test.tsv"
    rows = whole.read_text(encoding="utf-8")
    for query_id in ("q2", "q3", "q4"):
        lose_a_query(birds, query_id)
    first = run("first")
    whole.write_text(rows, encoding="utf-8")
    lose_a_query(birds, "q1")
    second = run("second")
    assert "have no query in common" in refused(capsys, first, second, "--force")
    words = (first, second, "--qrels", "birds", "--force")
    assert "no judged query was searched by all of" in refused(capsys, *words)


def test_details_are_of_what_is_compared(birds: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folders = (run("whole", "-k", "100"), run("part", "--sample", "queries=2", "-k", "10"))
    capsys.readouterr()
    assert main(["compare", *folders, "-m", "RR@10", "--force", "--json", "--samples", "100", *DETAILS]) == 0
    [details] = json.loads(capsys.readouterr().out)["details"]
    assert details["overlap"][0]["queries"] <= 2
    told, _ = shown(capsys, *folders, "-m", "RR@10", "--force", "--all-protocols")
    # the queries that one did not search count in neither, under no protocol
    assert "part/bm25 is identical to whole/bm25 under 2 of 2 settings" in told


def test_a_depth_that_makes_judged_runs_alike_needs_no_force(
    birds: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = (run("deep", "-k", "1000"), run("flat", "-k", "3"), "--qrels", "birds", "-m", "NumRet")
    assert "not comparable: k is 1000" in refused(capsys, *words)
    found = table(capsys, *words, "--depth", "2")
    assert (found["depth"], found["forced"]) == (2, [])
    assert "holds 3 results per query, not 5" in refused(capsys, *words, "--depth", "5")


def test_every_form_tells_a_cut(birds: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = (run("deep", "-k", "1000"), run("flat", "-k", "1"), "--qrels", "birds", "-m", "RR@10", "--force")
    told = "both cut to depth 1 ("
    for name in ("a.txt", "a.md", "a.tex", "a.csv", "a.json"):
        capsys.readouterr()
        assert main(["compare", *words, "--samples", "100", "--out", name, "-q"]) == 0
        written = (tmp_path / name).read_text(encoding="utf-8")
        assert told in " ".join(written.split()), name
        if name == "a.csv":
            assert all(told in row["note"] for row in csv.DictReader(io.StringIO(written)))


def test_queries_that_a_protocol_skips_in_one_run_count_in_none(
    birds: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.trec").write_text("q1 Q0 d1 1 1 a\nq2 Q0 d2 1 1 a\n", encoding="utf-8")
    (tmp_path / "b.trec").write_text("q1 Q0 d1 1 1 b\n", encoding="utf-8")
    words = ("a.trec", "b.trec", "--qrels", "birds", "--protocol", "beirkit:missing=skip", "-m", "RR@10")
    assert "1 queries, such as 'q2', count in one of" in refused(capsys, *words)
    found = table(capsys, *words, "--force")
    assert found["queries"] == 1
    assert found["forced"] == ["compared over 1 common queries"]
