"""The language of a dataset and that of an analyzer: chosen, compared, and shown step by step."""

from __future__ import annotations

import io
import json
import logging
from pathlib import Path
from typing import Any

import pytest

from beirkit.analysis import analyze
from beirkit.cli.main import main
from beirkit.configs.schema import SuiteConfig
from beirkit.corpora.errors import UsageError
from beirkit.experiment import Cell, run_suite
from beirkit.retrievers.base import Workplace

HEBREW = ["הבית הגדול עמד ליד הספרייה של העיר", "הספרים שבספרייה נכתבו לפני שנים רבות מאוד"]
ENGLISH = ["the large house stood next to the library of the town", "its books were written long ago"]


def _folder(where: Path, texts: list[str], query: str) -> Path:
    (where / "qrels").mkdir(parents=True)
    rows = [{"_id": f"d{n}", "title": "", "text": text} for n, text in enumerate(texts)]
    lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    (where / "corpus.jsonl").write_text(lines, encoding="utf-8")
    row = json.dumps({"_id": "q", "text": query}, ensure_ascii=False)
    (where / "queries.jsonl").write_text(row + "\n", encoding="utf-8")
    (where / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\nq\td1\t1\n", encoding="utf-8")
    return where


def _facts(where: Path, name: str, language: str, folder: Path) -> str:
    """The YAML of a dataset of one's own, over a folder in BEIR's shape."""
    file = where / f"{name}.yaml"
    file.write_text(
        f"name: {name}\ntitle: {name}\nformat: beir\nlanguage: {language}\ntask: passage retrieval\n"
        "domain: houses\nfamily: houses\nlicence: CC0\n"
    )
    assert main(["convert", str(file), str(folder), "--quiet"]) == 0
    return str(file)


def _cells(datasets: list[str], retrievers: list[str], where: Path) -> list[Cell]:
    suite = SuiteConfig(name="s", datasets=datasets, retrievers=retrievers, k=5)
    return list(run_suite(suite, results=where / "results", workplace=Workplace()))


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BEIRKIT_HOME", str(tmp_path / "home"))


def test_auto_is_the_language_of_each_dataset(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    houses = _facts(tmp_path, "houses", "en-GB", _folder(tmp_path / "en", ENGLISH, "book"))
    batim = _facts(tmp_path, "batim", "he", _folder(tmp_path / "he", HEBREW, "ספר"))
    cells = _cells([houses, batim], ["bm25-multilingual", "bm25-lucene:language=auto"], tmp_path)
    used = [cell.manifest["retriever"]["analyzer"]["language"] for cell in cells]
    assert used == ["en", "en", "he", "he"]
    assert [cell.scores.mean("RR@10") for cell in cells[:2]] == [1.0, 1.0]
    assert "analyzer of" not in caplog.text


def test_auto_is_refused_before_any_work_where_no_language_is_stated(tmp_path: Path) -> None:
    folder = _folder(tmp_path / "he", HEBREW, "ספר")
    with pytest.raises(UsageError, match=r"none is stated for he.*bm25-multilingual:language="):
        _cells([str(folder)], ["bm25-lucene", "bm25-multilingual"], tmp_path)
    file = tmp_path / "inside.yaml"
    file.write_text("name: inside\nkind: chunked\noptions: {retriever: bm25-multilingual, size: 5}\n")
    with pytest.raises(UsageError, match=r"in the file that describes it: language of bm25-multilingual"):
        _cells([str(folder)], [str(file)], tmp_path)
    assert not (tmp_path / "results").exists()


def test_a_language_that_is_said_goes_before_the_datasets(tmp_path: Path) -> None:
    folder = str(_folder(tmp_path / "he", HEBREW, "ספר"))
    stated = _facts(tmp_path, "batim", "he", Path(folder))
    said = ["bm25-multilingual:language=he", "bm25-multilingual:language=und"]
    inside = tmp_path / "inside.yaml"
    options = "{retriever: 'bm25-multilingual:language=he', size: 5}"
    inside.write_text(f"name: inside\nkind: chunked\noptions: {options}\n")
    cells = _cells([folder], [*said, str(inside)], tmp_path)
    facts = [cell.manifest["retriever"] for cell in cells]
    assert [one["analyzer"]["language"] for one in facts[:2]] == ["he", "und"]
    assert facts[2]["retriever"]["analyzer"]["language"] == "he"
    (other,) = _cells([stated], said[1:], tmp_path)
    assert other.manifest["retriever"]["analyzer"]["language"] == "und"


@pytest.mark.parametrize(
    ("stated", "texts", "retriever", "told"),
    [
        ("he", HEBREW, "bm25-lucene", "is for en, and the dataset's language is he"),
        ("de", ENGLISH, "bm25-lucene", "is for en, and the dataset's language is de"),
        ("en", HEBREW, "bm25-lucene", "for en (Latn), and 100 % of the letters"),
        ("en", ENGLISH, "bm25-lucene", ""),
        ("he", HEBREW, "bm25-lucene:language=he", ""),
        ("he", HEBREW, "bm25-lucene:language=und", ""),
        ("", HEBREW, "bm25-lucene", "100 % of the letters of the first documents are Hebr"),
        ("", HEBREW, "bm25-lucene:language=ar", "is for ar (Arab)"),
        ("", HEBREW, "bm25-lucene:language=yi", ""),
        ("he", HEBREW, "bm25-maxp", "the dataset's language is he; put bm25-multilingual inside it"),
        ("he", HEBREW, "bm25-maxp:retriever=bm25-multilingual", ""),
        ("", ["ab", "12"], "bm25-lucene:language=he", ""),  # too few letters to tell anything
    ],
)  # fmt: skip
def test_an_analyzer_for_another_language_is_told(
    stated: str, texts: list[str], retriever: str, told: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    folder = _folder(tmp_path / "folder", texts, texts[1].split()[0])
    dataset = _facts(tmp_path, "mine", stated, folder) if stated else str(folder)
    caplog.set_level(logging.WARNING)
    _cells([dataset], [retriever], tmp_path)
    assert told in caplog.text
    assert ("the analyzer of" in caplog.text) == bool(told)


def test_the_summary_says_which_language_it_was(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    datasets = [
        _facts(tmp_path, "houses", "en", _folder(tmp_path / "en", ENGLISH, "book")),
        _facts(tmp_path, "batim", "he", _folder(tmp_path / "he", HEBREW, "ספר")),
    ]
    out = str(tmp_path / "results")
    assert main(["run", "-d", *datasets, "-r", "bm25-multilingual", "--out", out]) == 0
    told = capsys.readouterr().err
    assert "bm25-multilingual on houses: " in told
    assert "bm25-multilingual on batim: " in told
    assert "language=he" in told


def test_analyze_shows_every_step(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["analyze", "The owl's house", "-r", "bm25-lucene"]) == 0
    shown = capsys.readouterr().out
    for row in ("words:uax29   The | owl's | house", "stop:lucene   owl | house", "stem:porter   owl | hous"):
        assert row in shown
    assert "terms: 2, distinct: 2" in shown


def test_analyze_for_machines_and_from_standard_input(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("בצה״ל\n"))
    assert main(["analyze", "-", "-r", "bm25-lucene:language=he", "--json"]) == 0
    told: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert told["text"] == "בצה״ל\n"
    assert [step["step"] for step in told["steps"]] == told["analyzer"]["steps"]
    assert told["steps"][0] == {"step": "hebrew", "text": 'בצה"ל\n'}
    assert told["steps"][1] == {"step": "words:hebrew", "tokens": ['בצה"ל']}
    assert told["terms"] == ['בצה"ל', 'צה"ל', '~בצה"', '~צה"ל']


@pytest.mark.parametrize(
    "retriever", ["bm25", "bm25-mteb", "rank-bm25", "bm25-hebrew", "bm25-lucene-multifield"]
)
def test_every_lexical_retriever_can_be_asked(retriever: str) -> None:
    analysis = analyze("Owls hunt at night. הבית", retriever)
    assert analysis.terms
    assert sorted(analysis.steps[-1].tokens) == sorted(analysis.terms)


@pytest.mark.parametrize(
    ("retriever", "told"),
    [
        ("minilm", "splits no text into terms"),
        ("bm25-multilingual", "stands for a dataset's"),
        ("bm25-lucene:language=germn", "did you mean 'german'?"),
        ("bm25-lucene:analyzer.stemmer=snowbal", "no stemmer is called 'snowbal'"),
        ("bm25-lucene:analyzer.ngrams=-1", "ngrams is -1"),
        ("bm25-lucene:analyzer.clitics=longest", "clitics are known of Hebrew, not of en"),
    ],
)
def test_what_cannot_be_analysed_is_refused(
    retriever: str, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["analyze", "x", "-r", retriever]) == 2
    error = capsys.readouterr().err
    assert told in error
    assert error.count("\n") == 1


def test_a_part_that_is_not_installed_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    from beirkit.retrievers.lexical.analysis import steps

    monkeypatch.setitem(steps.SEGMENTERS, "jieba", ("no-such-package-here", "chinese"))
    with pytest.raises(UsageError, match=r"pip install 'beirkit\[chinese\]'"):
        analyze("北京", "bm25-lucene:language=zh,analyzer.segmenter=jieba")
