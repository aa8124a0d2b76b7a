"""Mending: what is done without asking, what is asked, and that nothing is done that is not told."""

from __future__ import annotations

import bz2
import gzip
import os
from pathlib import Path

import pytest
import zstandard
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from beirkit.corpora.check import check_folder
from beirkit.corpora.collection import Change
from beirkit.corpora.errors import BeirkitError, DataError, UsageError, WriteError
from beirkit.corpora.findings import CODES
from beirkit.corpora.folder import folder_content_ids, open_folder
from beirkit.corpora.manifest import content_ids, read_manifest, verify_manifest
from beirkit.corpora.mend import mend_folder
from beirkit.corpora.mend_rules import RULES, RulesNeededError, parse_rules
from beirkit.corpora.records import Document, Judgment

HEADER = "query-id\tcorpus-id\tscore\n"
CORPUS = '{"_id": "d1", "title": "", "text": "a", "metadata": {}}\n{"_id": "d2", "title": "t", "text": "b"}\n'
QUERIES = '{"_id": "q1", "text": "a"}\n{"_id": "q2", "text": "b"}\n'
QRELS = HEADER + "q1\td1\t1\nq1\td2\t0\nq2\td2\t2\n"

# a choice of every rule that leaves nothing in doubt
STRICT = {
    name: next(
        choice for choice in ("drop", "max", "strip", "1", "beir-order", "keep") if choice in rule.choices
    )
    for name, rule in RULES.items()
}


def made(tmp_path: Path, corpus: str = CORPUS, queries: str = QUERIES, qrels: str = QRELS) -> Path:
    folder = tmp_path / "source"
    (folder / "qrels").mkdir(parents=True, exist_ok=True)
    for name, text in (("corpus.jsonl", corpus), ("queries.jsonl", queries), ("qrels/test.tsv", qrels)):
        (folder / name).write_bytes(text.encode("utf-8", "surrogateescape"))
    return folder


def data(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def test_a_clean_folder_stays_what_it_is(folder: Path, tmp_path: Path) -> None:
    before = data(folder)
    report = mend_folder(folder, tmp_path / "out")
    assert report.changes == []
    assert folder_content_ids(tmp_path / "out") == folder_content_ids(folder)
    assert {name: content for name, content in data(tmp_path / "out").items() if name in before} == before
    assert data(folder) == before
    assert verify_manifest(tmp_path / "out") == []


@pytest.mark.parametrize(
    ("corpus", "queries", "qrels", "change"),
    [
        ("\ufeff" + CORPUS, QUERIES, QRELS, ("BK013", "corpus.jsonl", 1, "", 1)),
        (CORPUS.replace("\n", "\r\n"), QUERIES, QRELS, ("BK014", "corpus.jsonl", 1, "", 2)),
        (CORPUS + "\n  \n", QUERIES, QRELS, ("BK046", "corpus.jsonl", 3, "", 2)),
        (CORPUS.replace("{}", "null"), QUERIES, QRELS, ("", "corpus.jsonl", 1, "", 1)),
        (CORPUS, QUERIES, QRELS.replace("\t", " "), ("BK048", "qrels/test.tsv", 1, "", 1)),
        (CORPUS, QUERIES, QRELS.replace(HEADER, HEADER.upper()), ("", "qrels/test.tsv", 1, "", 1)),
        (CORPUS, QUERIES, "# note\n" + QRELS, ("BK049", "qrels/test.tsv", 1, "", 1)),
        (CORPUS, QUERIES, QRELS + "# note\n", ("BK049", "qrels/test.tsv", 5, "", 1)),
        (CORPUS[:-1], QUERIES, QRELS, ("", "corpus.jsonl", None, "", 1)),
        (CORPUS.replace('"title": ""', '"title": null'), QUERIES, QRELS, ("BK012", "corpus.jsonl", 1, "", 1)),
        (CORPUS.replace('"title": "", ', ""), QUERIES, QRELS, ("BK041", "corpus.jsonl", 1, "", 1)),
        (CORPUS + CORPUS.splitlines(True)[0], QUERIES, QRELS, ("BK009", "corpus.jsonl", 3, "d1", 1)),
        (CORPUS.replace("}\n{", "}{"), QUERIES, QRELS, ("BK002", "corpus.jsonl", 1, "", 1)),
        (CORPUS, QUERIES + QUERIES.splitlines(True)[1], QRELS, ("BK009", "queries.jsonl", 3, "q2", 1)),
        (CORPUS, QUERIES, QRELS.removeprefix(HEADER), ("BK020", "qrels/test.tsv", 1, "", 1)),
        (CORPUS, QUERIES, "q1 0 d1 1\nq1 0 d2 0\nq2 0 d2 2\n", ("BK019", "qrels/test.tsv", 1, "", 1)),
        (
            CORPUS,
            QUERIES,
            "score\tcorpus-id\tquery-id\n1\td1\tq1\n0\td2\tq1\n2\td2\tq2\n",
            ("BK021", "qrels/test.tsv", 1, "", 1),
        ),
        (CORPUS, QUERIES, QRELS + "q1\td1\t1\n", ("BK024", "qrels/test.tsv", 5, "q1/d1", 1)),
        (CORPUS, QUERIES, QRELS.replace("\t2\n", "\t2.0\n"), ("BK047", "qrels/test.tsv", 4, "", 1)),
    ],
)
def test_what_is_safe_is_done_and_told_once(
    corpus: str, queries: str, qrels: str, change: tuple[object, ...], tmp_path: Path
) -> None:
    folder = made(tmp_path, corpus, queries, qrels)
    before = data(folder)
    report = mend_folder(folder, tmp_path / "out")
    told = [(each.code, each.path, each.line, each.id, each.count) for each in report.changes]
    assert told == [change]
    assert read_manifest(tmp_path / "out").provenance.changes == report.changes
    assert data(folder) == before
    clean = made(tmp_path / "clean")
    assert folder_content_ids(tmp_path / "out") == folder_content_ids(clean)
    assert [finding.code for finding in check_folder(tmp_path / "out")] == []


D1_AGAIN = '{"_id": "d1", "title": "", "text": "other"}\n'
CONFLICT = QRELS + "q1\td1\t3\nq1\td1\t2\n"


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


def test_what_else_a_record_says_is_kept(tmp_path: Path) -> None:
    folder = made(
        tmp_path, corpus=CORPUS + '{"_id": 3, "title": "", "text": "c", "url": "u", "metadata": {"k": 1}}\n'
    )
    report = mend_folder(folder, tmp_path / "out")
    assert list(open_folder(tmp_path / "out").documents())[-1] == Document("3", "", "c", {"k": 1, "url": "u"})
    assert sorted((each.code, each.done) for each in report.changes) == [
        ("", "keys of the record moved into its metadata"),
        ("BK042", "id written as a string, not a number"),
    ]


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


def test_files_that_are_not_copied_are_told(tmp_path: Path) -> None:
    folder = made(tmp_path)
    (folder / "LICENSE").write_text("free", encoding="utf-8")
    (folder / "qrels" / "dev.txt").write_text("q1 0 d1 1\n", encoding="utf-8")
    report = mend_folder(folder, tmp_path / "out")
    assert [(each.code, each.path) for each in report.changes] == [
        ("", "LICENSE"),
        ("BK039", "qrels/dev.txt"),
    ]
    assert set(data(tmp_path / "out")) == {"corpus.jsonl", "queries.jsonl", "qrels/test.tsv", "manifest.json"}


def test_quotes(tmp_path: Path) -> None:
    folder = made(tmp_path, qrels=QRELS.replace("q2\td2", '"q2"\t"d2"'))
    mend_folder(folder, tmp_path / "out", {"quoted-ids": "strip"})
    assert list(open_folder(tmp_path / "out").judgments("test"))[-1] == Judgment("q2", "d2", 2)


def test_judgments_keep_the_order_of_their_file(tmp_path: Path) -> None:
    folder = made(tmp_path, qrels=HEADER + "q2\td2\t1\nq1\td1\t1\nq2\td1\t0\n")
    mend_folder(folder, tmp_path / "out")
    assert (tmp_path / "out" / "qrels" / "test.tsv").read_bytes() == (
        folder / "qrels" / "test.tsv"
    ).read_bytes()


def test_escapes_and_compression_stay(tmp_path: Path) -> None:
    folder = made(tmp_path, corpus=CORPUS.replace('"text": "a"', '"text": "\\u00e4"'))
    mend_folder(folder, tmp_path / "out")
    assert b"\\u00e4" in (tmp_path / "out" / "corpus.jsonl").read_bytes()
    folder = made(tmp_path / "raw", corpus=CORPUS.replace('"text": "a"', '"text": "\u00e4"'))
    mend_folder(folder, tmp_path / "plain")
    assert "\u00e4".encode() in (tmp_path / "plain" / "corpus.jsonl").read_bytes()


@pytest.mark.parametrize(
    "line",
    [
        '{"_id":"d1","title":"","text":"\\u0041\\u0009\\ud83d\\ude00","metadata":{"a":1.10,"b":1e5,"c":0.1000000000000000055511}}',
        '{ "text": "x" , "title": "\u00e4\\u000b", "_id": "d1" }',
    ],
)
def test_a_line_that_needs_no_change_stays_byte_for_byte(line: str, tmp_path: Path) -> None:
    lines = [line, '{"_id": "d2", "title": "\u00e4", "text": "b"}', '{"_id": "d3", "text": "\\u00e4"}']
    folder = made(tmp_path, corpus="".join(f"{each}\n" for each in lines))
    mend_folder(folder, tmp_path / "out")
    written = (tmp_path / "out" / "corpus.jsonl").read_text(encoding="utf-8").splitlines()
    assert written == [*lines[:2], '{"_id": "d3", "title": "", "text": "\\u00e4", "metadata": {}}']
    mend_folder(tmp_path / "out", tmp_path / "again")
    assert data(tmp_path / "again")["corpus.jsonl"] == data(tmp_path / "out")["corpus.jsonl"]
    assert data(tmp_path / "out")["queries.jsonl"] == QUERIES.encode()


@pytest.mark.parametrize(
    ("line", "becomes"),
    [
        (
            '{"_id":7,"text":"a","url":"\\u00e4","n":1.10,'
            '"metadata":{"n": 1e5, "long": 0.1000000000000000055511}}',
            '{"_id": "7", "title": "", "text": "a", "metadata": '
            '{"n": 1e5, "long": 0.1000000000000000055511, "url": "\\u00e4", "n_": 1.10}}',
        ),
        (
            '{"_id":"d\\u0001","title":null,"text":"\\u00e4","metadata":[1.10, 2]}',
            '{"_id": "d", "title": "", "text": "\\u00e4", "metadata": {"metadata": [1.10, 2]}}',
        ),
        (
            '{"_id":"d\\u0001","title":"t","text":"b","metadata":{"n":1.10}}',
            '{"_id": "d", "title": "t", "text": "b", "metadata": {"n":1.10}}',
        ),
        (
            '{"_id":"d","title":"\u00e4\\u0001","text":"b","metadata":{"n":1.10}}',
            '{"_id": "d", "title": "\u00e4", "text": "b", "metadata": {"n": 1.10}}',
        ),
    ],
)
def test_numbers_and_escapes_of_a_record_that_is_written_anew_stay(
    line: str, becomes: str, tmp_path: Path
) -> None:
    folder = made(tmp_path, corpus=f"{CORPUS}{line}\n")
    mend_folder(folder, tmp_path / "out", {**STRICT, "ids-with-control-characters": "strip"})
    corpus = (tmp_path / "out" / "corpus.jsonl").read_text(encoding="utf-8").splitlines()
    assert corpus[-1] == becomes
    documents = list(open_folder(tmp_path / "out").documents())
    assert folder_content_ids(tmp_path / "out") == content_ids(open_folder(tmp_path / "out"))
    assert len(documents) == 3


def test_every_file_keeps_its_compression(tmp_path: Path) -> None:
    folder = made(tmp_path, corpus=CORPUS + CORPUS)
    (folder / "qrels" / "dev.tsv").write_text(QRELS)
    for name, suffix, pack in (
        ("queries.jsonl", ".bz2", bz2.compress),
        ("qrels/test.tsv", ".zst", zstandard.compress),
        ("qrels/dev.tsv", ".gz", gzip.compress),
    ):
        path = folder / name
        path.with_name(f"{path.name}{suffix}").write_bytes(pack(path.read_bytes()))
        path.unlink()
    mend_folder(folder, tmp_path / "out")
    names = ["corpus.jsonl", "manifest.json", "qrels/dev.tsv.gz", "qrels/test.tsv.zst", "queries.jsonl.bz2"]
    assert list(data(tmp_path / "out")) == names
    assert verify_manifest(tmp_path / "out") == []
    assert folder_content_ids(tmp_path / "out") == folder_content_ids(made(tmp_path / "plain")) | {
        "qrels/dev": folder_content_ids(tmp_path / "out")["qrels/test"]
    }


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


def test_judgments_that_cr_alone_parts_are_parted(tmp_path: Path) -> None:
    folder = made(tmp_path, qrels=(HEADER + "q2\td2\t1\nq1\td1\t1\nq2\td1\t0\n").replace("\n", "\r"))
    report = mend_folder(folder, tmp_path / "out")
    assert [(each.code, each.line) for each in report.changes] == [("", None), ("BK059", 1)]
    assert data(tmp_path / "out")["qrels/test.tsv"] == (HEADER + "q2\td2\t1\nq1\td1\t1\nq2\td1\t0\n").encode()


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


def test_nothing_is_written_over_the_source(tmp_path: Path) -> None:
    folder = made(tmp_path)
    mend_folder(folder, tmp_path / "out")
    before = data(tmp_path / "out")
    for link in (Path.symlink_to, Path.hardlink_to):
        (folder / "corpus.jsonl").unlink()
        link(folder / "corpus.jsonl", tmp_path / "out" / "corpus.jsonl")
        with pytest.raises(UsageError, match=r"holds the file that .*corpus\.jsonl is a link to"):
            mend_folder(folder, tmp_path / "out", overwrite=True, force=True)
    assert data(tmp_path / "out") == before


def test_a_copy_that_was_changed_is_replaced_only_by_force(tmp_path: Path) -> None:
    folder = made(tmp_path)
    mend_folder(folder, tmp_path / "out")
    mend_folder(folder, tmp_path / "out", overwrite=True)
    with (tmp_path / "out" / "queries.jsonl").open("a") as out:
        out.write('{"_id": "mine", "text": "by hand"}\n')
    with pytest.raises(UsageError, match=r"was changed since beirkit wrote it: queries\.jsonl has .*--force"):
        mend_folder(folder, tmp_path / "out", overwrite=True)
    mend_folder(folder, tmp_path / "out", overwrite=True, force=True)
    assert verify_manifest(tmp_path / "out") == []


def test_a_link_stays_and_is_written_through(tmp_path: Path) -> None:
    folder = made(tmp_path)
    (tmp_path / "link").symlink_to(tmp_path / "far")
    for _ in range(2):
        mend_folder(folder, tmp_path / "link", overwrite=True)
        assert (tmp_path / "link").is_symlink()
        assert (tmp_path / "far" / "corpus.jsonl").is_file()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["far", "link", "source"]
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    with pytest.raises(WriteError, match="is a link that leads to itself"):
        mend_folder(folder, tmp_path / "loop")


def test_what_killed_runs_left_is_told(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    folder = made(tmp_path)
    (tmp_path / f".out.{2**22 + 1}-0123abcd.part").mkdir()  # beyond the numbers that processes have
    (tmp_path / f".out.{os.getpid()}-0123abcd.part").mkdir()
    mend_folder(folder, tmp_path / "out")
    assert [record.getMessage().split(":")[0] for record in caplog.records] == [
        str(tmp_path / f".out.{2**22 + 1}-0123abcd.part")
    ]


def test_a_split_that_cannot_be_written_is_told_with_its_file(tmp_path: Path) -> None:
    folder = made(tmp_path)
    (folder / "qrels" / "test.tsv").rename(folder / "qrels" / "te\u200bst.tsv")
    with pytest.raises(
        DataError, match=r"source/qrels/te.st\.tsv: split 'te\\u200bst' cannot .*visible characters"
    ):
        mend_folder(folder, tmp_path / "out")


def test_the_manifest_tells_rules_and_inputs(tmp_path: Path) -> None:
    folder = made(tmp_path, qrels=CONFLICT)
    rules = parse_rules(["conflicting-grades=max"])
    report = mend_folder(folder, tmp_path / "out", rules)
    provenance = read_manifest(tmp_path / "out").provenance
    assert (provenance.source, provenance.converter) == ("source", "mend")
    assert provenance.options == {"rules": {"conflicting-grades": "max"}}
    assert set(provenance.inputs) == {"corpus.jsonl", "queries.jsonl", "qrels/test.tsv"}
    assert report.manifest == read_manifest(tmp_path / "out")
    mend_folder(folder, tmp_path / "again", rules)
    assert data(tmp_path / "again") == data(tmp_path / "out")


def test_changed_files_of_a_written_folder_are_told(folder: Path, tmp_path: Path) -> None:
    mend_folder(folder, tmp_path / "one")
    with (tmp_path / "one" / "queries.jsonl").open("a", encoding="utf-8") as file:
        file.write('{"_id": "q4", "text": "more", "metadata": {}}\n')
    report = mend_folder(tmp_path / "one", tmp_path / "two")
    assert [(each.code, each.path) for each in report.changes] == [("BK040", "manifest.json")]
    assert verify_manifest(tmp_path / "two") == []


def test_refusals(tmp_path: Path) -> None:
    folder = made(tmp_path)
    for out in (folder, folder / "inside"):
        with pytest.raises(UsageError, match="lies in the folder to mend"):
            mend_folder(folder, out)
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "mine").touch()
    with pytest.raises(UsageError, match="is there already"):
        mend_folder(folder, tmp_path / "there")
    with pytest.raises(UsageError, match="did you mean 'orphan-judgments'"):
        mend_folder(folder, tmp_path / "out", {"orphan-judgment": "drop"})
    with pytest.raises(UsageError, match=r"has no choice 'biggest' \(it has: max, min"):
        mend_folder(folder, tmp_path / "out", {"conflicting-grades": "biggest"})
    with pytest.raises(UsageError, match=r"needs a choice \(orphan-judgments=keep or orphan-judgments=drop"):
        parse_rules(["orphan-judgments"])
    with pytest.raises(UsageError, match=r"is not NAME=CHOICE \(did you mean 'orphan-judgments'"):
        parse_rules(["orphan-judgment"])
    with pytest.raises(UsageError, match="is given twice"):
        parse_rules(["orphan-judgments=drop", "orphan-judgments=keep"])
    (folder / "corpus.jsonl").unlink()
    with pytest.raises(DataError, match=r"has no corpus\.jsonl"):
        mend_folder(folder, tmp_path / "out")


def test_nothing_is_written_without_documents_or_queries(tmp_path: Path) -> None:
    folder = made(tmp_path, corpus=CORPUS.replace("_id", "docid"))
    with pytest.raises(DataError, match=r"none of its 2 records has an '_id'.*corpus_keys\._id=docid"):
        mend_folder(folder, tmp_path / "out", STRICT)
    made(tmp_path, queries="[]\n{}\n")
    with pytest.raises(DataError, match=r"no query would be left.*unreadable-records=drop \(2 times\)"):
        mend_folder(folder, tmp_path / "out", STRICT)
    assert not (tmp_path / "out").exists()


def test_what_is_wrapped_and_parted_is_told(tmp_path: Path) -> None:
    corpus = CORPUS.replace("\n", "\r").replace("{}", '"1901"')
    report = mend_folder(made(tmp_path, corpus=corpus), tmp_path / "out")
    told = [(each.code, each.line, each.done) for each in report.changes]
    assert told == [
        ("", None, "line end added to the last line"),
        ("BK059", 1, "2 lines that end with CR alone parted"),
        ("BK058", 1, "metadata that is no object put into one"),
    ]
    documents = list(open_folder(tmp_path / "out").documents())
    assert documents[0].metadata == {"metadata": "1901"}
    assert len(documents) == 2


def test_every_rule_answers_findings_that_exist() -> None:
    assert {code for rule in RULES.values() for code in rule.codes} <= set(CODES)


def test_a_change_on_one_line() -> None:
    assert str(Change(code="BK014", path="corpus.jsonl", line=3, done="CR LF made LF", count=1200)) == (
        "BK014 corpus.jsonl:3: CR LF made LF (1,200 times)"
    )
    assert str(Change(code="", path="t.tsv", id="q/d", done="x")) == "form  t.tsv: 'q/d': x"


LINES = st.sampled_from(
    [
        *(
            f'{{"_id": "{row[0]}", "title": "{row[1]}", "text": "{row[2]}"}}'
            for row in (("a", "", "x"), ("a", "", "y"), ("b", "t", ""))
        ),
        '{"_id": "c", "title": null, "text": ""}',
        '{"_id": "a\\u0001", "text": "x"}',
        '{"_id": "a", "text": "x"}{"_id": "d", "text": "z"}',
        '{"_id": 7, "text": "\\u0002", "extra": [1]}',
        '{"_id":"g","title":"\\u00e4","text":"\\u0007", "metadata":{"n":1.10}}',
        '{"_id": "h", "text": "x", "n": 1e5, "metadata": {"n": 1.10}}',
        '{"_id": "h", "text": "x", "n": 1e5, "n": 1, "metadata": {}}',
        '{"_id": "e", "text": null}',
        '{"_id": "\u00e9", "text": "x"}',
        *("", "  ", "[]", '{"_id": "f"', '{"text": "no id"}', '{"_id": "\udcff", "text": ""}', '"x"'),
    ]
)
ROWS = st.sampled_from(
    [
        *(
            "query-id\tcorpus-id\tscore",
            "corpus-id\tquery-id\tscore",
            "one\ttwo\tthree",
            "a 0 a 1",
            "a\ta",
            "# note",
        ),
        *(
            "a\ta\t1",
            "a\ta\t0",
            "a\tb\t2.0",
            "a\tb\t2",
            "c\ta\t0",
            "z\ta\t1",
            "a\tz\t1",
            '"a"\t"b"\t1',
            '"a"\t"b"\t"1"',
            '"""a"""\t"b ""c"""\t1',
            "a\tb\t1\ra\tz\t2",
            "a\tb\t1.5",
        ),
        *("e\u0301\ta\t1", "a\te\u0301\t1", "a\t\u00e9\t1"),
        *("a\x01\ta\t1", "a\t\t1", "a\tb", "", "7\t7\t99999999999", "\udcff\ta\t1"),
    ]
)
ENDS = st.sampled_from(["\n", "\r\n", ""])


def text(lines: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.tuples(st.sampled_from(["", "\ufeff"]), st.lists(lines, max_size=7), ENDS).map(
        lambda parts: parts[0] + "\n".join(parts[1]) + parts[2]
    )


@pytest.mark.slow
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(corpus=text(LINES), queries=text(LINES), qrels=text(ROWS))
def test_with_every_rule_given_no_error_is_left(
    corpus: str, queries: str, qrels: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    place = tmp_path_factory.mktemp("mend")
    folder = made(place, corpus, queries, qrels)
    try:
        mend_folder(folder, place / "out", STRICT)
    except DataError as error:
        if "would be left" in error.found:  # refused, and told why
            return
        raise
    empty = {code for code, text in (("BK043", corpus), ("BK044", queries)) if not text.strip("\ufeff \r\n")}
    left = {finding.code for finding in check_folder(place / "out") if finding.severity == "error"}
    assert left == empty
    report = mend_folder(place / "out", place / "again", STRICT)
    assert report.changes == []
    first, second = data(place / "out"), data(place / "again")
    assert first | {"manifest.json": b""} == second | {"manifest.json": b""}


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=50)
@given(files=st.tuples(st.binary(max_size=60), st.binary(max_size=60), st.binary(max_size=60)))
def test_any_bytes_are_mended_or_refused(
    files: tuple[bytes, bytes, bytes], tmp_path_factory: pytest.TempPathFactory
) -> None:
    place = tmp_path_factory.mktemp("bytes")
    folder = made(place)
    for name, content in zip(("corpus.jsonl", "queries.jsonl", "qrels/test.tsv"), files, strict=True):
        (folder / name).write_bytes(content)
    try:
        mend_folder(folder, place / "out", STRICT)
    except BeirkitError:
        assert not (place / "out").exists()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "asked"),
    [
        ("scifact", []),
        ("cranfield", ["empty-documents"]),
        ("cisi", []),
        ("heq_he", []),
        *((f"xquad/beir/{language}", []) for language in ("ar", "en", "hi", "zh")),
    ],
)
def test_published_folders_stay_byte_for_byte(
    name: str, asked: list[str], shared: Path, tmp_path: Path
) -> None:
    source = shared / "data" / (name if "/" in name else f"{name}/beir")
    if asked:
        with pytest.raises(RulesNeededError) as caught:
            mend_folder(source, tmp_path / "out")
        assert [each.rule for each in caught.value.needed] == asked
    report = mend_folder(source, tmp_path / "out", dict.fromkeys(asked, "keep"))
    assert report.changes == []
    assert {
        file: content for file, content in data(tmp_path / "out").items() if file != "manifest.json"
    } == data(source)
