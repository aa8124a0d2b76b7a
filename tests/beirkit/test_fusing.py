"""``beirkit fuse`` and retrievers of several: weights chosen on one split, reported on another."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from beirkit.cli.main import main
from beirkit.configs.spec import parse_retriever
from beirkit.corpora.errors import ConfigError
from beirkit.corpora.run_files import read_run
from tests.faults.cases import QRELS

DOCUMENTS = {"d1": "red ash", "d2": "red oak red", "d3": "blue ash and a red fir", "d4": "green elm"}


@pytest.fixture
def birds(tmp_path: Path) -> Path:
    folder = tmp_path / "birds"
    (folder / "qrels").mkdir(parents=True)
    lines = [json.dumps({"_id": key, "text": text}) for key, text in DOCUMENTS.items()]
    (folder / "corpus.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    queries = ['{"_id": "q1", "text": "red"}', '{"_id": "q2", "text": "ash"}']
    (folder / "queries.jsonl").write_text("\n".join(queries) + "\n", encoding="utf-8")
    (folder / "qrels" / "dev.tsv").write_text(f"{QRELS}q1\td1\t1\n", encoding="utf-8")
    (folder / "qrels" / "test.tsv").write_text(f"{QRELS}q2\td3\t1\n", encoding="utf-8")
    return folder


def runs(folder: Path, query: str) -> list[str]:
    made = []
    for name, order in (("one", ["d1", "d2", "d3"]), ("other", ["d2", "d3", "d1"])):
        path = folder / f"{name}-{query}.trec"
        lines = [f"{query} Q0 {doc} {rank} {9 - rank} {name}\n" for rank, doc in enumerate(order, 1)]
        path.write_text("".join(lines), encoding="utf-8")
        made.append(str(path))
    return made


def test_a_fused_file_tells_how_it_was_made(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out" / "hybrid.trec"
    assert main(["fuse", *runs(tmp_path, "q1"), "--rrf-k", "10", "--out", str(out)]) == 0
    scores = read_run(out).to_dict()["q1"]
    assert scores == {"d2": 1 / 12 + 1 / 11, "d1": 1 / 11 + 1 / 13, "d3": 1 / 12 + 1 / 13}
    record = json.loads(out.with_name("hybrid.trec.json").read_text(encoding="utf-8"))
    assert record["fusion"] == {
        "method": "rrf", "k": 10.0, "weights": [1.0, 1.0], "directions": ["higher", "higher"], "depth": None,
    }  # fmt: skip
    assert [part["tag"] for part in record["runs"]] == ["one", "other"]
    assert "hybrid.trec.json" in capsys.readouterr().err
    first = out.read_bytes()
    assert main(["fuse", *runs(tmp_path, "q1")[::-1], "--rrf-k", "10", "--out", str(out)]) == 0
    assert out.read_bytes() == first


def test_no_run_is_written_over_by_its_fusion(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    given = runs(tmp_path, "q1")
    before = Path(given[0]).read_bytes()
    assert main(["fuse", *given, "--out", given[0]]) == 2
    assert "is one of the runs to be fused, and would be lost" in capsys.readouterr().err
    assert Path(given[0]).read_bytes() == before


def test_weights_are_chosen_on_another_split(
    tmp_path: Path, birds: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "hybrid.trec"
    dev = [word for run in runs(tmp_path, "q1") for word in ("--tune-run", run)]
    tune = [
        "--tune",
        str(birds),
        "--tune-split",
        "dev",
        *dev,
        "--method",
        "minmax",
        "--out",
        str(out),
        "--json",
    ]
    assert main(["fuse", *runs(tmp_path, "q2"), *tune]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["tuned"]["judgments"] == "birds@dev"
    assert told["tuned"]["value"] == 1.0  # d1 first, as the first run has it
    one, other = told["fusion"]["weights"]
    assert one > other > 0  # of the weights that do, those nearest to equal ones
    assert next(iter(read_run(out).to_dict()["q2"])) == "d1"


def test_weights_are_not_chosen_on_the_split_that_is_fused(
    tmp_path: Path, birds: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "hybrid.trec"
    same = [word for run in runs(tmp_path, "q1") for word in ("--tune-run", run)]
    command = ["fuse", *runs(tmp_path, "q1"), "--tune", str(birds), "--tune-split", "dev", *same]
    assert main([*command, "--out", str(out)]) == 2
    assert "1 queries to be fused are judged in --tune too, such as 'q1'" in capsys.readouterr().err
    assert not out.exists()


HYBRID = """
name: hybrid
kind: fusion
options:
  method: minmax
  weights: [0.7, 0.3]
  members: [bm25, {kind: rank-bm25, options: {k1: 1.2}}]
  tuned_on: [birds@dev]
trained_on: []
"""


def test_each_stage_can_be_scored(
    tmp_path: Path, birds: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("BEIRKIT_HOME", str(tmp_path / "home"))
    whole = {
        "name": "whole",
        "kind": "fusion",
        "options": {"members": [str(tmp_path / "hybrid.yaml"), "bm25"]},
    }
    (tmp_path / "hybrid.yaml").write_text(HYBRID, encoding="utf-8")
    (tmp_path / "whole.yaml").write_text(json.dumps(whole), encoding="utf-8")
    place = str(tmp_path / "whole.yaml")
    command = [
        "run",
        "-d",
        str(birds),
        "--split",
        "test",
        "-r",
        place,
        "--out",
        str(tmp_path / "out"),
        "--json",
    ]
    assert main([*command, "--stages"]) == 0
    rows = json.loads(capsys.readouterr().out)["results"]
    assert [row["retriever"] for row in rows] == ["whole", "whole#1", "whole#1.1", "whole#1.2", "whole#2"]
    with pytest.raises(ConfigError, match="whole has 2 retrievers inside it"):
        parse_retriever(f"{place}#3")


def test_a_fusion_is_not_scored_where_its_weights_were_chosen(
    tmp_path: Path, birds: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("BEIRKIT_HOME", str(tmp_path / "home"))
    (tmp_path / "hybrid.yaml").write_text(HYBRID, encoding="utf-8")
    command = ["run", "-d", str(birds), "-r", str(tmp_path / "hybrid.yaml"), "--out", str(tmp_path / "out")]
    assert main([*command, "--split", "dev"]) == 2
    assert "the weights were chosen on birds@dev" in capsys.readouterr().err
    assert main([*command, "--split", "test"]) == 0
    (manifest,) = (tmp_path / "out").glob("*/*/manifest.json")
    told = json.loads(manifest.read_text(encoding="utf-8"))["retriever"]
    assert told["fusion"]["weights"] == [0.7, 0.3]
    assert [member["kind"] for member in told["members"]] == ["bm25-lucene", "rank-bm25"]
    assert len(list((tmp_path / "home" / "cache" / "runs").glob("*/*-docs.npy"))) == 2
