"""A model run as a graph by onnxruntime or OpenVINO: tokens in, token vectors out, the rest in numpy."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from beirkit.corpora.errors import MissingExtraError, UsageError
from beirkit.retrievers.dense.backends.base import Setting
from beirkit.retrievers.dense.backends.export import Inputs, Session, Start, open_graph
from beirkit.retrievers.dense.backends.stages import read_stages
from beirkit.retrievers.dense.encoder import Role, Vectors
from beirkit.retrievers.dense.model_files import ModelFiles


class GraphBackend:
    """Tokenises, runs the graph, pools and normalises in float32.

    torch is loaded only while a graph is made.

    Args:
        setting: which of the two, precision, length.
        files: the model.

    Raises:
        MissingExtraError: the library is not installed.
        UsageError: the model has a stage that only torch runs, the processor lacks the precision, or another
            device than the processor is asked for.
    """

    def __init__(self, setting: Setting, files: ModelFiles) -> None:
        if setting.device != "cpu":
            raise UsageError(
                f"backend {setting.backend} runs on the processor, not on {setting.device!r}",
                hint="take backend torch",
            )
        self._stages = read_stages(files, setting.backend)
        start: Start = _onnxruntime if setting.backend == "onnx" else _openvino

        try:
            from tokenizers import Tokenizer
        except ImportError as error:
            raise MissingExtraError(f"backend {setting.backend}", setting.backend) from error
        self._graph = graph = open_graph(files, setting.cache, setting.dtype, start)
        self._session, self._inputs = graph.session, graph.note.inputs
        self.tokenizer: Any = Tokenizer.from_str(graph.tokenizer)
        self.tokenizer.no_truncation()
        self.tokenizer.no_padding()
        self._cutting: Any = Tokenizer.from_str(graph.tokenizer)
        self._cutting.enable_padding(**graph.note.padding)
        if setting.max_length is None:
            self._cutting.no_truncation()
        else:
            side = "left" if graph.note.truncate_left else "right"
            self._cutting.enable_truncation(setting.max_length, direction=side)

    def encode(self, batches: Sequence[Sequence[str]], prompt: str, role: Role) -> Iterator[Vectors]:
        """The vectors of each batch, in order."""
        for batch in batches:
            encodings = self._cutting.encode_batch_fast([prompt + text for text in batch])
            known = {
                "input_ids": [each.ids for each in encodings],
                "attention_mask": [each.attention_mask for each in encodings],
                "token_type_ids": [each.type_ids for each in encodings],
            }
            inputs: Inputs = {name: np.array(known[name], dtype=np.int64) for name in self._inputs}
            vectors, mask = self._session(inputs), np.array(known["attention_mask"], dtype=np.float32)
            for stage in self._stages:
                vectors = stage(vectors, mask)
            yield np.ascontiguousarray(vectors, dtype=np.float32)


def _onnxruntime(path: Path, dtype: str) -> Session:
    """The graph in onnxruntime, in float32."""
    try:
        import onnxruntime
    except ImportError as error:
        raise MissingExtraError("backend onnx", "onnx") from error
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])

    def run(inputs: Inputs) -> Vectors:
        made: Vectors = np.asarray(session.run(None, inputs)[0], dtype=np.float32)
        return made

    return run


def _openvino(path: Path, dtype: str) -> Session:
    """The graph in OpenVINO, in float32 or bfloat16.

    Raises:
        UsageError: the processor has no bfloat16 arithmetic, or OpenVINO does not keep to what was asked.
    """
    try:
        import openvino
    except ImportError as error:
        raise MissingExtraError("backend openvino", "openvino") from error
    asked = {"float32": "f32", "bfloat16": "bf16"}[dtype]
    core = openvino.Core()
    if asked == "bf16" and "BF16" not in core.get_property("CPU", "OPTIMIZATION_CAPABILITIES"):
        raise UsageError("this processor has no bfloat16 arithmetic", hint="take dtype float32")
    compiled = core.compile_model(str(path), "CPU", {"INFERENCE_PRECISION_HINT": asked})
    got = compiled.get_property("INFERENCE_PRECISION_HINT").get_type_name()
    if got != asked:
        raise UsageError(f"OpenVINO computes in {got} where {asked} was asked for", hint="take backend torch")
    request = compiled.create_infer_request()

    def run(inputs: Inputs) -> Vectors:
        found = request.infer(inputs)
        made: Vectors = np.array(found[compiled.output(0)], dtype=np.float32)
        return made

    return run
