"""Touché over args.me: grades of both versions, and damaged arguments."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from beirkit.configs.load import load_dataset
from beirkit.converters.catalog import convert
from beirkit.corpora.errors import DataError

RAW = Path(__file__).parent.parent / "fixtures" / "args-me" / "raw"
SPAM = "d2-2019-04-18T13:32:05Z-00000-000"


@pytest.fixture
def release(tmp_path: Path) -> Path:
    shutil.copytree(RAW, tmp_path / "raw")
    return tmp_path / "raw"


def test_what_is_no_argument_keeps_its_grade_or_gets_the_one_of_the_dataset() -> None:
    assert convert("args-me", RAW).qrels("test")["1"][SPAM] == -2
    for name, grade in (("webis-touche2020", 0), ("webis-touche2020-v1", -2)):
        options = load_dataset(name).options
        assert convert("args-me", RAW, options).qrels("test")["1"][SPAM] == grade
    assert convert("args-me", RAW, {"grade_of_spam": "1"}).qrels("test")["2"] == {SPAM: 1}


def test_the_two_versions_have_the_published_numbers_of_judgments() -> None:
    counts = {
        name: sum(expected.judgments["test"].values())
        for name in ("webis-touche2020", "webis-touche2020-v1")
        if (expected := load_dataset(name).expected)
    }
    assert counts == {"webis-touche2020": 2214, "webis-touche2020-v1": 2962}


def test_a_premise_that_is_no_object_is_named_with_its_line(release: Path) -> None:
    corpus = release / "args-me-1.0-cleaned.json"
    text = corpus.read_text().replace('{"text": "lol", "stance": "PRO"}', '"lol"')
    corpus.write_text(text.replace('}, {"id": "d2', '},\n{"id": "d2'))
    with pytest.raises(DataError, match=r"args-me-1\.0-cleaned\.json:2: 'premises' holds 'lol', which is no"):
        list(convert("args-me", release).documents())


def test_another_json_document_is_refused(release: Path) -> None:
    (release / "args-me-1.0-cleaned.json").write_text('{"articles": [{"id": "1"}]}')
    with pytest.raises(DataError, match=r"has no array 'arguments' \(is it another file\?\)"):
        list(convert("args-me", release).documents())


def test_topics_and_judgments_can_be_named(release: Path) -> None:
    (release / "more-qrels.txt").write_text(f"2 0 {SPAM} 4\n")
    with pytest.raises(DataError, match=r"has 2 files for the judgments \(\*qrels\*\)"):
        convert("args-me", release)
    assert convert("args-me", release, {"qrels": "more-qrels.txt"}).qrels("test") == {"2": {SPAM: 4}}
    with pytest.raises(DataError, match=r"has no file absent\.xml, which holds the topics"):
        convert("args-me", release, {"qrels": "more-qrels.txt", "topics": "absent.xml"})
