"""Means that another tool wrote: checked when they are read, shown beside one's own, never tested."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from beirkit.corpora.errors import BeirkitError, DataError
from beirkit.evaluate.leaderboard import rank_means
from beirkit.evaluate.measures import Measure

UNTESTED = (
    "figures that are stated without a value for any query: no interval and no p-value can be given, and "
    "nothing can be said of their significance"
)
"""What a comparison must say of them."""

_SYSTEM = ("model", "system", "retriever", "name")
_DATASET = ("dataset", "ds", "task")
_SPLIT = ("split",)


@dataclass(frozen=True)
class StatedMeans:
    """What somebody says that a system scores.

    Attributes:
        system: its name.
        dataset: what it was scored on, with its split where that is told (``scifact@test``); empty where the
            file does not say.
        means: by measure; one that the file does not have is absent, not 0.
    """

    system: str
    dataset: str
    means: dict[Measure, float]

    def to_dict(self) -> dict[str, Any]:
        """The same for JSON."""
        means = {str(measure): mean for measure, mean in self.means.items()}
        return {"system": self.system, "dataset": self.dataset, "means": means}


def read_stated(path: Path) -> StatedMeans:
    """Read a JSON object with a model, a dataset, and values under any spelling of a measure.

    Raises:
        DataError: it is no such object, a value is no number or lies outside the measure's bounds, as one in
            percent does, or two spellings of a measure have two values.
    """
    try:
        data = json.loads(path.read_text(encoding="utf-8-sig"))
    except FileNotFoundError as error:
        raise DataError("does not exist", path=path) from error
    except (OSError, ValueError, RecursionError) as error:
        raise DataError(f"is no JSON: {error}", path=path) from error
    if not isinstance(data, dict):
        raise DataError("is no JSON object with a model and its values", path=path)
    means: dict[Measure, float] = {}
    for key, value in data.items():
        try:
            measure = Measure.parse(key)
        except BeirkitError:
            continue  # another fact about the system
        if value is None:
            continue
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise DataError(f"{key} is {value!r}, no number", path=path)
        if measure.about.bounded and not 0 <= value <= 1:
            raise DataError(
                f"{value} outside 0..1 as the value of {key}",
                path=path,
                hint="divide by 100 what is in percent",
            )
        if means.setdefault(measure, float(value)) != value:
            raise DataError(f"has two values of {measure}: {means[measure]} and {value}", path=path)
    dataset, split = _first(data, _DATASET), _first(data, _SPLIT)
    return StatedMeans(
        _first(data, _SYSTEM) or path.stem, f"{dataset}@{split}" if dataset and split else dataset, means
    )


def rank_stated(
    stated: Iterable[StatedMeans], measure: str | Measure
) -> list[tuple[int | None, str, float | None]]:
    """Rank, system and mean; only equal means share a rank, and what has no value stands last, blank."""
    wanted = Measure.parse(measure)
    return rank_means({one.system: one.means.get(wanted) for one in stated})


def _first(data: dict[str, Any], keys: Iterable[str]) -> str:
    return next((str(data[key]) for key in keys if isinstance(data.get(key), str)), "")
