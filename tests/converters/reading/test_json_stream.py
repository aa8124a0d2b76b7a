"""JSON documents in a stream: items and members, wherever the text is cut into chunks."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from beirkit.converters.reading import json_stream
from beirkit.converters.reading.json_stream import json_items, json_members
from beirkit.corpora.errors import DataError

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)
OBJECTS = st.dictionaries(st.text(), VALUES, max_size=3)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("stream")


@pytest.fixture(autouse=True, scope="module")
def _small_chunks() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(json_stream, "_CHUNK", 7)  # every token is cut somewhere
        yield


def write(folder: Path, text: str) -> Path:
    path = folder / "a.json"
    path.write_text(text, encoding="utf-8")
    return path


@given(
    st.lists(OBJECTS, max_size=5),
    st.dictionaries(st.text().filter(lambda key: key != "items"), VALUES, max_size=2),
    st.sampled_from([None, 0, 2]),
)
def test_items_are_what_the_json_library_reads(
    folder: Path, items: list[dict[str, object]], before: dict[str, object], indent: int | None
) -> None:
    path = write(folder, json.dumps({**before, "items": items, "after": 1}, indent=indent))
    assert [row.cells for row in json_items(path, "items")] == items


@given(st.dictionaries(st.text(), OBJECTS, max_size=5), st.booleans(), st.sampled_from([None, 0, 2]))
def test_members_are_what_the_json_library_reads(
    folder: Path, document: dict[str, dict[str, object]], ascii: bool, indent: int | None
) -> None:
    path = write(folder, json.dumps(document, ensure_ascii=ascii, indent=indent))
    assert {name: row.cells for name, row in json_members(path)} == document


def test_each_row_knows_the_line_it_starts_at(tmp_path: Path) -> None:
    path = write(tmp_path, '{"n": 1,\n"items": [\n\n{"a":\n1},\n{"a": 2}, {"a": 3}]}\n')
    assert [row.line for row in json_items(path, "items")] == [4, 6, 6]
    path = write(tmp_path, '{\n"a": {},\n"b": {\n"x": 1},\n"c": {}}')
    assert [(name, row.line) for name, row in json_members(path)] == [("a", 2), ("b", 3), ("c", 5)]


def test_compressed_files_and_byte_order_marks_are_read(tmp_path: Path) -> None:
    path = tmp_path / "a.json.gz"
    path.write_bytes(gzip.compress(b'\xef\xbb\xbf{"items": [{"a": "\xc3\xa9"}]}'))
    assert [row.cells for row in json_items(path, "items")] == [{"a": "é"}]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('{"items": [{"a": 1},\n{"a": 2}', r"a\.json:2: is not JSON: it ends too early \(the file may be"),
        ('{"items": [{"a": 1},\n{"a": "long text that', r"a\.json:2: .*Unterminated string.*may be cut"),
        ('{"items": [{"a": 1}\n{"a": 2}]}', r"a\.json:2: is not JSON: a comma or \] should stand here"),
        ('{"items": [{"a": 1},\n\n{"a": tru, "bbbbbbbbbbbbbbbb": 2}]}', r"a\.json:3: .*Expecting value"),
        ('{"items": [{"a": 1},\n7]}', r"a\.json:2: is not a JSON object but 7"),
        ('{"items": [{"a": NaN}]}', r"a\.json:1: is not JSON: JSON knows no NaN"),
        ('{"items": [{"a": 1}] {', r"a\.json:1: .*something stands behind its end"),
        ('[{"a": 1}]', r"a\.json:1: is not JSON: \{ should stand here"),
        ("", r"a\.json:1: is not JSON: it ends too early"),
        ('{"others": []}', r"a\.json:1: has no array 'items' \(is it another file\?\)"),
        ('{"items": {"a": 1}}', r"has no array 'items'"),
        ('{1: []}', r"an object's key is no text"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_told_with_its_line(text: str, problem: str, tmp_path: Path) -> None:
    with pytest.raises(DataError, match=problem):
        list(json_items(write(tmp_path, text), "items"))


def test_bytes_of_another_encoding_are_told_with_their_line(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(b'{"items": [\n{"a": "b"},\n{"a": "caf\xe9"}]}')
    with pytest.raises(DataError, match=r"a\.json:3: is not utf-8: byte 0xe9 \(is it in another encoding"):
        list(json_items(path, "items"))
    assert [row.cells["a"] for row in json_items(path, "items", encoding="iso-8859-1")] == ["b", "café"]


def test_a_record_without_end_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_stream, "_LARGEST", 100)
    path = write(tmp_path, '{"items": [{"a": "' + "x" * 1000)
    rows = json_items(path, "items")
    with pytest.raises(DataError, match=r"a\.json:1: is not JSON: Unterminated string"):
        next(rows)
