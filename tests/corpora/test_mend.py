"""Mending: what is done without asking, that it is told, and that all else stays as it was."""

from __future__ import annotations

import bz2
import gzip
from pathlib import Path

import pytest
import zstandard

from beirkit.corpora.check import check_folder
from beirkit.corpora.collection import Change
from beirkit.corpora.folder import folder_content_ids, open_folder
from beirkit.corpora.manifest import content_ids, read_manifest, verify_manifest
from beirkit.corpora.mend import mend_folder
from beirkit.corpora.mend_rules import parse_rules
from beirkit.corpora.records import Document
from tests.corpora.mending import CONFLICT, CORPUS, HEADER, QRELS, QUERIES, STRICT, data, made


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


def test_judgments_that_cr_alone_parts_are_parted(tmp_path: Path) -> None:
    folder = made(tmp_path, qrels=(HEADER + "q2\td2\t1\nq1\td1\t1\nq2\td1\t0\n").replace("\n", "\r"))
    report = mend_folder(folder, tmp_path / "out")
    assert [(each.code, each.line) for each in report.changes] == [("", None), ("BK059", 1)]
    assert data(tmp_path / "out")["qrels/test.tsv"] == (HEADER + "q2\td2\t1\nq1\td1\t1\nq2\td1\t0\n").encode()


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


def test_a_change_on_one_line() -> None:
    assert str(Change(code="BK014", path="corpus.jsonl", line=3, done="CR LF made LF", count=1200)) == (
        "BK014 corpus.jsonl:3: CR LF made LF (1,200 times)"
    )
    assert str(Change(code="", path="t.tsv", id="q/d", done="x")) == "form  t.tsv: 'q/d': x"
