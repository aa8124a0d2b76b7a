"""SMART's form: Cranfield and CISI byte for byte, how judgments are joined, and what is refused."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from beirkit.configs.load import load_dataset
from beirkit.converters.catalog import convert
from beirkit.converters.expected import differences
from beirkit.corpora.errors import ConfigError, DataError
from beirkit.datasets import convert_source

DOCUMENTS = ".I 1\n.T\nOne\n.W\nfirst\n.I 2\n.W\nsecond\n"
FILES = ("corpus.jsonl", "queries.jsonl", "qrels/test.tsv")


def collection_of(folder: Path, queries: list[str], judgments: str, documents: str = DOCUMENTS) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "x.all").write_text(documents)
    (folder / "x.qry").write_text("".join(f".I {number}\n.W\nwhat\n" for number in queries))
    (folder / "x.rel").write_text(judgments)
    return folder


@pytest.mark.parametrize("name", ["cranfield", "cisi"])
@pytest.mark.parametrize("archive", [False, True], ids=["files", "tar"])
def test_the_published_collections_come_out_byte_for_byte(
    name: str, archive: bool, shared: Path, tmp_path: Path
) -> None:
    folder = shared / "data" / name
    raw = next((folder / "raw").glob("*.tar.gz")) if archive else folder / "raw"
    _, manifest = convert_source(name, raw, tmp_path / "out")
    for file in FILES:
        assert (tmp_path / "out" / file).read_bytes() == (folder / "beir" / file).read_bytes()
    expected = load_dataset(name).expected
    assert expected is not None
    assert differences(manifest, expected) == []


def test_either_line_end_gives_the_same_records(shared: Path, tmp_path: Path) -> None:
    source = shared / "data" / "cranfield" / "raw"
    unix = tmp_path / "unix"
    unix.mkdir()
    for name in ("cran.all.1400", "cran.qry", "cranqrel"):
        (unix / name).write_bytes((source / name).read_bytes().replace(b"\r\n", b"\n"))
    assert b"\r\n" in (source / "cran.all.1400").read_bytes()
    options = load_dataset("cranfield").options
    collections = [convert("smart", raw, options) for raw in (source, unix)]
    first, second = ([*c.documents(), *c.queries(), *c.judgments("test")] for c in collections)
    assert first == second


def test_cranfields_positions_are_found_and_told(shared: Path, caplog: pytest.LogCaptureFixture) -> None:
    names = {"documents": "cran.all.1400", "queries": "cran.qry", "judgments": "cranqrel"}
    collection = convert("smart", shared / "data" / "cranfield" / "raw", {**names, "grade_column": 3})
    queries = list(collection.queries())
    assert [query.query_id for query in queries] == [str(number) for number in range(1, 226)]
    assert queries[2].metadata == {"original_number": "4"}
    list(collection.queries())
    assert [record.getMessage() for record in caplog.records] == [
        "cran.qry: judgments name its queries by position, 1 to 225; their own numbers, up to 365, "
        "are kept as original_number"
    ]


def test_citations_do_not_leak_into_texts(shared: Path) -> None:
    raw = shared / "data" / "cisi" / "raw"
    collection = convert("smart", raw, {**load_dataset("cisi").options, "metadata": {"cites": "X"}})
    first = next(collection.documents())
    assert first.metadata["cites"].startswith("1 5 1 92 1 1")
    assert first.metadata["cites"] not in first.text


def test_ids_are_taken_where_all_of_them_are_there(tmp_path: Path) -> None:
    raw = collection_of(tmp_path, ["1", "004"], "1 1\n4 2\n")
    collection = convert("smart", raw)
    assert [query.query_id for query in collection.queries()] == ["1", "4"]
    assert [query.metadata for query in collection.queries()] == [{}, {}]
    assert [(j.query_id, j.doc_id, j.relevance) for j in collection.judgments("test")] == [
        ("1", "1", 1),
        ("4", "2", 1),
    ]


@pytest.mark.parametrize(
    ("judgments", "options", "found"),
    [
        ("1 1\n2 2\n", {}, "as positions they do not reach the last of 3 queries"),
        ("1 1\n5 2\n", {}, "neither ids nor positions of the 3 queries, such as '5'"),
        ("1 1\n5 2\n", {"join": "positions"}, "neither ids nor positions of the 3 queries, such as '5'"),
        ("1 1\n3 2\n", {"join": "ids"}, "1 judged queries are not among the 3 queries, such as '3'"),
    ],
)
def test_judgments_that_fit_no_query_are_refused(
    judgments: str, options: dict[str, str], found: str, tmp_path: Path
) -> None:
    collection = convert("smart", collection_of(tmp_path, ["1", "4", "9"], judgments), options)
    with pytest.raises(DataError, match=found) as caught:
        list(collection.judgments("test"))
    assert str(tmp_path / "x.rel") in str(caught.value)
    with pytest.raises(DataError, match=found):
        list(collection.queries())


def test_positions_may_be_demanded_of_fewer_judgments(tmp_path: Path) -> None:
    raw = collection_of(tmp_path, ["1", "4", "9"], "1 1\n2 2\n")
    collection = convert("smart", raw, {"join": "positions"})
    assert [query.query_id for query in collection.queries()] == ["1", "2", "3"]
    assert [query.metadata["original_number"] for query in collection.queries()] == ["1", "4", "9"]


def test_the_readmes_meaning_of_cranfields_codes_can_be_asked_for(shared: Path) -> None:
    grades = {"-1": 0, "1": 4, "2": 3, "3": 2, "4": 1}
    options = {**load_dataset("cranfield").options, "grades": grades}
    collection = convert("smart", shared / "data" / "cranfield" / "raw", options)
    found = [judgment.relevance for judgment in collection.judgments("test")]
    assert {grade: found.count(grade) for grade in sorted(set(found))} == {
        0: 225,
        1: 363,
        2: 734,
        3: 387,
        4: 128,
    }


@pytest.mark.parametrize(
    ("judgments", "options", "line", "found"),
    [
        ("1 1\n1\n", {}, 2, "has 1 columns instead of 2"),
        ("1 1 2\n1 2\n", {"grade_column": 3}, 2, "has 2 columns instead of 3"),
        ("1 1 2\n1 2 x\n", {"grade_column": 3}, 2, "the grade is 'x'"),
        ("1 1 2\n1 2 1\n", {"grade_column": 3, "grades": {"2": 1}}, 2, "the grade is '1'"),
    ],
)
def test_a_damaged_judgment_is_named(
    judgments: str, options: dict[str, object], line: int, found: str, tmp_path: Path
) -> None:
    collection = convert("smart", collection_of(tmp_path, ["1"], judgments), options)
    with pytest.raises(DataError, match=found) as caught:
        list(collection.judgments("test"))
    assert str(caught.value).startswith(f"{tmp_path / 'x.rel'}:{line}: ")


@pytest.mark.parametrize(
    ("documents", "line", "found"),
    [
        ("stray\n.I 1\n", 1, "'stray' is in no record"),
        (".I 1\n.T\nOne\n.I 2\nstray\n", 5, "'stray' is in no field"),
        ("\n\n", None, "has no record: no line starts with .I"),
    ],
)
def test_a_damaged_collection_is_named(documents: str, line: int | None, found: str, tmp_path: Path) -> None:
    collection = convert("smart", collection_of(tmp_path, ["1"], "1 1\n", documents))
    with pytest.raises(DataError, match=found) as caught:
        list(collection.documents())
    assert str(caught.value).startswith(
        f"{tmp_path / 'x.all'}:{line}: " if line else f"{tmp_path / 'x.all'}: "
    )


def test_a_missing_file_is_told_with_what_is_there(tmp_path: Path) -> None:
    raw = collection_of(tmp_path, ["1"], "1 1\n")
    (raw / "x.rel").unlink()
    with pytest.raises(
        DataError, match=r"has no file \*\.rel or .*, which holds judgments \(found: x.all, x.qry\)"
    ):
        convert("smart", raw)
    shutil.copy(raw / "x.qry", raw / "y.qry")
    with pytest.raises(DataError, match=r"has 2 files for queries .*: x.qry, y.qry"):
        convert("smart", raw)


def test_columns_count_from_one(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="columns are counted from 1"):
        convert("smart", collection_of(tmp_path, ["1"], "1 1\n"), {"doc_column": 0})
