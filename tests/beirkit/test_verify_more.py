"""``beirkit verify`` over what is cut short, imported, stated, packed or not scorable."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from beirkit import verification, verification_files
from beirkit.cli.main import main
from beirkit.configs.references import Figure, Likeness, Reference, Source, System
from beirkit.evaluate.engine import evaluate


def reference(
    measure: str = "RR@10", value: float = 0.75, *, depth: int | None = None, **of: Any
) -> Reference:
    likeness = Likeness(identity={"kind": "bm25-lucene", "k1": 0.9}, tolerance=0.01, why="other words")
    facts = {"system": "okapi", "dataset": "birds", "split": "test", "decimals": 4, **of}
    family = facts.pop("family", "lexical")
    return Reference(
        "page",
        Figure(measure=measure, value=value, **facts),
        System(
            label="Okapi",
            family=family,
            scored_as="trec_eval",
            likeness=[likeness],
            protocol={} if depth is None else {"depth": depth},
        ),
        Source(title="A page", url="https://example.org/page", date="2026-01-01"),
    )


def hold_to(monkeypatch: pytest.MonkeyPatch, *figures: Reference) -> None:
    for module in (verification, verification_files):
        monkeypatch.setattr(module, "references", lambda: figures)


def verify(capsys: pytest.CaptureFixture[str], code: int, *words: str | Path) -> Any:
    capsys.readouterr()
    assert main(["verify", *map(str, words), "--json", "-q"]) == code
    return json.loads(capsys.readouterr().out)


@pytest.fixture
def known(birds: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A result of a folder whose judgments are those of a known dataset."""
    out = tmp_path / "kept"
    assert main(["run", "-d", str(birds), "-r", "bm25-lucene", "--out", str(out), "-q"]) == 0
    manifest = json.loads(next(out.glob("*/*/manifest.json")).read_text(encoding="utf-8"))
    contents = {"birds": {"qrels/test": [manifest["content_ids"]["qrels/test"]]}}
    monkeypatch.setattr(verification_files, "known_contents", lambda: contents)
    return out


def run_file(tmp_path: Path, length: int, rank: int) -> Path:
    """Lists of equal length with the first relevant document at a rank, and one more after ten others."""
    wanted = {"q1": ("d1", "d3"), "q2": ("d2",), "q3": ("d3",), "q4": ("d4",)}
    lines = []
    for query_id, relevant in wanted.items():
        doc_ids = [f"x{n}" for n in range(length)]
        doc_ids[rank - 1] = relevant[0]
        lines += [f"{query_id} Q0 {doc_id} {n} {length - n} okapi\n" for n, doc_id in enumerate(doc_ids, 1)]
    path = tmp_path / "cut.trec"
    path.write_text("".join(lines), encoding="utf-8")
    return path


def test_a_run_file_that_was_cut_is_not_held_to_what_looks_deeper(
    birds: Path,
    known: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    path, qrels = run_file(tmp_path, 20, 2), birds / "qrels" / "test.tsv"
    hold_to(monkeypatch, reference(value=0.5), reference("R@1000", 1.0), reference("AP", 0.6))
    found = verify(capsys, 0, path, "--qrels", qrels)
    assert [(one["measure"], one["status"]) for one in found["checks"]] == [("RR@10", "OK")]
    told = "not held to R@1000, AP, since it holds 20 results per query and the source looks deeper"
    assert found["left_out"] == {str(path): told}
    # of lists that end by themselves nothing is missing
    short = run_file(tmp_path, 5, 2)
    assert len(verify(capsys, 1, short, "--qrels", qrels)["checks"]) == 3
    # and the very file that a figure was made of is held to it however long it is
    hold_to(monkeypatch, reference("AP", 0.4375, family="run"))
    [check] = verify(capsys, 0, run_file(tmp_path, 20, 2), "--qrels", qrels)["checks"]
    assert check["status"] == "OK"


def test_a_measure_without_a_cut_off_is_taken_as_deep_as_the_source_went(
    birds: Path,
    known: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    path, qrels = run_file(tmp_path, 30, 15), birds / "qrels" / "test.tsv"
    hold_to(monkeypatch, reference("AP", 0.0, depth=10), reference("AP", 0.0583, depth=20))
    first, second = verify(capsys, 0, path, "--qrels", qrels)["checks"]
    assert (first["ours"], first["status"]) == (0, "OK")
    assert second["ours"] == pytest.approx((1 / 30 + 3 / 15) / 4)
    # and so is that of a result
    whole = evaluate(qrels, next(known.glob("*/*/run.trec.gz")), ["AP"], "trec_eval").mean("AP")
    hold_to(monkeypatch, reference("AP", 0.75, depth=1), reference("AP", whole or 0.0))
    assert [one["status"] for one in verify(capsys, 1, known)["checks"]] == ["FAIL", "OK"]


def test_a_result_of_few_results_is_not_held_to_ap(
    birds: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "few"
    assert main(["run", "-d", str(birds), "-r", "bm25-lucene", "-k", "50", "--out", str(out), "-q"]) == 0
    hold_to(monkeypatch, reference(), reference("AP"))
    found = verify(capsys, 0, out)
    assert [one["measure"] for one in found["checks"]] == ["RR@10"]
    assert "not held to AP, since it holds 50 results" in next(iter(found["left_out"].values()))
    hold_to(monkeypatch, reference("AP"))
    assert "holds 50 results per query" in next(iter(verify(capsys, 0, out)["without"].values()))


def imported(birds: Path, known: Path, tmp_path: Path, name: str) -> Path:
    run, out = next(known.glob("*/*/run.trec.gz")), tmp_path / "imported"
    words = ["import", str(run), "--of", str(birds), "--name", name, "-k", "1000", "--out", str(out), "-q"]
    assert main(words) == 0
    return out


def test_imported_lists_are_known_by_their_name(
    birds: Path,
    known: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    hold_to(monkeypatch, reference())
    out = imported(birds, known, tmp_path, "okapi")
    [check] = verify(capsys, 0, out)["checks"]
    assert (check["status"], check["system"], check["tolerance"]) == ("OK", "okapi", 5e-5)


def test_the_system_may_be_named(
    birds: Path,
    known: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    hold_to(monkeypatch, reference())
    out = imported(birds, known, tmp_path, "mine")
    why = next(iter(verify(capsys, 0, out)["without"].values()))
    told = "was imported as mine, and no published system of birds is called so"
    assert why == f"{told}: name it with --system (okapi)"
    [check] = verify(capsys, 0, out, "--system", "okapi")["checks"]
    assert (check["status"], check["retriever"]) == ("OK", "mine")
    assert main(["verify", str(out), "--system", "okapy"]) == 2
    assert "did you mean 'okapi'" in capsys.readouterr().err
    hold_to(monkeypatch, reference(), reference(dataset="fish", system="other"), reference(system="okapi+"))
    why = next(iter(verify(capsys, 0, out, "--system", "other")["without"].values()))
    assert why == "nothing was published of 'other' on birds@test (okapi, okapi+)"


def stated(tmp_path: Path, **means: float) -> Path:
    folder = tmp_path / "results" / "birds@test" / "okapi"
    folder.mkdir(parents=True)
    facts = {"format": "beirkit stated 1", "model": "lab/okapi@12345678", "dataset": "birds", "split": "test"}
    rest = {"imported_as": "mteb", "source": "Birds.json", "sha256": "0" * 64}
    (folder / "stated.json").write_text(json.dumps({**facts, **rest, **means}), encoding="utf-8")
    return folder


def test_stated_figures_are_known_by_their_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    hold_to(monkeypatch, reference(), reference("R@100", 0.5), reference("AP@100"), reference(split="dev"))
    folder = stated(tmp_path, **{"RR@10": 0.75, "R@100": 0.6})
    for place in (folder.parents[1], folder, folder / "stated.json"):
        found = verify(capsys, 1, place)
        assert [(one["measure"], one["status"]) for one in found["checks"]] == [
            ("RR@10", "OK"),
            ("R@100", "FAIL"),
        ]
        assert found["checks"][0]["retriever"] == "lab/okapi@12345678 (stated)"
    assert verify(capsys, 1, folder, "--system", "okapi")["checks"] == found["checks"]
    hold_to(monkeypatch, reference(system="other"))
    found = verify(capsys, 0, folder)
    assert "nothing was published of 'okapi' on birds@test" in found["without"][str(folder)]


def test_a_capsule_is_to_be_unpacked(
    known: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    packed = tmp_path / "packed"
    assert main(["export", str(known), "--to", "capsule", "--out", str(packed), "-q"]) == 0
    for place in (packed, packed / "capsule.zip"):
        assert main(["verify", str(place)]) == 2
        assert f"beirkit replay {place} --out RESULTS" in capsys.readouterr().err


def test_what_cannot_be_scored_does_not_stop_the_others(
    birds: Path,
    known: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    lost = imported(birds, known, tmp_path, "okapi")
    hold_to(monkeypatch, reference("P@1", 0.75), reference("RR@10", 0.75))
    manifest = next(lost.glob("*/*/manifest.json"))
    facts = json.loads(manifest.read_text(encoding="utf-8"))
    facts["content_ids"]["corpus"] = "0" * 64  # other texts than those that are there by now
    manifest.write_text(json.dumps(facts), encoding="utf-8")
    found = verify(capsys, 0, known, lost)
    assert len(found["checks"]) == 2
    assert "not held to anything: holds no scores of P@1" in found["left_out"][str(manifest.parent)]
    assert main(["verify", str(known), str(lost)]) == 0
    assert (
        "2 OK, 0 near, 0 FAIL; 0 results without a published counterpart; 1 not held"
        in capsys.readouterr().out
    )


def test_judgments_nobody_published_anything_of(
    birds: Path,
    known: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    hold_to(monkeypatch, reference(split="dev"))
    assert main(["verify", str(run_file(tmp_path, 5, 2)), "--qrels", str(birds / "qrels" / "test.tsv")]) == 2
    assert "nothing published is known of birds@test" in capsys.readouterr().err


def test_a_folder_that_has_a_datasets_name_is_the_folder(
    birds: Path,
    known: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    birds.rename(tmp_path / "scifact")
    hold_to(monkeypatch, reference(value=0.5))
    [check] = verify(capsys, 0, run_file(tmp_path, 5, 2), "--qrels", "./scifact")["checks"]
    assert check["status"] == "OK"
