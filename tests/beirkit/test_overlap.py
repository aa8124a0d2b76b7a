"""``beirkit overlap``: a benchmark in training data of every form, and scores without what was found."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from beirkit.cli.main import main
from beirkit.corpora.errors import UsageError
from beirkit.corpora.folder import open_folder
from beirkit.corpora.words import words
from beirkit.training_texts import training_texts


def overlap(capsys: pytest.CaptureFixture[str], *words: str | Path) -> Any:
    assert main(["overlap", *map(str, words), "--json"]) == 0
    return json.loads(capsys.readouterr().out)


@pytest.fixture
def triples(tmp_path: Path) -> Path:
    path = tmp_path / "train.jsonl"
    rows: list[dict[str, Any]] = [
        {"query": "Forked  tail", "pos": ["nothing of the kind"], "neg": [{"text": "a grey heron"}]},
        {"query": "what flies", "pos": ["A pale owl that hunts voles at night."], "neg": []},
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def test_queries_and_documents_are_found(
    birds: Path, triples: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = overlap(capsys, triples, birds)
    assert found["looked_for"] == {"queries": 4, "documents": 4}
    assert list(found["queries"]) == ["q3"]
    assert found["queries"]["q3"]["exact"] == {"where": "line 1, query", "text": "Forked  tail"}
    assert list(found["documents"]) == ["d2"], "without its title"
    assert found["relevant"] == {"q2": ["d2"]}
    assert found["training_texts"] == 5
    written = tmp_path / "results" / "overlap" / "birds@test--train.jsonl.json"
    assert json.loads(written.read_text(encoding="utf-8")) == found


def test_columns_and_documents_are_chosen(
    birds: Path, triples: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    only = overlap(capsys, triples, birds, "--column", "pos", "--column", "neg", "--documents", "relevant")
    assert (only["queries"], list(only["documents"])) == ({}, ["d2"])
    assert only["looked_for"]["documents"] == 4
    none = overlap(capsys, triples, birds, "--documents", "none")
    assert none["looked_for"]["documents"] == 0
    assert main(["overlap", str(triples), str(birds), "--column", "negs"]) == 2
    assert "no row has a text in column 'negs' (known: neg.text, pos, query)" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "text", "options", "where"),
    [
        ("t.csv", 'id,question\n7,"forked\ntail"\n', [], "line 2, question"),
        ("t.tsv", 'forked tail\t"quoted\n', ["--set", "header=false"], "line 1, 1"),
        ("t.txt", "an owl\nFORKED TAIL\n", [], "line 2"),
    ],
)
def test_tables_and_plain_lines(
    name: str, text: str, options: list[str], where: str, birds: Path, tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    path = tmp_path / f"{name}.gz"
    path.write_bytes(gzip.compress(text.encode()))
    assert overlap(capsys, path, birds, *options)["queries"]["q3"]["exact"]["where"] == where


def test_a_folder_trains_with_one_of_its_splits(birds: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with (birds / "queries.jsonl").open("a", encoding="utf-8") as out:
        out.write('{"_id": "t1", "text": "Owl at night"}\n')
    (birds / "qrels" / "train.tsv").write_text("query-id\tcorpus-id\tscore\nt1\td2\t1\n", encoding="utf-8")
    found = overlap(capsys, birds, birds, "--split", "test", "--train-split", "train")
    assert found["queries"]["q2"]["exact"]["where"] == "query 't1'"
    assert (found["training_texts"], found["documents"]) == (1, {})
    assert main(["overlap", str(birds), str(birds), "--split", "test"]) == 2
    assert "is the test set itself" in capsys.readouterr().err


def test_a_folder_brings_documents_with_and_without_titles(birds: Path) -> None:
    texts = [one for one in training_texts(birds) if one.where == "document 'd1'"]
    assert [one.text for one in texts] == [
        "Kestrel A small falcon that hovers over fields.",
        "A small falcon that hovers over fields.",
    ]
    with pytest.raises(UsageError, match="no columns"):
        training_texts(birds, ["text"])


def test_a_damaged_line_is_told(birds: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text('{"a": "b"}\n{"a": \n', encoding="utf-8")
    assert main(["overlap", str(path), str(birds)]) == 2
    assert f"{path}:2" in capsys.readouterr().err
    assert main(["overlap", str(path), str(birds), "--ngram", "1"]) == 2
    assert main(["overlap", str(path), str(birds), "-m", "AP"]) == 2
    assert "--results" in capsys.readouterr().err


@pytest.fixture
def results(birds: Path, tmp_path: Path) -> Path:
    out = tmp_path / "kept"
    assert main(["run", "-d", str(birds), "-r", "bm25", "--out", str(out), "-q"]) == 0
    return out


def test_scores_with_and_without_the_queries_found(
    birds: Path, triples: Path, results: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    capsys.readouterr()
    found = overlap(capsys, triples, birds, "--results", results, "-m", "RR@10")
    [row] = found["scores"]["bm25"]
    # bm25 finds three of four; q3, which stands in the training data, is one of them
    assert (row["all"], row["n"]) == (0.75, 4)
    assert (row["without"], row["n_without"]) == (pytest.approx(2 / 3), 3)
    assert (row["seen"], row["n_seen"]) == (1.0, 1)
    assert row["difference"] == pytest.approx(0.75 - 2 / 3)
    assert found["left_out"] == {"rule": "queries", "queries": ["q3"]}
    either = overlap(capsys, triples, birds, "--results", results, "--leave-out", "either", "-m", "RR@10")
    assert either["left_out"]["queries"] == ["q2", "q3"]
    assert either["scores"]["bm25"][0]["n_without"] == 2


def test_the_table_tells_counts_and_examples(
    birds: Path, triples: Path, results: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    capsys.readouterr()
    assert main(["overlap", str(triples), str(birds), "--results", str(results), "-m", "RR@10"]) == 0
    out = capsys.readouterr().out
    assert "query 'q3' stands at line 1, query: Forked tail" in out
    assert "with and without queries found in the training data" in out
    assert "+0.0833" in out


def test_results_of_other_data_are_refused(
    birds: Path, triples: Path, results: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with (birds / "qrels" / "test.tsv").open("a", encoding="utf-8") as out:
        out.write("q4\td1\t1\n")
    assert main(["overlap", str(triples), str(birds), "--results", str(results)]) == 2
    assert "another version of the dataset" in capsys.readouterr().err
    assert main(["overlap", str(triples), "pystdlib", "--results", str(results)]) == 2
    assert "none of 1 results is of pystdlib@" in capsys.readouterr().err


def test_scores_that_were_not_kept_are_made_of_the_judgments_at_hand(
    birds: Path, triples: Path, results: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    capsys.readouterr()
    found = overlap(capsys, triples, birds, "--results", results, "-m", "P@1", "--protocol", "trec_eval")
    assert [row["measure"] for row in found["scores"]["bm25"]] == ["P@1"]
    assert (found["scores"]["bm25"][0]["all"], found["protocol"]) == (0.75, "trec_eval")


def test_claims_of_scifact_that_stand_in_its_training_split(
    shared: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Equal to comparing all pairs of claims one by one."""
    folder = shared / "data" / "scifact" / "beir"
    found = overlap(
        capsys, folder, folder, "--split", "test", "--train-split", "train", "--documents", "none"
    )
    collection = open_folder(folder)
    texts = {query.query_id: query.text for query in collection.queries()}
    test, train = collection.qrels("test"), collection.qrels("train")
    folded = {" ".join(texts[query_id].casefold().split()) for query_id in train}
    exact = {query_id for query_id in test if " ".join(texts[query_id].casefold().split()) in folded}
    assert {name for name, one in found["queries"].items() if "exact" in one} == exact
    assert len(exact) == 2
    rows = {row for query_id in train for row in _rows(texts[query_id], 13)}
    short = [f" {' '.join(words(texts[query_id]))} " for query_id in train]
    alike = {
        query_id
        for query_id in test
        for row in [words(texts[query_id])]
        if rows & set(_rows(texts[query_id], 13))
        or (8 <= len(row) < 13 and any(f" {' '.join(row)} " in text for text in short))
    }
    assert {name for name, one in found["queries"].items() if "ngram" in one} == alike
    assert len(alike) == 19


def _rows(text: str, width: int) -> list[tuple[str, ...]]:
    row = words(text)
    return [tuple(row[start : start + width]) for start in range(len(row) - width + 1)]
