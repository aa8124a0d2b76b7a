"""SQuAD's JSON: XQuAD and HeQ byte for byte, unanswerable questions, spans, and what is refused."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from beirkit.configs.load import load_dataset
from beirkit.converters.catalog import convert
from beirkit.converters.expected import differences
from beirkit.corpora.collection import Collection
from beirkit.corpora.errors import DataError
from beirkit.datasets import convert_source

RAW = Path(__file__).parent.parent / "fixtures" / "squad" / "raw"
FILES = ("corpus.jsonl", "queries.jsonl", "qrels/test.tsv")


def release(
    folder: Path, *questions: dict[str, Any], context: str = "Oil burns.", name: str = "q.json"
) -> Path:
    folder.mkdir(exist_ok=True)
    content = {"data": [{"title": "T", "paragraphs": [{"context": context, "qas": list(questions)}]}]}
    (folder / name).write_text(json.dumps(content, indent=1), encoding="utf-8")
    return folder / name


def metadata(collection: Collection) -> dict[str, dict[str, Any]]:
    return {query.query_id: query.metadata for query in collection.queries()}


def judged(collection: Collection) -> set[str]:
    return {judgment.query_id for split in collection.splits for judgment in collection.judgments(split)}


@pytest.mark.parametrize("language", ["en", "ar", "zh", "hi"])
def test_xquad_comes_out_byte_for_byte(language: str, shared: Path, tmp_path: Path) -> None:
    name = f"xquad-{language}"
    _, manifest = convert_source(name, shared / "data" / "xquad" / "raw", tmp_path / "out")
    for file in FILES:
        expected = shared / "data" / "xquad" / "beir" / language / file
        assert (tmp_path / "out" / file).read_bytes() == expected.read_bytes()
    expected_counts = load_dataset(name).expected
    assert expected_counts is not None
    assert differences(manifest, expected_counts) == []


def test_heq_comes_out_byte_for_byte(shared: Path, tmp_path: Path) -> None:
    _, manifest = convert_source("heq", shared / "data" / "heq_he" / "raw", tmp_path / "out")
    for file in FILES:
        expected = shared / "data" / "heq_he" / "beir" / file
        assert (tmp_path / "out" / file).read_bytes() == expected.read_bytes()
    expected_counts = load_dataset("heq").expected
    assert expected_counts is not None
    assert differences(manifest, expected_counts) == []


def test_every_span_of_heq_stands_where_it_should(shared: Path, caplog: pytest.LogCaptureFixture) -> None:
    raw = shared / "data" / "heq_he" / "raw"
    collection = convert("squad", raw, {"spans": True})
    texts = {document.doc_id: document.text for document in collection.documents()}
    document_of = {judgment.query_id: judgment.doc_id for judgment in collection.judgments("dev")}
    spans = [
        (texts[document_of[query.query_id]], span)
        for query in collection.queries()
        for span in query.metadata["spans"]
    ]
    assert len(spans) == 1769
    assert all(text[span["start"] : span["end"]] == span["text"] for text, span in spans)
    assert not caplog.records


def test_unanswerable_questions_of_heq_are_kept_without_a_judgment(shared: Path) -> None:
    collection = convert("squad", shared / "data" / "heq_he" / "raw")
    unanswerable = {name for name, told in metadata(collection).items() if told.get("answerable") is False}
    assert len(unanswerable) == 443
    assert len(judged(collection)) == 1501 - 443
    assert not judged(collection) & unanswerable


def test_of_questions_with_one_text_the_last_may_stand_for_all(tmp_path: Path) -> None:
    answered = [{"text": "Oil", "answer_start": 0}]
    raw = release(
        tmp_path,
        {"id": "a", "question": "What burns? ", "answers": answered},
        {"id": "b", "question": "Why?", "answers": answered},
        {"id": "c", "question": " What burns?", "answers": answered},
        {"id": "d", "question": "What burns?", "answers": [], "is_impossible": True},
    )
    assert [query.query_id for query in convert("squad", raw).queries()] == ["a", "b", "c", "d"]
    for unanswerable, kept in (("keep", "d"), ("drop", "c")):
        collection = convert("squad", raw, {"repeated": "last", "unanswerable": unanswerable})
        texts = {query.query_id: query.text for query in collection.queries()}
        assert texts == {"b": "Why?", kept: "What burns?"}
        assert judged(collection) == {"b", kept} - {"d"}


def test_questions_are_repeated_within_a_split_and_not_across(tmp_path: Path) -> None:
    answered = [{"text": "Oil", "answer_start": 0}]
    for name in ("train.json", "dev.json"):
        asked = {"id": name, "question": "What burns?", "answers": answered}
        release(tmp_path / "raw", asked, name=name)
    collection = convert("squad", tmp_path / "raw", {"repeated": "last"})
    assert judged(collection) == {"train.json", "dev.json"}


def test_xquad_as_mteb_has_it(shared: Path) -> None:
    raw = shared / "data" / "xquad" / "raw" / "xquad.en.json"
    queries = list(convert("squad", raw, {"repeated": "last"}).queries())
    assert len(queries) == 1185  # of 1,190: mteb's descriptive statistics
    assert sum(len(query.text) for query in queries) == 72582


@pytest.mark.parametrize(
    ("unanswerable", "asked", "with_judgment"),
    [
        ("keep", {"d1", "d2", "d3", "t1", "t2", "7", "t4"}, {"d1", "d3", "t1", "7", "t4"}),
        ("judge", {"d1", "d2", "d3", "t1", "t2", "7", "t4"}, {"d1", "d2", "d3", "t1", "t2", "7", "t4"}),
        ("drop", {"d1", "d3", "t1", "7", "t4"}, {"d1", "d3", "t1", "7", "t4"}),
    ],
)
def test_what_becomes_of_unanswerable_questions(
    unanswerable: str, asked: set[str], with_judgment: set[str]
) -> None:
    collection = convert("squad", RAW, {"unanswerable": unanswerable})
    assert set(metadata(collection)) == asked
    assert judged(collection) == with_judgment
    said = {name for name, told in metadata(collection).items() if "answerable" in told}
    assert said == ({"d2", "t2"} & asked)


def test_an_answer_that_is_not_where_it_should_be_has_no_span_and_is_told(
    caplog: pytest.LogCaptureFixture,
) -> None:
    collection = convert("squad", RAW, {"spans": True})
    found = metadata(collection)["t4"]
    assert found["answers"] == ["12 m", "12 m"]
    assert found["spans"] == [{"text": "12 m", "start": 27, "end": 31}]
    list(collection.queries())
    assert [record.getMessage() for record in caplog.records] == [
        f"{RAW}: 1 answers do not stand where they should and have no span"
    ]


def test_an_offset_from_the_end_is_no_offset(tmp_path: Path) -> None:
    raw = release(tmp_path, {"id": "q", "question": "?", "answers": [{"text": "Oil", "answer_start": -10}]})
    assert metadata(convert("squad", raw, {"spans": True}))["q"]["spans"] == []


def test_one_file_is_the_test_split_and_splits_may_be_named(tmp_path: Path) -> None:
    raw = release(tmp_path / "one", {"id": "q", "question": "?"})
    assert convert("squad", raw).splits == ("test",)
    shutil.copy(raw, raw.parent / "more.json")
    with pytest.raises(
        DataError, match=r"its name does not say which \(say it: --set splits.test=more.json\)"
    ):
        convert("squad", raw.parent)
    assert convert("squad", raw.parent, {"splits": {"a": "q.json"}}).splits == ("a",)
    with pytest.raises(DataError, match=r"has no file x.json, which holds questions in SQuAD's form"):
        convert("squad", raw.parent, {"splits": {"a": "x.json"}})


def test_two_files_of_one_split_are_refused(tmp_path: Path) -> None:
    release(tmp_path, name="dev-v1.json")
    release(tmp_path, name="dev-v2.json")
    with pytest.raises(
        DataError, match=r"dev-v2.json should be the file of one split, and so is dev-v1.json"
    ):
        convert("squad", tmp_path)


@pytest.mark.parametrize(
    ("question", "line", "found"),
    [
        ({"question": "?"}, 13, "question 2 of paragraph 1 of article 1: Object missing required field `id`"),
        ({"id": "x\ty", "question": "?"}, 13, "the id 'x\\ty' holds the control character U+0009"),
        ({"id": "x", "question": 3}, 13, "question 2 of paragraph 1 of article 1: Expected `str`, got `int`"),
    ],
)
def test_a_damaged_question_is_named_with_its_line(
    question: dict[str, Any], line: int, found: str, tmp_path: Path
) -> None:
    raw = release(tmp_path, {"id": "q", "question": "?"}, question)
    with pytest.raises(DataError) as caught:
        list(convert("squad", raw).queries())
    assert str(caught.value).startswith(f"{raw}:{line}: ")
    assert found in str(caught.value)


def test_a_file_that_is_cut_or_something_else_is_refused(tmp_path: Path) -> None:
    raw = release(tmp_path, {"id": "q", "question": "?"})
    whole = raw.read_text()
    raw.write_text(whole[:-12])
    with pytest.raises(DataError, match=r"is not JSON: Input data was truncated \(the file may be cut\)"):
        list(convert("squad", raw).documents())
    raw.write_text(whole.replace("Oil", 'Oil"'))
    with pytest.raises(DataError, match=r"q.json:7: is not JSON: JSON is malformed: expected ',' or '}'"):
        list(convert("squad", raw).documents())
    raw.write_text('[{"question": "?"}]')
    with pytest.raises(DataError, match="is not SQuAD: Expected `object`, got `array`"):
        list(convert("squad", raw).documents())
