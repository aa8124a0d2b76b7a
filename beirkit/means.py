"""The means of a table: of every named suite, and of the kinds of retrieval in it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from beirkit.configs.suites import SuiteNode
from beirkit.evaluate.measures import Measure
from beirkit.evaluate.suites import SuiteMean, suite_mean
from beirkit.evaluate.zero_shot import zero_shot_status
from beirkit.experiment import Cell
from beirkit.figures import figure


@dataclass(frozen=True)
class MeanRow:
    """The means of one retriever over one suite or over the members of one task.

    Attributes:
        name: of the suite or task.
        kind: ``suite`` or ``task``.
        retriever: whose means they are.
        training: ``all``, or ``zero-shot``: over the members that the retriever was not trained on.
        means: for each measure.
    """

    name: str
    kind: str
    retriever: str
    training: str
    means: dict[Measure, SuiteMean]

    def figures(self, digits: int) -> tuple[str, ...]:
        """The means for people; a dash where members are missing."""
        return tuple(figure(mean.value, digits) for mean in self.means.values())

    @property
    def members(self) -> str:
        """How many members were averaged, or which are missing of how many; of the worst measure."""
        return str(min(self.means.values(), key=lambda mean: mean.there))

    def to_json(self) -> dict[str, Any]:
        """The unrounded means, and what each is over."""
        measures = {
            str(measure): {
                "mean": mean.value,
                "members": mean.members,
                "there": mean.there,
                "missing": list(mean.missing),
            }
            for measure, mean in self.means.items()
        }
        return {
            "name": self.name,
            "kind": self.kind,
            "retriever": self.retriever,
            "training": self.training,
            "measures": measures,
        }


def mean_rows(
    tree: SuiteNode,
    cells: Sequence[Cell],
    measures: Sequence[Measure],
    tasks: Mapping[str, str],
    families: Mapping[str, str],
    trained_on: Mapping[str, Sequence[Sequence[str] | None]],
) -> list[MeanRow]:
    """The means of every suite with several members, then those of the outermost suite's tasks.

    A measure is averaged where every cell of the retriever has it.

    Args:
        tree: the suite, its leaves named as ``Cell.name``.
        cells: of one protocol.
        measures: the columns of the table.
        tasks: of the leaves, also of those without a cell.
        families: of the leaves, alike.
        trained_on: what each retriever and its ancestors were trained on, as far as is declared.
    """
    retrievers = dict.fromkeys(cell.retriever for cell in cells)
    common = [measure for measure in measures if all(measure in cell.measures for cell in cells)]
    nodes = [("suite", node) for node in tree.suites() if len(node.members) > 1]
    nodes += [("task", node) for node in _by_task(tree, tasks)]
    rows = []
    for kind, node in nodes if common else ():
        for retriever in retrievers:
            own = [cell for cell in cells if cell.retriever == retriever]
            rows.append(_row(kind, node, retriever, own, common, "all"))
            part = _zero_shot(node, own, families, trained_on.get(retriever, ()))
            if kind == "suite" and part.members and part != node:
                rows.append(_row(kind, part, retriever, own, common, "zero-shot"))
    return rows


def _row(
    kind: str,
    node: SuiteNode,
    retriever: str,
    cells: Sequence[Cell],
    measures: Sequence[Measure],
    training: str,
) -> MeanRow:
    means = {
        measure: suite_mean(node, {cell.name: cell.scores.mean(measure) for cell in cells})
        for measure in measures
    }
    return MeanRow(node.name, kind, retriever, training, means)


def _zero_shot(
    node: SuiteNode,
    cells: Sequence[Cell],
    families: Mapping[str, str],
    trained_on: Sequence[Sequence[str] | None],
) -> SuiteNode:
    """The members of a suite that one retriever was certainly not trained on, those not run among them."""
    statuses = {leaf: zero_shot_status(trained_on, family) for leaf, family in families.items()}
    statuses |= {cell.name: cell.zero_shot for cell in cells}
    seen = {leaf for leaf, status in statuses.items() if status != "zero-shot"}
    return SuiteNode(
        node.name,
        tuple(
            member
            for member in node.members
            if not seen.intersection(member.leaves() if isinstance(member, SuiteNode) else (member,))
        ),
    )


def _by_task(tree: SuiteNode, task_of: Mapping[str, str]) -> Iterator[SuiteNode]:
    """The members of a suite by their task, where it has several tasks; what has no task is left out."""
    found: dict[str, list[str | SuiteNode]] = {}
    for member in tree.members if tree.name else ():
        leaves = member.leaves() if isinstance(member, SuiteNode) else (member,)
        tasks = {task_of[leaf] for leaf in leaves if task_of.get(leaf)}
        if len(tasks) == 1:
            found.setdefault(tasks.pop(), []).append(member)
    if len(found) > 1:
        yield from (SuiteNode(task, tuple(members)) for task, members in sorted(found.items()))
