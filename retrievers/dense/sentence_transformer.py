"""Any sentence-transformers model as an encoder; torch is loaded when the first text is encoded."""

from __future__ import annotations

import importlib.util
import logging
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, get_args

import msgspec
import numpy as np

from beirkit.corpora.errors import ConfigError, MissingExtraError, UsageError
from beirkit.corpora.progress import Advance
from beirkit.retrievers.base import Facts, Workplace
from beirkit.retrievers.dense.encoder import Role, Similarity, Vectors
from beirkit.retrievers.dense.model_files import ModelFiles
from beirkit.retrievers.dense.sources import Located, hub_name, locate

logger = logging.getLogger(__name__)

Dtype = Literal["float32", "bfloat16", "float16"]

_BATCH = 32  # sentence-transformers' own default
_TOKENIZED_AT_ONCE = 256


class EncoderOptions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which model, and how it is used.

    Attributes:
        model: where its files are, or several places of which the first that has them is taken: the path of a
            folder, ``env:NAME``, ``package:NAME/SUBFOLDER``, ``hub:OWNER/NAME@REVISION``.
        weights_sha256: SHA-256 that its weights file must have.
        prompts: what is put before texts of a role, in place of what the model's own configuration says.
        max_length: tokens it reads, the special ones included, in place of the model's own number.
        similarity: how vectors are compared, in place of what the model says.
        dtype: arithmetic inside the model; pooling, normalisation and scores are float32 always.
        batch_size: texts encoded at once.
    """

    model: str | list[str]
    weights_sha256: str | None = None
    prompts: dict[Role, str] = {}
    max_length: int | None = None
    similarity: Similarity | None = None
    dtype: Dtype | None = None
    batch_size: int | None = None


class SentenceTransformerEncoder:
    """Encodes with sentence-transformers, block by block.

    Inside a block equal texts are encoded once, and batches are of texts of similar length; nothing depends
    on what stands in other blocks. ``device`` ``auto`` is CUDA where a driver and a torch built for it are
    there, else the CPU. CUDA and MPS have not been tried yet.

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
        asked = options.batch_size if workplace.batch_size is None else workplace.batch_size
        self.batch_size = _BATCH if asked is None else asked
        self.dtype = workplace.dtype or options.dtype or "float32"
        if self.dtype not in get_args(Dtype):
            raise ConfigError(f"dtype {self.dtype!r} is not offered", hint=f"one of {get_args(Dtype)}")
        self._counted: tuple[Role | None, dict[str, int]] = (None, {})
        if self.batch_size < 1 or (options.max_length is not None and options.max_length < 3):
            raise ConfigError("batch_size must be at least 1 and max_length at least 3")

    @cached_property
    def located(self) -> Located:
        """Where the model's files are.

        Raises:
            UsageError: they are nowhere.
        """
        located = locate(self.sources, offline=self._workplace.offline)
        logger.info("model files from %s", located.source)
        return located

    @cached_property
    def files(self) -> ModelFiles:
        """What the model's files say.

        Raises:
            UsageError: it is no dense model, or its weights are not the pinned ones.
        """
        cache = self._workplace.cache
        files = ModelFiles(self.located.folder, hashes=None if cache is None else cache / "hashes")
        pinned = self.options.weights_sha256
        if pinned is not None and pinned not in files.weights.values():
            found = ", ".join(files.weights.values())
            raise UsageError(
                f"model {self.located.source}: its weights have SHA-256 {found}, not the pinned {pinned}",
                hint="it is another model; take weights_sha256 out to use it under a name of its own",
            )
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
        """What is put before texts of a role: the option, else the model's own, else nothing."""
        own = self.options.prompts.get(role)
        return self.files.prompt(role) if own is None else own

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
            "dtype": self.dtype,
            "device": self.device.partition(":")[0],
            "batch_size": self.batch_size,
        }

    def report(self) -> Facts:
        """The name under which the model is known, which no vector depends on."""
        name = hub_name(self.sources)
        return {} if name is None else {"model": name[0], "revision": name[1]}

    @cached_property
    def device(self) -> str:
        """The device, ``auto`` resolved without loading torch."""
        wanted = self._workplace.device
        return ("cuda" if _has_cuda() else "cpu") if wanted == "auto" else wanted

    def encode(self, texts: Sequence[str], role: Role, advance: Advance | None = None) -> Vectors:
        """Encode one block of texts as ``(len(texts), dim)`` float32."""
        # dict.fromkeys and sorted keep the order, so equal blocks make equal batches. Texts of equal length
        # in tokens pad least: sorted by characters, the demo's corpus took a third more.
        read = self._tokens_read(texts, role)
        distinct = sorted(dict.fromkeys(texts), key=lambda text: read.get(text, len(text)), reverse=True)
        places = {text: place for place, text in enumerate(distinct)}
        rows = np.array([places[text] for text in texts], dtype=np.intp)
        uses = np.bincount(rows, minlength=len(distinct))
        parts, model = [], self._model
        with _quiet():
            for start in range(0, len(distinct), self.batch_size):
                batch = distinct[start : start + self.batch_size]
                vectors = model.encode(
                    batch,
                    prompt=self.prompt(role),
                    batch_size=len(batch),
                    show_progress_bar=False,
                    convert_to_numpy=True,
                    task=role,
                )
                parts.append(np.asarray(vectors, dtype=np.float32))
                if advance is not None:
                    advance(int(uses[start : start + len(batch)].sum()))
        encoded: Vectors = np.concatenate(parts)[rows]
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
        if self._tokenizer is not None:
            distinct, prompt = list(dict.fromkeys(texts)), self.prompt(role)
            for start in range(0, len(distinct), _TOKENIZED_AT_ONCE):
                part = distinct[start : start + _TOKENIZED_AT_ONCE]
                encodings = self._tokenizer.encode_batch_fast([prompt + text for text in part])
                counts |= {text: len(each.ids) for text, each in zip(part, encodings, strict=True)}
        self._counted = (role, counts)
        return counts

    @cached_property
    def _tokenizer(self) -> Any:
        """A copy of the model's tokenizer that cuts nothing; ``None`` for models that read any length."""
        backend = getattr(getattr(self._model, "tokenizer", None), "backend_tokenizer", None)
        if backend is None:
            return None
        whole = type(backend).from_str(backend.to_str())
        whole.no_truncation()
        whole.no_padding()
        return whole

    @cached_property
    def _model(self) -> Any:
        try:
            import torch
            from safetensors import SafetensorError
            from sentence_transformers import SentenceTransformer
        except ImportError as error:
            raise MissingExtraError(f"model {self.located.source}", "dense") from error
        self._require_device(torch)
        with _quiet():
            try:
                model = SentenceTransformer(
                    str(self.files.folder),
                    device=self.device,
                    local_files_only=True,
                    model_kwargs={"dtype": getattr(torch, self.dtype)},
                )
            except (OSError, ValueError, RuntimeError, KeyError, SafetensorError) as error:
                first = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
                raise UsageError(
                    f"the model cannot be loaded: {first}", path=self.files.folder, hint="is it complete?"
                ) from error
        if self.max_length is not None:
            model.max_seq_length = self.max_length
        if self.dtype != "float32":
            _pool_in_float32(model)
        return model.eval()

    def _require_device(self, torch: Any) -> None:
        kind = self.device.partition(":")[0]
        there = {
            "cpu": lambda: True,
            "cuda": torch.cuda.is_available,
            "mps": torch.backends.mps.is_available,
        }
        if kind not in there:
            raise ConfigError(f"device {self.device!r} is not known", hint="auto, cpu, cuda, cuda:1 or mps")
        if not there[kind]():
            raise UsageError(f"device {self.device!r} cannot be used by the torch that is installed")


def _pool_in_float32(model: Any) -> None:
    """Let the transformer compute in half precision, and all that follows it in float32."""

    def widen(module: Any, inputs: Any, features: dict[str, Any]) -> dict[str, Any]:
        return {
            name: value.float() if getattr(value, "is_floating_point", bool)() else value
            for name, value in features.items()
        }

    first, *rest = model.children()
    first.register_forward_hook(widen)
    for module in rest:
        module.float()


def _has_cuda() -> bool:
    """Whether torch was built for CUDA and a driver is there, without loading torch."""
    spec = importlib.util.find_spec("torch")
    if spec is None or spec.origin is None:
        return False
    version = Path(spec.origin).with_name("version.py")
    if not version.is_file() or not re.search(r"^cuda\b.*= *'", version.read_text(encoding="utf-8"), re.M):
        return False
    return any(
        Path(place).exists() for place in ("/dev/nvidiactl", "/dev/dxg", "C:/Windows/System32/nvcuda.dll")
    )


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep the libraries' own progress bars and remarks off the terminal for a while."""
    from transformers.utils import logging as untyped

    transformers_logging: Any = untyped
    ours = logging.getLogger("sentence_transformers")
    level, verbosity = ours.level, transformers_logging.get_verbosity()
    bars = transformers_logging.is_progress_bar_enabled()
    ours.setLevel(logging.ERROR)
    transformers_logging.set_verbosity_error()
    transformers_logging.disable_progress_bar()
    try:
        yield
    finally:
        ours.setLevel(level)
        transformers_logging.set_verbosity(verbosity)
        if bars:
            transformers_logging.enable_progress_bar()
