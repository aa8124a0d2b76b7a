"""What the files of a late-interaction model say: sentence-transformers saves it, or PyLate, or ColBERT."""

from __future__ import annotations

from beirkit.corpora.errors import UsageError
from beirkit.retrievers.base import Facts
from beirkit.retrievers.dense.model_files import ModelFiles, Module, read_settings

_OTHER_KINDS = {
    "SparseEncoder": "a sparse encoder, which needs the sparse retriever",
    "CrossEncoder": "a cross-encoder, which has no vectors of its own; kind rerank is for it",
}
_PREFIXES = {"query_prefix": "query", "document_prefix": "document"}  # PyLate's, beside its prompts
_MARKERS = {"query_token_id": ("query", "[unused0]"), "doc_token_id": ("document", "[unused1]")}  # ColBERT's


class LateFiles(ModelFiles):
    """The folder of a model that gives a vector per token, or of an encoder whose token vectors are taken.

    Prompts are those that sentence-transformers composes when it loads the folder: PyLate's prefix stands
    before its prompt, and a ColBERT of its authors has the marker that ``artifact.metadata`` names.
    """

    @property
    def is_colbert(self) -> bool:
        """Whether it was saved by the code of ColBERT's authors."""
        return "HF_ColBERT" in self._architectures

    @property
    def makes_token_vectors(self) -> bool:
        """Whether a layer of it was trained for token vectors, or at least to make vectors smaller.

        To any other model sentence-transformers adds a layer with random weights.
        """
        kind = self.config.get("model_type")
        return (
            self.is_colbert
            or kind in ("MultiVectorEncoder", "ColBERT")
            or any(module.name == "Dense" for module in self.modules)
        )

    @property
    def similarity_name(self) -> str:
        """``maxsim`` or ``meanmaxsim``, as the model says, the first where it does not."""
        return "meanmaxsim" if self.config.get("similarity_fn_name") == "meanmaxsim" else "maxsim"

    @property
    def _architectures(self) -> list[str]:
        return [str(name) for name in self.modules[0].config.get("architectures") or []]

    @property
    def _prompts(self) -> Facts:
        prompts: Facts = dict(self.config.get("prompts") or {})
        for key, role in _PREFIXES.items():
            if key in self.config:
                prefix = self.config[key] or ""
                prompts[role] = prefix + (prompts.get(role) or "").removeprefix(prefix)
        if self.is_colbert:
            artifact = read_settings(self.folder / "artifact.metadata")
            for key, (role, marker) in _MARKERS.items():
                if prompts.get(role) is None:
                    prompts[role] = f"{artifact.get(key) or marker} "
        return prompts

    def _read_modules(self) -> list[Module]:
        if (self.folder / "modules.json").is_file():
            modules = super()._read_modules()
        else:
            modules = [Module("Transformer", self.folder, read_settings(self.folder / "config.json"))]
        # Lengths, expansion and tokens to skip may stand beside the modules: they are part of the identity.
        settings = {
            **read_settings(self.folder / "config_sentence_transformers.json"),
            **read_settings(self.folder / "artifact.metadata"),
        }
        settings.pop("prompts", None)
        return [*modules, Module("settings", self.folder / "-", settings)]

    def _refuse_other_kinds(self) -> None:
        kind = str(self.config.get("model_type", ""))
        plain = not (self.folder / "modules.json").is_file()
        if any(module.name in ("SpladePooling", "SparseAutoEncoder") for module in self.modules):
            kind = "SparseEncoder"
        elif plain and any(name.endswith("ForSequenceClassification") for name in self._architectures):
            kind = "CrossEncoder"
        if kind in _OTHER_KINDS:
            raise UsageError(f"this model is {_OTHER_KINDS[kind]}", path=self.folder)
        if any(name.endswith("ForRetrieval") for name in self._architectures):
            raise UsageError("this model reads images of pages; documents here are texts", path=self.folder)
        if self.is_static:
            raise UsageError("this static model has no encoder of tokens in context", path=self.folder)
