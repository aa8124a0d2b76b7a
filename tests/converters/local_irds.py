"""Datasets registered with the installed ir_datasets that need no network: invented notes on lighthouses."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

ID = "beirkit-lighthouses"


class Keeper(NamedTuple):
    name: str
    since: int


class Note(NamedTuple):
    doc_id: str
    title: str
    body: str
    url: str
    scan: bytes
    keepers: tuple[Keeper, ...]

    def default_text(self) -> str:
        return f"{self.title} {self.body}"


class Topic(NamedTuple):
    query_id: str
    title: str
    description: str


class Grade(NamedTuple):
    query_id: str
    doc_id: str
    relevance: int
    iteration: str = "0"


class Subgrade(NamedTuple):
    query_id: str
    doc_id: str
    relevance: int
    subtopic_id: str


NOTES = (
    Note(
        "n/1",
        "Lamp room",
        "Kept at ten degrees.\nPanes are cleaned daily.",
        "https://example.org/1",
        b"\0",
        (),
    ),
    Note(
        "n/2", "", "Fog signals – every ninety seconds.", "", b"", (Keeper("Ada", 1898), Keeper("Lin", 1901))
    ),
    Note("n/3", "Log", "", "", b"", ()),
)
TOPICS = (
    Topic("7", "lamp temperature", "How warm is it?"),
    Topic("8", "fog", ""),
    Topic("9", "stairs", "Who?"),
)
TRAIN = (Grade("8", "n/2", 2), Grade("8", "n/3", -100))
TEST = (Grade("7", "n/1", 1), Grade("7", "n/2", 0))
SUBTOPICS = (Subgrade("7", "n/1", 0, "a"), Subgrade("7", "n/1", 2, "b"), Subgrade("7", "n/2", -2, "a"))
MEANINGS = {2: "answers", 1: "related", 0: "neither", -100: "Excluded from the ranking"}


def register(home: Path) -> None:
    """Make the datasets known, once; what ir_datasets itself keeps goes to the given folder."""
    os.environ["IR_DATASETS_HOME"] = str(home)
    import ir_datasets

    if ID in ir_datasets.registry:
        return
    docs, queries = _docs(), _queries()
    for name, parts in {
        ID: (docs, queries),
        f"{ID}/train": (docs, queries, _qrels(TRAIN)),
        f"{ID}/test": (docs, queries, _qrels(TEST)),
        f"{ID}-subtopics": (docs, queries, _qrels(SUBTOPICS, Subgrade)),
        f"{ID}-unjudged": (docs, queries),
        f"{ID}-nothing": (queries,),
    }.items():
        ir_datasets.registry.register(name, ir_datasets.Dataset(*parts))


def _docs() -> Any:
    from ir_datasets.formats import BaseDocs

    class Docs(BaseDocs):  # type: ignore[misc]  # ir_datasets has no types
        def docs_iter(self) -> Iterator[Note]:
            return iter(NOTES)

        def docs_cls(self) -> type[Note]:
            return Note

    return Docs()


def _queries() -> Any:
    from ir_datasets.formats import BaseQueries

    class Queries(BaseQueries):  # type: ignore[misc]  # ir_datasets has no types
        def queries_iter(self) -> Iterator[Topic]:
            return iter(TOPICS)

        def queries_cls(self) -> type[Topic]:
            return Topic

    return Queries()


def _qrels(records: Sequence[Any], shape: type[Any] = Grade) -> Any:
    from ir_datasets.formats import BaseQrels

    class Qrels(BaseQrels):  # type: ignore[misc]  # ir_datasets has no types
        def qrels_iter(self) -> Iterator[Any]:
            return iter(records)

        def qrels_cls(self) -> type[Any]:
            return shape

        def qrels_defs(self) -> dict[int, str]:
            return MEANINGS

    return Qrels()
