"""sentence-transformers' sparse encoders: a text in, the weights of its terms out."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from beirkit.corpora.errors import ConfigError, DataError, MissingExtraError, UsageError
from beirkit.corpora.progress import Advance
from beirkit.retrievers.base import Facts, Workplace
from beirkit.retrievers.dense.encoder import Role
from beirkit.retrievers.dense.model_files import ModelFiles, Module
from beirkit.retrievers.dense.sources import locate

_BATCH = 32
_SPARSE = {"SpladePooling", "MLMTransformer", "SparseStaticEmbedding", "SparseAutoEncoder", "CSRSparsity"}


class SparseEncoderOptions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which model, and how it is used.

    Attributes:
        model: where its files are, or several places of which the first that has them is taken, as for dense
            retrievers: a folder, ``env:NAME``, ``package:NAME/SUBFOLDER``, ``hub:OWNER/NAME@REVISION``.
        weights_sha256: SHA-256 that its weights file must have.
        prompts: what is put before texts of a role, in place of what the model's own configuration says.
        max_length: tokens it reads, in place of the model's own number.
        max_active_dims: weights that are kept of a text, the greatest ones; ``None``: as the model says.
        batch_size: texts encoded at once.
    """

    model: str | list[str]
    weights_sha256: str | None = None
    prompts: dict[Role, str] = {}
    max_length: int | None = None
    max_active_dims: int | None = None
    batch_size: int | None = None


@dataclass(frozen=True)
class Rows:
    """Texts as rows of a sparse matrix.

    Attributes:
        counts: ``(n,) int64`` terms of each text.
        terms: ``(sum of counts,) int32`` numbers of the terms, ascending within a text.
        weights: ``(sum of counts,) float32``, none of them 0.
    """

    counts: npt.NDArray[np.int64]
    terms: npt.NDArray[np.int32]
    weights: npt.NDArray[np.float32]

    @property
    def indptr(self) -> npt.NDArray[np.int64]:
        """``(n + 1,)`` where each text begins."""
        return np.concatenate(([0], np.cumsum(self.counts))).astype(np.int64)

    def take(self, places: Sequence[int]) -> Rows:
        """Some of the texts, in this order."""
        starts = self.indptr
        parts = [np.arange(starts[place], starts[place + 1]) for place in places]
        chosen = np.concatenate(parts) if parts else np.empty(0, dtype=np.int64)
        return Rows(self.counts[list(places)], self.terms[chosen], self.weights[chosen])


class SparseFiles(ModelFiles):
    """The folder of a sparse model; without ``modules.json`` a masked language model with SPLADE pooling."""

    def _read_modules(self) -> list[Module]:
        if (self.folder / "modules.json").is_file():
            return super()._read_modules()
        path = self.folder / "config.json"
        try:
            config: Facts = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise DataError(f"cannot be read as JSON: {error}", path=path) from error
        config = {key: value for key, value in config.items() if key != "transformers_version"}
        return [Module("Transformer", self.folder, config), Module("SpladePooling", self.folder / "-", {})]

    def _refuse_other_kinds(self) -> None:
        names = self.modules[0].config.get("architectures") or []
        plain = not (self.folder / "modules.json").is_file()
        if plain and not any(str(name).endswith("ForMaskedLM") for name in names):
            raise UsageError(
                "this model has no head that weighs terms: it is no sparse encoder", path=self.folder
            )
        if not any(module.name in _SPARSE for module in self.modules):
            raise UsageError("this model is no sparse encoder; kind dense is for it", path=self.folder)


class SparseModel:
    """Encodes block by block; equal texts of a block once, batches of texts of similar length.

    Args:
        options: which model and how.
        workplace: device; its ``batch_size`` goes before that of the options.

    Raises:
        ConfigError: an option has an impossible value.
    """

    stage = 1

    def __init__(self, options: SparseEncoderOptions, workplace: Workplace) -> None:
        self._options, self._workplace = options, workplace
        asked = options.batch_size if workplace.batch_size is None else workplace.batch_size
        self._batch_size = _BATCH if asked is None else asked
        if self._batch_size < 1 or (options.max_active_dims is not None and options.max_active_dims < 1):
            raise ConfigError("batch_size and max_active_dims must be at least 1")
        if workplace.dtype not in (None, "float32"):
            raise ConfigError("sparse encoders compute in float32", hint="take dtype out")

    @cached_property
    def files(self) -> SparseFiles:
        """What the model's files say.

        Raises:
            UsageError: it is nowhere, no sparse model, or its weights are not the pinned ones.
        """
        model, cache = self._options.model, self._workplace.cache
        found = locate([model] if isinstance(model, str) else model, offline=self._workplace.offline)
        files = SparseFiles(found.folder, hashes=None if cache is None else cache / "hashes")
        pinned = self._options.weights_sha256
        if pinned is not None and pinned not in files.weights.values():
            told = ", ".join(files.weights.values())
            raise UsageError(
                f"model {found.source}: its weights have SHA-256 {told}, not the pinned {pinned}"
            )
        return files

    def identity(self, role: Role | None = None) -> Facts:
        """What the weights depend on; with a role, what those of this role do. Torch stays unloaded."""
        roles: tuple[Role, ...] = ("query", "document") if role is None else (role,)
        return {
            "kind": "sparse",
            "stage": self.stage,
            "model_sha256": self.files.sha256,
            "prompts": {one: self.prompt(one) for one in roles},
            "max_length": self._options.max_length or self.files.max_length,
            "max_active_dims": self._options.max_active_dims,
            "batch_size": self._batch_size,
            "device": self._device,
        }

    def prompt(self, role: Role) -> str:
        """What stands before texts of a role."""
        return self._options.prompts.get(role, self.files.prompt(role))

    def encode(self, texts: Sequence[str], role: Role, advance: Advance) -> Rows:
        """The weights of the terms of each text.

        Raises:
            DataError: a weight is not finite.
        """
        distinct = sorted(dict.fromkeys(texts), key=len, reverse=True)
        place = {text: number for number, text in enumerate(distinct)}
        uses = np.bincount([place[text] for text in texts], minlength=len(distinct))
        parts: list[Rows] = []
        for start in range(0, len(distinct), self._batch_size):
            batch = distinct[start : start + self._batch_size]
            parts.append(self._encode(batch, role))
            advance(int(uses[start : start + len(batch)].sum()))
        whole = Rows(
            np.concatenate([part.counts for part in parts]),
            np.concatenate([part.terms for part in parts]),
            np.concatenate([part.weights for part in parts]),
        )
        return whole.take([place[text] for text in texts])

    def _encode(self, batch: list[str], role: Role) -> Rows:
        from beirkit.retrievers.dense.backends.torch_model import quiet

        with quiet():
            made = self._model.encode(
                batch,
                prompt=self.prompt(role),
                batch_size=len(batch),
                show_progress_bar=False,
                convert_to_sparse_tensor=False,
                save_to_cpu=True,
                max_active_dims=self._options.max_active_dims,
                task=role,
            )
        dense = made.float().numpy()  # of one batch; only what is not zero is kept of it
        if not np.isfinite(dense).all():
            raise DataError(f"the sparse encoder gave NaN or infinity for a {role}")
        rows, terms = np.nonzero(dense)
        counts = np.bincount(rows, minlength=len(batch)).astype(np.int64)
        return Rows(counts, terms.astype(np.int32), dense[rows, terms].astype(np.float32))

    @property
    def _device(self) -> str:
        return "cpu" if self._workplace.device == "auto" else self._workplace.device

    @cached_property
    def _model(self) -> Any:
        try:
            from sentence_transformers import SparseEncoder
        except ImportError as error:
            raise MissingExtraError(f"model {self.files.folder}", "dense") from error
        from beirkit.retrievers.dense.backends.torch_model import quiet

        with quiet():
            model = SparseEncoder(str(self.files.folder), device=self._device, local_files_only=True)
        if self._options.max_length is not None:
            model.max_seq_length = self._options.max_length
        return model.eval()
