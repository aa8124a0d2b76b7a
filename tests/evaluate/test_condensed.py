"""Condensed lists: measures over judged results alone."""

from __future__ import annotations

import re
from math import log2
from typing import ClassVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from beirkit.evaluate import evaluate


class TestCondensedLists:
    """Results without a judgment are taken out before anything is counted."""

    QRELS: ClassVar = {"q": {"a": 1, "b": 0, "c": 2}}
    RUN: ClassVar = {"q": {"x": 9.0, "b": 8.0, "y": 7.0, "a": 6.0, "z": 5.0, "c": 4.0}}

    @pytest.mark.parametrize(
        ("name", "value"),
        [
            ("AP(judged_only=True)", (1 / 2 + 2 / 3) / 2),
            ("RR(judged_only=true)@1", 0.0),
            ("RR(judged_only=True)@2", 1 / 2),
            ("P(judged_only=True)@5", 2 / 5),
            ("RR(rel=2,judged_only=True)", 1 / 3),
            ("nDCG(judged_only=True)@2", (1 / log2(3)) / (2 + 1 / log2(3))),
            ("R_cap(judged_only=True)@2", 1 / 2),
        ],
    )
    def test_values(self, name: str, value: float) -> None:
        assert evaluate(self.QRELS, self.RUN, name).mean(name) == pytest.approx(value, abs=1e-12)

    def test_depth_is_of_the_list_as_it_came(self) -> None:
        scores = evaluate(self.QRELS, self.RUN, ["RR(judged_only=True)", "R(judged_only=True)@3"], depth=4)
        assert scores.means() == {"RR(judged_only=True)": 0.5, "R(judged_only=True)@3": 0.5}

    @settings(max_examples=60, deadline=None)
    @given(
        st.dictionaries(st.sampled_from("abcdefgh"), st.integers(-1, 3), min_size=1),
        st.permutations("abcdefghij"),
    )
    def test_equals_scoring_the_run_without_unjudged_results(
        self, row: dict[str, int], order: list[str]
    ) -> None:
        run = {doc_id: float(-place) for place, doc_id in enumerate(order)}
        short = {doc_id: score for doc_id, score in run.items() if doc_id in row}
        names = ("AP", "nDCG@3", "RR@2", "R_cap@2", "P@4", "nDCG_exp@5")
        condensed = [re.sub(r"^\w+", r"\g<0>(judged_only=True)", name) for name in names]
        ours = evaluate({"q": row}, {"q": run}, condensed).means().values()
        assert list(ours) == list(evaluate({"q": row}, {"q": short}, names).means().values())
