"""Every seeded defect gives its finding, and none hides another."""

from __future__ import annotations

import gzip
import os
from collections import Counter
from pathlib import Path

import pytest

from beirkit.corpora.check import check_folder
from beirkit.corpora.errors import DataError
from beirkit.corpora.findings import CAP, CODES, Finding
from beirkit.corpora.folder import open_folder, write_folder

HEADER = "query-id\tcorpus-id\tscore\n"


@pytest.fixture
def folder(folder: Path) -> Path:
    """The room's folder with every query judged in one split, so that nothing is to be said of it."""
    (folder / "qrels" / "dev.tsv").write_text(HEADER + "q3\td2\t1\n", encoding="utf-8")
    return folder


def told(folder: Path) -> list[tuple[str, str, int | None]]:
    return [(finding.code, finding.path, finding.line) for finding in check_folder(folder)]


def append(path: Path, content: str | bytes) -> None:
    with path.open("ab") as out:
        out.write(content if isinstance(content, bytes) else content.encode())


def test_a_sound_folder_has_no_findings(folder: Path, tmp_path: Path) -> None:
    assert check_folder(folder) == []
    write_folder(open_folder(folder), tmp_path / "made", gzip=True, ascii=True)
    assert check_folder(tmp_path / "made") == []


@pytest.mark.parametrize(
    ("line", "code", "found"),
    [
        ('{"_id": "x", "text": "cut', "BK002", "is not JSON at column 22"),
        ('{"_id": "x", "text": "a"}, 5', "BK002", "follows the record"),
        ('["x", "a"]', "BK003", "is not a JSON object but an array"),
        ('{"_id": 1.5, "text": "a"}', "BK004", '"_id" is 1.5'),
        ('{"_id": "x", "title": "", "text": 7}', "BK004", '"text" is not a string but 7'),
        ('{"_id": "x", "text": NaN}', "BK004", '"text" is not a string but nan'),
        ('{"_id": "x", "text": "a", "metadata": {"a": [NaN]}}', "BK004", '"metadata" holds nan, which is no'),
        ('{"_id": "x", "text": "a", "score": -Infinity}', "BK004", '"score" is not JSON but -inf'),
        ('{"id": "x", "text": "a"}', "BK005", 'has no "_id"'),
        ('{"_id": "x", "body": "a"}', "BK005", 'has no "text"'),
        ('{"_id": "d1", "title": "Tides", "text": "other"}', "BK006", "id 'd1' stands on lines 1 and 5"),
        ('{"_id": "a\\u0000b", "text": "a"}', "BK007", "U+0000"),
        ('{"_id": "", "text": "a"}', "BK007", "is empty"),
        ('{"_id": "x", "text": "\\ud800"}', "BK008", "half of a surrogate pair"),
        ('{"_id": "d1", "title": "Tides", "text": "The moon pulls the sea."}', "BK009", "as on line 1"),
        ('{"_id": "x", "title": " ", "text": ""}', "BK010", "has neither title nor text"),
        ('{"_id": "x", "title": null, "text": "null"}', "BK012", "the title of document 'x' is null"),
        ('{"_id": "x y", "title": "", "text": "a"}', "BK016", "id 'x y' holds white space"),
        ('{"_id": "x\\u00a0y", "title": "", "text": "a"}', "BK016", "holds white space"),
        ('{"_id": "x", "title": "", "text": "a\\u0000\\u001fb\\n"}', "BK017", "U+0000 and 1 more"),
        ('{"_id": "x", "title": "a\x7f", "text": "b"}', "BK017", "the title of 'x' holds the control"),
        ('{"_id": "x", "title": "", "text": "a\x96b"}', "BK017", "U+0096"),
        (
            '{"_id": "x\u200b", "title": "", "text": "a"}',
            "BK018",
            "'x\\u200b' holds the invisible character U+200B",
        ),
        ('{"_id": "x", "text": "a"}', "BK041", "1 record has no title ('x')"),
        ('{"_id": "x", "text": "a", "metadata": {"title": "b"}}', "BK041", "has no title"),
        ('{"_id": 17, "title": "", "text": "a 17"}', "BK042", "1 record has a number as id in JSON ('17')"),
        ('{"_id": "x", "title": "t", "text": null}', "BK012", "the text of document 'x' is null"),
        ('{"_id": "x", "_id": "y", "title": "", "text": "a"}', "BK045", "'_id' stands twice in the record"),
        ('{"_id": "x", "title": "", "text": "a", "text": "a"}', "BK045", "'text' stands twice in the record"),
        ('{"_id": "x", "title": "", "text": "a", "url": "A", "url": "B"}', "BK045", "'url' stands twice"),
        (
            '{"_id": "x", "title": "", "text": "a", "metadata": {"a": 1}, "metadata": {}}',
            "BK045",
            "'metadata' stands twice",
        ),
        ('{"_id": "x", "title": "", "text": "a", "metadata": {"a": 1, "a": 2}}', "BK045", "'a' stands twice"),
        (
            '{"_id": "x", "title": "\\": 1", "text": "a", "metadata": [{"b": [{"a": 1, "\\u0061" : 1}]}]}',
            "BK045",
            "'a' stands twice",
        ),
        (
            '{"_id": "x", "title": "", "text": "a", "metadata": "b"}',
            "BK058",
            "the metadata of 'x' is no object",
        ),
        ("  ", "BK046", "1 line is blank"),
        (
            '{"_id": "q1", "title": "", "text": " what moves the sea"}',
            "BK033",
            "1 document has id and text",
        ),
        ('{"_id": "q1", "title": "what moves", "text": "the sea"}', "BK033", "of a query ('q1')"),
        (
            '{"_id": "q1", "title": "", "text": "other"}',
            "BK034",
            "1 document has the id of a query and another",
        ),
    ],
)
def test_defects_of_a_corpus(folder: Path, line: str, code: str, found: str) -> None:
    append(folder / "corpus.jsonl", line + "\n")
    [finding] = (each for each in check_folder(folder) if code == "BK058" or each.code != "BK058")
    assert (finding.code, finding.path, finding.line) == (code, "corpus.jsonl", 5)
    assert found in finding.found
    assert finding.severity == CODES[code].severity


def test_bytes_of_other_encodings(folder: Path) -> None:
    append(folder / "corpus.jsonl", b'{"_id": "x", "text": "na\xefve"}\n')
    [finding] = check_folder(folder)
    assert (finding.code, finding.path, finding.line) == ("BK008", "corpus.jsonl", 5)
    start = (folder / "corpus.jsonl").read_bytes().index(b"\xef")
    assert finding.found.endswith(f"is not UTF-8 at byte 25 of the line (byte {start + 1} of the file)")


def test_an_empty_query(folder: Path) -> None:
    append(folder / "queries.jsonl", '{"_id": "x", "text": " "}\n{"_id": "q1", "text": "another"}\n')
    assert told(folder) == [
        ("BK011", "queries.jsonl", 4),
        ("BK038", "queries.jsonl", 4),
        ("BK006", "queries.jsonl", 5),
    ]


@pytest.mark.parametrize(
    ("content", "expected", "found"),
    [
        ("q1\td1\t1\n", [("BK020", 1)], "has no header"),
        ("one\ttwo\tscore\nq1\td1\t1\n", [("BK021", 1)], "'one two score'"),
        ("one\ttwo\tthree\nq1\td1\t1\n", [("BK023", 1)], "'three', no number, and the line is no header"),
        ("q1\td1\t1,0\nq1\td2\t1\n", [("BK023", 1)], "'1,0', no number, and the line is no header"),
        ((HEADER + "q1\td1\t1\n").replace("\n", "\r"), [("BK059", 1)], "its 2 lines end with CR alone"),
        (HEADER + "q1\td1\t1\rq1\td2\t0\n", [("BK059", 2)], "its 2 lines end with CR alone"),
        ("corpus-id\tquery-id\tscore\nd1\tq1\t1\n", [("BK021", 1)], "taken by their names"),
        ("q1 0 d1 1\n", [("BK019", 1)], "has TREC's four columns"),
        (HEADER + "q1\td1\t1\nq1\td2\n", [("BK022", 3)], "has 2 columns where the lines before have 3"),
        (HEADER + "q1\td1\t1\nq1\td2\t\n", [("BK023", 3)], "the grade is missing"),
        (HEADER + "q1\td1\t1\nq1\td2\t0.5\n", [("BK023", 3)], "'0.5', not a whole number"),
        (HEADER + "q1\td1\t1\nq1\td1\t1\n", [("BK024", 3)], "judged again, as on line 2"),
        (HEADER + "q1\td1\t1\nq1\td1\t2\n", [("BK025", 3)], "judged 1 on line 2 and 2 here"),
        (HEADER + "q1\td1\t1\nq1\td9\t0\n", [("BK026", 3)], "document 'd9', judged for query 'q1'"),
        (HEADER + "q1\td1\t1\nq9\td1\t1\n", [("BK027", 3)], "query 'q9' is judged and has no text"),
        (HEADER + "q1\td1\t0\nq1\td2\t0\n", [("BK028", 2)], "query 'q1' has no relevant document"),
        (HEADER + "q1\td1\t1\nq1\td2\t-1\n", [("BK037", 3)], "document 'd2' is judged -1 for query 'q1'"),
        (HEADER + "q1\td1\t1\nq1\td2\t4294967296\n", [("BK023", 3)], "beyond 32 bits"),
        (HEADER + "q3\td1\t1\n", [("BK036", 2)], "1 query is judged in split 'dev' too ('q3')"),
        (HEADER, [("BK030", None)], "split 'test' holds no judgments"),
        (HEADER + "q1\t\td1\t1\n", [("BK022", 2)], "has 4 columns"),
        ("query-id\tcorpus-id\nq1\td1\n", [("BK022", 2)], "has 2 columns: the relevance column is missing"),
        (HEADER + "q1\td1\t1\n\nq1\td2\t0\n", [("BK046", 3)], "1 line is blank"),
        (HEADER + "q1\td1\t1.0\nq1\td2\t0.\n", [("BK047", 2)], "2 grades are written as 1.0"),
        (HEADER.replace("\t", " ") + "q1 d1 1\n", [("BK048", 1)], "has blanks between its columns"),
        ("# note\n" + HEADER + "q1\td1\t1\n", [("BK049", 1)], "1 line is a comment"),
        (HEADER + "q1\td1\t1\n# a\n# b\n", [("BK049", 3)], "2 lines are comments"),
        (HEADER + "q1\td1\t1001\n", [("BK057", 2)], "document 'd1' is judged 1001 for query 'q1'"),
        (HEADER + "q1\td1\t1000\nq1\td2\t-1001\n", [("BK037", 3), ("BK057", 3)], "judged -1001"),
        (HEADER + "\td1\t1\nq1\td1\t1\n", [("BK007", 2)], "query id '' is empty"),
        ("\ufeff" + HEADER + "q1\td1\t1\n", [("BK013", 1)], "byte-order mark"),
        (HEADER.replace("\n", "\r\n") + "q1\td1\t1\r\n", [("BK014", None)], "2 lines end with CR LF"),
    ],
)
def test_defects_of_judgments(
    folder: Path, content: str, expected: list[tuple[str, int | None]], found: str
) -> None:
    (folder / "qrels" / "test.tsv").write_bytes(content.encode())
    findings = [finding for finding in check_folder(folder) if finding.code != "BK038"]
    assert [(finding.code, finding.line) for finding in findings] == expected
    assert {finding.path for finding in findings} == {"qrels/test.tsv"}
    assert found in findings[0].found


def test_an_id_in_quotes(folder: Path) -> None:
    append(folder / "corpus.jsonl", '{"_id": "\\"d5\\"", "title": "", "text": "a"}\n')
    append(folder / "qrels" / "test.tsv", 'q1\t"d5"\t1\n')
    assert told(folder) == [("BK029", "qrels/test.tsv", 5)]


def test_judged_ids_in_another_unicode_form(folder: Path) -> None:
    """Composed here, decomposed there, or a Kelvin sign for a K: never called an orphan."""
    append(folder / "corpus.jsonl", '{"_id": "cafe\u0301", "title": "", "text": "a"}\n')
    append(folder / "corpus.jsonl", '{"_id": "K", "title": "", "text": "a"}\n')
    append(folder / "queries.jsonl", '{"_id": "\u212b", "text": "a"}\n')
    append(folder / "qrels" / "test.tsv", "q1\tcaf\u00e9\t1\nq1\t\u212a\t1\n\u00c5\td1\t1\n")
    findings = [finding for finding in check_folder(folder) if finding.code != "BK038"]
    assert [(finding.code, finding.path, finding.line) for finding in findings] == [
        ("BK032", "qrels/test.tsv", line) for line in (5, 6, 7)
    ]
    assert findings[0].found == (
        "document 'caf\\xe9', judged for query 'q1', is in the corpus in another Unicode form only: "
        "'cafe\\u0301'"
    )
    assert findings[2].found.endswith("has the id in another Unicode form")


@pytest.mark.parametrize("ids", [("caf\u00e9", "cafe\u0301"), ("K", "\u212a"), ("\u212a", "K")])
def test_ids_of_one_file_that_look_the_same(folder: Path, ids: tuple[str, str]) -> None:
    for value in ids:
        append(folder / "corpus.jsonl", f'{{"_id": "{value}", "title": "", "text": "a"}}\n')
    [finding] = check_folder(folder)
    assert (finding.code, finding.path, finding.line) == ("BK015", "corpus.jsonl", 6)
    assert finding.found.endswith("of line 5 look the same")


@pytest.mark.parametrize(
    ("there", "judged"), [("X-756", "X-0756"), ("d7", "D7"), ("8", "8.0"), ("d9", '"d9"'), ("12", "0012")]
)
def test_an_orphan_that_is_spelt_otherwise(folder: Path, there: str, judged: str) -> None:
    append(folder / "corpus.jsonl", f'{{"_id": "{there}", "title": "", "text": "a"}}\n')
    append(folder / "qrels" / "test.tsv", f"q1\t{judged}\t1\n")
    [finding] = [finding for finding in check_folder(folder) if finding.code != "BK029"]
    assert (finding.code, finding.line, finding.todo) == ("BK026", 5, f"is it the {there!r} that is there?")


def test_a_right_answer_that_some_protocols_remove(folder: Path) -> None:
    append(folder / "corpus.jsonl", '{"_id": "q1", "title": "", "text": "other"}\n')
    append(folder / "qrels" / "test.tsv", "q1\tq1\t1\n")
    assert told(folder) == [("BK034", "corpus.jsonl", 5), ("BK035", "qrels/test.tsv", 5)]


def test_what_is_in_no_split_and_what_is_no_split(folder: Path) -> None:
    append(folder / "queries.jsonl", '{"_id": "q4", "text": "a"}\n{"_id": "q5", "text": "b"}\n')
    (folder / "qrels" / "train.csv").write_text("q4,d1,1\n")
    unjudged, unread = check_folder(folder)
    assert (unjudged.code, unjudged.path, unjudged.line, unjudged.count) == ("BK038", "queries.jsonl", 4, 2)
    assert (unread.code, unread.path, unread.line) == ("BK039", "qrels/train.csv", None)


def test_files_that_are_missing_or_cut(folder: Path) -> None:
    data = gzip.compress((folder / "queries.jsonl").read_bytes())
    (folder / "queries.jsonl").unlink()
    (folder / "queries.jsonl.gz").write_bytes(data[:-9])
    (folder / "corpus.jsonl").unlink()
    findings = [f for f in check_folder(folder) if f.code == "BK001"]
    assert [(f.path, f.found) for f in findings] == [
        ("corpus.jsonl", "is missing"),
        ("queries.jsonl.gz", "truncated gzip: it ends early"),
    ]
    assert "BK026" not in {code for code, _, _ in told(folder)}  # no corpus, no orphans
    (folder / "qrels" / "test.tsv").unlink()
    (folder / "qrels" / "dev.tsv").unlink()
    assert ("BK031", "qrels", None) in told(folder)
    (folder / "corpus.jsonl").write_text("")
    (folder / "corpus.jsonl.gz").write_bytes(gzip.compress(b""))
    assert ("BK001", "corpus.jsonl", None) in told(folder)


def test_a_manifest_that_is_no_longer_true(folder: Path, tmp_path: Path) -> None:
    write_folder(open_folder(folder), tmp_path / "made")
    append(tmp_path / "made" / "queries.jsonl", '{"_id": "q4", "text": "new"}\n')
    assert told(tmp_path / "made") == [
        ("BK038", "queries.jsonl", 4),
        ("BK040", "manifest.json", None),
    ]


def test_no_defect_hides_another(folder: Path) -> None:
    """One of each, in one folder: as many findings as were seeded."""
    (folder / "corpus.jsonl").write_bytes(
        b'\xef\xbb\xbf{"_id": "d1", "text": "a"}\r\n'
        b'{"_id": "d1", "text": "b"}\n'
        b"[]\n"
        b'{"_id": "d2", "text": "a"}\n\n'
        b'{"_id": "d2", "text": "a"}\n'
        b'{"_id": null, "text": "a"}\n'
        b'{"_id": "d3", "title": "", "text": ""}\n'
        b'{"_id": "d4", "title": null, "text": "a"}\n'
        b'{"_id": "d5"}\n'
        b'{"_id": "d6", "text": "a'
    )
    (folder / "queries.jsonl").write_text('{"_id": "q1", "text": ""}\n{"_id": "q2", "text": "a"}\n')
    (folder / "qrels" / "dev.tsv").unlink()
    (folder / "qrels" / "test.tsv").write_text(
        "q1\td1\t1\nq1\td1\t1\nq1\td2\tx\nq2\tghost\t0\nq3\td1\t1\nq3 d1 1\n"
    )
    assert Counter(told(folder)) == Counter(
        {
            ("BK013", "corpus.jsonl", 1): 1,
            ("BK014", "corpus.jsonl", None): 1,
            ("BK041", "corpus.jsonl", 1): 1,
            ("BK046", "corpus.jsonl", 5): 1,
            ("BK006", "corpus.jsonl", 2): 1,
            ("BK003", "corpus.jsonl", 3): 1,
            ("BK009", "corpus.jsonl", 6): 1,
            ("BK004", "corpus.jsonl", 7): 1,
            ("BK010", "corpus.jsonl", 8): 1,
            ("BK012", "corpus.jsonl", 9): 1,
            ("BK005", "corpus.jsonl", 10): 1,
            ("BK002", "corpus.jsonl", 11): 1,
            ("BK011", "queries.jsonl", 1): 1,
            ("BK020", "qrels/test.tsv", 1): 1,
            ("BK024", "qrels/test.tsv", 2): 1,
            ("BK023", "qrels/test.tsv", 3): 1,
            ("BK028", "qrels/test.tsv", 4): 1,  # not BK026: "ghost" may stand in a line that was refused
            ("BK027", "qrels/test.tsv", 5): 1,
            ("BK022", "qrels/test.tsv", 6): 1,
        }
    )


def test_like_findings_are_told_up_to_a_cap_and_all_counted(folder: Path) -> None:
    append(
        folder / "corpus.jsonl",
        "".join(f'{{"_id": "e{n}", "title": "", "text": ""}}\n' for n in range(CAP + 75)),
    )
    findings = check_folder(folder)
    assert len(findings) == CAP + 1
    assert findings[-1].found == "75 more like these: a document has neither title nor text"
    assert (findings[-1].code, findings[-1].line, findings[-1].count) == ("BK010", None, 75)
    assert sum(finding.count for finding in findings) == CAP + 75


def test_records_on_one_line_count_for_judgments(folder: Path) -> None:
    corpus = folder / "corpus.jsonl"
    corpus.write_text(corpus.read_text(encoding="utf-8").replace("\n", ""), encoding="utf-8")
    [finding] = check_folder(folder)
    assert (finding.code, finding.line) == ("BK002", 1)
    assert finding.found.startswith("several records on one line: the second starts at column ")
    append(corpus, '{"_id": "d1", "title": "", "text": "other"}')
    assert told(folder) == [("BK002", "corpus.jsonl", 1), ("BK006", "corpus.jsonl", 1)]


def test_how_a_finding_is_told() -> None:
    finding = Finding(
        code="BK023", severity="error", path="qrels/test.tsv", line=4, found="no grade", todo="add it"
    )
    assert str(finding) == "error BK023 qrels/test.tsv:4: no grade (add it)"
    assert str(Finding(code="BK001", severity="error", path="qrels", found="x")) == "error BK001 qrels: x"
    assert finding.to_dict() == {
        "code": "BK023", "severity": "error", "path": "qrels/test.tsv", "line": 4,
        "found": "no grade", "todo": "add it", "count": 1, "key": "",
    }  # fmt: skip


def test_what_is_no_folder(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="does not exist"):
        check_folder(tmp_path / "none")
    assert {code for code, _, _ in told(tmp_path)} == {"BK001", "BK031"}


def test_every_code_is_tested() -> None:
    tests = "".join(file.read_text(encoding="utf-8") for file in Path(__file__).parent.glob("test_check*.py"))
    assert [code for code in CODES if f'"{code}"' not in tests] == []


def test_a_file_that_ends_early_makes_no_orphans(tmp_path: Path) -> None:
    (tmp_path / "qrels").mkdir()
    both = b'{"_id": "d1", "title": "", "text": "x"}\n{"_id": "d2", "title": "", "text": "y"}\n'
    (tmp_path / "corpus.jsonl.gz").write_bytes(gzip.compress(both)[:-12])
    (tmp_path / "queries.jsonl").write_text('{"_id": "q1", "text": "x"}\n', encoding="utf-8")
    (tmp_path / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\nq1\td2\t1\n", encoding="utf-8")
    [finding] = check_folder(tmp_path)
    assert (finding.code, finding.path) == ("BK001", "corpus.jsonl.gz")


def test_what_stands_in_the_place_of_a_file_is_named(folder: Path) -> None:
    corpus = folder / "corpus.jsonl"
    for make, found in (
        (os.mkfifo, "is a pipe or device, not a file"),
        (lambda path: path.symlink_to("gone"), "is a link to gone, which leads nowhere"),
        (lambda path: path.symlink_to(path.name), "is a link to corpus.jsonl, which leads nowhere"),
        (Path.mkdir, "is a folder, not a file"),
    ):
        corpus.rmdir() if corpus.is_dir() else corpus.unlink()
        make(corpus)
        finding = next(each for each in check_folder(folder) if each.path == "corpus.jsonl")
        assert (finding.code, finding.found) == ("BK001", found)
