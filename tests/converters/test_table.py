"""Tables of one's own: what each declared column becomes, and what is refused where."""

from __future__ import annotations

import hashlib
import json
import logging
import random
from pathlib import Path
from typing import Any

import pytest

from beirkit.converters.catalog import convert, parse_settings
from beirkit.corpora.collection import Collection
from beirkit.corpora.errors import DataError, UsageError
from beirkit.corpora.manifest import content_ids

PAIRS = {"question": "question", "positive": "passage"}


def table(path: Path, content: str, **options: Any) -> Collection:
    path.write_text(content, encoding="utf-8")
    return convert("table", path, options)


def read(
    collection: Collection,
) -> tuple[dict[str, tuple[str, str]], dict[str, str], dict[str, dict[str, int]]]:
    documents = {document.doc_id: (document.title, document.text) for document in collection.documents()}
    queries = {query.query_id: query.text for query in collection.queries()}
    return documents, queries, collection.qrels(collection.splits[0])


def digest(prefix: str, text: str) -> str:
    return f"{prefix}-{hashlib.sha256(text.encode()).hexdigest()[:16]}"


def test_pairs_without_ids_get_ids_of_their_texts(tmp_path: Path) -> None:
    content = "question,passage\nwho?,me\nwho?, you \nwhy?,me\n"
    documents, queries, qrels = read(table(tmp_path / "a.csv", content, **PAIRS))
    me, you = digest("d", "me"), digest("d", "you")
    who, why = digest("q", "who?"), digest("q", "why?")
    assert documents == {me: ("", "me"), you: ("", "you")}
    assert queries == {who: "who?", why: "why?"}
    assert qrels == {who: {me: 1, you: 1}, why: {me: 1}}


def test_the_order_of_rows_changes_nothing_that_is_compared(tmp_path: Path) -> None:
    lines = [f"question {n % 5},passage {n}\n" for n in range(20)]
    sorted_ids = content_ids(table(tmp_path / "a.csv", "question,passage\n" + "".join(lines), **PAIRS))
    random.Random(1).shuffle(lines)
    shuffled = content_ids(table(tmp_path / "b.csv", "question,passage\n" + "".join(lines), **PAIRS))
    assert shuffled == sorted_ids


def test_ids_are_kept_as_they_are_written(tmp_path: Path) -> None:
    content = "q,p,qid,pid\nwho?,me,001,1e3\nwhy?,you,1,12.0\n"
    options = {"question": "q", "positive": "p", "query_id": "qid", "doc_id": "pid"}
    documents, queries, qrels = read(table(tmp_path / "a.csv", content, **options))
    assert list(documents) == ["1e3", "12.0"]
    assert list(queries) == ["001", "1"]
    assert qrels == {"001": {"1e3": 1}, "1": {"12.0": 1}}


def test_json_integers_are_ids_and_floats_are_not(tmp_path: Path) -> None:
    options = {"question": "q", "positive": "p", "doc_id": "pid"}
    documents, _, _ = read(table(tmp_path / "a.jsonl", '{"q": "who?", "p": "me", "pid": 12}\n', **options))
    assert list(documents) == ["12"]
    for wrong in ("12.0", "true", "[12, 13]", "{}"):
        with pytest.raises(DataError, match=r"b\.jsonl:1: "):
            read(table(tmp_path / "b.jsonl", f'{{"q": "who?", "p": "me", "pid": {wrong}}}\n', **options))


DOCS = "doc_id,body\n12,alpha\n,beta\n14,gamma\n"
CORPUS = {"question": "q", "doc_id": "doc_id", "corpus": "docs.csv", "text": "body"}


def test_a_row_without_an_id_is_an_error_with_its_line(tmp_path: Path) -> None:
    (tmp_path / "docs.csv").write_text(DOCS)
    collection = table(tmp_path / "a.csv", "q,doc_id\nwho?,12\n", **CORPUS)
    with pytest.raises(DataError) as caught:
        list(collection.documents())
    assert str(caught.value).startswith(f"{tmp_path / 'docs.csv'}:3: has no id in column 'doc_id'")
    assert "skip_rows_without_id=true" in str(caught.value)


def test_rows_without_an_id_are_skipped_and_counted_when_asked(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "docs.csv").write_text(DOCS)
    collection = table(tmp_path / "a.csv", "q,doc_id\nwho?,12\n", skip_rows_without_id="true", **CORPUS)
    for _ in range(2):
        assert read(collection)[0] == {"12": ("", "alpha"), "14": ("", "gamma")}
    messages = [record.getMessage() for record in caplog.records if record.levelno == logging.WARNING]
    assert messages == [f"{tmp_path / 'docs.csv'}: 1 rows without id left out"]


def test_rows_without_a_text_are_refused_or_skipped_whole(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    content = "question,passage\nwho?,me\nwhy?,  \n,you\n"
    with pytest.raises(DataError, match=r"a\.csv:3: has no text in column 'passage'"):
        read(table(tmp_path / "a.csv", content, **PAIRS))
    documents, queries, _ = read(table(tmp_path / "a.csv", content, skip_rows_without_text=True, **PAIRS))
    assert [text for _, text in documents.values()] == ["me"]
    assert list(queries.values()) == ["who?"]
    assert "2 rows without text left out" in caplog.text


GRADED = "q,d,label\nq1,d1,high\nq1,d2,low\nq1,d3,none\n"


def test_a_label_outside_the_mapping_is_named_with_its_line(tmp_path: Path) -> None:
    options = {"question": "q", "positive": "d", "grade": "label"}
    grades = {"high": 2, "low": 1}
    with pytest.raises(DataError) as caught:
        read(table(tmp_path / "j.csv", GRADED, grades=grades, **options))
    assert str(caught.value).startswith(f"{tmp_path / 'j.csv'}:4: label 'none'")
    assert "--set grades.none=NUMBER" in str(caught.value)
    qrels = read(table(tmp_path / "j.csv", GRADED, grades={**grades, "none": 0}, **options))[2]
    assert qrels == {digest("q", "q1"): {digest("d", "d1"): 2, digest("d", "d2"): 1, digest("d", "d3"): 0}}


@pytest.mark.parametrize(
    ("grade", "found"),
    [
        ("", "has no grade in column 'g' .give it one"),
        ("1.5", "not a whole number"),
        ("good", "no number"),
        ("99999999999", "32 bits"),
    ],
)
def test_odd_grades_are_refused(tmp_path: Path, grade: str, found: str) -> None:
    with pytest.raises(DataError, match=rf"a\.csv:2: .*{found}"):
        read(table(tmp_path / "a.csv", f"question,passage,g\nwho?,me,{grade}\n", grade="g", **PAIRS))


@pytest.mark.parametrize(("grade", "number"), [("2", 2), ("2.0", 2), ("-1", -1), ("0", 0)])
def test_whole_numbers_are_grades(tmp_path: Path, grade: str, number: int) -> None:
    for name, content in (
        ("a.csv", f"question,passage,g\nwho?,me,{grade}\n"),
        ("a.jsonl", f'{{"question": "who?", "passage": "me", "g": {grade}}}\n'),
    ):
        assert read(table(tmp_path / name, content, grade="g", **PAIRS))[2] == {
            digest("q", "who?"): {digest("d", "me"): number}
        }


TRIPLES = "question,passage,wrong\nwho?,me,you\nwho?,me,they\nwhy?,you,me\n"


def test_negatives_are_documents_and_no_judgments_unless_asked(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    documents, _, qrels = read(table(tmp_path / "a.csv", TRIPLES, negative="wrong", **PAIRS))
    me, you, they = (digest("d", text) for text in ("me", "you", "they"))
    assert list(documents) == [me, you, they]
    assert qrels == {digest("q", "who?"): {me: 1}, digest("q", "why?"): {you: 1}}
    judged = read(table(tmp_path / "a.csv", TRIPLES, negative="wrong", judge_negatives="true", **PAIRS))[2]
    assert judged[digest("q", "who?")] == {me: 1, you: 0, they: 0}
    assert not caplog.records  # a positive that repeats with every negative is the form, not a fault


@pytest.mark.parametrize("judge", [False, True])
@pytest.mark.parametrize("rows", ["who?,me,you\nwho?,they,me\n", "who?,they,me\nwho?,me,you\n"])
def test_positive_and_negative_for_one_question_is_refused(tmp_path: Path, judge: bool, rows: str) -> None:
    collection = table(
        tmp_path / "a.csv",
        f"question,passage,wrong\n{rows}",
        negative="wrong",
        judge_negatives=judge,
        **PAIRS,
    )
    with pytest.raises(DataError, match=r"a\.csv:3: .* at line 2 and .* at line 3") as caught:
        list(collection.judgments("test"))
    assert "judged 1 at line" in str(caught.value)


def test_two_grades_for_one_pair_are_refused_and_copies_counted(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    content = "question,passage,g\nwho?,me,1\nwho?,me,1\n"
    qrels = read(table(tmp_path / "a.csv", content, grade="g", **PAIRS))[2]
    assert qrels == {digest("q", "who?"): {digest("d", "me"): 1}}
    assert "1 exact duplicate judgments; one copy counts" in caplog.text
    with pytest.raises(DataError, match=r":4: .* judged 1 at line 2 and judged 2 at line 4"):
        read(table(tmp_path / "a.csv", content + "who?,me,2\n", grade="g", **PAIRS))


def test_one_id_with_two_texts_is_refused_with_both_lines(tmp_path: Path) -> None:
    options = {"question": "q", "positive": "p", "query_id": "qid", "doc_id": "pid"}
    two_texts = table(tmp_path / "a.csv", "q,p,qid,pid\nwho?,me,1,a\nwhy?,you,2,a\n", **options)
    with pytest.raises(DataError, match=r":3: document id 'a' stands at lines 2 and 3"):
        list(two_texts.documents())
    two_questions = table(tmp_path / "a.csv", "q,p,qid,pid\nwho?,me,1,a\nwhy?,you,1,b\n", **options)
    with pytest.raises(DataError, match=r":3: query id '1' stands at lines 2 and 3"):
        list(two_questions.queries())


def test_a_passage_gets_its_title_from_whichever_row_has_it(tmp_path: Path) -> None:
    content = "question,passage,wrong,name\nwhy?,you,me,\nwho?,me,,Self\n"
    documents, _, _ = read(table(tmp_path / "a.csv", content, negative="wrong", title="name", **PAIRS))
    assert documents == {digest("d", "you"): ("", "you"), digest("d", "me"): ("Self", "me")}
    with pytest.raises(DataError, match=r":4: one passage has a title at line 3 and another at line 4"):
        read(table(tmp_path / "a.csv", content + "how?,me,,Other\n", title="name", **PAIRS))


def test_lists_in_json_and_in_cells_give_the_same(tmp_path: Path) -> None:
    record = {
        "question": "who?",
        "passage": ["me", "you"],
        "ids": [1, 2],
        "wrong": ["they"],
        "names": ["M", "Y"],
    }
    columns = {"doc_id": "ids", "negative": "wrong", "title": "names", **PAIRS}
    from_json = read(table(tmp_path / "a.jsonl", json.dumps(record) + "\n", **columns))
    cells = "question,passage,ids,wrong,names\nwho?,me | you,1|2,they,M|Y\n"
    from_csv = read(table(tmp_path / "a.csv", cells, separator="|", **columns))
    assert from_json == from_csv
    assert from_json[0] == {"1": ("M", "me"), "2": ("Y", "you"), digest("d", "they"): ("", "they")}
    assert from_json[2] == {digest("q", "who?"): {"1": 1, "2": 1}}


@pytest.mark.parametrize(
    ("cells", "found"),
    [
        ({"ids": [1]}, "has 2 texts and 1 ids"),
        ({"names": ["M"]}, "has 2 texts and 1 titles"),
        ({"g": [1]}, "has 2 positives and 1 grades"),
        ({"passage": ["me", ""]}, "one of the texts in column 'passage' is empty"),
        ({"passage": ["me", 5]}, "column 'passage' is not text but the number 5"),
        ({"passage": {"text": "me"}}, "is not text but the object"),
    ],
)
def test_lists_that_do_not_fit_are_refused(tmp_path: Path, cells: dict[str, Any], found: str) -> None:
    record = {
        "question": "who?", "passage": ["me", "you"], "ids": [1, 2], "names": ["M", "Y"], "g": [1, 2], **cells
    }  # fmt: skip
    columns = {"doc_id": "ids", "title": "names", "grade": "g", **PAIRS}
    with pytest.raises(DataError, match=rf"a\.jsonl:1: .*{found}"):
        read(table(tmp_path / "a.jsonl", json.dumps(record), **columns))


def test_an_empty_list_is_a_question_without_answers(tmp_path: Path) -> None:
    content = '{"question": "who?", "passage": []}\n{"question": "why?", "passage": ["me"]}\n'
    _, queries, qrels = read(table(tmp_path / "a.jsonl", content, **PAIRS))
    assert list(queries.values()) == ["who?", "why?"]
    assert list(qrels) == [digest("q", "why?")]


THREE = {
    "question": "text", "query_id": "id", "corpus": "docs.tsv", "corpus_doc_id": "id", "text": "text",
    "title": "title", "judgments": "rels.csv", "judgments_query_id": "q", "judgments_doc_id": "d",
    "grade": "g", "split": "dev",
}  # fmt: skip


def three_files(folder: Path, judgments: str) -> Collection:
    (folder / "docs.tsv").write_text('id\ttitle\ttext\nD-1\tOne\t"first\nD-2\t\tsecond\nD-2\t\tsecond\n')
    (folder / "rels.csv").write_text(judgments)
    return table(folder / "a.jsonl", '{"id": 7, "text": "who?"}\n{"id": 8, "text": "why?"}\n', **THREE)


def test_three_files(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    collection = three_files(tmp_path, "q,d,g\n7,D-1,2\n8,D-2,0\n")
    assert collection.splits == ("dev",)
    assert read(collection) == (
        {"D-1": ("One", '"first'), "D-2": ("", "second")},
        {"7": "who?", "8": "why?"},
        {"7": {"D-1": 2}, "8": {"D-2": 0}},
    )
    assert sorted(collection.provenance.inputs) == ["a.jsonl", "docs.tsv", "rels.csv"]
    assert "1 rows repeat a document with the same text" in caplog.text


def test_judged_ids_that_are_nowhere_are_told(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    assert len(read(three_files(tmp_path, "q,d,g\n7,D-1,1\n7,D-01,1\n"))[2]["7"]) == 2
    assert "1 judged documents not in the corpus (such as 'D-01' at line 3)" in caplog.text
    with pytest.raises(DataError, match=r"rels\.csv:2: none of the 1 judged documents .*judged is 'D-01'"):
        read(three_files(tmp_path, "q,d,g\n7,D-01,1\n"))
    told = r"rels\.csv:3: 2 judged queries .* \(such as '9' at line 3, '10' at line 4\)"
    with pytest.raises(DataError, match=told):
        read(three_files(tmp_path, "q,d,g\n7,D-1,1\n9,D-1,1\n10,D-1,1\n9,D-2,1\n"))


def test_ids_in_the_row_with_a_corpus_beside(tmp_path: Path) -> None:
    (tmp_path / "docs.csv").write_text("doc_id,body,name\na,alpha,A\nb,beta,B\nc,gamma,C\n")
    options = {**CORPUS, "negative_id": "not", "separator": " ", "title": "name"}
    documents, _, qrels = read(table(tmp_path / "a.csv", "q,doc_id,not\nwho?,a b,c\n", **options))
    assert next(iter(documents.items())) == ("a", ("A", "alpha"))
    assert qrels == {digest("q", "who?"): {"a": 1, "b": 1}}
    with pytest.raises(DataError, match=r"a\.csv:2: has no id in column 'doc_id'"):
        read(table(tmp_path / "a.csv", "q,doc_id,not\nwho?,,c\n", **options))


def test_without_a_mapping_the_settings_are_shown_and_nothing_is_guessed(tmp_path: Path) -> None:
    with pytest.raises(UsageError) as caught:
        table(tmp_path / "a.csv", "Query,the answer,passage,qid\nwho?,x,me,1\n")
    assert "it has: 'Query', 'the answer', 'passage', 'qid'" in str(caught.value)
    shown = "--set question=Query --set positive=passage --set query_id=qid"
    assert shown in str(caught.value)
    assert str(tmp_path / "a.csv") in str(caught.value)
    settings = [word for word in shown.split() if word != "--set"]
    assert len(read(convert("table", tmp_path / "a.csv", parse_settings("table", settings)))[0]) == 1


def test_unusual_columns_are_left_for_the_user_to_name(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="--set question=COLUMN --set positive=COLUMN"):
        table(tmp_path / "a.csv", "left,right\n1,2\n")


def test_a_header_in_one_cell_shows_the_delimiter(tmp_path: Path) -> None:
    with pytest.raises(UsageError) as caught:
        table(tmp_path / "a.csv", "question;passage\nwho?;me\n")
    assert "--set 'delimiter=;' --set question=question --set positive=passage" in str(caught.value)


@pytest.mark.parametrize(
    ("name", "sign", "setting"),
    [("a.csv", ";", "'delimiter=;'"), ("a.csv", "\t", "delimiter=tab"), ("a.tsv", ",", "delimiter=,")],
)
def test_a_named_column_in_such_a_header_shows_it_too(
    tmp_path: Path, name: str, sign: str, setting: str
) -> None:
    with pytest.raises(UsageError) as caught:
        table(tmp_path / name, f"question{sign}passage\nwho?{sign}me\n", **PAIRS)
    assert str(caught.value).endswith(f"(is another delimiter meant? --set {setting})")


def test_a_column_that_is_not_there_is_named_with_the_nearest(tmp_path: Path) -> None:
    with pytest.raises(UsageError) as caught:
        table(tmp_path / "a.csv", "question,passage\nwho?,me\n", question="question", positive="pasage")
    assert "no column 'pasage', which 'positive' names; it has: 'question', 'passage'" in str(caught.value)
    assert "did you mean 'passage'?" in str(caught.value)


@pytest.mark.parametrize(
    ("options", "found"),
    [
        ({"question": "question"}, "also needed: 'positive'"),
        ({**PAIRS, "grades": {"good": 2}}, "'grades' needs the column of the labels: --set grade=COLUMN"),
        ({"question": "question", "corpus": "a.csv"}, "also needed: 'doc_id', 'text'"),
        ({"question": "question", "judgments": "a.csv"}, "also needed: 'corpus', 'query_id'"),
        ({**PAIRS, "corpus": "a.csv"}, "passages come from the corpus file"),
        ({**PAIRS, "negative_id": "passage"}, "'negative_id' is given without 'negative'"),
        ({**PAIRS, "corpus": "none.csv"}, "there is no such file, named as 'corpus'"),
    ],
)
def test_shapes_that_cannot_be_are_refused(tmp_path: Path, options: dict[str, str], found: str) -> None:
    with pytest.raises(UsageError, match=found):
        table(tmp_path / "a.csv", "question,passage\nwho?,me\n", **options)


def test_a_column_may_be_called_anything(tmp_path: Path) -> None:
    settings = parse_settings(
        "table", ["question=no", "positive=null", "grade=2019", "grades={no: 0, yes: 1}"]
    )
    (tmp_path / "a.csv").write_text("no,null,2019\nwho?,me,yes\nwhy?,me,no\n")
    qrels = read(convert("table", tmp_path / "a.csv", settings))[2]
    assert sorted(grade for row in qrels.values() for grade in row.values()) == [0, 1]


def test_a_control_character_in_an_id_is_refused(tmp_path: Path) -> None:
    content = '{"question": "who?", "passage": "me", "pid": "a\\u0000b"}\n'
    with pytest.raises(DataError, match=r"a\.jsonl:1: the id 'a\\x00b' .* U\+0000"):
        read(table(tmp_path / "a.jsonl", content, doc_id="pid", **PAIRS))


def test_a_file_with_a_header_only_has_no_rows(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="has no rows"):
        table(tmp_path / "a.csv", "question,passage\n", **PAIRS)
