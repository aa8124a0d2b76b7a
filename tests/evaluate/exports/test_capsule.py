"""Capsules: what is in them, and that nobody can change them unseen."""

from __future__ import annotations

import gzip
import hashlib
import logging
from pathlib import Path

import pytest

from beirkit.corpora.errors import UsageError
from beirkit.evaluate.exports.capsule import CapsuleFile, CapsuleOptions
from beirkit.evaluate.exports.zips import write_zip
from tests.evaluate.exports.small_results import LISTS, golden, make_entry, told, tree

PATH = "capsule.zip!results/birds@test/bm25--00000000"


@pytest.fixture
def written(tmp_path: Path, version_one: None) -> Path:
    out = tmp_path / "out"
    CapsuleFile().write([make_entry(tmp_path)], out, CapsuleOptions(judgments=True))
    return out


def files_of(folder: Path) -> dict[str, bytes]:
    return {name.partition("!")[2]: data for name, data in tree(folder).items()}


def rewrite(folder: Path, files: dict[str, bytes], *, sums: bool = False) -> list[str]:
    if sums:
        files = {name: data for name, data in files.items() if name != "SHA256SUMS"}
        lines = [f"{hashlib.sha256(files[name]).hexdigest()}  {name}\n" for name in sorted(files)]
        files["SHA256SUMS"] = "".join(lines).encode()
    write_zip(folder / "capsule.zip", dict(files))
    return told(CapsuleFile().validate(folder))


def test_golden(tmp_path: Path, written: Path) -> None:
    found, result = tree(written), tmp_path / "birds@test" / "bm25--00000000"
    assert found.pop(f"{PATH}/manifest.json") == (result / "manifest.json").read_bytes()
    assert found.pop(f"{PATH}/run.trec.gz") == (result / "run.trec.gz").read_bytes()
    sums = found.pop("capsule.zip!SHA256SUMS").decode()
    assert found == golden("capsule")
    assert f"{hashlib.sha256(found['capsule.zip!metrics.json']).hexdigest()}  metrics.json\n" in sums
    assert CapsuleFile().validate(written) == []


def test_it_comes_out_the_same(tmp_path: Path, written: Path) -> None:
    CapsuleFile().write([make_entry(tmp_path / "two")], tmp_path / "again", CapsuleOptions(judgments=True))
    assert (tmp_path / "again" / "capsule.zip").read_bytes() == (written / "capsule.zip").read_bytes()


def test_judgments_texts_and_places_stay_here(tmp_path: Path) -> None:
    CapsuleFile().write([make_entry(tmp_path)], tmp_path / "out", CapsuleOptions())
    for name, data in tree(tmp_path / "out").items():
        assert not name.startswith("capsule.zip!qrels/")
        told = gzip.decompress(data) if name.endswith(".gz") else data
        assert b"text of q1" not in told
        assert b"private" not in told


def test_places_in_a_manifest_are_told(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    entry = make_entry(tmp_path)
    manifest = {**entry.manifest, "report": {"model": "/home/ann/models/mine"}}
    with caplog.at_level(logging.WARNING):
        CapsuleFile().write([make_entry(tmp_path / "b", manifest=manifest)], tmp_path / "o", CapsuleOptions())
    assert "names report.model = /home/ann/models/mine, which the capsule shows" in caplog.text


def test_ids_with_white_space_fit(tmp_path: Path) -> None:
    lists = {**LISTS, "q1": {"d 1": 1.0}}
    CapsuleFile().write([make_entry(tmp_path, lists=lists)], tmp_path / "out", CapsuleOptions())
    assert f"{PATH}/run.jsonl.gz" in tree(tmp_path / "out")
    assert CapsuleFile().validate(tmp_path / "out") == []


def test_results_of_one_place_are_refused(tmp_path: Path) -> None:
    entries = [make_entry(tmp_path / "a"), make_entry(tmp_path / "b")]
    with pytest.raises(UsageError, match="would both be results/birds@test/bm25--00000000"):
        CapsuleFile().write(entries, tmp_path / "out", CapsuleOptions())


def test_a_changed_file_is_seen(written: Path) -> None:
    files = files_of(written)
    scores = f"{PATH.partition('!')[2]}/scores.beirkit.jsonl"
    better = {**files, scores: files[scores].replace(b"0.5, 1.0", b"0.9, 1.0")}
    assert rewrite(written, better) == [f": {scores} is not what SHA256SUMS says: it was damaged or changed"]
    assert rewrite(written, better, sums=True) == [": other means"]
    assert rewrite(written, {**files, "more.txt": b"x"}) == [
        ": holds more.txt, which SHA256SUMS does not list"
    ]
    assert rewrite(written, {name: data for name, data in files.items() if name != scores}) != []


def test_what_an_index_must_tell(written: Path) -> None:
    files = files_of(written)
    index = files["capsule.json"]
    other = index.replace(b'"protocol": "beirkit"', b'"protocol": "trec_eval"')
    assert rewrite(written, {**files, "capsule.json": other}, sums=True) == ["protocol: 'beirkit'"]
    bare = index.replace(b'"qrels/test"', b'"qrels/dev"')
    assert rewrite(written, {**files, "capsule.json": bare}, sums=True) == [
        "results.results/birds@test/bm25--00000000.content_ids.qrels/test: ''"
    ]
    for old, new, key in (
        (b'"dataset": "birds"', b'"dataset": "../birds"', "dataset: '../birds'"),
        (b'"system": "bm25"', b'"system": "better"', "system: 'better'"),
        (b"c" * 64, b"e" * 64, f"content_ids.corpus: {'e' * 64!r}"),
    ):
        changed = {**files, "capsule.json": index.replace(old, new)}
        assert rewrite(written, changed, sums=True) == [f"results.results/birds@test/bm25--00000000.{key}"]
    del (without := dict(files))["capsule.json"]
    (found,) = rewrite(written, without, sums=True)
    assert "holds no capsule.json" in found
    two = index.replace(b"capsule 1", b"capsule 2")
    assert rewrite(written, {**files, "capsule.json": two}, sums=True) != []
    assert rewrite(written, {**files, "capsule.json": b"[]"}, sums=True) != []
    (written / "capsule.zip").write_bytes(b"no zip")
    assert any("is no zip" in one for one in told(CapsuleFile().validate(written)))


def test_no_place_leads_out_of_it(written: Path) -> None:
    files = files_of(written)
    index = files["capsule.json"]
    for old, new in (
        (b'"path": "results/birds@test/', b'"path": "results/../'),
        (b'"path": "results/', b'"path": "/results/'),
        (b'"run.trec.gz"', b'"../run.trec.gz"'),
        (b'"qrels/birds@test.jsonl"', b'"../birds@test.jsonl"'),
    ):
        assert old in index
        changed = {**files, "capsule.json": index.replace(old, new)}
        (found,) = rewrite(written, changed, sums=True)
        assert "names a place out of its results" in found
