"""Lines decoded by the block give what they give one by one, or are left to that."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from beirkit.corpora.blocks import counted, documents_with_more, keyed_documents, keyed_queries
from beirkit.corpora.check import check_folder
from beirkit.corpora.errors import DataError
from beirkit.corpora.jsonl import parse_document, parse_query, read_documents
from beirkit.corpora.mend import mend_folder
from beirkit.corpora.qrels import read_qrels
from beirkit.corpora.records import Document, Query

KEYS = {"_id": "docid", "text": "body"}


@pytest.mark.parametrize(
    "record",
    [
        {"docid": "a", "body": "x"},
        {"docid": "é", "body": "", "title": "T", "metadata": {"k": [1]}},
        {"body": "x", "docid": "a", "title": ""},
    ],
)
def test_records_with_other_keys_and_nothing_else(record: dict[str, object]) -> None:
    line = json.dumps(record).encode()
    decode = keyed_documents(KEYS)
    assert decode is not None
    assert decode([line, line]) == [parse_document(line, KEYS)] * 2
    if "title" not in record:
        decode_query = keyed_queries(KEYS)
        assert decode_query is not None
        assert decode_query([line]) == [parse_query(line, KEYS)]


@pytest.mark.parametrize(
    "line",
    [
        '{"docid": "a", "body": "x", "_id": "b"}',
        '{"docid": "a", "body": "x", "url": "u"}',
        '{"docid": "a", "text": "x"}',
        '{"docid": "a"}',
        '{"docid": 7, "body": "x"}',
        '{"docid": "a\\tb", "body": "x"}',
        '{"docid": "", "body": "x"}',
        '{"docid": "a", "body": null}',
        '{"docid": "a", "body": "x", "metadata": null}',
        '{"docid": "a", "body": "x"',
    ],
)
def test_whatever_else_a_line_has_is_left_to_a_closer_look(line: str) -> None:
    good = b'{"docid": "good", "body": "x"}'
    for decode in (keyed_documents(KEYS), keyed_queries(KEYS)):
        assert decode is not None
        assert decode([good, line.encode()]) is None


def test_one_name_for_two_things_is_left_to_a_closer_look() -> None:
    assert keyed_documents({"_id": "title"}) is None
    assert keyed_documents({"text": "metadata"}) is None
    assert keyed_queries({"_id": "text"}) is None
    assert keyed_queries({"_id": "title"}) is not None  # a query has none
    exchanged = keyed_documents({"title": "text", "text": "title"})
    assert exchanged is not None
    assert exchanged([b'{"_id": "a", "title": "x", "text": "y"}']) == [Document("a", "y", "x")]


PLAIN_FIELDS: list[tuple[str, list[Any]]] = [
    ("_id", ["a", "é", 7, None, "", "a\tb"]),
    ("docid", ["b", 3]),
    ("title", ["T", "", None, 1]),
    ("text", ["x", "", None]),
    ("body", ["y", None]),
    ("metadata", [{}, {"k": 1}, None, "m"]),
    ("k", [1, None]),
    ("url", ["u", [1.5, {"a": None}]]),
]


@given(st.data(), st.sampled_from([None, {}, KEYS, {"title": "text", "text": "title"}, {"_id": "k"}]))
def test_documents_with_keys_of_their_own(data: st.DataObject, keys: dict[str, str] | None) -> None:
    """What is decoded at once is what a closer look at each line gives."""
    fields = data.draw(st.permutations(PLAIN_FIELDS))
    chosen = [field for field in fields if data.draw(st.booleans())]
    line = json.dumps({name: data.draw(st.sampled_from(values)) for name, values in chosen}).encode()
    found = documents_with_more(keys)([line])
    if found is not None:
        assert found == [parse_document(line, keys)]
        assert list(found[0].metadata) == list(parse_document(line, keys).metadata)


def test_more_keys_are_decoded_at_once() -> None:
    line = b'{"url": "u", "_id": "a", "text": "x", "n": [1]}'
    assert documents_with_more()([line]) == [Document("a", "", "x", {"url": "u", "n": [1]})]
    keyed = b'{"docid": "a", "title": "T", "body": "x", "n": 1}'
    assert documents_with_more(KEYS)([keyed, keyed]) == [Document("a", "T", "x", {"n": 1})] * 2
    assert documents_with_more()([line, b"", line]) is None


def test_an_error_comes_after_the_records_before_it() -> None:
    def source() -> Iterator[Query]:
        yield from (Query(str(number), "x") for number in range(5000))
        raise DataError("damaged")

    found: list[tuple[int, Query]] = []
    rows = (row for batch in counted(source()) for row in zip(batch.numbers, batch.records, strict=True))
    with pytest.raises(DataError, match="damaged"):
        found.extend(rows)
    assert found == [(number + 1, Query(str(number), "x")) for number in range(5000)]


def test_long_texts_make_short_batches() -> None:
    texts = (Query(str(number), "x" * 100_000) for number in range(10_000))
    for batch in islice(counted(texts), 3):
        assert len(batch.records) <= 64


@pytest.mark.parametrize("end", ["\n", "\r\n", " \n"])
def test_blocks_of_blank_lines_are_counted_and_passed_over(end: str, tmp_path: Path) -> None:
    blank, n = end * 10_000, 10_000
    records = {
        "corpus.jsonl": '{"_id": "d1", "title": "", "text": "a"}',
        "queries.jsonl": '{"_id": "q1", "text": "b"}',
        "qrels/test.tsv": "query-id\tcorpus-id\tscore\nq1\td1\t1",
    }
    folder = tmp_path / "folder"
    (folder / "qrels").mkdir(parents=True)
    for name, record in records.items():
        (folder / name).write_bytes(f"{record}{end}{blank}".encode())
    found = {(each.code, each.path): each.found for each in check_folder(folder)}
    for name in records:
        assert found["BK046", name] == f"{n:,} lines are blank"
    assert [document.doc_id for document in read_documents(folder / "corpus.jsonl")] == ["d1"]
    assert read_qrels(folder / "qrels" / "test.tsv") == {"q1": {"d1": 1}}
    report = mend_folder(folder, tmp_path / "out")
    assert [each.count for each in report.changes if each.code == "BK046"] == [n] * 3
