"""A look at a whole block of records misses nothing that a look at each record sees."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from beirkit.corpora.blocks import common_documents, common_queries
from beirkit.corpora.check_text import (
    look_at_document,
    look_at_query,
    nothing_in_documents,
    nothing_in_queries,
)

PLAIN = b'{"_id": "d1", "title": "One", "text": "a \\"quoted\\" text\\nof two lines, \xc3\xa9"}\n'
ODD = [
    *(
        "",
        " ",
        "\t\n",
        "x",
        "é",
        "a b",
        "7",
        "\x7f",
        "\x80",
        "\x9f",
        "\u200b",
        "\b",
        "\x00",
        "\x0b",
        "\\u0000",
    ),
    *('"_id"', '"title"', '"text"', "_id", "text", "\\", '\\"text\\"', "\u00a0", "\ufeff"),
]
texts = st.sampled_from(ODD) | st.text(st.sampled_from('ab"\\ _idtex\x7f\x85é'), max_size=8)
extra = st.sampled_from([{}, {}, {"k": 1}, {"title": "t"}, {"_id": "x"}])


@given(st.lists(st.tuples(texts, texts, texts, extra), min_size=1, max_size=3), st.booleans())
def test_documents(rows: list[tuple[str, str, str, dict[str, object]]], ascii: bool) -> None:
    records = [dict(zip(("_id", "title", "text", "metadata"), row, strict=True)) for row in rows]
    lines = [json.dumps(record, ensure_ascii=ascii).encode() + b"\n" for record in records]
    documents = common_documents(lines)
    if documents is not None and nothing_in_documents(documents, lines):
        assert not any(look_at_document(*pair) for pair in zip(documents, lines, strict=True))


@given(st.lists(st.tuples(texts, texts, extra), min_size=1, max_size=3), st.booleans())
def test_queries(rows: list[tuple[str, str, dict[str, object]]], ascii: bool) -> None:
    records = [dict(zip(("_id", "text", "metadata"), row, strict=True)) for row in rows]
    lines = [json.dumps(record, ensure_ascii=ascii).encode() + b"\n" for record in records]
    queries = common_queries(lines)
    if queries is not None and nothing_in_queries(queries, lines):
        assert not any(look_at_query(*pair) for pair in zip(queries, lines, strict=True))


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (b'{"_id": "a", "_id": "d", "title": "", "text": "x"}', "BK045"),
        (b'{"_id": "d", "title": "", "text": "y", "text": "x"}', "BK045"),
        (b'{"_id": "d", "text": "x"}', "BK041"),
        (b'{"_id": "d", "title": "", "text": "", "metadata": {}}', "BK010"),
        (b'{"_id": "d d", "title": "", "text": "x"}', "BK016"),
        (b'{"_id": "d", "title": "\x7f", "text": "x"}', "BK017"),
        (b'{"_id": "d", "title": "", "text": "\\b"}', "BK017"),
        (b'{"_id": "d", "title": "", "text": "\\u001b"}', "BK017"),
        (b'{"_id": "d", "title": "", "text": "x\xc2\x85"}', "BK017"),
    ],
)
def test_one_odd_line_among_plain_ones(line: bytes, said: str) -> None:
    lines = [PLAIN.replace(b"d1", b"c"), line + b"\n", PLAIN]
    documents = common_documents(lines)
    assert documents is not None
    assert not nothing_in_documents(documents, lines)
    assert [look.code for look in look_at_document(documents[1], line)] == [said]
    plain = [lines[0], lines[2]]
    documents = common_documents(plain)
    assert documents is not None
    assert nothing_in_documents(documents, plain)
