"""``beirkit leaderboard``: what is read, what is told of the rest, and what is on one board."""

from __future__ import annotations

import json
import shutil
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from beirkit.cli.main import main
from beirkit.results import made_on
from tests.beirkit.conftest import DOCUMENTS, QUERIES

META = {
    "name": "owls/barn",
    "n_parameters": 22_700_000,
    "license": "mit",
    "release_date": "2024-05-06",
    "training_datasets": {"SciFact": ["train"]},
    "adapted_from": None,
}


@pytest.fixture
def subs(birds: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    """Two systems on the birds, one of them on the lake as well."""
    lake(birds, tmp_path)
    run("ours", birds, "bm25", "rank-bm25")
    run("ours", tmp_path / "lake", "bm25")
    capsys.readouterr()
    return tmp_path / "subs"


def lake(birds: Path, tmp_path: Path) -> Path:
    folder = tmp_path / "lake"
    shutil.copytree(birds, folder)
    qrels = folder / "qrels" / "test.tsv"
    qrels.write_text(qrels.read_text("utf-8").replace("q3\td3\t1\n", "q3\td2\t1\n"), encoding="utf-8")
    return folder


def run(out: str, dataset: Path, *retrievers: str) -> None:
    words = [word for name in retrievers for word in ("-r", name)]
    assert main(["run", "-d", str(dataset), *words, "--out", f"subs/{out}", "-q"]) == 0


def mteb(folder: Path, task: str, value: float, *, revision: str = "abc", **meta: Any) -> None:
    place = folder / "owls__barn" / "1234567890"
    place.mkdir(parents=True, exist_ok=True)
    entry = {"hf_subset": "default", "languages": ["eng-Latn"], "ndcg_at_10": value, "main_score": value}
    facts = {
        "task_name": task,
        "dataset_revision": revision,
        "mteb_version": "2.1.0",
        "scores": {"test": [entry]},
    }
    (place / f"{task}.json").write_text(json.dumps(facts), encoding="utf-8")
    (place / "model_meta.json").write_text(json.dumps({**META, **meta}), encoding="utf-8")


def made(*words: str) -> dict[str, Any]:
    assert (
        main(["leaderboard", "subs", "--out", "site", "--overwrite", "--samples", "200", "-q", *words]) == 0
    )
    facts: dict[str, Any] = json.loads(Path("site/data.json").read_text("utf-8"))
    return facts


def places(facts: dict[str, Any], board: str) -> list[str]:
    [found] = [one for one in facts["boards"] if one["board"] == board]
    return [place["system"] for place in found["places"]]


def reasons(facts: dict[str, Any]) -> dict[str, str]:
    return {one["path"]: one["reason"] for one in facts["not_shown"]}


def test_systems_stand_on_their_boards_and_the_mean_is_of_those_with_both(subs: Path) -> None:
    facts = made()
    assert sorted(places(facts, "birds@test")) == ["bm25", "rank-bm25"]
    assert places(facts, "lake@test") == ["bm25"]
    [view] = facts["suites"]
    assert [place["system"] for place in view["places"]] == ["bm25"]
    assert view["incomplete"] == {"rank-bm25": "incomplete: 1 of 2, missing lake"}
    assert facts["not_shown"] == []
    bm25 = next(one for one in facts["systems"] if one["name"] == "bm25")
    assert (bm25["about"]["parameters"], bm25["about"]["licence"]) == (0, "no model")
    assert bm25["results"][0]["source"] == next(
        p.relative_to(subs).as_posix() for p in subs.glob("ours/birds@test/bm25--*")
    )


def test_no_text_of_a_query_or_document_is_in_the_site(subs: Path) -> None:
    made()
    everything = "".join(p.read_text("utf-8") for p in Path("site").rglob("*") if p.is_file())
    texts = [*QUERIES.values(), *(text for _, text in DOCUMENTS.values())]
    assert [text for text in texts if text in everything] == []
    assert str(subs.parent) not in everything


def test_equal_submissions_give_equal_bytes_wherever_they_are(subs: Path, tmp_path: Path) -> None:
    made()
    first = {p.relative_to("site"): p.read_bytes() for p in Path("site").rglob("*") if p.is_file()}
    other = tmp_path / "elsewhere"
    other.mkdir()
    shutil.move(subs, other / "subs")
    words = ["leaderboard", str(other / "subs"), "--out", str(other / "site"), "--samples", "200", "-q"]
    assert main(words) == 0
    assert first == {
        p.relative_to(other / "site"): p.read_bytes() for p in other.glob("site/**/*") if p.is_file()
    }


def test_what_is_no_result_is_told_with_its_reason(
    subs: Path, birds: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (subs / "notes.txt").write_text("hello")
    (subs / ".cache").mkdir()
    (subs / "broken.zip").write_bytes(b"PK\x03\x04nothing")
    (subs / "gone").symlink_to(subs / "nowhere")
    (subs / "again").symlink_to(subs / "ours", target_is_directory=True)
    shutil.copytree(birds, subs / "birds")
    bad = subs / "bad" / "birds@test" / "x--12345678"
    bad.mkdir(parents=True)
    (bad / "manifest.json").write_text('{"dataset": 1}')
    shutil.copytree(subs / "ours", subs / "twice")
    (subs / "zrun.txt").write_text("q1 Q0 d1 1 2.5 mine\n")
    facts = made()
    told = reasons(facts)
    assert told["notes.txt"] == "is of no tool whose results are known"
    assert told[".cache"] == "is hidden, and was not looked at"
    assert "zip" in told["broken.zip"]
    assert told["gone"] == "is neither a file nor a folder, or a link that leads nowhere"
    assert told["birds"] == "is a BEIR folder, and no result"
    assert told["bad/birds@test/x--12345678"].startswith("manifest.json: is no manifest of a result")
    assert "does not say which dataset it is of" in told["zrun.txt"]
    assert told["ours"] == "is the same folder as another one, by a link"
    doubles = [
        path for path, why in told.items() if path.startswith("twice/") and "is the same result as" in why
    ]
    assert len(doubles) == 3
    assert sorted(places(facts, "birds@test")) == ["bm25", "rank-bm25"]
    assert main(["leaderboard", "subs", "--out", "site2", "--samples", "200"]) == 0
    said = capsys.readouterr().err
    assert "Not shown: subs/notes.txt: is of no tool" in said
    assert f"Not shown: {len(told) - 10} more, which the site and its data.json list" in said


def test_links_out_of_the_submissions_are_not_followed(subs: Path, birds: Path, tmp_path: Path) -> None:
    run("private", birds, "bm25s")
    (subs / "private").rename(tmp_path / "private")
    (subs / "link").symlink_to(tmp_path / "private", target_is_directory=True)
    (subs / "loop").symlink_to(tmp_path, target_is_directory=True)
    for _ in range(2):  # the second time there is a site beside them
        facts = made()
        reason = "is a link to a place outside the submissions, and was not followed"
        assert reasons(facts) == {"link": reason, "loop": reason}
        assert sorted(places(facts, "birds@test")) == ["bm25", "rank-bm25"]


def test_other_judgments_of_one_name_are_another_board(subs: Path, birds: Path) -> None:
    with (birds / "qrels" / "test.tsv").open("a", encoding="utf-8") as file:
        file.write("q1\td4\t1\n")
    run("newer", birds, "rank-bm25")
    facts = made()
    boards = [one["board"] for one in facts["boards"] if one["dataset"] == "birds"]
    assert len(boards) == 2
    assert all(board.startswith("birds@test [") for board in boards)
    assert sorted(len(places(facts, board)) for board in boards) == [1, 2]


def test_too_few_results_per_query_are_told_and_others_stay_deep(subs: Path, birds: Path) -> None:
    assert main(["run", "-d", str(birds), "-r", "bm25:k1=2.0", "-k", "2", "--out", "subs/thin", "-q"]) == 0
    facts = made()
    [why] = [why for path, why in reasons(facts).items() if path.startswith("thin/")]
    assert why == "holds 2 results per query, and nDCG@10 needs more"
    assert sorted(places(facts, "birds@test")) == ["bm25", "rank-bm25"]


def test_seeds_are_one_system(subs: Path) -> None:
    [folder] = subs.glob("ours/birds@test/bm25--*")
    for seed in (1, 2):
        copy = subs / "ours" / "birds@test" / f"drawn--{seed}"
        shutil.copytree(folder, copy)
        manifest = json.loads((copy / "manifest.json").read_text("utf-8"))
        manifest["name"] = f"drawn:seed={seed}"
        manifest["retriever"] |= {"kind": "drawn", "seed": seed}
        (copy / "manifest.json").write_text(json.dumps(manifest))
    facts = made()
    assert "drawn" in places(facts, "birds@test")
    [drawn] = [one for one in facts["systems"] if one["name"] == "drawn"]
    assert drawn["warnings"] == ["On birds@test the value of a query is the mean over 2 seeds."]
    assert drawn["about"]["parameters"] is None


def test_capsules_are_read_once_their_checksums_hold(subs: Path, birds: Path, tmp_path: Path) -> None:
    assert main(["export", "subs/ours", "--to", "capsule", "--out", "subs/packed", "-q"]) == 0
    shutil.rmtree(subs / "ours")
    facts = made()
    assert sorted(places(facts, "birds@test")) == ["bm25", "rank-bm25"]
    assert facts["systems"][0]["results"][0]["source"].startswith("packed/capsule.zip: results/")
    data = bytearray((subs / "packed" / "capsule.zip").read_bytes())
    data[len(data) // 2] ^= 0xFF
    (subs / "packed" / "capsule.zip").write_bytes(bytes(data))
    assert main(["leaderboard", "subs", "--out", "site3", "-q"]) == 2


def test_stated_figures_stand_apart_with_what_their_model_file_says(subs: Path) -> None:
    mteb(subs, "SciFact", 0.61)
    mteb(subs, "ArguAna", 0.41)
    facts = made()
    [owl] = [one for one in facts["systems"] if not one["tested"]]
    assert owl["name"] == "owls/barn@12345678"
    assert owl["about"] == {
        "parameters": 22_700_000,
        "licence": "mit",
        "date": "2024-05-06",
        "by": "",
        "link": "",
    }
    boards = {one["board"]: one for one in facts["boards"] if not one["tested"]}
    assert set(boards) == {"scifact@test (stated)", "arguana@test (stated)"}
    assert boards["scifact@test (stated)"]["places"][0]["training"] == "in-domain"
    assert boards["arguana@test (stated)"]["places"][0]["training"] == "zero-shot"
    assert boards["scifact@test (stated)"]["places"][0]["interval"] is None
    assert {view["tested"] for view in facts["suites"]} == {True, False}


def test_what_was_imported_says_the_same_as_the_files_themselves(subs: Path, tmp_path: Path) -> None:
    mteb(tmp_path / "published", "SciFact", 0.61)
    assert main(["import", "published", "--out", "subs/imported-results", "-q"]) == 0
    facts = made()
    [owl] = [one for one in facts["systems"] if not one["tested"]]
    assert owl["about"]["parameters"] == 22_700_000
    assert facts["not_shown"] == []


def test_figures_of_two_revisions_of_a_dataset_are_two_boards(subs: Path) -> None:
    mteb(subs / "a", "SciFact", 0.61)
    mteb(subs / "b", "SciFact", 0.71, revision="def", name="owls/tawny")
    facts = made()
    stated = [one["board"] for one in facts["boards"] if not one["tested"]]
    assert stated == ["scifact@test (stated, revision abc)", "scifact@test (stated, revision def)"]


def test_a_submitter_may_say_what_nothing_else_does(subs: Path, birds: Path) -> None:
    said = {"date": "2026-01-02", "by": "Heron", "licence": "CC0", "parameters": 5, "trained_on": ["scifact"]}
    (subs / "ours" / "submission.json").write_text(json.dumps(said))
    facts = made()
    about = facts["systems"][0]["about"]
    assert (about["date"], about["by"], about["licence"], about["parameters"]) == (
        "2026-01-02",
        "Heron",
        "CC0",
        5,
    )
    (subs / "ours" / "submission.json").write_text('{"dat": "2026"}')
    facts = made()
    assert "unknown field `dat`" in reasons(facts)["ours/submission.json"]
    assert facts["systems"][0]["about"]["date"] == max(made_on(one) for one in Path("subs").glob("*/*/*"))


def test_the_date_of_a_result_is_the_day_it_was_searched_and_in_no_manifest(subs: Path) -> None:
    [folder] = (subs / "ours").glob("birds*/bm25--*")
    timings = json.loads((folder / "timings.json").read_text("utf-8"))
    assert abs(date.fromisoformat(timings["made"]) - datetime.now(UTC).date()) <= timedelta(days=1)
    assert timings["made"] not in (folder / "manifest.json").read_text("utf-8")
    for place, day, shown in (
        ("birds*", "2024-02-03", timings["made"]),  # the lake's is later
        ("lake*", "2024-01-01", "2024-02-03"),
        ("birds*", "last year", "2024-01-01"),
    ):
        [folder] = (subs / "ours").glob(f"{place}/bm25--*")
        (folder / "timings.json").write_text(json.dumps({**timings, "made": day}))
        assert {one["name"]: one["about"]["date"] for one in made()["systems"]}["bm25"] == shown


def test_systems_over_passages_have_the_model_inside_them(subs: Path, birds: Path) -> None:
    run("ours", birds, "bm25-maxp")
    about = {one["name"]: one["about"] for one in made()["systems"]}
    assert (about["bm25-maxp"]["parameters"], about["bm25-maxp"]["licence"]) == (0, "no model")


def test_a_suite_can_be_asked_for(subs: Path, tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_text("name: mine\ndatasets: [./birds, ./lake]\n")
    facts = made("--suite", "mine.yaml")
    assert [view["suite"] for view in facts["suites"]] == ["mine"]


def test_a_suite_with_a_member_that_nobody_has_is_told_and_shown_in_part(
    subs: Path, birds: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run("ours", tmp_path / "lake", "rank-bm25")
    shutil.copytree(birds, tmp_path / "shore")
    (tmp_path / "mine.yaml").write_text("name: mine\ndatasets: [./birds, ./lake, ./shore]\n")
    (tmp_path / "other.yaml").write_text("name: other\ndatasets: [./shore, nfcorpus]\n")
    words = ["leaderboard", "subs", "--samples", "50", "--suite", "other.yaml", "--suite", "mine.yaml"]
    capsys.readouterr()
    assert main(words) == 0
    told = capsys.readouterr().err.splitlines()
    assert told[-4:-2] == [
        "Suite other: no result is of shore, nfcorpus; no system has a mean",
        "Suite mine: no result is of shore; no system has a mean; bm25 incomplete: 2 of 3, missing shore; "
        "rank-bm25 incomplete: 2 of 3, missing shore",
    ]
    facts = json.loads(Path("site/data.json").read_text("utf-8"))
    assert [view["suite"] for view in facts["suites"]] == ["other", "mine", "mine: 2 of 3 members"]
    assert [view["missing"] for view in facts["suites"]] == [["shore", "nfcorpus"], ["shore"], []]
    assert [len(view["places"]) for view in facts["suites"]] == [0, 0, 2]
    page = Path("site/index.html").read_text("utf-8")
    assert "No system has all 3 members of mine: no mean." in page
    assert "Without a result here: shore." in page
    assert main([*words, "--overwrite", "--json", "-q"]) == 0
    assert json.loads(capsys.readouterr().out)["suites"][1]["missing"] == ["shore"]


def test_a_system_that_lacks_a_member_of_a_suite_is_told(
    subs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "mine.yaml").write_text("name: mine\ndatasets: [./birds, ./lake]\n")
    (tmp_path / "one.yaml").write_text("name: one\ndatasets: [./birds]\n")
    capsys.readouterr()
    assert main(["leaderboard", "subs", "--samples", "50", "--suite", "mine.yaml"]) == 0
    assert "Suite mine: rank-bm25 incomplete: 1 of 2, missing lake\n" in capsys.readouterr().err
    assert main(["leaderboard", "subs", "--suite", "one.yaml", "--overwrite"]) == 2
    assert "the suite one has one member" in capsys.readouterr().err


def test_the_title_counts_one_dataset_as_one(subs: Path) -> None:
    shutil.rmtree(next((subs / "ours").glob("lake*")))
    assert made()["title"] == "2 systems on 1 dataset"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["nowhere", "--out", "site"], "nowhere: is no folder of submissions"),
        (["subs", "--out", "subs/site"], "subs/site: lies in the folder of submissions"),
        (["empty", "--out", "site"], "no result was found that can be shown"),
        (["subs", "--out", "birds"], "was not written by beirkit"),
    ],
)
def test_wrong_use_is_told_and_nothing_is_written(
    subs: Path, capsys: pytest.CaptureFixture[str], words: list[str], said: str
) -> None:
    Path("empty").mkdir()
    assert main(["leaderboard", *words, "--overwrite"]) == 2
    assert said in capsys.readouterr().err
    assert not Path("site").exists()
