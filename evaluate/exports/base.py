"""What a target for results is, what it is given to write, and how it tells what is wrong with a file."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Generic, Literal, TypeVar

import msgspec

from beirkit.corpora.collection import Collection
from beirkit.corpora.records import Qrels
from beirkit.corpora.run import Run
from beirkit.evaluate.measures import Measure
from beirkit.evaluate.protocol import Protocol
from beirkit.evaluate.scores import Scores

Severity = Literal["error", "warning"]

Take = Callable[[Protocol, Sequence[Measure]], Scores]


class NoOptions(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Options of a target that has none."""


OptionsT = TypeVar("OptionsT", bound=msgspec.Struct)


class Problem(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that is wrong with a submission.

    Attributes:
        severity: an ``error`` is refused, by the target or by the field's rules; a ``warning`` is odd.
        file: relative to what was validated.
        key: where in the file: a key path such as ``scores.test[0].main_score`` or ``line 7``; empty: all.
        found: what stands there.
        expected: what should.
        todo: how to mend it.
    """

    severity: Severity = "error"
    file: str
    key: str = ""
    found: str
    expected: str
    todo: str = ""

    def __str__(self) -> str:
        """The problem on one line."""
        place = f"{self.file}: {self.key}" if self.key else self.file
        todo = f" ({self.todo})" if self.todo else ""
        return f"{self.severity} {place}: found {self.found}; expected {self.expected}{todo}"


@dataclass(frozen=True, kw_only=True)
class Entry:
    """One result as a target sees it: one system on one split of one dataset.

    Attributes:
        dataset: the dataset's name, without the mark of a sample.
        split: the split that was searched.
        system: the retriever's name.
        manifest: everything ``manifest.json`` of the result says.
        timings: everything its ``timings.json`` says; empty where there is none.
        run: the ranked lists as they were kept, self-matches inside.
        run_file: the file they are in.
        qrels: the split's judgments.
        query_texts: the judged queries' texts by id; what a target writes of them it must ask for.
        content_ids: of corpus, queries and the split's judgments.
        sampled: whether only a part of the dataset was searched; no board takes such a result.
        take: scores under a protocol, computed from the run, never read from a table.
        revision: full revision of the model; empty: not known.
        folder: the result folder.
        model: the name under which a hub knows the model; empty: not known.
        depth: results per query that count; the run has one more, for the query's own document.
        shown_under: names of the protocols that scores were kept under.
        collection: the dataset's records, to be read where that is needed; None: they are not there.
        cite: gives papers and licences of all that stands behind the result, as BibTeX.
    """

    dataset: str
    split: str
    system: str
    manifest: Mapping[str, Any]
    timings: Mapping[str, Any] = field(default_factory=dict)
    run: Run
    run_file: Path
    qrels: Qrels
    query_texts: Mapping[str, str] = field(default_factory=dict)
    content_ids: Mapping[str, str]
    sampled: bool = False
    take: Take
    revision: str = ""
    folder: Path
    model: str = ""
    depth: int | None = None
    shown_under: tuple[str, ...] = ()
    collection: Collection | None = None
    cite: Callable[[], str] = str

    @property
    def label(self) -> str:
        """The result in a few words, for messages."""
        return f"{self.system} on {self.dataset}@{self.split}"


class Target(ABC, Generic[OptionsT]):
    """A leaderboard or a tool that takes results.

    Attributes:
        name: catalog name.
        summary: one line for ``beirkit list exports``.
        Options: the options of writing, each documented in the class's docstring.
        protocol: name of the protocol the target's scores are made under; empty: it takes runs, or any.
    """

    name: ClassVar[str]
    summary: ClassVar[str]
    Options: ClassVar[type[msgspec.Struct]] = NoOptions
    protocol: ClassVar[str] = ""

    @abstractmethod
    def write(self, entries: Sequence[Entry], folder: Path, options: OptionsT) -> None:
        """Write a submission of these results into an empty folder.

        What the target cannot take is refused before anything is written: a sampled run, an incomplete suite,
        an unknown revision, content ids other than the known ones. Scores come from ``Entry.take`` under the
        target's own protocol, which is told where it is not the one the results were shown in.

        Raises:
            DataError: a result cannot stand in the form.
            UsageError: the target does not take such results, or an option is missing.
            MissingExtraError: an optional library is needed and not installed.
        """

    @abstractmethod
    def validate(self, path: Path) -> list[Problem]:
        """Everything that is wrong with a file or folder made for the target, stricter than its own check.

        Nothing in a damaged file makes it raise: what cannot be read is a problem like another.

        Raises:
            DataError: there is no such file or folder.
        """


class Step(msgspec.Struct, frozen=True, kw_only=True):
    """One thing to do for a submission.

    Attributes:
        what: an instruction.
        done: whether beirkit could find out that it is done; None: only the user knows.
        why: the rule it follows.
    """

    what: str
    done: bool | None = None
    why: str = ""


class Submittable(ABC):
    """A target that a board takes: it can say how."""

    @abstractmethod
    def steps(self, path: Path) -> Sequence[Step]:
        """What to do, in order, with a submission that was written to ``path``.

        Its files, their destination, the title of the pull request, the checklist, how much of the board is
        covered, and what the board needs beyond files.
        """


@dataclass(frozen=True, kw_only=True)
class Claim:
    """Scores that a submission states, with the run that it states them of.

    Attributes:
        file: the file that states them, relative to what was submitted.
        dataset: what they are of, in the target's own words.
        split: the split.
        values: key path to what is stated there; None: no value.
        compute: the same key paths to what the submitted run comes to with these judgments.
        tolerance: how far the two may lie apart: half a digit of the target's rounding.
    """

    file: str
    dataset: str
    split: str
    values: Mapping[str, float | None]
    compute: Callable[[Qrels], Mapping[str, float | None]]
    tolerance: float = 1e-6


class Recomputable(ABC):
    """A target whose submissions hold runs, or may: their scores can be derived again."""

    @abstractmethod
    def claims(self, path: Path) -> Sequence[Claim]:
        """What a valid submission states; empty where it holds no run.

        Raises:
            DataError: a run cannot be read.
        """

    def unfounded(self, path: Path) -> list[Problem]:
        """Scores of a valid submission that no run in it stands behind; an acceptance check refuses them."""
        return []
