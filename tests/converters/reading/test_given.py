"""Splits given by the user as qrels files."""

from __future__ import annotations

from pathlib import Path

import pytest

from beirkit.converters.reading.given import GivenSplits
from beirkit.corpora.errors import DataError, UsageError
from beirkit.corpora.records import Judgment

HEAD = "query-id\tcorpus-id\tscore\n"


def test_a_query_belongs_to_the_split_that_judges_it(tmp_path: Path) -> None:
    (tmp_path / "train.tsv").write_text(f"{HEAD}q1\td1\t1\n")
    (tmp_path / "test.tsv").write_text(f"{HEAD}q2\td1\t1\nq2\td2\t0\n")
    given = GivenSplits(tmp_path)
    assert given.names == ("test", "train")
    assert [given.of(query_id) for query_id in ("q1", "q2", "q3")] == ["train", "test", None]
    assert list(given.judgments("test")) == [Judgment("q2", "d1", 1), Judgment("q2", "d2", 0)]
    assert set(given.inputs()) == {"train.tsv", "test.tsv"}


def test_a_query_in_two_splits_is_refused(tmp_path: Path) -> None:
    (tmp_path / "train.tsv").write_text(f"{HEAD}q1\td1\t1\n")
    (tmp_path / "test.tsv").write_text(f"{HEAD}q1\td2\t1\n")
    with pytest.raises(DataError, match=r"train\.tsv.*query 'q1' is judged here and in split 'test'"):
        GivenSplits(tmp_path)


def test_a_folder_without_judgments_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"holds no \.tsv file"):
        GivenSplits(tmp_path)
    with pytest.raises(UsageError, match="is no folder"):
        GivenSplits(tmp_path / "nowhere")
