"""sentence-transformers itself, on the processor or on one or more accelerators."""

from __future__ import annotations

import importlib.util
import logging
import re
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from beirkit.corpora.errors import ConfigError, MissingExtraError, UsageError
from beirkit.retrievers.dense.backends.base import Setting
from beirkit.retrievers.dense.encoder import Role, Vectors
from beirkit.retrievers.dense.model_files import ModelFiles


class TorchBackend:
    """Encodes with sentence-transformers.

    With several devices each has a copy of the model and takes every n-th batch, so what a batch holds does
    not depend on how many there are. CUDA and MPS have not been tried yet; several devices have been, as
    several copies on one processor.

    Args:
        setting: device, precision, length.
        files: the model.

    Raises:
        MissingExtraError: torch or sentence-transformers is not installed.
        UsageError: the model cannot be loaded, or a device is not there.
    """

    def __init__(self, setting: Setting, files: ModelFiles) -> None:
        devices = [device.strip() for device in setting.device.split(",")]
        self._models = [load_model(files, device, setting.dtype) for device in devices]
        for model in self._models:
            if setting.max_length is not None:
                model.max_seq_length = setting.max_length
            if setting.dtype != "float32":
                _pool_in_float32(model)

    @cached_property
    def tokenizer(self) -> Any:
        """A copy of the model's tokenizer that cuts nothing; ``None`` for models that read any length."""
        return uncut_tokenizer(self._models[0])

    def encode(self, batches: Sequence[Sequence[str]], prompt: str, role: Role) -> Iterator[Vectors]:
        """The vectors of each batch, in order."""

        def one(number: int) -> Vectors:
            vectors = self._models[number % len(self._models)].encode(
                list(batches[number]),
                prompt=prompt,
                batch_size=len(batches[number]),
                show_progress_bar=False,
                convert_to_numpy=True,
                task=role,
            )
            return np.asarray(vectors, dtype=np.float32)

        with quiet():
            if len(self._models) == 1:
                yield from map(one, range(len(batches)))
                return
            workers = [ThreadPoolExecutor(1) for _ in self._models]  # a model serves one thread at a time
            try:
                made = [workers[n % len(workers)].submit(one, n) for n in range(len(batches))]
                for each in made:
                    yield each.result()
            finally:
                for worker in workers:
                    worker.shutdown(cancel_futures=True)


def uncut_tokenizer(model: Any) -> Any:
    """A copy of a model's tokenizer that neither cuts nor pads; ``None`` where it has no fast one."""
    backend = getattr(getattr(model, "tokenizer", None), "backend_tokenizer", None)
    if backend is None:
        return None
    whole = type(backend).from_str(backend.to_str())
    whole.no_truncation()
    whole.no_padding()
    return whole


def load_model(
    files: ModelFiles, device: str, dtype: str, kind: str = "SentenceTransformer", **keywords: Any
) -> Any:
    """A sentence-transformers model in evaluation mode.

    Args:
        files: its folder.
        device: one device.
        dtype: of the weights.
        kind: the class that loads it.
        keywords: handed on to the transformer.

    Raises:
        MissingExtraError: torch or sentence-transformers is not installed.
        UsageError: it cannot be loaded, or the device is not there.
    """
    try:
        import sentence_transformers
        import torch
        from safetensors import SafetensorError
    except ImportError as error:
        raise MissingExtraError(f"model {files.folder}", "dense") from error
    _require_device(device, torch)
    with quiet():
        try:
            model = getattr(sentence_transformers, kind)(
                str(files.folder),
                device=device,
                local_files_only=True,
                model_kwargs={"dtype": getattr(torch, dtype), **keywords},
            )
        except (OSError, ValueError, RuntimeError, KeyError, SafetensorError) as error:
            first = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
            raise UsageError(
                f"the model cannot be loaded: {first}", path=files.folder, hint="is it complete?"
            ) from error
    return model.eval()


def _require_device(device: str, torch: Any) -> None:
    kind = device.partition(":")[0]
    there = {
        "cpu": lambda: True,
        "cuda": torch.cuda.is_available,
        "mps": torch.backends.mps.is_available,
    }
    if kind not in there:
        raise ConfigError(f"device {device!r} is not known", hint="auto, cpu, cuda, cuda:0,cuda:1 or mps")
    if not there[kind]():
        raise UsageError(f"device {device!r} cannot be used by the torch that is installed")


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


def has_cuda() -> bool:
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
def quiet() -> Iterator[None]:
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
