"""``beirkit import``: lists become results, means become figures that compare only shows."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from beirkit.cli.main import main
from tests.evaluate.imports.test_importers import COIR, TASK, dumped, mteb

RUN = {"q1": {"d1": 3.0, "d3": 2.0}, "q2": {"d2": 1.0}, "q3": {"d3": 1.0}, "q4": {"d4": 1.0}}


@pytest.fixture
def ours(birds: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    """Results of ``beirkit run`` on the birds."""
    assert main(["run", "-d", str(birds), "-r", "bm25", "--out", "results", "-q"]) == 0
    capsys.readouterr()
    return next(Path("results/birds@test").glob("bm25--*"))


def failed(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert main(list(words)) == 2
    return capsys.readouterr().err


def test_a_run_becomes_a_result(birds: Path, ours: Path, capsys: pytest.CaptureFixture[str]) -> None:
    dumped(Path(), "perfect.json", RUN)
    assert main(["import", "perfect.json", "--of", str(birds), "-k", "1000", "--json"]) == 0
    (one,) = json.loads(capsys.readouterr().out)
    assert one["means"]["nDCG@10"] == 1.0
    manifest = json.loads((Path(one["path"]) / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["retriever"]["from"] == "ranx"
    assert manifest["content_ids"] == json.loads((ours / "manifest.json").read_text())["content_ids"]
    assert main(["compare", str(ours), one["path"], "-m", "nDCG@10", "--json"]) == 0
    (table,) = json.loads(capsys.readouterr().out)["tables"]
    assert {row["system"] for row in table["leaderboard"]["places"]} == {"bm25", "perfect"}


def test_what_we_export_comes_back_equal(birds: Path, ours: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["export", str(ours), "--to", "trec", "--out", "trec", "-q"]) == 0
    run = "trec/runs/birds@test/bm25.trec"
    assert main(["import", run, "--of", str(birds), "-k", "1000", "--out", "again", "-q"]) == 0
    again = next(Path("again/birds@test").glob("bm25--*"))
    before = (ours / "scores.beirkit.jsonl").read_text(encoding="utf-8").splitlines()
    after = (again / "scores.beirkit.jsonl").read_text(encoding="utf-8").splitlines()
    assert before[1:] == after[1:]


def test_a_dataset_keeps_the_name_that_results_have_for_it(birds: Path, tmp_path: Path) -> None:
    """Of two folders of one name, ``run`` calls each by what is above it."""
    other = tmp_path / "more" / "birds"
    shutil.copytree(birds, other)
    (other / "queries.jsonl").write_text('{"_id": "q1", "text": "owl"}\n', encoding="utf-8")
    (other / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\nq1\td2\t1\n", encoding="utf-8")
    assert main(["run", "-d", str(birds), "-d", str(other), "-r", "bm25", "--out", "results", "-q"]) == 0
    dumped(Path(), "perfect.json", RUN)
    assert main(["import", "perfect.json", "--of", str(birds), "-k", "1000", "-q"]) == 0
    (folder,) = Path("results").glob("*/perfect--*")
    assert folder.parent.name != "birds@test"
    assert len(list(folder.parent.glob("bm25--*"))) == 1


def test_importing_twice_is_one_result(birds: Path) -> None:
    dumped(Path(), "perfect.json", RUN)
    for _ in range(2):
        assert main(["import", "perfect.json", "--of", str(birds), "-q"]) == 0
    assert len(list(Path("results/birds@test").iterdir())) == 1


def test_the_depth_is_the_longest_list(birds: Path) -> None:
    dumped(Path(), "perfect.json", RUN)
    assert main(["import", "perfect.json", "--of", str(birds), "-q"]) == 0
    manifest = next(Path("results").glob("*/*/manifest.json"))
    assert json.loads(manifest.read_text(encoding="utf-8"))["k"] == 2


def test_a_run_needs_its_dataset(capsys: pytest.CaptureFixture[str]) -> None:
    dumped(Path(), "perfect.json", RUN)
    assert "does not say which dataset it is of (name it with --of" in failed(
        capsys, "import", "perfect.json"
    )
    said = failed(capsys, "import", "perfect.json", "--of", "bats")
    assert "is of 'bats', which is no dataset or folder here" in said
    assert not Path("results").exists()


def test_a_run_that_cannot_be_scored_leaves_nothing(
    birds: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "other.trec").write_text("elsewhere Q0 d1 1 1.0 other\n")
    words = ["import", str(tmp_path / "other.trec"), "--of", str(birds), "--out", str(tmp_path / "mine")]
    assert main(words) == 2
    assert "judged queries are in the run" in capsys.readouterr().err
    assert not list((tmp_path / "mine").rglob("*.json"))


def test_excluded_documents(birds: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """BRIGHT's lists may not hold them; others' lose them, as they do when they are scored."""
    queries = (birds / "queries.jsonl").read_text(encoding="utf-8")
    line = '{"_id": "q1", "text": "falcon hovers"}'
    assert line in queries
    told = '{"_id": "q1", "text": "falcon hovers", "metadata": {"excluded_ids": ["d3"]}}'
    (birds / "queries.jsonl").write_text(queries.replace(line, told), encoding="utf-8")
    dumped(Path(), "bm25/score.json", RUN)
    said = failed(capsys, "import", "bm25", "--of", str(birds))
    assert "bm25/score.json: query 'q1' still ranks 'd3', which is among its excluded_ids" in said
    assert not Path("results").exists()
    dumped(Path(), "mine.json", RUN)
    assert main(["import", "mine.json", "--of", str(birds)]) == 0
    assert "1 results are documents that their query excludes; taken out" in capsys.readouterr().err
    dumped(Path(), "clean/score.json", {**RUN, "q1": {"d1": 3.0}})
    assert main(["import", "clean", "--of", str(birds), "-q"]) == 0


def test_means_are_kept_whole_and_only_shown(
    birds: Path, ours: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = mteb(Path("theirs"))
    assert main(["import", "theirs"]) == 0
    shown = capsys.readouterr()
    assert "0.6451" in shown.out
    assert "no p-value can be given" in shown.err
    kept = Path("results/imported/mteb/ann__tiny") / ("0" * 40) / "SciFact.json"
    assert kept.read_bytes() == path.read_bytes()
    stated = next(Path("results/scifact@test").glob("ann-tiny*"))
    assert main(["compare", str(ours), str(stated), "-m", "nDCG@10"]) == 0
    shown = capsys.readouterr()
    assert "Stated elsewhere, not tested" in shown.out
    assert "nothing can be said of their significance" in shown.err
    assert main(["compare", str(stated), "-m", "nDCG@10"]) == 0
    shown = capsys.readouterr()
    assert "scifact@test" in shown.out
    assert "no interval and no p-value can be given" in shown.out
    assert main(["compare", str(stated), "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["tables"] == []
    assert data["stated"][0]["means"]["nDCG@10"] == 0.64508
    assert "gates" in failed(capsys, "compare", str(stated), "--gate", "nDCG@10 >= 0")
    assert main(["compare", str(stated), "--format", "markdown"]) == 0
    assert "| ann/tiny@00000000 | scifact@test | 0.6451 |" in capsys.readouterr().out


def test_another_file_of_the_same_name_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    path = mteb(Path("theirs"))
    assert main(["import", "theirs", "-q"]) == 0
    dumped(path.parent, path.name, {**TASK, "evaluation_time": 1.0})
    assert "is not what was imported as SciFact.json before" in failed(capsys, "import", "theirs")


def test_the_list_of_imports(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list", "imports", "--json"]) == 0
    assert "vidore" in [one["name"] for one in json.loads(capsys.readouterr().out)]


@pytest.mark.slow
def test_every_published_file_comes_back_equal(shared: Path) -> None:
    published = shared / "data" / "published_numbers" / "mteb_results"
    files = [one for one in published.rglob("*.json") if one.name != "model_meta.json"]
    assert main(["import", *map(str, sorted(published.glob("*/"))), "-q", "--out", "theirs"]) == 0
    assert main(["export", "theirs", "--to", "mteb", "--out", "back", "-q"]) == 0
    assert len(files) == 222
    for file in files:
        assert (Path("back/results") / file.relative_to(published)).read_bytes() == file.read_bytes()


def test_means_go_back_to_their_tool_equal(capsys: pytest.CaptureFixture[str]) -> None:
    path = mteb(Path("theirs"))
    assert main(["import", "theirs", "-q"]) == 0
    assert main(["export", "results", "--to", "mteb", "--out", "back"]) == 0
    back = Path("back/results") / path.relative_to("theirs")
    assert back.read_bytes() == path.read_bytes()
    assert (back.parent / "model_meta.json").read_bytes() == (path.parent / "model_meta.json").read_bytes()
    assert "errors by the rules of mteb" in capsys.readouterr().err  # it has NaN, among others
    assert main(["export", "results", "--to", "mteb", "--out", "back", "--overwrite", "-q"]) == 0
    assert "takes ranked lists" in failed(capsys, "export", "results", "--to", "trec", "--out", "runs")
    dumped(Path(), "tiny/cosqa.json", COIR)
    assert main(["import", "tiny", "--out", "other", "-q"]) == 0
    assert "holds figures of coir" in failed(capsys, "export", "other", "--to", "mteb", "--out", "more")
    kept = Path("results/imported/mteb") / path.relative_to("theirs")
    kept.write_text("{}", encoding="utf-8")
    assert "import it again" in failed(capsys, "export", "results", "--to", "mteb", "--out", "more")
