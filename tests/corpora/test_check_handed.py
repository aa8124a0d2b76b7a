"""What checking finds in folders that others made."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from beirkit.corpora.check import check_folder
from beirkit.corpora.findings import Finding
from beirkit.corpora.folder import open_folder, write_folder

# What is in the handed folders: code and number of defects, each looked at by hand.
HANDED: dict[str, dict[str, int]] = {
    "scifact/beir": {
        "BK017": 2
    },  # Windows' dashes and quotes read as Latin-1, in documents 4336849 and 8677721
    "cranfield/beir": {"BK010": 2, "BK034": 225, "BK035": 1, "BK037": 225},
    "cisi/beir": {"BK034": 112, "BK035": 7, "BK038": 36},
    "heq_he/beir": {},
    "xquad/beir/ar": {},
    "xquad/beir/en": {},
    "xquad/beir/hi": {},
    "xquad/beir/zh": {},
}


@pytest.mark.parametrize("name", HANDED)
def test_handed_folders(name: str, shared: Path, tmp_path: Path) -> None:
    source = shared / "data" / name
    findings = check_folder(source)
    assert count(findings) == HANDED[name]
    write_folder(open_folder(source), tmp_path / "made", gzip=True)
    assert count(check_folder(tmp_path / "made")) == HANDED[name]


def test_every_handed_folder_is_tested(shared: Path) -> None:
    folders = {path.parent for path in shared.glob("data/**/corpus.jsonl")}
    whole = {folder for folder in folders if (folder / "queries.jsonl").is_file()}
    assert {folder.relative_to(shared / "data").as_posix() for folder in whole} == set(HANDED)


def count(findings: list[Finding]) -> Counter[str]:
    counts: Counter[str] = Counter()
    for finding in findings:
        counts[finding.code] += finding.count
    return counts


def test_a_folder_of_others(shared: Path) -> None:
    """Records without line ends, and judgments that point nowhere."""
    findings = check_folder(shared / "faults" / "files" / "R15")
    assert Counter((finding.code, finding.path) for finding in findings) == {
        ("BK002", "corpus.jsonl"): 1,
        ("BK002", "queries.jsonl"): 1,
        ("BK026", "qrels/test.tsv"): 3,
        ("BK027", "qrels/test.tsv"): 3,
        ("BK034", "corpus.jsonl"): 1,
        ("BK038", "queries.jsonl"): 1,
    }
