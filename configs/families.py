"""Families of encoders and the prompts that their model cards ask for."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Literal

import msgspec

from beirkit.configs.load import convert, load_yaml

_FILE = Path(__file__).parent / "models" / "families.yaml"


class ModelFamily(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Encoders that are used alike (``configs/models/families.yaml``).

    Attributes:
        name: what the family is called in messages.
        models: patterns that a model's name, without its owner, matches as a whole, whatever its case.
        prompts: what stands before a query and before a document; empty: nothing. ``{instruction}`` is the
            dataset's instruction.
        instruction: what the model card takes where there is no instruction.
        source: the page that says so.
    """

    name: str
    models: list[str]
    prompts: dict[Literal["query", "document"], str]
    instruction: str = ""
    source: str


@cache
def model_families() -> tuple[ModelFamily, ...]:
    """All families, in the order of the file."""
    data = load_yaml(_FILE.read_text(encoding="utf-8"))
    return tuple(
        convert({"name": name, **facts}, ModelFamily, path=f"{_FILE.name}, {name}")
        for name, facts in data.items()
    )


def find_family(names: Iterable[str]) -> ModelFamily | None:
    """The family of a model.

    Args:
        names: what the model is called in different places, each with or without its owner.
    """
    plain = [name.rsplit("/", 1)[-1] for name in names]
    for family in model_families():
        for pattern in family.models:
            if any(re.fullmatch(pattern, name, re.IGNORECASE) for name in plain):
                return family
    return None
