"""What a back end is, and which precision each of them can compute in."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Literal, Protocol

import msgspec

from beirkit.corpora.errors import ConfigError
from beirkit.retrievers.base import Facts
from beirkit.retrievers.dense.encoder import Role, Vectors
from beirkit.retrievers.dense.model_files import ModelFiles

BackendName = Literal["torch", "onnx", "openvino"]

_DTYPES: dict[str, tuple[str, ...]] = {
    "torch": ("float32", "bfloat16", "float16"),
    "onnx": ("float32",),
    "openvino": ("float32", "bfloat16"),
}

_INT8 = (
    "dtype 'int8' is refused: torch's dynamic quantization moves all-MiniLM-L6-v2's vectors to a cosine of "
    ".876 to .925 with the exact ones"
)


class Backend(Protocol):
    """Runs one model: batches of texts in, float32 vectors out, pooled and normalised as the model says."""

    @property
    def tokenizer(self) -> Any:
        """The model's tokenizer, which cuts and pads nothing; ``None`` for a model that reads any length."""
        ...

    def encode(self, batches: Sequence[Sequence[str]], prompt: str, role: Role) -> Iterator[Vectors]:
        """The vectors of each batch, in order.

        Args:
            batches: texts without their prompt.
            prompt: what stands before each text.
            role: for models that treat queries and documents apart.
        """
        ...


class Setting(msgspec.Struct, frozen=True, kw_only=True):
    """How a model is to be run.

    Attributes:
        backend: what runs it.
        dtype: arithmetic inside the transformer.
        device: ``cpu``, ``cuda``, ``cuda:1``, ``mps``; several with commas between them.
        max_length: tokens that are read of a text.
        cache: where graphs are kept; ``None``: nowhere.
    """

    backend: BackendName
    dtype: str
    device: str
    max_length: int | None
    cache: Path | None


def check_dtype(backend: str, dtype: str) -> None:
    """Refuse a precision that a back end does not compute in.

    Raises:
        ConfigError: with what to take instead.
    """
    if dtype == "int8":
        raise ConfigError(
            _INT8, hint="backend openvino with dtype bfloat16 is faster still and keeps .9999; precision int8"
            " makes the stored vectors small"
        )  # fmt: skip
    known = sorted({name for names in _DTYPES.values() for name in names})
    if dtype not in known:
        raise ConfigError(f"dtype {dtype!r} is not offered", hint=f"one of {', '.join(known)}")
    if dtype not in _DTYPES[backend]:
        able = " or ".join(name for name, dtypes in _DTYPES.items() if dtype in dtypes)
        raise ConfigError(f"backend {backend} does not compute in {dtype}", hint=f"take backend {able}")


def describe_backend(setting: Setting, files: ModelFiles) -> Facts:
    """What the vectors depend on besides model and options; nothing heavy is loaded.

    Raises:
        ConfigError: a static model is to be run by a back end that has nothing to run.
    """
    if files.is_static:
        if setting.backend != "torch" or setting.dtype != "float32":
            raise ConfigError(
                "a static model is looked up, so backend and dtype mean nothing for it", hint="take them out"
            )
        return {"backend": "static"}
    if setting.backend == "torch":
        return {"backend": "torch"}
    from beirkit.retrievers.dense.backends.export import describe_graph

    return {"backend": setting.backend, "graph": describe_graph(files)}


def open_backend(setting: Setting, files: ModelFiles) -> Backend:
    """The back end with its model loaded.

    Raises:
        UsageError: the model, the device or the processor cannot do what is asked.
        MissingExtraError: the back end's library is not installed.
    """
    if files.is_static:
        from beirkit.retrievers.dense.backends.static import StaticBackend

        return StaticBackend(files)
    if setting.backend == "torch":
        from beirkit.retrievers.dense.backends.torch_model import TorchBackend

        return TorchBackend(setting, files)
    from beirkit.retrievers.dense.backends.graph import GraphBackend

    return GraphBackend(setting, files)
