"""Zero-shot status: declared training data against the family of a dataset."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from beirkit.configs.ancestry import training_of
from beirkit.configs.load import load_retriever
from beirkit.evaluate.zero_shot import zero_shot_status


@pytest.mark.parametrize(
    ("trained_on", "family", "status"),
    [
        ([["msmarco", "nq"]], "scifact", "zero-shot"),
        ([["msmarco", "nq"]], "nq", "in-domain"),
        ([[]], "nq", "zero-shot"),
        ([None], "nq", "unknown"),
        ([["msmarco"], None], "nq", "unknown"),  # what it was made from may have seen it
        ([["nq"], None], "nq", "in-domain"),
        ([["msmarco"], ["nq"]], "nq", "in-domain"),
        ([["msmarco"]], "", "unknown"),
        ([[]], "", "zero-shot"),  # BM25 is trained on nothing
    ],
)
def test_status(trained_on: list[list[str] | None], family: str, status: str) -> None:
    assert zero_shot_status(trained_on, family) == status


def test_a_model_inherits_the_training_of_what_it_was_made_from(tmp_path: Path) -> None:
    minilm = load_retriever("minilm")
    mine = msgspec.structs.replace(minilm, name="mine", trained_on=["scifact"], adapted_from="minilm")
    assert training_of(mine) == [["scifact"], minilm.trained_on]
    strange = msgspec.structs.replace(mine, adapted_from="somebody/else")
    assert training_of(strange) == [["scifact"], None]
    assert training_of(load_retriever("bm25")) == [[]]
