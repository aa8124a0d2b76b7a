"""Collections over dictionaries, in the forms of BEIR's own loader."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from beirkit.corpora.collection import Collection, Provenance
from beirkit.corpora.errors import DataError, UsageError
from beirkit.corpora.records import Document, Judgment, Query


def test_dictionaries_become_records() -> None:
    corpus: dict[str, dict[str, Any]] = {
        "a": {"title": "T", "text": "x", "url": "u"},
        "b": {"text": "y", "title": None},
        "c": {"title": "only", "metadata": {"k": 1}, "n": 2},
    }
    qrels: dict[str, dict[str, Any]] = {"q": {"a": np.int64(2), "b": 0.0}}
    collection = Collection.from_dicts(corpus, {"q": "what"}, qrels, source="s")
    assert list(collection.documents()) == [
        Document("a", "T", "x", {"url": "u"}),
        Document("b", "", "y"),
        Document("c", "only", "", {"k": 1, "n": 2}),
    ]
    assert list(collection.queries()) == [Query("q", "what")]
    assert list(collection.judgments("test")) == [Judgment("q", "a", 2), Judgment("q", "b", 0)]
    assert all(type(judgment.relevance) is int for judgment in collection.judgments("test"))
    assert collection.provenance == Provenance(source="s")


def test_several_splits() -> None:
    qrels = {"train": {"q": {"a": 1}}, "test": {"r": {"a": 2}}}
    collection = Collection.from_dicts({"a": {}}, {"q": "x", "r": "y"}, qrels, split=None)
    assert collection.splits == ("test", "train")
    assert collection.qrels("train") == {"q": {"a": 1}}
    corpus, queries, judged = collection.to_dicts("test")
    assert corpus == {"a": {"title": "", "text": ""}}
    assert queries == {"r": "y"}
    assert judged == {"r": {"a": 2}}


def test_dictionaries_come_back() -> None:
    corpus = {"a": {"title": "T", "text": "x", "url": "u"}, "b": {"title": "", "text": "y"}}
    queries, qrels = {"q": "what"}, {"q": {"a": 1, "b": 0}}
    assert Collection.from_dicts(corpus, queries, qrels).to_dicts("test") == (corpus, queries, qrels)


def test_metadata_never_takes_the_place_of_text() -> None:
    collection = Collection(
        documents=lambda: [Document("a", "T", "x", {"text": "other", "title": "other"})],
        queries=list,
        judgments={"test": list},
        provenance=Provenance(source="s"),
    )
    assert collection.to_dicts("test")[0] == {"a": {"title": "T", "text": "x"}}


@pytest.mark.parametrize("grade", [0.5, "1", None, float("nan"), float("inf"), np.float32(1.5)])
def test_grades_that_are_no_whole_numbers(grade: Any) -> None:
    collection = Collection.from_dicts({"a": {}}, {"q": "x"}, {"q": {"a": grade}})
    with pytest.raises(DataError, match=r"the grade of q/a is .*, not a whole number"):
        collection.qrels("test")


def test_texts_and_ids_that_are_no_strings() -> None:
    corpus: dict[Any, Any] = {"a": {"title": float("nan"), "text": "x"}}
    unknown: dict[Any, Any] = {7: {"a": 1}}
    with pytest.raises(DataError, match="document 'a': the title nan is not a string"):
        list(Collection.from_dicts(corpus, {}, {}).documents())
    with pytest.raises(DataError, match="document 7: the id 7 is not a string"):
        list(Collection.from_dicts({7: {"text": "x"}}, {}, {}).documents())  # type: ignore[dict-item]  # as untyped callers do
    with pytest.raises(DataError, match="query 'q': the text None is not a string"):
        list(Collection.from_dicts({}, {"q": None}, {}).queries())  # type: ignore[dict-item]  # as untyped callers do
    with pytest.raises(DataError, match="qrels: the query id 7 is not a string"):
        Collection.from_dicts({}, {}, unknown).qrels("test")


def test_one_pair_with_two_grades() -> None:
    collection = Collection(
        documents=list,
        queries=list,
        judgments={"test": lambda: [Judgment("q", "a", 1), Judgment("q", "a", 1), Judgment("q", "a", 2)]},
        provenance=Provenance(source="s"),
    )
    with pytest.raises(DataError, match="s, split test: query 'q' and document 'a' are judged 1 and 2"):
        collection.qrels("test")
    with pytest.raises(UsageError, match=r"s has no split 'dev' \(it has: test\)"):
        collection.judgments("dev")


@pytest.mark.parametrize(
    ("corpus", "queries", "qrels", "message"),
    [
        (["text"], {}, {}, 'corpus: a list is not a dictionary (give {doc_id: {"title": …, "text": …}})'),
        ({}, None, {}, "queries: a NoneType is not a dictionary (give {query_id: text})"),
        ({}, {}, [("q", "d")], "qrels: a list is not a dictionary (give {query_id: {doc_id: grade}})"),
    ],
)
def test_what_is_no_dictionary_is_refused_at_once(
    corpus: Any, queries: Any, qrels: Any, message: str
) -> None:
    with pytest.raises(UsageError) as caught:
        Collection.from_dicts(corpus, queries, qrels)
    assert str(caught.value) == message


def test_a_document_that_is_only_a_text_is_named() -> None:
    corpus: Any = {"d0": {"text": "x"}, "d1": "just text"}
    documents = Collection.from_dicts(corpus, {}, {}).documents()
    assert next(documents).doc_id == "d0"
    with pytest.raises(DataError) as caught:
        next(documents)
    assert str(caught.value) == (
        "document 'd1': 'just text' is not a dictionary (give {\"title\": …, \"text\": …})"
    )


def test_judgments_without_grades_are_named() -> None:
    qrels: Any = {"q": ["d1"]}
    collection = Collection.from_dicts({}, {"q": "x"}, qrels)
    with pytest.raises(
        DataError, match=r"qrels of 'q': \['d1'\] is not a dictionary \(give {doc_id: grade}\)"
    ):
        collection.qrels("test")
    by_split: Any = {"test": ["q"]}
    with pytest.raises(DataError, match=r"split 'test': \['q'\] is not a dictionary"):
        Collection.from_dicts({}, {"q": "x"}, by_split, split=None).qrels("test")
