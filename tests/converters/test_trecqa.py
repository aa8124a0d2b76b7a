"""TrecQA: a real sample, sentences that are listed both ways, and what is refused."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from beirkit.converters.catalog import convert
from beirkit.corpora.errors import DataError

RAW = Path(__file__).parent.parent / "fixtures" / "trecqa" / "raw"


def test_the_first_questions_of_the_real_file(shared: Path) -> None:
    collection = convert("trecqa", shared / "data" / "raw_formats" / "trecqa" / "DEV.first6.xml")
    assert collection.splits == ("dev",)
    queries = list(collection.queries())
    assert [query.query_id for query in queries] == ["1.4", "1.5", "2.1", "2.2", "2.4", "3.1"]
    assert queries[0].text == "What ethnic group / race are Crip members ?"
    judgments = list(collection.judgments("dev"))
    assert Counter(judgment.relevance for judgment in judgments) == {1: 16, 0: 112}
    documents = {document.doc_id for document in collection.documents()}
    assert len(documents) == 123  # five sentences are candidates of two questions
    assert {judgment.doc_id for judgment in judgments} == documents


def test_a_sentence_that_is_listed_both_ways_answers(caplog: pytest.LogCaptureFixture) -> None:
    collection = convert("trecqa", RAW)
    texts = {document.doc_id: document.text for document in collection.documents()}
    found = {(j.query_id, texts[j.doc_id]): j.relevance for j in collection.judgments("dev")}
    assert found == {
        ("1.4", "It lies 12 m deep & cold <sic> ."): 1,
        ("1.4", "Gulls nest there ."): 0,
        ("1.4", "Kelp – “fast” – grows ."): 1,
        ("2.1", "Gulls nest there ."): 1,
    }
    list(collection.judgments("dev"))
    assert [record.getMessage() for record in caplog.records] == [
        "split dev: 1 sentences are listed as answers and as none; they answer"
    ]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("<question>\nwhat\n</question>\n", ":1: a question stands outside QApairs"),
        ("<QApairs id=''>\n<question>\nwhat\n", ":1: the id '' is empty"),
        ("<data/>\n", ": has no <QApairs id='…'> (is it a file of TrecQA?)"),
    ],
)
def test_what_is_no_trecqa_is_refused(text: str, found: str, tmp_path: Path) -> None:
    raw = tmp_path / "DEV.xml"
    raw.write_text(text)
    with pytest.raises(DataError) as caught:
        list(convert("trecqa", raw).queries())
    assert str(caught.value) == f"{raw}{found}"
