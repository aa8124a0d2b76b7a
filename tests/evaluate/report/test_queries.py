"""Queries packed into a page: what fits, and what gives way first."""

from __future__ import annotations

import base64
import gzip
import json
from typing import Any

from beirkit.evaluate.report.model import QuerySet
from beirkit.evaluate.report.queries import SNIPPET, fitted
from tests.house.report_data import drawn_report


def drawn(queries: int) -> QuerySet:
    found = drawn_report(["bm25", "minilm"], ["reeds"], queries).parts[0].queries
    assert found is not None
    return found


def read(text: str) -> Any:
    return json.loads(gzip.decompress(base64.b64decode(text)))


def test_documents_stand_once_and_rankings_are_their_places() -> None:
    queries = drawn(3)
    text, shown = fitted(queries, 10**6, most=200, depth=10)
    assert shown == 3
    found = read(text)
    ids = [doc_id for doc_id, _, _ in found["docs"]]
    assert len(ids) == len(set(ids))
    for view, query in zip(queries.views, found["queries"], strict=True):
        assert query["i"] == view.query_id
        for system, ranking in zip(found["systems"], query["k"], strict=True):
            assert [ids[place] for place in ranking] == [one.doc_id for one in view.rankings[system]]
        judged = {ids[place]: grade for place, grade in query["r"]}
        assert {doc: grade for doc, grade in view.judged.items() if grade > 0}.items() <= judged.items()
        assert judged.items() <= view.judged.items()


def test_beginnings_get_shorter_before_queries_go() -> None:
    queries = drawn(40)
    whole, _ = fitted(queries, 10**7, most=200, depth=10)
    smaller, shown = fitted(queries, len(whole) * 2 // 3, most=200, depth=10)
    assert shown == 40
    longest = max(len(text) for _, _, text in read(smaller)["docs"])
    assert longest < max(len(text) for _, _, text in read(whole)["docs"]) <= SNIPPET + 1
    tiny, few = fitted(queries, len(whole) // 12, most=200, depth=10)
    assert 0 < few < 40
    assert len(tiny) <= len(whole) // 12
    assert [one["i"] for one in read(tiny)["queries"]] == [view.query_id for view in queries.views[:few]]


def test_no_room_is_no_query() -> None:
    text, shown = fitted(drawn(3), 10, most=200, depth=10)
    assert shown == 0
    assert read(text)["queries"] == []
