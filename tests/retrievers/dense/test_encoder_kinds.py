"""Every kind of encoder: killed and started again, and never served what another setting has left behind."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from beirkit.configs.schema import RetrieverConfig
from beirkit.corpora.errors import ConfigError
from beirkit.corpora.records import Document, Query
from beirkit.retrievers import store
from beirkit.retrievers.base import Workplace
from beirkit.retrievers.catalog import create

TEXTS = ["owl hunts voles", "the kestrel", "barn owls eat birds", "night", "a b c", "the owl", "find birds"]
FUNCTION = """
import numpy as np

def encode(texts, role):
    return np.array([[1 + len(text), text.count("o"), 1.0] for text in texts], dtype=np.float32)
"""


def _tiny(backend: str) -> Callable[[Path, Path], dict[str, Any]]:
    def options(folder: Path, tiny: Path) -> dict[str, Any]:
        if backend != "torch":
            pytest.importorskip({"onnx": "onnxruntime", "openvino": "openvino"}[backend])
        if not (folder / "model").exists():
            shutil.copytree(tiny, folder / "model")
        return {"model": str(folder / "model"), "backend": backend}

    return options


def _static(folder: Path, tiny: Path) -> dict[str, Any]:
    from safetensors.numpy import load_file, save_file

    if not (folder / "static").exists():
        (folder / "static").mkdir()
        table = load_file(tiny / "model.safetensors")["embeddings.word_embeddings.weight"]
        save_file({"embeddings": table}, folder / "static" / "table.safetensors")
        shutil.copy(tiny / "tokenizer.json", folder / "static" / "tokenizer.json")
    files = {"weights": "table.safetensors", "tokenizer": "tokenizer.json"}
    return {"model": str(folder / "static"), "static": files}


def _function(folder: Path, tiny: Path) -> dict[str, Any]:
    file = folder / "mine.py"
    if not file.exists():
        file.write_text(FUNCTION)
    return {"model": f"{file}:encode"}


def _mteb(folder: Path, tiny: Path) -> dict[str, Any]:
    pytest.importorskip("mteb", reason="needs the extra 'mteb'")
    return {"model": "mteb:mteb/baseline-random-encoder"}


KINDS: dict[str, Callable[[Path, Path], dict[str, Any]]] = {
    "torch": _tiny("torch"),
    "onnx": _tiny("onnx"),
    "openvino": _tiny("openvino"),
    "static": _static,
    "function": _function,
    "mteb": _mteb,
}

pytestmark = pytest.mark.dense


@pytest.fixture(params=KINDS)
def options(request: pytest.FixtureRequest, tiny_model: Path, tmp_path: Path) -> dict[str, Any]:
    return KINDS[request.param](tmp_path, tiny_model)


@pytest.fixture(autouse=True)
def _small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    original = store.blocks
    monkeypatch.setattr("beirkit.retrievers.dense.retriever.blocks", lambda items: original(items, 3))


def _run(options: dict[str, Any], cache: Path, texts: list[str] = TEXTS) -> tuple[Any, list[Any]]:
    config = RetrieverConfig(name="r", kind="dense", options=options)
    retriever = create(config, Workplace(cache=cache, device="cpu", offline=True))
    retriever.index([Document(f"d{number}", text=text) for number, text in enumerate(texts)])
    run = retriever.search([Query("q", "owls hunt"), Query("r", "the night")], 5)
    return retriever, list(run.lists())


def _vectors(cache: Path) -> dict[str, bytes]:
    return {str(path.relative_to(cache)): path.read_bytes() for path in (cache / "embeddings").rglob("*.npy")}


_KILLED = """
import json, os, sys
from pathlib import Path
from beirkit.configs.schema import RetrieverConfig
from beirkit.corpora.records import Document
from beirkit.retrievers import store
from beirkit.retrievers.base import Workplace
from beirkit.retrievers.catalog import create
from beirkit.retrievers.dense import retriever as module

original, kept = store.blocks, store.Section.put
module.blocks = lambda items: original(items, 3)

def put(self, key, array, facts):
    if len(list(self.folder.glob("*.npy"))) == 1:
        (self.folder / f".{key}.npy.{os.getpid()}.part").write_bytes(b"half")
        os._exit(9)
    return kept(self, key, array, facts)

store.Section.put = put
config = RetrieverConfig(name="r", kind="dense", options=json.loads(sys.argv[1]))
made = create(config, Workplace(cache=Path(sys.argv[2]), device="cpu", offline=True))
made.index([Document(f"d{n}", text=text) for n, text in enumerate(json.loads(sys.argv[3]))])
"""


@pytest.mark.slow
def test_a_killed_run_goes_on_and_ends_in_the_same_bytes(options: dict[str, Any], tmp_path: Path) -> None:
    command = [
        sys.executable,
        "-P",
        "-c",
        _KILLED,
        json.dumps(options),
        str(tmp_path / "a"),
        json.dumps(TEXTS),
    ]
    killed = subprocess.run(command, check=False, capture_output=True, env={**os.environ})
    assert killed.returncode == 9, killed.stderr.decode()
    assert len(_vectors(tmp_path / "a")) == 1
    resumed, found = _run(options, tmp_path / "a")
    assert resumed.costs()["from_store"]["document"] == 3
    _, expected = _run(options, tmp_path / "b")
    assert found == expected
    assert _vectors(tmp_path / "a") == _vectors(tmp_path / "b")


def test_a_second_start_encodes_nothing(options: dict[str, Any], tmp_path: Path) -> None:
    _, first = _run(options, tmp_path / "cache")
    again, second = _run(options, tmp_path / "cache")
    assert again.costs()["from_store"] == {"document": 7, "query": 2}
    assert first == second


def test_a_changed_text_is_encoded_anew(options: dict[str, Any], tmp_path: Path) -> None:
    _run(options, tmp_path / "cache")
    changed, found = _run(options, tmp_path / "cache", [*TEXTS[:6], "find owls"])
    assert changed.costs()["from_store"]["document"] == 6, "the blocks that are the same"
    assert found == _run(options, tmp_path / "fresh", [*TEXTS[:6], "find owls"])[1]


@pytest.mark.parametrize(
    "change",
    [
        {"prompts": {"document": "passage : "}},
        {"instruction": "find", "prompts": {"document": "{instruction} : "}},
        {"batch_size": 2},
        {"similarity": "dot"},
        {"max_length": 5},
        {"truncate_dim": 2},
        {"precision": "int8"},
        {"precision": "binary"},
        {"index": "HNSW8"},
    ],
    ids=lambda change: next(iter(change)),
)
def test_a_changed_option_is_another_retriever(
    options: dict[str, Any], change: dict[str, Any], tmp_path: Path
) -> None:
    first, _ = _run(options, tmp_path / "cache")
    model, name = str(options["model"]), next(iter(change))
    if name in {"prompts", "max_length", "instruction"} and _refuses(model, name):
        with pytest.raises(ConfigError, match="means nothing for"):
            _run({**options, **change}, tmp_path / "cache")
        return
    changed, found = _run({**options, **change}, tmp_path / "cache")
    if "max_length" in change and "static" in options:
        assert changed.report() == first.report()  # it reads any length
        return
    assert changed.identity() != first.identity()
    assert found == _run({**options, **change}, tmp_path / "fresh")[1]


def _refuses(model: str, name: str) -> bool:
    """Whether an option is not the user's to set."""
    return model.startswith("mteb:") or (model.endswith(":encode") and name == "max_length")


def test_a_changed_model_is_another_retriever(options: dict[str, Any], tmp_path: Path) -> None:
    first, _ = _run(options, tmp_path / "cache")
    identity = first.identity()
    if options["model"].startswith("mteb:"):
        pytest.skip("a model of mteb is told by its name and revision")
    folder = Path(options["model"].removesuffix(":encode"))
    if folder.suffix == ".py":
        folder.write_text(FUNCTION.replace('"o"', '"e"'))
    else:
        from safetensors.numpy import load_file, save_file

        (path,) = folder.glob("*.safetensors")
        found = load_file(path)
        save_file(
            {name: array[::-1].copy() for name, array in found.items()}, path, metadata={"format": "pt"}
        )
    changed, after = _run(options, tmp_path / "cache")
    assert changed.identity() != identity
    assert changed.costs()["from_store"]["document"] == 0
    assert after == _run(options, tmp_path / "fresh")[1]
