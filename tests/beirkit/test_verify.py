"""``beirkit verify``: results against published figures."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from beirkit import verification, verification_files
from beirkit.cli.main import main
from beirkit.configs import references as published
from beirkit.configs.references import Figure, Likeness, Reference, Source, System


def reference(dataset: str = "birds", *, tolerance: float = 0.01, **figure: Any) -> Reference:
    facts = {"system": "okapi", "split": "test", "measure": "RR@10", "value": 0.75, "decimals": 2, **figure}
    likeness = Likeness(identity={"kind": "bm25-lucene", "k1": 0.9}, tolerance=tolerance, why="other words")
    return Reference(
        "page",
        Figure(dataset=dataset, **facts),
        System(
            label="Okapi", family="lexical", scored_as="trec_eval", likeness=[likeness], tag="bm25-lucene"
        ),
        Source(title="A page", url="https://example.org/page", date="2026-01-01"),
    )


@pytest.fixture
def kept(birds: Path, tmp_path: Path) -> Path:
    out = tmp_path / "kept"
    assert main(["run", "-d", str(birds), "-r", "bm25-lucene", "rank-bm25", "--out", str(out), "-q"]) == 0
    return out


def verify(capsys: pytest.CaptureFixture[str], code: int, *words: str | Path) -> Any:
    capsys.readouterr()
    assert main(["verify", *map(str, words), "--json", "-q"]) == code
    return json.loads(capsys.readouterr().out)


def hold_to(monkeypatch: pytest.MonkeyPatch, *figures: Reference) -> None:
    for module in (verification, verification_files):
        monkeypatch.setattr(module, "references", lambda: figures)


@pytest.mark.parametrize(
    ("value", "status", "code"), [(0.75, "OK", 0), (0.754, "OK", 0), (0.76, "near", 0), (0.77, "FAIL", 1)]
)
def test_a_figure_is_met_near_or_missed(
    kept: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    value: float,
    status: str,
    code: int,
) -> None:
    hold_to(monkeypatch, reference(value=value))
    found = verify(capsys, code, kept)
    [check] = found["checks"]
    assert (check["status"], check["retriever"], check["system"]) == (status, "bm25-lucene", "okapi")
    assert check["ours"] == 0.75
    assert check["url"] == "https://example.org/page"
    assert list(found["without"].values()) == ["no published system of birds is this retriever (okapi)"]


def test_what_is_known_to_be_wrong_holds_nobody(
    kept: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    hold_to(monkeypatch, reference(value=0.1, unusable=True))
    assert verify(capsys, 0, kept)["checks"] == []


def test_a_split_and_a_dataset_that_nothing_was_published_of(
    kept: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    hold_to(monkeypatch, reference(split="dev"), reference("fish"))
    found = verify(capsys, 0, kept)
    assert set(found["without"].values()) == {"nothing published is known of birds@test"}


def test_other_texts_under_a_known_name_are_not_held_to_its_figures(
    kept: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    hold_to(monkeypatch, reference())
    monkeypatch.setattr(published, "known_contents", lambda: {"birds": {"corpus": ["0" * 64]}})
    found = verify(capsys, 0, kept)
    assert found["checks"] == []
    assert "has other contents than what was published: corpus" in next(iter(found["without"].values()))


def test_a_known_dataset_under_another_name_is_held_to_its_figures(
    kept: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    manifest = json.loads(
        next(kept.glob("birds@test/bm25-lucene--*/manifest.json")).read_text(encoding="utf-8")
    )
    contents = {part: [own] for part, own in manifest["content_ids"].items()}
    monkeypatch.setattr(published, "known_contents", lambda: {"fowl": contents})
    hold_to(monkeypatch, reference("fowl"))
    [check] = verify(capsys, 0, kept)["checks"]
    assert (check["dataset"], check["status"]) == ("fowl", "OK")


def test_a_sample_has_no_counterpart(
    birds: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    words = [
        "run",
        "-d",
        str(birds),
        "-r",
        "bm25-lucene",
        "--sample",
        "queries=2",
        "--out",
        str(tmp_path / "few"),
    ]
    assert main([*words, "-q"]) == 0
    hold_to(monkeypatch, reference())
    found = verify(capsys, 0, tmp_path / "few")
    assert list(found["without"].values()) == ["is of a sample, of which nothing was published"]


def test_too_few_results_for_a_figure(
    birds: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert (
        main(["run", "-d", str(birds), "-r", "bm25-lucene", "-k", "5", "--out", str(tmp_path / "few"), "-q"])
        == 0
    )
    hold_to(monkeypatch, reference())
    assert "holds 5 results per query" in next(iter(verify(capsys, 0, tmp_path / "few")["without"].values()))


def test_the_mean_of_a_suite(
    birds: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    other = tmp_path / "few"
    (other / "qrels").mkdir(parents=True)
    for name in ("corpus.jsonl", "queries.jsonl"):
        (other / name).write_bytes((birds / name).read_bytes())
    (other / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\nq1\td1\t1\n", encoding="utf-8")
    suite = tmp_path / "both.yaml"
    suite.write_text("name: both\ndatasets: [./birds, ./few]\nretrievers: [bm25-lucene]\n", encoding="utf-8")
    assert main(["run", str(suite), "--out", str(tmp_path / "kept"), "-q"]) == 0
    hold_to(monkeypatch, reference("both", value=0.875, decimals=3))
    [check] = verify(capsys, 0, tmp_path / "kept" / "both.json")["checks"]
    assert (check["dataset"], check["ours"], check["status"]) == ("both", (0.75 + 1) / 2, "OK")
    assert verify(capsys, 0, tmp_path / "kept" / "both.json") == verify(
        capsys, 0, tmp_path / "kept" / "both.json"
    )


def test_a_run_file_is_known_by_its_judgments_and_its_tag(
    birds: Path, kept: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    qrels, run = birds / "qrels" / "test.tsv", next(kept.glob("birds@test/bm25-lucene--*/run.trec.gz"))
    assert main(["verify", str(run), "--qrels", str(qrels)]) == 2
    assert "of no dataset whose published content is known" in capsys.readouterr().err
    manifest = json.loads((run.parent / "manifest.json").read_text(encoding="utf-8"))
    contents = {"fowl": {"qrels/test": [manifest["content_ids"]["qrels/test"]]}}
    monkeypatch.setattr(verification_files, "known_contents", lambda: contents)
    hold_to(monkeypatch, reference("fowl"))
    [check] = verify(capsys, 0, run, "--qrels", qrels)["checks"]
    assert (check["status"], check["ours"]) == ("OK", 0.75)
    assert main(["verify", str(run), "--qrels", str(qrels), "--system", "okapy"]) == 2
    assert "did you mean 'okapi'" in capsys.readouterr().err


def test_a_run_file_needs_its_judgments(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = tmp_path / "a.trec"
    run.write_text("q1 Q0 d1 1 2 a\n", encoding="utf-8")
    assert main(["verify", str(run)]) == 2
    assert "--qrels" in capsys.readouterr().err


def test_the_table_says_what_is_held_to_what(
    kept: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    hold_to(monkeypatch, reference(value=0.76))
    capsys.readouterr()
    assert main(["verify", str(kept)]) == 0
    told = capsys.readouterr()
    assert "near" in told.out
    assert "0 OK, 1 near, 0 FAIL; 1 results without" in told.out
    assert "bm25-lucene as okapi: near is within 0.01, since other words" in told.err


def test_the_runs_of_a_track_are_what_its_leaderboard_says(
    shared: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    track = shared / "data" / "metric_oracles" / "trec_covid_round1"
    runs = sorted((track / "runs").glob("*.gz"))
    checks = verify(capsys, 0, *runs, "--qrels", track / "qrels-rnd1.txt")["checks"]
    assert len(checks) == 4 * len(runs)
    assert {check["status"] for check in checks} == {"OK"}
