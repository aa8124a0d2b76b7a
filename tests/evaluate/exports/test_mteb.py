"""MTEB's results repository: what is written, what is refused, what there is to do."""

from __future__ import annotations

import json
import logging
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest

from beirkit.corpora.collection import Download
from beirkit.corpora.errors import BeirkitError
from beirkit.evaluate.exports import mteb_facts, mteb_installed, mteb_tasks
from beirkit.evaluate.exports.base import Entry
from beirkit.evaluate.exports.mteb import Mteb, MtebOptions
from beirkit.evaluate.exports.mteb_facts import Size, facts_text, shipped_facts
from beirkit.evaluate.exports.mteb_scores import CUTOFFS, score_names
from beirkit.evaluate.exports.submission import write_submission
from tests.evaluate.exports.mteb_entries import MODEL, QRELS, REVISION, RUN, collection, entry

GOLDEN = Path(__file__).parent / "golden"
HOME = f"results/sentence-transformers__all-MiniLM-L6-v2/{REVISION}"
FORUMS = shipped_facts().tasks["CQADupstackRetrieval"].parts


def write(folder: Path, *entries: Entry, **options: Any) -> Path:
    Mteb().write(entries, folder, msgspec.convert(options, MtebOptions))
    return folder


def read(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def forum(name: str) -> str:
    """The dataset of a forum's task."""
    return "cqadupstack-" + name.removeprefix("CQADupstack").removesuffix("Retrieval").lower()


def test_a_tree_byte_for_byte(tmp_path: Path) -> None:
    write(tmp_path, entry(), entry("arguana"))
    files = {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*") if path.is_file()}
    golden = {path.relative_to(GOLDEN / "mteb").as_posix() for path in (GOLDEN / "mteb").rglob("*.json*")}
    assert files == golden
    for name in sorted(files):
        assert (tmp_path / name).read_text() == (GOLDEN / "mteb" / name).read_text(), name
    assert Mteb().validate(tmp_path) == []


def test_scores_of_the_golden_are_those_counted_by_hand(tmp_path: Path) -> None:
    """q1 finds both of two at ranks 1 and 3, q2 its one at rank 2, q3 none."""
    (scores,) = read(write(tmp_path, entry()) / HOME / "SciFact.json")["scores"]["test"]
    assert set(scores) == score_names() | {"main_score", "hf_subset", "languages"}
    q1 = (1 + 1 / 2) / (1 + 1 / 1.584962500721156)
    q2 = 1 / 1.584962500721156
    assert scores["ndcg_at_10"] == scores["main_score"] == round((q1 + q2) / 3, 5)
    assert scores["map_at_1000"] == round(((1 + 2 / 3) / 2 + 1 / 2) / 3, 5)
    assert scores["mrr_at_10"] == round((1 + 1 / 2) / 3, 6)
    assert scores["recall_at_1"] == scores["accuracy"] == round(1 / 2 / 3, 5)
    assert scores["hit_rate_at_3"] == round(2 / 3, 5)
    assert scores["precision_at_1000"] == round((2 + 1) / 1000 / 3, 5)
    assert (scores["hf_subset"], scores["languages"]) == ("default", ["eng-Latn"])
    assert [key for key in scores if key.startswith("ndcg")] == [f"ndcg_at_{k}" for k in CUTOFFS]


def test_a_main_measure_at_a_cutoff_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """LIMIT is ranked by recall_at_2, and has every measure at 2."""
    monkeypatch.setattr("beirkit.evaluate.exports.mteb.require_data", lambda placed: None)
    write(tmp_path, entry("names"), task={"names": "LIMITSmallRetrieval"})
    (scores,) = read(tmp_path / HOME / "LIMITSmallRetrieval.json")["scores"]["test"]
    assert scores["main_score"] == scores["recall_at_2"] == round((1 / 2 + 1) / 3, 5)
    assert len(scores) == 148 + 21 + 3
    assert Mteb().validate(tmp_path) == []


def test_a_result_that_is_the_query_goes_where_the_task_says_so(tmp_path: Path) -> None:
    """Of ArguAna mteb takes it out, whatever beirkit knows of the dataset; of SciFact it does not."""
    run = {**RUN, "q2": {"q2": 0.75, "d2": 0.5}}
    write(tmp_path, entry(run=run), entry("arguana", run=run))
    values = [
        read(tmp_path / HOME / f"{task}.json")["scores"]["test"][0]["hit_rate_at_1"]
        for task in ("SciFact", "ArguAna")
    ]
    assert values == [round(1 / 3, 5), round(2 / 3, 5)]


def test_what_is_not_known_is_null(tmp_path: Path) -> None:
    write(tmp_path, entry(system="own"), model={"own": "me/mine"}, revision={"own": "a" * 40})
    meta = read(tmp_path / f"results/me__mine/{'a' * 40}/model_meta.json")
    assert (meta["name"], meta["revision"], meta["embed_dim"]) == ("me/mine", "a" * 40, 384)
    assert meta["n_parameters"] is meta["license"] is meta["reference"] is meta["training_datasets"] is None


def test_a_model_of_the_catalog_is_known_better(tmp_path: Path) -> None:
    meta = read(write(tmp_path, entry()) / HOME / "model_meta.json")
    assert (meta["n_parameters"], meta["license"]) == (22713216, "apache-2.0")
    assert meta["reference"] == f"https://huggingface.co/{MODEL}"


@pytest.mark.parametrize(
    ("kind", "similarity", "named", "compared"),
    [
        ("late", "maxsim", "late-interaction", "MaxSim"),
        ("late", "meanmaxsim", "late-interaction", None),
        ("sparse", None, "sparse", None),
        ("rerank", None, "cross-encoder", None),
        ("dense", "dot", "dense", "dot"),
    ],
)
def test_the_kind_of_a_model_is_named_as_mteb_does(
    kind: str, similarity: str | None, named: str, compared: str | None, tmp_path: Path
) -> None:
    identity = {"kind": kind, "similarity": similarity, "encoder": {"kind": kind}}
    one = replace(entry(), manifest={**entry().manifest, "retriever": identity})
    write(tmp_path, one)
    meta = read(tmp_path / HOME / "model_meta.json")
    assert (meta["model_type"], meta["similarity_fn_name"]) == ([named], compared)
    assert Mteb().validate(tmp_path) == []


def test_facts_of_the_users_own(tmp_path: Path) -> None:
    write(tmp_path / "a", entry())
    own = tmp_path / "meta.json"
    own.write_text(json.dumps({**read(tmp_path / "a" / HOME / "model_meta.json"), "embed_dim": 12}))
    write(tmp_path / "b", entry(), meta={"minilm": str(own)})
    assert read(tmp_path / "b" / HOME / "model_meta.json")["embed_dim"] == 12
    own.write_text('{"name": "me/mine"}')
    with pytest.raises(BeirkitError, match="name: is of 'me/mine', and the results are of"):
        write(tmp_path / "c", entry(), meta={"minilm": str(own)})
    own.write_text("{}}")
    with pytest.raises(BeirkitError, match="cannot be read"):
        write(tmp_path / "c", entry(), meta={"minilm": str(own)})


def test_the_table_stands_for_mteb_unless_another_is_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    shipped = shipped_facts()
    other = msgspec.structs.replace(shipped, mteb="9.9")
    monkeypatch.setattr(mteb_installed, "facts_of_installed", lambda: other)
    for version, expected in (("", shipped), (shipped.mteb, shipped), ("9.9", other)):
        monkeypatch.setattr(mteb_facts, "installed_version", lambda version=version: version)
        assert mteb_facts.mteb_facts.__wrapped__() is expected
    table = Path(mteb_facts.__file__).parents[2] / "configs" / mteb_facts.TABLE
    assert facts_text(shipped) == table.read_text(encoding="utf-8")


def test_data_are_read_once_for_all_systems(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING)
    write(tmp_path, entry(), entry(system="b", model="me/b"))
    assert caplog.text.count("cannot be proven") == 1


@pytest.mark.parametrize(
    ("given", "options", "said"),
    [
        ([entry(sampled=True)], {}, "is a sample, which mteb does not take"),
        ([entry(revision="")], {}, "its revision is not known"),
        ([entry(revision="main")], {}, "'main' is no revision"),
        ([entry(model="")], {}, "has no name on a hub"),
        ([entry(model="bare")], {}, "is called 'bare', and MTEB asks for ORGANISATION/MODEL"),
        ([entry(split="train")], {}, "SciFact is evaluated on test"),
        ([entry("own")], {}, "which task of MTEB 'own' is, is not known"),
        ([entry("own")], {"task": {"own": "SciFakt"}}, "did you mean 'SciFact'"),
        ([entry()], {"task": {"skifact": "SciFact"}}, "no result is of 'skifact'"),
        ([entry()], {"model": {"minilmm": "a/b"}}, "no result is of the system 'minilmm'"),
        ([entry("own")], {"task": {"own": "CQADupstackRetrieval"}}, "is the mean of CQADupstackAndroid"),
        ([entry("own")], {"task": {"own": "Banking77Classification"}}, "a task of the kind Classification"),
        ([entry("x", split="dev")], {"task": {"x": "MIRACLRetrieval"}}, "has the subsets ar, bn"),
        ([entry("x", split="dev")], {"task": {"x": "MIRACLRetrieval/xx"}}, "has no subset 'xx'"),
        ([entry("x", split="dev")], {"task": {"x": "MIRACLRetrieval/de"}}, "1 of 18 subsets, without ar"),
        ([entry(), entry(folder="other")], {}, "are both SciFact of sentence-transformers/"),
        ([entry(run={"q1": {f"d{i}": 1.0 / i for i in range(1, 12)}}, depth=10)], {}, "holds 10 results"),
        ([entry("cqadupstack-android")], {}, "CQADupstackRetrieval is incomplete: 1 of 12 parts"),
    ],
)
def test_refuses(given: list[Entry], options: dict[str, Any], said: str, tmp_path: Path) -> None:
    with pytest.raises(BeirkitError) as error:
        write(tmp_path, *given, **options)
    assert said in str(error.value)
    assert not list(tmp_path.iterdir())


def test_short_lists_of_a_small_corpus_are_whole(tmp_path: Path) -> None:
    """Nothing was cut at 10 where the longest list has 3."""
    write(tmp_path, entry(depth=10))
    assert (tmp_path / HOME / "SciFact.json").is_file()


def test_forums_are_one_task_only_when_all_are_there(tmp_path: Path) -> None:
    """Gaming and Unix stand on a board by themselves; eleven of twelve make up nothing."""
    for name in FORUMS:
        if forum(name) in ("cqadupstack-gaming", "cqadupstack-unix"):
            continue
        others = [entry(forum(other)) for other in FORUMS if other != name]
        with pytest.raises(BeirkitError, match=f"11 of 12 parts, without {name}"):
            write(tmp_path / name, *others)
    write(tmp_path / "two", entry("cqadupstack-gaming"), entry("cqadupstack-unix"))
    assert not (tmp_path / "two" / HOME / "CQADupstackRetrieval.json").exists()
    better = {**RUN, "q3": {"d4": 1.0}}
    write(tmp_path / "all", *(entry(forum(n), run=better if "Tex" in n else RUN) for n in FORUMS))
    whole = read(tmp_path / "all" / HOME / "CQADupstackRetrieval.json")
    parts = [read(tmp_path / "all" / HOME / f"{n}.json")["scores"]["test"][0]["main_score"] for n in FORUMS]
    assert whole["dataset_revision"] == "1"
    assert whole["scores"]["test"][0]["main_score"] == round(sum(parts) / 12, 6)
    assert Mteb().validate(tmp_path / "all") == []


def test_all_subsets_make_a_task(tmp_path: Path) -> None:
    """One file with an entry for each language, in the order of their names."""
    languages = list(shipped_facts().tasks["XQuADRetrieval"].subsets)
    entries = [entry(f"x-{code}", split="validation") for code in reversed(languages)]
    write(tmp_path, *entries, task={f"x-{code}": f"XQuADRetrieval/{code}" for code in languages})
    scores = read(tmp_path / HOME / "XQuADRetrieval.json")["scores"]["validation"]
    assert [one["hf_subset"] for one in scores] == sorted(languages)
    assert Mteb().validate(tmp_path) == []


def test_other_data_are_refused(tmp_path: Path) -> None:
    data = collection({"d1": "a", "d2": "b"}, QRELS)
    with pytest.raises(BeirkitError, match=r"is not of the data of SciFact: 2 documents, and there 5,183"):
        write(tmp_path, entry(collection=data))


def test_data_of_another_revision_are_refused(tmp_path: Path) -> None:
    fetched = [Download(address="https://huggingface.co/datasets/mteb/scifact", revision="0228b52c")]
    data = collection({"d1": "a"}, QRELS, fetched=fetched)
    with pytest.raises(BeirkitError, match="is of revision 0228b52c of mteb/scifact"):
        write(tmp_path, entry(collection=data))


def test_fetched_data_are_proven_and_others_are_not(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    caplog.set_level(logging.WARNING)
    task = shipped_facts().tasks["SciFact"]
    fetched = [Download(address="https://huggingface.co/datasets/mteb/scifact", revision=task.revision)]
    write(tmp_path / "a", entry(collection=collection({"d1": "a"}, QRELS, fetched=fetched)))
    assert "cannot be proven" not in caplog.text
    write(tmp_path / "b", entry())
    assert "cannot be proven that these are the data of SciFact at revision d56462d0e63a;" in caplog.text
    caplog.clear()
    size = Size(documents=2, document_characters=9, queries=3, query_characters=14, judgments=4)
    known = msgspec.structs.replace(task, sizes={"test": {"default": size}})
    placed = mteb_tasks.Placed(entry(collection=collection({"d1": "a", "d2": " falcon "}, QRELS)), "SciFact",
                               "default", known)  # fmt: skip
    assert mteb_tasks.evidence_of(placed) == "sizes"
    for change in (
        {"documents": 3},
        {"document_characters": 8},
        {"queries": 4},
        {"query_characters": 13},
        {"judgments": 5},
    ):
        other = {name: getattr(size, name) for name in Size.__struct_fields__} | change
        wrong = msgspec.structs.replace(task, sizes={"test": {"default": Size(**other)}})
        with pytest.raises(BeirkitError, match="is not of the data of SciFact"):
            mteb_tasks.evidence_of(mteb_tasks.Placed(placed.entry, "SciFact", "default", wrong))


def test_each_language_of_a_task_has_data_of_its_own() -> None:
    task = shipped_facts().tasks["XQuADRetrieval"]
    sizes = {subset: task.size("validation", subset) for subset in task.subsets}
    assert len(set(sizes.values())) == 12
    other = entry("xquad-en", split="validation", collection=collection({"d1": "a", "d2": "b"}, QRELS))
    with pytest.raises(BeirkitError, match=r"is not of the data of XQuADRetrieval/en: 4 judgments .* 1,185 "):
        mteb_tasks.evidence_of(mteb_tasks.Placed(other, "XQuADRetrieval", "en", task))


def test_scoring_under_other_rules_is_said(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING)
    write(tmp_path, entry())
    assert "minilm on scifact@test: shown under beirkit; scored anew from its run under mteb" in caplog.text


def test_runs_come_along_when_asked_and_give_the_scores_again(tmp_path: Path) -> None:
    write(tmp_path / "without", entry())
    assert Mteb().claims(tmp_path / "without") == []
    write(tmp_path / "with", entry(), predictions=True)
    (claim,) = Mteb().claims(tmp_path / "with")
    assert (claim.file, claim.dataset, claim.split) == (f"{HOME}/SciFact.json", "SciFact", "test")
    derived = claim.compute(QRELS)
    assert derived == claim.values
    assert len(derived) == len(score_names()) + 1
    assert claim.compute({"q3": {"d4": 1}})["scores.test[0].ndcg_at_10"] == 0.0


def test_every_subset_has_judgments_of_its_own(tmp_path: Path) -> None:
    codes = list(shipped_facts().tasks["XQuADRetrieval"].subsets)
    entries = [entry(code, split="validation") for code in codes]
    write(tmp_path, *entries, task={code: f"XQuADRetrieval/{code}" for code in codes}, predictions=True)
    assert {one.dataset for one in Mteb().claims(tmp_path)} == {f"XQuADRetrieval/{code}" for code in codes}


def test_scores_without_runs_are_unfounded(tmp_path: Path) -> None:
    write(tmp_path, entry(), entry("arguana"), predictions=True)
    assert Mteb().unfounded(tmp_path) == []
    (tmp_path / HOME.replace("results/", "predictions/") / "ArguAna_predictions.json").unlink()
    (problem,) = Mteb().unfounded(tmp_path)
    assert (problem.file, problem.found) == (f"{HOME}/ArguAna.json", "no run to derive them from")
    assert [claim.dataset for claim in Mteb().claims(tmp_path)] == ["SciFact"]


def test_runs_are_checked_too(tmp_path: Path) -> None:
    write(tmp_path, entry(), predictions=True)
    path = tmp_path / HOME.replace("results/", "predictions/") / "SciFact_predictions.json"
    path.write_text(path.read_text().replace("0.75", "NaN"))
    assert any("NaN" in str(problem) for problem in Mteb().validate(tmp_path))


def test_steps_say_what_to_do(tmp_path: Path) -> None:
    steps = [step.what for step in Mteb().steps(write(tmp_path, entry()))]
    assert f"Have {MODEL} implemented in mteb." in steps
    assert "BEIR: 1 of the board's 15 tasks." in steps
    assert f"Open a pull request with the title: Add results of {MODEL} on SciFact" in steps
    (copy,) = [what for what in steps if what.startswith("Copy")]
    assert copy.endswith(f" to {HOME}/: SciFact.json, model_meta.json, run_settings.jsonl.")


def test_the_steps_name_all_data_at_once(tmp_path: Path) -> None:
    codes = list(shipped_facts().tasks["XQuADRetrieval"].subsets)
    entries = [entry(code, split="validation") for code in codes]
    write(tmp_path, *entries, task={code: f"XQuADRetrieval/{code}" for code in codes})
    write_submission(tmp_path, "mteb", "mteb", {}, [*entries, *entries])  # as of two systems
    steps = [step.what for step in Mteb().steps(tmp_path)]
    (data,) = [what for what in steps if what.startswith("Be sure that")]
    assert [data.count(f" {code}@validation (") for code in codes] == [1] * len(codes)
    assert data.endswith(" are the tasks' data.")


def test_steps_of_a_model_that_mteb_does_not_know(tmp_path: Path) -> None:
    write(tmp_path, entry(), model={"minilm": "me/mine"})
    first = Mteb().steps(tmp_path)[0]
    assert first.done is False
    assert "Add me/mine to mteb" in first.what
    write(tmp_path / "b", entry(), revision={"minilm": "a" * 40})
    assert Mteb().steps(tmp_path / "b")[0].what == (
        f"Have mteb implement {MODEL} at revision {'a' * 40}, or run {REVISION}."
    )
