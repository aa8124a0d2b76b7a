"""What a notebook sees."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

import beirkit


def test_every_public_name_loads() -> None:
    for name in beirkit.__all__:
        assert getattr(beirkit, name) is not None
    assert set(beirkit.__all__) <= set(dir(beirkit))


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no_such_name"):
        beirkit.no_such_name  # noqa: B018 - the access is the test


def test_evaluate_works_on_plain_dictionaries_by_either_way() -> None:
    from beirkit.evaluate import evaluate

    qrels, run = {"q1": {"d1": 1}, "q2": {"d2": 1}}, {"q1": {"d1": 2.0, "d2": 1.0}}
    room: Any = beirkit.evaluate
    for function in (evaluate, room):
        scores = function(qrels, run, ["nDCG@10", "MRR@10"])
        assert scores.mean("nDCG@10") == 0.5
        assert scores.per_query()["q2"] == {"nDCG@10": 0.0, "RR@10": 0.0}


def test_importing_beirkit_loads_nothing_heavy() -> None:
    code = "import sys, beirkit; print(sorted({'numpy', 'scipy', 'torch', 'msgspec'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_whole_comparison_in_a_notebook() -> None:
    from beirkit.evaluate import evaluate

    qrels = {f"q{i}": {"d1": 1} for i in range(8)}
    good = {q: {"d1": 2.0, "d2": 1.0} for q in qrels}
    bad = {q: {"d1": 1.0, "d2": 2.0} for q in qrels}
    scores = {name: evaluate(qrels, run, ["RR@10"]) for name, run in (("bad", bad), ("good", good))}
    [row] = beirkit.compare(scores, "RR@10", baseline="bad").rows
    assert (row.system, row.difference, row.wins) == ("good", 0.5, 8)
    assert row.p is not None
    assert row.p < 0.05
    assert [place.rank for place in beirkit.leaderboard(scores, "RR@10").places] == [1, 2]
