"""Retrievers inside the options of another: written as names or in full, made with their own place to work.

A specification is the text that ``beirkit run -r`` takes, or ``{kind: …, options: …}`` as in a YAML file.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import msgspec

from beirkit.configs.spec import nested_config
from beirkit.corpora.errors import ConfigError
from beirkit.corpora.progress import Advance, Progress
from beirkit.retrievers.base import Retriever, Workplace
from beirkit.retrievers.catalog import create

Spec = Any
"""A text or a mapping; what else stands in a file is refused when the retriever is made."""


class Stage(msgspec.Struct, frozen=True):
    """One retriever of a pipeline, and what it is called."""

    name: str
    retriever: Retriever[Any]


def make_stage(spec: Spec, workplace: Workplace, where: str) -> Stage:
    """The retriever of a specification; nothing is read or loaded yet.

    Args:
        spec: see the module.
        workplace: of the outer retriever.
        where: the option it stands in, for messages.

    Raises:
        ConfigError: it cannot be read, or an option of it is impossible.
        UnknownNameError: there is no such retriever.
        MissingExtraError: it needs an optional part.
    """
    try:
        config = nested_config(spec)
    except ConfigError as error:
        raise ConfigError(f"{where}: {error}") from error
    own = msgspec.structs.replace(workplace, progress=named(workplace.progress, config.name))
    return Stage(config.name, create(config, own))


def named(progress: Progress, name: str) -> Progress:
    """Progress whose labels say which stage is at work; its documents are not counted as the pipeline's."""

    @contextmanager
    def open_display(label: str, total: int | None, unit: str) -> Iterator[Advance]:
        with progress(
            f"{name}: {label}", total, "texts" if unit in ("documents", "queries") else unit
        ) as step:
            yield step

    return open_display
