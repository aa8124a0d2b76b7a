"""From what a user calls a dataset to a BEIR folder and the facts about it."""

from __future__ import annotations

import logging
import os
import shlex
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path

from beirkit.configs.load import names
from beirkit.configs.schema import DatasetConfig
from beirkit.conversion import convert_source as convert_source
from beirkit.conversion import named
from beirkit.corpora.collection import Collection
from beirkit.corpora.errors import DataError, UnknownNameError, UsageError, nearest
from beirkit.corpora.folder import is_beir_folder, open_folder
from beirkit.corpora.manifest import has_manifest, read_manifest
from beirkit.corpora.progress import Progress, silent
from beirkit.facts import config_named, config_of, is_yaml, own_dataset
from beirkit.home import built_folder

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Dataset:
    """A benchmark that can be run.

    Attributes:
        name: what results are filed under.
        folder: its BEIR folder.
        config: the shipped facts about it; ``None`` for a folder of the user's own.
    """

    name: str
    folder: Path
    config: DatasetConfig | None

    def open(self) -> Collection:
        """Its records."""
        return open_folder(self.folder)


class NotBuiltError(UsageError):
    """A dataset is known, and its BEIR folder is not there.

    Attributes:
        dataset: its name.
    """

    def __init__(self, dataset: str, found: str, *, hint: str) -> None:
        self.dataset = dataset
        super().__init__(found, hint=hint)


def find_dataset(text: str, *, progress: Progress = silent) -> Dataset:
    """The dataset that a user named, built first where that needs no raw files.

    Args:
        text: a name from ``beirkit list datasets``, a YAML file with the facts about a dataset of one's own,
            or the path of a BEIR folder.
        progress: shows how a build gets on.

    Raises:
        UnknownNameError: neither a name nor a folder.
        NotBuiltError: the dataset must be converted from raw files first; the message holds the command.
    """
    if (config := config_named(text)) is not None:
        if text in names("datasets") and is_beir_folder(text):
            _log.warning("%s is taken for the dataset of that name; the folder here is ./%s", text, text)
        folder = built_folder(config.name)
        if not is_beir_folder(folder) or _is_out_of_date(config, folder):
            _build(text, config, folder, progress)
        return Dataset(config.name, folder, config)
    path = _by_name(text) or Path(text)
    if is_beir_folder(path):
        known = config_of(path)
        return Dataset(_name_of(path, known), path, known)
    if path.exists():
        raise DataError(
            "is not a BEIR folder: it has no corpus.jsonl, queries.jsonl and qrels/",
            path=path,
            hint=f"convert it first: beirkit convert FORMAT {shlex.quote(text)} --out FOLDER",
        )
    raise UnknownNameError(
        f"no dataset and no folder is called {text!r}", hint=nearest(text, list(names("datasets")))
    )


def as_folder(path: Path) -> str:
    """What :func:`find_dataset` takes for this folder, and not for the dataset that has its name."""
    return str(path) if path.is_absolute() else f"{os.curdir}{os.sep}{path}"


def built_or_path(text: str) -> Path:
    """The path itself, or where the dataset of that name was built; nothing is built for it."""
    if is_yaml(text) and (config := config_named(text)) is not None:
        return built_folder(config.name)
    path = Path(text)
    if path.exists():
        return path
    return built_folder(text) if text in names("datasets") else _by_name(text) or path


def apart(datasets: list[Dataset], taken: AbstractSet[str] = frozenset()) -> list[Dataset]:
    """The datasets, each folder once, under names that tell them apart.

    A name that two of them have, or that is taken, gets as much of the folder's path in front as it takes, or
    the path alone where that is not enough.

    Args:
        datasets: in any order, which is kept.
        taken: names of what is not among them.
    """
    once = {dataset.folder.resolve(): dataset for dataset in datasets}
    groups: dict[str, list[Path]] = {}
    for folder, dataset in once.items():
        groups.setdefault(dataset.name, []).append(folder)
    names_used = {name for name, folders in groups.items() if len(folders) == 1 and name not in taken}
    labels: dict[Path, str] = {}
    for name, folders in groups.items():
        if name in names_used:
            labels[folders[0]] = name
        else:
            labels |= _told_apart(name, folders, names_used | taken)
    return [replace(dataset, name=labels[folder]) for folder, dataset in once.items()]


def _told_apart(name: str, folders: list[Path], used: AbstractSet[str]) -> dict[Path, str]:
    deepest = max(len(folder.parts) for folder in folders)
    for depth in range(1, deepest + 1):
        for ending in ((name,), ()):
            found = {
                folder: "-".join((*folder.parts[1:][-depth - 1 : -1], *(ending or folder.parts[-1:])))
                for folder in folders
            }
            if len(set(found.values())) == len(folders) and used.isdisjoint(found.values()):
                return found
    return {folder: f"{name}-{sha256(bytes(folder)).hexdigest()[:8]}" for folder in folders}


def _by_name(text: str) -> Path | None:
    """Where something was built that is no shipped dataset, by its name.

    That is a dataset of one's own, unless a folder here has its name, or another version of a dataset than
    the published one, ``NAME@HASH``.
    """
    own = not is_beir_folder(text) and own_dataset(text) is not None
    folder = built_folder(text) if own or ("@" in text and "/" not in text) else None
    return folder if folder is not None and is_beir_folder(folder) else None


def _name_of(folder: Path, known: DatasetConfig | None) -> str:
    """What results of a folder are filed under; another version of a dataset keeps its own name."""
    if known is None:
        return _own_name(folder)
    source = read_manifest(folder).provenance.source
    return source if source.startswith(f"{known.name}@") else known.name


def _own_name(folder: Path) -> str:
    """A folder's name, told apart from the dataset of that name, which it is not."""
    name = folder.resolve().name
    return f"{name}-folder" if name in names("datasets") else name


def choose_split(dataset: Dataset, collection: Collection, asked: str | None) -> str:
    """The split to search: the one asked for, else the reported one, else the only one unless it is train.

    Raises:
        UsageError: the choice is not clear; the message lists the splits.
    """
    have = collection.splits
    listed = ", ".join(have) or "none"
    wanted = asked or (dataset.config.reported_split if dataset.config else None)
    if wanted is not None:
        if wanted not in have:
            raise UsageError(f"{dataset.name} has no split {wanted!r}", hint=f"it has: {listed}")
        return wanted
    if len(have) == 1 and have[0] != "train":
        return have[0]
    likely = next((name for name in ("test", "dev", "validation") if name in have), have[-1] if have else "")
    raise UsageError(
        f"{dataset.name} needs --split: it has {listed}", hint=f"add --split {likely}" if have else ""
    )


def self_match_ids(dataset: Dataset, collection: Collection, query_ids: set[str]) -> frozenset[str]:
    """The queries that stand in the corpus under their own id.

    A dataset's YAML decides for all its queries. In a folder without one, a query stands in the corpus when
    a document has its id and its text; equal ids alone are an accident of numbering.
    """
    if dataset.config is not None and dataset.config.self_match == "keep":
        return frozenset()
    if dataset.config is not None:
        return frozenset(doc.doc_id for doc in collection.documents() if doc.doc_id in query_ids)
    texts = {
        query.query_id: query.text.strip() for query in collection.queries() if query.query_id in query_ids
    }
    return frozenset(
        doc.doc_id
        for doc in collection.documents()
        if doc.doc_id in texts
        and texts[doc.doc_id] in (doc.text.strip(), doc.title.strip(), f"{doc.title} {doc.text}".strip())
    )


def _build(text: str, config: DatasetConfig, folder: Path, progress: Progress) -> None:
    from beirkit.converters import catalog

    if catalog.get(config.format).needs_raw:
        quoted = shlex.quote(text)
        where = f" RAW is: {config.obtain}" if config.obtain else ""
        brought = f"bring a published form with: beirkit fetch {quoted}; or " if config.published else ""
        raise NotBuiltError(
            config.name,
            f"dataset {config.name!r} is not built yet and needs its raw files",
            hint=f"{brought}build it with: beirkit convert {quoted} RAW.{where}",
        )
    _log.info("building %s in %s", config.name, folder)
    try:
        convert_source(text, None, folder, overwrite=folder.exists(), progress=progress)
    except UsageError:
        if not is_beir_folder(folder) or _is_out_of_date(config, folder):
            raise
        _log.info("%s was built by another run meanwhile", folder)


def _is_out_of_date(config: DatasetConfig, folder: Path) -> bool:
    """Whether a dataset that needs no raw files would come out of its source another one today.

    The standard library changes with the Python that runs; what was built from raw files stays as it is.
    """
    from beirkit.converters import catalog

    if catalog.get(config.format).needs_raw or not has_manifest(folder):
        return False
    today = named(catalog.convert(config.format, None, config.options).provenance, config)
    return read_manifest(folder).provenance != today
