"""sentence-transformers' sparse encoders: a text in, the weights of its terms out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any, get_args

import msgspec
import numpy as np

from beirkit.corpora.errors import ConfigError, DataError, MissingExtraError
from beirkit.corpora.progress import Advance
from beirkit.retrievers.base import Facts, Workplace
from beirkit.retrievers.dense.batches import Batches
from beirkit.retrievers.dense.encoder import Role
from beirkit.retrievers.dense.sources import locate
from beirkit.retrievers.objects import foreign_code
from beirkit.retrievers.sparse.model_files import SparseFiles
from beirkit.retrievers.sparse.rows import Rows

_BATCH = 32
_TOKENIZED_AT_ONCE = 256


class SparseEncoderOptions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which model, and how it is used.

    Attributes:
        model: where its files are, or several places of which the first that has them is taken, as for dense
            retrievers: a folder, ``env:NAME``, ``package:NAME/SUBFOLDER``, ``hub:OWNER/NAME@REVISION``.
        weights_sha256: SHA-256 that its weights file must have.
        prompts: what is put before texts of a role, in place of what the model's own configuration says.
        max_length: tokens it reads, in place of the model's own number; of queries and documents alike.
        max_active_dims: weights that are kept of a text, the greatest ones; ``None``: as the model says.
        batch_size: texts encoded at once.
    """

    model: str | list[str]
    weights_sha256: str | None = None
    prompts: dict[Role, str] = {}
    max_length: int | None = None
    max_active_dims: int | None = None
    batch_size: int | None = None


class SparseModel:
    """Encodes block by block; equal texts of a block once, batches of texts of similar length.

    Args:
        options: which model and how.
        workplace: device; its ``batch_size`` goes before that of the options.

    Raises:
        ConfigError: an option has an impossible value.
    """

    stage = 2

    def __init__(self, options: SparseEncoderOptions, workplace: Workplace) -> None:
        self._options, self._workplace = options, workplace
        self._counted: tuple[Role | None, dict[str, int]] = (None, {})
        self._batch_size = workplace.batch(options.batch_size, _BATCH)
        if options.max_active_dims is not None and options.max_active_dims < 1:
            raise ConfigError("max_active_dims must be at least 1")
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
        files.require_pinned(self._options.weights_sha256, found.source)
        return files

    def identity(self, role: Role | None = None) -> Facts:
        """What the weights depend on; with a role, what those of this role do. Torch stays unloaded."""
        roles: tuple[Role, ...] = get_args(Role) if role is None else (role,)
        return {
            "kind": "sparse",
            "stage": self.stage,
            "model_sha256": self.files.sha256,
            "prompts": {one: self.prompt(one) for one in roles},
            "max_length": {one: self.max_length(one) for one in roles},
            "max_active_dims": self._options.max_active_dims or self.files.max_active_dims,
            "batch_size": self._batch_size,
            "device": self._device,
        }

    def max_length(self, role: Role) -> int | None:
        """Tokens that are read of texts of a role, the special ones included; ``None``: all.

        Raises:
            ConfigError: the options ask for more than the model has positions for.
        """
        wanted = self._options.max_length
        limit = self.files.first_module(role).config.get("max_position_embeddings")
        if wanted is not None and isinstance(limit, int) and wanted > limit:
            raise ConfigError(f"max_length {wanted} is more than the {limit} positions the model has")
        return wanted or self.files.max_length_of(role)

    def prompt(self, role: Role) -> str:
        """What stands before texts of a role."""
        return self._options.prompts.get(role, self.files.prompt(role))

    def encode(self, texts: Sequence[str], role: Role, advance: Advance) -> Rows:
        """The weights of the terms of each text, the terms of a text by ascending number.

        Raises:
            DataError: a weight is not finite.
        """
        lengths, limit = self._token_counts(texts, role), self.max_length(role)
        read = lengths if limit is None else {text: min(count, limit) for text, count in lengths.items()}
        batches = Batches(texts, self._batch_size, read)
        parts: list[Rows] = []
        for batch, uses in zip(batches.texts, batches.uses, strict=True):
            parts.append(self._encode(batch, role))
            advance(uses)
        return Rows.concatenate(parts).take(batches.rows.tolist())

    def count_truncated(self, texts: Sequence[str], role: Role) -> int:
        """How many of the texts, with their prompt, are longer than the model reads."""
        limit = self.max_length(role)
        if limit is None:
            return 0
        counts = self._token_counts(texts, role)
        return sum(counts[text] > limit for text in texts)

    def term_names(self, numbers: Iterable[int]) -> list[str]:
        """What the terms of these numbers are called in the model's vocabulary, each by a name of its own.

        Dimensions that are no terms, as those of a sparse autoencoder, are called by their numbers.
        """
        if not self.files.names_terms:
            return [str(number) for number in numbers]
        tokens = self._vocabulary
        return [tokens.get(number, f"[dimension {number}]") for number in numbers]

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
        if not (finite := np.isfinite(dense).all(axis=1)).all():
            text = batch[int(np.flatnonzero(~finite)[0])]
            raise DataError(
                f"the sparse encoder gave NaN or infinity for {int((~finite).sum())} of {len(batch)} texts, "
                f"such as the {role} {text[:60]!r}"
            )
        rows, terms = np.nonzero(dense)
        counts = np.bincount(rows, minlength=len(batch)).astype(np.int64)
        return Rows(counts, terms.astype(np.int32), dense[rows, terms].astype(np.float32))

    @property
    def _device(self) -> str:
        return "cpu" if self._workplace.device == "auto" else self._workplace.device

    def _token_counts(self, texts: Sequence[str], role: Role) -> dict[str, int]:
        """Length in tokens of each text with its prompt, uncut; those of the last block are remembered."""
        if self._counted[0] == role and all(text in self._counted[1] for text in texts):
            return self._counted[1]
        tokenizer, special = self._tokenizers[role]
        distinct, prompt = list(dict.fromkeys(texts)), self.prompt(role)
        counts: dict[str, int] = {}
        for start in range(0, len(distinct), _TOKENIZED_AT_ONCE):
            part = distinct[start : start + _TOKENIZED_AT_ONCE]
            found = tokenizer.encode_batch_fast([prompt + text for text in part], add_special_tokens=special)
            counts |= {text: len(each.ids) for text, each in zip(part, found, strict=True)}
        self._counted = (role, counts)
        return counts

    @cached_property
    def _tokenizers(self) -> dict[Role, tuple[Any, bool]]:
        """Of each role a tokenizer that cuts nothing, and whether special tokens are added."""
        made: dict[Role, tuple[Any, bool]] = {}
        for role in get_args(Role):
            module = _input_module(self._model, role)
            backend = module.tokenizer.backend_tokenizer
            whole = type(backend).from_str(backend.to_str())
            whole.no_truncation()
            whole.no_padding()
            made[role] = whole, type(module).__name__ != "SparseStaticEmbedding"
        return made

    @cached_property
    def _vocabulary(self) -> dict[int, str]:
        """Names of the terms by number; from the tokenizer's file where there is one, so without torch."""
        path = self.files.first_module("document").folder / "tokenizer.json"
        try:
            from tokenizers import Tokenizer
        except ImportError as error:
            raise MissingExtraError(f"model {self.files.folder}", "dense") from error
        tokens = (
            Tokenizer.from_file(str(path)).get_vocab(with_added_tokens=True)
            if path.is_file()
            else _input_module(self._model, "document").tokenizer.get_vocab()
        )
        return {number: token for token, number in tokens.items()}

    @cached_property
    def _model(self) -> Any:
        try:
            from sentence_transformers import SparseEncoder
        except ImportError as error:
            raise MissingExtraError(f"model {self.files.folder}", "dense") from error
        from beirkit.retrievers.dense.backends.torch_model import quiet

        with quiet(), foreign_code(f"the sparse encoder in {self.files.folder} cannot be loaded"):
            model = SparseEncoder(str(self.files.folder), device=self._device, local_files_only=True)
        for role in get_args(Role) if self._options.max_length is not None else ():
            module = _input_module(model, role)
            module.max_seq_length = self._options.max_length
            module.tokenizer.model_max_length = self._options.max_length  # all that a static one looks at
        return model.eval()


def _input_module(model: Any, role: Role) -> Any:
    """The module that reads texts of a role."""
    first = model[0]
    if type(first).__name__ != "Router":
        return first
    return first.sub_modules[first._resolve_route(task=role, modality="text")][0]
