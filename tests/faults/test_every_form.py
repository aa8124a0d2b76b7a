"""One rule for all forms: what TREC files and tables may not hold, JSON and Parquet do not bring in."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from beirkit.corpora.errors import DataError
from beirkit.corpora.qrels import read_qrels
from beirkit.corpora.run_files import read_run

FORMS = ("json", "jsonl", "parquet")


def write(folder: Path, form: str, rows: list[tuple[Any, Any, Any]], *, run: bool) -> Path:
    """Write judgments or results in one of the forms, without looking at them."""
    path = folder / f"{'run' if run else 'qrels'}.{form}"
    if form == "json":
        tables: dict[Any, dict[Any, Any]] = {}
        for query_id, doc_id, value in rows:
            tables.setdefault(query_id, {})[doc_id] = value
        path.write_text(json.dumps(tables), encoding="utf-8")
    elif form == "jsonl" and run:
        lines = [json.dumps({"query_id": q, "results": [[d, value]]}) for q, d, value in rows]
        path.write_text("\n".join(lines), encoding="utf-8")
    elif form == "jsonl":
        lines = [json.dumps({"query_id": q, "doc_id": d, "relevance": value}) for q, d, value in rows]
        path.write_text("\n".join(lines), encoding="utf-8")
    else:
        arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
        columns = dict(zip(("q_id", "doc_id", "score"), map(list, zip(*rows, strict=True)), strict=True))
        parquet.write_table(arrow.table(columns), path)
    return path


def reader(*, run: bool) -> Callable[[Path], Any]:
    """The reader of one kind of file."""
    return read_run if run else read_qrels


@pytest.mark.parametrize("run", [False, True], ids=["qrels", "run"])
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    ("query_id", "doc_id", "message"),
    [
        ("q", "a\0b", r"document id 'a\\x00b' holds the control character U\+0000"),
        ("q\t1", "a", r"query id 'q\\t1' holds the control character U\+0009"),
        ("q", "", "document id '' is empty"),
    ],
)
def test_no_form_brings_in_an_id_that_others_refuse(
    tmp_path: Path, form: str, run: bool, query_id: str, doc_id: str, message: str
) -> None:
    path = write(tmp_path, form, [(query_id, doc_id, 1)], run=run)
    with pytest.raises(DataError, match=message) as caught:
        reader(run=run)(path)
    assert caught.value.path == str(path)


@pytest.mark.parametrize("run", [False, True], ids=["qrels", "run"])
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("value", ["1", None, True])
def test_texts_and_nothing_are_no_numbers(tmp_path: Path, form: str, run: bool, value: Any) -> None:
    with pytest.raises(DataError):
        reader(run=run)(write(tmp_path, form, [("q", "a", value)], run=run))


@pytest.mark.parametrize("run", [False, True], ids=["qrels", "run"])
def test_an_integer_id_of_a_column_is_its_decimal_text(tmp_path: Path, run: bool) -> None:
    path = write(tmp_path, "parquet", [(1, 7, 2), (2, 70, 1)], run=run)
    found = reader(run=run)(path)
    assert (found.to_dict() if run else found) == {"1": {"7": 2}, "2": {"70": 1}}


@pytest.mark.parametrize("run", [False, True], ids=["qrels", "run"])
@pytest.mark.parametrize("ids", [(1.0, 2.0), ("q", None)])
def test_a_column_with_a_hole_or_of_floats_holds_no_ids(tmp_path: Path, run: bool, ids: Any) -> None:
    path = write(tmp_path, "parquet", [(ids[0], "a", 1), (ids[1], "b", 1)], run=run)
    row = 1 if ids[0] == 1.0 else 2
    with pytest.raises(DataError, match=rf"row {row}: the query id is (1\.0|None), n"):
        reader(run=run)(path)


@pytest.mark.parametrize("run", [False, True], ids=["qrels", "run"])
@pytest.mark.parametrize(
    ("text", "key"), [('{"q": {"a": 1, "b": 1, "a": 2}}', "a"), ('{"q": {"a": 1}, "q": {"b": 1}}', "q")]
)
def test_a_key_that_stands_twice_loses_nothing_silently(
    tmp_path: Path, run: bool, text: str, key: str
) -> None:
    """A dictionary keeps the last; here a query's judgments would be gone without a word."""
    path = tmp_path / "table.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(DataError, match=rf"table\.json: the key '{key}' stands twice in one object"):
        reader(run=run)(path)


@pytest.mark.parametrize("run", [False, True], ids=["qrels", "run"])
@pytest.mark.parametrize("text", ["[]", '{"q": ["a"]}', '{"q": {"a": 1}', '{"q": {"\\ud800": 1}}', ""])
def test_other_json_is_refused(tmp_path: Path, run: bool, text: str) -> None:
    path = tmp_path / "table.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(DataError, match=r"table\.json: (is not|query 'q' has no object|document id .* half)"):
        reader(run=run)(path)


def test_nan_in_json_is_a_score_only_when_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    path.write_text('{"q": {"a": NaN, "b": Infinity, "c": 1}}', encoding="utf-8")
    with pytest.raises(DataError, match=r"2 scores are not finite numbers: q/a = nan, q/b = inf"):
        read_run(path)
    assert [doc_id for doc_id, _ in next(iter(read_run(path, lenient_scores=True).ordered().lists()))[1]] == [
        "b", "c", "a",
    ]  # fmt: skip
    with pytest.raises(DataError, match="not a whole number"):
        read_qrels(path)
