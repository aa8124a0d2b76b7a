"""``beirkit pool``: from runs to annotators and back, with nothing lost and nothing let in."""

from __future__ import annotations

import csv
import gzip
import io
import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from beirkit.cli.main import main
from beirkit.corpora.ids import id_problem
from beirkit.corpora.qrels import read_qrels
from beirkit.evaluate.pooling import Pooled
from beirkit.pool_files import read_filled, write_pool

ONE = "q1 Q0 d1 1 9 one\nq1 Q0 d2 2 8 one\nq1 Q0 d4 3 7 one\nq2 Q0 d4 1 9 one\n"
TWO = "q1 Q0 d4 1 9 two\nq1 Q0 d3 2 8 two\nq3 Q0 d3 1 5 two\nq3 Q0 d1 2 4 two\n"
OLD = {"q1": {"d1": 2, "d3": 1}, "q2": {"d2": 1}, "q3": {"d3": 1}, "q4": {"d4": 1}}


@pytest.fixture
def runs(tmp_path: Path) -> list[str]:
    (tmp_path / "one.trec").write_text(ONE, encoding="utf-8")
    (tmp_path / "two.trec").write_text(TWO, encoding="utf-8")
    return [str(tmp_path / "one.trec"), str(tmp_path / "two.trec")]


def export(birds: Path, runs: list[str], out: Path, *options: str) -> int:
    return main(["pool", str(birds), *runs, "--out", str(out), "-q", *options])


def rows_of(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8"))))


def fill(path: Path, grades: dict[tuple[str, str], str], *, delimiter: str = ",", bom: str = "") -> None:
    rows = rows_of(path)
    with path.open("w", encoding="utf-8", newline="") as file:
        file.write(bom)
        out = csv.DictWriter(file, rows[0], delimiter=delimiter)
        out.writeheader()
        for row in rows:
            out.writerow({**row, "relevance": grades.get((row["query_id"], row["doc_id"]), "")})


ALL = {("q1", "d2"): "0", ("q1", "d4"): "2", ("q2", "d4"): "0", ("q3", "d1"): "1"}


def test_a_pool_shows_texts_and_hides_systems(birds: Path, runs: list[str], tmp_path: Path) -> None:
    out = tmp_path / "pool.csv"
    assert export(birds, runs, out) == 0
    rows = rows_of(out)
    assert list(rows[0]) == ["query_id", "query", "doc_id", "title", "text", "relevance"]
    assert {(row["query_id"], row["doc_id"]) for row in rows} == set(ALL)
    [row] = [row for row in rows if row["query_id"] == "q2"]
    assert (row["query"], row["title"], row["relevance"]) == ("owl at night", "Heron", "")
    assert row["text"] == "A grey wading bird that catches fish."
    key = json.loads((tmp_path / "pool.csv.key.json").read_text(encoding="utf-8"))
    ranks = {(item["query_id"], item["doc_id"]): item["ranks"] for item in key["items"]}
    assert ranks["q1", "d4"] == {"one.trec": 3, "two.trec": 1}
    assert (key["dataset"], key["split"], key["depth"], key["by"], key["seed"]) == (
        "birds",
        "test",
        10,
        "depth",
        1,
    )


def test_the_seed_decides_the_order_and_ranked_shows_it(birds: Path, runs: list[str], tmp_path: Path) -> None:
    def order(name: str, *options: str) -> list[tuple[str, str]]:
        assert export(birds, runs, tmp_path / name, *options) == 0
        return [(row["query_id"], row["doc_id"]) for row in rows_of(tmp_path / name)]

    assert order("a.csv", "--seed", "5") == order("b.csv", "--seed", "5")
    assert len({tuple(order(f"{seed}.csv", "--seed", str(seed))) for seed in range(2, 12)}) > 1
    assert order("r.csv", "--ranked") == [("q1", "d4"), ("q2", "d4"), ("q1", "d2"), ("q3", "d1")]
    assert order("l.csv", "--ranked", "--limit", "1") == [("q1", "d4")]


def test_systems_are_shown_on_request(birds: Path, runs: list[str], tmp_path: Path) -> None:
    assert export(birds, runs, tmp_path / "p.csv", "--show-systems") == 0
    shown = {(row["query_id"], row["doc_id"]): row["systems"] for row in rows_of(tmp_path / "p.csv")}
    assert shown["q1", "d4"] == "one.trec:3 two.trec:1"
    assert export(birds, runs, tmp_path / "p.jsonl", "--show-systems") == 0
    lines = [json.loads(line) for line in (tmp_path / "p.jsonl").read_text(encoding="utf-8").splitlines()]
    assert {"one.trec": 1} in [line["systems"] for line in lines]


def take_back(birds: Path, filled: Path, out: Path, capsys: pytest.CaptureFixture[str], *options: str) -> Any:
    words = ["pool", str(birds), "--import", str(filled), "--out", str(out), "--json", *options]
    capsys.readouterr()
    assert main(words) == 0
    return json.loads(capsys.readouterr().out)


@pytest.mark.parametrize(("delimiter", "bom"), [(",", ""), (";", "\ufeff"), ("\t", "")])
def test_there_and_back(
    delimiter: str, bom: str, birds: Path, runs: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pool, out = tmp_path / "pool.csv", tmp_path / "new.tsv"
    assert export(birds, runs, pool) == 0
    fill(pool, ALL, delimiter=delimiter, bom=bom)
    found = take_back(birds, pool, out, capsys)
    assert (found["new"], found["empty"], found["unasked"], found["conflicts"]) == (4, 0, 0, [])
    assert read_qrels(out) == {
        "q1": {**OLD["q1"], "d2": 0, "d4": 2},
        "q2": {"d2": 1, "d4": 0},
        "q3": {"d3": 1, "d1": 1},
        "q4": {"d4": 1},
    }
    told = json.loads((tmp_path / "new.tsv.provenance.json").read_text(encoding="utf-8"))
    assert (told["new"], told["content_id"]) == (4, found["content_id"])
    assert [(one["file"], one["judgments"], one["empty"]) for one in told["filled"]] == [("pool.csv", 4, 0)]
    assert (told["old"]["name"], told["old"]["judgments"], told["merge"]) == ("birds@test", 5, "error")


def test_json_lines_there_and_back(
    birds: Path, runs: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pool = tmp_path / "pool.jsonl"
    assert export(birds, runs, pool) == 0
    rows = [json.loads(line) for line in pool.read_text(encoding="utf-8").splitlines()]
    assert {row["relevance"] for row in rows} == {None}
    pool.write_text("".join(json.dumps({**row, "relevance": 1}) + "\n" for row in rows), encoding="utf-8")
    assert take_back(birds, pool, tmp_path / "new.tsv", capsys)["new"] == 4


def test_what_was_not_filled_in_stays_unjudged_and_is_told(
    birds: Path, runs: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pool, out = tmp_path / "pool.csv", tmp_path / "new.tsv"
    assert export(birds, runs, pool) == 0
    fill(pool, {("q1", "d4"): "2.0"})
    lines = pool.read_text(encoding="utf-8").splitlines(keepends=True)
    pool.write_text("".join(line for line in lines if not line.startswith("q3")), encoding="utf-8")
    assert main(["pool", str(birds), "--import", str(pool), "--out", str(out)]) == 0
    told = capsys.readouterr().out
    assert "6 judgments, 1 of them new" in told
    assert "2 pooled documents without a grade, 1 that no file has a row of" in told
    assert read_qrels(out)["q1"] == {**OLD["q1"], "d4": 2}
    fill(pool, {})
    assert main(["pool", str(birds), "--import", str(pool), "--out", str(out)]) == 2
    assert "has no row with a grade" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("q1,,d3,,,1\n", ":6: 1 judgments are not of the pool, the first of query 'q1' and document 'd3'"),
        ("q1,,d2,,,maybe\n", ":6: relevance 'maybe' is no grade"),
        ("q1,,d2,,,1.5\n", ":6: relevance '1.5' is no grade"),
        ("q1,,,,,1\n", ":6: has no id in column 'doc_id'"),
        ("q1,,d2,,,1\nq1,,d2,,,2\n", ":7: query 'q1' and document 'd2' have grade 2 here and 1 at line 6"),
    ],
)
def test_rows_that_cannot_be_meant_are_errors(
    line: str, message: str, birds: Path, runs: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pool, out = tmp_path / "pool.csv", tmp_path / "new.tsv"
    assert export(birds, runs, pool) == 0
    with pool.open("a", encoding="utf-8") as file:
        file.write(line)
    assert main(["pool", str(birds), "--import", str(pool), "--out", str(out)]) == 2
    assert f"{pool}{message}" in capsys.readouterr().err
    assert not out.exists()


def test_annotators_who_differ_are_told_and_settled_as_asked(
    birds: Path, runs: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pool, second, out = tmp_path / "pool.csv", tmp_path / "second.csv", tmp_path / "new.tsv"
    assert export(birds, runs, pool) == 0
    second.write_bytes(pool.read_bytes())
    fill(pool, ALL)
    fill(second, {**ALL, ("q1", "d4"): "1", ("q3", "d1"): ""})
    assert main(["pool", str(birds), "--import", str(pool), "--import", str(second), "--out", str(out)]) == 2
    assert "have different grades" in capsys.readouterr().err
    found = take_back(birds, pool, out, capsys, "--import", str(second), "--merge", "max")
    assert (found["new"], found["same"], found["empty"]) == (4, 2, 0)
    assert found["conflicts"] == [
        {"query_id": "q1", "doc_id": "d4", "grades": {str(pool): 2, str(second): 1}, "kept": 2}
    ]
    assert read_qrels(out)["q1"]["d4"] == 2


def test_the_key_is_needed_and_an_old_one_is_told(
    birds: Path, runs: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pool, out = tmp_path / "pool.csv", tmp_path / "new.tsv"
    assert export(birds, runs, pool) == 0
    fill(pool, {**ALL, ("q1", "d2"): "7"})
    moved = tmp_path / "filled.csv"
    pool.rename(moved)
    assert main(["pool", str(birds), "--import", str(moved), "--out", str(out)]) == 2
    assert "--key" in capsys.readouterr().err
    with (birds / "qrels" / "test.tsv").open("a", encoding="utf-8") as file:
        file.write("q1\td4\t1\n")
    words = ["pool", str(birds), "--import", str(moved), "--out", str(out), "--key", f"{pool}.key.json"]
    assert main([*words, "--merge", "first"]) == 0
    told = capsys.readouterr()
    assert "another version of the judgments" in told.err
    assert "above the highest so far, 2: 7 at" in told.err
    assert "query 'q1', document 'd4': 1 in birds@test, 2 in" in told.out


def test_nothing_is_written_over(
    birds: Path, runs: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pool = tmp_path / "pool.csv"
    assert export(birds, runs, pool) == 0
    assert export(birds, runs, pool) == 2
    fill(pool, ALL)
    assert main(["pool", str(birds), "--import", str(pool), "--out", str(birds / "qrels" / "test.tsv")]) == 2
    assert "stay as they are" in capsys.readouterr().err
    assert main(["pool", str(birds), "--import", str(pool), "--out", str(pool)]) == 2
    assert main(["pool", str(birds), "--out", str(tmp_path / "x.csv")]) == 2
    assert main(["pool", str(birds), runs[0], "--import", str(pool), "--out", str(tmp_path / "x.tsv")]) == 2


def test_runs_of_other_queries_and_unknown_documents(
    birds: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = tmp_path / "other.trec"
    other.write_text("z9 Q0 d1 1 1 t\n", encoding="utf-8")
    assert export(birds, [str(other)], tmp_path / "p.csv") == 2
    assert "none of the queries of birds@test" in capsys.readouterr().err
    other.write_text("q1 Q0 gone 1 2 t\nq1 Q0 d2 2 1 t\n", encoding="utf-8")
    assert main(["pool", str(birds), str(other), "--out", str(tmp_path / "p.csv")]) == 0
    assert "1 results have no text" in capsys.readouterr().err
    assert [row["doc_id"] for row in rows_of(tmp_path / "p.csv")] == ["d2"]
    other.write_text("q1 Q0 d1 1 2 t\n", encoding="utf-8")
    assert main(["pool", str(birds), str(other), "--out", str(tmp_path / "n.csv")]) == 0
    assert "every result down to rank 10 is judged" in capsys.readouterr().out
    assert not (tmp_path / "n.csv").exists()


def test_documents_that_a_query_excludes_are_not_asked_about(
    birds: Path, runs: list[str], tmp_path: Path
) -> None:
    lines = (birds / "queries.jsonl").read_text(encoding="utf-8").splitlines()
    first = json.loads(lines[0]) | {"metadata": {"excluded_ids": ["d2"]}}
    (birds / "queries.jsonl").write_text("\n".join([json.dumps(first), *lines[1:]]) + "\n", encoding="utf-8")
    assert export(birds, runs, tmp_path / "p.csv") == 0
    asked = {(row["query_id"], row["doc_id"]) for row in rows_of(tmp_path / "p.csv")}
    assert asked == set(ALL) - {("q1", "d2")}


def test_results_of_a_folder_are_pooled(
    birds: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (birds / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\nq1\td3\t1\n", encoding="utf-8")
    kept = tmp_path / "kept"
    assert main(["run", "-d", str(birds), "-r", "bm25", "--out", str(kept), "-q"]) == 0
    capsys.readouterr()
    assert main(["pool", str(birds), str(kept), "--out", str(tmp_path / "p.csv"), "--json"]) == 0
    key = json.loads(capsys.readouterr().out)
    [(name, facts)] = key["runs"].items()
    assert name.startswith("bm25--")
    assert facts["file"].endswith("run.trec.gz")
    assert [(item["query_id"], item["doc_id"]) for item in key["items"]] == [("q1", "d1")]
    assert main(["pool", "pystdlib", str(kept), "--out", str(tmp_path / "x.csv")]) == 2
    assert "holds no result of pystdlib@" in capsys.readouterr().err


texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
ids = st.text(st.characters(exclude_categories=["Cs", "Cc", "Zl", "Zp"]), min_size=1, max_size=6).filter(
    lambda value: not id_problem(value) and bool(value.strip())
)


@given(
    rows=st.lists(
        st.tuples(ids, ids, texts, texts, texts, st.none() | st.integers(-1, 5)),
        unique_by=lambda row: row[:2],
    ),
    ending=st.sampled_from([".csv", ".tsv", ".jsonl", ".csv.gz"]),
    show=st.booleans(),
)
def test_any_text_and_id_comes_back(
    rows: list[tuple[str, str, str, str, str, int | None]], ending: str, show: bool
) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"pool{ending}"
        items = [Pooled(query_id, doc_id, {"one": 1, "two": 2}) for query_id, doc_id, *_ in rows]
        queries = {row[0]: row[2] for row in rows}
        documents = {row[1]: (row[3], row[4]) for row in rows}
        write_pool(path, items, queries, documents, show_systems=show)
        blank = read_filled(path)
        assert (blank.qrels, blank.empty) == ({}, {(row[0], row[1]) for row in rows})
        grades = iter([row[5] for row in rows])
        write_filled(path, grades)
        filled = read_filled(path)
        assert filled.lines.keys() == {(row[0], row[1]) for row in rows if row[5] is not None}
        assert {(q, d): g for q, row in filled.qrels.items() for d, g in row.items()} == {
            (row[0], row[1]): row[5] for row in rows if row[5] is not None
        }


def write_filled(path: Path, grades: Iterator[int | None]) -> None:
    """Fill the rows of a pool in, as a program of an annotator's would."""
    read = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    out = io.StringIO(newline="")
    if path.suffix == ".jsonl":
        for line in read.decode().split("\n")[:-1]:
            out.write(json.dumps({**json.loads(line), "relevance": next(grades)}) + "\n")
    else:
        table = csv.DictReader(
            io.StringIO(read.decode(), newline=""), delimiter="\t" if path.suffix == ".tsv" else ","
        )
        writer = csv.DictWriter(out, table.fieldnames or (), lineterminator="\r\n")
        writer.writeheader()
        writer.writerows({**row, "relevance": next(grades)} for row in table)
    text = out.getvalue().encode()
    path.write_bytes(gzip.compress(text) if path.suffix == ".gz" else text)


def test_a_pool_goes_back_into_the_dataset_it_was_made_of(
    birds: Path, runs: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A copy under another name is the same dataset while its judgments are the same."""
    pool, out = tmp_path / "pool.csv", tmp_path / "new.tsv"
    assert export(birds, runs, pool) == 0
    fill(pool, ALL)
    other = tmp_path / "fish"
    shutil.copytree(birds, other)
    assert take_back(other, pool, out, capsys)["new"] == 4
    out.unlink()
    judgments = other / "qrels" / "test.tsv"
    rows = judgments.read_text(encoding="utf-8").splitlines(keepends=True)
    judgments.write_text("".join(rows[:-1]), encoding="utf-8")
    assert main(["pool", str(other), "--import", str(pool), "--out", str(out)]) == 2
    assert "pool.csv.key.json: is of a pool of birds@test, not of fish@test" in capsys.readouterr().err
    assert not out.exists()


def test_judgments_of_queries_that_the_folder_lost_are_refused(
    birds: Path, runs: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pool, out = tmp_path / "pool.csv", tmp_path / "new.tsv"
    assert export(birds, runs, pool) == 0
    fill(pool, ALL)
    line = 2 + [row["query_id"] for row in rows_of(pool)].index("q3")
    queries = birds / "queries.jsonl"
    kept = [row for row in queries.read_text(encoding="utf-8").splitlines(keepends=True) if '"q3"' not in row]
    queries.write_text("".join(kept), encoding="utf-8")
    assert main(["pool", str(birds), "--import", str(pool), "--out", str(out)]) == 2
    told = capsys.readouterr().err
    assert f"pool.csv:{line}: 1 judgments are of queries that birds does not have, the first of 'q3'" in told
    assert not out.exists()
