"""The facts about a dataset: by its name, by a YAML file of one's own, or by a folder built as it."""

from __future__ import annotations

import re
from pathlib import Path

from beirkit.configs.load import load_dataset, names, read_config
from beirkit.configs.schema import DatasetConfig
from beirkit.corpora.errors import ConfigError, DataError
from beirkit.corpora.findings import Known
from beirkit.corpora.manifest import has_manifest, read_manifest
from beirkit.corpora.mend import CONVERTER, made_by


def config_named(text: str) -> DatasetConfig | None:
    """The facts that a user named: a shipped dataset, or a YAML file; None where it is neither.

    Raises:
        ConfigError: the YAML file cannot be read, has an unknown key, or a name that is taken or cannot name
            a folder; with file and key path.
    """
    if text in names("datasets"):
        return load_dataset(text)
    if not text.endswith((".yaml", ".yml")):
        return None
    config = read_config(Path(text), DatasetConfig)
    if config.name in names("datasets"):
        hint = "choose another; `extends` takes the facts of a shipped dataset over"
        raise ConfigError(f"`name` is that of the shipped dataset {config.name!r}", path=text, hint=hint)
    if not re.fullmatch(r"\w[\w.-]*", config.name):
        hint = "letters, digits, '-', '_' and '.' name a folder everywhere"
        raise ConfigError(f"`name` is {config.name!r}, which cannot name a folder", path=text, hint=hint)
    return config


def config_of(folder: Path) -> DatasetConfig | None:
    """The shipped facts about a folder, where its manifest says that it was built as a named dataset.

    A mended copy is one still where nothing but its form was changed: its content ids are the same.
    """
    if not has_manifest(folder):
        return None
    try:
        manifest = read_manifest(folder)
    except DataError:  # a manifest of somebody else's: nothing is known about the folder
        return None
    source, fetched = manifest.provenance.source, bool(manifest.provenance.fetched)
    if fetched:  # another version than the published one is called NAME@HASH
        source = source.partition("@")[0]
    if source not in names("datasets"):
        return None
    config, made = load_dataset(source), made_by(manifest)
    return config if made == config.format or (fetched and made != CONVERTER) else None


def known_defects(folder: Path) -> list[Known]:
    """The published defects of the dataset that a folder was built as, for ``check_folder``."""
    return known_of(config_of(folder))


def known_of(config: DatasetConfig | None) -> list[Known]:
    """The published defects of a dataset, for ``check_folder``."""
    return [
        Known(
            code=defect.code,
            note=defect.note,
            file=defect.file,
            keys=tuple(defect.ids),
            count=defect.count,
        )
        for defect in (config.known if config else [])
    ]
