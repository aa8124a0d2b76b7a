"""Where references by address may go: no search, no mean with grades, no nDCG unasked."""

from __future__ import annotations

from pathlib import Path

import pytest

from beirkit.cli.main import main
from beirkit.configs.schema import SuiteConfig
from beirkit.corpora.errors import BeirkitError, UsageError
from beirkit.exporting import export
from beirkit.members import find_members


def test_addresses_alone_are_not_searched(
    dataset: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["run", "-d", dataset, "-r", "bm25", "--out", str(tmp_path)]) == 2
    assert "by their addresses alone; there is no text to search" in capsys.readouterr().err


def test_ndcg_over_references_needs_its_switch(
    with_pages: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["run", "-d", with_pages, "-r", "bm25", "--out", str(tmp_path / "results"), "--json"]
    assert main(words) == 0
    printed = capsys.readouterr()
    assert "nDCG" not in printed.out
    assert "references are not every relevant page" in printed.err
    assert main([*words, "-m", "nDCG@10"]) == 2
    assert "needs graded relevance" in capsys.readouterr().err
    assert main([*words, "-m", "nDCG@10", "--ndcg-on-references"]) == 0
    run = next((tmp_path / "results").rglob("run.trec.gz"))
    capsys.readouterr()
    assert main(["score", str(run), with_pages]) == 0
    assert "nDCG" not in capsys.readouterr().out
    assert main(["score", str(run), with_pages, "-m", "nDCG@10"]) == 2
    assert main(["score", str(run), with_pages, "-m", "nDCG@10", "--ndcg-on-references"]) == 0


def test_captured_texts_are_exported_only_with_leave(with_pages: str, dataset: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"texts of captured pages \(pages\)"):
        export(with_pages, "jsonl", tmp_path / "out")
    export(with_pages, "jsonl", tmp_path / "allowed", pages_are_licensed=True)
    export(dataset, "jsonl", tmp_path / "addresses")
    export(with_pages, "lexbench", tmp_path / "release")
    texts = (path.read_bytes() for path in (tmp_path / "release").rglob("*.json*"))
    assert not any(b"Who painted the gate?" in text for text in texts)


def test_references_share_no_mean_with_grades(dataset: str) -> None:
    suite = SuiteConfig(name="mixed", datasets=["lexbench-simpleqa-verified", "scifact"])
    with pytest.raises(BeirkitError, match=r"mixes kinds of judgments: scifact \(graded\), lexbench"):
        find_members(suite)
    folder = SuiteConfig(name="mixed", datasets=[dataset, "pystdlib"])
    with pytest.raises(BeirkitError, match="mixes kinds of judgments"):
        find_members(folder)
