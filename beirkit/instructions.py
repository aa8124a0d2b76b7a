"""What a dataset tells models that take instructions: put into a retriever's options before it is made."""

from __future__ import annotations

from typing import Any

import msgspec

from beirkit.configs.schema import RetrieverConfig
from beirkit.configs.spec import with_nested
from beirkit.retrievers.base import Retriever, Workplace
from beirkit.retrievers.catalog import create, get

PLACE = "{instruction}"
"""What stands in a retriever's options for the dataset's instruction, at any depth."""

_OPTION = "instruction"


def with_instruction(config: RetrieverConfig, instruction: str) -> RetrieverConfig:
    """The same retriever, told the instruction of a dataset.

    ``{instruction}`` in its options becomes the instruction, except in ``prompts``, which are filled by the
    model. A kind that has the option ``instruction`` gets it where the configuration does not set it.

    Args:
        config: the retriever.
        instruction: the dataset's, ``""`` where it has none.
    """
    options = {key: _filled(value, instruction, key) for key, value in config.options.items()}
    takes = any(item.encode_name == _OPTION for item in msgspec.structs.fields(get(config.kind).Options))
    if takes and instruction:
        options.setdefault(_OPTION, instruction)
    changed = config if options == config.options else msgspec.structs.replace(config, options=options)
    return with_nested(changed, lambda inner: with_instruction(inner, instruction))


def told(
    config: RetrieverConfig, retriever: Retriever[Any], instruction: str, workplace: Workplace
) -> tuple[RetrieverConfig, Retriever[Any]]:
    """Configuration and retriever for a dataset with an instruction; the ones given where it changes nothing.

    Args:
        config: without any instruction put in.
        retriever: made from it with any instruction.
        instruction: the dataset's.
        workplace: for a new retriever.
    """
    changed = with_instruction(config, instruction)
    made = create(changed, workplace)
    # A model that takes no instruction stays loaded from one dataset to the next.
    return (config, retriever) if made.identity() == retriever.identity() else (changed, made)


def _filled(value: Any, instruction: str, key: str) -> Any:
    if isinstance(value, dict) and key != "prompts":
        return {name: _filled(inner, instruction, name) for name, inner in value.items()}
    if isinstance(value, list):
        return [_filled(item, instruction, key) for item in value]
    return value.replace(PLACE, instruction) if isinstance(value, str) else value
