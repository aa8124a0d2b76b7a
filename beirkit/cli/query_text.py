"""One query as ``beirkit show`` writes it: for people, and as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from beirkit.cli.query_inputs import Found
    from beirkit.evaluate.report.model import QueryView, Text
    from beirkit.retrievers.lexical.analysis.pipeline import Pipeline

_LINE = 100  # characters of a text on a line of the terminal
_SNIPPET = 200


@dataclass(frozen=True)
class Shown:
    """What can be shown of a dataset.

    Attributes:
        found: systems, runs, texts.
        order: ids of queries, in the order in which next and previous go.
        top: results of each system.
        analyzers: of the lexical systems.
    """

    found: Found
    order: list[str]
    top: int
    analyzers: Mapping[str, Pipeline]

    def view(self, place: int) -> tuple[QueryView, dict[str, Text]]:
        """A query and the documents that it is about."""
        from beirkit.query_views import shown_documents

        view = self.found.answers.views([self.order[place]], self.top)[0]
        return view, self.found.texts(shown_documents([view]), whole=True)

    def matched(self, system: str, view: QueryView, text: Text | None) -> tuple[str, ...] | None:
        """Terms that query and document have in common; None: not known, or the system has none."""
        from beirkit.matching import matched_terms

        analyzer = self.analyzers.get(system)
        return None if analyzer is None or text is None else matched_terms(analyzer, view.text, text)


def analyzers(paths: Mapping[str, Path]) -> dict[str, Pipeline]:
    """The analyzers of those systems that are lexical, and known as they were."""
    from beirkit.matching import analyzer_of
    from beirkit.reporting import stored_result

    found = {}
    for system, path in paths.items():
        result = stored_result(path)
        analyzer = None if result is None else analyzer_of(result)
        if analyzer is not None:
            found[system] = analyzer
    return found


def as_text(shown: Shown, place: int, measure: str) -> str:
    """A query for people."""
    return "\n".join(_lines(shown, place, measure)) + "\n"


def _lines(shown: Shown, place: int, measure: str) -> Iterator[str]:
    view, texts = shown.view(place)
    yield f"Query {_plain(view.query_id)} ({place + 1:,} of {len(shown.order):,})"
    if view.text:
        yield from _wrapped(view.text, "  ")
    if view.judged:
        relevant = {doc_id: grade for doc_id, grade in view.judged.items() if grade > 0}
        yield ""
        yield f"Relevant: {len(relevant)} of {len(view.judged)} judged"
        for doc_id, grade in sorted(relevant.items(), key=lambda item: (-item[1], item[0])):
            yield f"  [{grade}] {_plain(doc_id)}{_titled(texts.get(doc_id))}"
    for system, ranking in sorted(view.rankings.items(), key=lambda item: _worth(view, item[0])):
        value = view.values.get(system)
        yield ""
        yield f"{_plain(system)}: {measure} {'–' if value is None else f'{value:.4f}'}"
        if not ranking:
            yield "  returned nothing"
        for rank, one in enumerate(ranking, 1):
            judged = _grade(view, one.doc_id)
            text = texts.get(one.doc_id)
            yield f"  {rank:>3}. {one.score:<10.6g} {judged:<4} {_plain(one.doc_id)}{_titled(text)}"
            if text is not None and text.text:
                yield f"       {_beginning(text.text)}"
            matched = shown.matched(system, view, text)
            if matched is not None:
                yield f"       terms: {' '.join(map(_plain, matched)) or 'none'}"


def as_json(shown: Shown, place: int) -> dict[str, Any]:
    """A query for machines: whole texts, and what stands before and behind it."""
    view, texts = shown.view(place)
    order = shown.order
    systems = []
    for system, ranking in view.rankings.items():
        results = []
        for rank, one in enumerate(ranking, 1):
            matched = shown.matched(system, view, texts.get(one.doc_id))
            results.append(
                {
                    "rank": rank,
                    "doc_id": one.doc_id,
                    "score": one.score,
                    "grade": view.judged.get(one.doc_id),
                    **({} if matched is None else {"terms": list(matched)}),
                }
            )
        systems.append({"system": system, "value": view.values.get(system), "results": results})
    return {
        "query_id": view.query_id,
        "text": view.text,
        "place": place + 1,
        "queries": len(order),
        "previous": order[place - 1] if place else None,
        "next": order[place + 1] if place + 1 < len(order) else None,
        "judged": dict(view.judged),
        "systems": systems,
        "documents": {doc_id: {"title": one.title, "text": one.text} for doc_id, one in texts.items()},
    }


def _worth(view: QueryView, system: str) -> tuple[float, str]:
    value = view.values.get(system)
    return (1.0 if value is None else -value, system)


def _grade(view: QueryView, doc_id: str) -> str:
    grade = view.judged.get(doc_id)
    return "" if grade is None else f"[{grade}]"


def _titled(text: Text | None) -> str:
    return f"  {_plain(text.title)}" if text is not None and text.title else ""


def _beginning(text: str) -> str:
    line = _plain(" ".join(text[: 4 * _SNIPPET].split()))
    return line if len(line) <= _SNIPPET else line[:_SNIPPET] + "…"


def _wrapped(text: str, indent: str) -> list[str]:
    import textwrap

    return textwrap.wrap(_plain(text), _LINE, initial_indent=indent, subsequent_indent=indent)


def _plain(text: str) -> str:
    """A text without what a terminal would take for a command."""
    return "".join(letter if letter.isprintable() else " " for letter in text)
