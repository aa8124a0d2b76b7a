"""`beirkit compare` says which options differ where systems are one retriever with some of them changed."""

from __future__ import annotations

from pathlib import Path

import pytest

from beirkit.cli.main import main
from beirkit.evaluate.explain.manifests import varied


def notes(capsys: pytest.CaptureFixture[str], *retrievers: str) -> list[str]:
    assert main(["run", "-d", "birds", "-r", *retrievers, "--out", "results", "-q"]) == 0
    capsys.readouterr()
    [table] = Path("results").glob("*.json")
    assert main(["compare", str(table), "--samples", "100"]) == 0
    lines = capsys.readouterr().err.splitlines()
    return [line for line in lines if line.startswith("Options")]


def test_the_size_of_passages_is_what_differs(birds: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert notes(capsys, *(f"bm25-maxp:overlap=0,size={size}" for size in (128, 256, 512))) == [
        "Options: they differ in chunk.size (128 in bm25-maxp:overlap=0,size=128, 256 in "
        "bm25-maxp:overlap=0,size=256, 512 in bm25-maxp:overlap=0,size=512), and in nothing else "
        "that rankings depend on"
    ]


def test_two_options_that_differ(birds: Path, capsys: pytest.CaptureFixture[str]) -> None:
    [told] = notes(capsys, "bm25", "bm25:k1=1.2,b=0.75")
    assert told.startswith(
        "Options: they differ in b (0.4 in bm25, 0.75 in bm25:k1=1.2,b=0.75) and k1 (0.9 in"
    )


def test_nothing_is_said_of_different_retrievers(birds: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert notes(capsys, "bm25", "bm25f") == []


def test_versions_and_batches_are_no_options() -> None:
    one = {"retriever": {"kind": "dense", "block": 4096, "encoder": {"batch_size": 8, "dtype": "float32"}}}
    other = {"retriever": {"kind": "dense", "block": 9, "encoder": {"batch_size": 9, "dtype": "bfloat16"}}}
    assert varied({"a": one, "b": one}) == {}
    assert varied({"a": one, "b": other}) == {"encoder.dtype": {"a": "'float32'", "b": "'bfloat16'"}}
    assert varied({"a": one, "b": {}})["kind"] == {"a": "'dense'", "b": "nothing"}
