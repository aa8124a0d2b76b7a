"""Models that an installed mteb implements, loaded by it and given its prompts."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np

from beirkit.corpora.errors import MissingExtraError, UnknownNameError, UsageError, nearest
from beirkit.corpora.progress import Advance
from beirkit.retrievers.base import Facts, Workplace
from beirkit.retrievers.dense.encoder import Role, Similarity, Vectors
from beirkit.retrievers.dense.function import BATCH, refuse_options
from beirkit.retrievers.dense.sentence_transformer import EncoderOptions
from beirkit.retrievers.objects import foreign_code

logger = logging.getLogger(__name__)

SCHEME = "mteb:"


class MtebEncoder:
    """Encodes with a model of mteb's registry: its loader, its revision, its prompts for retrieval.

    The model is told that the task is retrieval, and the dataset's instruction where there is one; neither a
    task's name nor a language that prompts could be chosen by. Where the model cuts texts is not known, so
    the truncated share is reported as not known.

    Args:
        options: ``model`` is ``mteb:NAME`` or ``mteb:NAME@REVISION``.
        workplace: device, batch size, whether the hub may be asked.

    Raises:
        ConfigError: an option is set that is mteb's to decide.
    """

    stage = 1

    def __init__(self, options: EncoderOptions, workplace: Workplace) -> None:
        assert isinstance(options.model, str)
        self._name, _, self._revision = options.model.removeprefix(SCHEME).partition("@")
        owned = ("weights_sha256", "prompts", "max_length", "backend", "dtype", "static")
        refuse_options(options, "a model of mteb", owned)
        self._options, self._workplace = options, workplace
        self._batch_size = workplace.batch(options.batch_size, BATCH)

    def identity(self) -> Facts:
        """Name, revision, mteb's version and the instruction; mteb is loaded for it, no model is."""
        return {
            "kind": "dense",
            "encoder": "mteb",
            "stage": self.stage,
            "model": self._meta.name,
            "revision": self._meta.revision,
            "mteb": version("mteb"),
            "instruction": self._options.instruction if self._meta.use_instructions else "",
            "batch_size": self._batch_size,
        }

    @property
    def similarity(self) -> Similarity:
        """As the options say, else as mteb does; cosine where it does not."""
        if self._options.similarity is not None:
            return self._options.similarity
        named = self._meta.similarity_fn_name
        name = str(getattr(named, "value", named) or "cosine")
        if name not in ("cosine", "dot"):
            raise UsageError(f"mteb compares vectors of {self._name} by {name}", hint="set similarity")
        return "dot" if name == "dot" else "cosine"

    def report(self) -> Facts:
        """The prompts that mteb has for the model, as far as it shows them."""
        found = getattr(self._model, "model_prompts", None) or getattr(self._model, "prompts_dict", None)
        return {"mteb_prompts": {str(name): str(text) for name, text in (found or {}).items()}}

    def encode(self, texts: Sequence[str], role: Role, advance: Advance | None = None) -> Vectors:
        """The vectors that the model gives.

        Raises:
            UsageError: the model failed, with its own error as the cause.
        """
        from datasets import Dataset
        from mteb.types import PromptType  # pyright: ignore[reportMissingImports]
        from torch.utils.data import DataLoader

        distinct = list(dict.fromkeys(texts))
        columns = {"text": distinct}
        if role == "query":
            columns["query"] = distinct
        loader: Any = DataLoader(Dataset.from_dict(columns), batch_size=self._batch_size)
        with foreign_code(f"mteb's model {self._name} failed"), self._hub():
            made = self._model.encode(
                loader,
                task_metadata=self._task,
                hf_split="test",
                hf_subset="default",
                prompt_type=PromptType.query if role == "query" else PromptType.document,
                batch_size=self._batch_size,
                show_progress_bar=False,
            )
            if hasattr(made, "detach"):  # a tensor, perhaps of bfloat16, which numpy has not
                made = made.detach().float().cpu().numpy()
        if advance is not None:
            advance(len(texts))
        found: Vectors = np.asarray(made)
        if found.ndim != 2 or len(found) != len(distinct):
            return found  # the store says what is wrong with it
        rows = {text: row for row, text in enumerate(distinct)}
        return found[[rows[text] for text in texts]]

    def count_truncated(self, texts: Sequence[str], role: Role) -> None:
        """What mteb's model reads of a text is not known."""

    @cached_property
    def _meta(self) -> Any:
        """What mteb knows about the model.

        Raises:
            MissingExtraError: mteb is not installed.
            UnknownNameError: it does not implement the model.
            UsageError: the model gives no dense vectors.
        """
        try:
            version("mteb")
            import mteb  # pyright: ignore[reportMissingImports]
            from mteb.models.model_implementations import MODEL_REGISTRY  # pyright: ignore[reportMissingImports]
        except (ImportError, PackageNotFoundError) as error:
            raise MissingExtraError(f"model {SCHEME}{self._name}", "mteb") from error
        if self._name not in MODEL_REGISTRY:
            raise UnknownNameError(
                f"mteb {version('mteb')} implements no model {self._name!r}",
                hint=nearest(self._name, list(MODEL_REGISTRY))
                if "/" in self._name
                else "write mteb:OWNER/NAME",
            )
        try:
            meta = mteb.get_model_meta(self._name, revision=self._revision or None, fetch_from_hf=False)
        except ValueError as error:
            raise UsageError(f"model {SCHEME}{self._name}: {str(error).splitlines()[0]}") from error
        kinds = getattr(meta, "model_type", ["dense"])
        if "dense" not in kinds:
            raise UsageError(f"mteb's {self._name} is a model of the kind {', '.join(kinds)}, not dense")
        return meta

    @cached_property
    def _model(self) -> Any:
        wanted = self._workplace.device
        device = None if wanted == "auto" else wanted
        logger.info("mteb loads %s at revision %s", self._meta.name, self._meta.revision)
        if not self._workplace.offline:
            logger.warning("mteb downloads %s from its hub where it is not in the hub's cache", self._name)
        with foreign_code(f"mteb cannot load {self._name}"), self._hub():
            return self._meta.load_model(device=device)

    @cached_property
    def _task(self) -> Any:
        """The task as the model is told of it: retrieval, with the dataset's instruction."""
        from mteb.abstasks.task_metadata import TaskMetadata  # pyright: ignore[reportMissingImports]

        instruction = self._options.instruction
        return TaskMetadata(
            name="BeirkitRetrieval",
            description="retrieval",
            type="Retrieval",
            prompt={"query": instruction} if instruction else None,
            dataset={"path": "beirkit", "revision": "1"},
            eval_langs=["eng-Latn"],
            main_score="ndcg_at_10",
        )

    @contextmanager
    def _hub(self) -> Iterator[None]:
        """Keep the hub's client offline where that is asked for."""
        from huggingface_hub import constants

        before = constants.HF_HUB_OFFLINE
        constants.HF_HUB_OFFLINE = before or self._workplace.offline
        try:
            yield
        finally:
            constants.HF_HUB_OFFLINE = before
