"""What a leaderboard's site says, as plain data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from beirkit.evaluate.leaderboard import Place
from beirkit.evaluate.pairs import Interval
from beirkit.evaluate.report.model import Behind


@dataclass(frozen=True, kw_only=True)
class About:
    """What is known of a system besides its figures; nothing of it is guessed.

    Attributes:
        parameters: of its model; 0: it has none; None: not stated.
        licence: of its model; empty: not stated.
        date: when the model or the submission appeared, or its last result was made, as YYYY-MM-DD; empty:
            not stated.
        by: who submitted it; empty: not stated.
        link: where more is written; shown as text and never followed; empty: not stated.
    """

    parameters: int | None = None
    licence: str = ""
    date: str = ""
    by: str = ""
    link: str = ""


@dataclass(frozen=True)
class Board:
    """Systems on the same queries, texts and judgments.

    Attributes:
        key: names it, once in a site: the dataset with its split, and what tells it from others of that name.
        dataset: its name.
        split: of the dataset; empty: not told.
        tested: whether there are values of single queries; else the figures are only stated.
        queries: how many count; 0: not told.
        places: the systems in order; of stated figures without intervals.
        training: of each system, whether it was trained on the dataset's family, as far as is declared.
        content: what identifies texts and judgments: content ids, or a revision; empty: not told.
        task: what the dataset is a part of, such as one language of several; empty: nothing.
        notes: what must be known.
    """

    key: str
    dataset: str
    split: str
    tested: bool
    queries: int
    places: tuple[Place, ...]
    training: Mapping[str, str]
    content: Mapping[str, str]
    task: str = ""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class View:
    """Systems on the mean of several boards.

    Attributes:
        name: of the suite.
        tested: as for the boards, which are all of one kind.
        members: how many members the mean is over, a suite inside it being one.
        boards: keys of the boards, in the suite's order.
        places: the systems that have all of them.
        incomplete: the others that have any, with what they lack.
        missing: datasets of the suite of which there is no board.
    """

    name: str
    tested: bool
    members: int
    boards: tuple[str, ...]
    places: tuple[Place, ...]
    incomplete: Mapping[str, str]
    missing: tuple[str, ...] = ()


@dataclass(frozen=True)
class Result:
    """One system on one board.

    Attributes:
        board: its key.
        means: of every measure that was kept, by name.
        source: the path inside the folder of submissions.
        interval: of the measure that ranks.
        cost: as :class:`beirkit.costs.Cost` names it; empty: not recorded.
        warnings: what must be known of it.
    """

    board: str
    means: Mapping[str, float | None]
    source: str
    interval: Interval | None = None
    cost: Mapping[str, Any] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True)
class System:
    """One system.

    Attributes:
        name: once in a site.
        slug: of the name of its page.
        tested: whether its figures have values of single queries.
        about: what is known of it.
        results: by board.
        manifests: how its results were made; empty: they are only stated.
        prompts: of each role and setting, such as the maximum length.
        behind: what it stands on, with licences and papers.
        bibtex: the papers.
        warnings: what must be known of all its results.
    """

    name: str
    slug: str
    tested: bool
    about: About
    results: tuple[Result, ...]
    manifests: Mapping[str, Any] = field(default_factory=dict)
    prompts: Mapping[str, str] = field(default_factory=dict)
    behind: tuple[Behind, ...] = ()
    bibtex: str = ""
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True)
class Refused:
    """Something in the folder of submissions that is not in the leaderboard, and why.

    Attributes:
        path: inside the folder.
        reason: why.
    """

    path: str
    reason: str


@dataclass(frozen=True)
class Site:
    """Everything.

    Attributes:
        title: of the site.
        measure: what systems are ranked by.
        protocol: its name.
        rules: what it is, in one line.
        digits: decimals of figures.
        level: of tests; intervals have 1 minus it.
        seed: of every draw.
        samples: how many were drawn.
        systems: by name.
        boards: by key.
        views: the first one is shown first.
        refused: what was found and is not shown.
        beirkit: the version that made it.
    """

    title: str
    measure: str
    protocol: str
    rules: str
    digits: int
    level: float
    seed: int
    samples: int
    systems: tuple[System, ...]
    boards: tuple[Board, ...]
    views: tuple[View, ...]
    refused: tuple[Refused, ...]
    beirkit: str
