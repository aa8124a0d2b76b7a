"""What both forms of results in a model's repository say of a result, and how they are sent there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from beirkit.corpora.errors import UsageError
from beirkit.evaluate.exports.base import Entry, Step
from beirkit.evaluate.exports.lists import require_whole
from beirkit.evaluate.exports.mteb_complete import require_complete
from beirkit.evaluate.exports.mteb_facts import mteb_facts
from beirkit.evaluate.exports.mteb_names import Names, by_model, name_models
from beirkit.evaluate.exports.mteb_scores import require_depth
from beirkit.evaluate.exports.mteb_tasks import Placed, place, require_data, scores_of
from beirkit.evaluate.exports.rescored import tell_rescored


@dataclass(frozen=True)
class Scored:
    """One result with its values under the board's rules.

    Attributes:
        placed: the result, its task and subset.
        values: by mteb's names, fractions.
    """

    placed: Placed
    values: Mapping[str, float | None]

    @property
    def main(self) -> float:
        """The task's main score.

        Raises:
            UsageError: it is one that mteb alone computes.
        """
        value = self.values.get(self.placed.facts.main_score)
        if value is None:
            raise UsageError(
                f"{self.placed.task} is ranked by {self.placed.facts.main_score}: run mteb on it"
            )
        return value


def scored_of_one_model(
    entries: Sequence[Entry],
    target: str,
    models: Mapping[str, str],
    revisions: Mapping[str, str],
    tasks: Mapping[str, str],
) -> tuple[Names, list[Scored]]:
    """The results of one model, checked and scored as mteb does.

    Raises:
        UsageError: they are of several models, of a sample, incomplete or too shallow, or a name is missing.
        DataError: one is not of the task's data.
    """
    facts = mteb_facts()
    require_whole(entries, target)
    placed = place(entries, facts, tasks)
    groups = by_model(placed, name_models(entries, models, revisions))
    if len(groups) != 1:
        names = ", ".join(f"{one.name}@{one.revision[:8]}" for one in groups)
        raise UsageError(
            f"{target} is written for one model, and these are {names}", hint="export them apart"
        )
    ((names_of, group),) = groups.items()
    require_complete(group, facts)
    for one in group:
        require_depth(one.entry)
    require_data(group)
    for one in group:
        tell_rescored(one.entry, "mteb")
    return names_of, [Scored(one, scores_of(one)) for one in group]


def percent(value: float) -> float:
    """A fraction as a percentage, without the noise of the multiplication."""
    return round(value * 100, 5)


def hub_steps(what: str, remarks: Sequence[str]) -> list[Step]:
    """How files come into a model's repository.

    Args:
        what: which files, and where they go.
        remarks: what the hub does with them.
    """
    return [
        Step(what=what),
        Step(
            what="Open a pull request in the model's repository on the hub (Community, New pull request), or "
            "commit where it is yours.",
            why="Anybody may propose results; the owner decides. The hub checks them when they are sent.",
        ),
        Step(what="Use the title: Add evaluation results"),
        *(Step(what=remark) for remark in remarks),
    ]
