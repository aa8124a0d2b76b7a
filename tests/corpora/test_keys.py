"""Tables of keys against a dictionary, in batches of every make."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from beirkit.corpora import keys
from beirkit.corpora.keys import IdSet, KeyTable, id_keys


@given(
    st.lists(st.lists(st.tuples(st.integers(1, 9), st.integers(0, 2), st.integers(0, 99)), max_size=30)),
)
def test_a_table_is_a_dictionary(given_batches: list[list[tuple[int, int, int]]]) -> None:
    """Few keys of which many want one slot: the first row of a key stays, in the batch and before it."""
    table = KeyTable(keys=2, values=1)
    model: dict[tuple[int, int], int] = {}
    for batch in given_batches:
        rows: npt.NDArray[np.uint64] = np.array(batch, np.uint64).reshape(-1, 3).T
        new, held = table.add(rows)
        for row, is_new, value in zip(batch, new.tolist(), held[0].tolist(), strict=True):
            assert is_new == (row[:2] not in model)
            assert value == model.setdefault(row[:2], row[2])
    assert len(table) == len(model)
    asked = np.array([(a, b) for a in range(1, 10) for b in range(3)], np.uint64).T
    found, values = table.find(asked)
    for key, is_there, value in zip(asked.T.tolist(), found.tolist(), values[0].tolist(), strict=True):
        assert (is_there, value) == (tuple(key) in model, model.get(tuple(key), 0))


@pytest.mark.parametrize("batch", [1_000, 40_000])
def test_a_set_grows(batch: int) -> None:
    seen = IdSet()
    for start in range(0, 120_000, batch):
        assert seen.add_all([str(number) for number in range(start, start + batch)]).all()
    assert len(seen) == 120_000
    assert seen.has([str(number) for number in range(0, 120_000, 7)]).all()
    assert not seen.has([f"{number}x" for number in range(10_000)]).any()
    assert not seen.add_all(["5", "119999"]).any()


def test_few_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keys, "_MASK", 3)
    assert set(id_keys([str(number) for number in range(100)]).tolist()) <= {1, 3}
