"""What is not there, and what only seems not to be there because it cannot be read."""

from __future__ import annotations

from pathlib import Path

import pytest

from beirkit.corpora.check import check_folder

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


def test_lines_that_end_with_cr_alone(folder: Path) -> None:
    corpus = folder / "corpus.jsonl"
    corpus.write_bytes(corpus.read_bytes().replace(b"\n", b"\r"))
    [finding] = check_folder(folder)
    assert (finding.code, finding.line) == ("BK059", 1)
    assert finding.found == "its 4 records end with CR alone, which is no line end here"


@pytest.mark.parametrize(
    ("name", "code", "found"),
    [("corpus.jsonl", "BK043", "holds no document"), ("queries.jsonl", "BK044", "holds no query")],
)
def test_files_without_a_record(folder: Path, name: str, code: str, found: str) -> None:
    (folder / name).write_text("")
    [finding] = check_folder(folder)
    assert (finding.code, finding.severity, finding.path, finding.found) == (code, "error", name, found)


def test_an_id_under_another_key(folder: Path) -> None:
    for name in ("corpus.jsonl", "queries.jsonl"):
        text = (folder / name).read_text(encoding="utf-8")
        (folder / name).write_text(text.replace('"_id"', '"docid"'), encoding="utf-8")
    findings = {(finding.code, finding.path): finding for finding in check_folder(folder)}
    assert set(findings) == {
        ("BK005", "corpus.jsonl"),
        ("BK043", "corpus.jsonl"),
        ("BK005", "queries.jsonl"),
        ("BK044", "queries.jsonl"),
    }
    none = findings["BK043", "corpus.jsonl"]
    assert none.found == "holds no document that can be read: 4 lines are refused"
    assert none.todo.endswith("beirkit convert beir FOLDER --set corpus_keys._id=docid")
    assert findings["BK005", "queries.jsonl"].todo.endswith("--set query_keys._id=docid")


def test_what_cannot_be_read_is_not_called_missing(folder: Path) -> None:
    """A refused line names its query, and may be the document that is judged."""
    append(folder / "queries.jsonl", '{"_id": "q4", "text": "a"}\n')
    append(folder / "qrels" / "test.tsv", "q4\td1\thigh\nq4\td2\t0\n")
    assert told(folder) == [("BK023", "qrels/test.tsv", 5)]
    append(folder / "corpus.jsonl", '{"_id": "d9", "text": "cut\n')
    append(folder / "qrels" / "test.tsv", "q1\td9\t1\n")
    assert told(folder) == [("BK002", "corpus.jsonl", 5), ("BK023", "qrels/test.tsv", 5)]


def test_an_empty_split_is_one_finding(folder: Path) -> None:
    (folder / "qrels" / "dev.tsv").unlink()
    (folder / "qrels" / "test.tsv").write_text("")
    assert told(folder) == [("BK030", "qrels/test.tsv", None)]


def test_a_folder_in_the_place_of_a_file(folder: Path) -> None:
    (folder / "corpus.jsonl").unlink()
    (folder / "corpus.jsonl").mkdir()
    [finding] = check_folder(folder)
    assert (finding.code, finding.path, finding.found) == ("BK001", "corpus.jsonl", "is a folder, not a file")
