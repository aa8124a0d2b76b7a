"""``beirkit show``: one query, in the order that is asked for."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from beirkit.cli.main import main
from beirkit.cli.show import browse
from beirkit.matching import analyzer_of
from beirkit.stored import read_result
from tests.beirkit.conftest import QUERIES


@pytest.fixture
def results(birds: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    """Two lexical systems on the birds."""
    assert main(["run", "-d", str(birds), "-r", "bm25", "-r", "rank-bm25", "-m", "RR@10", "-q"]) == 0
    capsys.readouterr()
    return tmp_path / "results"


@pytest.fixture
def runs(birds: Path, tmp_path: Path) -> list[str]:
    """Two run files over the birds: they differ most on q3, and q4 is found by none."""
    rankings = {
        "one.trec": {"q1": ["d1"], "q2": ["d2"], "q3": ["d3"]},
        "two.trec": {"q1": ["d2", "d1"], "q2": ["d2"], "q3": ["d1"]},
    }
    for name, lists in rankings.items():
        lines = [f"{q} Q0 {d} {n} {9 - n} x\n" for q, docs in lists.items() for n, d in enumerate(docs, 1)]
        (tmp_path / name).write_text("".join(lines), encoding="utf-8")
    return ["one.trec", "two.trec", "--qrels", str(birds), "-m", "RR@10"]


def shown(capsys: pytest.CaptureFixture[str], *words: object) -> str:
    assert main(["show", *map(str, words)]) == 0
    return capsys.readouterr().out


def facts(capsys: pytest.CaptureFixture[str], *words: object) -> Any:
    return json.loads(shown(capsys, *words, "--json"))


def failed(capsys: pytest.CaptureFixture[str], *words: object) -> str:
    assert main(["show", *map(str, words)]) == 2
    return capsys.readouterr().err


def test_a_query_stands_with_what_is_relevant_and_what_was_returned(
    results: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = shown(capsys, results, "q1")
    assert text.startswith(
        "Query q1 (1 of 4)\n  falcon hovers\n\nRelevant: 2 of 2 judged\n  [2] d1  Kestrel\n"
    )
    assert re.search(r"\nbm25: RR@10 1\.0000\n +1\. [\d.]+ +\[2\]  d1  Kestrel\n +A small falcon", text)
    assert text.count("terms: falcon hover\n") == 2  # stemmed, by each in its own way
    assert "\nrank-bm25: RR@10 1.0000\n" in text


def test_terms_are_those_of_the_retrievers_own_analyzer(
    results: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = facts(capsys, results, "q2")
    assert found["text"] == QUERIES["q2"]
    first = {one["system"]: one["results"][0] for one in found["systems"]}
    assert {name: (one["doc_id"], one["grade"]) for name, one in first.items()} == {
        "bm25": ("d2", 1),
        "rank-bm25": ("d2", 1),
    }
    assert first["bm25"]["terms"] == ["owl", "night"]  # "at" is a stop word
    assert found["documents"]["d2"]["text"] == "A pale owl that hunts voles at night."


def test_terms_over_passages_are_those_of_the_retriever_inside(
    birds: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["run", "-d", str(birds), "-r", "bm25-maxp:size=3,overlap=0", "--out", "cut", "-q"]) == 0
    capsys.readouterr()
    folder = next(Path("cut").glob("*@test/*"))
    first = facts(capsys, folder, "q1")["systems"][0]["results"][0]
    assert (first["doc_id"], first["terms"]) == ("d1", ["falcon", "hover"])
    manifest = folder / "manifest.json"
    kept = json.loads(manifest.read_text(encoding="utf-8"))
    manifest.write_text(json.dumps({**kept, "name": "bm25"}), encoding="utf-8")
    assert analyzer_of(read_result(folder)) is None, "nothing is inside what has this name now"


def test_an_analyzer_that_is_another_by_now_is_not_taken_for_it(results: Path) -> None:
    folder = next(results.glob("*@test/bm25--*"))
    assert analyzer_of(read_result(folder)) is not None
    manifest = folder / "manifest.json"
    kept = json.loads(manifest.read_text(encoding="utf-8"))
    kept["retriever"]["analyzer"]["stemmer"] = "another"
    manifest.write_text(json.dumps(kept), encoding="utf-8")
    assert analyzer_of(read_result(folder)) is None


def test_orders_begin_with_the_worst_and_with_the_greatest_disagreement(
    runs: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert facts(capsys, *runs)["query_id"] == "q1"
    assert facts(capsys, *runs, "--worst")["query_id"] == "q4"
    found = facts(capsys, *runs, "--disagree")
    assert (found["query_id"], found["previous"], found["next"]) == ("q3", None, "q1")
    assert {one["system"]: one["value"] for one in found["systems"]} == {"one.trec": 1.0, "two.trec": 0.0}
    assert [one["system"] for one in found["systems"] if "terms" in one["results"][0]] == []


def test_next_and_previous_follow_the_order(runs: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert facts(capsys, *runs, "--query", "q1", "--next")["query_id"] == "q2"
    assert facts(capsys, *runs, "--disagree", "--query", "q1", "--previous")["query_id"] == "q3"
    assert "q4 is the last query" in failed(capsys, *runs, "--query", "q4", "--next")
    assert "q1 is the first query" in failed(capsys, *runs, "--previous")


def test_what_returned_nothing_says_so(runs: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert shown(capsys, *runs, "--query", "q4").count("returned nothing") == 2


def test_keys_go_through_the_queries() -> None:
    seen: list[int] = []
    keys = iter(["n", "n", "n", "x", "p", " ", "q", "n"])
    assert browse(0, 3, lambda: next(keys), seen.append) == 2
    assert seen == [1, 2, 1, 2]  # the third n is at the end
    assert browse(1, 3, lambda: "", seen.append) == 1


def test_control_characters_of_a_text_do_not_reach_the_terminal(
    birds: Path, runs: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    queries = birds / "queries.jsonl"
    text = queries.read_text(encoding="utf-8")
    queries.write_text(text.replace("falcon hovers", r"falcon \u001b[2J\u202ehovers"), encoding="utf-8")
    told = shown(capsys, *runs, "--query", "q1")
    assert "falcon  [2J hovers" in told
    assert not {"\x1b", "\u202e"} & set(told)
    assert facts(capsys, *runs, "--query", "q1")["text"] == "falcon \x1b[2J\u202ehovers"


def test_wrong_words_are_told(
    birds: Path, results: Path, runs: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert "did you mean 'q1'" in failed(capsys, *runs, "--query", "q11")
    assert "is no path, and --query names a query already" in failed(capsys, results, "q2", "--query", "q1")
    assert "no result is of 'lake'" in failed(capsys, results, "-d", "lake")
    assert "--top 0" in failed(capsys, results, "--top", "0")


def test_of_several_datasets_one_is_chosen(
    birds: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("lake", "shore"):
        shutil.copytree(birds, tmp_path / name)
        assert main(["run", "-d", str(tmp_path / name), "-r", "bm25", "-q"]) == 0
        assert main(["run", "-d", str(tmp_path / name), "-r", "rank-bm25", "-q"]) == 0
    capsys.readouterr()
    assert "add -d: lake, shore" in failed(capsys, "results")
    assert facts(capsys, "results", "-d", "shore")["dataset"] == "shore"
