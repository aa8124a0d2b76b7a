"""What MTEB says of its tasks, boards and models: from the installed mteb, else from the shipped table.

The table, ``configs/boards/mteb.json``, was written from an installed mteb and names its version. Where mteb
is installed in that very version the table is taken too: it says the same, and mteb takes seconds to load.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from functools import cache, cached_property
from importlib.metadata import PackageNotFoundError, version
from importlib.resources import files
from pathlib import Path

import msgspec

from beirkit.corpora.errors import DataError, UnknownNameError, nearest

_log = logging.getLogger(__name__)

TABLE = "boards/mteb.json"


class Size(msgspec.Struct, frozen=True, array_like=True):
    """How much one split of a subset of a task holds, as mteb's descriptive statistics have it.

    Attributes:
        documents: in the corpus; None: not told, as of most languages of a task.
        document_characters: of all documents: title, a blank and text, or the text alone without a title.
        queries: with a relevant document; None: not told.
        query_characters: of these queries.
        judgments: of relevant documents.
    """

    documents: int | None
    document_characters: int
    queries: int | None
    query_characters: int
    judgments: int


class TaskFacts(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One task.

    Attributes:
        type: mteb's kind of task.
        path: the dataset's repository on the hub; empty: none.
        revision: of the dataset.
        main_score: the key that ``main_score`` repeats.
        splits: those that are evaluated.
        subsets: names of the dataset's parts, such as languages, with their languages; a task that is no
            retrieval has none here.
        remove_self: whether a result whose id is the query's is taken out.
        parts: the tasks that an aggregate is the mean of.
        sizes: by split and subset, where mteb knows.
        superseded_by: the task that took its place.
    """

    type: str
    path: str = ""
    revision: str
    main_score: str
    splits: tuple[str, ...]
    subsets: dict[str, tuple[str, ...]] = {}
    remove_self: bool = False
    parts: tuple[str, ...] = ()
    sizes: dict[str, dict[str, Size]] = {}
    superseded_by: str = ""

    def size(self, split: str, subset: str) -> Size | None:
        """How much a part of the task holds; None: mteb does not say."""
        return self.sizes.get(split, {}).get(subset)


class MtebFacts(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """Everything that is known.

    Attributes:
        mteb: the version it was read from.
        tasks: by name.
        boards: the names of each board's tasks.
        models: revision of each implemented model; empty: any.
    """

    mteb: str
    tasks: dict[str, TaskFacts]
    boards: dict[str, tuple[str, ...]]
    models: dict[str, str]

    def task(self, name: str) -> TaskFacts:
        """One task.

        Raises:
            UnknownNameError: mteb has none of that name; the message holds the nearest.
        """
        if name not in self.tasks:
            raise UnknownNameError(
                f"mteb {self.mteb} has no task {name!r}", hint=nearest(name, list(self.tasks))
            )
        return self.tasks[name]

    @cached_property
    def by_path(self) -> Mapping[str, tuple[str, ...]]:
        """The retrieval tasks of each repository, by its name in lower case."""
        found: dict[str, list[str]] = {}
        for name, task in self.tasks.items():
            if task.path and task.subsets and task.type == "Retrieval":
                found.setdefault(task.path.lower(), []).append(name)
        return {path: tuple(names) for path, names in found.items()}


@cache
def mteb_facts() -> MtebFacts:
    """What MTEB says of its tasks, boards and models."""
    shipped = shipped_facts()
    installed = installed_version()
    if installed in ("", shipped.mteb):
        return shipped
    from beirkit.evaluate.exports.mteb_installed import facts_of_installed

    _log.info("tasks and revisions are those of the installed mteb %s", installed)
    return facts_of_installed()


@cache
def shipped_facts() -> MtebFacts:
    """The shipped table."""
    return read_facts(Path(str(files("beirkit.configs").joinpath(TABLE))))


def read_facts(path: Path) -> MtebFacts:
    """A table that :func:`facts_text` made.

    Raises:
        DataError: it is none.
    """
    try:
        return msgspec.json.decode(path.read_bytes(), type=MtebFacts)
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise DataError(f"is no table of MTEB's tasks: {error}", path=path) from error


def facts_text(facts: MtebFacts) -> str:
    """The table as its file has it: a line for each task, board and model."""
    parts = [f'{{"mteb": {_json(facts.mteb)}']
    for name in ("tasks", "boards", "models"):
        rows = getattr(facts, name)
        lines = ",\n".join(f"{_json(key)}: {_json(rows[key])}" for key in sorted(rows))
        parts.append(f'"{name}": {{\n{lines}\n}}')
    return ",\n".join(parts) + "}\n"


def installed_version() -> str:
    """The version of the installed mteb; empty: none is."""
    try:
        return version("mteb")
    except PackageNotFoundError:
        return ""


def _json(value: object) -> str:
    return msgspec.json.encode(value).decode()
