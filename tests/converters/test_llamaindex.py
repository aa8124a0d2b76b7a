"""LlamaIndex's question sets: one file or several, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from beirkit.converters.catalog import convert
from beirkit.corpora.errors import DataError

RAW = Path(__file__).parent.parent / "fixtures" / "llamaindex" / "raw"
WHOLE = {"queries": {"q": "?"}, "corpus": {"d": "text"}, "relevant_docs": {"q": ["d"]}, "mode": "text"}


def test_one_file_is_the_test_split(tmp_path: Path) -> None:
    path = tmp_path / "questions.json"
    path.write_text(json.dumps(WHOLE))
    collection = convert("llamaindex", path)
    assert [(j.query_id, j.doc_id, j.relevance) for j in collection.judgments("test")] == [("q", "d", 1)]
    assert [(d.doc_id, d.title, d.text) for d in collection.documents()] == [("d", "", "text")]


def test_the_first_text_of_a_passage_counts_and_the_other_is_told(caplog: pytest.LogCaptureFixture) -> None:
    collection = convert("llamaindex", RAW, {"splits": {"dev": "val_*", "train": "train_*"}})
    texts = {document.doc_id: document.text for document in collection.documents()}
    assert texts["n-1"] == "The reef is 12 m deep. It is old."  # dev was named first
    assert [record.getMessage() for record in caplog.records] == [
        f"{RAW}: 1 copies of passages differ from the first one with their id, which counts (e.g. n-1)"
    ]


@pytest.mark.parametrize(
    ("changes", "found"),
    [
        ({"corpus": {"d": 3}}, "is not a question set of LlamaIndex: Expected `str`, got `int`"),
        ({"relevant_docs": {"q": "d"}}, "is not a question set of LlamaIndex: Expected `array`, got `str`"),
        ({"queries": {"q\t1": "?"}}, "the id 'q\\t1' holds the control character U+0009"),
        ({"relevant_docs": {"q": [""]}}, "the id '' is empty"),
    ],
)
def test_what_is_no_question_set_is_refused(changes: dict[str, Any], found: str, tmp_path: Path) -> None:
    path = tmp_path / "questions.json"
    path.write_text(json.dumps({**WHOLE, **changes}))
    with pytest.raises(DataError) as caught:
        list(convert("llamaindex", path).documents())
    assert str(caught.value).startswith(f"{path}: {found}")
