"""Records written as lines by the block: the bytes that they have one by one, and as json.dumps has them."""

from __future__ import annotations

import json
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from beirkit.corpora.encoding import block_encoder, encoder
from beirkit.corpora.errors import DataError
from beirkit.corpora.records import Document, Query
from tests.corpora.test_jsonl import ids, metadata, texts

CHARACTERS = [chr(code) for code in range(sys.maxunicode + 1) if not 0xD800 <= code < 0xE000]


@given(st.lists(st.builds(Document, ids, texts, texts, metadata), max_size=4), st.booleans())
def test_documents_of_a_block(documents: list[Document], ascii: bool) -> None:
    one = encoder(ascii=ascii)
    expected = "".join(f"{one(document)}\n" for document in documents).encode()
    assert block_encoder(ascii=ascii)(documents) == expected


@given(st.lists(st.builds(Query, ids, texts, metadata), max_size=4), st.booleans())
def test_queries_of_a_block(queries: list[Query], ascii: bool) -> None:
    one = encoder(ascii=ascii)
    expected = "".join(f"{one(query)}\n" for query in queries).encode()
    assert block_encoder(ascii=ascii)(queries) == expected


@pytest.mark.parametrize("ascii", [True, False])
def test_every_character_is_written_as_json_dumps_writes_it(ascii: bool) -> None:
    texts = ["".join(CHARACTERS[start : start + 997]) for start in range(0, len(CHARACTERS), 997)]
    written = block_encoder(ascii=ascii)([Query("q", text) for text in texts])
    fields = ({"_id": "q", "text": text, "metadata": {}} for text in texts)
    assert written.decode() == "".join(json.dumps(one, ensure_ascii=ascii) + "\n" for one in fields)


def test_a_text_that_only_looks_like_half_a_surrogate_pair() -> None:
    document = Document("d", "", "a path such as c:\\users\\udc", {"k": "\\ud800"})
    assert block_encoder(ascii=True)([document]).decode() == encoder(ascii=True)(document) + "\n"


@pytest.mark.parametrize("ascii", [True, False])
@pytest.mark.parametrize(
    ("bad", "found"),
    [
        (Document("d", "", "half \ud800"), "record 'd' cannot be written"),
        (Document("d", "\udc00", "x"), "record 'd' cannot be written"),
        (Document("d", "", "x", {"k": "\udc00"}), "record 'd' cannot be written"),
        (Document("d", "", "x", {"k": float("nan")}), "record 'd' cannot be written"),
        (Document("d", "", "x", {"k": {1, 2}}), "record 'd' cannot be written"),
        (Document("a\tb", "", "x"), r"'a\\tb' holds the control character U\+0009"),
        (Document("", "", "x"), "'' is empty"),
    ],
)
def test_what_is_wrong_with_one_of_many_is_told(bad: Document, found: str, ascii: bool) -> None:
    good = Document("good", "é", "x", {"k": [1]})
    with pytest.raises(DataError, match=found):
        block_encoder(ascii=ascii)([good, bad, good])
