"""``beirkit replay``: scored again byte for byte, and searched again where that can be done."""

from __future__ import annotations

import json
import shutil
import zipfile
from pathlib import Path

import pytest

from beirkit.cli.main import main
from beirkit.evaluate.exports.capsule_file import sums
from beirkit.evaluate.exports.zips import write_zip
from tests.beirkit.conftest import QRELS


@pytest.fixture
def capsule(birds: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    """A capsule of two retrievers on the birds, without their judgments."""
    assert main(["run", "-d", str(birds), "-r", "bm25", "rank-bm25", "--out", "results", "-q"]) == 0
    assert main(["export", "results", "--to", "capsule", "--out", "packed", "-q"]) == 0
    capsys.readouterr()
    return Path("packed")


def replayed(capsys: pytest.CaptureFixture[str], *words: str, code: int = 0) -> list[dict[str, object]]:
    assert main(["replay", *words, "--json"]) == code, capsys.readouterr().err
    results: list[dict[str, object]] = json.loads(capsys.readouterr().out)["results"]
    return results


def rewrite(folder: Path, name: str, old: bytes, new: bytes) -> None:
    """Change a file of a capsule, and its checksum with it."""
    with zipfile.ZipFile(folder / "capsule.zip") as opened:
        files = {one: opened.read(one) for one in opened.namelist() if one != "SHA256SUMS"}
    (path,) = (one for one in files if one.endswith(name))
    assert old in files[path]
    files[path] = files[path].replace(old, new)
    write_zip(folder / "capsule.zip", {**files, "SHA256SUMS": sums(files)})


def test_it_says_which_of_the_two_it_did(
    birds: Path, capsule: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["replay", str(capsule)]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "bm25 on birds@test: scored again, byte for byte equal (judgments: the dataset birds)",
        "bm25 on birds@test: searched again, the run is equal",
        "rank-bm25 on birds@test: scored again, byte for byte equal (judgments: the dataset birds)",
        "rank-bm25 on birds@test: searched again, the run is equal",
    ]
    assert main(["replay", str(capsule / "capsule.zip"), "--scores-only"]) == 0
    shown = capsys.readouterr()
    assert "searched again" not in shown.out
    assert "not searched again: --scores-only" in shown.err


def test_judgments_alone_are_enough_to_score(
    birds: Path, capsule: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.rmtree(birds)
    assert main(["replay", str(capsule)]) == 2
    assert "no judgments of birds@test with the content id" in capsys.readouterr().err
    Path("judged.tsv").write_text(QRELS, encoding="utf-8")
    one, two = replayed(capsys, str(capsule), "--qrels", "judged.tsv")
    assert one["scores_equal"] is two["scores_equal"] is True
    assert one["judgments"] == "judged.tsv"
    assert one["run"] == "not made again"
    Path("judged.tsv").write_text(QRELS.replace("q3\td3\t1", "q3\td3\t2"), encoding="utf-8")
    assert main(["replay", str(capsule), "--qrels", "judged.tsv"]) == 2
    assert "judged.tsv holds other judgments" in capsys.readouterr().err


def test_judgments_in_the_capsule_come_first(
    birds: Path, capsule: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["--to", "capsule", "--out", "whole", "--set", "judgments=true", "-q"]
    assert main(["export", "results", *words]) == 0
    capsys.readouterr()
    shutil.rmtree(birds)
    one, _ = replayed(capsys, "whole")
    assert one["judgments"] == "the capsule"
    assert one["scores_equal"] is True


def test_a_dataset_in_another_place(birds: Path, capsule: Path, capsys: pytest.CaptureFixture[str]) -> None:
    birds.rename("owls")
    one, _ = replayed(capsys, str(capsule), "--qrels", "birds=owls")
    assert (one["scores_equal"], one["run"]) == (True, "equal")


def test_other_texts_are_not_searched(birds: Path, capsule: Path, capsys: pytest.CaptureFixture[str]) -> None:
    corpus = birds / "corpus.jsonl"
    corpus.write_text(corpus.read_text(encoding="utf-8").replace("small", "tiny"), encoding="utf-8")
    one, _ = replayed(capsys, str(capsule))
    assert one["scores_equal"] is True
    assert one["run"] == "not made again"
    assert "holds other texts" in str(one["why"])


def test_what_comes_out_otherwise_is_told(
    birds: Path, capsule: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with zipfile.ZipFile(capsule / "capsule.zip") as opened:
        (name,) = (
            one for one in opened.namelist() if "/bm25" in one and one.endswith("scores.beirkit.jsonl")
        )
        line = opened.read(name).splitlines()[1]
    rewrite(capsule, name, line, line.replace(b"1.0", b"0.5", 1))
    one, two = replayed(capsys, str(capsule), code=1)
    assert (one["scores_equal"], two["scores_equal"]) == (False, True)
    assert str(one["difference"]).startswith("line 2: ")
    assert main(["replay", str(capsule), "--scores-only"]) == 1
    assert "scored again and DIFFERENT: line 2" in capsys.readouterr().out


def test_a_retriever_that_is_another_here(
    birds: Path, capsule: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with zipfile.ZipFile(capsule / "capsule.zip") as opened:
        name = next(one for one in opened.namelist() if "/bm25" in one and one.endswith("manifest.json"))
    rewrite(capsule, name, b'"k1": 0.9', b'"k1": 1.2')
    one, _ = replayed(capsys, str(capsule))
    assert one["run"] == "not made again"
    assert one["why"] == "bm25 is another retriever here: k1"
    rewrite(capsule, name, b'"name": "bm25"', b'"name": "my-own"')
    one, _ = replayed(capsys, str(capsule))
    assert one["run"] == "not made again"
    assert "my-own" in str(one["why"])


def test_results_are_put_where_compare_takes_them(
    birds: Path, capsule: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["replay", str(capsule), "--scores-only", "--out", "theirs", "-q"]) == 0
    folders = sorted(map(str, Path("theirs/birds@test").iterdir()))
    assert main(["compare", *folders, "-m", "nDCG@10", "--json"]) == 0
    capsys.readouterr()
    assert main(["replay", str(capsule), "--scores-only", "--out", "theirs"]) == 0
    assert "is there already and stays as it is" in capsys.readouterr().err


def test_samples_replay_too(birds: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["run", "-d", str(birds), "-r", "bm25", "--sample", "queries=2,docs=3", "--out", "part", "-q"]
    assert main(words) == 0
    assert main(["export", "part", "--to", "capsule", "--out", "small", "-q"]) == 0
    capsys.readouterr()
    (one,) = replayed(capsys, "small")
    assert (one["scores_equal"], one["run"]) == (True, "equal")


def test_what_is_no_capsule(capsule: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("bad.zip").write_bytes(b"none")
    for path, said in (
        ("bad.zip", "is no zip"),
        ("nothing.zip", "does not exist"),
        ("results", "holds 0 zips, not one"),
    ):
        assert main(["replay", path]) == 2
        assert said in capsys.readouterr().err
    assert main(["replay", str(capsule), "--qrels", "bats=x.tsv"]) == 2
    assert "the capsule holds no result of 'bats'" in capsys.readouterr().err
