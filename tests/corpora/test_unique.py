"""Ids that repeat, and ids whose bits do."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from beirkit.corpora import keys, seen
from beirkit.corpora.blocks import Batch, batches
from beirkit.corpora.errors import DataError
from beirkit.corpora.ids import has_white_space, id_problem
from beirkit.corpora.keys import IdSet
from beirkit.corpora.records import Document
from beirkit.corpora.seen import Seen
from beirkit.corpora.unique import unique


def documents(*texts: tuple[str, str]) -> list[tuple[int, Document]]:
    return [(number, Document(doc_id, "", text)) for number, (doc_id, text) in enumerate(texts, 1)]


@pytest.fixture
def few_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every id has the same bits, so that only a look at the ids themselves tells them apart."""
    monkeypatch.setattr(keys, "_MASK", 0)
    monkeypatch.setattr(seen, "_bits", lambda value: 1)


@pytest.mark.usefixtures("few_bits")
def test_different_ids_with_equal_bits_are_kept(caplog: pytest.LogCaptureFixture) -> None:
    records = documents(("a", "x"), ("b", "x"), ("c", "x"), ("b", "x"))
    said: list[str] = []
    kept = list(unique(lambda: batches(records), place="record", warn=said.append))
    assert [document.doc_id for document in kept] == ["a", "b", "c"]
    assert said == ["collection: 1 repeated records dropped, the same id and text each time (e.g. b)"]
    records[-1] = (9, Document("b", "", "y"))
    with pytest.raises(DataError, match="document id 'b' stands at records 2 and 9 with different texts"):
        list(unique(lambda: batches(records), place="record"))


def test_a_source_without_repeats_is_read_once() -> None:
    passes = 0

    def start() -> Iterator[Batch[Document]]:
        nonlocal passes
        passes += 1
        return batches(documents(("a", "x"), ("b", "x")))

    assert len(list(unique(start, place="record"))) == 2
    assert passes == 1


@pytest.mark.parametrize("few", [0, 10, 1 << 19])
def test_ids_seen_so_far(monkeypatch: pytest.MonkeyPatch, few: int) -> None:
    """All new, whether they stand in the set, in the table or in both."""
    monkeypatch.setattr(seen, "_FEW", few)
    for repeated in ("3", "17", "29", "x"):
        ids = Seen()
        assert all(ids.add([str(number) for number in range(start, start + 4)]) for start in range(0, 28, 4))
        assert ids.add(["x", repeated]) == (repeated == "29")
    assert not Seen().add(["a", "a"])
    assert Seen().add([])


def test_a_set_of_ids() -> None:
    seen = IdSet()
    assert [seen.add(value) for value in ("a", "b", "a", "")] == [True, True, False, True]
    assert (len(seen), "b" in seen, "c" in seen) == (3, True, False)


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        ("", "is empty"),
        ("a\x00", "holds the control character U+0000"),
        ("a\x7f", "holds the control character U+007F"),
        ("a\x9f", "holds the control character U+009F"),
        ("a b", ""),
        ("\u2028", ""),
        ("\U0010ffff", ""),
        ("é/#\"'", ""),
    ],
)
def test_what_an_id_may_be(value: str, problem: str) -> None:
    assert id_problem(value) == problem


@pytest.mark.parametrize("value", ["", " ", "a b", "a ", "\ta", "a\u00a0b", "a\u2028", "a\u3000"])
def test_white_space(value: str) -> None:
    assert has_white_space(value)
    assert not has_white_space("a\u200bb")
