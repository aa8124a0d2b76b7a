from __future__ import annotations

import tempfile
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from beirkit.corpora.errors import WriteError
from beirkit.retrievers.lexical import spill
from beirkit.retrievers.lexical.analyzer import Analyzer, AnalyzerOptions
from beirkit.retrievers.lexical.counts import CountsBuilder, TermCounts
from beirkit.retrievers.store import blocks

PLAIN = AnalyzerOptions(stopwords="none", stemmer="none", min_length=1)


def _count(texts: list[str], size: int) -> TermCounts:
    builder = CountsBuilder(Analyzer(PLAIN))
    for block in blocks(texts, size):
        builder.add(block)
    return builder.build()


def _as_dicts(counts: TermCounts) -> list[dict[str, int]]:
    rows: list[dict[str, int]] = [{} for _ in counts.lengths]
    for term, number in counts.vocabulary.items():
        part = slice(counts.indptr[number], counts.indptr[number + 1])
        assert np.all(np.diff(counts.docs[part]) > 0), "documents of a term ascend"
        for doc, count in zip(counts.docs[part].tolist(), counts.counts[part].tolist(), strict=True):
            rows[doc][term] = count
    return rows


def test_by_hand() -> None:
    counts = _count(["b a b", "", "a c"], 2)
    assert counts.vocabulary == {"b": 0, "a": 1, "c": 2}
    assert counts.indptr.tolist() == [0, 1, 3, 4]
    assert counts.docs.tolist() == [0, 0, 2, 2]
    assert counts.counts.tolist() == [2, 1, 1, 1]
    assert counts.lengths.tolist() == [3, 0, 2]
    assert counts.statistics.frequencies.tolist() == [1, 2, 1]
    assert (counts.statistics.documents, counts.statistics.length) == (3, 5)
    assert counts.statistics.average_length == 5 / 3
    assert counts.docs.dtype == np.int32
    assert counts.counts.dtype == np.int32


TEXTS = st.lists(st.lists(st.sampled_from("abcdef"), max_size=8).map(" ".join), min_size=1, max_size=12)


@given(TEXTS, st.integers(1, 13))
def test_equals_counting_one_by_one_in_blocks_of_any_size(texts: list[str], size: int) -> None:
    counts = _count(texts, size)
    assert _as_dicts(counts) == [dict(Counter(text.split())) for text in texts]
    assert counts.lengths.tolist() == [len(text.split()) for text in texts]
    whole = _count(texts, len(texts))
    assert counts.vocabulary == whole.vocabulary
    assert counts.docs.tobytes() == whole.docs.tobytes()
    assert counts.counts.tobytes() == whole.counts.tobytes()


@given(TEXTS, st.integers(1, 5), st.integers(0, 20))
def test_waiting_in_a_file_changes_no_byte(texts: list[str], size: int, in_memory: int) -> None:
    expected = _count(texts, size)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(spill, "IN_MEMORY", in_memory)
        counts = _count(texts, size)
    assert counts.vocabulary == expected.vocabulary
    for name in ("indptr", "docs", "counts", "lengths"):
        assert getattr(counts, name).tobytes() == getattr(expected, name).tobytes()


def test_postings_beyond_the_limit_wait_in_the_file_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spill, "IN_MEMORY", 3)
    held = spill.Blocks()
    given = [np.arange(3 * size, dtype=np.int32).reshape(3, size) for size in (2, 0, 1, 4, 5)]
    for columns in given:
        held.append(spill.Block(*columns))
    assert held._waiting == []
    for _ in range(2):
        found = [np.stack((block.terms, block.docs, block.values)) for block in held]
        assert [columns.tolist() for columns in found] == [columns.tolist() for columns in given]


def test_a_full_disk_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(**_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(spill, "IN_MEMORY", 0)
    monkeypatch.setattr(tempfile, "TemporaryFile", full)
    with pytest.raises(WriteError, match=r"No space left on device.*TMPDIR"):
        _count(["owl"], 1)


def test_a_vocabulary_that_grows_beyond_its_array() -> None:
    counts = _count([" ".join(f"w{n}" for n in range(700 * block)) for block in range(1, 6)], 1)
    assert np.diff(counts.indptr).tolist() == [5 - number // 700 for number in range(3500)]
