"""A collection that every target is tried on."""

from __future__ import annotations

import pytest

from beirkit.corpora.collection import Collection
from beirkit.corpora.records import Document, Judgment, Query
from tests.corpora.exports.samples import collection_of


@pytest.fixture
def weather() -> Collection:
    """Four documents and three queries with what forms stumble over, two splits."""
    documents = [
        Document("d1", "Tides", "The moon\npulls the sea.", {"year": 1901}),
        Document("d2", "", "p < .05 & <TEXT> </DOC> \u05e9\u05dc\u05d5\u05dd"),
        Document("<dbpedia:Rain>", "R&D", "  two  blanks\x0cand a page"),
        Document("d4", "Dew", ""),
    ]
    queries = [
        Query("q1", "what moves the sea", {"narrative": "the sea <b>and</b> tides"}),
        Query("q2", "warm\twind"),
        Query("q3", "never judged"),
    ]
    judgments = {
        "dev": [Judgment("q2", "d2", 1)],
        "test": [Judgment("q1", "d1", 2), Judgment("q1", "d2", 0), Judgment("q2", "<dbpedia:Rain>", -1)],
    }
    return collection_of(documents, queries, judgments)
