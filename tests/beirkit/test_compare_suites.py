"""`beirkit compare` over suites, kept results, seeds and gates."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from beirkit.cli.main import main
from beirkit.configs.load import load_retriever
from beirkit.stored import read_result, read_suite_results, system_of

MEASURE = ("-m", "RR@10")


@pytest.fixture
def suite(birds: Path, tmp_path: Path) -> Path:
    """Three datasets, two of which are one member; the lake lacks the query that nothing finds."""
    for name in ("reed", "lake", "shore"):
        shutil.copytree(birds, tmp_path / name)
    queries = tmp_path / "lake" / "qrels" / "test.tsv"
    queries.write_text(queries.read_text(encoding="utf-8").replace("q4\td4\t1\n", ""), encoding="utf-8")
    (tmp_path / "water.yaml").write_text("name: water\ndatasets: [./lake, ./shore]\n", encoding="utf-8")
    outer = tmp_path / "outer.yaml"
    outer.write_text("name: outer\ndatasets: [./reed, water.yaml]\n", encoding="utf-8")
    return outer


def run(capsys: pytest.CaptureFixture[str], *words: object) -> Path:
    """Run; the table that lists the results."""
    assert main(["run", *map(str, words)]) == 0
    written = capsys.readouterr().err.split("Written: ")[1].split(", ")[1].split(";")[0]
    return Path(written)


def compared(capsys: pytest.CaptureFixture[str], *words: object) -> Any:
    assert main(["compare", *map(str, words), "--samples", "200", "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def failed(capsys: pytest.CaptureFixture[str], *words: object) -> str:
    assert main(["compare", *map(str, words)]) == 2
    return " ".join(capsys.readouterr().err.split())


def test_a_table_of_a_suite_is_compared_by_dataset_and_over_the_suite(
    suite: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    listed = run(capsys, suite, "-r", "bm25", "-r", "rank-bm25", *MEASURE)
    found = compared(capsys, listed)
    assert set(found) == {"tables", "suite", "verdict", "details", "stated", "gates"}
    assert [table["dataset"] for table in found["tables"]] == ["reed", "lake", "shore"]
    assert {table["measure"] for table in found["tables"]} == {"RR@10"}
    [table] = found["suite"]
    assert (table["suite"], table["members"], table["baseline"]) == ("outer", 2, "bm25")
    means = {place["system"]: place["mean"] for place in table["leaderboard"]["places"]}
    # q1 to q3 are found at once, q4 never: 3/4 on reed and shore, 1 on the lake
    assert means["bm25"] == pytest.approx((0.75 + (1 + 0.75) / 2) / 2)
    assert table["rows"][0]["note"] == "identical on every query"
    assert found["verdict"][0]["where"] == "outer"
    assert main(["compare", str(listed), "--samples", "200"]) == 0
    shown = capsys.readouterr()
    assert "mean of outer: RR@10" in shown.out
    assert "every member counts the same" in shown.err
    assert "bm25: zero-shot everywhere" in shown.err


def test_result_folders_of_several_datasets_have_a_mean_too(
    suite: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(capsys, suite, "-r", "bm25", "-r", "rank-bm25", *MEASURE)
    folders = [*Path("results").glob("*@test/*--*")]
    [table] = compared(capsys, *folders, "--baseline", "rank-bm25")["suite"]
    assert (table["suite"], table["baseline"], table["members"]) == ("3 datasets", "rank-bm25", 3)
    [table] = compared(capsys, *folders, "--suite", suite)["suite"]
    assert (table["suite"], table["members"]) == ("outer", 2)


def test_a_missing_member_leaves_no_mean(suite: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(capsys, suite, "-r", "bm25", "-r", "rank-bm25", *MEASURE)
    folders = sorted(path for path in Path("results").glob("*@test/*") if "lake" not in str(path))
    found = compared(capsys, *folders, "--suite", suite)
    [table] = found["suite"]
    told = "incomplete: 1 of 2, missing lake"
    assert table["incomplete"] == {"bm25": told, "rank-bm25": told}
    assert (table["leaderboard"], table["rows"]) == (None, [])
    assert found["verdict"][0]["sentences"][0] == f"bm25 has no mean ({told})"
    command = [
        "compare",
        *map(str, folders),
        "--suite",
        str(suite),
        "--samples",
        "200",
        "--gate",
        "RR@10 >= -1",
    ]
    assert main(command) == 1
    assert f"no difference ({told})" in " ".join(capsys.readouterr().out.split())


def test_a_system_that_lacks_a_dataset_has_no_mean_and_the_others_have(
    suite: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    listed = run(capsys, suite, "-r", "bm25", "-r", "rank-bm25", "-r", "bm25:k1=3", *MEASURE)
    data = json.loads(listed.read_text(encoding="utf-8"))
    data["results"] = [
        item for item in data["results"] if (item["dataset"], item["retriever"]) != ("shore", "bm25:k1=3")
    ]
    listed.write_text(json.dumps(data), encoding="utf-8")
    [table] = compared(capsys, listed)["suite"]
    assert table["incomplete"] == {"bm25:k1=3": "incomplete: 1 of 2, missing shore"}
    assert [row["system"] for row in table["rows"]] == ["rank-bm25"]


def test_results_over_other_texts_are_refused_unless_forced(
    birds: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first = run(capsys, "-d", birds, "-r", "bm25", "--out", "old")
    corpus = birds / "corpus.jsonl"
    corpus.write_text(corpus.read_text(encoding="utf-8").replace("falcon", "hawk"), encoding="utf-8")
    second = run(capsys, "-d", birds, "-r", "bm25", "--out", "new")
    said = failed(capsys, first, second)
    assert "not comparable: different data versions: content id of corpus is" in said
    assert "--force compares them all the same" in said
    assert main(["compare", str(first), str(second), "--force", "--samples", "100"]) == 0
    shown = capsys.readouterr()
    assert "compared all the same: different data versions" in shown.err
    assert "new/bm25" in shown.out
    assert (tmp_path / first).is_file()


def test_other_protocols_are_refused_unless_one_is_chosen(
    birds: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first = run(capsys, "-d", birds, "-r", "bm25", *MEASURE)
    second = run(capsys, "-d", birds, "-r", "rank-bm25", *MEASURE, "--protocol", "mteb")
    assert "their protocols are beirkit and mteb; --protocol chooses one" in failed(capsys, first, second)
    [table] = compared(capsys, first, second, "--protocol", "mteb", *MEASURE)["tables"]
    assert table["protocol"].startswith("mteb")  # the dataset is there, so what was not kept is scored again
    birds.rename("moved")
    said = failed(capsys, first, second, "--protocol", "mteb", *MEASURE)
    assert "holds no scores of RR@10 under the protocol mteb, and cannot be scored again" in said


def test_an_old_folder_of_results_beside_a_new_one(birds: Path, capsys: pytest.CaptureFixture[str]) -> None:
    old = run(capsys, "-d", birds, "-r", "bm25", "--out", "old")
    new = run(capsys, "-d", birds, "-r", "bm25", "--out", "new")
    [table] = compared(capsys, old, new)["tables"]
    assert (table["baseline"], table["rows"][0]["system"]) == ("old/bm25", "new/bm25")
    assert table["rows"][0]["note"] == "identical per-query scores"
    moved = old.parent.rename("elsewhere")
    [table] = compared(capsys, moved / old.name, new)["tables"]
    assert table["baseline"] == "elsewhere/bm25"


def test_nothing_to_compare_is_said(birds: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "there is nothing to compare" in failed(capsys)
    bare = tmp_path / "mine.trec"
    bare.write_text("q1 Q0 d1 1 1.0 t\n", encoding="utf-8")
    assert f"{bare} is a run file, which needs its judgments (add --qrels)" in failed(capsys, bare)
    assert "is no result of beirkit run" in failed(capsys, tmp_path)
    listed = run(capsys, "-d", birds, "-r", "bm25", *MEASURE)
    assert "no system is called 'bm52' (did you mean 'bm25'?)" in failed(capsys, listed, "--baseline", "bm52")
    assert "--depth and --split score anew" in failed(capsys, listed, "--depth", "5")
    corpus = birds / "corpus.jsonl"
    corpus.write_text(corpus.read_text(encoding="utf-8").replace("falcon", "hawk"), encoding="utf-8")
    said = failed(capsys, listed, "-m", "R@5")
    assert "holds no scores of R@5" in said
    assert "birds has changed since" in said
    shutil.rmtree("results/birds@test")
    assert "which is not there (run the suite again)" in failed(capsys, listed)


def test_results_on_different_datasets_have_nothing_in_common(
    suite: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first = run(capsys, "-d", "reed", "-r", "bm25", *MEASURE)
    second = run(capsys, "-d", "shore", "-r", "rank-bm25", *MEASURE)
    assert "no dataset has two systems (bm25 on reed, rank-bm25 on shore)" in failed(capsys, first, second)


def seeded(birds: Path, seed: int) -> Path:
    """A result folder of another seed, as an encoder's would be; the run differs."""
    [kept] = Path("results").glob("*@test/bm25--*")
    folder = kept.with_name(f"mine--{seed:08}")
    shutil.copytree(kept, folder)
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    manifest |= {"name": f"mine:seed={seed},k=2", "retriever": {"kind": "mine", "options": {"seed": seed}}}
    (folder / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    scores = next(folder.glob("scores.*.jsonl"))
    lines = scores.read_text(encoding="utf-8").splitlines(keepends=True)
    lines[1] = json.dumps({"query_id": "q1", "values": [1 / seed]}) + "\n"
    scores.write_text("".join(lines), encoding="utf-8")
    assert read_result(folder).dataset == birds.name
    return folder


def test_results_that_differ_in_the_seed_are_one_system(
    birds: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    listed = run(capsys, "-d", birds, "-r", "bm25", *MEASURE)
    folders = [seeded(birds, seed) for seed in (1, 2, 4)]
    results = [read_result(folder) for folder in folders]
    assert system_of(results) == ["mine:k=2"] * 3
    [table] = compared(capsys, listed, *folders)["tables"]
    assert {row["system"] for row in table["standings"]} == {"bm25", "mine:k=2"}
    spread = table["seeds"]["mine:k=2"]
    assert spread["means"] == pytest.approx([0.75, (0.5 + 2) / 4, (0.25 + 2) / 4])
    assert spread["mean"] == pytest.approx(sum(spread["means"]) / 3)
    assert table["rows"][0]["mean"] == pytest.approx(spread["mean"])
    [named] = compared(capsys, listed, "--seeds", "M=" + ",".join(map(str, folders)))["tables"]
    assert named["seeds"]["M"] == spread
    assert main(["compare", str(listed), *map(str, folders), "--samples", "100"]) == 0
    shown = capsys.readouterr()
    assert "deviation of seeds" in shown.out
    assert "mean over the seeds" in shown.err


@pytest.fixture
def runs(tmp_path: Path) -> list[str]:
    """A baseline, a better run, the second seed of it; four queries."""
    lists = {"base": [2, 2, 1, 4], "better": [1, 1, 1, 2], "again": [1, 2, 1, 2]}
    for name, ranks in lists.items():
        text = "".join(
            f"q{q} Q0 {'rel' if rank == at else f'd{rank}'} {rank} {10 - rank}.0 t\n"
            for q, at in enumerate(ranks)
            for rank in range(1, 6)
        )
        (tmp_path / f"{name}.trec").write_text(text, encoding="utf-8")
    (tmp_path / "q.qrels").write_text("".join(f"q{q} 0 rel 1\n" for q in range(4)), encoding="utf-8")
    return ["base.trec", "better.trec", "--qrels", "q.qrels", "-m", "RR"]


def test_seeds_of_runs(runs: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    words = ["base.trec", *runs[2:], "--seeds", "tuned=better.trec,again.trec"]
    [table] = compared(capsys, *words)["tables"]
    assert table["seeds"]["tuned"]["means"] == pytest.approx([0.875, 0.75])
    assert table["rows"][0]["system"] == "tuned"
    [table] = compared(capsys, *words, "--baseline", "tuned")["tables"]
    assert (table["baseline"], table["rows"][0]["system"]) == ("tuned", "base.trec")
    for text, said in (
        ("tuned", "write NAME=RUN,RUN"),
        ("=a,b", "write NAME=RUN,RUN"),
        ("x=better.trec", "two runs or more"),
        ("base.trec=better.trec,again.trec", "both a run and a name of --seeds"),
    ):
        assert said in failed(capsys, "base.trec", *runs[2:], "--seeds", text)


def test_gates_decide_the_exit_code(
    runs: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["compare", *runs, "--gate", "RR >= 0"]) == 0
    assert "holds" in capsys.readouterr().out
    words = ["better.trec", "base.trec", *runs[2:], "--gate", "RR >= -0.01", "--gate", "R@5 >= -0.01"]
    assert main(["compare", *words, "--junit", "j.xml", "--markdown", "c.md"]) == 1
    shown = " ".join(capsys.readouterr().out.split())
    assert "RR >= -0.01 FAILS base.trec against better.trec: -0.3125" in shown
    assert "R@5 >= -0.01 holds base.trec against better.trec: +0.0000 [0.0000, 0.0000]" in shown
    tree = ElementTree.parse(tmp_path / "j.xml").getroot()
    assert (tree.get("tests"), tree.get("failures")) == ("2", "1")
    names = [case.get("name") for case in tree.iter("testcase")]
    assert names == ["RR >= -0.01: base.trec", "R@5 >= -0.01: base.trec"]
    [failure] = tree.iter("failure")
    assert "falls below -0.01" in str(failure.get("message"))
    page = (tmp_path / "c.md").read_text(encoding="utf-8")
    assert "| RR \\>= -0.01 | FAILS |" in page or "| RR >= -0.01 | FAILS |" in page
    assert "the gate 'RR' cannot be read (write MEASURE >= NUMBER" in failed(capsys, *runs, "--gate", "RR")


@pytest.mark.parametrize("words", [["base.trec"], ["base.trec", "base.trec"]])
def test_a_gate_without_a_system_to_hold_to_it_is_an_error(
    words: list[str], runs: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    told = failed(capsys, *words, *runs[2:], "--gate", "RR >= 0", "--junit", "j.xml")
    assert "there is no system to hold to the gate, only the baseline 'base.trec'" in told
    assert ("base.trec is named 2 times, and compared once" in told) == (len(words) == 2)
    assert not (tmp_path / "j.xml").exists()


def test_junit_without_gates_tells_what_was_found(
    runs: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["compare", *runs, "--junit", "j.xml", "-q"]) == 0
    capsys.readouterr()
    tree = ElementTree.parse(tmp_path / "j.xml").getroot()
    [told] = tree.iter("system-out")
    assert "better.trec is not separable from base.trec" in str(told.text)
    assert tree.get("failures") == "0"


def test_other_json_is_no_table_of_results(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    for text in ('{"q1": {"d1": 1.0}}', '{"results": {"d1": 1.0}}', "[]", "{"):
        path.write_text(text, encoding="utf-8")
        assert read_suite_results(path) is None


def test_retrievers_of_one_name_are_told_apart_by_configuration(
    birds: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    listed = []
    for b in (0.4, 0.9):
        options = {**load_retriever("bm25").options, "b": b}
        own = tmp_path / "own.yaml"
        own.write_text(f"name: own\nkind: bm25\noptions: {json.dumps(options)}\n", encoding="utf-8")
        listed.append(run(capsys, "-d", birds, "-r", own, *MEASURE))
    folders = [*Path("results").glob("birds@test/own--*")]
    names = system_of([read_result(folder) for folder in folders])
    assert len(set(names)) == 2
    assert all(name.startswith("own--") for name in names)
    [table] = compared(capsys, *folders)["tables"]
    assert {row["system"] for row in table["standings"]} == set(names)


def test_speeds_are_told_where_a_search_took_a_while(birds: Path, capsys: pytest.CaptureFixture[str]) -> None:
    listed = run(capsys, "-d", birds, "-r", "bm25", "-r", "rank-bm25", *MEASURE)
    said = compared(capsys, listed)["verdict"][0]["sentences"]
    assert said == ["rank-bm25 is identical to bm25 (identical per-query scores)"]  # both took no time
    for name, seconds in (("bm25", 2.0), ("rank-bm25", 8.0)):
        [path] = Path("results").glob(f"birds@test/{name}--*/timings.json")
        timings = json.loads(path.read_text(encoding="utf-8"))
        timings["seconds"]["search"] = seconds
        path.write_text(json.dumps(timings), encoding="utf-8")
    said = compared(capsys, listed)["verdict"][0]["sentences"]
    assert said == ["rank-bm25 is identical to bm25 (identical per-query scores), 4.0 times as slow"]
    timings["host"]["cpus"] = 999
    path.write_text(json.dumps(timings), encoding="utf-8")
    said = compared(capsys, listed)["verdict"][0]["sentences"]
    assert said == ["rank-bm25 is identical to bm25 (identical per-query scores)"]


def test_seeds_of_results_are_one_system_over_given_judgments_too(
    birds: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    listed = run(capsys, "-d", birds, "-r", "bm25", *MEASURE)
    folders = [seeded(birds, seed) for seed in (1, 2)]
    [table] = compared(capsys, listed, *folders, "--qrels", birds, *MEASURE)["tables"]
    [row] = table["rows"]
    assert row["system"] == "mine:k=2"
    assert table["seeds"]["mine:k=2"]["deviation"] == 0  # the kept runs are the same
    [table] = compared(capsys, *folders, listed, "--qrels", birds, *MEASURE)["tables"]
    assert table["baseline"] == "mine:k=2"
    assert main(["compare", str(listed), *map(str, folders), "--qrels", str(birds), "--pairs", "all"]) == 0


def test_a_gate_over_a_suite_looks_at_the_suite(suite: Path, capsys: pytest.CaptureFixture[str]) -> None:
    listed = run(capsys, suite, "-r", "bm25", "-r", "rank-bm25", *MEASURE)
    for pairs in ("baseline", "all"):
        found = compared(capsys, listed, "--gate", "RR@10 >= 0", "--pairs", pairs)
        [gate] = found["gates"]
        assert (gate["where"], gate["system"], gate["passed"]) == ("outer", "rank-bm25", True)
    assert main(["compare", str(listed), "--gate", "RR@10 >= 0.01", "-q"]) == 1
