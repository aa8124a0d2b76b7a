"""Against mteb itself: it reads what is written, its measures are ours, and what it lets pass is known."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from beirkit.corpora.run import Run
from beirkit.evaluate.exports.mteb import Mteb, MtebOptions
from beirkit.evaluate.exports.mteb_check import ABOUT
from beirkit.evaluate.exports.mteb_facts import installed_version, shipped_facts
from beirkit.evaluate.exports.mteb_installed import facts_of_installed
from beirkit.evaluate.exports.mteb_meta import FRAMEWORKS, LICENCES, MODEL_TYPES, OPTIONAL, REQUIRED
from beirkit.evaluate.exports.mteb_predictions import MtebPredictions, PredictionsOptions
from beirkit.evaluate.exports.mteb_scores import CUTOFFS, mteb_scores, score_names
from tests.evaluate.exports.mteb_entries import MODEL, REVISION, RUN, entry
from tests.evaluate.exports.test_mteb_check import CHANGES, change

pytestmark = pytest.mark.full

HOME = f"results/sentence-transformers__all-MiniLM-L6-v2/{REVISION}"


@pytest.fixture(scope="module")
def mteb() -> Any:
    return pytest.importorskip("mteb", reason="needs the part 'mteb'")


@pytest.fixture
def written(tmp_path: Path) -> Path:
    Mteb().write([entry(), entry("arguana")], tmp_path, MtebOptions())
    return tmp_path


def test_it_reads_every_task(mteb: Any, written: Path) -> None:
    for name in ("SciFact", "ArguAna"):
        for historic in (True, False):
            result = mteb.TaskResult.from_disk(written / HOME / f"{name}.json", load_historic_data=historic)
            assert result.task_name == name
            filtered = result.validate_and_filter_scores(mteb.get_task(name))
            assert filtered.scores.keys() == {"test"}
            assert result.get_score() == result.scores["test"][0]["ndcg_at_10"]
            assert result.get_missing_evaluations(mteb.get_task(name)) == {}


def test_it_loads_the_folder(mteb: Any, written: Path) -> None:
    results = mteb.ResultCache(written).load_results(include_remote=False, validate_and_filter=True)
    frame = results.to_dataframe()
    assert set(frame["task_name"]) == {"SciFact", "ArguAna"}
    assert frame.set_index("task_name")[MODEL].to_dict() == pytest.approx(
        {"SciFact": 0.51688, "ArguAna": 0.51688}
    )


def test_it_reads_the_facts_about_the_model(mteb: Any, written: Path) -> None:
    from mteb.models.model_meta import ModelMeta

    data = json.loads((written / HOME / "model_meta.json").read_text())
    meta = ModelMeta.model_validate({**data, "loader": None})
    assert (meta.name, meta.revision, meta.embed_dim) == (MODEL, REVISION, 384)
    for key in REQUIRED:
        less = {name: value for name, value in {**data, "loader": None}.items() if name != key}
        with pytest.raises(ValueError, match=key):
            ModelMeta.model_validate(less)
    with pytest.raises(ValueError, match="note"):
        ModelMeta.model_validate({**data, "loader": None, "note": "mine"})


def test_its_lists_are_ours(mteb: Any) -> None:
    from typing import get_args

    from mteb.models.model_meta import FRAMEWORKS as THEIRS
    from mteb.models.model_meta import MODEL_TYPES as KINDS
    from mteb.models.model_meta import ModelMeta
    from mteb.types import Licenses

    assert set(FRAMEWORKS) == set(get_args(THEIRS))
    assert set(MODEL_TYPES) == set(get_args(KINDS))
    assert set(LICENCES) == set(get_args(Licenses))
    assert {*REQUIRED, *OPTIONAL} - {"is_cross_encoder"} == set(ModelMeta.model_fields)


def test_the_shipped_table_is_what_it_says(mteb: Any) -> None:
    if installed_version() != shipped_facts().mteb:
        pytest.skip(f"mteb {installed_version()} is installed, and the table is of {shipped_facts().mteb}")
    assert facts_of_installed() == shipped_facts()


def theirs(
    run: dict[str, dict[str, float]], qrels: dict[str, dict[str, int]], cutoffs: Sequence[int] = CUTOFFS
) -> dict[str, float]:
    from mteb._evaluators.retrieval_metrics import calculate_retrieval_scores, make_score_dict

    found = calculate_retrieval_scores({q: dict(row) for q, row in run.items()}, qrels, cutoffs)
    made: dict[str, float] = make_score_dict(
        ndcg=found.ndcg,
        _map=found.map,
        recall=found.recall,
        precision=found.precision,
        mrr=found.mrr,
        naucs=found.naucs,
        naucs_mrr=found.naucs_mrr,
        hit_rate=found.hit_rate,
        task_scores={},
    )
    return made


def test_a_task_with_a_main_measure_at_another_cutoff_has_that_cutoff(mteb: Any) -> None:
    for name in ("LIMITRetrieval", "LIMITSmallRetrieval"):
        task = mteb.get_task(name)
        assert tuple(task.k_values) == tuple(sorted({2, *CUTOFFS}))
        assert task.metadata.main_score == "recall_at_2"
    assert len(score_names("recall_at_2")) == len(score_names()) + 21
    assert score_names("ndcg_at_10") == score_names("paired_accuracy") == score_names()


@pytest.mark.parametrize("seed", range(40))
def test_every_measure_is_its_own(mteb: Any, seed: int) -> None:
    """All 148, in its order; ties, negative scores, short and long lists among them.

    Where all queries are alike an nAUC has no value. mteb finds so only where its sums come out equal to the
    last bit, and else divides rounding noise by itself, which gives 1.
    """
    chance = random.Random(seed)
    n_queries, n_docs = chance.choice([1, 2, 5, 30]), chance.choice([5, 50, 1500])
    qrels = {
        f"q{i}": {
            f"d{chance.randrange(n_docs)}": chance.choice([0, 1, 1, 2])
            for _ in range(chance.choice([1, 3, 20]))
        }
        for i in range(n_queries)
    }
    run = {
        f"q{i}": {
            f"d{j}": chance.choice([0.5, 0.25, -1.0]) if chance.random() < 0.3 else chance.gauss(0, 1)
            for j in chance.sample(range(n_docs), chance.choice([1, min(n_docs, 5), min(n_docs, 1000)]))
        }
        for i in range(n_queries)
    }
    main, cutoffs = chance.choice([("ndcg_at_10", CUTOFFS), ("recall_at_2", tuple(sorted({2, *CUTOFFS})))])
    ours = mteb_scores(qrels, Run.from_dict(run), remove_self=False, main_score=main)
    own = theirs(run, qrels, cutoffs)
    assert list(ours) == list(own)
    compared = 0
    for key, value in own.items():
        if ours[key] is None:
            assert key.startswith("nauc_")
            assert math.isnan(value) or abs(value) == pytest.approx(1.0)
        else:
            assert ours[key] == pytest.approx(value, abs=1.1e-6), key
            compared += 1
    assert compared >= 43


def test_it_lets_pass_what_is_told_here(mteb: Any, written: Path) -> None:
    """The list of what only ours finds: were mteb to refuse one of them, it could go."""
    let_pass = (
        "unknown task", "old revision", "percent", "other main score", "extra key", "NaN", "train split",
        "extra measure", "negative", "falling recall", "accuracy", "subset twice", "other subset", "no split",
    )  # fmt: skip
    refused = (
        "no main score",
        "no subset",
        "no languages",
        "one language",
        "scores in a list",
        "no time",
        "no revision",
    )
    file = written / HOME / "SciFact.json"
    sound = file.read_text()
    for name in (*let_pass, *refused):
        file.write_text(sound)
        change(file, CHANGES[name][0])
        if name in let_pass:
            assert mteb.TaskResult.from_disk(file) is not None, name
        else:
            with pytest.raises((ValueError, KeyError)):
                mteb.TaskResult.from_disk(file)
        assert any(problem.severity == "error" for problem in Mteb().validate(file)), name


def test_its_own_files_are_sound(mteb: Any, written: Path, tmp_path: Path) -> None:
    """Read by mteb and written by it again, a file has the same scores and nothing to be told."""
    result = mteb.TaskResult.from_disk(written / HOME / "SciFact.json")
    again = written / HOME / "again" / "SciFact.json"
    again.parent.mkdir()
    result.to_disk(again)
    assert Mteb().validate(again) == []
    old, new = (
        json.loads(p.read_text())["scores"]["test"][0] for p in (written / HOME / "SciFact.json", again)
    )
    assert {k: v for k, v in new.items() if k not in ABOUT} == {
        k: v for k, v in old.items() if k not in ABOUT
    }


def test_it_takes_predictions_as_candidates(mteb: Any, tmp_path: Path) -> None:
    MtebPredictions().write([entry()], tmp_path, PredictionsOptions())
    task = mteb.get_task("SciFact")
    task.data_loaded = True
    task.dataset = {"default": {"test": {"top_ranked": None}}}
    folder = next(tmp_path.glob("*/*"))
    task.convert_to_reranking(folder, top_k=2)
    ranked = task.dataset["default"]["test"]["top_ranked"]
    assert dict(ranked) == {q: list(row)[:2] for q, row in RUN.items()}


def test_facts_of_the_installed_model(mteb: Any, tmp_path: Path) -> None:
    Mteb().write([entry()], tmp_path, MtebOptions(meta={"minilm": "mteb"}))
    meta = json.loads((tmp_path / HOME / "model_meta.json").read_text())
    assert meta["release_date"] == "2021-08-30"
    assert Mteb().validate(tmp_path) == []
