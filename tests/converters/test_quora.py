"""Quora: the public rule of clusters and queries, and queries that are given."""

from __future__ import annotations

from pathlib import Path

import pytest

from beirkit.configs.load import load_dataset
from beirkit.converters.catalog import convert
from beirkit.converters.reading.quora_splits import Pair, draw, normal_form
from beirkit.corpora.errors import DataError
from beirkit.corpora.qrels import read_qrels

RAW = Path(__file__).parent.parent / "fixtures" / "quora" / "raw"
HEADER = "id\tqid1\tqid2\tquestion1\tquestion2\tis_duplicate\n"


def written(folder: Path, *rows: str) -> Path:
    path = folder / "quora_duplicate_questions.tsv"
    path.write_text(HEADER + "".join(f"{row}\n" for row in rows))
    return path


def test_a_published_query_is_the_only_one_of_its_cluster_and_no_document(shared: Path) -> None:
    """What the rule leaves behind, on the published judgments: 537,931 questions are one or the other."""
    qrels = read_qrels(shared / "data" / "quora" / "beir" / "qrels.beir-v1.0.0-quora.test.txt")
    judged = [doc_id for row in qrels.values() for doc_id in row]
    assert len(set(judged)) == len(judged)
    assert not set(judged) & qrels.keys()
    expected = load_dataset("quora").expected
    assert expected is not None
    assert (expected.documents, expected.queries) == (522931, 15000)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("How can you bake bread?", "How do I bake a bread"),
        ("Is it really true?", "is it TRUE!"),
        ("What was the Rye, then?", "What is rye?"),
        ('"Rye": [what] is {it}; <now>', "rye what it"),
    ],
)
def test_questions_that_differ_in_small_words_are_the_same(one: str, other: str) -> None:
    assert normal_form(one) == normal_form(other) != ""


@pytest.mark.parametrize(("one", "other"), [("Where is rye?", "What is rye?"), ("rye-bread", "rye bread")])
def test_question_words_and_other_signs_tell_questions_apart(one: str, other: str) -> None:
    assert normal_form(one) != normal_form(other)


def pairs_in_a_chain(count: int) -> list[Pair]:
    """Clusters of three, linked at their middle, which no text links."""
    found = []
    for number in range(count):
        first, middle, last = (str(3 * number + place) for place in (1, 2, 3))
        found += [
            Pair(first, middle, f"w{first}", f"w{middle}", True),
            Pair(middle, last, f"w{middle}", f"w{last}", True),
        ]
    return found


def test_one_cluster_in_ten_is_for_dev_and_two_for_test() -> None:
    drawn = draw(pairs_in_a_chain(200))
    assert {split: len(queries) for split, queries in drawn.queries.items()} == {"dev": 20, "test": 40}
    asked = [query_id for queries in drawn.queries.values() for query_id in queries]
    clusters = [frozenset(drawn.clusters.of(query_id)) for query_id in asked]
    assert len(set(clusters)) == len(clusters)
    assert {len(cluster) for cluster in clusters} == {3}
    assert drawn.queries == draw(pairs_in_a_chain(200)).queries


def test_queries_beyond_the_limit_become_documents(monkeypatch: pytest.MonkeyPatch) -> None:
    from beirkit.converters.reading import quora_splits

    whole = draw(pairs_in_a_chain(200)).queries
    monkeypatch.setitem(quora_splits.LIMITS, "test", 7)
    limited = draw(pairs_in_a_chain(200)).queries
    assert limited["dev"] == whole["dev"]
    assert len(limited["test"]) == 7
    assert set(limited["test"]) < set(whole["test"])


def test_queries_and_documents_are_all_questions_and_apart() -> None:
    collection = convert("quora", RAW)
    queries = {query.query_id for query in collection.queries()}
    documents = {document.doc_id for document in collection.documents()}
    assert not queries & documents
    assert queries | documents == {"1", "2", "3", "4", "5", "6", "7", "10", "11", "12", "13"}


def test_given_queries_are_taken_with_their_judgments(tmp_path: Path) -> None:
    splits = tmp_path / "splits"
    splits.mkdir()
    (splits / "test.tsv").write_text("query-id\tcorpus-id\tscore\n12\t13\t1\n5\t6\t1\n")
    collection = convert("quora", RAW / "quora_duplicate_questions.tsv", {"splits": str(splits)})
    assert collection.splits == ("test",)
    assert collection.qrels("test") == {"12": {"13": 1}, "5": {"6": 1}}
    assert [query.query_id for query in collection.queries()] == ["5", "12"]
    assert len(list(collection.documents())) == 9


def test_a_cell_whose_quote_is_never_closed_is_named(tmp_path: Path) -> None:
    raw = written(tmp_path, "0\t1\t2\tWhat?\tWhy?\t0", '1\t3\t4\t"Where?\tWho?\t1')
    with pytest.raises(DataError, match=r"quora_duplicate_questions\.tsv:3: .*a quote is opened here and ne"):
        list(convert("quora", raw).documents())


def test_a_question_without_id_is_named(tmp_path: Path) -> None:
    raw = written(tmp_path, "0\t1\t\tWhat?\tWhy?\t0")
    with pytest.raises(DataError, match=r"quora_duplicate_questions\.tsv:2: has no id in column 'qid2'"):
        list(convert("quora", raw).documents())
