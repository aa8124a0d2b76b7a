"""What a report says, as plain data: comparisons, costs, queries, and where all of it comes from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from beirkit.evaluate.compare import ComparisonTable
from beirkit.evaluate.compare_suites import SuiteTable
from beirkit.evaluate.leaderboard import Leaderboard


@dataclass(frozen=True)
class Returned:
    """One document that a system returned; its rank is its place in the list."""

    doc_id: str
    score: float


@dataclass(frozen=True)
class QueryView:
    """One query as every system answered it.

    Attributes:
        query_id: its id.
        text: empty where it is not known, or was left out.
        values: of the measure, by system; None: the query has none there.
        judged: grades by document id.
        rankings: what each system returned, best first, as it was scored.
    """

    query_id: str
    text: str
    values: Mapping[str, float | None]
    judged: Mapping[str, int]
    rankings: Mapping[str, tuple[Returned, ...]]

    @property
    def spread(self) -> float:
        """The highest value minus the lowest one."""
        return spread_of(self.values)


def spread_of(values: Mapping[str, float | None]) -> float:
    """The highest of several values minus the lowest one; 0 where fewer than two are known."""
    known = [value for value in values.values() if value is not None]
    return max(known) - min(known) if known else 0.0


@dataclass(frozen=True)
class Text:
    """A document as a report shows it: its title and its beginning."""

    title: str
    text: str


@dataclass(frozen=True)
class QuerySet:
    """Queries of one dataset, those on which systems disagree most first.

    Attributes:
        systems: their names.
        total: how many queries the dataset has; the report shows some of them.
        views: the queries.
        texts: documents by id; empty where texts are not here, or were left out.
    """

    systems: tuple[str, ...]
    total: int
    views: tuple[QueryView, ...]
    texts: Mapping[str, Text]


@dataclass(frozen=True)
class DatasetPart:
    """What a report says about one dataset.

    Attributes:
        dataset: its name; empty: only judgments were given.
        mark: what a title says of a sample, or of systems that are not alike.
        tables: comparisons, one per measure.
        boards: the systems in order, one per measure.
        differences: for the first measure, of each system to the baseline, query by query.
        training: of each system, whether it was trained on the dataset's family; as far as is declared.
        costs: of each system, as :class:`beirkit.costs.Cost` names them.
        queries: to look at; None: there are none.
        licence: of the dataset; empty: not known.
        notes: what must be known.
    """

    dataset: str
    mark: str
    tables: tuple[ComparisonTable, ...]
    boards: tuple[Leaderboard, ...]
    differences: Mapping[str, tuple[float, ...]]
    training: Mapping[str, str]
    costs: Mapping[str, Mapping[str, Any]]
    queries: QuerySet | None = None
    licence: str = ""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Said:
    """The verdict of one table: where, on which measure, and the sentences."""

    where: str
    measure: str
    sentences: tuple[str, ...]


@dataclass(frozen=True)
class Behind:
    """One thing that the results stand on, with its licence and what to cite."""

    kind: str
    name: str
    versions: str
    licence: str
    papers: tuple[str, ...]


@dataclass(frozen=True)
class Report:
    """Everything.

    Attributes:
        title: of the page.
        baseline: the system that others are compared with.
        verdict: of suites, then of datasets.
        suites: comparisons over the suite, one per measure; empty: there is one dataset.
        parts: the datasets.
        notes: what must be known to read the tables.
        digits: decimals of figures.
        manifests: how each system's results were made: what is the same on all datasets, what differs.
        behind: datasets, models and tools, with licences and papers.
        bibtex: the papers.
        with_text: whether queries and documents are shown.
    """

    title: str
    baseline: str
    verdict: tuple[Said, ...]
    suites: tuple[SuiteTable, ...]
    parts: tuple[DatasetPart, ...]
    notes: tuple[str, ...]
    digits: int
    manifests: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    behind: tuple[Behind, ...] = ()
    bibtex: str = ""
    with_text: bool = True
