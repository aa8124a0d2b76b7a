"""What is known of the dataset that a submission is of, so that ids of another one are found."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from beirkit.evaluate.exports.base import Problem
from beirkit.evaluate.exports.found import Found


@dataclass(frozen=True, kw_only=True)
class Known:
    """The ids of one dataset.

    Attributes:
        dataset: its name.
        splits: for each split its judged queries.
        queries: every query.
        documents: every document; empty: not known.
    """

    dataset: str
    splits: Mapping[str, frozenset[str]]
    queries: frozenset[str]
    documents: frozenset[str] = field(default_factory=frozenset)

    def problems(
        self, found: Found, key: str, lists: Mapping[str, Mapping[str, float]], split: str = ""
    ) -> None:
        """Tell ids of lists that the dataset, or the split, does not have.

        Args:
            found: where it is told.
            key: key path of the lists; empty: they stand at the top.
            lists: results by query.
            split: that the lists are of; empty: not known.
        """
        before = f"{key}." if key else ""
        wanted = self.splits.get(split)
        for query_id, row in lists.items():
            of = next((name for name, ids in self.splits.items() if name != split and query_id in ids), "")
            if query_id not in self.queries:
                told = f"a query that {self.dataset} does not have"
                found.add("unknown queries", f"{before}{query_id}", told, "queries of the dataset")
            elif split and of and query_id not in (wanted or ()):
                told = f"a query of the split {of!r}"
                found.add(
                    "queries of another split", f"{before}{query_id}", told, f"queries of {split!r} alone"
                )
            for doc_id in row if self.documents else ():
                if doc_id not in self.documents:
                    told = f"a document that {self.dataset} does not have"
                    found.add(
                        "unknown documents", f"{before}{query_id}.{doc_id}", told, "documents of the corpus"
                    )
        missing = sorted((wanted or frozenset()) - set(lists))
        if missing:
            found.add(
                "queries without results",
                f"{before}{missing[0]}",
                f"no result for {len(missing):,} of {len(wanted or ()):,} judged queries",
                "a list for every judged query",
                "what has none counts 0",
                severity="warning",
            )


class Checkable(ABC):
    """A target whose files hold ids that can be held against a dataset."""

    @abstractmethod
    def validate_against(self, path: Path, known: Known) -> list[Problem]:
        """As ``Target.validate``, and every id that the dataset or its split does not have.

        Raises:
            DataError: there is no such file or folder.
        """


def files_in(path: Path, *suffixes: str, without: str = "") -> Iterator[tuple[str, Path]]:
    """A file itself, or the files of a folder with these endings, sorted: relative name and path."""
    if path.is_file():
        yield path.name, path
        return
    for one in sorted(path.rglob("*")):
        name = one.relative_to(path).as_posix()
        if one.is_file() and name != without and one.name.endswith(suffixes):
            yield name, one
