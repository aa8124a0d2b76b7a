"""What scores a query with documents: a cross-encoder, or a function of a user's own."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from functools import cached_property
from importlib.util import find_spec
from typing import Any, Protocol

import msgspec
import numpy as np
import numpy.typing as npt

from beirkit.corpora.errors import ConfigError, DataError, MissingExtraError, UsageError
from beirkit.retrievers.base import Facts, Workplace
from beirkit.retrievers.dense.factory import is_function
from beirkit.retrievers.dense.model_files import ModelFiles, Module, read_settings
from beirkit.retrievers.dense.sources import locate
from beirkit.retrievers.objects import describe_object, foreign_code, load_function, split_target

logger = logging.getLogger(__name__)

Scores = npt.NDArray[np.float32]

_BATCH = 32


class ScorerOptions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What reads query and document.

    Attributes:
        model: places of a cross-encoder's files, the first that has them is taken: a folder, ``env:NAME``,
            ``package:NAME/FOLDER``, ``hub:OWNER/NAME@REVISION``; or ``package.module:name`` or
            ``file.py:name``, a function of a query and a list of texts that gives a score for each, or a
            class with such a method ``score``.
        weights_sha256: what the hash of the weights must be.
        max_length: tokens of query and document together; ``None``: the model's own limit.
        batch_size: pairs that are scored at once.
    """

    model: str | list[str]
    weights_sha256: str | None = None
    max_length: int | None = None
    batch_size: int = _BATCH


class Scorer(Protocol):
    """Scores one query with documents."""

    def identity(self) -> Facts:
        """All that a score depends on besides the two texts; cheap to ask for."""
        ...

    def score(self, query: str, texts: Sequence[str]) -> Scores:
        """``(len(texts),) float32``, greater is better."""
        ...


def make_scorer(options: ScorerOptions, workplace: Workplace) -> Scorer:
    """The scorer of a configuration; nothing is read or loaded yet.

    Raises:
        ConfigError: an option has an impossible value, or means nothing for a function.
    """
    if options.batch_size < 1:
        raise ConfigError("batch_size must be at least 1")
    if options.max_length is not None and options.max_length < 1:
        raise ConfigError("max_length must be at least 1")
    if isinstance(options.model, str) and is_function(options.model):
        split_target(options.model)
        for name in ("weights_sha256", "max_length"):
            if getattr(options, name) is not None:
                raise ConfigError(f"{name} means nothing for a function", hint=f"take {name} out")
        return FunctionScorer(options.model, options.batch_size)
    return CrossEncoderScorer(options, workplace)


class FunctionScorer:
    """Calls ``function(query, texts)``, or ``score(query, texts)`` of an object that a class makes.

    Args:
        target: ``package.module:name`` or ``path/to/file.py:name``; told from another by its code.
        batch_size: texts of one call.
    """

    def __init__(self, target: str, batch_size: int) -> None:
        self._target, self._batch_size = target, batch_size

    def identity(self) -> Facts:
        """Name and state of the code; nothing of it is run."""
        return {"function": describe_object(self._target), "batch_size": self._batch_size}

    def score(self, query: str, texts: Sequence[str]) -> Scores:
        """What the function gives.

        Raises:
            UsageError: it failed, with its own error as the cause.
            DataError: it does not give a number for each text.
        """
        parts: list[Scores] = []
        for start in range(0, len(texts), self._batch_size):
            batch = list(texts[start : start + self._batch_size])
            with foreign_code(f"{self._target} failed"):
                found = np.asarray(self._function(query, batch))
            if found.shape != (len(batch),) or found.dtype.kind not in "fiu":
                raise DataError(
                    f"{self._target} gave {found.dtype} of shape {found.shape} for {len(batch)} texts",
                    hint="give one number for each text",
                )
            parts.append(found.astype(np.float32))
        return np.concatenate(parts) if parts else np.empty(0, dtype=np.float32)

    @cached_property
    def _function(self) -> Any:
        return load_function(self._target, "score", "query and texts")


class CrossEncoderFiles(ModelFiles):
    """The folder of a cross-encoder: a classifier of pairs with one output."""

    def _read_modules(self) -> list[Module]:
        config = {**read_settings(self.folder / "config.json"), "sentence_transformers": self.config}
        return [Module("CrossEncoder", self.folder, config)]

    def _refuse_other_kinds(self) -> None:
        config = self.modules[0].config
        names = [str(name) for name in config.get("architectures") or []]
        if not any(name.endswith("ForSequenceClassification") for name in names):
            raise UsageError(
                "this model is no cross-encoder with a classifier's head",
                path=self.folder,
                hint="a model that gives vectors is a dense retriever's",
            )
        labels = config.get("num_labels") or len(config.get("id2label") or {0: 0, 1: 0})
        if labels != 1:
            raise UsageError(
                f"the model has {labels} outputs, and a reranker has 1",
                path=self.folder,
                hint="wrap it in a function of your own: model: file.py:name",
            )


class CrossEncoderScorer:
    """A cross-encoder of sentence-transformers, in float32; scores are what its head gives, not squashed.

    Squashing keeps the order and makes ties: of float32 values, the sigmoid is 1 from 17 on.

    Args:
        options: the model and its limits.
        workplace: device; whether the hub may be asked.
    """

    def __init__(self, options: ScorerOptions, workplace: Workplace) -> None:
        self._options, self._workplace = options, workplace

    @cached_property
    def files(self) -> CrossEncoderFiles:
        """The model's folder.

        Raises:
            UsageError: it is nowhere, or is no cross-encoder, or has other weights than are pinned.
        """
        model = self._options.model
        located = locate([model] if isinstance(model, str) else model, offline=self._workplace.offline)
        cache = self._workplace.cache
        files = CrossEncoderFiles(located.folder, hashes=None if cache is None else cache / "hashes")
        pinned = self._options.weights_sha256
        if pinned is not None and pinned not in files.weights.values():
            found = ", ".join(files.weights.values())
            raise UsageError(f"the weights have the hash {found}, not {pinned}", path=located.folder)
        return files

    def identity(self) -> Facts:
        """The model's hash, its limit, batch size; torch stays unloaded.

        Raises:
            MissingExtraError: sentence-transformers is not installed.
        """
        if find_spec("sentence_transformers") is None:
            raise MissingExtraError("a cross-encoder", "dense")
        return {
            "cross_encoder": self.files.sha256,
            "weights": self.files.weights,
            "max_length": self._options.max_length or self.files.max_length,
            "batch_size": self._batch_size,
            "dtype": "float32",
            "activation": "none",
        }

    def score(self, query: str, texts: Sequence[str]) -> Scores:
        """The head's output for each pair.

        Raises:
            MissingExtraError: sentence-transformers is not installed.
        """
        pairs = [(query, text) for text in texts]
        if not pairs:
            return np.empty(0, dtype=np.float32)
        with foreign_code("the cross-encoder failed"):
            found = self._model.predict(pairs, batch_size=self._batch_size, show_progress_bar=False)
        return np.asarray(found, dtype=np.float32).reshape(-1)

    @property
    def _batch_size(self) -> int:
        return self._workplace.batch_size or self._options.batch_size

    @cached_property
    def _model(self) -> Any:
        try:
            from sentence_transformers import CrossEncoder
            from torch.nn import Identity
        except ImportError as error:
            raise MissingExtraError("a cross-encoder", "dense") from error
        wanted = self._workplace.device
        with foreign_code(f"the cross-encoder in {self.files.folder} cannot be loaded"):
            return CrossEncoder(
                str(self.files.folder),
                device=None if wanted == "auto" else wanted.partition(",")[0],
                max_length=self._options.max_length or self.files.max_length,
                activation_fn=Identity(),
                local_files_only=True,
            )
