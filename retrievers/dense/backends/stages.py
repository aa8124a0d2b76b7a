"""What follows a model's transformer, in float32: pooling, projection, unit length.

The rules are those of sentence-transformers' modules of the same names.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import numpy.typing as npt

from beirkit.corpora.errors import UsageError
from beirkit.retrievers.dense.encoder import Vectors
from beirkit.retrievers.dense.model_files import ModelFiles, Module

Mask = Vectors
"""``(n, tokens)``, 1 where a token is, 0 where padding is."""

Stage = Callable[[Vectors, Mask], Vectors]

_TINY = np.float32(1e-9)


def read_stages(files: ModelFiles, backend: str) -> list[Stage]:
    """The stages after the transformer.

    Raises:
        UsageError: one of them is only known to torch.
    """
    first, *rest = files.modules
    task = first.config.get("transformer_task", "feature-extraction")
    if first.name != "Transformer" or task != "feature-extraction":
        raise _only_torch(files, backend, f"its first stage is {first.name}")
    return [_stage(module, files, backend) for module in rest if module.name != "Dropout"]


def _stage(module: Module, files: ModelFiles, backend: str) -> Stage:
    if module.name == "Pooling":
        if module.config.get("include_prompt", True) is False:
            raise _only_torch(files, backend, "its pooling leaves the prompt out")
        modes = files.pooling.split("+")
        if "pooling_mode" not in module.config:  # older settings are read in a fixed order
            modes.sort(key=list(_POOLING).index)
        if set(modes) <= set(_POOLING):
            poolers = [_POOLING[mode] for mode in modes]
            return lambda vectors, mask: np.concatenate([pool(vectors, mask) for pool in poolers], axis=1)
        raise _only_torch(files, backend, f"its pooling is {files.pooling}")
    if module.name == "Normalize":
        return lambda vectors, mask: (
            vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), np.float32(1e-12))
        )
    if module.name == "Dense":
        return _dense(module, files, backend)
    raise _only_torch(files, backend, f"it has a stage {module.name}")


def _mean(vectors: Vectors, mask: Mask) -> Vectors:
    found: Vectors = _sum(vectors, mask) / np.maximum(mask.sum(axis=1, keepdims=True), _TINY)
    return found


def _mean_sqrt(vectors: Vectors, mask: Mask) -> Vectors:
    found: Vectors = _sum(vectors, mask) / np.sqrt(np.maximum(mask.sum(axis=1, keepdims=True), _TINY))
    return found


def _weighted_mean(vectors: Vectors, mask: Mask) -> Vectors:
    places = np.arange(1, mask.shape[1] + 1, dtype=np.float32) - _starts(mask)[:, None]
    weights = mask * places.astype(np.float32)
    found: Vectors = _sum(vectors, weights) / np.maximum(weights.sum(axis=1, keepdims=True), _TINY)
    return found


def _cls(vectors: Vectors, mask: Mask) -> Vectors:
    found: Vectors = vectors[np.arange(len(vectors)), _starts(mask)]
    return found


def _last(vectors: Vectors, mask: Mask) -> Vectors:
    ends = mask.shape[1] - 1 - mask[:, ::-1].argmax(axis=1)
    found: Vectors = vectors[np.arange(len(vectors)), ends]
    return found


def _max(vectors: Vectors, mask: Mask) -> Vectors:
    found: Vectors = np.where(mask[:, :, None] > 0, vectors, np.float32(-np.inf)).max(axis=1)
    return found


def _sum(vectors: Vectors, weights: Mask) -> Vectors:
    found: Vectors = np.matmul(weights[:, None, :], vectors)[:, 0]
    return found


def _starts(mask: Mask) -> npt.NDArray[np.intp]:
    """Where each text begins: behind the padding, where that stands on the left."""
    found: npt.NDArray[np.intp] = mask.argmax(axis=1)
    return found


_POOLING: dict[str, Callable[[Vectors, Mask], Vectors]] = {
    "cls": _cls,
    "max": _max,
    "mean": _mean,
    "mean_sqrt_len": _mean_sqrt,
    "mean_sqrt_len_tokens": _mean_sqrt,
    "weightedmean": _weighted_mean,
    "lasttoken": _last,
}
"""In sentence-transformers' order of concatenation."""


def _dense(module: Module, files: ModelFiles, backend: str) -> Stage:
    """A linear layer with the identity or tanh after it."""
    activation = str(module.config.get("activation_function", "torch.nn.modules.activation.Tanh"))
    name, path = activation.rsplit(".", 1)[-1], module.folder / "model.safetensors"
    plain = module.config.get("module_input_name", "sentence_embedding") == "sentence_embedding"
    if (
        name not in ("Identity", "Tanh")
        or module.config.get("use_residual")
        or not plain
        or not path.is_file()
    ):
        raise _only_torch(files, backend, f"its stage Dense has {name} or other settings of its own")
    weight, bias = _linear(path)

    def project(vectors: Vectors, mask: Mask) -> Vectors:
        made: Vectors = vectors @ weight.T + bias
        return np.tanh(made) if name == "Tanh" else made

    return project


def _linear(path: Path) -> tuple[Vectors, Vectors]:
    from safetensors.numpy import load_file

    found = load_file(path)
    weight: Vectors = found["linear.weight"].astype(np.float32)
    bias = found.get("linear.bias")
    return weight, np.zeros(len(weight), dtype=np.float32) if bias is None else bias.astype(np.float32)


def _only_torch(files: ModelFiles, backend: str, why: str) -> UsageError:
    return UsageError(
        f"backend {backend} cannot run the model: {why}", path=files.folder, hint="take backend torch"
    )
