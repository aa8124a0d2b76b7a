"""Which targets ``beirkit export`` has, and how a folder is exported; a class is loaded when first used."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any

import msgspec

from beirkit.corpora.collection import Collection, Provenance
from beirkit.corpora.errors import ConfigError, UsageError, nearest
from beirkit.corpora.exports.base import Export, Facts, FolderExport, Records, told
from beirkit.corpora.files import atomic_open, sha256_file
from beirkit.corpora.layout import require_split_name
from beirkit.corpora.manifest import Counts, FileFacts, installed_version, read_facts
from beirkit.corpora.plugins import load_class
from beirkit.corpora.progress import Progress, silent
from beirkit.corpora.whole import whole_folder

GROUP = "beirkit.exports"

MANIFEST = "export.json"
"""The file that tells what an exported folder is made of."""

_CACHES = ("__pycache__", ".pklz4")

# A target's class says what it takes. One that takes results may live in a room that knows what those are.
_SHIPPED = {
    "hf-dataset": "beirkit.corpora.exports.hf_dataset:HfDataset",
    "ir_datasets": "beirkit.corpora.exports.ir_datasets:IrDatasets",
    "jsonl": "beirkit.corpora.exports.jsonl:Jsonl",
    "lexbench": "beirkit.corpora.exports.lexbench:LexbenchRelease",
    "trec": "beirkit.corpora.exports.trec:Trec",
}


class ExportManifest(msgspec.Struct, frozen=True, kw_only=True):
    """What ``export.json`` says about its folder; it holds no time, so equal work gives equal bytes.

    Attributes:
        beirkit: version that wrote the folder.
        target: the catalog name of the target.
        options: the options that were given.
        provenance: where the records came from.
        counts: how much there is.
        content_ids: of the exported records, as the manifest of their BEIR folder has them.
        changed: how many records were changed so that the form can carry them, by what was done.
        files: by name relative to the folder.
    """

    beirkit: str
    target: str
    options: dict[str, Any]
    provenance: Provenance
    counts: Counts
    content_ids: dict[str, str]
    changed: dict[str, int]
    files: dict[str, FileFacts]


def names() -> tuple[str, ...]:
    """Names of every target, shipped or installed beside beirkit, sorted."""
    return tuple(sorted({*_SHIPPED, *_installed()}))


@cache
def get(name: str) -> type[Export]:
    """The class of one target.

    A third party adds one as an entry point of the group ``beirkit.exports``; a shipped name cannot be taken
    over.

    Raises:
        UnknownNameError: no target has that name; the message holds the nearest one.
        UsageError: an installed entry point cannot be loaded or is no target.
    """
    return load_class(name, "export", Export, _SHIPPED, _installed())


def check_options(name: str, options: Mapping[str, Any]) -> Any:
    """The options of one target, as its ``Options``; ``"true"`` is a truth value where the option is one.

    Raises:
        ConfigError: an option is unknown, with the nearest known one, or has a wrong type.
    """
    return checked_options(name, get(name).Options, options)


def checked_options(name: str, shape: type[msgspec.Struct], options: Mapping[str, Any]) -> Any:
    """The options of a target of any kind, as its ``Options``.

    Raises:
        ConfigError: an option is unknown, with the nearest known one, or has a wrong type.
    """
    known = [field.name for field in msgspec.structs.fields(shape)]
    place = f"options of export {name!r}"
    for key in options:
        if key not in known:
            raise ConfigError(f"there is no option {key!r}", path=place, hint=nearest(key, known))
    try:
        return msgspec.convert(dict(options), shape, strict=False)
    except msgspec.ValidationError as error:
        raise ConfigError(str(error), path=place) from error


def export_folder(
    collection: Collection,
    to: str,
    out: Path | str,
    facts: Facts,
    options: Mapping[str, Any] | None = None,
    *,
    overwrite: bool = False,
    progress: Progress = silent,
) -> ExportManifest:
    """Write a collection in the form of a target; the folder appears whole or not at all.

    Args:
        collection: what to export; each stream is read once, by some targets twice.
        to: catalog name of a target that takes a folder.
        out: the folder to write.
        facts: what is known about the dataset.
        options: the target's options.
        overwrite: replace a folder that an export wrote; any other is never replaced.
        progress: told of every record.

    Raises:
        UsageError: the target takes results, an option is wrong, or ``out`` may not be written.
        DataError: a record cannot stand in the form, or the collection cannot be read.
        WriteError: the system refused to write; nothing is left.
    """
    cls = get(to)
    if not issubclass(cls, FolderExport):
        raise UsageError(f"export {to!r} takes {cls.takes}, not a BEIR folder")
    settings = check_options(to, options or {})
    for split in collection.splits:
        require_split_name(split)
    records = Records(collection, progress)
    with whole_folder(out, overwrite=overwrite, written=written) as part:
        cls().write(records, part, facts, settings)
        manifest = ExportManifest(
            beirkit=installed_version(),
            target=to,
            options=told(settings),
            provenance=records.provenance,
            counts=records.counts(),
            content_ids=records.content_ids(),
            changed=dict(sorted(records.changed.items())),
            files=_files(part),
        )
        _write_manifest(manifest, part)
    records.tell_changes()
    return manifest


def read_export(folder: Path | str) -> ExportManifest:
    """The manifest of an exported folder.

    Raises:
        DataError: there is none, or it is not one that beirkit writes.
    """
    return read_facts(Path(folder) / MANIFEST, ExportManifest, "an export of beirkit")


def written(folder: Path) -> set[str]:
    """The files that an export wrote into a folder, with the caches that Python and ir_datasets add to it.

    Raises:
        DataError: it is not the folder of an export.
    """
    inside = (path.relative_to(folder) for path in folder.rglob("*"))
    caches = {path.as_posix() for path in inside if any(part.endswith(_CACHES) for part in path.parts)}
    return {MANIFEST, *read_export(folder).files, *caches}


def _files(folder: Path) -> dict[str, FileFacts]:
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    return {
        path.relative_to(folder).as_posix(): FileFacts(path.stat().st_size, sha256_file(path))
        for path in paths
    }


def _write_manifest(manifest: ExportManifest, folder: Path) -> None:
    data = msgspec.json.format(msgspec.json.encode(manifest, enc_hook=str, order="deterministic"), indent=2)
    with atomic_open(folder / MANIFEST, "wb") as out:
        out.write(data + b"\n")


@cache
def _installed() -> dict[str, EntryPoint]:
    return {entry.name: entry for entry in entry_points(group=GROUP)}
