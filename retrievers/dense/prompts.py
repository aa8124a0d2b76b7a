"""Which prompt stands before a text, where it comes from, and what to say when a known model lacks its own.

An option goes first, then the model's own configuration, then the registry of families; else there is none.
A family that takes instructions gets its template filled with the dataset's one, where there is one, even
where the model's configuration has the template filled with a general one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, Protocol, get_args

from beirkit.configs.families import ModelFamily, find_family
from beirkit.corpora.errors import ConfigError
from beirkit.retrievers.base import Facts
from beirkit.retrievers.dense.encoder import Role

INSTRUCTION = "{instruction}"


class Configuration(Protocol):
    """What a model's own configuration says of prompts."""

    def prompt(self, role: Role) -> str:
        """What it puts before a text of a role."""
        ...

    @property
    def has_prompts(self) -> bool:
        """Whether it has a prompt for either role."""
        ...

    @property
    def unused_prompts(self) -> list[str]:
        """Names of prompts that are for no role of retrieval."""
        ...

    @property
    def made_from(self) -> str:
        """The model that it was made from, or its own name; empty: it does not say."""
        ...


class NoConfiguration:
    """Of a model whose files nobody has seen, such as a service's."""

    has_prompts = False
    made_from = ""

    def __init__(self) -> None:
        self.unused_prompts: list[str] = []

    def prompt(self, role: Role) -> str:
        """Nothing."""
        return ""


@dataclass(frozen=True)
class Prompt:
    """What is put before texts of one role.

    Attributes:
        text: the prompt, complete.
        origin: who says so.
        family: whose prompts they are, where the registry says so.
    """

    text: str
    origin: Literal["options", "model", "registry", "nobody"]
    family: str = ""


@dataclass(frozen=True)
class Prompts:
    """The prompts of both roles.

    Attributes:
        by_role: each prompt.
        warnings: what looks like a mistake in them, a sentence each.
    """

    by_role: dict[Role, Prompt]
    warnings: list[str]

    def describe(self) -> Facts:
        """Who each prompt comes from, and the warnings where there are any."""
        told = {
            role: f"{prompt.origin} ({prompt.family})" if prompt.family else prompt.origin
            for role, prompt in self.by_role.items()
        }
        return {"prompts_from": told, **({"prompt_warnings": self.warnings} if self.warnings else {})}


def choose_prompts(
    options: dict[Role, str], instruction: str, files: Configuration, names: list[str]
) -> Prompts:
    """The prompts that a model is used with.

    Args:
        options: prompts that the configuration sets.
        instruction: what the dataset tells a model that takes instructions.
        files: the model.
        names: what the model is called: on the hub, and its folder.

    Raises:
        ConfigError: a prompt wants an instruction and there is none.
    """
    family = find_family(names)
    chosen = {role: _choose(role, options, instruction, files, family) for role in get_args(Role)}
    return Prompts(chosen, list(_warnings(chosen, instruction, files, family)))


def _choose(
    role: Role, options: dict[Role, str], instruction: str, files: Configuration, family: ModelFamily | None
) -> Prompt:
    if (given := options.get(role)) is not None:
        return Prompt(_filled(given, instruction, family), "options")
    wanted = family.prompts[role] if family is not None else ""
    own = files.prompt(role)
    if own and not (instruction and INSTRUCTION in wanted):
        return Prompt(_filled(own, instruction, family), "model")
    # A model's configuration that speaks of the other role has spoken of this one too: it wants nothing.
    if family is not None and not (files.has_prompts and not own and not wanted):
        return Prompt(_filled(wanted, instruction, family), "registry", family.name)
    return Prompt("", "model" if files.has_prompts else "nobody")


def _filled(prompt: str, instruction: str, family: ModelFamily | None) -> str:
    if INSTRUCTION not in prompt:
        return prompt
    told = instruction or (family.instruction if family is not None else "")
    if not told:
        raise ConfigError(
            f"the prompt {prompt!r} wants an instruction, and the dataset has none",
            hint="set the option instruction, or instruction in the dataset's YAML",
        )
    return prompt.replace(INSTRUCTION, told)


def _warnings(
    chosen: dict[Role, Prompt], instruction: str, files: Configuration, family: ModelFamily | None
) -> Iterator[str]:
    known = family or find_family([files.made_from])
    for role, prompt in chosen.items() if known is not None else ():
        assert known is not None
        wanted = known.prompts[role]
        if family is None and wanted and not prompt.text and prompt.origin != "options":
            yield (
                f"MISSING PROMPT? The model's files name {files.made_from}, whose family {known.name} wants "
                f"{wanted!r} before every {role}; set prompts, to '' if it wants none ({known.source})"
            )
        elif family is not None and wanted and not prompt.text:
            yield (
                f"MISSING PROMPT: models of the family {known.name} want {wanted!r} before every {role} and "
                f"get nothing; scores may be too low ({known.source})"
            )
        elif INSTRUCTION in wanted and prompt.origin == "registry" and not instruction:
            yield f"the dataset has no instruction; the model gets a general one: {known.instruction}"
    if (unused := files.unused_prompts) and not any(prompt.text for prompt in chosen.values()):
        yield (
            f"the model's configuration has the prompts {', '.join(unused)}, none of which is for queries or "
            "documents, so none is used; set prompts"
        )
