from __future__ import annotations

import logging
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from beirkit.corpora.collection import Collection, Provenance
from beirkit.corpora.errors import DataError, UsageError
from beirkit.corpora.passages import PassageRules, Unit, parse_rules, passages_of, split_passages, windows
from beirkit.corpora.records import Document, Judgment, Query

texts = st.text(st.sampled_from(" ab\n\u05e9\u05c1\U0001f32c\u2028"), max_size=40)


@st.composite
def rules(draw: st.DrawFn, units: tuple[Unit, ...] = ("characters", "words")) -> PassageRules:
    size = draw(st.integers(1, 12))
    overlap = draw(st.integers(0, size - 1))
    return PassageRules(size=size, overlap=overlap, unit=draw(st.sampled_from(units)))


def collection(documents: list[Document], queries: list[Query], judgments: list[Judgment]) -> Collection:
    return Collection(
        documents=lambda: documents,
        queries=lambda: queries,
        judgments={"test": lambda: judgments},
        provenance=Provenance(source="books", converter="table", options={"question": "q"}, licence="CC0"),
    )


@pytest.mark.parametrize(
    ("text", "size", "overlap", "unit", "wanted"),
    [
        ("", 4, 2, "characters", [(0, 0)]),
        ("abc", 4, 2, "characters", [(0, 3)]),
        ("abcd", 4, 2, "characters", [(0, 4)]),
        ("abcde", 4, 2, "characters", [(0, 4), (2, 5)]),
        ("abcdef", 4, 2, "characters", [(0, 4), (2, 6)]),
        ("abcdefg", 4, 2, "characters", [(0, 4), (2, 6), (4, 7)]),
        ("abcdefgh", 4, 0, "characters", [(0, 4), (4, 8)]),
        ("abc", 1, 0, "characters", [(0, 1), (1, 2), (2, 3)]),
        ("abcd", 3, 2, "characters", [(0, 3), (1, 4)]),
        ("\U0001f32cx", 1, 0, "characters", [(0, 1), (1, 2)]),
        ("", 2, 1, "words", [(0, 0)]),
        (" \n ", 2, 1, "words", [(0, 3)]),
        ("one", 2, 1, "words", [(0, 3)]),
        ("  one  two three\n", 2, 1, "words", [(2, 10), (7, 16)]),
        ("a b c d e", 2, 0, "words", [(0, 3), (4, 7), (8, 9)]),
        ("a b c d e", 3, 1, "words", [(0, 5), (4, 9)]),
        ("", 2, 1, "sentences", [(0, 0)]),
        (" \n ", 2, 1, "sentences", [(0, 3)]),
        ("One. Two! Three?", 1, 0, "sentences", [(0, 4), (5, 9), (10, 16)]),
        ("One. Two! Three? Four", 2, 1, "sentences", [(0, 9), (5, 16), (10, 21)]),
        ('He said "go." Then 3.5 of them... went', 1, 0, "sentences", [(0, 13), (14, 33), (34, 38)]),
        ("A title\n \nA text", 1, 0, "sentences", [(0, 7), (10, 16)]),
        ("\u3042\u3002\u300c\u3044\uff01\u300d\u3046", 1, 0, "sentences", [(0, 2), (2, 6), (6, 7)]),
        ("\u0915\u0964 \u0916", 1, 0, "sentences", [(0, 2), (3, 4)]),
        ("....... x", 1, 0, "sentences", [(0, 7), (8, 9)]),
    ],
)
def test_windows_by_hand(
    text: str, size: int, overlap: int, unit: Any, wanted: list[tuple[int, int]]
) -> None:
    assert windows(text, PassageRules(size=size, overlap=overlap, unit=unit)) == wanted


@given(texts, rules())
def test_windows_cover_the_text_in_order_and_at_their_size(text: str, rules: PassageRules) -> None:
    found = windows(text, rules)
    covered = {place for start, end in found for place in range(start, end)}
    needed = {place for place, char in enumerate(text) if rules.unit == "characters" or not char.isspace()}
    assert needed <= covered
    assert found == sorted(set(found))
    for start, end in found:
        units = end - start if rules.unit == "characters" else len(text[start:end].split())
        assert units <= rules.size
    for one, two in pairwise(found):
        shared = text[two[0] : one[1]]
        assert (len(shared) if rules.unit == "characters" else len(shared.split())) == rules.overlap
        assert one[1] < two[1]


@given(st.text(st.sampled_from(" a.!\n\u3002\u201d"), max_size=40), st.integers(1, 4), st.data())
def test_windows_of_sentences_are_made_of_whole_ones(text: str, size: int, data: st.DataObject) -> None:
    rules = PassageRules(size=size, overlap=data.draw(st.integers(0, size - 1)), unit="sentences")
    single = windows(text, PassageRules(size=1, unit="sentences"))
    covered = {place for start, end in single for place in range(start, end)}
    assert {place for place, char in enumerate(text) if not char.isspace()} <= covered
    assert not text.strip() or all(text[s:e] == text[s:e].strip() for s, e in single)
    step = size - rules.overlap
    starts = range(0, max(1, len(single) - rules.overlap), step)
    expected = [(single[first][0], single[min(first + size, len(single)) - 1][1]) for first in starts]
    assert windows(text, rules) == (expected if text.strip() else [(0, len(text))])


@given(texts.filter(bool), rules(), st.data())
def test_a_span_no_longer_than_the_overlap_is_whole_in_a_passage(
    text: str, rules: PassageRules, data: st.DataObject
) -> None:
    units = range(len(text)) if rules.unit == "characters" else range(len(text.split()))
    found = windows(text, rules)
    first = data.draw(st.integers(0, max(0, len(units) - rules.overlap)))
    if rules.unit == "characters":
        end = min(first + rules.overlap, len(text))
        assert any(start <= first and end <= stop for start, stop in found)
    else:
        span = text.split()[first : first + rules.overlap]
        assert any(_inside(span, text[start:stop].split()) for start, stop in found)


def _inside(span: list[str], words: list[str]) -> bool:
    return any(words[place : place + len(span)] == span for place in range(len(words) + 1))


@given(texts, rules(units=("characters", "words", "sentences")))
def test_a_passage_is_the_slice_that_it_tells_of(text: str, rules: PassageRules) -> None:
    document = Document("d", "T", text, {"year": 1901, "start": "mine"})
    passages = list(passages_of(document, rules))
    assert [passage.doc_id for passage in passages] == [f"d#{number}" for number in range(len(passages))]
    for passage in passages:
        place = passage.metadata
        assert passage.text == text[place["start"] : place["end"]]
        assert (passage.title, place["doc"], place["year"]) == ("T", "d", 1901)
    assert list(passages_of(document, rules)) == passages


def test_ids_of_passages_never_meet() -> None:
    documents = [Document("a", "", "xyz"), Document("a#1", "", "xyz"), Document("a#1#1", "", "xyz")]
    ids = [p.doc_id for d in documents for p in passages_of(d, PassageRules(size=1))]
    assert len(set(ids)) == 9


def test_every_passage_inherits_the_grade_of_its_document() -> None:
    made = split_passages(
        collection(
            [Document("d", "", "abcdef"), Document("e", "T", ""), Document("f", "", "abcd")],
            [Query("q", "x"), Query("r", "y")],
            [Judgment("q", "e", 1), Judgment("q", "d", 2), Judgment("r", "d", 0), Judgment("r", "f", -1)],
        ),
        PassageRules(size=3),
    )
    assert [document.doc_id for document in made.documents()] == ["d#0", "d#1", "e#0", "f#0", "f#1"]
    assert list(made.judgments("test")) == [
        Judgment("q", "e#0", 1),
        Judgment("q", "d#0", 2),
        Judgment("q", "d#1", 2),
        Judgment("r", "d#0", 0),
        Judgment("r", "d#1", 0),
        Judgment("r", "f#0", -1),
        Judgment("r", "f#1", -1),
    ]
    assert [query.query_id for query in made.queries()] == ["q", "r"]


# Windows of "0123456789": 0-4, 3-7, 6-10.
@pytest.mark.parametrize(
    ("spans", "overlap", "contains"),
    [
        ([(0, 4)], {0: 2, 1: 1}, {0: 3}),
        ([(0, 3)], {0: 2}, {0: 3}),
        ([(3, 4)], {0: 2, 1: 2}, {0: 3, 1: 3}),
        ([(4, 6)], {1: 2}, {1: 3}),
        ([(2, 8)], {0: 1, 1: 1, 2: 1}, {}),
        ([(9, 10)], {2: 2}, {2: 3}),
        ([(0, 1), (5, 8)], {0: 2, 1: 1, 2: 1}, {0: 3}),
        ([(2, 8), (7, 8)], {0: 1, 1: 1, 2: 2}, {2: 3}),
    ],
)
def test_judgments_by_span(
    spans: list[tuple[int, int]], overlap: dict[int, int], contains: dict[int, int]
) -> None:
    told = {"spans": [{"start": start, "end": end} for start, end in spans]}
    given = collection(
        [Document("d", "", "0123456789")],
        [Query("q", "x", told), Query("r", "y", told)],
        [Judgment("q", "d", 3), Judgment("r", "d", 0)],
    )
    zeros = [Judgment("r", f"d#{number}", 0) for number in range(3)]
    for rule, wanted in (("overlap", overlap), ("contains", contains)):
        made = split_passages(given, PassageRules(size=4, overlap=1, judgments=rule))  # type: ignore[arg-type]  # one of two literals
        found = list(made.judgments("test"))
        assert found == [Judgment("q", f"d#{number}", grade) for number, grade in wanted.items()] + zeros


def test_spans_may_name_their_document() -> None:
    told = {"spans": [{"start": 0, "end": 1, "doc": "e"}, {"start": 3, "end": 4, "doc": "d"}]}
    given = collection(
        [Document("d", "", "abcd"), Document("e", "", "abcd")],
        [Query("q", "x", told)],
        [Judgment("q", "d", 1), Judgment("q", "e", 1)],
    )
    made = split_passages(given, PassageRules(size=2, judgments="overlap"))
    assert list(made.judgments("test")) == [Judgment("q", "d#1", 2), Judgment("q", "e#0", 2)]


@pytest.mark.parametrize(
    ("span", "found"),
    [
        ({"start": 3}, "has a span that is none"),
        ({"start": 2, "end": 2}, "has a span that is none"),
        ({"start": -1, "end": 2}, "has a span that is none"),
        ({"start": "0", "end": "2"}, "has a span that is none"),
        ({"start": True, "end": 2}, "has a span that is none"),
        ("0-2", "has a span that is none"),
        ({"start": 3, "end": 5, "doc": "d"}, "ends at 5, and document 'd' has 4 characters"),
        ({"start": 0, "end": 1}, "has 2 relevant documents, and a span does not say its own"),
    ],
)
@pytest.mark.parametrize("unit", ["characters", "words"])
def test_a_span_that_is_none_is_refused(span: Any, found: str, unit: Any) -> None:
    given = collection(
        [Document("d", "", "abcd"), Document("e", "", "abcd")],
        [Query("q", "x", {"spans": [span]})],
        [Judgment("q", "d", 1), Judgment("q", "e", 1)],
    )
    made = split_passages(given, PassageRules(size=2, unit=unit, judgments="overlap"))
    with pytest.raises(DataError, match=f"query 'q' .*{found}"):
        list(made.judgments("test"))


def test_what_gets_no_judgment_is_told_once(caplog: pytest.LogCaptureFixture) -> None:
    given = collection(
        [Document("d", "", "0123456789")],
        [Query("q", "x"), Query("r", "y", {"spans": [{"start": 0, "end": 9}]}), Query("s", "z")],
        [Judgment("q", "d", 1), Judgment("r", "d", 1), Judgment("s", "gone", 1)],
    )
    made = split_passages(given, PassageRules(size=4, overlap=1, judgments="contains"))
    with caplog.at_level(logging.WARNING):
        assert list(made.judgments("test")) == []
        assert list(made.judgments("test")) == []
    assert [record.getMessage() for record in caplog.records] == [
        "split test: 1 judgments of documents that are not there are left out",
        "split test: 1 relevant documents have no span in their query's metadata, and no passage is judged",
        "split test: 1 spans in relevant documents are whole in no passage: "
        "a larger overlap keeps them whole",
    ]


def test_the_rules_are_recorded_under_a_name_of_their_own() -> None:
    made = split_passages(collection([], [], []), PassageRules(size=400, overlap=80))
    assert made.provenance == Provenance(
        source="books-passages",
        converter="table",
        options={
            "question": "q",
            "passages": {"size": 400, "overlap": 80, "unit": "characters", "judgments": "document"},
        },
        licence="CC0",
    )


def test_documents_are_read_one_at_a_time() -> None:
    taken = []

    def documents() -> Any:
        for number in range(1000):
            taken.append(number)
            yield Document(str(number), "", "abcdef")

    endless = Collection(documents=documents, queries=list, judgments={}, provenance=Provenance(source="s"))
    passages = split_passages(endless, PassageRules(size=2)).documents()
    assert [next(passages).doc_id for _ in range(4)] == ["0#0", "0#1", "0#2", "1#0"]
    assert taken == [0, 1]


def test_rules_are_read_from_a_command_line() -> None:
    assert parse_rules("size=400") == PassageRules(size=400)
    assert parse_rules("size=400, overlap=80,unit=words,judgments=contains") == PassageRules(
        size=400, overlap=80, unit="words", judgments="contains"
    )


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", "'' is no rule for passages"),
        ("400", "write size=400,overlap=80"),
        ("overlap=2", "missing required field `size`"),
        ("size=4,overlop=2", "did you mean 'overlap'"),
        ("size=4,size=5", "'size' for passages is given twice"),
        ("size=many", "Expected `int`"),
        ("size=0", "size is 0: a passage has at least 1 of characters"),
        ("size=4,overlap=4", "overlap is 4"),
        ("size=4,overlap=-1", "overlap is -1"),
        ("size=4,unit=tokens", "Invalid enum value 'tokens'"),
        ("size=4,judgments=span", "Invalid enum value 'span'"),
    ],
)
def test_wrong_rules_are_refused(text: str, found: str) -> None:
    with pytest.raises(UsageError, match=found):
        parse_rules(text)
