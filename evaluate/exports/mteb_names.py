"""How MTEB calls the model behind a result: a name with its organisation, and a revision."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from beirkit.corpora.errors import UsageError, nearest
from beirkit.evaluate.exports.base import Entry
from beirkit.evaluate.exports.mteb_tasks import Placed

_NO_REVISIONS = ("no_revision_available", "external", "main", "latest")


@dataclass(frozen=True)
class Names:
    """The name and revision of one model."""

    name: str
    revision: str

    @property
    def folder(self) -> str:
        """Where its files go, by the rule of the results repository."""
        return f"{self.name.replace('/', '__').replace(' ', '_')}/{self.revision}"


def name_models(
    entries: Sequence[Entry], models: Mapping[str, str], revisions: Mapping[str, str]
) -> dict[str, Names]:
    """The names of each system.

    Args:
        entries: the results.
        models: the user's words for the models, by system.
        revisions: likewise for the revisions.

    Raises:
        UsageError: a name or a revision is not known, or no such thing.
    """
    systems = {entry.system: entry for entry in entries}
    for option, said in (("model", models), ("revision", revisions)):
        for system in said:
            if system not in systems:
                hint = nearest(system, list(systems))
                raise UsageError(f"{option}.{system}: no result is of the system {system!r}", hint=hint)
    found: dict[str, Names] = {}
    for entry in entries:
        name = models.get(entry.system) or entry.model
        revision = revisions.get(entry.system) or entry.revision
        if name.count("/") != 1 or not all(name.split("/")):
            told = f"is called {name!r}" if name else "has no name on a hub"
            raise UsageError(
                f"{entry.system} {told}, and MTEB asks for ORGANISATION/MODEL",
                hint=f"name it: --set model.{entry.system}=ORGANISATION/MODEL",
            )
        if not revision or revision in _NO_REVISIONS or not revision.replace("_", "").isalnum():
            told = f"{revision!r} is no revision" if revision else "its revision is not known"
            raise UsageError(
                f"{entry.system} ({name}): {told}, and results of an unknown one are worth nothing",
                hint=f"name the full commit: --set revision.{entry.system}=COMMIT",
            )
        names = Names(name, revision)
        if found.setdefault(entry.system, names) != names:
            other = found[entry.system]
            raise UsageError(
                f"results of {entry.system} are of {other.name}@{other.revision} and of {name}@{revision}",
                hint="export them apart",
            )
    return found


def by_model(placed: Sequence[Placed], named: Mapping[str, Names]) -> dict[Names, list[Placed]]:
    """The results of each model, tasks in alphabetical order.

    Raises:
        UsageError: one model has two results of one subset of one task.
    """
    found: dict[Names, list[Placed]] = {}
    for one in sorted(placed, key=lambda one: (one.task, one.subset, one.entry.split)):
        names = named[one.entry.system]
        for other in found.setdefault(names, []):
            if (other.task, other.subset, other.entry.split) == (one.task, one.subset, one.entry.split):
                raise UsageError(
                    f"{other.entry.folder} and {one.entry.folder} are both {one.task} of {names.name}",
                    hint="export them apart, or give each system its own name with --set model.SYSTEM=NAME",
                )
        found[names].append(one)
    return found
