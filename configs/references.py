"""Published figures (``configs/references/*.json``): who printed what, by which rules, and whom it holds.

One file per source. A system of a source may name the retrievers that should give the same figures: what
their identity must hold, and how far apart they may be for which reason.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

import msgspec

from beirkit.configs.load import convert
from beirkit.corpora.errors import ConfigError

Evidence = Literal["source", "second-hand", "inferred", "computed", "measured"]
"""How sure a figure is: read at its source; in somebody's copy of it; concluded from what others say;
arithmetic over other figures; run by the authors of the file with the tool that they name."""

_FOLDER = Path(__file__).parent / "references"
_CONTENTS = "contents.json"


class Source(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Where figures come from.

    Attributes:
        title: of the page, file or paper.
        url: its address, of one revision where it has revisions.
        date: when it was read, ``YYYY-MM-DD``.
        evidence: of its figures, where one says nothing else.
        note: what else should be known.
    """

    title: str
    url: str
    date: str
    evidence: Evidence = "source"
    note: str = ""


class Likeness(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which retrievers of this house stand for a system.

    Attributes:
        identity: what a retriever's identity must hold, by key paths such as ``analyzer.stemmer``.
        tolerance: how far its figures may be from the printed ones and still be near.
        why: what may make the difference.
    """

    identity: dict[str, Any]
    tolerance: float
    why: str


class System(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What was run.

    Attributes:
        label: for people.
        family: lexical, dense, learned-sparse, late-interaction, rerank, fusion or run.
        protocol: what the source says of retrieval and scoring, in words and numbers; a key that is not
            there is not stated.
        scored_as: the protocol of this house whose rules those are.
        likeness: retrievers that should reproduce it.
        tag: the tag of its run files, where these are published.
        note: what else should be known.
    """

    label: str
    family: Literal[
        "lexical", "dense", "learned-sparse", "late-interaction", "rerank", "fusion", "run"
    ]  # fmt: skip
    protocol: dict[str, Any] = {}
    scored_as: str = "beirkit"
    likeness: list[Likeness] = []
    tag: str = ""
    note: str = ""


class Figure(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One printed number.

    Attributes:
        system: a key of the file's ``systems``.
        dataset: name of a dataset or suite, or of one in ``contents.json``.
        split: of its judgments.
        measure: in its canonical spelling.
        value: as a fraction.
        decimals: that the source prints, of the fraction.
        tolerance: in place of that of the likeness.
        evidence: where it is not the source's.
        variant: tells a second figure of one system from the first.
        unusable: known to be wrong, and nothing is held to it.
        note: what else should be known.
    """

    system: str
    dataset: str
    split: str
    measure: str
    value: float
    decimals: int
    tolerance: float | None = None
    evidence: Evidence | None = None
    variant: str = ""
    unusable: bool = False
    note: str = ""

    def tolerance_or(self, tolerance: float) -> float:
        """The figure's own tolerance where it has one, else another; never less than its rounding."""
        own = tolerance if self.tolerance is None else self.tolerance
        return max(own, 0.5 * 10.0**-self.decimals)


class _File(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    source: Source
    systems: dict[str, System]
    figures: list[Figure]


@dataclass(frozen=True)
class Reference:
    """A figure with its system and its source.

    Attributes:
        key: of the source: the name of its file.
        figure: the number.
        system: what was run.
        source: who printed it.
    """

    key: str
    figure: Figure
    system: System
    source: Source

    @property
    def evidence(self) -> Evidence:
        """How sure the figure is."""
        return self.figure.evidence or self.source.evidence

    @property
    def printed(self) -> str:
        """The figure with as many decimals as its source has."""
        return f"{self.figure.value:.{self.figure.decimals}f}"

    @property
    def rounding(self) -> float:
        """Half a unit of the last printed digit: no figure that prints alike is further away."""
        return 0.5 * 10.0**-self.figure.decimals

    def likeness_of(self, identity: Mapping[str, Any]) -> Likeness | None:
        """The first likeness that a retriever's identity fits; None: it is another system."""
        return next((one for one in self.system.likeness if fits(one.identity, identity)), None)


@cache
def references() -> tuple[Reference, ...]:
    """Every figure, sources by name and figures in the order of their file."""
    return tuple(figure for path in _files() for figure in read_references(path))


def read_references(path: Path) -> Iterator[Reference]:
    """The figures of one file.

    Raises:
        ConfigError: it cannot be read, a key is unknown or of a wrong type, or a figure is of no system.
    """
    file = convert(_json(path), _File, path=path)
    for number, figure in enumerate(file.figures):
        if figure.system not in file.systems:
            raise ConfigError(
                f"figures[{number}] is of {figure.system!r}, which is no system there", path=path
            )
        yield Reference(path.stem, figure, file.systems[figure.system], file.source)


@cache
def known_contents() -> dict[str, dict[str, list[str]]]:
    """By dataset and part (``corpus``, ``queries``, ``qrels/test``): content ids of what was published.

    A part with several was published in several versions of one name.
    """
    path = _FOLDER / _CONTENTS
    try:
        return msgspec.convert(_json(path), dict[str, dict[str, list[str]]])
    except msgspec.ValidationError as error:
        raise ConfigError(str(error), path=path) from error


def dataset_of(name: str, contents: Mapping[str, str]) -> str:
    """The published dataset that texts and judgments are, whatever they are called here.

    Args:
        name: what they are called; given back where no known dataset has these contents.
        contents: content ids by part.
    """
    same = [
        known
        for known, parts in known_contents().items()
        if any(part.startswith("qrels/") and contents.get(part) in ids for part, ids in parts.items())
        and all(contents[part] in ids for part, ids in parts.items() if part in contents)
    ]
    return name if name in same or not same else same[0]


def differing_contents(dataset: str, contents: Mapping[str, str]) -> list[str]:
    """The parts whose content id is none that was published under this name; of others nothing is known."""
    known = known_contents().get(dataset, {})
    return [part for part, content_id in contents.items() if part in known and content_id not in known[part]]


def fits(wanted: Mapping[str, Any], identity: Mapping[str, Any]) -> bool:
    """Whether an identity holds every wanted value, by key paths; of a list of values one is enough."""
    for path, value in wanted.items():
        found = at_path(identity, path)
        if found not in value if isinstance(value, list) else found != value:
            return False
    return True


def at_path(facts: Mapping[str, Any], path: str) -> Any:
    """The value at a key path such as ``encoder.prompts.query``; None: there is none."""
    found: Any = facts
    for key in path.split("."):
        if not isinstance(found, Mapping) or key not in found:
            return None
        found = found[key]
    return found


def _files() -> list[Path]:
    return sorted(path for path in _FOLDER.glob("*.json") if path.name != _CONTENTS)


def _json(path: Path) -> Any:
    try:
        return msgspec.json.decode(path.read_bytes())
    except OSError as error:
        raise ConfigError(f"cannot be read: {error.strerror}", path=path) from error
    except (msgspec.DecodeError, RecursionError) as error:
        raise ConfigError(f"is no JSON: {error}", path=path) from error
