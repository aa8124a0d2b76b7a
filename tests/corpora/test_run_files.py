"""Runs on disk: what is written is what is read, and what is odd is told."""

from __future__ import annotations

import gzip
import json
import logging
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from beirkit.corpora.errors import DataError, UsageError
from beirkit.corpora.run import Run
from beirkit.corpora.run_columns import RunColumns
from beirkit.corpora.run_files import read_run, run_file_name, write_run

printable = st.text(st.characters(exclude_categories=["Cs", "Cc", "Z"]), min_size=1, max_size=5)
any_id = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=5)
scores = st.floats(allow_nan=False, allow_infinity=False)
no_fixture_check = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)


def ranking(run: Run) -> dict[str, list[str]]:
    return {query_id: [doc_id for doc_id, _ in pairs] for query_id, pairs in run.lists()}


def written(tmp_path: Path, content: str | bytes, name: str = "run.trec") -> Path:
    path = tmp_path / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


@no_fixture_check
@given(
    st.dictionaries(printable, st.dictionaries(printable, scores, min_size=1, max_size=5), max_size=4),
    st.sampled_from(["run.trec", "run.trec.gz", "run.jsonl", "run.jsonl.gz"]),
)
def test_writing_and_reading_is_identity(tmp_path: Path, run: dict[str, dict[str, float]], name: str) -> None:
    made = Run.from_dict(run, tag="tag-1")
    write_run(made, tmp_path / name)
    read = read_run(tmp_path / name)
    assert read.to_dict() == run
    assert ranking(read) == ranking(made.ordered())  # the file stands in ranking order
    assert read.tag == "tag-1" or not run


@no_fixture_check
@given(st.dictionaries(any_id, st.dictionaries(any_id, scores, max_size=5), max_size=4))
def test_the_json_form_holds_any_id(tmp_path: Path, run: dict[str, dict[str, float]]) -> None:
    made = Run.from_dict(run, tag="a tag")
    write_run(made, tmp_path / "run.jsonl")
    read = read_run(tmp_path / "run.jsonl")
    assert read.to_dict() == run  # queries without results too
    assert read.tag == ("a tag" if run else "beirkit")


@no_fixture_check
@given(st.lists(st.floats(width=32, allow_nan=False, allow_infinity=False), max_size=8))
@pytest.mark.parametrize("name", ["run.trec", "run.jsonl"])
def test_float32_scores_come_back_as_themselves(tmp_path: Path, name: str, values: list[float]) -> None:
    found = np.array(values, dtype=np.float32)
    made = Run.from_lists(
        ["q"], [f"d{n}" for n in range(len(values))], [np.arange(len(values), dtype=np.int32)], [found]
    )
    write_run(made, tmp_path / name)
    read = read_run(tmp_path / name)
    back = {doc_id: np.float32(score) for _, pairs in read.lists() for doc_id, score in pairs}
    assert back == {f"d{n}": value for n, value in enumerate(found)}
    if values:
        expected = ranking(made.ordered())
        assert ranking(read.ordered("float32")) == expected
        assert ranking(read.ordered()) == expected  # as doubles too


def test_many_float32_scores_survive(tmp_path: Path) -> None:
    bits = np.random.default_rng(3).integers(0, 2**32, 20_000, dtype=np.uint32)
    found = bits.view(np.float32)
    found = found[np.isfinite(found)]
    docs = np.arange(len(found), dtype=np.int32)
    write_run(Run.from_lists(["q"], [f"d{n}" for n in docs], [docs], [found]), tmp_path / "run.trec")
    read = read_run(tmp_path / "run.trec")
    order = [int(read.doc_ids[doc][1:]) for doc in read.docs]
    assert (read.scores.astype(np.float32) == found[order]).all()


def test_the_written_bytes(tmp_path: Path) -> None:
    run = Run.from_dict({"q2": {"a": 1.0, "é": 0.1 + 0.2}, "q1": {"b": -3, "c": -3}}, tag="bm25")
    write_run(run, tmp_path / "run.trec")
    assert (tmp_path / "run.trec").read_text(encoding="utf-8") == (
        "q2 Q0 a 1 1.0 bm25\nq2 Q0 é 2 0.30000000000000004 bm25\nq1 Q0 c 1 -3.0 bm25\nq1 Q0 b 2 -3.0 bm25\n"
    )
    write_run(run, tmp_path / "run.jsonl")
    assert (tmp_path / "run.jsonl").read_text() == (
        '{"query_id": "q2", "tag": "bm25", "results": [["a", 1.0], ["\\u00e9", 0.30000000000000004]]}\n'
        '{"query_id": "q1", "tag": "bm25", "results": [["c", -3.0], ["b", -3.0]]}\n'
    )
    single = np.array([0.1], dtype=np.float32)
    write_run(Run.from_lists(["q"], ["d"], [np.array([0], dtype=np.int32)], [single]), tmp_path / "f.trec")
    assert (tmp_path / "f.trec").read_text() == "q Q0 d 1 0.1 beirkit\n"
    write_run(run, tmp_path / "a.trec.gz")
    write_run(run, tmp_path / "b.trec.gz")
    assert (tmp_path / "a.trec.gz").read_bytes() == (tmp_path / "b.trec.gz").read_bytes()


@pytest.mark.parametrize(
    ("run", "message"),
    [
        ({"q 1": {"a": 1.0}}, "query id 'q 1' holds white space"),
        ({"q": {"a\u3000b": 1.0}}, r"document id 'a\\u3000b' holds white space"),
    ],
)
def test_ids_that_trec_cannot_hold(tmp_path: Path, run: dict[str, dict[str, float]], message: str) -> None:
    made = Run.from_dict(run)
    with pytest.raises(DataError, match=message + r": it cannot stand in a TREC run \(write run\.jsonl"):
        write_run(made, tmp_path / "run.trec")
    assert list(tmp_path.iterdir()) == []
    assert run_file_name(made) == "run.jsonl.gz"


@pytest.mark.parametrize("name", ["run.trec", "run.jsonl.gz"])
@pytest.mark.parametrize(
    ("run", "message"),
    [
        ({"": {"a": 1.0}}, "query id '' is empty"),
        ({"q": {"a\x00": 1.0}}, r"document id 'a\\x00' holds the control character U\+0000"),
        ({"q": {"\ud800": 1.0}}, r"document id '\\ud800' holds half of a surrogate pair"),
    ],
)
def test_ids_that_nothing_could_read_back(
    tmp_path: Path, run: dict[str, dict[str, float]], message: str, name: str
) -> None:
    with pytest.raises(DataError, match=message):
        write_run(Run.from_dict(run), tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_the_form_is_picked_by_the_ids_in_use() -> None:
    run = Run.from_dict({"q": {"a": 1.0, "b c": 2.0}})
    assert run_file_name(run) == "run.jsonl.gz"
    assert run_file_name(run.keep(np.array([True, False]))) == "run.trec.gz"
    assert run_file_name(Run.from_dict({"q": {}}, tag="two words")) == "run.jsonl.gz"


def test_scores_that_are_not_finite_are_not_written(tmp_path: Path) -> None:
    run = Run(["q"], ["a"], np.array([0, 1]), np.array([0], dtype=np.int32), np.array([np.nan]))
    with pytest.raises(DataError, match="q/a = nan"):
        write_run(run, tmp_path / "run.trec")


def test_reading_keeps_ids_and_ignores_ranks(tmp_path: Path) -> None:
    path = written(tmp_path, "\ufeffq1 Q0 007 9 1.5 sys\r\nq1\tE2\t7   1\t-2e1 sys\n\n \nq2 0 #d 1 3 sys")
    run = read_run(path)
    assert run.to_dict() == {"q1": {"007": 1.5, "7": -20.0}, "q2": {"#d": 3.0}}
    assert run.tag == "sys"
    assert run.scores.dtype == np.float64


def test_lists_may_be_mixed(tmp_path: Path) -> None:
    path = written(tmp_path, "q1 Q0 a 1 3 t\nq2 Q0 a 1 5 t\nq1 Q0 b 2 4 t\nq2 Q0 c 2 1 t\n")
    run = read_run(path)
    assert list(run.query_ids) == ["q1", "q2"]
    assert ranking(run) == {"q1": ["a", "b"], "q2": ["a", "c"]}  # as they stand
    assert ranking(run.ordered()) == {"q1": ["b", "a"], "q2": ["a", "c"]}


def test_text_after_the_tag_is_told_once(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = written(tmp_path, "q Q0 a 1 2.0 t and more\nq Q0 b 2 1.0 t\n")
    with caplog.at_level(logging.WARNING):
        assert read_run(path).to_dict() == {"q": {"a": 2.0, "b": 1.0}}
    assert [r.getMessage() for r in caplog.records] == [
        f"{path}: 1 line with extra fields after the tag, ignored"
    ]


@pytest.mark.parametrize(
    ("line", "fields", "rank"),
    [
        ("q Q0 a b 1 9.5 x", 7, "b"),  # document "a b": field 5, the score, would be its rank
        ("q Q0 a b c 9 1 x", 8, "b"),
        ("my q Q0 a 1 9.5 x", 7, "a"),
        ("q Q0 a 1.0 9.5 x more", 7, "1.0"),
        ("q Q0 a \u00e9 9.5 x more", 7, "\u00e9"),
    ],
)
def test_a_blank_in_an_id_is_told_by_the_rank(tmp_path: Path, line: str, fields: int, rank: str) -> None:
    path = written(tmp_path, f"q Q0 a 1 10 x\n{line}\n")
    with pytest.raises(DataError) as caught:
        read_run(path)
    assert str(caught.value) == (
        f"{path}:2: has {fields} fields and its rank '{rank}' is no whole number: does an id hold a blank? "
        "(ids with blanks need the form run.jsonl)"
    )


def test_the_rank_of_six_fields_may_be_anything(tmp_path: Path) -> None:
    path = written(tmp_path, "q Q0 a - 2.0 x\nq Q0 b -1 1.5 x more\nq Q0 c first 1.0 x\n")
    assert read_run(path).to_dict() == {"q": {"a": 2.0, "b": 1.5, "c": 1.0}}


def test_the_best_of_repeated_results_counts(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = written(
        tmp_path, "q Q0 a 1 0.8 t\nq Q0 b 2 0.7 t\nq Q0 a 3 0.9 t\nr Q0 a 1 0.1 t\nq Q0 b 4 0.7 t\n"
    )
    with caplog.at_level(logging.WARNING):
        run = read_run(path)
    assert run.to_dict() == {"q": {"a": 0.9, "b": 0.7}, "r": {"a": 0.1}}
    assert run.n_results == 3
    assert [r.getMessage() for r in caplog.records] == [
        f"{path}: 2 duplicate results dropped, the best score of each kept (e.g. q/a, q/b)"
    ]
    with pytest.raises(DataError, match=r"run\.trec: 2 results stand twice in a list \(e\.g\. q/a, q/b\)"):
        read_run(path, strict=True)


@pytest.mark.parametrize(
    ("content", "line", "message"),
    [
        ("q Q0 a 1 2.0 t\nq Q0 b 2 nan t\n", 2, "the score of q/b is 'nan', not a finite number"),
        ("q Q0 a 1 inf t\n", 1, "the score of q/a is 'inf'"),
        ("q Q0 a 1 1e999 t\n", 1, "the score of q/a is '1e999'"),
        ("q Q0 a 1 1_0 t\n", 1, "the score of q/a is '1_0'"),
        ("\n\nq Q0 a 1 high t\n", 3, "the score of q/a is 'high'"),
        ("q Q0 a 1 2.0 t\nq Q0 a 2.0\n", 2, "has 4 fields, a run has 6 (query Q0 document rank score tag)"),
        ("q Q0 a 1 2.0\n", 1, "has 5 fields"),
        ("q Q0 a 1 2.0 t more\nq Q0 b 2 1.0\n", 2, "has 5 fields"),  # twelve fields in all
        ("q Q0 a 1 2.0 t\nq Q0 a\x00b 2 1.0 t\n", 2, "document id 'a\\x00b' holds the control character"),
    ],
)
def test_refusals_name_the_line(tmp_path: Path, content: str, line: int, message: str) -> None:
    path = written(tmp_path, content)
    with pytest.raises(DataError) as caught:
        read_run(path)
    assert str(caught.value).startswith(f"{path}:{line}: ")
    assert message in str(caught.value)


def test_a_damaged_byte_names_the_line(tmp_path: Path) -> None:
    path = written(tmp_path, b"q Q0 a 1 2.0 t\nq Q0 \xff 2 1.0 t\n")
    with pytest.raises(DataError, match=r"run\.trec:2: document id '\\xff' is not UTF-8"):
        read_run(path)


def test_lines_beyond_the_first_block_are_counted_right(tmp_path: Path) -> None:
    good = "".join(f"q{n // 100} Q0 d{n} 1 {n}.5 t\n" for n in range(30_000))
    path = written(tmp_path, good)
    run = read_run(path)
    assert run.n_results == 30_000
    assert run.to_dict()["q299"]["d29999"] == 29999.5
    with pytest.raises(DataError, match=r"run\.trec:30001: the score of q/d is 'x'"):
        read_run(written(tmp_path, good + "q Q0 d 1 x t\n"))


fields = st.text("ab#\u00e9", min_size=1, max_size=3)
blanks = st.sampled_from([" ", "\t", "  ", " \t"])
rows = st.lists(st.lists(fields, min_size=0, max_size=8), max_size=6)


@given(rows, st.sampled_from(["\n", "\r\n"]), st.data())
def test_blocks_and_lines_agree(rows: list[list[str]], end: str, data: st.DataObject) -> None:
    """Whatever stands in a block, the quick look at all of it must see what a look at each line sees."""
    lines: list[str] = []
    for row in rows:
        row = [*row[:3], "1", "1.5", *row[5:]] if len(row) > 4 else row
        lines.append("".join(field + data.draw(blanks) for field in row))
    block = "".join(line + end for line in lines)
    ragged = next((n for n, row in enumerate(rows, 1) if 0 < len(row) < 6), None)
    columns = RunColumns(Path("x"))
    if ragged is None:
        columns.add_block(block.encode())
        run = columns.run(strict=False)
        assert {(q, d) for q, row in run.to_dict().items() for d in row} == {(r[0], r[2]) for r in rows if r}
        assert columns.long_lines == sum(len(row) > 6 for row in rows)
    else:
        with pytest.raises(DataError, match=f"x:{ragged}: has {len(rows[ragged - 1])} fields"):
            columns.add_block(block.encode())


def test_json_lines_that_are_none(tmp_path: Path) -> None:
    path = written(tmp_path, '{"query_id": "q", "results": []}\n{"query_id": "r"}\n', "run.jsonl")
    with pytest.raises(DataError, match=r"run\.jsonl:2: is no list of results"):
        read_run(path)


def test_json_of_others(tmp_path: Path) -> None:
    path = written(tmp_path, json.dumps({"q": {"a": 1, "b": 0.5}}), "mine.json")
    assert read_run(path).to_dict() == {"q": {"a": 1.0, "b": 0.5}}
    for content, message in [
        ('{"q": {"a": NaN}}', "q/a = nan"),
        ('{"q": {"a": "1"}}', "the score of q/a is '1', not a number"),
        ('{"q": [1]}', "query 'q' has no object of document ids"),
        ("{", "is not JSON"),
    ]:
        with pytest.raises(DataError) as caught:
            read_run(written(tmp_path, content, "mine.json"))
        assert str(caught.value).startswith(f"{path}: ")
        assert message in str(caught.value)


def test_a_truncated_run_is_refused(tmp_path: Path) -> None:
    data = gzip.compress(b"".join(b"q Q0 d%d 1 1.0 t\n" % n for n in range(1000)))
    with pytest.raises(DataError, match="truncated gzip"):
        read_run(written(tmp_path, data[:-9], "run.trec.gz"))


def test_an_empty_file_is_an_empty_run(tmp_path: Path) -> None:
    assert read_run(written(tmp_path, "")).to_dict() == {}
    assert read_run(written(tmp_path, "\n", "run.jsonl")).to_dict() == {}


def test_files_of_others(shared: Path, caplog: pytest.LogCaptureFixture) -> None:
    variants = shared / "faults" / "files" / "R13"
    expected = read_run(variants / "run.trec").to_dict()
    assert {query_id: max(row, key=row.__getitem__) for query_id, row in expected.items()} == {
        "q1": "d3",
        "q2": "d2",
    }
    for name in ("run.trec.gz", "run.json"):
        assert read_run(variants / name).to_dict() == expected
    oracles = shared / "data" / "metric_oracles"
    assert read_run(oracles / "trec_eval" / "results.test").n_results == 1500
    assert caplog.records == []
    read_run(oracles / "trec_eval" / "results.trunc")
    assert "5 lines with extra fields after the tag" in caplog.text
    bm25 = read_run(oracles / "anserini_runs" / "scifact-flat.top100.txt.gz")
    assert len(bm25) == 300


@pytest.mark.parametrize(
    ("line", "readings"),
    [
        (
            "q Q0 d 1 1 3.0 t",
            "document 'd' with the score '1', or an id with a blank, as 'd 1', with the score '3.0'",
        ),
        ("q Q0 d 1 2 7 3.0 t", "as 'd 1 2', with the score '3.0'"),
        ("my 1 Q0 5 1 2.0 t", "document 'Q0' with the score '1', or"),
        ("q Q0 d 1 2.0 tag 4 1e3 x", "document 'd' with the score '2.0', or"),
    ],
)
def test_a_line_that_can_be_read_in_two_ways_is_refused(line: str, readings: str, tmp_path: Path) -> None:
    path = written(tmp_path, f"q Q0 e 1 9.0 t\n{line}\n")
    with pytest.raises(DataError, match=r"run\.trec:2: has \d fields and can be read in two ways") as caught:
        read_run(path)
    assert readings in str(caught.value)


@pytest.mark.parametrize(
    "text", ["q Q0 d 1 3.0 t\rq Q0 e 2 2.0 t\r", "q Q0 d 1 3.0 t\rq Q0 e 2 2.0 t\nq Q0 f 3 1.0 t\n"]
)
def test_lines_that_end_with_cr_alone_are_refused(text: str, tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"run\.trec:1: its lines end with CR alone"):
        read_run(written(tmp_path, text))
    crlf = text.replace("\r", "\n").replace("\n", "\r\n")
    assert read_run(written(tmp_path, crlf)).n_results == text.count("t")


def test_json_lines_that_end_with_cr_alone_are_refused(tmp_path: Path) -> None:
    line = '{"query_id": "q", "results": [["d", 1.0]]}'
    with pytest.raises(DataError, match="CR alone"):
        read_run(written(tmp_path, f"{line}\r{line.replace('q', 'r')}\r", "run.jsonl"))


def test_strictly_no_line_has_more_than_six_fields(tmp_path: Path) -> None:
    path = written(tmp_path, "q Q0 d 1 3.0 t and more\nq Q0 e 2 2.0 t\n")
    assert read_run(path).to_dict() == {"q": {"d": 3.0, "e": 2.0}}
    with pytest.raises(DataError, match=r"run\.trec: 1 line with more than six fields"):
        read_run(path, strict=True)


@pytest.mark.parametrize("name", ["run.json", "run.parquet", "run.json.gz"])
def test_no_run_is_written_that_readers_would_take_for_another_form(name: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="readers would not take a file of this name"):
        write_run(Run.from_dict({"q": {"d": 1.0}}), tmp_path / name)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["run.jsonl.bz2", "run.trec.zst"])
def test_a_run_is_compressed_as_its_name_says(name: str, tmp_path: Path) -> None:
    write_run(Run.from_dict({"q": {"d": 1.0}}), tmp_path / name)
    assert read_run(tmp_path / name).to_dict() == {"q": {"d": 1.0}}
