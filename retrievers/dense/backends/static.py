"""Static embeddings: a vector for each token, looked up and averaged, with no network to run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from beirkit.corpora.errors import MissingExtraError, UsageError
from beirkit.retrievers.dense.encoder import Role, Vectors
from beirkit.retrievers.dense.model_files import ModelFiles


class StaticBackend:
    """The mean of the vectors of a text's tokens, in float32 with numpy; of no tokens the zero vector.

    Reads sentence-transformers' ``StaticEmbedding``, model2vec's files (with their token weights and mapping,
    leaving out unknown tokens as model2vec does where there is no ``modules.json``), and any table of
    vectors with a tokenizer beside it.

    Args:
        files: the model.

    Raises:
        UsageError: its files hold no table of vectors, or a stage follows that is not known here.
    """

    tokenizer: Any = None  # texts of any length are read whole

    def __init__(self, files: ModelFiles) -> None:
        try:
            from safetensors.numpy import load_file
            from tokenizers import Tokenizer
        except ImportError as error:
            raise MissingExtraError(f"model {files.folder}", "dense") from error
        first, *rest = files.modules
        unknown = [module.name for module in rest if module.name != "Normalize"]
        if unknown:
            raise UsageError(f"a static model with a stage {unknown[0]} cannot be run", path=files.folder)
        try:
            found = load_file(files.static_weights)
            self._tokens = Tokenizer.from_file(str(files.static_tokenizer))
        # tokenizers raises a bare Exception for a file that it cannot read.
        except Exception as error:
            raise UsageError(
                f"the model cannot be loaded: {str(error).splitlines()[0]}", path=files.folder,
                hint="is it complete?",
            ) from error  # fmt: skip
        self._tokens.no_padding()
        self._tokens.no_truncation()
        self._table = _table(found, files)
        self._normalize = files.normalized
        unknown_token: str | None = getattr(self._tokens.model, "unk_token", None)
        skips = bool(first.config.get("skip_unknown"))
        self._skipped = self._tokens.token_to_id(unknown_token) if skips and unknown_token else None

    def encode(self, batches: Sequence[Sequence[str]], prompt: str, role: Role) -> Iterator[Vectors]:
        """The vectors of each batch, in order."""
        for batch in batches:
            encodings = self._tokens.encode_batch_fast(
                [prompt + text for text in batch], add_special_tokens=False
            )
            vectors = np.zeros((len(batch), self._table.shape[1]), dtype=np.float32)
            for row, each in enumerate(encodings):
                ids = [number for number in each.ids if number != self._skipped]
                if ids:
                    vectors[row] = self._table[ids].mean(axis=0)
            if self._normalize:
                vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), np.float32(1e-12))
            yield vectors


def _table(found: dict[str, Any], files: ModelFiles) -> Vectors:
    """``(tokens, dim)`` float32: the vector of each token, with its weight where there are weights."""
    for name in ("embedding.weight", "embeddings"):
        if name in found and found[name].ndim == 2:
            table: Vectors = found[name].astype(np.float32)
            break
    else:
        raise UsageError(
            f"the weights hold {', '.join(found)} and no table of vectors", path=files.static_weights
        )
    if "mapping" in found:
        table = table[found["mapping"].astype(np.int64)]
    if "weights" in found:
        table = table * found["weights"].astype(np.float32)[:, None]
    return np.ascontiguousarray(table)
