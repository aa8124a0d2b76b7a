"""``beirkit report``: what is in the page and in the file beside it."""

from __future__ import annotations

import base64
import gzip
import json
import re
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from beirkit.cli.main import main
from tests.beirkit.conftest import DOCUMENTS, QUERIES


@pytest.fixture
def results(birds: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    """Two lexical systems on the birds, in a folder of results."""
    assert main(["run", "-d", str(birds), "-r", "bm25", "-r", "rank-bm25", "-q"]) == 0
    capsys.readouterr()
    return tmp_path / "results"


def report(*words: object) -> str:
    assert main(["report", *map(str, words), "--samples", "200", "-q"]) == 0
    return Path("report.html").read_text(encoding="utf-8")


def unpacked(page: str) -> Any:
    [text] = re.findall(r'id="queries-1">([^<]*)<', page)
    return json.loads(gzip.decompress(base64.b64decode(text)))


def beside_text() -> str:
    return gzip.decompress(Path("report.queries.jsonl.gz").read_bytes()).decode("utf-8")


def rows(page: str, table: str) -> list[list[str]]:
    body = page[page.index(f'<table id="{table}">') :].partition("<tbody>")[2].partition("</tbody>")[0]
    cells = [re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row) for row in body.split("</tr>")[:-1]]
    return [[re.sub(r"<[^>]*>", "", cell).strip() for cell in row] for row in cells]


def failed(capsys: pytest.CaptureFixture[str], *words: object) -> str:
    assert main(["report", *map(str, words)]) == 2
    return capsys.readouterr().err


def test_the_page_says_what_compare_says(results: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = report(results)
    assert main(["compare", *map(str, sorted(results.glob("*@test/*"))), "--samples", "200", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    [said] = found["verdict"]
    assert all(sentence.replace("'", "&#39;") in page for sentence in said["sentences"])
    places = found["tables"][0]["leaderboard"]["places"]
    assert [(row[0], row[2]) for row in rows(page, "only-1")] == [
        (place["system"], f"{place['mean']:.4f}") for place in places
    ]
    assert {row[6] for row in rows(page, "only-1")} == {"zero-shot"}


def test_queries_stand_with_texts_judgments_and_rankings(results: Path) -> None:
    found = unpacked(report(results))
    queries = {one["i"]: one for one in found["queries"]}
    assert {query_id: one["t"] for query_id, one in queries.items()} == QUERIES
    docs = found["docs"]
    assert {doc_id: (title, text) for doc_id, title, text in docs}.items() <= DOCUMENTS.items()
    first = queries["q1"]
    assert [docs[ranking[0]][0] for ranking in first["k"]] == ["d1", "d1"]
    assert {docs[place][0]: grade for place, grade in first["r"]} == {"d1": 2, "d3": 1}
    assert not Path("report.queries.jsonl.gz").exists()


def test_without_text_no_text_is_left(results: Path) -> None:
    page = report(results, "--no-text", "--queries", "2")
    beside = beside_text()
    everything = page + json.dumps(unpacked(page)) + beside
    texts = [*QUERIES.values(), *(part for pair in DOCUMENTS.values() for part in pair)]
    assert [text for text in texts if text in everything] == []
    assert 'class="banner"' not in page
    assert {"q1", "q2", "q3", "q4"} == {one["i"] for one in unpacked(page)["queries"]} | {
        json.loads(line)["query_id"] for line in beside.splitlines()
    }


def test_texts_of_an_earlier_report_do_not_stay_beside_one_without(results: Path) -> None:
    report(results, "--queries", "1")
    assert QUERIES["q2"] in beside_text()
    report(results, "--no-text")  # every query has room in it
    assert not Path("report.queries.jsonl.gz").exists()


def test_the_rest_of_the_queries_is_beside(results: Path) -> None:
    page = report(results, "--queries", "1")
    every = [json.loads(line) for line in beside_text().splitlines()]
    lines = [line for line in every if "query_id" in line]
    documents = [line for line in every if "doc_id" in line]
    assert len({line["doc_id"] for line in documents}) == len(documents) == len(every) - len(lines)
    assert len(unpacked(page)["queries"]) == 1
    assert len(lines) == 3
    [one] = [line for line in lines if line["query_id"] == "q2"]
    assert one["text"] == QUERIES["q2"]
    assert one["judged"] == {"d2": 1}
    [owl] = [line for line in documents if line["doc_id"] == "d2"]
    assert (owl["title"], owl["text"]) == DOCUMENTS["d2"]
    assert every.index(owl) < every.index(one)
    assert {name: ranking[0][0] for name, ranking in one["rankings"].items()} == {
        "bm25": "d2",
        "rank-bm25": "d2",
    }
    assert "report.queries.jsonl.gz" in page


def test_a_suite_has_a_mean_and_a_section_for_each_dataset(
    birds: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(birds, tmp_path / "lake")
    words = ["-d", str(birds), "-d", str(tmp_path / "lake"), "-r", "bm25", "-r", "rank-bm25"]
    assert main(["run", *words]) == 0
    listed = capsys.readouterr().err.split("Written: ")[1].split(", ")[1].split(";")[0]
    page = report(listed)
    assert [row[0] for row in rows(page, "means-1")] == ["birds", "lake"]
    assert len(rows(page, "board-1")) == 2
    assert {'id="dataset-1"', 'id="dataset-2"'} <= set(re.findall(r'id="dataset-\d"', page))


def test_where_the_dataset_is_gone_the_page_says_so_and_has_the_rest(results: Path, birds: Path) -> None:
    shutil.rmtree(birds)
    page = report(results)
    assert "Judgments and texts are not shown: " in page
    assert 'class="banner"' not in page
    found = unpacked(page)
    assert {one["t"] for one in found["queries"]} == {""}
    assert [docs[0] for docs in found["docs"]]


def test_bare_runs_have_texts_where_the_judgments_are_a_folder(birds: Path, tmp_path: Path) -> None:
    for name, scores in (("one.trec", (3, 2)), ("two.trec", (2, 3))):
        lines = [f"q1 Q0 d1 1 {scores[0]} x\n", f"q1 Q0 d3 2 {scores[1]} x\n"]
        (tmp_path / name).write_text("".join(lines), encoding="utf-8")
    page = report("one.trec", "two.trec", "--qrels", birds)
    found = unpacked(page)
    query = next(one for one in found["queries"] if one["i"] == "q1")
    assert query["t"] == QUERIES["q1"]
    assert [[found["docs"][place][0] for place in ranking] for ranking in query["k"]] == [
        ["d1", "d3"],
        ["d3", "d1"],
    ]
    assert "Citations and licences" not in page


def test_the_same_results_are_the_same_page(results: Path) -> None:
    assert report(results) == report(results)


def test_one_system_has_nothing_to_be_compared_with(results: Path) -> None:
    page = report(next(results.glob("*@test/bm25--*")))
    assert "One system alone: there is nothing to compare." in page


def test_what_a_report_cannot_be_is_told(
    results: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "a report is a page of HTML" in failed(capsys, results, "--out", "report.pdf")
    assert "--queries -1" in failed(capsys, results, "--queries", "-1")
    assert "nowhere" in failed(capsys, "nowhere")
    from beirkit.evaluate.report.page import environment

    environment.cache_clear()
    monkeypatch.setitem(sys.modules, "jinja2", None)
    assert "pip install 'beirkit[report]'" in failed(capsys, results)
    assert not list(Path().glob("report*"))
