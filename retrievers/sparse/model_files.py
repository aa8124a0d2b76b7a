"""What the folder of a sparse model says about it; queries and documents may go through other modules."""

from __future__ import annotations

import ast
import json
from contextlib import suppress
from functools import cached_property

from beirkit.corpora.errors import DataError, UsageError
from beirkit.retrievers.base import Facts
from beirkit.retrievers.dense.encoder import Role
from beirkit.retrievers.dense.model_files import ModelFiles, Module, read_settings

_SPARSE = {"SpladePooling", "MLMTransformer", "SparseStaticEmbedding", "SparseAutoEncoder", "CSRSparsity"}
_NOT_TERMS = {"SparseAutoEncoder", "CSRSparsity"}
_ROUTER, _ROUTES = "Router", ("router_config.json", "config.json")


class SparseFiles(ModelFiles):
    """The folder of a sparse model; without ``modules.json`` a masked language model with SPLADE pooling.

    A model whose queries take another way than its documents (``Router``), such as one that looks the weights
    of a query's terms up, has the modules of both ways.
    """

    @property
    def names_terms(self) -> bool:
        """Whether a dimension is a term of the tokenizer's vocabulary, as in all but sparse autoencoders."""
        return not any(module.name in _NOT_TERMS for module in self.modules)

    @property
    def max_active_dims(self) -> int | None:
        """How many weights of a text the model itself keeps; ``None``: all."""
        told = self.config.get("max_active_dims")
        return int(told) if told else None

    def first_module(self, role: Role) -> Module:
        """The module that reads texts of a role."""
        return self._ways[role]

    def max_length_of(self, role: Role) -> int | None:
        """Tokens that the model reads of texts of a role; ``None``: no limit."""
        folder, config = self._ways[role].folder, self._ways[role].config
        tokenizer = read_settings(folder / "tokenizer_config.json").get("model_max_length")
        # Tokenizers without a limit of their own state an astronomic number.
        limits = [config.get("max_seq_length"), config.get("max_position_embeddings"), tokenizer]
        known = [int(limit) for limit in limits if isinstance(limit, int | float) and 0 < limit < 1e9]
        return int(config["max_seq_length"]) if config.get("max_seq_length") else min(known, default=None)

    @cached_property
    def _ways(self) -> dict[Role, Module]:
        return {"query": self._first("query"), "document": self._first("document")}

    def _first(self, role: Role) -> Module:
        first = self.modules[0]
        if first.name != _ROUTER:
            return first
        structure, settings = first.config["structure"], first.config.get("parameters") or {}
        mapped: dict[tuple[str | None, str | None], str] = {}
        for key, route in (settings.get("route_mappings") or {}).items():
            with suppress(ValueError, SyntaxError):
                mapped[ast.literal_eval(key)] = route
        asked = ((role, "text"), (role, None), (None, "text"), (None, None))
        found = next((mapped[key] for key in asked if key in mapped), role)
        if found not in structure:
            raise UsageError(
                f"the model has no way for a {role}; it has {', '.join(map(repr, structure))}",
                path=first.folder,
            )
        wanted = structure[found][0]
        return next(module for module in self.modules if module.folder.name == wanted)

    def _read_modules(self) -> list[Module]:
        if (self.folder / "modules.json").is_file():
            return [module for one in super()._read_modules() for module in _with_routes(one)]
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

    def _tokenizer(self) -> Facts:
        """Files and settings of the tokenizers of both roles, where there are two."""
        if self.modules[0].name != _ROUTER:
            return super()._tokenizer()
        folders = {module.folder for module in self._ways.values()}
        return {
            folder.name: {
                "files": {
                    path.name: self.sha256_of(path)
                    for path in sorted([*folder.glob("tokenizer.json"), *folder.glob("vocab.*")])
                },
                "settings": read_settings(folder / "tokenizer_config.json"),
            }
            for folder in sorted(folders)
        }


def _with_routes(module: Module) -> list[Module]:
    """A module, and where it leads texts of different roles different ways the modules of all of them."""
    if module.name != _ROUTER:
        return [module]
    config = next(filter(None, (read_settings(module.folder / name) for name in _ROUTES)), {})
    try:
        parts = [
            Module(str(kind).rsplit(".", 1)[-1], module.folder / name, _settings(module, name))
            for name, kind in config["types"].items()
        ]
        known = all(name in config["types"] for names in config["structure"].values() for name in names[:1])
    except (TypeError, KeyError, AttributeError) as error:
        raise DataError("does not list routes", path=module.folder / _ROUTES[0]) from error
    if not known or not all(config["structure"].values()):
        raise DataError("has a route without a module", path=module.folder / _ROUTES[0])
    return [Module(module.name, module.folder, config), *parts]


def _settings(module: Module, name: str) -> Facts:
    folder = module.folder / name
    return {**read_settings(folder / "config.json"), **read_settings(folder / "sentence_bert_config.json")}
