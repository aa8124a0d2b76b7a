"""Published defects, and findings that somebody accepted: told, and held against nobody."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from pathlib import Path

import pytest

from beirkit.corpora.accepted import read_accepted, write_accepted
from beirkit.corpora.check import check_folder
from beirkit.corpora.errors import DataError
from beirkit.corpora.findings import CAP, Finding, Identity, Known, Report

HEADER = "query-id\tcorpus-id\tscore\n"

# As they are published of ArguAna, FiQA and TREC-COVID.
ORPHAN = Known(code="BK026", file="qrels/test.tsv", keys=("no-such-argument",), note="beir-cellar/beir#172")
EMPTY = Known(code="BK010", file="corpus.jsonl", keys=("e1", "e2"), note="beir-cellar/beir#158")
NEGATIVE = Known(code="BK037", file="qrels/test.tsv", count=2, note="two grades of -1, as in the source")


@pytest.fixture
def folder(folder: Path) -> Path:
    """The room's folder with the defects of three published sets in it."""
    (folder / "qrels" / "dev.tsv").write_text(HEADER + "q3\td2\t1\n", encoding="utf-8")
    with (folder / "qrels" / "test.tsv").open("a", encoding="utf-8") as out:
        out.write("q1\tno-such-argument\t1\nq1\td4\t-1\nq2\td4\t-1\n")
    with (folder / "corpus.jsonl").open("a", encoding="utf-8") as out:
        out.writelines(f'{{"_id": "e{number}", "title": "", "text": ""}}\n' for number in (1, 2))
    return folder


def severities(findings: list[Finding]) -> Counter[tuple[str, str]]:
    counts: Counter[tuple[str, str]] = Counter()
    for finding in findings:
        counts[finding.code, finding.severity] += finding.count
    return counts


def test_published_defects_are_known(folder: Path) -> None:
    findings = check_folder(folder, known=[ORPHAN, EMPTY, NEGATIVE])
    assert severities(findings) == {("BK010", "known"): 2, ("BK026", "known"): 1, ("BK037", "known"): 2}
    assert {finding.todo for finding in findings} == {ORPHAN.note, EMPTY.note, NEGATIVE.note}
    assert severities(check_folder(folder)) == {
        ("BK010", "warning"): 2,
        ("BK026", "warning"): 1,
        ("BK037", "warning"): 2,
    }


def test_another_defect_of_the_kind_is_not_known(folder: Path) -> None:
    with (folder / "qrels" / "test.tsv").open("a", encoding="utf-8") as out:
        out.write("q1\tanother\t1\nq2\td1\t-1\n")
    findings = check_folder(folder, known=[ORPHAN, EMPTY, NEGATIVE])
    assert severities(findings) == {
        ("BK010", "known"): 2,
        ("BK026", "known"): 1,
        ("BK026", "warning"): 1,
        ("BK037", "warning"): 3,
    }
    assert {finding.todo for finding in findings if finding.code == "BK037"} == {
        "2 of these are known, and 3 are here"
    }


@pytest.mark.parametrize("extra", [0, 1])
def test_a_known_number_beyond_the_cap(extra: int) -> None:
    report = Report([Known(code="BK037", note="x", count=CAP + 5)])
    for number in range(CAP + 5 + extra):
        report.add("BK037", "qrels/test.tsv", number + 2, "negative", key=f"q{number}\td")
    assert severities(report.findings()) == {("BK037", "warning" if extra else "known"): CAP + 5 + extra}


def test_accepted_findings_survive_moved_lines_and_compression(folder: Path, tmp_path: Path) -> None:
    (folder / "queries.jsonl").open("a", encoding="utf-8").write('{"_id": "q4"\n')
    baseline = tmp_path / "accepted.jsonl"
    before = check_folder(folder, cap=None)
    assert write_accepted(baseline, before) == 6
    first, *lines = baseline.read_text(encoding="utf-8").splitlines()
    assert json.loads(first) == {"accepted_findings": 1}
    told = [json.loads(line) for line in lines]
    assert [(line["code"], line["file"], line.get("key")) for line in told[1:]] == [
        ("BK010", "corpus.jsonl", "e1"),
        ("BK010", "corpus.jsonl", "e2"),
        ("BK026", "qrels/test.tsv", "q1\tno-such-argument"),
        ("BK037", "qrels/test.tsv", "q1\td4"),
        ("BK037", "qrels/test.tsv", "q2\td4"),
    ]
    assert told[0]["code"] == "BK002"
    assert told[0]["key"].startswith("line ")

    corpus = (folder / "corpus.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    (folder / "corpus.jsonl").unlink()
    (folder / "corpus.jsonl.gz").write_bytes(gzip.compress("".join(reversed(corpus)).encode()))
    after = check_folder(folder, accepted=read_accepted(baseline))
    assert {finding.severity for finding in after} == {"accepted"}
    assert sum(finding.count for finding in after) == 6
    assert write_accepted(tmp_path / "again.jsonl", after) == 6
    assert (tmp_path / "again.jsonl").read_bytes() == baseline.read_bytes()


def test_more_than_was_accepted_is_told(folder: Path, tmp_path: Path) -> None:
    write_accepted(tmp_path / "accepted", check_folder(folder, cap=None))
    with (folder / "corpus.jsonl").open("a", encoding="utf-8") as out:
        out.write('{"_id": "e3", "title": "", "text": ""}\n{"_id": "e1", "title": "", "text": ""}\n')
    found = severities(check_folder(folder, accepted=read_accepted(tmp_path / "accepted")))
    assert found["BK010", "accepted"] == 2
    assert found["BK010", "warning"] == 2  # another document, and a second of an accepted one
    assert found["BK009", "warning"] == 1


def test_as_many_others_are_not_those_that_were_accepted(folder: Path, tmp_path: Path) -> None:
    """What is told together is accepted by all its ids, so another defect in the place of one is told."""

    def seed(one: str, queries: str, dev: str, grade: str) -> None:
        shared = f'{{"_id": "{queries}", "title": "", "text": "no query has this"}}\n'
        (folder / "corpus.jsonl").write_text(before + f'{{"_id": "{one}", "text": "a"}}\n{shared}')
        (folder / "queries.jsonl").write_text(asked + f'{{"_id": "{one}", "text": "never judged"}}\n')
        (folder / "qrels" / "dev.tsv").write_text(f"{HEADER}{dev}\td2\t1\n")
        (folder / "qrels" / "train.tsv").write_text(f"{HEADER}q1\t{grade}\t1.0\n# {grade}\n")

    before, asked = (folder / "corpus.jsonl").read_text(), (folder / "queries.jsonl").read_text()
    seed("x1", "q1", "q1", "d1")
    accepted = check_folder(folder, cap=None)
    codes = {"BK034", "BK036", "BK038", "BK041", "BK047", "BK049"}
    assert codes <= {finding.code for finding in accepted}
    write_accepted(tmp_path / "accepted", accepted)
    again = check_folder(folder, accepted=read_accepted(tmp_path / "accepted"))
    assert {finding.severity for finding in again} == {"accepted"}
    seed("x2", "q2", "q2", "d2")
    told = check_folder(folder, accepted=read_accepted(tmp_path / "accepted"))
    assert codes <= {finding.code for finding in told if finding.severity != "accepted"}


def test_known_defects_are_not_written(folder: Path, tmp_path: Path) -> None:
    assert write_accepted(tmp_path / "accepted", check_folder(folder, known=[ORPHAN], cap=None)) == 4
    assert not any(identity.code == "BK026" for identity in read_accepted(tmp_path / "accepted"))


def test_without_a_cap_every_finding_is_there(folder: Path) -> None:
    with (folder / "corpus.jsonl").open("a", encoding="utf-8") as out:
        out.writelines(f'{{"_id": "f{number}", "title": "", "text": ""}}\n' for number in range(CAP))
    assert len([finding for finding in check_folder(folder, cap=None) if finding.code == "BK010"]) == CAP + 2


@pytest.mark.parametrize(
    ("content", "line", "found"),
    [
        ("[]\n", 1, "is no list of accepted findings"),
        ('{"accepted_findings": 2}\n', 1, "is of version 2"),
        ('{"accepted_findings": 1}\n{"code": "BK010"}\n', 2, "is no list of accepted findings"),
        ('{"accepted_findings": 1}\n{"code": "BK999", "file": "x"}\n', 2, "there is no code 'BK999'"),
    ],
)
def test_what_is_no_list_of_accepted_findings(tmp_path: Path, content: str, line: int, found: str) -> None:
    (tmp_path / "file").write_text(content, encoding="utf-8")
    with pytest.raises(DataError, match=found) as caught:
        read_accepted(tmp_path / "file")
    assert caught.value.line == line


def test_which_defects_a_known_one_covers() -> None:
    pair = Identity("BK026", "qrels/test.tsv", "q1\td9")
    assert Known(code="BK026", note="").covers(pair)
    assert Known(code="BK026", note="", keys=("d9",)).covers(pair)
    assert Known(code="BK026", note="", keys=("q1\td9",)).covers(pair)
    assert not Known(code="BK026", note="", keys=("d",)).covers(pair)
    assert not Known(code="BK026", note="", file="qrels/dev.tsv").covers(pair)
    assert not Known(code="BK027", note="").covers(pair)
