"""One zip of runs, scores and manifests for BEIR."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from beirkit.corpora.errors import UsageError
from beirkit.evaluate.exports.beir import BeirOptions, BeirRuns
from beirkit.evaluate.exports.zips import write_zip
from tests.evaluate.exports.small_results import QRELS, golden, make_entry, told, tree


@pytest.fixture
def written(tmp_path: Path) -> Path:
    out = tmp_path / "out"
    BeirRuns().write([make_entry(tmp_path)], out, BeirOptions())
    return out


def rewritten(folder: Path, **changes: Any) -> list[str]:
    """Problems of the zip once its metrics or files were changed (None: taken out)."""
    files: dict[str, bytes | Path] = {
        name.partition("!")[2]: data for name, data in tree(folder).items() if "!" in name
    }
    for name, data in changes.items():
        name = name.replace("__", "/").replace("_json", ".json").replace("_trec", ".trec")
        if data is None:
            del files[name]
        else:
            files[name] = data if isinstance(data, bytes) else json.dumps(data).encode()
    write_zip(folder / "bm25.zip", files)
    return told(BeirRuns().validate(folder))


def metrics(folder: Path) -> Any:
    return json.loads(tree(folder)["bm25.zip!metrics.json"])


def test_golden(tmp_path: Path, written: Path) -> None:
    manifest = (tmp_path / "birds@test" / "bm25--00000000" / "manifest.json").read_bytes()
    assert tree(written) == {**golden("beir"), "bm25.zip!manifests/birds.json": manifest}
    assert BeirRuns().validate(written) == []
    assert BeirRuns().validate(written / "bm25.zip") == []


def test_the_zip_comes_out_the_same(tmp_path: Path, written: Path) -> None:
    BeirRuns().write([make_entry(tmp_path / "again")], tmp_path / "two", BeirOptions())
    assert (tmp_path / "two" / "bm25.zip").read_bytes() == (written / "bm25.zip").read_bytes()


def test_every_score_is_derived_again(written: Path) -> None:
    (claim,) = BeirRuns().claims(written)
    assert (claim.dataset, claim.split, claim.file) == ("birds", "test", "bm25.zip!metrics.json")
    assert len(claim.values) == 30
    assert claim.compute(QRELS) == claim.values
    other = claim.compute({**QRELS, "q3": {"d5": 1}})
    assert other["datasets.birds.measures.nDCG@1"] == 1.0


def test_a_part_of_a_suite_is_refused_when_all_was_asked_for(tmp_path: Path) -> None:
    entry = make_entry(tmp_path, dataset="scifact")
    with pytest.raises(UsageError, match="bm25: beir-13 lacks 12 of its 13 datasets: "):
        BeirRuns().write([entry], tmp_path / "out", BeirOptions(suite="beir-13"))
    with pytest.raises(UsageError, match="is a sample"):
        BeirRuns().write([make_entry(tmp_path / "b", sampled=True)], tmp_path / "out", BeirOptions())


def test_two_splits_of_a_dataset_are_refused(tmp_path: Path) -> None:
    entries = [make_entry(tmp_path), make_entry(tmp_path, split="dev")]
    with pytest.raises(UsageError, match=r"would both be bm25\.zip!birds\.trec"):
        BeirRuns().write(entries, tmp_path / "out", BeirOptions())


def test_what_is_wrong_names_its_key(written: Path) -> None:
    data = metrics(written)
    data["datasets"]["birds"]["measures"] |= {"nDCG@10": 64.5, "MRR": 0.5}
    assert rewritten(written, metrics_json=data) == [
        "datasets.birds.measures.nDCG@10: 64.5",
        "datasets.birds.measures.MRR: 'MRR'",
    ]
    data["datasets"]["birds"] |= {"measures": {}, "content_ids": {"corpus": "c", "queries": "d"}}
    assert rewritten(written, metrics_json=data) == [
        "datasets.birds.measures.nDCG@10: no such key",
        "datasets.birds.content_ids.qrels/test: no such key",
    ]


def test_runs_and_scores_belong_together(written: Path) -> None:
    run = tree(written)["bm25.zip!birds.trec"]
    assert rewritten(written, other_trec=run) == ["datasets: no other"]
    assert rewritten(written, other_trec=None, birds_trec=None) == [
        "datasets.birds: no birds.trec in the zip"
    ]
    assert rewritten(written, birds_trec=run.replace(b"d2 2 1.25", b"d2 0 1.25")) == ["line 2: rank: '0'"]
    assert rewritten(written, birds_trec=run, metrics_json=b"{") != []
    assert told(BeirRuns().validate(written / "nothing")) == [": no zip"]
