"""Judgments read many lines at a time are those that the parser reads; what is odd is left to it."""

from __future__ import annotations

import gzip
import os
import random
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from beirkit.corpora import qrels_blocks
from beirkit.corpora.errors import DataError
from beirkit.corpora.qrels import iter_judgments, read_qrels
from beirkit.corpora.qrels_blocks import plain_judgments
from beirkit.corpora.records import Qrels


def parsed(path: Path) -> tuple[Qrels, list[str]]:
    """What the parser reads and tells, line by line."""
    told: list[str] = []
    qrels: Qrels = {}
    for one in iter_judgments(path, warn=told.append):
        qrels.setdefault(one.query_id, {})[one.doc_id] = one.relevance
    return qrels, told


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize(
    "row", ["{} 0 {} {}", "{}  Q0   {} {}  ", "{}\t{}\t{}", "query-id\tcorpus-id\tscore\n{}\t{}\t{}"]
)
def test_plain_files_of_many_blocks(
    tmp_path: Path, row: str, end: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(qrels_blocks, "_BLOCK", 100)
    draw = random.Random(3)
    head, _, form = row.rpartition("\n")
    rows = [
        form.format(
            f"q{n // 3}", f"d{draw.randrange(99)}-{n}", draw.choice(("0", "1", "2", "-1", "+3", "2.0", "1."))
        )
        for n in range(300)
    ]
    content = end.join([head, *rows] if head else rows)
    for last in ("", end):
        (tmp_path / "qrels").write_text(content + last, newline="")
        found = plain_judgments(tmp_path / "qrels")
        assert found is not None
        assert (found, []) == parsed(tmp_path / "qrels")
        assert list(found) == [f"q{n}" for n in range(100)]
        (tmp_path / "qrels.gz").write_bytes(gzip.compress((content + last).encode()))
        assert read_qrels(tmp_path / "qrels.gz") == found


fields = st.sampled_from(
    ["q", "d", "7", "#", '"a"', "\u00e9", "1", "0", "-1", "1.0", "x", "0.5", "a\x1cb", "\x0b"]
)
blanks = st.sampled_from([" ", "  ", "\t", " \t"])


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=300)
@given(
    st.sampled_from([" ", "\t"]),
    st.lists(st.lists(fields, min_size=1, max_size=5), max_size=5),
    st.sampled_from(["\n", "\r\n", "\n\n", " \n"]),
    st.sampled_from(["", "query-id\tcorpus-id\tscore\n", "qid\tdoc\tgrade\n", "\ufeff", "# comment\n"]),
)
@example(" ", [["q", "0", "d", "1"], ["q", "0", "d", "1"]], "\n", "")
@example(" ", [["q", "0", "d", "1"], ["q", "0", "d", "0"]], "\n", "")
@example("\t", [["q", "d", "1"]], "\n", "query-id\tcorpus-id\tscore\n")
@example(" ", [["q", "0", "d", "1"], ["#", "0", "d", "1"]], "\n", "")
def test_the_same_judgments_or_none(
    tmp_path: Path, blank: str, rows: list[list[str]], end: str, head: str
) -> None:
    path = tmp_path / "qrels"
    path.write_text(head + "".join(blank.join(row) + end for row in rows), newline="", encoding="utf-8")
    found = plain_judgments(path)
    if found is not None:
        assert (found, []) == parsed(path)


@pytest.mark.parametrize(
    "odd",
    [
        "q1 0 d1 1\n",  # stands twice
        "q1 0 d1 2\n",
        "# comment\n",
        "\n",
        "q1 0 d\u00e9 1\n",
        'q1 0 "d" 1\n',
        "q1 0 d2 0.5\n",
        "q1 0 d2 high\n",
        "q1 0 d2\n",
        "q1 0 d 2 1\n",
        "q1 0 d2 1 q1\n0 d3 1\n",  # four fields a line on the average
        "q1\t0\td2\t1\n",
        "q1 0 d2 99999999999\n",
    ],
)
def test_what_must_be_told_or_refused_is_left_to_the_parser(tmp_path: Path, odd: str) -> None:
    path = tmp_path / "qrels"
    path.write_text("q1 0 d1 1\nq2 0 d1 1\n" + odd, encoding="utf-8")
    assert plain_judgments(path) is None
    path.write_text("q1 0 d1 1\nq2 0 d1 1\n", encoding="utf-8")
    assert plain_judgments(path) == {"q1": {"d1": 1}, "q2": {"d1": 1}}


def test_contradictions_are_still_refused_with_both_lines(tmp_path: Path) -> None:
    path = tmp_path / "qrels"
    path.write_text("q1 0 d1 1\nq2 0 d1 1\nq1 0 d1 2\n")
    with pytest.raises(DataError, match="judged 1 at line 1 and 2 at line 3"):
        read_qrels(path)


def test_a_pipe_is_read_once_only(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "qrels")
    assert plain_judgments(tmp_path / "qrels") is None
