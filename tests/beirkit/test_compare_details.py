"""What `beirkit compare` shows besides its tables."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from beirkit.cli.main import main

ALL = ("--slices", "--bounds", "--overlap", "--worst", "2", "--costs", "--all-protocols")


@pytest.fixture
def runs(tmp_path: Path) -> list[Path]:
    """Over the birds: one right but for q4, and one that finds an unjudged document first."""
    lists = {
        "right": {"q1": "d1 d3", "q2": "d2", "q3": "d3", "q4": "d1"},
        "odd": {"q1": "d2 d1", "q2": "d4 d2", "q3": "d1", "q4": "d4"},
    }
    paths = []
    for name, by_query in lists.items():
        rows = [
            f"{q} Q0 {d} {rank} {9 - rank} {name}\n"
            for q, docs in by_query.items()
            for rank, d in enumerate(docs.split(), 1)
        ]
        paths.append(tmp_path / f"{name}.trec")
        paths[-1].write_text("".join(rows), encoding="utf-8")
    return paths


def compared(capsys: pytest.CaptureFixture[str], *words: str | Path) -> dict[str, Any]:
    assert main(["compare", *map(str, words), "--samples", "200", "--json"]) == 0
    [details] = json.loads(capsys.readouterr().out)["details"]
    found: dict[str, Any] = details
    return found


def test_nothing_unless_asked(runs: list[Path], birds: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", *map(str, runs), "--qrels", str(birds), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["details"] == []


def test_everything_over_a_folder(runs: list[Path], birds: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = compared(capsys, *runs, "--qrels", birds, "-m", "RR@10", *ALL)
    assert set(found) == {"dataset", "slices", "bounds", "overlap", "worst", "costs", "robustness"}
    by: dict[str, dict[str, int]] = {}
    for row in found["slices"]["rows"]:
        by.setdefault(row["slicing"], {})[row["label"]] = row["queries"]
    assert by == {
        "words of the query": {"1": 1, "2": 2, "3": 1},
        "relevant documents": {"1": 3, "2": 1},
        # q1 shares both words with d1 and none with d3; q2 all three, q3 both, q4 none
        "words in relevant documents": {"0.00": 1, "0.50": 1, "1.00": 2},
    }
    [bounds] = found["bounds"]
    ours, theirs = bounds["systems"]
    assert (ours["system"], ours["mean"], ours["low"], ours["high"]) == ("right.trec", 0.75, 0.75, 1)
    assert (theirs["mean"], theirs["high"]) == (0.5, 1)
    [row] = bounds["rows"]
    # q1, q2 and q3 of the odd one could be 1, and q4 of the other stay 0
    assert (row["difference"], row["low"], row["high"], row["settled"]) == (-0.25, -0.5, 0.25, False)
    [overlap] = found["overlap"]
    assert (overlap["queries"], overlap["overlap"]) == (4, pytest.approx((1 / 3 + 1 / 2 + 0 + 0) / 4))
    [worst] = found["worst"]
    assert [(one["query_id"], one["difference"]) for one in worst["queries"]] == [("q3", -1), ("q4", 1)]
    assert worst["queries"][0]["text"] == "forked tail"
    assert (worst["queries"][1]["first"], worst["queries"][1]["other_first"]) == (1, None)
    assert found["costs"]["odd.trec"]["latency_p50"] is None
    assert found["robustness"]["asked"] == {"odd.trec": "not separable"}
    assert {one["measure"] for one in found["robustness"]["settings"]} == {"RR@10", "RR@1"}


def test_tables_and_sentences_for_people(
    runs: list[Path], birds: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "page.md"
    words = ["compare", *map(str, runs), "--qrels", str(birds), "-m", "RR@10", "Bpref", *ALL]
    assert main([*words, "--samples", "200", "--markdown", str(page)]) == 0
    shown, written = capsys.readouterr().out, page.read_text(encoding="utf-8")
    for said in (
        "RR@10: unjudged documents could turn who is ahead of odd.trec and right.trec "
        "(-0.2500, -0.5000 … +0.2500)",
        "Bpref: its bounds are not known",
        "odd.trec is not separable from right.trec under 2 of 2 settings",
    ):
        assert said in shown
        assert said in written
    for title in ("How alike the lists are", "RR@10 in slices, compared with right.trec", "Costs"):
        assert title in shown
        assert f"## {title}" in written


def test_bare_judgments_have_fewer_slices_and_no_metadata(
    runs: list[Path], birds: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    judgments = birds / "qrels" / "test.tsv"
    found = compared(capsys, *runs, "--qrels", judgments, "--slices")
    assert {row["slicing"] for row in found["slices"]["rows"]} == {"relevant documents"}
    assert main(["compare", *map(str, runs), "--qrels", str(judgments), "--slice-by", "kind"]) == 2
    assert "bare judgments say nothing about queries" in capsys.readouterr().err


def test_slices_by_metadata(runs: list[Path], birds: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = birds / "queries.jsonl"
    records = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    for number, record in enumerate(records):
        record["metadata"] = {"language": "en", "kind": "odd" if number % 2 else "even"}
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    found = compared(capsys, *runs, "--qrels", birds, "--slice-by", "kind")
    labels = [(row["slicing"], row["label"]) for row in found["slices"]["rows"] if row["slicing"] == "kind"]
    assert labels == [("kind", "even"), ("kind", "odd")]
    assert found["slices"]["undivided"] == ["language"]
    assert main(["compare", *map(str, runs), "--qrels", str(birds), "--slice-by", "kin"]) == 2
    assert "no judged query has the metadata 'kin' (they have: kind, language)" in capsys.readouterr().err


def test_kept_results_tell_what_they_cost_and_what_was_cut(
    birds: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["run", "-d", str(birds), "-r", "bm25", "bm25:k1=2.0", "--out", str(tmp_path / "out"), "--json"]
    assert main(words) == 0
    folders = [Path(one["path"]) for one in json.loads(capsys.readouterr().out)["results"]]
    manifest = folders[1] / "manifest.json"
    facts = json.loads(manifest.read_text(encoding="utf-8"))
    facts["report"]["query"] = {"texts": 4, "truncated": 1, "truncated_ids": ["q2"]}
    manifest.write_text(json.dumps(facts), encoding="utf-8")
    found = compared(capsys, *folders, "--qrels", birds, *ALL)
    assert [one["latency_p50"] is None for one in found["costs"].values()] == [False, False]
    cut = {
        row["label"]: row["queries"]
        for row in found["slices"]["rows"]
        if row["slicing"].startswith("read by")
    }
    assert cut == {"truncated": 1, "whole": 3}


def test_impossible_numbers_are_refused(
    runs: list[Path], birds: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["compare", *map(str, runs), "--qrels", str(birds), "--worst", "0"]) == 2
    assert "a whole number from 1" in capsys.readouterr().err


def test_a_suite_is_sliced_by_the_tasks_of_its_datasets(
    birds: Path, home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("scifact", "nfcorpus"):
        shutil.copytree(birds, home / "corpora" / "built" / name)
    words = ["run", "-d", "scifact", "nfcorpus", "-r", "bm25", "bm25:k1=2.0", "--split", "test", "--json"]
    assert main([*words, "--out", str(tmp_path / "out")]) == 0
    capsys.readouterr()
    [table] = (tmp_path / "out").glob("*.json")
    words = ["compare", str(table), "--slices", "--costs", "--samples", "200", "--json"]
    assert main(words) == 0
    suite, *datasets = json.loads(capsys.readouterr().out)["details"]
    assert (suite["dataset"], suite["slices"]["undivided"]) == ("2 datasets", ["language"])
    labels = {(row["slicing"], row["label"], row["queries"]) for row in suite["slices"]["rows"]}
    assert labels == {
        ("task", "fact checking (1 dataset)", 4),
        ("task", "bio-medical retrieval (1 dataset)", 4),
    }
    assert [(one["dataset"], set(one)) for one in datasets] == [
        (name, {"dataset", "slices", "costs"}) for name in ("scifact", "nfcorpus")
    ]
