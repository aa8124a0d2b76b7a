"""``beirkit spans``: from records to passages, to a run, to how much of the spans was found."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from beirkit.cli.main import main
from beirkit.evaluate.measures import parse_measures
from beirkit.evaluate.protocol import get_protocol
from beirkit.stored import read_result
from beirkit.submitting import entry_of

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


def test_spans_are_measured_beside_grades_in_runs_scores_and_comparisons(
    passages: str, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["run", "-d", passages, "-r", "bm25-hebrew", "-r", "bm25", "--out", "r", "--quiet", "--json"]
    assert main(words) == 0
    cells = json.loads(capsys.readouterr().out)["results"]
    names = ["nDCG@10", "SpanRecall@10", "SpanPrecision@10"]  # by default: the dataset's own
    assert [list(cell["measures"])[:3] for cell in cells] == [names, names]
    (folder,) = Path("r").glob("*/bm25-hebrew--*")
    assert main(["score", str(folder), passages, "-m", *names[1:], "--json", "--per-query"]) == 0
    scored = json.loads(capsys.readouterr().out)
    assert scored["measures"] == {name: cells[0]["measures"][name] for name in names[1:]}
    assert main(["spans", str(folder), passages, "--json", "--per-query"]) == 0
    spans = json.loads(capsys.readouterr().out)
    assert spans["recall"]["@10"] == {q: v["SpanRecall@10"] for q, v in scored["per_query"].items()}
    assert spans["means"]["SpanPrecision@10"]["mean"] == pytest.approx(scored["measures"]["SpanPrecision@10"])
    folders = [str(path) for path in sorted(Path("r").glob("*/bm25*"))]
    assert main(["compare", *folders, "-m", "SpanRecall@3", "--json"]) == 0  # not kept, so scored again
    assert "SpanRecall@3" in capsys.readouterr().out
    assert main(["compare", *folders, "-m", "SpanRecall@1", "--qrels", passages, "--json"]) == 0
    capsys.readouterr()
    qrels = f"{passages}/qrels/test.tsv"
    assert main(["score", str(folder), qrels, "-m", "SpanRecall@1"]) == 2
    assert "SpanRecall@1 needs spans" in capsys.readouterr().err
    assert main(["score", "--rescore", str(folder), "--new-qrels", qrels, "-m", *names, "--json"]) == 0


def test_several_sets_of_evidence_of_kilt(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    raw, out = RECORDS.parents[1] / "kilt" / "raw", tmp_path / "kilt"
    assert main(["convert", "kilt", str(raw), "--out", str(out), "--quiet"]) == 0
    capsys.readouterr()
    run = tmp_path / "run.trec"
    run.write_text("d1 Q0 290 1 3.0 own\nd1 Q0 7 2 2.0 own\nd1 Q0 12 3 1.0 own\n")
    assert main(["score", str(run), str(out), "-m", "PageRprec", "Rprec", "--json"]) == 0
    # one set is the page that is first; the pages of all sets together are the first and the third
    assert json.loads(capsys.readouterr().out)["measures"] == {"PageRprec": 1.0, "Rprec": 0.5}


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


def test_other_rules_and_exports_measure_spans_too(passages: str, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["run", "-d", passages, "-r", "bm25-hebrew", "-r", "bm25", "--out", "r", "--quiet"]
    assert main(words) == 0
    folders = [str(path) for path in sorted(Path("r").glob("*/bm25*"))]
    for more in ([], ["--qrels", passages]):
        capsys.readouterr()
        asked = ["compare", *folders, *more, "-m", "SpanRecall@3", "--all-protocols", "--samples", "100"]
        assert main([*asked, "--json"]) == 0
        settings = json.loads(capsys.readouterr().out)["details"][0]["robustness"]["settings"]
        assert {one["measure"] for one in settings} >= {"SpanRecall@1", "SpanRecall@3"}
    result = read_result(Path(folders[0]))
    measures = parse_measures(["SpanRecall@10"])
    kept = result.scores(get_protocol("beirkit"), measures)
    taken = entry_of(result).take(get_protocol("beirkit"), measures)
    mean = taken.mean(measures[0])
    assert mean is not None
    assert mean == kept.mean(measures[0])
    assert mean > 0


@pytest.mark.parametrize(
    ("option", "number"), [("--characters", "-5"), ("--characters", "0"), ("--cutoff", "0")]
)
def test_impossible_numbers_are_refused_before_anything_is_read(
    option: str, number: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["spans", "absent.trec", "absent", option, number]) == 2
    assert f"{option} is a number from 1, not {number}" in capsys.readouterr().err


def test_a_folder_without_spans_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = RECORDS.parents[1] / "scifact" / "beir"
    run = tmp_path / "run.trec"
    run.write_text("1 Q0 2 1 2.0 own\n")
    assert main(["spans", str(run), str(folder)]) == 2
    assert "has no spans" in capsys.readouterr().err
