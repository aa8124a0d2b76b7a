"""Scores on disk come back as they were, whatever the ids and values."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from beirkit.evaluate.measures import parse_measures
from beirkit.evaluate.protocol import get_protocol
from beirkit.evaluate.score_files import read_scores, write_scores
from beirkit.evaluate.scores import Counts, Scores

ids = st.text(st.characters(exclude_categories=["Cs"]), max_size=6)
values = st.one_of(st.just(float("nan")), st.floats(allow_nan=False, allow_infinity=False))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(st.tuples(ids, values, values), unique_by=lambda row: row[0], max_size=6),
    st.sampled_from(["beirkit", "beir", "trec_eval", "mteb"]),
    st.none() | st.integers(1, 1000),
)
def test_writing_and_reading_is_identity(
    tmp_path: Path, rows: list[tuple[str, float, float]], protocol: str, depth: int | None
) -> None:
    scores = Scores(
        tuple(row[0] for row in rows),
        parse_measures(["nDCG@10", "P(rel=2)@5"]),
        np.array([row[1:] for row in rows], dtype=np.float64).reshape(len(rows), 2),
        get_protocol(protocol),
        Counts(judged=len(rows), scored=len(rows), missing=1, duplicates=2),
        depth,
    )
    write_scores(scores, tmp_path / "s.jsonl")
    read = read_scores(tmp_path / "s.jsonl")
    assert read.query_ids == scores.query_ids
    assert read.measures == scores.measures
    assert np.array_equal(read.values, scores.values, equal_nan=True)
    assert (read.protocol, read.counts, read.depth) == (scores.protocol, scores.counts, scores.depth)
    write_scores(read, tmp_path / "again.jsonl")
    assert (tmp_path / "again.jsonl").read_bytes() == (tmp_path / "s.jsonl").read_bytes()
