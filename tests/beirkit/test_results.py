from __future__ import annotations

import json
from pathlib import Path

import pytest

from beirkit.corpora.errors import BeirkitError, WriteError
from beirkit.corpora.run import Run
from beirkit.results import ResultFolder, result_key, slug

RUN = Run.from_dict({"q1": {"d1": 2.0, "d2": 1.0}}, tag="t")


@pytest.mark.parametrize(
    ("name", "made"),
    [
        ("bm25", "bm25"),
        ("bm25:k1=1.5,b=0.75", "bm25-k1-1.5-b-0.75"),
        ("scifact@test", "scifact@test"),
        ("../../etc", "etc"),
        ("שלום", "שלום"),
        ("e\u0301", "é"),
        ("//", "unnamed"),
        ("a/b c", "a-b-c"),
    ],
)
def test_a_slug_is_one_safe_part_of_a_path(name: str, made: str) -> None:
    assert slug(name) == made


def test_the_key_does_not_depend_on_the_order_of_keys_but_on_every_value() -> None:
    assert result_key({"a": 1, "b": {"c": 2, "d": 3}}) == result_key({"b": {"d": 3, "c": 2}, "a": 1})
    assert result_key({"a": 1}) != result_key({"a": 2})
    assert result_key({"a": 1}) != result_key({"a": "1"})


def test_a_folder_is_there_whole_and_is_found_again(tmp_path: Path) -> None:
    folder = ResultFolder(tmp_path, "birds", "test", "bm25", "0123456789abcdef")
    assert folder.manifest() is None
    folder.write(RUN, {"k": 10}, {"seconds": {}})
    assert folder.path == tmp_path / "birds@test" / "bm25--01234567"
    assert folder.manifest() == {"key": "0123456789abcdef", "k": 10}
    assert folder.read_run().to_dict() == RUN.to_dict()
    assert sorted(path.name for path in folder.path.iterdir()) == [
        "manifest.json",
        "run.trec.gz",
        "timings.json",
    ]
    assert [path.name for path in folder.path.parent.iterdir()] == ["bm25--01234567"]


def test_a_key_with_the_same_first_digits_is_not_taken_for_the_same(tmp_path: Path) -> None:
    ResultFolder(tmp_path, "birds", "test", "bm25", "01234567aa").write(RUN, {}, {})
    with pytest.raises(BeirkitError, match="another configuration"):
        ResultFolder(tmp_path, "birds", "test", "bm25", "01234567bb").manifest()


def test_a_damaged_result_counts_as_none_and_is_replaced(tmp_path: Path) -> None:
    folder = ResultFolder(tmp_path, "birds", "test", "bm25", "01234567aa")
    folder.write(RUN, {"k": 1}, {})
    (folder.path / "manifest.json").write_text("{", encoding="utf-8")
    assert folder.manifest() is None
    folder.write(RUN, {"k": 2}, {})
    assert folder.manifest() == {"key": "01234567aa", "k": 2}
    (folder.path / "manifest.json").unlink()
    folder.write(RUN, {"k": 3}, {})
    assert folder.manifest() == {"key": "01234567aa", "k": 3}


def test_no_room_is_found_out_before_the_work(tmp_path: Path) -> None:
    (tmp_path / "results").write_text("a file", encoding="utf-8")
    folder = ResultFolder(tmp_path / "results", "birds", "test", "bm25", "01234567aa")
    with pytest.raises(WriteError, match="another folder with --out"):
        folder.require_room()


def test_equal_work_gives_equal_bytes(tmp_path: Path) -> None:
    for name in ("one", "two"):
        ResultFolder(tmp_path / name, "birds", "test", "bm25", "01234567aa").write(RUN, {"k": 1}, {})
    for file in ("run.trec.gz", "manifest.json"):
        one, two = (tmp_path / name / "birds@test" / "bm25--01234567" / file for name in ("one", "two"))
        assert one.read_bytes() == two.read_bytes()


def test_nothing_is_left_where_the_result_cannot_be_written(tmp_path: Path) -> None:
    folder = ResultFolder(tmp_path, "birds", "test", "bm25", "01234567aa")
    with pytest.raises(ValueError, match="JSON"):
        folder.write(RUN, {"bad": json.loads("NaN")}, {})
    assert list((tmp_path / "birds@test").iterdir()) == []


def test_work_finished_elsewhere_in_the_meantime_stands(tmp_path: Path) -> None:
    folder = ResultFolder(tmp_path, "birds", "test", "bm25", "01234567aa")
    folder.write(RUN, {"k": 1}, {"seconds": 1})
    folder.write(RUN, {"k": 1}, {"seconds": 2})
    assert json.loads((folder.path / "timings.json").read_text(encoding="utf-8")) == {"seconds": 1}
    assert [path.name for path in folder.path.parent.iterdir()] == [folder.path.name]
