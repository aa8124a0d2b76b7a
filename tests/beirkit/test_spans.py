"""``beirkit spans``: from records to passages, to a run, to how much of the spans was found."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from beirkit.cli.main import main

RECORDS = Path(__file__).parents[1] / "fixtures" / "asmachta" / "raw.json"


@pytest.fixture
def passages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    words = ["convert", "asmachta-passages", str(RECORDS), "--out", "p", "--set", "size=40", "overlap=10"]
    assert main([*words, "--quiet"]) == 0
    return "p"


def test_from_records_to_span_recall(passages: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "-d", passages, "-r", "bm25-hebrew", "--out", "r", "--quiet", "--json"]) == 0
    capsys.readouterr()
    (folder,) = [path.parent for path in Path("r").glob("*/*/run.trec.gz")]
    assert main(["spans", str(folder), passages, "--json", "--per-query"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["split"], found["queries"]) == ("test", 4)
    assert found["recall"]["@10"]["7"] == 1.0
    assert found["means"]["SpanRecall@10"]["mean"] == pytest.approx(sum(found["recall"]["@10"].values()) / 4)
    assert main(["spans", str(folder), passages, "--characters", "60"]) == 0
    assert "SpanRecall@60c" in capsys.readouterr().out


def test_chunks_of_ones_own_over_whole_documents(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "d"
    assert main(["convert", "asmachta-documents", str(RECORDS), "--out", str(out), "--quiet"]) == 0
    run = tmp_path / "run.trec"
    run.write_text(
        "7 Q0 d-802d1b2e217c84f9#25-40 1 2.0 own\n7 Q0 d-802d1b2e217c84f9#40-55 2 1.0 own\n"
        "e1 Q0 d-77ae07d1f8d3b95d 1 1.0 own\n"
    )
    capsys.readouterr()
    assert main(["spans", str(run), str(out), "--cutoff", "1", "--cutoff", "2", "--json", "--per-query"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["recall"]["@1"] == {"k1": 0.0, "e1": 1.0, "e2": 0.0, "7": 0.5}
    assert found["recall"]["@2"]["7"] == found["precision"]["@2"]["7"] == 1.0
    run.write_text("7 Q0 d-802d1b2e217c84f9#25-99 1 2.0 own\n")
    assert main(["spans", str(run), str(out)]) == 2
    assert "no chunk of one" in capsys.readouterr().err


def test_a_folder_without_spans_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = RECORDS.parents[1] / "scifact" / "beir"
    run = tmp_path / "run.trec"
    run.write_text("1 Q0 2 1 2.0 own\n")
    assert main(["spans", str(run), str(folder)]) == 2
    assert "has no spans" in capsys.readouterr().err
