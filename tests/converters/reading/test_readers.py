"""Rows of CSV, TSV, JSON lines and JSON arrays, with the lines they start at."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import pytest

from beirkit.converters.reading.readers import Dialect, read_rows
from beirkit.corpora.errors import DataError, UsageError


def rows(
    path: Path, content: str | bytes, dialect: Dialect | None = None
) -> list[tuple[int, dict[str, Any]]]:
    data = content.encode() if isinstance(content, str) else content
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    return [(row.line, row.cells) for row in read_rows(path, dialect)]


@pytest.mark.parametrize("name", ["t.csv", "t.CSV", "t.csv.gz"])
def test_csv_counts_physical_lines(tmp_path: Path, name: str) -> None:
    content = 'id,text\n1,"two\nlines, ""quoted"""\n\n2,x\n'
    assert rows(tmp_path / name, content) == [
        (2, {"id": "1", "text": 'two\nlines, "quoted"'}),
        (5, {"id": "2", "text": "x"}),
    ]


def test_csv_with_crlf_and_bom_gives_the_same_rows(tmp_path: Path) -> None:
    plain = 'id,text\n1,"a\nb"\n2,c\n'
    windows = b"\xef\xbb\xbf" + plain.replace("\n", "\r\n").encode()
    assert rows(tmp_path / "a.csv", windows) == rows(tmp_path / "b.csv", plain)


def test_csv_reads_cells_beyond_the_csv_module_s_limit(tmp_path: Path) -> None:
    long = "word " * 60_000
    assert rows(tmp_path / "a.csv", f"text,n\n{long},1\n")[0][1]["text"] == long


def test_tsv_keeps_quotes_as_characters(tmp_path: Path) -> None:
    content = 'id\ttext\n1\t"quoted" start\n2\tplain\n'
    assert rows(tmp_path / "a.tsv", content) == [
        (2, {"id": "1", "text": '"quoted" start'}),
        (3, {"id": "2", "text": "plain"}),
    ]
    quoted = rows(tmp_path / "b.tsv", 'a\tb\n"1\t2"\t3\n', Dialect(quotes=True))
    assert quoted == [(2, {"a": "1\t2", "b": "3"})]


def test_dialects(tmp_path: Path) -> None:
    assert rows(tmp_path / "a.csv", "x;y\n1;2\n", Dialect(delimiter=";")) == [(2, {"x": "1", "y": "2"})]
    assert rows(tmp_path / "b.csv", "1,2\n", Dialect(header=False)) == [(1, {"1": "1", "2": "2"})]
    assert rows(tmp_path / "c.txt", "x\ty\n1\t2\n", Dialect(format="tsv")) == [(2, {"x": "1", "y": "2"})]
    assert rows(tmp_path / "d.csv", "x\ty\n1\t2\n", Dialect(delimiter="tab")) == [(2, {"x": "1", "y": "2"})]
    with pytest.raises(UsageError, match="'--' is not one character"):
        rows(tmp_path / "e.csv", "x\n", Dialect(delimiter="--"))


@pytest.mark.parametrize(
    ("content", "line", "found"),
    [
        ("a,b\n1,2\n3\n", 3, "has 1 cells, and the header has 2"),
        ("a,b\n1,2,3\n", 2, "has 3 cells, and the header has 2"),
        (
            'a,b\n1,2\n3,"open\n4,5\n',
            3,
            "a quote is opened here and never closed .close it, or --set quotes=",
        ),
        ('a,b\n1,2\n3,"so" it is\n', 3, "inside a quoted cell is written twice"),
        ("a,a\n1,2\n", 1, "columns named twice: 'a' .rename one of them"),
        (b"a,b\n1,2\n3,\xff\n", 3, "is not UTF-8 at byte 3 of the line .save it as UTF-8"),
        ("a,b\r1,2\r", 1, "its lines end with CR alone, .*convert the line ends to LF"),
        ("a,b\n1,2\r3,4\n", 2, "has a carriage return alone, .*save it with LF"),
        ("a;b\nx, y;z\n", 2, "has 2 cells, and the header has 1 .is another delimiter meant. --set 'delim"),
        ("", None, "is empty"),
    ],
)
def test_csv_faults_are_named_by_line(
    tmp_path: Path, content: str | bytes, line: int | None, found: str
) -> None:
    with pytest.raises(DataError, match=found) as caught:
        rows(tmp_path / "a.csv", content)
    assert caught.value.line == line
    assert caught.value.path == str(tmp_path / "a.csv")


def test_json_lines_keep_types_and_separators_inside_strings(tmp_path: Path) -> None:
    content = '\ufeff{"id": 1, "text": "one\u2028two"}\n\n   \n{"id": "b"}'
    assert rows(tmp_path / "a.jsonl", content) == [
        (1, {"id": 1, "text": "one\u2028two"}),
        (4, {"id": "b"}),
    ]


@pytest.mark.parametrize(
    ("content", "line", "found"),
    [
        ('{"a": 1}\n{"a": "cut\n{"a": 2}\n', 2, "is not JSON: [^:]* at column 7 .mend the line"),
        ('{"a": 1}\n  {"a" 2}\n', 2, "Expecting ':' delimiter at column 8 "),
        ('["d1", "x"]\n', 1, "is not a JSON object but .* .one array of all records is a .json file"),
        ('[\n{"a": 1}\n]', 1, "is not JSON: .* .one array of all records is a .json file"),
        ("5\n", 1, "is not a JSON object but 5 .write each row as an object"),
        ('{"a": 1}\r{"a": 2}\r', 1, "its lines end with CR alone, .*convert the line ends to LF"),
        ('{"a": 1}\r{"a": 2}\n', 1, "several records .*save it with LF"),
        ('{"a": 1}]\n', 1, "is not JSON: ']' follows the record"),
        ('{"a": "\\ud800"}\n', 1, "half of a surrogate pair"),
        ('{"a": 1}{"a": 2}{"a": 3}', 1, "several records on one line: the second starts at column 9"),
        ('{"a": NaN}\n', 1, "JSON knows no NaN"),
        (b'{"a": 1}\n{"a": "\xff"}\n', 2, "is not UTF-8"),
    ],
)
def test_json_lines_faults_are_named_by_line(tmp_path: Path, content: str, line: int, found: str) -> None:
    with pytest.raises(DataError, match=found) as caught:
        rows(tmp_path / "a.jsonl", content)
    assert caught.value.line == line


def test_a_json_array_gives_the_lines_of_its_objects(tmp_path: Path) -> None:
    content = '[\n  {"a": 1},\n  {"a":\n    2}, {"a": 3}\n]\n'
    assert rows(tmp_path / "a.json", content) == [(2, {"a": 1}), (3, {"a": 2}), (4, {"a": 3})]
    assert rows(tmp_path / "b.json", "[]") == []


def test_json_lines_under_the_name_of_json_are_read(tmp_path: Path) -> None:
    assert rows(tmp_path / "a.json", '{"a": 1}\n{"a": 2}\n') == [(1, {"a": 1}), (2, {"a": 2})]


@pytest.mark.parametrize(
    ("content", "line", "found"),
    [
        ('[\n{"a": 1},\n{"a": \n', 3, "is not JSON: the file ends inside this record"),
        ('[\n{"a": 1},\n{"a": 1,\n "b" 2}]', 4, "Expecting ':' delimiter at column 6 "),
        ('[{"a": 1}\n', 2, "is not one JSON array"),
        ('[{"a": 1}] x', 1, "is not one JSON array"),
        ('[{"a": 1},\n 5]', 2, "is not a JSON object but 5"),
        ('[{"a": Infinity}]', 1, "JSON knows no Infinity"),
        ("", 1, "is not one JSON array"),
    ],
)
def test_json_array_faults_are_named_by_line(tmp_path: Path, content: str, line: int, found: str) -> None:
    with pytest.raises(DataError, match=found) as caught:
        rows(tmp_path / "a.json", content)
    assert caught.value.line == line


def test_a_truncated_gzip_is_told(tmp_path: Path) -> None:
    path = tmp_path / "a.csv.gz"
    path.write_bytes(gzip.compress(b"a,b\n" + b"1,2\n" * 4)[:-12])
    with pytest.raises(DataError, match="truncated gzip"):
        list(read_rows(path))


@pytest.mark.parametrize("name", ["a.xlsx", "a.parquet", "a.dat", "a"])
def test_unknown_endings_are_refused_with_the_known_ones(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError, match=r"known endings: \.csv, \.tsv"):
        read_rows(tmp_path / name)
