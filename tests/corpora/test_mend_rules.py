"""Mending: what needs a decision is asked, and done as it was decided."""

from __future__ import annotations

from pathlib import Path

import pytest

from beirkit.corpora.check import check_folder
from beirkit.corpora.findings import CODES
from beirkit.corpora.folder import open_folder
from beirkit.corpora.mend import mend_folder
from beirkit.corpora.mend_rules import RULES, RulesNeededError
from beirkit.corpora.records import Document, Judgment
from tests.corpora.mending import CONFLICT, CORPUS, HEADER, QRELS, QUERIES, STRICT, data, made

D1_AGAIN = '{"_id": "d1", "title": "", "text": "other"}\n'


@pytest.mark.parametrize(
    ("rule", "corpus", "queries", "qrels", "example"),
    [
        ("unreadable-records", CORPUS + '{"_id": \n', QUERIES, QRELS, "corpus.jsonl:3: is not JSON"),
        ("unreadable-records", CORPUS, QUERIES + "[]\n", QRELS, "queries.jsonl:3: is not a JSON object"),
        (
            "unreadable-records",
            CORPUS + '{"_id": "\udcff"}\n',
            QUERIES,
            QRELS,
            "corpus.jsonl:3: is not UTF-8",
        ),
        ("unreadable-records", CORPUS + '{"id": "d3", "text": ""}\n', QUERIES, QRELS, 'has no "_id"'),
        (
            "unreadable-records",
            CORPUS + '{"_id": "d3", "_id": "d4", "text": "c"}\n',
            QUERIES,
            QRELS,
            "corpus.jsonl:3: holds the key '_id' twice",
        ),
        ("unreadable-records", CORPUS + '{"_id": "", "text": ""}\n', QUERIES, QRELS, "id '' is empty"),
        (
            "ids-with-control-characters",
            CORPUS + '{"_id": "d\\u0001", "text": "x"}\n',
            QUERIES,
            QRELS,
            "corpus.jsonl:3: id 'd\\x01' holds the control character U+0001",
        ),
        (
            "ids-with-control-characters",
            CORPUS,
            QUERIES,
            QRELS + "q\x01\td1\t1\n",
            "qrels/test.tsv:5: query id 'q\\x01' holds",
        ),
        (
            "empty-documents",
            CORPUS + '{"_id": "d3", "text": ""}\n',
            QUERIES,
            QRELS,
            "corpus.jsonl:3: document 'd3'",
        ),
        (
            "empty-queries",
            CORPUS,
            QUERIES + '{"_id": "q3", "text": " "}\n',
            QRELS,
            "queries.jsonl:3: query 'q3'",
        ),
        ("duplicate-documents", CORPUS + D1_AGAIN, QUERIES, QRELS, "corpus.jsonl:3: 'd1' on lines 1, 3"),
        ("duplicate-queries", CORPUS, QUERIES + QUERIES.replace("b", "c"), QRELS, "queries.jsonl:4: 'q2'"),
        ("missing-grades", CORPUS, QUERIES, "q1\td1\nq2\td2\n", "qrels/test.tsv:1: has 2 columns"),
        (
            "unknown-header",
            CORPUS,
            QUERIES,
            QRELS.replace("score", "usefulness"),
            "'query-id corpus-id usefulness'",
        ),
        (
            "unreadable-judgments",
            CORPUS,
            QUERIES,
            QRELS + "q1\td1\t0.5\n",
            "qrels/test.tsv:5: the grade is '0.5'",
        ),
        ("quoted-ids", CORPUS, QUERIES, QRELS.replace("q2", '"q2"'), "qrels/test.tsv:4"),
        (
            "ids-in-another-form",
            CORPUS.replace("d1", "d\u00f61"),
            QUERIES,
            QRELS.replace("d1", "do\u03081"),
            "qrels/test.tsv:2: 'do\\u03081'",
        ),
        (
            "conflicting-grades",
            CORPUS,
            QUERIES,
            CONFLICT,
            "qrels/test.tsv:6: q1/d1 is judged 1 on line 2 and 3 on line 5 and 2 on line 6",
        ),
        (
            "judged-queries-without-text",
            CORPUS,
            QUERIES,
            QRELS + "q9\td1\t1\n",
            "qrels/test.tsv:5: query 'q9'",
        ),
        ("orphan-judgments", CORPUS, QUERIES, QRELS + "q1\td9\t1\n", "qrels/test.tsv:5: document 'd9'"),
        (
            "queries-without-positives",
            CORPUS,
            QUERIES,
            QRELS.replace("2\n", "0\n"),
            "qrels/test.tsv:4: query 'q2'",
        ),
        ("empty-splits", CORPUS, QUERIES, HEADER, "qrels/test.tsv: it holds no judgments"),
    ],
)
def test_what_needs_a_decision_is_asked(
    rule: str, corpus: str, queries: str, qrels: str, example: str, tmp_path: Path
) -> None:
    folder = made(tmp_path, corpus, queries, qrels)
    with pytest.raises(RulesNeededError) as caught:
        mend_folder(folder, tmp_path / "out")
    assert rule in {each.rule for each in caught.value.needed}
    need = next(each for each in caught.value.needed if each.rule == rule)
    assert need.count == 1
    assert example in need.example
    assert f"--rule {rule}={'|'.join(RULES[rule].choices)}: " in str(need)
    assert f"{rule}={'|'.join(RULES[rule].choices)}" in str(caught.value)
    assert not (tmp_path / "out").exists()
    for choice in RULES[rule].choices:
        out = tmp_path / f"out-{choice}"
        mend_folder(folder, out, {**STRICT, rule: choice})
        left = {finding.code for finding in check_folder(out)}
        assert choice == "keep" or not left & set(RULES[rule].codes)


@pytest.mark.parametrize(
    ("choice", "grade"), [("max", 3), ("min", 1), ("first", 1), ("last", 2), ("drop", None)]
)
def test_conflicting_grades(choice: str, grade: int | None, tmp_path: Path) -> None:
    folder = made(tmp_path, qrels=CONFLICT)
    report = mend_folder(
        folder, tmp_path / "out", {"conflicting-grades": choice, "queries-without-positives": "keep"}
    )
    assert open_folder(tmp_path / "out").qrels("test")["q1"].get("d1") == grade
    gone = {2: 1, 5: 3, 6: 2}
    assert {each.line for each in report.changes} == {line for line, value in gone.items() if value != grade}
    assert {each.code for each in report.changes} == {"BK025"}


@pytest.mark.parametrize(("choice", "text"), [("first", "a"), ("last", "other"), ("drop", None)])
def test_different_documents_under_one_id(choice: str, text: str | None, tmp_path: Path) -> None:
    folder = made(tmp_path, corpus=CORPUS + D1_AGAIN + D1_AGAIN)
    rules = {"duplicate-documents": choice, "orphan-judgments": "drop", "queries-without-positives": "drop"}
    report = mend_folder(folder, tmp_path / "out", rules)
    texts = {document.doc_id: document.text for document in open_folder(tmp_path / "out").documents()}
    assert texts == {"d2": "b", **({} if text is None else {"d1": text})}
    told = [(each.code, each.line) for each in report.changes if each.path == "corpus.jsonl"]
    assert (
        told
        == {
            "first": [("BK006", 3), ("BK006", 4)],
            "last": [("BK006", 1), ("BK009", 3)],
            "drop": [("BK006", 1), ("BK006", 3), ("BK006", 4)],
        }[choice]
    )


def test_a_rule_can_call_for_the_next(tmp_path: Path) -> None:
    """What a rule takes away may leave judgments without their document: that is asked too."""
    folder = made(tmp_path, corpus=CORPUS.replace('"text": "a"', '"text": ""'))
    with pytest.raises(RulesNeededError) as caught:
        mend_folder(folder, tmp_path / "out", {"empty-documents": "drop"})
    assert [each.rule for each in caught.value.needed] == ["orphan-judgments"]
    mend_folder(folder, tmp_path / "out", {"empty-documents": "drop", "orphan-judgments": "keep"})
    assert [finding.code for finding in check_folder(tmp_path / "out")] == ["BK026"]


def test_control_characters_go_from_both_sides_of_an_id(tmp_path: Path) -> None:
    folder = made(
        tmp_path,
        corpus=CORPUS + '{"_id": "d\\u00003", "title": "a\\u0007b", "text": "tab\\tstays"}\n',
        qrels=QRELS + "q1\td\x003\t1\n",
    )
    rules = {"ids-with-control-characters": "strip"}
    mend_folder(folder, tmp_path / "out", rules)
    assert list(open_folder(tmp_path / "out").documents())[-1] == Document("d3", "a\x07b", "tab\tstays")
    assert open_folder(tmp_path / "out").qrels("test")["q1"]["d3"] == 1
    report = mend_folder(folder, tmp_path / "again", {**rules, "control-characters": "strip"})
    assert list(open_folder(tmp_path / "again").documents())[-1] == Document("d3", "ab", "tab\tstays")
    done = [(each.line, each.id, each.done) for each in report.changes if each.code == "BK017"]
    assert done == [(3, "d3", "control characters taken out of its title")]


def test_an_id_in_another_unicode_form_is_matched_when_asked(tmp_path: Path) -> None:
    folder = made(
        tmp_path,
        corpus=CORPUS + '{"_id": "F\u00f6hn", "title": "", "text": "dry wind"}\n',
        qrels=QRELS + "q1\tFo\u0308hn\t1\nq1\tF\u00f6hn\t1\n",
    )
    report = mend_folder(folder, tmp_path / "out", {"ids-in-another-form": "match"})
    assert open_folder(tmp_path / "out").qrels("test")["q1"] == {"d1": 1, "d2": 0, "F\u00f6hn": 1}
    assert [(each.code, each.line, each.done) for each in report.changes] == [
        ("BK032", 5, "'Fo\\u0308hn' is now 'F\\xf6hn'"),
        ("BK024", 6, "copy of line 5 left out"),
    ]


def test_quotes(tmp_path: Path) -> None:
    folder = made(tmp_path, qrels=QRELS.replace("q2\td2", '"q2"\t"d2"'))
    mend_folder(folder, tmp_path / "out", {"quoted-ids": "strip"})
    assert list(open_folder(tmp_path / "out").judgments("test"))[-1] == Judgment("q2", "d2", 2)


def test_records_that_differ_in_metadata_are_no_copies(tmp_path: Path) -> None:
    more = CORPUS.splitlines(True)[0].replace("{}", '{"year": 1901}')
    folder = made(tmp_path, corpus=CORPUS + more)
    [finding] = check_folder(folder)
    assert (finding.code, finding.found) == ("BK009", "id 'd1' is repeated with other metadata, as on line 1")
    with pytest.raises(RulesNeededError) as caught:
        mend_folder(folder, tmp_path / "out")
    [needed] = caught.value.needed
    assert (needed.rule, needed.count) == ("duplicate-documents", 1)
    assert needed.example == "corpus.jsonl:3: 'd1' on lines 1, 3, with different metadata"
    report = mend_folder(folder, tmp_path / "out", {"duplicate-documents": "last"})
    assert [(each.code, each.line, each.done) for each in report.changes] == [
        ("BK009", 1, "document left out: the one on line 3 stays")
    ]
    assert [one.metadata for one in open_folder(tmp_path / "out").documents()] == [{}, {"year": 1901}]


def test_repeated_keys_at_any_depth_are_asked(tmp_path: Path) -> None:
    folder = made(
        tmp_path, corpus=CORPUS + '{"_id": "d3", "title": "", "text": "c", "m": [{"a": 1, "a": 2}]}\n'
    )
    with pytest.raises(RulesNeededError, match="unreadable-records=drop"):
        mend_folder(folder, tmp_path / "out")
    report = mend_folder(folder, tmp_path / "out", {"unreadable-records": "drop"})
    assert [(each.code, each.line) for each in report.changes] == [("BK045", 3)]


@pytest.mark.parametrize("choice", ["beir-order", "judgment"])
def test_a_first_line_that_may_be_a_judgment_is_asked(choice: str, tmp_path: Path) -> None:
    folder = made(tmp_path, qrels="q2\td2\t1,0\nq1\td1\t1\n")
    with pytest.raises(RulesNeededError) as caught:
        mend_folder(folder, tmp_path / "out")
    assert [each.rule for each in caught.value.needed] == ["unknown-header"]
    rules = {"unknown-header": choice, "unreadable-judgments": "drop"}
    if choice == "judgment":
        with pytest.raises(RulesNeededError, match="unreadable-judgments"):
            mend_folder(folder, tmp_path / "out", {"unknown-header": choice})
    report = mend_folder(folder, tmp_path / "out", rules)
    assert [each.code for each in report.changes] == {
        "beir-order": ["BK021"],
        "judgment": ["BK020", "BK023"],
    }[choice]
    assert open_folder(tmp_path / "out").qrels("test") == {"q1": {"d1": 1}}


def test_quotes_are_taken_off_as_tables_have_them(tmp_path: Path) -> None:
    corpus = (
        CORPUS
        + '{"_id": "a \\"b\\"", "title": "", "text": "c"}\n{"_id": "\\"k\\"", "title": "", "text": "k"}\n'
    )
    qrels = HEADER + 'q1\t"a ""b"""\t1\nq1\t"k"\t1\n"q2"\t"""k"""\t1\nq2\t"d1"\t1\n'
    folder = made(tmp_path, corpus=corpus, qrels=qrels)
    mend_folder(folder, tmp_path / "out", {"quoted-ids": "strip"})
    judged = {"q1": {'a "b"': 1, '"k"': 1}, "q2": {'"k"': 1, "d1": 1}}
    assert open_folder(tmp_path / "out").qrels("test") == judged
    report = mend_folder(tmp_path / "out", tmp_path / "again", {"quoted-ids": "strip"})
    assert report.changes == []


def test_a_table_wholly_in_quotes_is_stripped(tmp_path: Path) -> None:
    quoted = "".join(
        "\t".join(f'"{field}"' for field in line.split("\t")) + "\n" for line in QRELS.splitlines()
    )
    folder = made(tmp_path, qrels=quoted)
    assert {finding.code for finding in check_folder(folder)} == {"BK023"}
    with pytest.raises(RulesNeededError) as caught:
        mend_folder(folder, tmp_path / "out")
    assert "quoted-ids" in [each.rule for each in caught.value.needed]
    mend_folder(folder, tmp_path / "out", {"quoted-ids": "strip"})
    assert data(tmp_path / "out")["qrels/test.tsv"] == QRELS.encode()


def test_of_two_ids_that_look_the_same_none_is_chosen(tmp_path: Path) -> None:
    corpus = CORPUS.replace("d1", "\u1e9b\u0323").replace("d2", "\u017f\u0323\u0307")
    folder = made(tmp_path, corpus=corpus, qrels=HEADER + "q1\t\u017f\u0307\u0323\t1\nq2\t\u1e9b\u0323\t1\n")
    with pytest.raises(RulesNeededError) as caught:
        mend_folder(folder, tmp_path / "out", {"ids-in-another-form": "match"})
    assert [each.rule for each in caught.value.needed] == ["orphan-judgments"]


def test_every_rule_answers_findings_that_exist() -> None:
    assert {code for rule in RULES.values() for code in rule.codes} <= set(CODES)
