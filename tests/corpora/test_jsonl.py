"""One line of corpus.jsonl or queries.jsonl."""

from __future__ import annotations

import json
import logging
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from beirkit.corpora.encoding import encoder
from beirkit.corpora.errors import DataError
from beirkit.corpora.jsonl import (
    parse_document,
    parse_query,
    read_documents,
    read_queries,
    records_on,
)
from beirkit.corpora.records import Document, Query

# What a JSON file can hold and an id may be.
texts = st.text(st.characters(exclude_categories=["Cs"]))
ids = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)
metadata = st.dictionaries(texts, values, max_size=3)


def corpus(tmp_path: Path, content: str | bytes) -> Path:
    path = tmp_path / "corpus.jsonl"
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


@given(st.builds(Document, ids, texts, texts, metadata), st.booleans())
def test_a_document_survives_writing_and_reading(document: Document, ascii: bool) -> None:
    line = encoder(ascii=ascii)(document)
    assert "\n" not in line
    assert line.isascii() or not ascii
    assert parse_document(line.encode()) == document


@given(st.builds(Query, ids, texts, metadata), st.booleans())
def test_a_query_survives_writing_and_reading(query: Query, ascii: bool) -> None:
    assert parse_query(encoder(ascii=ascii)(query).encode()) == query


@given(st.builds(Document, ids, texts, texts, metadata))
def test_lines_are_those_of_json_dumps(document: Document) -> None:
    fields = {"_id": document.doc_id, "title": document.title, "text": document.text}
    for ascii in (True, False):
        expected = json.dumps({**fields, "metadata": document.metadata}, ensure_ascii=ascii)
        assert encoder(ascii=ascii)(document) == expected


def test_the_order_of_keys() -> None:
    encode = encoder(ascii=False)
    assert encode(Document("d", "T", "é", {"b": 1, "a": 2})) == (
        '{"_id": "d", "title": "T", "text": "é", "metadata": {"b": 1, "a": 2}}'
    )
    assert encode(Query("q", "why", {})) == '{"_id": "q", "text": "why", "metadata": {}}'
    assert encoder(ascii=True)(Query("q", "é\u2028😀")) == (
        '{"_id": "q", "text": "\\u00e9\\u2028\\ud83d\\ude00", "metadata": {}}'
    )


@pytest.mark.parametrize("ascii", [True, False])
@pytest.mark.parametrize(
    "record",
    [
        Document("d", "", "half \ud800"),
        Document("d", "", "x", {"k": "\udc00"}),
        Document("d", "", "x", {"k": float("nan")}),
        Document("d", "", "x", {"k": {1, 2}}),
    ],
)
def test_what_json_cannot_hold_is_refused_with_the_id(record: Document, ascii: bool) -> None:
    with pytest.raises(DataError, match="record 'd' cannot be written"):
        encoder(ascii=ascii)(record)


def test_an_id_that_could_not_be_read_back_is_not_written() -> None:
    with pytest.raises(DataError, match=r"'a\\tb' holds the control character U\+0009"):
        encoder(ascii=True)(Document("a\tb", "", "x"))
    with pytest.raises(DataError, match="'' is empty"):
        encoder(ascii=True)(Query("", "x"))


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ('{"_id": "a", "text": "x"}', Document("a", "", "x")),
        ('{"_id": "a", "title": null, "text": "x"}', Document("a", "", "x")),
        ('{"_id": "a", "title": "T", "text": null}', Document("a", "T", "")),
        ('{"_id": 12, "text": "x"}', Document("12", "", "x")),
        ('{"_id": -3, "text": "x"}', Document("-3", "", "x")),
        (
            '{"_id": 123456789012345678901234567890, "text": "x"}',
            Document("123456789012345678901234567890", "", "x"),
        ),
        ('{"_id": "012", "text": "x"}', Document("012", "", "x")),
        (' {"text":"x","_id":"a"} ', Document("a", "", "x")),
        ('{"_id": "a", "text": "x", "metadata": null}', Document("a", "", "x")),
        ('{"_id": "a", "text": "x", "url": "u", "n": [1]}', Document("a", "", "x", {"url": "u", "n": [1]})),
        (
            '{"_id": "a", "text": "x", "url": "u", "metadata": {"k": 1}}',
            Document("a", "", "x", {"k": 1, "url": "u"}),
        ),
        (
            '{"_id": "a", "text": "x", "k": 2, "same": 3, "metadata": {"k": 1, "same": 3}}',
            Document("a", "", "x", {"k": 1, "same": 3, "k_": 2}),
        ),
        ('{"_id": "a", "text": "x", "metadata": ["t"]}', Document("a", "", "x", {"metadata": ["t"]})),
        ('{"_id": "é\u2028", "text": "x"}', Document("é\u2028", "", "x")),
    ],
)
def test_what_is_read_as_a_document(line: str, expected: Document) -> None:
    assert parse_document(line.encode()) == expected


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"_id": 1.0, "text": "x"}', '"_id" is 1.0, neither a string nor an integer'),
        ('{"_id": true, "text": "x"}', '"_id" is true, neither'),
        ('{"_id": null, "text": "x"}', '"_id" is null, neither'),
        ('{"id": "a", "text": "x"}', "its keys: 'id', 'text' (rename the key \"id\" to \"_id\")"),
        ('{"docno": "a"}', "has no \"_id\"; its keys: 'docno' (every record"),
        ("{}", 'has no "_id"; its keys: none'),
        ('{"_id": "a", "contents": "x"}', "has no \"text\"; its keys: '_id', 'contents'"),
        ('{"_id": "", "text": "x"}', "id '' is empty"),
        ('{"_id": "a\\u0000b", "text": "x"}', "id 'a\\x00b' holds the control character U+0000"),
        ('{"_id": "a\\tb", "text": "x"}', "holds the control character U+0009"),
        ('{"_id": "a\\u0085", "text": "x", "extra": 1}', "holds the control character U+0085"),
        ('{"_id": "a", "text": 5}', '"text" is not a string but 5'),
        ('{"_id": "a", "text": ["x"]}', '"text" is not a string but ["x"]'),
        ('{"_id": "a", "text": NaN}', '"text" is not a string but nan'),
        ('{"_id": "a", "title": NaN, "text": "x"}', '"title" is not a string but nan'),
        ('{"_id": "a", "title": false, "text": "x"}', '"title" is not a string but false'),
        ('{"_id": "a", "text": "x", "score": -Infinity}', '"score" is not JSON but -inf'),
        ('{"_id": "a", "text": "half \\ud800"}', "holds half of a surrogate pair"),
        ('{"_id": "a", "text": "x', "is not JSON at column"),
        ("[1, 2]", "is not a JSON object but an array"),
        ('"text"', "is not a JSON object but a string"),
        ("17", "is not a JSON object but a bare value"),
        (
            '{"_id": "1", "text": "é"}{"_id": "2", "text": "y"}',
            "several records on one line: the second starts at column 26",
        ),
        ('{"_id": "1", "text": "x"}, ', "is not JSON: ', ' follows the record"),
    ],
)
def test_what_is_refused_and_in_which_words(tmp_path: Path, line: str, message: str) -> None:
    path = corpus(tmp_path, '{"_id": "first", "text": "fine"}\n' + line + "\n")
    with pytest.raises(DataError) as caught:
        list(read_documents(path))
    assert str(caught.value).startswith(f"{path}:2: ")
    assert message.strip() in str(caught.value)
    assert caught.value.line == 2


def test_a_query_needs_its_text(tmp_path: Path) -> None:
    path = tmp_path / "queries.jsonl"
    path.write_text('{"_id": "q", "text": null}\n')
    with pytest.raises(DataError, match=r'queries\.jsonl:1: "text" is not a string but null'):
        list(read_queries(path))
    path.write_text('{"id": "q", "title": "what"}\n')
    with pytest.raises(DataError, match="has no \"_id\"; its keys: 'id', 'title'"):
        list(read_queries(path))
    path.write_text('{"_id": 4, "text": "", "lang": "nl"}\n')
    assert list(read_queries(path)) == [Query("4", "", {"lang": "nl"})]


def test_harmless_oddities(tmp_path: Path) -> None:
    path = corpus(
        tmp_path, '\ufeff{"_id": "a", "text": "one\u2028two"}\r\n\r\n   \n{"_id": "b", "text": "x"}'
    )
    assert list(read_documents(path)) == [Document("a", "", "one\u2028two"), Document("b", "", "x")]


def test_bytes_that_are_not_utf8(tmp_path: Path) -> None:
    path = corpus(tmp_path, b'{"_id": "a", "text": "x"}\n{"_id": "b", "text": "na\xefve"}\n')
    with pytest.raises(DataError, match=r"corpus\.jsonl:2: is not UTF-8 at byte 25"):
        list(read_documents(path))


def test_identical_copies_are_dropped_and_told_once(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    lines = [
        '{"_id": "a", "title": "T", "text": "x"}',
        '{"_id": "b", "text": "y"}',
        '{"_id": "a", "title": "T", "text": "x", "metadata": {"k": 1}}',
        '{"_id": "b", "text": "y"}',
        '{"_id": "b", "title": "", "text": "y"}',
        '{"_id": "c", "text": "y"}',
    ]
    path = corpus(tmp_path, "\n".join(lines))
    with caplog.at_level(logging.WARNING):
        assert [document.doc_id for document in read_documents(path)] == ["a", "b", "c"]
    [record] = caplog.records
    assert "3 repeated records dropped" in record.getMessage()
    assert "(e.g. a, b, b)" in record.getMessage()


@pytest.mark.parametrize(
    ("second", "line"),
    [('"text": "new"', 3), ('"title": "T", "text": "old"', 3), ('"title": "old", "text": ""', 3)],
)
def test_one_id_for_two_texts_names_both_lines(tmp_path: Path, second: str, line: int) -> None:
    path = corpus(
        tmp_path, '{"_id": "a", "text": "old"}\n{"_id": "b", "text": "x"}\n{"_id": "a", ' + second + "}\n"
    )
    with pytest.raises(
        DataError, match="document id 'a' stands at lines 1 and 3 with different texts"
    ) as caught:
        list(read_documents(path))
    assert caught.value.line == line
    queries = tmp_path / "queries.jsonl"
    queries.write_text('{"_id": "q", "text": "old"}\n\n{"_id": "q", "text": "new"}\n')
    with pytest.raises(DataError, match="query id 'q' stands at lines 1 and 3"):
        list(read_queries(queries))


def test_what_the_parser_cannot_hold_is_refused(tmp_path: Path) -> None:
    deep = "[" * 200_000 + "]" * 200_000
    for line in (
        '{"_id": ' + "9" * 5000 + ', "text": "x"}',
        '{"_id": "a", "text": "x", "metadata": ' + deep + "}",
    ):
        with pytest.raises(
            DataError, match=r"corpus\.jsonl:1: is nested too deeply, or holds a number of thous"
        ):
            list(read_documents(corpus(tmp_path, line)))


def test_several_records_on_a_line_can_be_repaired(tmp_path: Path) -> None:
    path = corpus(tmp_path, '{"_id": "6", "text": "a"}{"_id": "9", "text": "b"} {"_id": "10", "text": "c"}\n')
    assert [document.doc_id for document in read_documents(path, repair=True)] == ["6", "9", "10"]
    path = corpus(tmp_path, '{"_id": "6", "text": "a"}\n{"_id": "9", "text": "b"}{"id": "10", "text": "c"}\n')
    with pytest.raises(DataError, match=r"corpus\.jsonl:2: has no \"_id\""):
        list(read_documents(path, repair=True))
    path = corpus(tmp_path, '{"_id": "6", "text": "a"}{"_id": "6", "text": "b"}\n')
    with pytest.raises(DataError, match="document id '6' stands at lines 1 and 1 with different texts"):
        list(read_documents(path, repair=True))


def test_records_on_one_line() -> None:
    line = '{"_id": "1"}{"_id": "é"}  [3] '.encode()
    assert records_on(line) == [b'{"_id": "1"}', '{"_id": "é"}'.encode(), b"[3]"]
    assert records_on(b'{"_id": "1"}{"_id": ') == []


def test_the_fast_and_the_careful_way_agree(tmp_path: Path) -> None:
    plain: dict[str, Any] = {"_id": "a", "title": "T", "text": "x", "metadata": {"k": [1.5, None]}}
    fast = parse_document(json.dumps(plain).encode())
    careful = parse_document(json.dumps({**plain, "extra": 1}).encode())
    assert careful.metadata.pop("extra") == 1
    assert fast == careful
