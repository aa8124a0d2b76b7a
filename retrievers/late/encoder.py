"""sentence-transformers' multi-vector encoders: a text in, a vector for each of its tokens out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import msgspec
import numpy as np
import numpy.typing as npt

from beirkit.corpora.errors import ConfigError, UsageError
from beirkit.corpora.progress import Advance
from beirkit.retrievers.base import Facts, Workplace
from beirkit.retrievers.dense.batches import Batches
from beirkit.retrievers.dense.encoder import Role, Vectors
from beirkit.retrievers.dense.prompts import Prompts, choose_prompts
from beirkit.retrievers.dense.sources import Located, hub_name, locate
from beirkit.retrievers.late.files import LateFiles

_BATCH = 32
_LEAST = 3  # tokens: two special ones and one of the text

LateSimilarity = Literal["maxsim", "meanmaxsim"]


class LateEncoderOptions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which model, and how it is used.

    Attributes:
        model: where its files are, or several places of which the first that has them is taken, as for dense
            retrievers: a folder, ``env:NAME``, ``package:NAME/SUBFOLDER``, ``hub:OWNER/NAME@REVISION``.
        weights_sha256: SHA-256 that its weights file must have.
        projection: ``model``, or ``none`` to take the vectors that leave the transformer, made unit length:
            for a model that was trained to give one vector per text.
        prompts: what is put before texts of a role, in place of what the model's own configuration says, or,
            where that says nothing, the registry of known families.
        query_length: tokens read of a query, the special ones included, in place of the model's own number;
            where the model expands queries, also how many it expands them to.
        document_length: tokens read of a document, in place of the model's own number.
        similarity: ``maxsim``, or ``meanmaxsim``, which divides by the number of the query's vectors, in
            place of what the model says.
        batch_size: texts encoded at once.
    """

    model: str | list[str]
    weights_sha256: str | None = None
    projection: Literal["model", "none"] = "model"
    prompts: dict[Role, str] = {}
    query_length: int | None = None
    document_length: int | None = None
    similarity: LateSimilarity | None = None
    batch_size: int | None = None


@dataclass(frozen=True)
class TokenVectors:
    """Texts as vectors of their tokens.

    Attributes:
        counts: ``(n,) int64`` vectors of each text.
        vectors: ``(sum of counts, dim) float32``.
        limit: tokens that are read of a text; ``None``: not known.
        truncated: how many of the texts are longer; ``None``: not known.
    """

    counts: npt.NDArray[np.int64]
    vectors: Vectors
    limit: int | None = None
    truncated: int | None = None


class LateModel:
    """Encodes block by block; equal texts of a block once, batches of texts of similar length.

    Args:
        options: which model and how.
        workplace: device; its ``batch_size`` goes before that of the options.

    Raises:
        ConfigError: an option has an impossible value.
    """

    stage = 1
    """Version of this code; raised when equal texts would get other vectors."""

    def __init__(self, options: LateEncoderOptions, workplace: Workplace) -> None:
        self._options, self._workplace = options, workplace
        self._sources = [options.model] if isinstance(options.model, str) else list(options.model)
        self._batch_size = workplace.batch(options.batch_size, _BATCH)
        lengths = [length for length in (options.query_length, options.document_length) if length is not None]
        if any(length < _LEAST for length in lengths):
            raise ConfigError(f"lengths must be at least {_LEAST}")
        if workplace.dtype not in (None, "float32"):
            raise ConfigError("late-interaction encoders compute in float32", hint="take dtype out")
        if "," in workplace.device:
            raise ConfigError("late-interaction encoders run on one device")

    @cached_property
    def _located(self) -> Located:
        return locate(self._sources, offline=self._workplace.offline)

    @cached_property
    def files(self) -> LateFiles:
        """What the model's files say.

        Raises:
            UsageError: it is nowhere, of another kind, or its weights are not the pinned ones.
            ConfigError: a length is more than the model has positions.
        """
        cache = self._workplace.cache
        files = LateFiles(self._located.folder, hashes=None if cache is None else cache / "hashes")
        files.require_pinned(self._options.weights_sha256, self._located.source)
        if self._options.projection == "model" and not files.makes_token_vectors:
            raise UsageError(
                "this model was trained to give one vector per text; its layer for token vectors would be "
                "random",
                path=files.folder,
                hint="projection: none compares the vectors that leave its transformer",
            )
        limit = files.modules[0].config.get("max_position_embeddings")
        for name in ("query_length", "document_length"):
            asked = getattr(self._options, name)
            if isinstance(limit, int) and asked is not None and asked > limit:
                raise ConfigError(f"{name} {asked} is more than the {limit} positions the model has")
        return files

    @property
    def similarity(self) -> LateSimilarity:
        """How a query is compared with a document."""
        told = self._options.similarity or self.files.similarity_name
        return "meanmaxsim" if told == "meanmaxsim" else "maxsim"

    @cached_property
    def prompts(self) -> Prompts:
        """The prompts of both roles and where they come from."""
        name = hub_name(self._sources)
        names = [*([name[0]] if name else []), self._located.folder.resolve().name]
        return choose_prompts(self._options.prompts, "", self.files, names)

    def prompt(self, role: Role) -> str:
        """What stands before texts of a role."""
        return self.prompts.by_role[role].text

    def identity(self, role: Role | None = None) -> Facts:
        """What the vectors depend on; with a role, what those of this role do. Torch stays unloaded."""
        roles: tuple[Role, ...] = ("query", "document") if role is None else (role,)
        lengths = {"query": self._options.query_length, "document": self._options.document_length}
        return {
            "kind": "late",
            "encoder": "sentence-transformers",
            "stage": self.stage,
            "model_sha256": self.files.sha256,
            "projection": self._options.projection,
            "prompts": {one: self.prompt(one) for one in roles},
            "max_length": {one: lengths[one] for one in roles},
            "batch_size": self._batch_size,
            "device": self._device.partition(":")[0],
        }

    def report(self) -> Facts:
        """The name under which the model is known and who set its prompts: no vector depends on either."""
        name, prompts = hub_name(self._sources), self.prompts.describe()
        return prompts if name is None else {"model": name[0], "revision": name[1], **prompts}

    def encode(self, texts: Sequence[str], role: Role, advance: Advance) -> TokenVectors:
        """The vectors of the tokens of each text."""
        limit, lengths = self._limit(role), self._lengths(texts, role)
        read = {text: length if limit is None else min(length, limit) for text, length in lengths.items()}
        batches = Batches(texts, self._batch_size, read)
        made: list[Vectors] = []
        for batch, uses in zip(batches.texts, batches.uses, strict=True):
            made += self._encode(batch, role)
            advance(uses)
        vectors = [made[row] for row in batches.rows.tolist()]
        truncated = None
        if lengths:
            truncated = 0 if limit is None else sum(lengths[text] > limit for text in texts)
        counts = np.array([len(each) for each in vectors], dtype=np.int64)
        return TokenVectors(counts, np.concatenate(vectors), limit, truncated)

    def _encode(self, batch: list[str], role: Role) -> list[Vectors]:
        from beirkit.retrievers.dense.backends.torch_model import quiet

        with quiet():
            made = self._model.encode(
                batch,
                prompt=self.prompt(role),
                batch_size=len(batch),
                show_progress_bar=False,
                convert_to_numpy=True,
                task=role,
            )
        return [np.asarray(vectors, dtype=np.float32) for vectors in made]

    def _lengths(self, texts: Sequence[str], role: Role) -> dict[str, int]:
        """Length in tokens of each text with its prompt, uncut; empty where the tokenizer cannot tell."""
        if self._tokenizer is None:
            return {}
        distinct, prompt = list(dict.fromkeys(texts)), self.prompt(role)
        found = self._tokenizer.encode_batch_fast([prompt + text for text in distinct])
        return {text: len(each.ids) for text, each in zip(distinct, found, strict=True)}

    def _limit(self, role: Role) -> int | None:
        """Tokens that are read of a text; queries that are expanded have a length of their own."""
        transformer = self._model[0]
        own = transformer.query_length if role == "query" else transformer.document_length
        longest: int | None = own or self._model.max_seq_length
        expansion = transformer.query_expansion if role == "query" else None
        if expansion is None:
            return longest
        length = int(expansion["length"])
        if expansion["strategy"] == "fixed":
            return length
        return None if longest is None else max(length, longest)

    @cached_property
    def _device(self) -> str:
        if self._workplace.device != "auto":
            return self._workplace.device
        from beirkit.retrievers.dense.backends.torch_model import has_cuda

        return "cuda" if has_cuda() else "cpu"

    @cached_property
    def _tokenizer(self) -> Any:
        from beirkit.retrievers.dense.backends.torch_model import uncut_tokenizer

        return uncut_tokenizer(self._model)

    @cached_property
    def _model(self) -> Any:
        from beirkit.retrievers.dense.backends.torch_model import load_model

        options = self._options
        if options.projection == "none":
            model = _over_tokens(load_model(self.files, self._device, "float32"))
        else:
            model = load_model(self.files, self._device, "float32", kind="MultiVectorEncoder")
        transformer = model[0]
        if options.document_length is not None:
            transformer.document_length = options.document_length
        if options.query_length is not None:
            expansion = transformer.query_expansion
            transformer.query_expansion = None  # a length that contradicts it is refused
            transformer.query_length = options.query_length
            if expansion is not None:
                transformer.query_expansion = {**expansion, "length": options.query_length}
        return model


def _over_tokens(model: Any) -> Any:
    """The transformer of a model, with nothing behind it but what makes its token vectors unit length."""
    from sentence_transformers import MultiVectorEncoder
    from sentence_transformers.base.modules import Normalize
    from sentence_transformers.multi_vector_encoder.modules import MultiVectorMask

    last = Normalize(module_input_name="token_embeddings")
    made = MultiVectorEncoder(modules=[model[0], MultiVectorMask(), last], device=str(model.device))
    return made.eval()
