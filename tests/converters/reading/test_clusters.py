"""Groups of linked ids, ids that are numbers, and lines of columns."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from beirkit.converters.reading.clusters import Clusters
from beirkit.converters.reading.seen_numbers import SeenNumbers
from beirkit.converters.reading.tab_columns import tab_columns
from beirkit.corpora.errors import DataError

IDS = st.sampled_from([*"abcdefgh"])


@given(st.lists(st.tuples(IDS, IDS)))
def test_groups_are_the_connected_components(links: list[tuple[str, str]]) -> None:
    clusters = Clusters()
    reach = {one: {one} for one in "abcdefgh"}
    for one, other in links:
        clusters.link(one, other)
        joined = reach[one] | reach[other]
        for member in joined:
            reach[member] = joined
    for one, group in reach.items():
        assert sorted(clusters.of(one)) == sorted(group)
    groups = {frozenset(group) for group in reach.values() if len(group) > 1}
    assert sorted(map(sorted, clusters)) == sorted(map(sorted, groups))


NAMES = st.integers(0, 300).map(str) | st.sampled_from(
    ["", "007", "-1", "²", "1" * 10, "9" * 11, str((1 << 30) - 1), str(1 << 30), "x"]
)


@given(st.lists(NAMES))
def test_an_id_is_new_once_whatever_it_looks_like(names: list[str]) -> None:
    seen, known = SeenNumbers(), set[str]()
    for name in names:
        assert seen.add(name) == (name not in known)
        known.add(name)


def test_the_last_column_takes_what_is_left(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text('1\t"a\tb\tc\r\n\n2\tx\t\n')
    assert [(row.line, row.cells) for row in tab_columns(path, "id", "x", "rest")] == [
        (1, {"id": "1", "x": '"a', "rest": "b\tc"}),
        (3, {"id": "2", "x": "x", "rest": ""}),
    ]
    path.write_text("1\ta\n")
    with pytest.raises(DataError, match=r"a\.txt:1: has 2 columns instead of 3 \(needed are: id, x, rest"):
        list(tab_columns(path, "id", "x", "rest"))
