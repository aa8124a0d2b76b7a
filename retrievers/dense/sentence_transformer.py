"""Any sentence-transformers model as an encoder; it is loaded when the first text is encoded."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from functools import cached_property
from typing import get_args

import msgspec
import numpy as np

from beirkit.corpora.errors import ConfigError
from beirkit.corpora.progress import Advance
from beirkit.retrievers.base import Facts, Workplace
from beirkit.retrievers.dense.backends.base import (
    Backend,
    BackendName,
    Setting,
    check_dtype,
    describe_backend,
    open_backend,
)
from beirkit.retrievers.dense.batches import Batches
from beirkit.retrievers.dense.encoder import Role, Similarity, Vectors
from beirkit.retrievers.dense.model_files import ModelFiles
from beirkit.retrievers.dense.prompts import Prompts, choose_prompts
from beirkit.retrievers.dense.sources import MODEL_MARKS, Located, hub_name, locate

logger = logging.getLogger(__name__)

_BATCH = {"torch": 32, "onnx": 32, "openvino": 16}  # as sentence-transformers; fewer are quicker there
_TOKENIZED_AT_ONCE = 256


class StaticFiles(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A static model that is no folder of sentence-transformers or model2vec: a table and a tokenizer.

    Attributes:
        weights: the table of vectors, a ``.safetensors`` file below the place that ``model`` names.
        tokenizer: the tokenizer, a JSON file of the library tokenizers, below the same place.
    """

    weights: str
    tokenizer: str


class EncoderOptions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which model, and how it is used.

    Attributes:
        model: where its files are, or several places of which the first that has them is taken: the path of a
            folder, ``env:NAME``, ``package:NAME/SUBFOLDER``, ``hub:OWNER/NAME@REVISION``. Or, where a dense
            retriever is configured, ``mteb:NAME`` for a model of mteb, ``package.module:function`` or
            ``path/to/file.py:function`` for code of one's own.
        weights_sha256: SHA-256 that its weights file must have.
        prompts: what is put before texts of a role, in place of what the model's own configuration says, or,
            where that says nothing, the registry of known families; ``{instruction}`` stands for the next.
        instruction: what a model that takes instructions is told; the runner sets it to the dataset's one.
        max_length: tokens it reads, the special ones included, in place of the model's own number.
        similarity: how vectors are compared, in place of what the model says.
        backend: what runs the model: ``torch`` (sentence-transformers itself), ``onnx`` (onnxruntime) or
            ``openvino``; the last two on the processor alone.
        dtype: arithmetic inside the model, ``float32`` unless given: ``bfloat16`` with torch or OpenVINO,
            ``float16`` with torch; pooling, normalisation and scores are float32 always.
        batch_size: texts encoded at once; unless given 16 with OpenVINO, 32 with the others.
        static: names of the files of a static model that lie in no usual folder.
    """

    model: str | list[str]
    weights_sha256: str | None = None
    prompts: dict[Role, str] = {}
    instruction: str = ""
    max_length: int | None = None
    similarity: Similarity | None = None
    backend: BackendName = "torch"
    dtype: str | None = None
    batch_size: int | None = None
    static: StaticFiles | None = None


class SentenceTransformerEncoder:
    """Encodes block by block with the back end that the options name.

    Inside a block equal texts are encoded once, and batches are of texts of similar length; nothing depends
    on what stands in other blocks. ``device`` ``auto`` is CUDA where a driver and a torch built for it are
    there and torch is the back end, else the CPU. CUDA and MPS have not been tried yet.

    Args:
        options: which model and how.
        workplace: device; ``batch_size`` and ``dtype`` here go before those of the options.

    Raises:
        ConfigError: an option has an impossible value.
    """

    stage = 1
    """Version of this code; raised when equal texts would get other vectors."""

    def __init__(self, options: EncoderOptions, workplace: Workplace) -> None:
        self.options = options
        self._workplace = workplace
        self.sources = [options.model] if isinstance(options.model, str) else list(options.model)
        self.batch_size = workplace.batch(options.batch_size, _BATCH[options.backend])
        self.dtype = workplace.dtype or options.dtype or "float32"
        check_dtype(options.backend, self.dtype)
        self._advised = False
        self._counted: tuple[Role | None, dict[str, int]] = (None, {})
        if options.max_length is not None and options.max_length < 3:
            raise ConfigError("max_length must be at least 3")

    @cached_property
    def located(self) -> Located:
        """Where the model's files are.

        Raises:
            UsageError: they are nowhere.
        """
        static = self.options.static
        marks = MODEL_MARKS if static is None else (static.weights,)
        located = locate(self.sources, offline=self._workplace.offline, marks=marks)
        logger.info("model files from %s", located.source)
        return located

    @cached_property
    def files(self) -> ModelFiles:
        """What the model's files say.

        Raises:
            UsageError: it is no dense model, or its weights are not the pinned ones.
        """
        cache = self._workplace.cache
        static = self.options.static
        files = ModelFiles(
            self.located.folder,
            hashes=None if cache is None else cache / "hashes",
            static=None if static is None else (static.weights, static.tokenizer),
        )
        files.require_pinned(self.options.weights_sha256, self.located.source)
        return files

    @property
    def max_length(self) -> int | None:
        """Tokens the model reads of a text."""
        wanted, limit = self.options.max_length, self.files.modules[0].config.get("max_position_embeddings")
        if wanted is None:
            return self.files.max_length
        if isinstance(limit, int) and wanted > limit:
            raise ConfigError(f"max_length {wanted} is more than the {limit} positions the model has")
        return wanted

    @property
    def similarity(self) -> Similarity:
        """How two of its vectors are compared."""
        return self.options.similarity or self.files.similarity

    def prompt(self, role: Role) -> str:
        """What is put before texts of a role; see :mod:`beirkit.retrievers.dense.prompts`."""
        return self.prompts.by_role[role].text

    @cached_property
    def prompts(self) -> Prompts:
        """The prompts of both roles and where they come from."""
        return choose_prompts(self.options.prompts, self.options.instruction, self.files, self._names)

    def identity(self) -> Facts:
        """What its vectors depend on; torch stays unloaded."""
        return {
            "kind": "dense",
            "encoder": "sentence-transformers",
            "stage": self.stage,
            "model_sha256": self.files.sha256,
            "weights_sha256": self.files.weights,
            "prompts": {role: self.prompt(role) for role in get_args(Role)},
            "max_length": self.max_length,
            "pooling": self.files.pooling,
            "normalized_by_model": self.files.normalized,
            **describe_backend(self._setting, self.files),
            "dtype": self.dtype,
            "device": "+".join(sorted({one.strip().partition(":")[0] for one in self.device.split(",")})),
            "batch_size": self.batch_size,
        }

    def report(self) -> Facts:
        """The name under which the model is known and who set its prompts: no vector depends on either."""
        name, prompts = hub_name(self.sources), self.prompts.describe()
        return prompts if name is None else {"model": name[0], "revision": name[1], **prompts}

    def advise(self) -> None:
        """Warn of prompts that look like a mistake; once."""
        for warning in [] if self._advised else self.prompts.warnings:
            logger.warning(warning)
        self._advised = True

    @cached_property
    def device(self) -> str:
        """The device, ``auto`` resolved without loading torch."""
        wanted = self._workplace.device
        if wanted != "auto":
            return wanted
        if self.options.backend != "torch":
            return "cpu"
        from beirkit.retrievers.dense.backends.torch_model import has_cuda

        return "cuda" if has_cuda() else "cpu"

    def encode(self, texts: Sequence[str], role: Role, advance: Advance | None = None) -> Vectors:
        """Encode one block of texts as ``(len(texts), dim)`` float32."""
        self.advise()
        # Texts of equal length in tokens pad least: by characters, the demo's corpus took a third more.
        batches = Batches(texts, self.batch_size, self._tokens_read(texts, role))
        parts = []
        made = self._backend.encode(batches.texts, self.prompt(role), role)
        for vectors, uses in zip(made, batches.uses, strict=True):
            parts.append(vectors)
            if advance is not None:
                advance(uses)
        encoded: Vectors = np.concatenate(parts)[batches.rows]
        return encoded

    def count_truncated(self, texts: Sequence[str], role: Role) -> int:
        """How many of the texts, with their prompt, are longer than the model reads."""
        limit = self.max_length
        if limit is None:
            return 0
        counts = self._token_counts(texts, role)
        return sum(counts.get(text, 0) > limit for text in texts)

    def _tokens_read(self, texts: Sequence[str], role: Role) -> dict[str, int]:
        """How many tokens of each text the model will see; empty where it has no tokenizer."""
        limit = self.max_length
        counts = self._token_counts(texts, role)
        return counts if limit is None else {text: min(count, limit) for text, count in counts.items()}

    def _token_counts(self, texts: Sequence[str], role: Role) -> dict[str, int]:
        """Length in tokens of each text with its prompt, uncut; those of the last block are remembered."""
        if self._counted[0] == role and all(text in self._counted[1] for text in texts):
            return self._counted[1]
        counts: dict[str, int] = {}
        if (tokenizer := self._backend.tokenizer) is not None:
            distinct, prompt = list(dict.fromkeys(texts)), self.prompt(role)
            for start in range(0, len(distinct), _TOKENIZED_AT_ONCE):
                part = distinct[start : start + _TOKENIZED_AT_ONCE]
                encodings = tokenizer.encode_batch_fast([prompt + text for text in part])
                counts |= {text: len(each.ids) for text, each in zip(part, encodings, strict=True)}
        self._counted = (role, counts)
        return counts

    @property
    def _names(self) -> list[str]:
        """What the model is called: on the hub, and by its folder."""
        name, folder = hub_name(self.sources), self.located.folder.resolve()
        return [*([name[0]] if name else []), folder.name]

    @cached_property
    def _setting(self) -> Setting:
        return Setting(
            backend=self.options.backend,
            dtype=self.dtype,
            device=self.device,
            max_length=self.max_length,
            cache=self._workplace.cache,
        )

    @cached_property
    def _backend(self) -> Backend:
        return open_backend(self._setting, self.files)
