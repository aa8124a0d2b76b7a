"""What an importer is, and the two things that it may find: ranked lists, or figures without any."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

from beirkit.corpora.run import Run
from beirkit.evaluate.measures import Measure


@dataclass(frozen=True, kw_only=True)
class Lists:
    """Ranked lists of one system on one split of one dataset, which can be scored.

    Attributes:
        system: its name, as far as the file tells it.
        dataset: what the file says it was searched in; empty: nothing.
        split: of the dataset; empty: the file does not say.
        run: the lists.
        source: the file.
        revision: of the model; empty: the file does not say.
        model: the name under which a hub knows the model; empty: the file does not say.
        refuse_excluded: whether a document that its query excludes makes the lists wrong, since whoever wrote
            them had to take it out.
    """

    system: str
    dataset: str = ""
    split: str = ""
    run: Run
    source: Path
    revision: str = ""
    model: str = ""
    refuse_excluded: bool = False


@dataclass(frozen=True, kw_only=True)
class Means:
    """Figures of one system without a value for any query: they can be shown, and nothing can be tested.

    Attributes:
        system: its name.
        dataset: as the file names it, or as beirkit does where the two are known to be one.
        split: of the dataset; empty: the file does not say.
        means: by measure.
        source: the file.
        revision: of the model; empty: the file does not say.
        kept: files that are kept whole, by the path under which they are kept; the first is the source.
        facts: what else is worth keeping.
    """

    system: str
    dataset: str
    split: str = ""
    means: dict[Measure, float]
    source: Path
    revision: str = ""
    kept: dict[str, Path] = field(default_factory=dict)
    facts: dict[str, Any] = field(default_factory=dict)


class Importer(ABC):
    """Reads the results of one tool.

    Attributes:
        name: catalog name.
        summary: one line.
    """

    name: ClassVar[str]
    summary: ClassVar[str]

    @abstractmethod
    def recognises(self, path: Path) -> bool:
        """Whether a file or folder is of this tool, told without reading it whole; it is there."""

    @abstractmethod
    def read(self, path: Path) -> Iterator[Lists | Means]:
        """Everything that is in a file or folder.

        Raises:
            DataError: it is damaged, or of another tool; with path and, where there is one, line or key.
            MissingExtraError: an optional library is needed and not installed.
        """
