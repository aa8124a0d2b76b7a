"""The files of a dataset repository by configuration and split, as its card or its file names say."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path, PurePosixPath
from typing import Any

import yaml

from beirkit.configs.load import load_yaml
from beirkit.converters.reading.parquet import require_content
from beirkit.converters.reading.source import Source
from beirkit.corpora.compressed import bare_name
from beirkit.corpora.errors import DataError

Splits = dict[str, list[str]]  # by split, the names of its files

_ENDINGS = (".parquet", ".jsonl", ".ndjson", ".json", ".csv", ".tsv")
_NO_DATA = {"dataset_infos.json", "dataset_dict.json", "state.json", "manifest.json", "metadata.json"}
_SHARD = re.compile(r"-\d{5}-of-\d{5}(-[0-9a-f]+)?$")
_ROLE = re.compile(r"(.+-)?(corpus|queries|query|qrels|instruction|top_ranked)")
_CARD = re.compile(r"---[ \t]*\r?\n(.*?)\r?\n---", re.DOTALL)
_COMMIT = re.compile(r"[0-9a-f]{40}")


class Repository:
    """A local folder of a dataset repository, downloaded, cloned or in the hub's own cache.

    Its card (the YAML at the head of ``README.md``) says which files belong to which configuration and
    split. Where it does not, names do: ``corpus.jsonl`` is the configuration ``corpus``, ``qrels/test.tsv``
    the split ``test`` of ``qrels``, ``data/test-00000-of-00001.parquet`` and ``test.tsv`` are the split
    ``test`` of ``default``. Loading scripts are never run.

    Args:
        folder: the repository, or ``datasets--OWNER--NAME`` of a hub cache with one snapshot.

    Attributes:
        source: its files.
        revision: the commit, where the folder is a snapshot of a hub cache; else empty.
        configs: files by configuration and split, in the order of the card, else of names.

    Raises:
        DataError: there is no data file, several snapshots, or a card that cannot be read.
    """

    def __init__(self, folder: Path) -> None:
        folder = _snapshot(folder)
        self.source = Source(folder)
        self.revision = folder.name if _COMMIT.fullmatch(folder.name) else ""
        self.configs: dict[str, Splits] = self._of_card() or _of_names(self.source.names)
        if not self.configs:
            found = "holds no data files of a dataset repository"
            raise DataError(found, path=folder, hint=f"known endings: {', '.join(_ENDINGS)}, also compressed")

    def path(self, name: str) -> Path:
        """A readable path of one file.

        Raises:
            DataError: Git LFS has left a pointer in its place.
        """
        path = self.source.path(name)
        require_content(path)
        return path

    def _of_card(self) -> dict[str, Splits]:
        if "README.md" not in self.source.names:
            return {}
        path = self.source.path("README.md")
        head = _CARD.match(path.read_text(encoding="utf-8-sig", errors="replace"))
        try:
            card = load_yaml(head[1]) if head else None
        except yaml.YAMLError as error:
            hint = "mend it, or take README.md out: file names then say what is what"
            raise DataError("has a head that is not YAML", path=path, hint=hint) from error
        configs = card.get("configs") if isinstance(card, dict) else None
        if not isinstance(configs, list):
            return {}
        return {
            str(config.get("config_name", "default")): self._files_of(config, path)
            for config in configs
            if isinstance(config, dict)
        }

    def _files_of(self, config: Mapping[str, Any], card: Path) -> Splits:
        """The files of one configuration of the card."""
        folder = str(config.get("data_dir", "")).strip("/.")
        names = [name for name in self.source.names if not folder or name.startswith(f"{folder}/")]
        found: Splits = {}
        for split, patterns in _patterns(config.get("data_files")):
            for pattern in patterns:
                whole = _glob(f"{folder}/{pattern}" if folder else pattern)
                matching = [name for name in names if whole.fullmatch(name)]
                if not matching:
                    name = config.get("config_name", "default")
                    problem = f"names {pattern} for the configuration {name!r}, and there is no such file"
                    raise DataError(problem, path=card, hint="bring the whole repository")
                found.setdefault(split, []).extend(matching)
        return found or {
            split: files for splits in _of_names(names).values() for split, files in splits.items()
        }


def _patterns(data_files: Any) -> Iterable[tuple[str, list[str]]]:
    """Split and patterns of a card's ``data_files``: a pattern, a list of them, or a list of splits."""
    if isinstance(data_files, str):
        yield "train", [data_files]
    for entry in data_files if isinstance(data_files, list) else ():
        if isinstance(entry, dict):
            path = entry.get("path", [])
            yield str(entry.get("split", "train")), [path] if isinstance(path, str) else list(map(str, path))
        else:
            yield "train", [str(entry)]


def _glob(pattern: str) -> re.Pattern[str]:
    """A pattern of a card: ``*`` stays within a folder, ``**`` does not."""
    parts = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    pieces = re.split(r"(\*\*/|\*\*|\*|\?)", pattern.removeprefix("./"))
    return re.compile("".join(parts.get(piece, re.escape(piece)) for piece in pieces))


def _of_names(names: Iterable[str]) -> dict[str, Splits]:
    found: dict[str, Splits] = {}
    for name in names:
        path = PurePosixPath(name)
        stem, ending = PurePosixPath(bare_name(path.name)).stem, PurePosixPath(bare_name(path.name)).suffix
        if ending not in _ENDINGS or path.name in _NO_DATA:
            continue
        folders = [part for part in path.parts[:-1] if part != "data"]
        split = _SHARD.sub("", stem)
        if split.isdigit() and folders:  # corpus/test/0000.parquet, as the hub converts
            split = folders[-1]
        role = (
            folders[0] if folders else split if _ROLE.fullmatch(split) and len(path.parts) == 1 else "default"
        )
        found.setdefault(role, {}).setdefault(split, []).append(name)
    return found


def _snapshot(folder: Path) -> Path:
    snapshots = folder / "snapshots"
    if not (folder.name.startswith("datasets--") and snapshots.is_dir()):
        return folder
    found = sorted(path for path in snapshots.iterdir() if path.is_dir())
    if len(found) != 1:
        listed = ", ".join(path.name for path in found) or "none"
        raise DataError(f"has {len(found)} snapshots: {listed}", path=snapshots, hint="name one of them")
    return found[0]
