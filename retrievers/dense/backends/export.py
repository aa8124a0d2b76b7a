"""A model's transformer as an ONNX graph: the one that ships with it, or one made by torch and kept.

The graph ends at the token vectors: pooling and normalisation follow it in float32, whatever runs the graph.
Beside it lies the tokenizer exactly as sentence-transformers loaded it. A new graph is compared with the
model before it is trusted, and ``graph.json``, written last, says that it was.
"""

from __future__ import annotations

import logging
import tempfile
import warnings
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from beirkit.corpora.errors import UsageError
from beirkit.corpora.files import atomic_open, sha256_file
from beirkit.retrievers.base import Facts
from beirkit.retrievers.dense.encoder import Vectors
from beirkit.retrievers.dense.model_files import ModelFiles
from beirkit.retrievers.store import configuration_key

logger = logging.getLogger(__name__)

Inputs = dict[str, npt.NDArray[np.int64]]
Session = Callable[[Inputs], Vectors]
"""From ``(n, tokens) int64`` inputs by name to ``(n, tokens, width) float32`` token vectors."""

Start = Callable[[Path, str], Session]
"""Makes a graph's file ready to run in a precision."""

_STAGE = 1
_OPSET = 17
_SHIPPED = "onnx/model.onnx"
_PROBES = ("a short text", "a text that is somewhat longer, so that the other one is padded: 1, 2, 3", "")
_LEAST_COSINE = 0.9999


class GraphNote(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is known about a graph.

    Attributes:
        sha256: of the graph's file.
        inputs: names of its inputs.
        padding: arguments of the tokenizer's ``enable_padding``.
        truncate_left: whether a long text loses its beginning.
    """

    sha256: str
    inputs: list[str]
    padding: dict[str, Any]
    truncate_left: bool


@dataclass(frozen=True, kw_only=True)
class Graph:
    """A graph that was compared with its model.

    Attributes:
        path: the ONNX file.
        note: what is known about it.
        tokenizer: the tokenizer, as JSON.
        session: it, ready to run.
        folder: set where the graph lies in a private folder, which is removed with this object.
    """

    path: Path
    note: GraphNote
    tokenizer: str
    session: Session
    folder: tempfile.TemporaryDirectory[str] | None = None


def describe_graph(files: ModelFiles) -> Facts:
    """Which graph a model is run by; nothing is loaded or made."""
    shipped = files.folder / _SHIPPED
    if shipped.is_file():
        return {"file": _SHIPPED, "sha256": files.sha256_of(shipped)}
    return {"exporter": "torch.onnx", "opset": _OPSET, "stage": _STAGE}


def open_graph(files: ModelFiles, cache: Path | None, dtype: str, start: Start) -> Graph:
    """The graph of a model; made, compared and kept where that was not done before.

    Args:
        files: the model.
        cache: the store's folder; ``None``: the graph is gone when the process ends.
        dtype: what it is to compute in.
        start: makes a file ready to run.

    Raises:
        UsageError: the model cannot be exported, or its graph gives other vectors than the model.
        MissingExtraError: torch is not installed.
    """
    if cache is None:
        private = tempfile.TemporaryDirectory(prefix="beirkit-graph-")
        return replace(open_graph(files, Path(private.name), dtype, start), folder=private)
    folder = cache / "graphs" / configuration_key({"model": files.sha256, **describe_graph(files)})
    shipped = files.folder / _SHIPPED
    path = shipped if shipped.is_file() else folder / "model.onnx"
    with suppress(OSError, msgspec.DecodeError):
        note = msgspec.json.decode((folder / "graph.json").read_bytes(), type=GraphNote)
        tokenizer = (folder / "tokenizer.json").read_text(encoding="utf-8")
        if sha256_file(path) == note.sha256:
            return Graph(path=path, note=note, tokenizer=tokenizer, session=start(path, dtype))
        logger.warning("%s is damaged and will be made again", path)
    return _make(files, folder, path, dtype, start)


def _make(files: ModelFiles, folder: Path, path: Path, dtype: str, start: Start) -> Graph:
    from beirkit.retrievers.dense.backends.torch_model import load_model, quiet

    model = load_model(files, "cpu", "float32", attn_implementation="eager")
    tokenizer: Any = getattr(model, "tokenizer", None)
    if getattr(tokenizer, "backend_tokenizer", None) is None:
        raise UsageError("the model has no fast tokenizer", path=files.folder, hint="take backend torch")
    transformer = getattr(model[0], "model", None)
    if transformer is None:
        raise UsageError("its first stage is no transformer", path=files.folder, hint="take backend torch")
    if path.is_relative_to(folder):
        logger.info("making an ONNX graph of %s", files.folder)
        with quiet(), atomic_open(path, "wb") as stream:
            stream.write(_exported(transformer, _probe(tokenizer, _PROBES[:2]), files))
    probe = _probe(tokenizer, _PROBES)
    _compare(start(path, "float32"), transformer, probe, files)
    note = GraphNote(
        sha256=sha256_file(path),
        inputs=list(probe),
        padding={
            "direction": tokenizer.padding_side,
            "pad_id": tokenizer.pad_token_id,
            "pad_token": tokenizer.pad_token,
            "pad_type_id": tokenizer.pad_token_type_id,
        },
        truncate_left=tokenizer.truncation_side == "left",
    )
    text = tokenizer.backend_tokenizer.to_str()
    with atomic_open(folder / "tokenizer.json") as written:
        written.write(text)
    with atomic_open(folder / "graph.json", "wb") as stream:
        stream.write(msgspec.json.encode(note, order="sorted"))
    return Graph(path=path, note=note, tokenizer=text, session=start(path, dtype))


def _probe(tokenizer: Any, texts: tuple[str, ...]) -> dict[str, Any]:
    """Tensors by input name, in the order of the tokenizer."""
    return dict(tokenizer(list(texts), padding=True, return_tensors="pt"))


def _exported(transformer: Any, probe: dict[str, Any], files: ModelFiles) -> bytes:
    import torch

    names = list(probe)

    class TokenVectors(torch.nn.Module):
        """The transformer with its inputs by place and one output."""

        def __init__(self) -> None:
            super().__init__()
            self.transformer = transformer

        def forward(self, *inputs: Any) -> Any:
            return self.transformer(**dict(zip(names, inputs, strict=True)))[0]

    with tempfile.TemporaryDirectory(prefix="beirkit-graph-") as folder:
        made = Path(folder) / "model.onnx"
        try:
            with warnings.catch_warnings(), torch.no_grad():
                warnings.simplefilter("ignore")  # of the tracer, about branches that a shape decides
                torch.onnx.export(
                    TokenVectors().eval(),
                    tuple(probe.values()),
                    made,
                    input_names=names,
                    output_names=["token_vectors"],
                    dynamic_axes={name: {0: "texts", 1: "tokens"} for name in [*names, "token_vectors"]},
                    opset_version=_OPSET,
                    dynamo=False,
                )
        # The exporter raises whatever the model's own code or the graph's checker does.
        except Exception as error:
            first = (str(error).strip() or type(error).__name__).splitlines()[0]
            raise UsageError(
                f"torch.onnx cannot export the model: {first}", path=files.folder, hint="take backend torch"
            ) from error
        if len(list(Path(folder).iterdir())) > 1:
            raise UsageError(
                "the graph is over 2 GB, more than one file can hold", path=files.folder,
                hint="take backend torch",
            )  # fmt: skip
        return made.read_bytes()


def _compare(session: Session, transformer: Any, probe: dict[str, Any], files: ModelFiles) -> None:
    """Refuse a graph whose token vectors are not the model's, at a shape it was not traced with."""
    import torch

    with torch.no_grad():
        expected = transformer(**probe)[0].numpy()
    try:
        found = session({name: tensor.numpy() for name, tensor in probe.items()})
    # A graph that ships with a model may want other inputs; what is raised is the runtime's own.
    except Exception as error:
        first = (str(error).strip() or type(error).__name__).splitlines()[0]
        raise UsageError(
            f"the graph cannot be run: {first}", path=files.folder, hint="take backend torch"
        ) from error
    if found.shape != expected.shape:
        raise UsageError(
            f"the graph gives {found.shape}, the model {expected.shape}", path=files.folder,
            hint="take backend torch",
        )  # fmt: skip
    real = probe["attention_mask"].numpy().astype(bool)
    a, b = found[real].astype(np.float64), expected[real].astype(np.float64)
    lengths = np.linalg.norm(a, axis=1) * np.linalg.norm(b, axis=1)
    cosine = float((np.einsum("nd,nd->n", a, b) / np.maximum(lengths, 1e-12)).min())
    if not cosine >= _LEAST_COSINE:
        raise UsageError(
            f"the graph's token vectors have a cosine of {cosine:.4f} with the model's",
            path=files.folder,
            hint="take backend torch",
        )
