"""Scores in memory and on disk."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable
from pathlib import Path

import msgspec
import numpy as np
import pytest

from beirkit.corpora.errors import DataError, MissingExtraError, UsageError
from beirkit.evaluate import evaluate
from beirkit.evaluate.measures import Measure
from beirkit.evaluate.protocol import get_protocol, protocol_names
from beirkit.evaluate.score_files import read_scores, write_scores
from beirkit.evaluate.scores import Counts, Scores

QRELS = {"q1": {"a": 1, "b": 2}, "q2": {"c": 0}, "é 3": {"a": 1}}
RUN = {"q1": {"b": 1.0, "a": 0.5}, "q2": {"c": 1.0}}


def made(values: list[float], name: str = "AP") -> Scores:
    ids = tuple(f"q{i}" for i in range(len(values)))
    counts = Counts(judged=len(ids), scored=len(ids))
    column = np.array(values, dtype=np.float64)[:, None]
    return Scores(ids, (Measure.parse(name),), column, get_protocol("beirkit"), counts)


def test_means_are_of_unrounded_values_and_exact_in_any_order() -> None:
    values = [0.1, 0.7, 1e-17, 0.3, 0.1016, 0.1016, 0.1006] * 37
    forward, backward = made(values).mean("AP"), made(values[::-1]).mean("map")
    assert forward == backward == math.fsum(values) / len(values)
    assert made([0.1016, 0.1016, 0.1006]).mean("AP") == pytest.approx(0.101266667)


def test_counts_are_summed_and_geometric_means_are_geometric() -> None:
    assert made([3.0, 4.0], "NumRet").mean("NumRet") == 7.0
    assert made([math.log(0.25), math.log(1.0)], "gm_map").mean("gm_map") == pytest.approx(0.5)


def test_a_measure_that_was_not_computed_is_named() -> None:
    with pytest.raises(UsageError, match=r"nDCG@10 was not computed \(computed: AP\)"):
        made([1.0]).mean("ndcg_cut_10")


@pytest.mark.parametrize("preset", protocol_names())
def test_what_is_written_is_read_back(tmp_path: Path, preset: str) -> None:
    rules = msgspec.structs.replace(get_protocol(preset), digits=3)
    scores = evaluate(QRELS, RUN, ["nDCG@10", "R_cap@10", "P(rel=2)@5"], rules, depth=7)
    path = tmp_path / "scores.jsonl"
    write_scores(scores, path)
    back = read_scores(path)
    assert (back.query_ids, back.measures, back.protocol) == (scores.query_ids, scores.measures, rules)
    assert (back.counts, back.depth) == (scores.counts, 7)
    assert np.array_equal(back.values, scores.values, equal_nan=True)
    assert back.means() == scores.means()
    again = path.read_bytes()
    write_scores(back, path)
    assert path.read_bytes() == again
    assert not list(tmp_path.glob("*.tmp*"))


def test_the_file_is_json_a_line_with_null_and_never_nan(tmp_path: Path) -> None:
    path = tmp_path / "scores.jsonl"
    write_scores(evaluate(QRELS, RUN, ["R_cap@10", "AP"]), path)

    def refuse(name: str) -> None:
        raise AssertionError(name)

    head, *rows = [json.loads(line, parse_constant=refuse) for line in path.read_text("utf-8").splitlines()]
    assert head["measures"] == ["R_cap@10", "AP"]
    assert head["protocol"]["name"] == "beirkit"
    assert head["counts"]["missing"] == 1
    assert rows == [
        {"query_id": "q1", "values": [1.0, 1.0]},
        {"query_id": "q2", "values": [None, 0.0]},
        {"query_id": "é 3", "values": [0.0, 0.0]},
    ]


SHORT_ROW = '{"query_id": "q1", "values": [1.0]}'
DAMAGE: dict[str, tuple[Callable[[list[str]], list[str]], int | None]] = {
    "1 queries, the first line says 3": (lambda rows: rows[:2], None),
    "1 values for 2 measures": (lambda rows: [rows[0], SHORT_ROW, *rows[2:]], 2),
    "not a line of scores": (lambda rows: [rows[0], "{", *rows[2:]], 2),
    "format 'beirkit scores 9'": (lambda rows: [rows[0].replace("scores 1", "scores 9"), *rows[1:]], 1),
    "the file is empty": (lambda rows: [], None),
}


@pytest.mark.parametrize("message", DAMAGE)
def test_a_damaged_file_names_its_line(tmp_path: Path, message: str) -> None:
    change, line = DAMAGE[message]
    path = tmp_path / "scores.jsonl"
    write_scores(evaluate(QRELS, RUN, ["R_cap@10", "AP"]), path)
    path.write_text("".join(f"{row}\n" for row in change(path.read_text("utf-8").splitlines())), "utf-8")
    with pytest.raises(DataError, match=message) as caught:
        read_scores(path)
    assert (caught.value.path, caught.value.line) == (str(path), line)


def test_a_data_frame_has_one_row_per_query(monkeypatch: pytest.MonkeyPatch) -> None:
    scores = evaluate(QRELS, RUN, ["AP", "R_cap@10"])
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'beirkit\[frames\]'"):
        scores.to_frame()
    monkeypatch.undo()
    pytest.importorskip("pandas")
    frame = scores.to_frame()
    assert list(frame.columns) == ["AP", "R_cap@10"]
    assert frame.loc["q1", "AP"] == 1.0
    assert frame["R_cap@10"].isna().tolist() == [False, True, False]
