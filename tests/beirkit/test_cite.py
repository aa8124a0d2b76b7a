"""``beirkit cite``: everything behind a result, each once."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from beirkit.citing import cite, installed_licence
from beirkit.cli.main import main
from beirkit.corpora.errors import UnknownNameError


def cited(*targets: str) -> dict[tuple[str, str], list[str]]:
    return {(source.kind, source.name): source.keys for source in cite(targets).sources}


def test_names_of_datasets_suites_and_retrievers() -> None:
    assert cited("scifact", "nano-scifact", "minilm") == {
        ("dataset", "scifact"): ["thakur2021beir", "wadden2020fact"],
        ("dataset", "nano-scifact"): ["zetaalpha2024nanobeir", "wadden2020fact"],
        ("retriever", "minilm"): ["reimers2019sentencebert", "wang2020minilm"],
        ("tool", "sentence-transformers"): ["reimers2019sentencebert"],
        ("tool", "faiss-cpu"): ["douze2024faiss"],
        ("tool", "beirkit"): ["beirkit"],
    }
    suite = cited("beir-15")
    assert suite["suite", "beir-15"] == ["thakur2021beir"]
    assert suite["suite", "cqadupstack"] == ["hoogeveen2015cqadupstack"]
    assert sum(kind == "dataset" for kind, _ in suite) == 14 + 12
    assert cited("bm25:k1=1.5")["retriever", "bm25:k1=1.5"] == ["robertson2009probabilistic"]


def test_a_paper_stands_once_however_often_it_is_needed() -> None:
    text = cite(["scifact", "fiqa", "scifact", "beir-13"]).bibtex()
    assert text.count("@inproceedings{thakur2021beir,") == 1
    assert "% dataset scifact: licence conflicting: the owner's" in text


@pytest.fixture
def kept(birds: Path, tmp_path: Path) -> Path:
    out = tmp_path / "kept"
    suite = tmp_path / "mine.yaml"
    suite.write_text(
        "name: mine\ndatasets: [./birds]\nretrievers: ['bm25:k1=1.2', rank-bm25]\n", encoding="utf-8"
    )
    assert main(["run", str(suite), "--out", str(out), "-q"]) == 0
    return out


@pytest.mark.parametrize("inside", ["", "mine.json", "birds@test"])
def test_results_name_their_retrievers_and_the_versions_they_were_made_with(inside: str, kept: Path) -> None:
    for manifest in kept.glob("*/*/manifest.json"):
        facts = json.loads(manifest.read_text(encoding="utf-8"))
        facts["versions"]["rank-bm25"] = "0.0.7"
        manifest.write_text(json.dumps(facts), encoding="utf-8")
    citations = cite([str(kept / inside)])
    sources = {(source.kind, source.name): source for source in citations.sources}
    assert [key for key in sources if key[0] != "tool"] == [
        ("dataset", "birds"),
        ("retriever", "bm25"),
        ("retriever", "rank-bm25"),
    ]
    assert sources["tool", "rank-bm25"].versions == ["0.0.7"]
    assert sources["tool", "pytrec-eval-terrier"].keys == ["vangysel2018pytreceval"]
    assert sources["tool", "PyStemmer"].licence != "not stated"
    assert ("tool", "sentence-transformers") not in sources, "installed, and not used"
    assert sources["dataset", "birds"].keys == []
    assert sources["retriever", "bm25"].licence == "no model"


def test_files_of_ones_own(birds: Path, tmp_path: Path) -> None:
    retriever = tmp_path / "r.yaml"
    retriever.write_text(
        "name: mine\nkind: bm25\ncitation: Me & you, 2024\nlicence: CC0\noptions: {variant: lucene}\n",
        encoding="utf-8",
    )
    dataset = tmp_path / "d.yaml"
    dataset.write_text("name: mydata\ntitle: Mine\nextends: scifact\ncitation: Us, 2023\n", encoding="utf-8")
    part = tmp_path / "p.yaml"
    part.write_text("name: part\ntitle: A part\nextends: scifact\n", encoding="utf-8")
    citations = cite([str(retriever), str(dataset), str(birds), str(part)])
    sources = {(source.kind, source.name): source for source in citations.sources}
    own = sources["retriever", "mine"]
    assert (own.keys, own.licence) == (["robertson2009probabilistic", "beirkit-retriever-mine"], "CC0")
    assert sources["dataset", "mydata"].keys == ["beirkit-dataset-mydata"]
    assert sources["dataset", "part"].keys == ["thakur2021beir", "wadden2020fact"]
    assert sources["dataset", "birds"].licence == "not stated"
    assert "  note = {Me \\& you, 2024}," in citations.bibtex()


def test_a_converted_folder_says_what_its_manifest_does(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["convert", "pystdlib", "--out", str(tmp_path / "built"), "-q", "--no-check"]) == 0
    assert cited(str(tmp_path / "built"))["dataset", "pystdlib"] == ["psf-standard-library"]


def test_the_three_forms(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["cite", "heq"]) == 0
    text = capsys.readouterr().out
    assert "CC BY 4.0" in text
    assert "[cohen2023heq] Amir David Nissan Cohen et al. HeQ" in text
    assert main(["cite", "heq", "--format", "bibtex"]) == 0
    assert capsys.readouterr().out.count("\n@") == 2
    assert main(["cite", "heq", "--format", "json"]) == 0
    data: Any = json.loads(capsys.readouterr().out)
    assert list(data["papers"]) == ["cohen2023heq", "beirkit"]
    assert data["sources"][0]["licence"] == "CC BY 4.0"


def test_what_is_not_there_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'scifact'"):
        cite(["scifct"])
    (tmp_path / "empty").mkdir()
    assert main(["cite", str(tmp_path / "empty")]) == 2
    assert "holds no results" in capsys.readouterr().err
    assert installed_licence("no-such-distribution") == "not stated"
