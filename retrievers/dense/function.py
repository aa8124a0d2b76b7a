"""A user's own function as an encoder."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, get_args

import numpy as np

from beirkit.corpora.errors import ConfigError
from beirkit.corpora.progress import Advance
from beirkit.retrievers.base import Facts, Workplace
from beirkit.retrievers.dense.batches import Batches
from beirkit.retrievers.dense.encoder import Role, Similarity, Vectors
from beirkit.retrievers.dense.prompts import INSTRUCTION
from beirkit.retrievers.dense.sentence_transformer import EncoderOptions
from beirkit.retrievers.objects import describe_object, foreign_code, load_function, split_target

BATCH = 32


class FunctionEncoder:
    """Calls ``function(texts, role)``, or ``encode(texts, role)`` of an object that a class makes.

    It is given a list of texts with their prompts, and ``"query"`` or ``"document"``, and gives an array of
    one row per text. It is told from another by its code, as other code of one's own is. Equal texts of a
    block are encoded once.

    Args:
        options: ``model`` is ``package.module:name`` or ``path/to/file.py:name``.
        workplace: batch size.

    Raises:
        ConfigError: the name cannot be read, or an option is set that means nothing here.
    """

    stage = 1

    def __init__(self, options: EncoderOptions, workplace: Workplace) -> None:
        assert isinstance(options.model, str)
        self._target = options.model
        split_target(self._target)
        refuse_options(options, "a function", ("weights_sha256", "max_length", "backend", "dtype", "static"))
        self._options = options
        self._batch_size = workplace.batch(options.batch_size, BATCH)

    def identity(self) -> Facts:
        """Name and state of the code, and prompts; nothing of it is run."""
        return {
            "kind": "dense",
            "encoder": "function",
            "stage": self.stage,
            "function": describe_object(self._target),
            "prompts": {role: self._prompt(role) for role in get_args(Role)},
            "batch_size": self._batch_size,
        }

    @property
    def similarity(self) -> Similarity:
        """As the options say; cosine unless they do."""
        return self._options.similarity or "cosine"

    def encode(self, texts: Sequence[str], role: Role, advance: Advance | None = None) -> Vectors:
        """What the function gives for the texts.

        Raises:
            UsageError: it failed, with its own error as the cause.
        """
        prompt = self._prompt(role)
        batches = Batches(texts, self._batch_size)
        parts: list[Any] = []
        for batch, uses in zip(batches.texts, batches.uses, strict=True):
            with foreign_code(f"{self._target} failed"):
                parts.append(self._function([prompt + text for text in batch], role))
            if not _fits(parts[-1], len(batch)):
                bad: Vectors = parts[-1]  # the store says what is wrong with it
                return bad
            if advance is not None:
                advance(uses)
        found: Vectors = np.concatenate([np.asarray(part, dtype=np.float32) for part in parts])
        return found[batches.rows]

    def count_truncated(self, texts: Sequence[str], role: Role) -> None:
        """What a function reads of a text is not known."""

    def _prompt(self, role: Role) -> str:
        prompt = self._options.prompts.get(role, "")
        if INSTRUCTION in prompt and not self._options.instruction:
            raise ConfigError(f"the prompt {prompt!r} wants an instruction, and there is none")
        return prompt.replace(INSTRUCTION, self._options.instruction)

    @cached_property
    def _function(self) -> Any:
        return load_function(self._target, "encode", "texts and role")


def refuse_options(options: EncoderOptions, what: str, names: Sequence[str]) -> None:
    """Refuse options that a kind of encoder cannot follow.

    Raises:
        ConfigError: one of them is set.
    """
    plain = EncoderOptions(model=options.model)
    for name in names:
        if getattr(options, name) != getattr(plain, name):
            raise ConfigError(f"{name} means nothing for {what}", hint=f"take {name} out")


def _fits(part: Any, count: int) -> bool:
    return getattr(part, "ndim", 0) == 2 and len(part) == count and np.asarray(part).dtype.kind in "fiu"
