"""Whether results make up what MTEB takes the mean of: all subsets of a task, all parts of an aggregate."""

from __future__ import annotations

from collections.abc import Sequence

from beirkit.corpora.errors import UsageError
from beirkit.evaluate.exports.mteb_facts import MtebFacts
from beirkit.evaluate.exports.mteb_tasks import Placed


def require_complete(placed: Sequence[Placed], facts: MtebFacts) -> None:
    """Refuse a task without all subsets and splits, and parts of a mean that no board takes alone.

    Raises:
        UsageError: names what is missing.
    """
    tasks: dict[str, set[tuple[str, str]]] = {}
    for one in placed:
        tasks.setdefault(one.task, set()).add((one.subset, one.entry.split))
    for name, there in tasks.items():
        task = facts.tasks[name]
        wanted = [(subset, split) for subset in task.subsets for split in task.splits]
        missing = [f"{subset}@{split}" for subset, split in wanted if (subset, split) not in there]
        if missing:
            raise UsageError(
                f"{name} is incomplete: {len(there)} of {len(wanted)} subsets, without "
                f"{', '.join(missing[:5])}{', …' if len(missing) > 5 else ''}",
                hint="run the others too, or leave it out",
            )
    on_boards = {task for names in facts.boards.values() for task in names}
    for name, task in facts.tasks.items():
        inside = [part for part in task.parts if part in tasks]
        lacking = [part for part in task.parts if part not in tasks]
        if inside and lacking and not on_boards.issuperset(inside):
            raise UsageError(
                f"{name} is incomplete: {len(inside)} of {len(task.parts)} parts, without "
                f"{', '.join(lacking)}",
                hint="it is the mean of all of them: run the others too, or leave all out",
            )
