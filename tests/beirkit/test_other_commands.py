"""`list`, `convert`, `check`, `stats`, `version`, and what happens to errors."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import pytest

from beirkit.cli.listing import KINDS
from beirkit.cli.main import main


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_is_listed(kind: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list", kind, "--json"]) == 0
    names = [item["name"] for item in json.loads(capsys.readouterr().out)]
    assert names
    assert main(["list", kind]) == 0
    shown = capsys.readouterr().out
    assert all(name in shown for name in names)


def test_the_contract_s_names_exist(capsys: pytest.CaptureFixture[str]) -> None:
    for kind, wanted in {
        "datasets": {"pystdlib", "scifact"},
        "formats": {"beir", "scifact", "table", "pystdlib"},
        "retrievers": {"bm25", "bm25-hebrew", "bm25-mteb", "rank-bm25", "minilm"},
        "protocols": {"beirkit", "beir", "trec_eval", "mteb"},
        "suites": {"demo"},
    }.items():
        assert main(["list", kind, "--json"]) == 0
        assert wanted <= {item["name"] for item in json.loads(capsys.readouterr().out)}


def test_a_csv_becomes_a_folder_that_runs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = tmp_path / "faq.csv"
    table.write_text(
        "question,answer\nHow do I reset my password?,Use the reset link on the sign-in page.\n"
        "Where is my invoice?,Invoices are under Billing.\n",
        encoding="utf-8",
    )
    words = ["convert", "table", str(table), "--out", "faq", "--set", "question=question", "positive=answer"]
    assert main([*words, "--json"]) == 0
    made = json.loads(capsys.readouterr().out)
    assert (made["path"], made["counts"]["documents"], made["counts"]["queries"]) == ("faq", 2, 2)
    assert main(["check", "faq", "--strict"]) == 0
    assert main(["run", "-d", "faq", "-r", "bm25", "--quiet"]) == 0
    assert main([*words]) == 2
    assert "--overwrite" in capsys.readouterr().err
    assert main([*words, "--overwrite"]) == 0


def test_check_exits_with_1_on_errors_and_strictly_on_warnings(
    birds: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", str(birds), "--strict"]) == 0
    with (birds / "corpus.jsonl").open("a", encoding="utf-8") as file:
        file.write('{"_id": "d5", "title": "", "text": ""}\n')
    assert main(["check", str(birds)]) == 0
    assert main(["check", str(birds), "--strict"]) == 1
    with (birds / "corpus.jsonl").open("a", encoding="utf-8") as file:
        file.write('{"_id": "d6", "title": ""\n')
    capsys.readouterr()
    assert main(["check", str(birds), "--json"]) == 1
    findings = json.loads(capsys.readouterr().out)
    [error] = [finding for finding in findings if finding["severity"] == "error"]
    assert error["line"] == 6
    assert error["path"].endswith("corpus.jsonl")


def test_stats_count_what_is_there(birds: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["stats", str(birds), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["splits"]["test"]["grades"] == {"1": 4, "2": 1}
    assert main(["stats", str(birds)]) == 0
    assert "5 judgments of 4 queries" in capsys.readouterr().out


def test_version_names_what_it_stands_on(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["version", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["home"] == str(home)
    assert "pytrec-eval-terrier" in found["libraries"]
    assert main(["version"]) == 0
    assert f"beirkit {found['beirkit']}" in capsys.readouterr().out


def test_warmup_compiles_or_says_why_not(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("BEIRKIT_NUMBA", raising=False)
    there = importlib.util.find_spec("numba") is not None
    assert main(["warmup", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["compiled"] is there
    assert main(["warmup"]) == 0
    assert ("ready after" if there else "pip install 'beirkit[fast]'") in capsys.readouterr().out
    monkeypatch.setenv("BEIRKIT_NUMBA", "0")
    assert main(["warmup"]) == 0
    assert capsys.readouterr().out == "numpy does the work: BEIRKIT_NUMBA is 0\n"


def test_data_goes_to_the_platform_s_folder_unless_told_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    from beirkit.home import home

    monkeypatch.setenv("BEIRKIT_HOME", "~/my-beirkit")
    assert home() == Path.home() / "my-beirkit"
    monkeypatch.delenv("BEIRKIT_HOME")
    assert home().name == "beirkit"


def test_a_reader_that_has_seen_enough_is_no_failure() -> None:
    command = f"{sys.executable} -P -m beirkit list measures | true; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_closed_output_is_no_traceback() -> None:
    command = f"{sys.executable} -P -m beirkit version >&-"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_stats_knows_built_datasets_by_name(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["convert", "pystdlib"]) == 0
    assert "next: beirkit run -d pystdlib" in capsys.readouterr().err
    assert main(["stats", "pystdlib", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["splits"]["test"]["judgments"] > 1000


def test_options_are_not_abbreviated(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["score", "a", "b", "--prot", "beir"])
    assert "--prot" in capsys.readouterr().err


@pytest.mark.parametrize(
    "line",
    [
        "compare a.trec b.trec --qrels birds.beir -m RR --seed -1",
        "pool birds.beir a.trec --out pool.csv --seed -1",
        "run -d birds.beir -r bm25 --seed -1",
        "run -d birds.beir -r bm25 --sample queries=1 --seed -1",
        "run -d birds.beir -r bm25 --sample queries=1,seed=-1",
    ],
)
def test_a_negative_seed_is_refused_in_one_way(
    line: str,
    birds: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in "ab":
        (tmp_path / f"{name}.trec").write_text("q1 Q0 d4 1 2.0 t\nq2 Q0 d4 1 1.0 t\n", encoding="utf-8")
    assert main(line.replace("birds.beir", str(birds)).split()) == 2
    told = "beirkit: error: the seed -1 is negative (seeds are whole numbers from 0)"
    assert capsys.readouterr().err.splitlines()[-1] == told
    assert not (tmp_path / "pool.csv").exists()
    assert not (tmp_path / "results").exists()


def test_the_seed_0_is_a_seed_of_a_sample(
    birds: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["run", "-d", str(birds), "-r", "bm25", "--sample", "queries=1", "--seed", "0"]) == 0
    assert "+sample-1q-s0" in "".join(capsys.readouterr().out.split())
