"""``beirkit explain``: results against typed numbers, published figures and other results."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from beirkit import explaining
from beirkit.cli.main import main
from beirkit.configs.references import Figure, Likeness, Reference, Source, System
from beirkit.evaluate.engine import evaluate


@pytest.fixture
def kept(birds: Path, tmp_path: Path) -> Path:
    """Results of a query that stands in its own corpus beside others, and of a second split."""
    with (birds / "corpus.jsonl").open("a", encoding="utf-8") as file:
        file.write('{"_id": "q5", "title": "", "text": "a pale owl"}\n')
    with (birds / "queries.jsonl").open("a", encoding="utf-8") as file:
        file.write('{"_id": "q5", "text": "a pale owl"}\n{"_id": "q6", "text": "grey bird"}\n')
    with (birds / "qrels" / "test.tsv").open("a", encoding="utf-8") as file:
        file.write("q5\td2\t2\n")
    (birds / "qrels" / "dev.tsv").write_text("query-id\tcorpus-id\tscore\nq1\td3\t1\n", encoding="utf-8")
    out = tmp_path / "kept"
    names = ["bm25-lucene", "bm25-lucene:template={text}"]
    assert main(["run", "-d", str(birds), "--split", "test", "-r", *names, "--out", str(out), "-q"]) == 0
    return out


def result(kept: Path, template: str = "{title} {text}") -> Path:
    for path in kept.glob("*/*/manifest.json"):
        if json.loads(path.read_text(encoding="utf-8"))["retriever"]["template"] == template:
            return path.parent
    raise AssertionError(template)


def explained(capsys: pytest.CaptureFixture[str], *words: str | Path) -> Any:
    capsys.readouterr()
    assert main(["explain", *map(str, words), "--json", "-q"]) == 0
    [one] = json.loads(capsys.readouterr().out)
    return one


def test_the_querys_own_document(kept: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ours = explained(capsys, result(kept), "--published", "0.5", "-m", "RR@10")["ours"]
    assert ours == pytest.approx(0.8)  # q5 finds d2 first, since it is removed itself
    found = explained(capsys, result(kept), "--published", "0.7", "-m", "RR@10", "--note", "a blog")
    first = found["causes"][0]
    assert (first["axes"], first["explains"]) == (["self-match"], True)
    assert "is kept" in first["says"]
    assert found["target"]["says"] == "a blog"
    assert first["arithmetic"][0] == "ours: 4.000000 / 5 queries = 0.800000"
    assert first["arithmetic"][2] == "then: 3.500000 / 5 queries = 0.700000"


def test_another_split_of_the_folder(kept: Path, capsys: pytest.CaptureFixture[str]) -> None:
    split = explained(capsys, result(kept), "--published", "0.00", "-m", "RR@10")
    assert ["split"] in [cause["axes"] for cause in split["causes"] if cause["explains"]]


def test_another_version_of_the_judgments(
    kept: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    old = tmp_path / "old.tsv"
    old.write_text("query-id\tcorpus-id\tscore\nq1\td1\t1\nq2\td9\t1\nq3\td9\t1\n", encoding="utf-8")
    found = explained(
        capsys, result(kept), "--published", "0.3333", "-m", "RR@10", "--other-qrels", f"v1={old}"
    )
    assert found["causes"][0]["axes"] == ["qrels version"]
    assert "by the judgments v1" in found["causes"][0]["says"]


def test_all_queries_of_the_folder(kept: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = explained(capsys, result(kept), "--published", "0.6667", "-m", "RR@10")
    assert found["causes"][0]["axes"] == ["denominator"]  # q6 has no judgment


def words_in_titles_only(birds: Path) -> None:
    """A query whose words stand in a title, so that it is found with titles and not without."""
    with (birds / "queries.jsonl").open("a", encoding="utf-8") as file:
        file.write('{"_id": "q7", "text": "heron"}\n')
    with (birds / "qrels" / "test.tsv").open("a", encoding="utf-8") as file:
        file.write("q7\td4\t1\n")


@pytest.fixture
def titles(birds: Path, tmp_path: Path) -> Path:
    """Results with titles, without, and without either titles or stems and with another k1."""
    words_in_titles_only(birds)
    out = tmp_path / "kept"
    names = [
        "bm25-lucene",
        "bm25-lucene:template={text}",
        "bm25-lucene:template={text},k1=2,analyzer.stemmer=none",
    ]
    assert main(["run", "-d", str(birds), "-r", *names, "--out", str(out), "-q"]) == 0
    return out


def untitled(titles: Path) -> Path:
    return next(one for one in titles.glob("*/*template*") if "k1-2" not in one.name)


def far(titles: Path) -> Path:
    return next(titles.glob("*/*k1-2*"))


def test_a_run_in_the_same_folder_measures_its_setting(
    titles: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    without = untitled(titles)
    other = explained(capsys, result(titles), without, "-m", "RR@10")
    first = other["causes"][0]
    assert (first["axes"], first["explains"], first["value"]) == (["title handling"], True, 0.6)
    assert "title handling" not in other["untested"]
    assert f"({without.name})" in other["target"]["says"]
    assert any("1 of 5 queries change" in line for line in first["arithmetic"])
    typed = explained(capsys, result(titles), "--published", "0.60000", "-m", "RR@10")
    causes = {tuple(cause["axes"]): cause for cause in typed["causes"] if cause["kind"] == "run"}
    assert causes["title handling",]["explains"]
    assert without.name in causes["title handling",]["says"]
    assert "title handling" not in typed["untested"]


def test_what_both_results_have_alike_was_not_left_untried(
    titles: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    without = untitled(titles)
    assert "title handling" not in explained(capsys, without, far(titles), "-m", "RR@10")["untested"]


def test_a_run_with_more_apart_is_named_where_it_measures_nothing(
    titles: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    alone = tmp_path / "alone" / "birds@test"
    alone.mkdir(parents=True)
    for one in (result(titles), far(titles)):
        one.rename(alone / one.name)
    untested = explained(capsys, next(alone.glob("bm25-lucene--*")), "--published", "0.4321")["untested"]
    [name] = [one.name for one in alone.iterdir() if "k1-2" in one.name]
    assert untested["title handling"] == f"{name} has it apart, but analyzer, k1 and b too"
    measured = [key for key in untested if key.startswith("prompts")]
    assert measured == []  # bm25 has none, nor a maximum length, and the rest is told with its run


def test_a_run_that_cannot_be_scored_is_named_with_the_reason(
    titles: Path, birds: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    without = untitled(titles)
    manifest = json.loads((without / "manifest.json").read_text(encoding="utf-8"))
    manifest["content_ids"]["qrels/test"] = "0" * 64
    (without / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    for path in without.glob("scores.*"):
        path.unlink()
    untested = explained(capsys, result(titles), "--published", "0.4321")["untested"]
    assert untested["title handling"].startswith(f"{without.name} has it apart, but ")
    assert "has changed since" in untested["title handling"]


def test_percent_is_understood(kept: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert explained(capsys, result(kept), "--published", "70.0", "-m", "RR@10")["target"] == {
        "value": 0.7,
        "decimals": 3,
        "says": "the published number",
        "reading": "70.0 is read as a percentage: 0.700",
        "notes": {},
    }
    assert main(["explain", str(result(kept)), "--published", "8.4", "-m", "RR@10"]) == 0
    assert "8.4 is read as a percentage: 0.084\n" in capsys.readouterr().out
    assert main(["explain", str(result(kept)), "--published", "8.4 %", "-m", "RR@10"]) == 0
    assert "is read as" not in capsys.readouterr().out


def test_nonsense_is_no_number(kept: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for text in ("much", "-0.1", "700", "nan", "1e-1", ""):
        assert main(["explain", str(result(kept)), f"--published={text}"]) == 2, text
        assert "as it is printed" in capsys.readouterr().err


def reference(measure: str = "RR@10", value: float = 0.7, **stated: Any) -> Reference:
    return Reference(
        "page",
        Figure(system="okapi", dataset="birds", split="test", measure=measure, value=value, decimals=2),
        System(
            label="Okapi",
            family="lexical",
            protocol=stated,
            likeness=[Likeness(identity={"kind": "bm25-lucene", "k1": 0.9}, tolerance=0.01, why="words")],
        ),
        Source(title="A page", url="https://example.org", date="2026-01-01"),
    )


def test_the_figure_of_this_retriever(
    kept: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    one = reference(self_match="kept", analyzer="none", k1=1.2)
    monkeypatch.setattr(explaining, "references", lambda: (one,))
    found = explained(capsys, result(kept), "-m", "RR@10")
    first = found["causes"][0]
    assert (first["axes"], first["stated"]) == (["self-match"], True)
    far = reference(value=0.13, analyzer="none", k1=1.2)
    monkeypatch.setattr(explaining, "references", lambda: (far,))
    causes = explained(capsys, result(kept), "-m", "RR@10")["causes"]
    about = {cause["axes"][0]: cause["says"] for cause in causes if cause["kind"] == "manifest"}
    assert about["k1 and b"] == "k1 is 1.2 there and 0.9 here"
    assert about["analyzer"].startswith("stated there: none; here: analyzer.")
    monkeypatch.setattr(explaining, "references", lambda: (one,))
    assert main(["explain", str(result(kept)), "-m", "RR@10"]) == 0
    told = capsys.readouterr().out
    assert "Explained by self-match" in told
    assert "(as its source states)" in told
    assert main(["explain", str(result(kept)), "-m", "RR@10", "--system", "okapy"]) == 2
    assert "did you mean 'okapi'" in capsys.readouterr().err
    assert main(["explain", str(result(kept)), "-m", "P@5"]) == 2
    assert "give the number: --published" in capsys.readouterr().err


def test_what_cannot_go_together_is_refused(kept: Path, capsys: pytest.CaptureFixture[str]) -> None:
    here = str(result(kept))
    for words, told in (
        ([here, here, "--published", "0.5"], "one other number"),
        ([here, "--other-protocol", "beir"], "name OTHER"),
        ([here, "--split", "dev"], "add --qrels"),
        ([str(result(kept) / "run.trec.gz"), "--qrels", "birds"], "--published"),
        (["nowhere"], "is no result of beirkit run"),
    ):
        assert main(["explain", *words]) == 2, words
        assert told in capsys.readouterr().err


def suite(birds: Path, tmp_path: Path, retrievers: str = "bm25-lucene", out: str = "out") -> Path:
    """The table of three datasets of one query or two each."""
    members = []
    for name, judged in (("one", "q1\td1\t1\nq2\td9\t1\n"), ("two", "q3\td3\t1\n"), ("three", "q4\td1\t1\n")):
        folder = tmp_path / name
        (folder / "qrels").mkdir(parents=True, exist_ok=True)
        for file in ("corpus.jsonl", "queries.jsonl"):
            (folder / file).write_bytes((birds / file).read_bytes())
        (folder / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\n" + judged, encoding="utf-8")
        members.append(f"./{name}")
    config = tmp_path / "three.yaml"
    config.write_text(
        f"name: forums\ndatasets: [{', '.join(members)}]\nretrievers: [{retrievers}]\n", encoding="utf-8"
    )
    assert main(["run", str(config), "--out", str(tmp_path / out), "-q"]) == 0
    return tmp_path / out / "forums.json"


def test_the_mean_of_a_suite(
    kept: Path, birds: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = suite(birds, tmp_path)
    found = explained(capsys, table, "--published", "0.750", "-m", "RR@10")
    assert found["ours"] == pytest.approx(0.5)
    assert (found["causes"][0]["axes"], found["causes"][0]["explains"]) == (["members"], True)
    assert "three is missing" in found["causes"][0]["says"]
    assert main(["explain", str(table), "-m", "RR@10"]) == 2
    assert "nothing published is known of forums" in capsys.readouterr().err


def test_a_suite_against_another(birds: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    one = suite(birds, tmp_path, "bm25-lucene, rank-bm25")
    two = suite(birds, tmp_path, '"bm25-lucene:template={title}"', out="other")
    found = explained(capsys, one, two, "-r", "bm25-lucene", "-m", "RR@10")
    assert found["of"] == "bm25-lucene, mean of forums"
    assert (found["causes"][0]["axes"], found["causes"][0]["explains"]) == (["members"], True)
    assert found["causes"][0]["says"].startswith("2 of 3 members differ: two -")
    assert f"({two})" in found["target"]["says"]
    capsys.readouterr()
    assert main(["explain", str(one), str(two), "-r", "bm26", "--json"]) == 2
    assert "has no results of 'bm26'" in capsys.readouterr().err
    assert main(["explain", str(two), str(one), "--json"]) == 2
    assert "choose ours with -r" in capsys.readouterr().err
    assert main(["explain", str(one), str(one.with_name("forums.md"))]) == 2
    assert "is no table of a suite" in capsys.readouterr().err
    folder = next(one.parent.glob("one@test/bm25*"))
    assert main(["explain", str(folder), "--published", "0.5", "-r", "bm25-lucene"]) == 2
    assert "of a suite's table" in capsys.readouterr().err


def test_members_by_other_rules(birds: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A suite whose members are gone is not scored anew, and that is said."""
    table = suite(birds, tmp_path)
    found = explained(capsys, table, "--published", "0.4321", "-m", "RR@10")
    assert "protocol" not in found["untested"]
    for name in ("one", "two", "three"):
        (tmp_path / name / "qrels" / "test.tsv").unlink()
    found = explained(capsys, table, "--published", "0.4321", "-m", "RR@10")
    assert "holds no scores of RR@10 under the protocol mteb" in found["untested"]["protocol"]


# What numbers.json calls puzzles: what is published, the other number, its measure, the cause.
@pytest.mark.parametrize(
    ("figure", "words", "axis", "told"),
    [
        ("msmarco:all-MiniLM-L6-v2", ["--split", "dev", "--published", "0.6369"], "split", "msmarco@test"),
        ("msmarco:bm25s-mteb", ["--split", "test", "--published", "0.2189"], "split", "msmarco@dev"),
        ("webis-touche2020:bm25-multifield", ["--published", "0.60"], "dataset version",
         "webis-touche2020-v1"),
        ("webis-touche2020:bge-small-en-v1.5", ["--published", "0.576"], "dataset version",
         "webis-touche2020-v3"),
        ("trec-covid:contriever-msmarco", ["-m", "R@100", "--published", "0.407"], "measure", "R_cap@100"),
        ("cqadupstack:bge-small-en-v1.5", ["--published", "0.382758"], "members", "android is missing"),
    ],
)  # fmt: skip
def test_published_puzzles(
    capsys: pytest.CaptureFixture[str], figure: str, words: list[str], axis: str, told: str
) -> None:
    found = explained(capsys, figure, *words)
    first = found["causes"][0]
    assert (first["axes"], first["explains"]) == ([axis], True)
    assert told in first["says"]


def test_one_datasets_many_bm25s_are_told_apart_by_what_is_stated(
    capsys: pytest.CaptureFixture[str],
) -> None:
    found = explained(capsys, "arguana:bm25s-mteb", "--system", "bm25-paper")
    assert not found["explained"]
    about = {cause["axes"][0]: cause["says"] for cause in found["causes"]}
    assert about["k1 and b"] == "k1: 0.9 there, 1.5 here; b: 0.4 there, 0.75 here"
    assert {"self-match", "title handling", "analyzer"} <= about.keys()
    assert "every rule of scoring" in found["untested"]


def test_a_figure_that_nobody_published(capsys: pytest.CaptureFixture[str]) -> None:
    for words, told in (
        (["scifakt:bm25-flat", "--published", "0.1"], "did you mean 'scifact'"),
        (["scifact:bm25-flaat", "--published", "0.1"], "did you mean 'bm25-flat'"),
        (["scifact:bm25-flat", "-m", "P@7", "--published", "0.1"], "there is no P@7"),
        (["msmarco:all-MiniLM-L6-v2", "--published", "0.1"], "add --split"),
        (["scifact:bm25-flat"], "give --published or --system"),
    ):
        assert main(["explain", *words]) == 2, words
        assert told in capsys.readouterr().err


def test_capped_recall_of_a_submitted_run(shared: Path, capsys: pytest.CaptureFixture[str]) -> None:
    track = shared / "data" / "metric_oracles" / "trec_covid_round1"
    run, qrels = track / "runs" / "bm25_baseline.gz", track / "qrels-rnd1.txt"
    capped = evaluate(qrels, run, ["R_cap@100"], "trec_eval").mean("R_cap@100")
    words: list[str | Path] = [
        run,
        "--qrels",
        qrels,
        "-m",
        "R@100",
        "--published",
        f"{capped:.4f}",
        "--protocol",
        "trec_eval",
    ]
    found = explained(capsys, *words)
    assert (found["causes"][0]["axes"], found["causes"][0]["explains"]) == (["recall"], True)


def test_a_bm25_over_two_fields(shared: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """No rule of scoring makes the figure of one ranking from another."""
    runs = shared / "data" / "metric_oracles" / "anserini_runs"
    words: list[str | Path] = [
        runs / "scifact-flat.top100.txt.gz",
        "--qrels",
        shared / "data" / "scifact" / "beir",
    ]
    found = explained(capsys, *words, "--split", "test", "--published", "0.6647")
    assert found["ours"] == pytest.approx(0.6789, abs=5e-5)
    assert not found["explained"]
