"""``beirkit encode``: what is written is what a run searches with, and comes back as the same run."""

from __future__ import annotations

import gzip
import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from beirkit.cli.main import main
from beirkit.corpora.errors import UsageError
from beirkit.encoding import encode
from beirkit.retrievers.base import Workplace
from beirkit.retrievers.sparse.encoder import SparseModel
from tests.retrievers.resuming import words_of
from tests.retrievers.sparse.conftest import tiny_splade as tiny_splade

pytestmark = pytest.mark.dense


@pytest.fixture
def birds(tmp_path: Path) -> Path:
    """Thirty documents; three of four queries are judged in the split test."""
    folder = tmp_path / "birds"
    (folder / "qrels").mkdir(parents=True)
    documents = [{"_id": f"d{n}", "title": "", "text": f"{words_of(n)} owl"} for n in range(30)]
    queries = [{"_id": f"q{n}", "text": words_of(n + 2)} for n in range(4)]
    for name, rows in (("corpus", documents), ("queries", queries)):
        (folder / f"{name}.jsonl").write_text(
            "".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8"
        )
    judged = "".join(f"q{n}\td{n}\t1\n" for n in range(3))
    (folder / "qrels" / "test.tsv").write_text(f"query-id\tcorpus-id\tscore\n{judged}", encoding="utf-8")
    return folder


@pytest.fixture
def splade(tiny_splade: Path, tmp_path: Path) -> str:
    """A configuration with the tiny model."""
    file = tmp_path / "tiny.yaml"
    file.write_text(f"name: tiny\nkind: sparse\noptions:\n  model: {tiny_splade}\n", encoding="utf-8")
    return str(file)


def function(tmp_path: Path) -> str:
    """A configuration with a dense function."""
    code = tmp_path / "letters.py"
    code.write_text(
        "import numpy as np\n"
        "def encode(texts, role):\n"
        "    return np.array([[t.count('o'), t.count('t'), 1 + len(t)] for t in texts], dtype=np.float32)\n",
        encoding="utf-8",
    )
    file = tmp_path / "letters.yaml"
    file.write_text(f"name: letters\nkind: dense\noptions:\n  model: {code}:encode\n", encoding="utf-8")
    return str(file)


def lists(results: Path, name: str) -> list[list[str]]:
    """The run of a retriever without the name of the system."""
    (path,) = results.glob(f"*/{name}--*/run.trec.gz")
    return [line.split()[:5] for line in gzip.decompress(path.read_bytes()).decode().splitlines()]


def content(folder: Path) -> dict[str, bytes]:
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def test_what_was_written_gives_the_same_run_and_is_told_alike(
    birds: Path,
    splade: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("BEIRKIT_HOME", str(tmp_path / "home"))
    out, results = tmp_path / "vectors", tmp_path / "results"
    assert main(["encode", "-d", str(birds), "-r", splade, "--out", str(out)]) == 0
    assert "30 documents:" in capsys.readouterr().out
    monkeypatch.setattr(SparseModel, "encode", None)  # the run takes its vectors from the store
    command = ["run", "-d", str(birds), "-r", splade, f"vectors:{out}", "--out", str(results)]
    assert main(command) == 0
    told = " ".join(capsys.readouterr().err.split())
    assert lists(results, "vectors") == lists(results, "tiny")
    assert len(lists(results, "tiny")) > 30
    for name in ("tiny", "vectors"):
        assert f"{name} on birds: active dimensions " in told
    assert "documents=" not in told, "hashes are kept for the manifest"
    folders = [str(path.parent) for path in results.glob("*/*/run.trec.gz")]
    assert main(["compare", *folders]) == 0
    assert " ".join(capsys.readouterr().err.split()).count("active dimensions") == 2


def test_the_folder_has_the_same_bytes_each_time_and_says_how_it_was_made(
    birds: Path, splade: str, tmp_path: Path
) -> None:
    made = [encode(str(birds), splade, tmp_path / name, workplace=Workplace(device="cpu")) for name in "ab"]
    assert content(tmp_path / "a") == content(tmp_path / "b")
    assert sorted(content(tmp_path / "a")) == ["corpus/vectors.jsonl", "manifest.json", "queries.jsonl"]
    manifest = made[0].manifest
    assert manifest["split"] == "test"
    assert manifest["query"]["texts"] == 3, "those that a run searches for"
    assert manifest["retriever"]["encoder"]["model_sha256"]
    assert set(manifest["files"]) == {"corpus/vectors.jsonl", "queries.jsonl"}
    first = json.loads(
        (tmp_path / "a" / "corpus" / "vectors.jsonl").read_text(encoding="utf-8").splitlines()[0]
    )
    assert list(first) == ["id", "contents", "vector"]
    assert first["id"] == "d0"


def test_impacts_are_whole_numbers_and_queries_pseudo_text(birds: Path, splade: str, tmp_path: Path) -> None:
    plain = encode(str(birds), splade, tmp_path / "plain")
    made = encode(str(birds), splade, tmp_path / "impacts", impacts=10)
    assert made.manifest["impacts"] == 10
    assert sorted(made.manifest["files"]) == ["corpus/vectors.jsonl", "queries.tsv"]
    rows: list[dict[str, Any]] = [
        json.loads(line) for line in (made.path / "corpus" / "vectors.jsonl").read_text("utf-8").splitlines()
    ]
    whole = json.loads((plain.path / "corpus" / "vectors.jsonl").read_text("utf-8").splitlines()[0])["vector"]
    assert rows[0]["vector"] == {term: round(10 * w) for term, w in whole.items() if round(10 * w)}
    words = (made.path / "queries.tsv").read_text("utf-8").splitlines()[0].partition("\t")[2].split()
    query = json.loads((plain.path / "queries.jsonl").read_text("utf-8").splitlines()[0])["vector"]
    assert {word: words.count(word) for word in words} == {
        term: round(10 * w) for term, w in query.items() if round(10 * w)
    }


def test_dense_vectors_are_an_array_and_ids(birds: Path, tmp_path: Path) -> None:
    made = encode(str(birds), function(tmp_path), tmp_path / "dense")
    vectors = np.load(made.path / "corpus.npy")
    assert vectors.shape == (30, 3)
    assert vectors.dtype == np.float32
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1)
    assert (made.path / "corpus.ids").read_text("utf-8").splitlines() == [f"d{n}" for n in range(30)]
    text = f"{words_of(4)} owl"
    row = np.array([text.count("o"), text.count("t"), 1 + len(text)])
    assert vectors[4] == pytest.approx(row / np.linalg.norm(row))
    assert np.load(made.path / "queries.npy").shape == (3, 3)
    assert made.manifest["similarity"] == "cosine"


def test_a_folder_is_replaced_where_it_is_one_of_vectors(birds: Path, tmp_path: Path) -> None:
    dense = function(tmp_path)
    out = tmp_path / "out"
    encode(str(birds), dense, out)
    with pytest.raises(UsageError, match="overwrite"):
        encode(str(birds), dense, out)
    encode(str(birds), dense, out, overwrite=True)
    other = tmp_path / "other"
    shutil.copytree(birds, other)
    with pytest.raises(UsageError):
        encode(str(birds), dense, other, overwrite=True)
    assert content(other) == content(birds)


def test_what_has_no_vectors_is_refused(birds: Path, splade: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="bm25 is of kind bm25-lucene, which makes no vectors"):
        encode(str(birds), "bm25", tmp_path / "out")
    for impacts in (0.0, -1.0, float("inf"), float("nan")):
        with pytest.raises(UsageError, match="a factor above 0"):
            encode(str(birds), splade, tmp_path / "out", impacts=impacts)
    with pytest.raises(UsageError, match="for term weights alone"):
        encode(str(birds), function(tmp_path), tmp_path / "out", impacts=100)
    assert not (tmp_path / "out").exists()
