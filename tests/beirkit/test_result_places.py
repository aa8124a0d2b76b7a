"""Kept results of a folder, looked into from elsewhere: where the dataset was is kept with them."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from beirkit.cli.main import main

DETAILS = ("--slices", "--worst", "2", "--bounds", "--overlap", "--all-protocols")


def run(data: Path | str, out: Path) -> None:
    assert (
        main(["run", "-d", str(data), "-r", "bm25", "bm25:k1=3", "-m", "RR@10", "--out", str(out), "-q"]) == 0
    )


@pytest.fixture
def kept(birds: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Results over a folder that was named from its parent; the current folder is another by now."""
    out = tmp_path / "kept"
    run(birds.name, out)
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    return out


def folders(kept: Path) -> list[str]:
    return sorted(map(str, kept.glob("birds@test/*--*")))


def compared(kept: Path, *words: str) -> int:
    return main(["compare", *folders(kept), "--samples", "100", *words])


def timings(kept: Path) -> list[Path]:
    return sorted(kept.glob("birds@test/*/timings.json"))


def error(capsys: pytest.CaptureFixture[str]) -> str:
    return " ".join(capsys.readouterr().err.split())


def test_other_measures_and_protocols_are_scored_from_anywhere(
    kept: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert compared(kept, "-m", "P@5") == 0
    assert compared(kept, "--protocol", "trec_eval") == 0
    [listed] = kept.glob("*.json")
    assert main(["compare", str(listed), "-m", "P@5", "--samples", "100"]) == 0
    assert main(["score", "--rescore", str(kept), "--protocol", "trec_eval", "-m", "RR@10", "-q"]) == 0
    capsys.readouterr()
    assert compared(kept, *DETAILS, "--json") == 0
    [details] = json.loads(capsys.readouterr().out)["details"]
    assert set(details) == {"dataset", "slices", "worst", "bounds", "overlap", "robustness"}
    assert details["dataset"] == "birds"
    assert details["bounds"][0]["systems"][0]["mean"] == 0.75


def test_another_folder_of_that_name_here_is_not_taken_for_it(kept: Path, birds: Path) -> None:
    shutil.copytree(birds, "birds")
    Path("birds/qrels/test.tsv").write_text("query-id\tcorpus-id\tscore\nq1\td1\t1\n", encoding="utf-8")
    assert compared(kept, "-m", "P@5") == 0


def test_a_changed_folder_is_told(kept: Path, birds: Path, capsys: pytest.CaptureFixture[str]) -> None:
    judged = birds / "qrels" / "test.tsv"
    judged.write_text(judged.read_text(encoding="utf-8").replace("q4\td4\t1\n", ""), encoding="utf-8")
    assert compared(kept, "-m", "P@5") == 2
    said = error(capsys)
    assert f"{birds} has changed since {folders(kept)[0]} was made" in said
    assert "run it again, or put back the texts and judgments of then" in said


def test_a_moved_folder_is_told_and_found_again_once_it_was_run_from_there(
    kept: Path, birds: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    moved = tmp_path / "archive" / "birds"
    moved.parent.mkdir()
    birds.rename(moved)
    assert compared(kept, "-m", "P@5") == 2
    said = error(capsys)
    assert f"birds, which {folders(kept)[0]} is of, is no longer in {birds}" in said
    assert "run it again with -d FOLDER, which finds this result and keeps the place" in said
    before = [path.read_bytes() for path in kept.glob("birds@test/*/manifest.json")]
    run(moved, kept)
    assert [path.read_bytes() for path in kept.glob("birds@test/*/manifest.json")] == before
    assert len(folders(kept)) == 2
    assert compared(kept, "-m", "P@5") == 0


def test_a_result_without_the_place_says_so(
    kept: Path, birds: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for path in timings(kept):
        facts = json.loads(path.read_text(encoding="utf-8"))
        assert facts.pop("dataset_folder") == str(birds)
        path.write_text(json.dumps(facts), encoding="utf-8")
    assert compared(kept, "-m", "P@5") == 2
    said = error(capsys)
    assert f"no dataset and no folder is called 'birds', and {folders(kept)[0]} is too old to say" in said
    assert "or run it again with -d FOLDER" in said
    monkeypatch.chdir(birds.parent)
    assert compared(kept, "-m", "P@5") == 0


def test_how_alike_lists_are_needs_no_dataset(
    kept: Path, birds: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.rmtree(birds)
    capsys.readouterr()
    assert compared(kept, "--overlap", "--json") == 0
    [details] = json.loads(capsys.readouterr().out)["details"]
    assert details["overlap"][0]["queries"] == 3  # q4 has no list in either
    assert compared(kept, "--worst", "1") == 2


def test_equal_work_in_two_places_has_equal_manifests(birds: Path, tmp_path: Path) -> None:
    shutil.copytree(birds, tmp_path / "copy" / "birds")
    for place, out in ((birds, "one"), (tmp_path / "copy" / "birds", "two")):
        run(place, tmp_path / out)
    one, two = (sorted((tmp_path / out).glob("*/*/manifest.json")) for out in ("one", "two"))
    assert [path.read_bytes() for path in one] == [path.read_bytes() for path in two]
