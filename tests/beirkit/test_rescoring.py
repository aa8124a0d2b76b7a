"""``beirkit score --rescore``: kept results under another protocol or other judgments."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from beirkit.cli.main import main


def rescore(capsys: pytest.CaptureFixture[str], *words: str | Path) -> Any:
    capsys.readouterr()
    assert main(["score", "--rescore", *map(str, words), "--json", "-q"]) == 0
    return json.loads(capsys.readouterr().out)


@pytest.fixture
def kept(birds: Path, tmp_path: Path) -> Path:
    out = tmp_path / "kept"
    assert main(["run", "-d", str(birds), "-r", "bm25", "rank-bm25", "--out", str(out), "-q"]) == 0
    return out


def moves(found: Any, name: str = "birds@test", measure: str = "RR@10") -> dict[str, tuple[float, float]]:
    [one] = [one for one in found["measures"][name] if one["measure"] == measure]
    return {move["system"]: (move["old"], move["new"]) for move in one["moves"]}


def test_another_protocol(kept: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = rescore(capsys, kept, "--protocol", "beirkit:missing=skip", "-m", "RR@10")
    # q4 has an empty list, which counts under both, so nothing changes
    assert moves(found)["bm25"] == (0.75, 0.75)
    assert found["old_protocol"].startswith("beirkit:")
    assert found["new_protocol"].startswith("beirkit:missing=skip")


def test_another_version_of_the_judgments(
    kept: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    new = tmp_path / "new.tsv"
    new.write_text("query-id\tcorpus-id\tscore\nq1\td1\t1\nq2\td3\t1\n", encoding="utf-8")
    found = rescore(capsys, kept, "--new-qrels", new, "-m", "RR@10")
    assert moves(found)["bm25"] == (0.75, 0.5)
    assert found["queries"]["birds@test"] == {
        "old": {"bm25": 4, "rank-bm25": 4},
        "new": {"bm25": 2, "rank-bm25": 2},
    }
    named = rescore(capsys, kept, "--new-qrels", f"birds@test={new}", "-m", "RR@10")
    assert named == found


def test_a_suite_and_its_mean(birds: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    other = tmp_path / "few"
    (other / "qrels").mkdir(parents=True)
    for name in ("corpus.jsonl", "queries.jsonl"):
        (other / name).write_bytes((birds / name).read_bytes())
    (other / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\nq1\td1\t1\n", encoding="utf-8")
    suite = tmp_path / "both.yaml"
    suite.write_text("name: both\ndatasets: [./birds, ./few]\nretrievers: [bm25]\n", encoding="utf-8")
    assert main(["run", str(suite), "--out", str(tmp_path / "kept"), "-q"]) == 0
    found = rescore(capsys, tmp_path / "kept" / "both.json", "--protocol", "trec_eval", "-m", "RR@10")
    assert moves(found, "mean of both") == {"bm25": ((0.75 + 1) / 2, (0.75 + 1) / 2)}
    assert set(found["measures"]) == {"birds@test", "few@test", "mean of both"}


def test_run_files_over_old_and_new_judgments(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.trec").write_text("q1 Q0 d1 1 2 a\nq1 Q0 d2 2 1 a\n", encoding="utf-8")
    (tmp_path / "b.trec").write_text("q1 Q0 d2 1 2 b\nq1 Q0 d1 2 1 b\n", encoding="utf-8")
    (tmp_path / "old.qrels").write_text("q1 0 d1 1\n", encoding="utf-8")
    (tmp_path / "new.qrels").write_text("q1 0 d2 1\n", encoding="utf-8")
    words = ["a.trec", "b.trec", "--old-qrels", "old.qrels", "--new-qrels", "new.qrels", "-m", "RR@10"]
    found = rescore(capsys, *words)
    assert moves(found, "old.qrels") == {"a.trec": (1.0, 0.5), "b.trec": (0.5, 1.0)}
    assert found["measures"]["old.qrels"][0]["tau"] == -1.0
    assert main(["score", "--rescore", *words]) == 0
    told = capsys.readouterr().out
    assert "old.qrels, RR@10: 2 of 2 systems moved, Kendall's tau -1.000" in told
    assert "+0.5000" in told
    assert "-1" in told


def test_a_folder_that_no_name_leads_to_is_given_as_judgments(
    kept: Path, birds: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    birds.rename(birds.with_name("moved"))
    capsys.readouterr()
    assert main(["score", "--rescore", str(kept), "--protocol", "trec_eval", "-m", "P@5"]) == 2
    assert "--old-qrels" in capsys.readouterr().err
    moved = str(birds.with_name("moved"))
    found = rescore(capsys, kept, "--old-qrels", moved, "--protocol", "trec_eval", "-m", "P@5")
    systems = moves(found, moved, "P@5")
    assert len(systems) == 2
    assert all(old == new for old, new in systems.values())


def test_documents_that_a_query_excludes_leave_run_files_too(
    birds: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.trec").write_text("q1 Q0 d2 1 2 a\nq1 Q0 d1 2 1 a\n", encoding="utf-8")
    lines = (birds / "queries.jsonl").read_text(encoding="utf-8").splitlines()
    first = json.loads(lines[0]) | {"metadata": {"excluded_ids": ["d2"]}}
    (birds / "queries.jsonl").write_text("\n".join([json.dumps(first), *lines[1:]]) + "\n", encoding="utf-8")
    found = rescore(capsys, "a.trec", "--old-qrels", birds, "--protocol", "mteb", "-m", "RR@10")
    assert moves(found, str(birds)) == {"a.trec": (0.25, 1.0)}


def test_what_makes_no_sense_is_refused(
    kept: Path, birds: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def refused(*words: str | Path) -> str:
        capsys.readouterr()
        assert main(["score", *map(str, words)]) == 2
        return capsys.readouterr().err

    run = tmp_path / "a.trec"
    run.write_text("q1 Q0 d1 1 2 a\n", encoding="utf-8")
    assert "both times the protocol is beirkit" in refused("--rescore", kept)
    assert "both times the protocol is beirkit" in refused("--rescore", run, "--old-qrels", birds)
    assert "needs its judgments" in refused("--rescore", run, "--protocol", "beir")
    assert "stands beside them" in refused(run, birds, "--rescore", kept)
    assert "behind --rescore" in refused(run, birds, "--old-protocol", "beir")
    assert "--depth is of run files" in refused("--rescore", kept, "--depth", "5")
    assert "no result is of 'owls'" in refused("--rescore", kept, "--new-qrels", f"owls={birds}")
    assert "holds no results" in refused("--rescore", birds, "--protocol", "beir")


def test_the_runs_of_trec_covid_under_later_judgments(
    shared: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Fourteen runs of the first round: most keep their place, and the two best change theirs."""
    runs = shared / "data" / "metric_oracles" / "trec_covid_round1"
    found = rescore(
        capsys, *sorted((runs / "runs").glob("*.gz")), "--old-qrels", runs / "qrels-rnd1.txt",
        "--new-qrels", shared / "data" / "trec_covid" / "raw" / "qrels.covid-complete.txt",
        "--protocol", "trec_eval", "--old-protocol", "trec_eval", "-m", "nDCG@10",
    )  # fmt: skip
    [(name, [measure])] = found["measures"].items()
    assert [(move["old_rank"], move["new_rank"]) for move in measure["moves"]][:3] == [(2, 1), (1, 2), (3, 3)]
    old = sorted(measure["moves"], key=lambda move: move["old_rank"])
    turned = sum(
        (one["old"] - two["old"]) * (one["new"] - two["new"]) < 0
        for at, one in enumerate(old)
        for two in old[at:]
    )
    assert measure["tau"] == pytest.approx(1 - 2 * turned / (14 * 13 / 2))
    assert name.endswith("qrels-rnd1.txt")


def test_a_run_and_its_judgments_are_still_needed_and_may_stand_apart(
    birds: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = tmp_path / "a.trec"
    run.write_text("q1 Q0 d1 1 2 a\n", encoding="utf-8")
    assert main(["score", str(run), "-q", str(birds)]) == 0
    with pytest.raises(SystemExit) as left:
        main(["score", str(run)])
    assert left.value.code == 2
    assert "QRELS" in capsys.readouterr().err
