"""Queries inside a page: as many as there is room for, packed; the rest as lines of a file beside it."""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from beirkit.evaluate.report.model import QuerySet, QueryView, Text

SNIPPET = 300
"""Characters of a document that are shown where there is room."""

_LEAST_SNIPPET = 80

_DIGITS = 6  # of a score, as many as tell results apart for a reader


def packed(facts: Any) -> str:
    """JSON as gzip in base64: equal data are equal text, and no character of them is one of HTML."""
    text = json.dumps(facts, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return base64.b64encode(gzip.compress(text.encode("utf-8", "replace"), 6, mtime=0)).decode("ascii")


def fitted(queries: QuerySet, room: int, *, most: int, depth: int) -> tuple[str, int]:
    """As many of the first queries as fit, packed, and how many these are.

    Where they are too much, beginnings of documents get shorter first, then rankings, then queries go.

    Args:
        queries: those to show first in front.
        room: characters that the packed queries may take.
        most: how many queries to show.
        depth: results of each system to show.
    """
    views = list(queries.views[:most])
    snippet = SNIPPET
    while True:
        text = packed(as_data(queries.systems, views, queries.texts, depth=depth, snippet=snippet))
        if len(text) <= room or not views:
            return text, len(views)
        share = room / len(text)
        if queries.texts and snippet > _LEAST_SNIPPET:
            snippet = max(_LEAST_SNIPPET, int(snippet * max(0.4, share * 0.9)))
        elif depth > 5:
            depth = max(5, int(depth * max(0.5, share)))
        else:
            views = views[: min(len(views) - 1, int(len(views) * share * 0.97))]


def as_data(
    systems: Sequence[str], views: Sequence[QueryView], texts: Mapping[str, Text], *, depth: int, snippet: int
) -> dict[str, Any]:
    """What the script of a page reads: documents once, and their places in lists.

    A query is ``i`` (id), ``t`` (text), ``v`` (a value per system), ``r`` (judged documents with grades) and
    ``k`` (a ranking per system).
    """
    places: dict[str, int] = {}

    def place(doc_id: str) -> int:
        return places.setdefault(doc_id, len(places))

    queries = []
    for view in views:
        rankings = [[place(one.doc_id) for one in view.rankings.get(name, ())[:depth]] for name in systems]
        shown = {doc for ranking in rankings for doc in ranking}
        judged = [
            (place(doc_id), grade)
            for doc_id, grade in sorted(view.judged.items(), key=lambda item: (-item[1], item[0]))
            if grade > 0 or places.get(doc_id) in shown
        ]
        values = [_rounded(view.values.get(name)) for name in systems]
        queries.append({"i": view.query_id, "t": view.text, "v": values, "r": judged, "k": rankings})
    nothing = Text("", "")
    docs = [
        [doc_id, texts.get(doc_id, nothing).title, _beginning(texts.get(doc_id, nothing).text, snippet)]
        for doc_id in places
    ]
    return {"systems": list(systems), "queries": queries, "docs": docs}


def as_lines(dataset: str, views: Sequence[QueryView], texts: Mapping[str, Text]) -> Iterator[str]:
    """Queries as JSON lines, one each, with everything that is known about them.

    A document that is known has a line of its own, once, before the first query that is about it.
    """
    told: set[str] = set()
    for view in views:
        documents = {one.doc_id for ranking in view.rankings.values() for one in ranking} | set(view.judged)
        for doc_id in sorted(documents & texts.keys() - told):
            one = texts[doc_id]
            told.add(doc_id)
            facts = {"dataset": dataset, "doc_id": doc_id, "title": one.title}
            yield _line({**facts, "text": _beginning(one.text, SNIPPET)})
        yield _line(
            {
                "dataset": dataset,
                "query_id": view.query_id,
                "text": view.text,
                "spread": view.spread,
                "values": dict(view.values),
                "judged": dict(view.judged),
                "rankings": {
                    name: [[one.doc_id, float(f"{one.score:.{_DIGITS}g}")] for one in ranking]
                    for name, ranking in view.rankings.items()
                },
            }
        )


def _line(facts: Mapping[str, Any]) -> str:
    return json.dumps(facts, ensure_ascii=False, allow_nan=False) + "\n"


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4)


def _beginning(text: str, length: int) -> str:
    text = " ".join(text[: 4 * length].split())
    return text if len(text) <= length else text[:length].rstrip() + "…"
