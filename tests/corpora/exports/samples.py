"""Collections that targets are tried on."""

from __future__ import annotations

from functools import partial

from hypothesis import strategies as st

from beirkit.corpora.collection import Collection, Provenance
from beirkit.corpora.exports.base import Facts
from beirkit.corpora.records import Document, Judgment, Metadata, Query

FACTS = Facts(
    name="weather",
    title="Weather & tides",
    task="question answering",
    domain="short notes on weather",
    language="en-GB",
    licence="CC BY-SA 4.0",
    citation="@misc{weather,\n  title = {Weather}\n}",
    source="Somebody's notebook.",
    revision="abc",
    reported_split="test",
    differences=("one note less",),
)


def collection_of(
    documents: list[Document], queries: list[Query], judgments: dict[str, list[Judgment]]
) -> Collection:
    """A collection over lists."""
    return Collection(
        documents=lambda: documents,
        queries=lambda: queries,
        judgments={split: partial(iter, rows) for split, rows in judgments.items()},
        provenance=Provenance(source="weather", licence="CC BY-SA 4.0"),
    )


def records(collection: Collection) -> tuple[list[Document], list[Query], dict[str, list[Judgment]]]:
    """Everything a collection holds."""
    judgments = {split: list(collection.judgments(split)) for split in collection.splits}
    return list(collection.documents()), list(collection.queries()), judgments


# Any Unicode text that UTF-8 can carry.
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
ids = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=6).filter(str.strip)
metadata: st.SearchStrategy[Metadata] = st.dictionaries(
    texts,
    st.one_of(st.none(), st.booleans(), st.integers(-9, 9), texts, st.lists(texts, max_size=2)),
    max_size=2,
)


@st.composite
def collections(
    draw: st.DrawFn,
    names: st.SearchStrategy[str] = ids,
    texts: st.SearchStrategy[str] = texts,
    metadata: st.SearchStrategy[Metadata] = metadata,
) -> Collection:
    """Any small collection with one split."""
    doc_ids = draw(st.lists(names, unique=True, min_size=1, max_size=3))
    query_ids = draw(st.lists(names, unique=True, min_size=1, max_size=3))
    pairs = st.lists(
        st.tuples(st.sampled_from(query_ids), st.sampled_from(doc_ids)), unique=True, min_size=1, max_size=4
    )
    return collection_of(
        [Document(doc_id, draw(texts), draw(texts), draw(metadata)) for doc_id in doc_ids],
        [Query(query_id, draw(texts), draw(metadata)) for query_id in query_ids],
        {"test": [Judgment(*pair, draw(st.integers(-2, 1000))) for pair in draw(pairs)]},
    )
