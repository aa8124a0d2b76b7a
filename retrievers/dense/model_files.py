"""What a model folder says about the model, read without loading it: one identity wherever it lies."""

from __future__ import annotations

import hashlib
import json
import logging
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from beirkit.corpora.errors import DataError, UsageError, WriteError
from beirkit.corpora.files import atomic_open, sha256_file
from beirkit.retrievers.base import Facts
from beirkit.retrievers.dense.encoder import Role, Similarity

logger = logging.getLogger(__name__)

_QUERY_PROMPTS = ("query",)
_DOCUMENT_PROMPTS = (
    "document",
    "passage",
    "corpus",
)  # the names sentence-transformers looks for, in its order
_SPARSE = ("SpladePooling", "MLMTransformer", "SparseStaticEmbedding", "SparseAutoEncoder", "CSRSparsity")
_NOT_DENSE = {
    "SparseEncoder": "a sparse encoder: its vectors are term weights, which need the sparse retriever",
    "CrossEncoder": "a cross-encoder: it scores pairs of texts and has no vectors of its own",
    "MultiVectorEncoder": "a late-interaction encoder: it gives a vector per token, not one per text",
}
# Where a file was saved and by which version changes no vector.
_VOLATILE = {
    "_name_or_path",
    "name_or_path",
    "transformers_version",
    "__version__",
    "special_tokens_map_file",
}


@dataclass(frozen=True)
class Module:
    """One stage of a model: its class, its folder and its configuration."""

    name: str
    folder: Path
    config: Facts


class ModelFiles:
    """A sentence-transformers model folder, or a plain transformers one, which gets mean pooling.

    Args:
        folder: where it is.
        hashes: folder in which hashes of big files are remembered; ``None``: compute them each time.
        static: names of the weights and of the tokenizer of a static model that is no such folder.

    Raises:
        UsageError: the folder holds another kind of model.
        DataError: one of its configuration files cannot be read.
    """

    def __init__(
        self, folder: Path, *, hashes: Path | None = None, static: tuple[str, str] | None = None
    ) -> None:
        self.folder = folder
        self._static = static
        self._hashes = hashes
        self.config = _json(folder / "config_sentence_transformers.json")
        self.modules = self._read_modules()
        self._refuse_other_kinds()

    @cached_property
    def weights(self) -> dict[str, str]:
        """SHA-256 of each weights file, by its path inside the folder.

        Raises:
            UsageError: there are none.
        """
        if self._static is not None:
            return {self._static[0]: self.sha256_of(self.static_weights)}
        found: dict[str, str] = {}
        for module in self.modules:
            # Next to the weights that are loaded there may be the same ones in an older format.
            for pattern in ("*.safetensors", "*.bin"):
                files = sorted(
                    path for path in module.folder.glob(pattern) if path.name != "training_args.bin"
                )
                if files:
                    found |= {
                        path.relative_to(self.folder).as_posix(): self.sha256_of(path) for path in files
                    }
                    break
        if not found:
            raise UsageError("the model folder holds no weights", path=self.folder)
        return found

    def require_pinned(self, pinned: str | None, source: str) -> None:
        """Hold the weights to a hash, where one is given.

        Args:
            pinned: SHA-256 that one of the weights files must have.
            source: what to call the model.

        Raises:
            UsageError: none has it.
        """
        if pinned is not None and pinned not in self.weights.values():
            found = ", ".join(self.weights.values())
            raise UsageError(
                f"model {source}: its weights have SHA-256 {found}, not the pinned {pinned}",
                hint="it is another model; take weights_sha256 out to use it under a name of its own",
            )

    @cached_property
    def sha256(self) -> str:
        """Hash over weights, tokenizer and configuration: the model's identity, wherever its folder is."""
        described = {
            "weights": self.weights,
            "tokenizer": self._tokenizer(),
            "modules": [[module.name, module.config] for module in self.modules],
        }
        text = json.dumps(described, sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()

    @property
    def max_length(self) -> int | None:
        """Tokens the model reads, the special ones included; ``None``: no limit."""
        config = self.modules[0].config
        if config.get("max_seq_length"):
            return int(config["max_seq_length"])
        tokenizer = _json(self.modules[0].folder / "tokenizer_config.json").get("model_max_length")
        # Tokenizers without a limit of their own state an astronomic number.
        limits = [config.get("max_position_embeddings"), tokenizer]
        known = [int(limit) for limit in limits if isinstance(limit, int | float) and 0 < limit < 1e9]
        return min(known, default=None)

    @property
    def similarity(self) -> Similarity:
        """How the model's vectors are compared; cosine where it does not say."""
        name = self.config.get("similarity_fn_name") or "cosine"
        if name not in ("cosine", "dot"):
            raise UsageError(
                f"the model compares vectors by {name!r}, which is not offered",
                path=self.folder,
                hint="set similarity to cosine or dot",
            )
        return "dot" if name == "dot" else "cosine"

    @property
    def pooling(self) -> str:
        """How token vectors become one: ``mean``, ``cls``, ... or the class of the stage that does it."""
        for module in self.modules:
            if module.name == "Pooling":
                mode = module.config.get("pooling_mode")
                if mode:
                    return mode if isinstance(mode, str) else "+".join(mode)
                modes = [
                    key.removeprefix("pooling_mode_").removesuffix("_tokens").removesuffix("_token")
                    for key, value in module.config.items()
                    if key.startswith("pooling_mode_") and value is True
                ]
                return "+".join(modes) or "mean"
        return self.modules[0].name

    @property
    def normalized(self) -> bool:
        """Whether the model itself makes its vectors unit length."""
        return any(module.name == "Normalize" for module in self.modules)

    def prompt(self, role: Role) -> str:
        """What the model's own configuration puts before a text of this role."""
        prompts = self._prompts
        for name in _QUERY_PROMPTS if role == "query" else _DOCUMENT_PROMPTS:
            if isinstance(prompts.get(name), str):
                return str(prompts[name])
        default = self.config.get("default_prompt_name")
        return str(prompts.get(default) or "") if default else ""

    @property
    def has_prompts(self) -> bool:
        """Whether its configuration has a prompt for either role; sentence-transformers saves empty ones."""
        return bool(self.prompt("query") or self.prompt("document"))

    @property
    def unused_prompts(self) -> list[str]:
        """Names of prompts that are for no role of retrieval."""
        known = {*_QUERY_PROMPTS, *_DOCUMENT_PROMPTS, self.config.get("default_prompt_name")}
        return [name for name, text in self._prompts.items() if text and name not in known]

    @property
    def made_from(self) -> str:
        """The name that transformers noted when the files were saved: the model itself, or its parent."""
        config = _json(self.modules[0].folder / "config.json")
        return str(config.get("_name_or_path") or "").rstrip("/")

    @property
    def _prompts(self) -> Facts:
        found: Facts = self.config.get("prompts") or {}
        return found

    @property
    def is_static(self) -> bool:
        """Whether it looks vectors of tokens up and runs no network."""
        return self.modules[0].name == "StaticEmbedding"

    @property
    def static_weights(self) -> Path:
        """The file of a static model's table."""
        return self.folder / self._static[0] if self._static else self.modules[0].folder / "model.safetensors"

    @property
    def static_tokenizer(self) -> Path:
        """The file of a static model's tokenizer."""
        return self.folder / self._static[1] if self._static else self.modules[0].folder / "tokenizer.json"

    def _read_modules(self) -> list[Module]:
        if self._static is not None:
            return [Module("StaticEmbedding", self.folder, {})]
        plain = _json(self.folder / "config.json")
        if plain.get("model_type") == "model2vec" and not (self.folder / "modules.json").is_file():
            first = Module("StaticEmbedding", self.folder, {"skip_unknown": True})
            return [first, *([Module("Normalize", self.folder, {})] if plain.get("normalize") else [])]
        listed = _json(self.folder / "modules.json", default=None)
        if listed is None:
            logger.warning("%s has no modules.json: mean pooling is taken", self.folder)
            config = _stable(_json(self.folder / "config.json"))
            return [
                Module("Transformer", self.folder, config),
                Module("Pooling", self.folder / "1_Pooling", {"pooling_mode": "mean"}),
            ]
        modules = []
        try:
            for item in listed:
                folder = self.folder / item["path"]
                # A stage may carry the settings of its wrapper beside those of what it wraps.
                config = {**_json(folder / "config.json"), **_json(folder / "sentence_bert_config.json")}
                modules.append(Module(str(item["type"]).rsplit(".", 1)[-1], folder, _stable(config)))
        except (TypeError, KeyError) as error:
            raise DataError("does not list modules", path=self.folder / "modules.json") from error
        if not modules:
            raise DataError("lists no module", path=self.folder / "modules.json")
        return modules

    def _refuse_other_kinds(self) -> None:
        kind = self.config.get("model_type", "SentenceTransformer")
        architectures = self.modules[0].config.get("architectures") or []
        if any(module.name in _SPARSE for module in self.modules):
            kind = "SparseEncoder"
        elif not (self.folder / "modules.json").is_file() and any(
            str(name).endswith("ForSequenceClassification") for name in architectures
        ):
            kind = "CrossEncoder"
        if kind in _NOT_DENSE:
            raise UsageError(f"this model is {_NOT_DENSE[kind]}", path=self.folder)

    def _tokenizer(self) -> Facts:
        folder = self.modules[0].folder
        whole = self.static_tokenizer if self._static else folder / "tokenizer.json"
        parts = [whole] if whole.is_file() else sorted([*folder.glob("vocab.*"), *folder.glob("*.model")])
        settings = _stable(_json(folder / "tokenizer_config.json"))
        return {"files": {path.name: sha256_file(path) for path in parts}, "settings": settings}

    def sha256_of(self, path: Path) -> str:
        """The hash of one of the model's big files, remembered for as long as the file is not touched."""
        if self._hashes is None:
            return sha256_file(path)
        state = path.stat()
        told = f"{path.resolve()}\0{state.st_size}\0{state.st_mtime_ns}\0{state.st_ino}"
        note = self._hashes / f"{hashlib.sha256(told.encode('utf-8', 'surrogateescape')).hexdigest()}.txt"
        with suppress(OSError, UnicodeDecodeError):
            known = note.read_text(encoding="ascii").strip()
            if len(known) == 64:
                return known
        digest = sha256_file(path)
        with suppress(WriteError), atomic_open(note) as stream:  # remembering is a convenience
            stream.write(digest + "\n")
        return digest


def _stable(config: Facts) -> Facts:
    return {key: value for key, value in config.items() if key not in _VOLATILE}


def read_settings(path: Path) -> Facts:
    """A configuration file of a model without what changes no output; empty where there is none.

    Raises:
        DataError: it is not JSON.
    """
    return _stable(_json(path))


def _json(path: Path, default: Any = {}) -> Any:  # noqa: B006 - never changed
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return default
    except (OSError, ValueError) as error:
        raise DataError(f"cannot be read as JSON: {error}", path=path) from error
