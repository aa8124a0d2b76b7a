"""Natural Questions: which questions stay, paragraphs from HTML and from tokens, what is refused."""

from __future__ import annotations

import json
import logging
import shutil
from pathlib import Path
from typing import Any

import pytest

from beirkit.converters.catalog import convert
from beirkit.converters.reading.nq_examples import Annotation, Example, Span, Token, read_examples
from beirkit.corpora.errors import ConfigError, DataError

RAW = Path(__file__).parent.parent / "fixtures" / "nq" / "raw"


def test_questions_that_are_left_out_are_counted_by_reason(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, logger="beirkit"):
        collection = convert("nq", RAW)
        assert len(list(collection.queries())) == 3
        list(collection.judgments("test"))
    told = [record.getMessage() for record in caplog.records]
    assert told == [
        "5 questions left out: 1 answered by a table, 1 of another version of a page, 1 without a "
        "paragraph as answer, 2 without an answer"
    ]


def test_one_annotator_may_do() -> None:
    collection = convert("nq", RAW, {"annotators": "1"})
    texts = {query.query_id: query.text for query in collection.queries()}
    assert texts["test1"] == "what do foxes dream of"
    assert collection.qrels("test")["test1"] == {"doc2": 1}
    with pytest.raises(ConfigError, match="`annotators` is 1 or more"):
        convert("nq", RAW, {"annotators": 0})


def test_a_single_annotation_as_in_training_is_enough() -> None:
    collection = convert("nq", RAW / "train", {"questions": "nq-train-*.jsonl"})
    assert [query.text for query in collection.queries()] == ["what is a hole"]
    assert collection.qrels("test") == {"test0": {"doc0": 1}}


def test_pages_of_further_files_are_documents_only_when_asked_for() -> None:
    alone = [document.doc_id for document in convert("nq", RAW).documents()]
    more = [document.doc_id for document in convert("nq", RAW, {"pages": "nq-train-*.jsonl"}).documents()]
    assert alone == ["doc0", "doc1", "doc2", "doc3"]
    assert more == [*alone, "doc4"]


def test_one_file_alone_is_read() -> None:
    collection = convert("nq", RAW / "dev" / "nq-dev-01.jsonl")
    assert [document.title for document in collection.documents()] == ["Fox", "Fox", "Fox", "Den"]


def example(tokens: list[str], html: str = "") -> Example:
    return Example(
        1, "q", "t", "u", [Token(token, token.startswith("<")) for token in tokens],
        [Span(0, len(tokens), 0, len(html.encode()))], [Annotation(Span(0, len(tokens)))], html,
    )  # fmt: skip


def test_paragraphs_without_html_are_their_tokens() -> None:
    assert example(["<P>", "A", "<B>", "fox", "</B>", ".", "</P>"]).paragraphs() == {0: "A fox ."}
    assert example(["<P>", "</P>"]).paragraphs() == {}
    assert example(["<Table>", "A", "</Table>"]).paragraphs() == {}


def test_paragraphs_with_html_lose_tags_scripts_and_comments() -> None:
    html = (
        """<p class='a > "b"' id="it's">A&nbsp;<!-- no > -->f<b>o</b>x<style>p > a {}</style>\n """
        "<SCRIPT>x</SCRIPT>&lt;p&gt; é</p>"
    )
    assert example(["<P>", "A", "fox", "</P>"], html).paragraphs() == {0: "A fox <p> é"}


def test_a_line_that_is_no_example_is_named(tmp_path: Path) -> None:
    raw = tmp_path / "raw"
    shutil.copytree(RAW, raw)
    path = raw / "dev" / "nq-dev-01.jsonl"
    lines = path.read_text("utf-8").splitlines()
    whole: dict[str, Any] = json.loads(lines[0])

    def damaged(**changes: object) -> str:
        return json.dumps({**whole, **changes})

    span = {"start_byte": 0, "end_byte": 1, "start_token": 10_000, "end_token": 10_001}
    for line, found in (
        ("{", "is no example of Natural Questions"),
        (
            damaged(document_tokens=[{"token": 7, "html_token": False}]),
            "Expected `str`, got `int`, at `document_",
        ),
        (damaged(long_answer_candidates=[span]), "points outside its page, which has"),
        (damaged(annotations=[{"long_answer": span}]), "points outside its page, which has"),
    ):
        path.write_text("\n".join([lines[0], line]) + "\n", "utf-8")
        with pytest.raises(DataError, match=rf"nq-dev-01\.jsonl:2: .*{found}"):
            list(convert("nq", raw).documents())
    del whole["document_title"]
    path.write_text(damaged() + "\n", "utf-8")
    with pytest.raises(DataError, match=r"nq-dev-01\.jsonl:1: .*missing required field `document_title`"):
        list(read_examples(path))


def test_no_file_of_the_pattern_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"has no file nq-test\*\.jsonl \(found: dev/nq-dev-00\.jsonl"):
        convert("nq", RAW, {"questions": "nq-test*.jsonl"})
    with pytest.raises(DataError, match=r"has no file nq-all\*\.jsonl"):
        convert("nq", RAW, {"pages": "nq-all*.jsonl"})
