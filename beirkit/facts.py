"""The facts about a dataset: by its name, by a YAML file of one's own, or by a folder built as it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from beirkit.configs.load import load_dataset, names, read_config
from beirkit.configs.schema import DatasetConfig, Expected
from beirkit.corpora.errors import ConfigError, DataError, nearest
from beirkit.corpora.files import atomic_open
from beirkit.corpora.findings import Known
from beirkit.corpora.manifest import has_manifest, read_manifest
from beirkit.corpora.mend import CONVERTER, made_by
from beirkit.home import own_facts

WITHOUT = "without_documents"
"""The option of converters that read queries and judgments only."""

_NAME = re.compile(r"\w[\w.-]*")


def config_named(text: str) -> DatasetConfig | None:
    """The facts that a user named: a shipped dataset, or a YAML file; None where it is neither.

    Raises:
        ConfigError: the YAML file cannot be read, has an unknown key, or a name that is taken or cannot name
            a folder; with file and key path.
    """
    if text in names("datasets"):
        return load_dataset(text)
    if not is_yaml(text):
        return None
    config = read_config(Path(text), DatasetConfig)
    _check_options(config, text)
    if config.name in names("datasets"):
        hint = "choose another; `extends` takes the facts of a shipped dataset over"
        raise ConfigError(f"`name` is that of the shipped dataset {config.name!r}", path=text, hint=hint)
    if not _NAME.fullmatch(config.name):
        hint = "letters, digits, '-', '_' and '.' name a folder everywhere"
        raise ConfigError(f"`name` is {config.name!r}, which cannot name a folder", path=text, hint=hint)
    return config


def is_yaml(text: str) -> bool:
    """Whether a user named a YAML file."""
    return text.endswith((".yaml", ".yml"))


def own_dataset(name: str) -> DatasetConfig | None:
    """The facts about a dataset of one's own that was built before, by its name; None: there is none."""
    if name in names("datasets") or not _NAME.fullmatch(name):
        return None
    kept = own_facts(name)
    return read_config(kept, DatasetConfig) if kept.is_file() else None


def keep_facts(config: DatasetConfig) -> None:
    """Keep the facts about a dataset of one's own, for its name and its folder to be known by.

    They are those of the YAML file with what it extends, and its relative paths made whole.
    """
    import yaml

    if config.name in names("datasets"):
        return
    facts: dict[str, Any] = {
        field.name: value
        for field in msgspec.structs.fields(DatasetConfig)
        if field.name != "extends" and (value := getattr(config, field.name)) != field.default
    }
    with atomic_open(own_facts(config.name)) as out:
        yaml.safe_dump(msgspec.to_builtins(facts, str_keys=True), out, allow_unicode=True, sort_keys=False)


def _check_options(config: DatasetConfig, text: str) -> None:
    """Refuse options that the converter does not take now, under the name of the file they are in."""
    from beirkit.converters import catalog

    known = catalog.names()
    if config.format not in known:
        found = f"`format` is {config.format!r}, which is no format"
        raise ConfigError(found, path=text, hint=nearest(config.format, list(known)))
    catalog.check_options(config.format, config.options, f"{text}: `options`")
    readers = {"beir": "beir", "huggingface": "huggingface", "raw": config.format}
    for number, one in enumerate(config.published):
        place = f"{text}: `published[{number}].options`"
        catalog.check_options(readers[one.kind], one.options, place)


def config_of(folder: Path) -> DatasetConfig | None:
    """The facts about a folder, where its manifest says that it was built as a named dataset.

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
    made = made_by(manifest)
    if source in names("datasets"):
        config = load_dataset(source)
    else:
        own = own_dataset(source)
        if own is None or own.licence != manifest.provenance.licence:  # a folder may have any name
            return None
        config = own
    return config if made == config.format or (fetched and made != CONVERTER) else None


def differences_of(config: DatasetConfig, options: Mapping[str, Any]) -> list[str]:
    """How a conversion with these options differs from the published BEIR files, as far as it is known."""
    return [
        one if isinstance(one, str) else one.says
        for one in config.differences
        if isinstance(one, str) or not any(_is_given(option, options) for option in one.unless)
    ]


def expected_of(config: DatasetConfig, options: Mapping[str, Any]) -> Expected | None:
    """What a conversion with these options should hold; None where that is not known."""
    expected = config.expected
    if expected is None or any(_is_given(option, options) for option in expected.unless):
        return None
    return msgspec.structs.replace(expected, documents=None) if options.get(WITHOUT) is True else expected


def _is_given(option: str, options: Mapping[str, Any]) -> bool:
    """Whether an option has a value, or of ``option=value`` that one."""
    name, equals, value = option.partition("=")
    return options.get(name) == value if equals else bool(options.get(name))


def known_defects(folder: Path) -> list[Known]:
    """The published defects of the dataset that a folder was built as, for ``check_folder``."""
    return known_of(config_of(folder), without_documents=_is_without_documents(folder))


def _is_without_documents(folder: Path) -> bool:
    if not has_manifest(folder):
        return False
    try:
        return read_manifest(folder).provenance.options.get(WITHOUT) is True
    except DataError:
        return False


def known_of(config: DatasetConfig | None, *, without_documents: bool = False) -> list[Known]:
    """The published defects of a dataset, for ``check_folder``; and that no document was asked for."""
    known = [
        Known(
            code=defect.code,
            note=defect.note,
            file=defect.file,
            keys=tuple(defect.ids),
            count=defect.count,
        )
        for defect in (config.known if config else [])
    ]
    asked = Known(code="BK043", note="it was converted with without_documents=true")
    return [*known, asked] if without_documents else known
