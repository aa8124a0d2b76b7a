"""Documents that a query excludes are no results of it."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from beirkit.corpora.errors import DataError
from beirkit.corpora.records import Query
from beirkit.corpora.run import Run
from beirkit.evaluate.exclusions import excluded_of, without_excluded

RUN = {"q1": {"a": 3.0, "b": 2.0, "c": 1.0}, "q2": {"a": 2.0, "b": 1.0}}


def test_only_the_query_that_excludes_a_document_loses_it() -> None:
    run, gone = without_excluded(Run.from_dict(RUN), {"q1": {"a", "c", "elsewhere"}, "q3": {"a"}})
    assert run.to_dict() == {"q1": {"b": 2.0}, "q2": RUN["q2"]}
    assert gone == 2


def test_the_lists_are_in_the_metadata_of_queries() -> None:
    queries = [
        Query("q1", "x", {"excluded_ids": ["a", "b"]}),
        Query("q2", "y"),
        Query("q3", "z", {"excluded_ids": []}),
    ]
    assert excluded_of(queries) == {"q1": frozenset({"a", "b"})}
    for wrong in ("a", [1], {"a": 1}):
        with pytest.raises(DataError, match="the excluded_ids of query 'q' are"):
            excluded_of([Query("q", "x", {"excluded_ids": wrong})])


@settings(max_examples=60, deadline=None)
@given(
    st.dictionaries(
        st.sampled_from("pqr"), st.dictionaries(st.sampled_from("abcd"), st.floats(0, 1)), min_size=1
    ),
    st.dictionaries(st.sampled_from("pqrs"), st.sets(st.sampled_from("abcdx"))),
)
def test_equals_leaving_them_out_by_hand(
    run: dict[str, dict[str, float]], excluded: dict[str, set[str]]
) -> None:
    expected = {q: {d: s for d, s in row.items() if d not in excluded.get(q, ())} for q, row in run.items()}
    found, gone = without_excluded(Run.from_dict(run), excluded)
    assert found.to_dict() == expected
    assert gone == sum(map(len, run.values())) - sum(map(len, expected.values()))
