"""onnxruntime and OpenVINO beside torch: the same tokenizer, pooling and normalisation, whatever runs it."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from beirkit.corpora.errors import ConfigError, MissingExtraError, UsageError
from beirkit.retrievers.base import Workplace
from beirkit.retrievers.dense.encoder import Role, Vectors
from beirkit.retrievers.dense.sentence_transformer import EncoderOptions, SentenceTransformerEncoder

TEXTS = [
    "owls hunt voles at night .",
    "the kestrel",
    "",
    "owls hunt voles at night .",
    "a b c d e f g h i j k l m n o p q",
]
GRAPHS = ("onnx", "openvino")
TINY = Path(__file__).parents[2] / "fixtures" / "models" / "tiny"


def _encoder(folder: Path, cache: Path | None = None, device: str = "cpu", **options: Any) -> Any:
    place = Workplace(device=device, offline=True, cache=cache)
    return SentenceTransformerEncoder(EncoderOptions(model=str(folder), **options), place)


def _encode(folder: Path, role: Role = "document", **options: Any) -> Vectors:
    made: Vectors = _encoder(folder, **options).encode(TEXTS, role)
    return made


@pytest.fixture(params=GRAPHS)
def backend(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    pytest.importorskip({"onnx": "onnxruntime", "openvino": "openvino"}[name])
    pytest.importorskip("onnx")
    return name


@pytest.fixture
def model(tiny_model: Path, tmp_path: Path) -> Path:
    """A copy that may be changed."""
    return Path(shutil.copytree(tiny_model, tmp_path / "model"))


@pytest.mark.dense
class TestGraphs:
    @pytest.mark.parametrize("role", ["query", "document"])
    def test_vectors_are_those_of_torch(self, tiny_model: Path, backend: str, role: Role) -> None:
        ours = _encode(tiny_model, role, backend=backend)
        assert ours.dtype == np.float32
        np.testing.assert_allclose(ours, _encode(tiny_model, role), atol=2e-6)
        np.testing.assert_allclose(np.linalg.norm(ours, axis=1), 1, atol=1e-6)

    @pytest.mark.parametrize("batch_size", [1, 2, 32])
    def test_padding_changes_nothing(self, tiny_model: Path, backend: str, batch_size: int) -> None:
        one = _encode(tiny_model, backend=backend, batch_size=batch_size)
        np.testing.assert_allclose(one, _encode(tiny_model), atol=2e-6)

    def test_texts_are_cut_where_torch_cuts_them(self, tiny_model: Path, backend: str) -> None:
        for length in (4, 9):
            ours = _encode(tiny_model, backend=backend, max_length=length)
            np.testing.assert_allclose(ours, _encode(tiny_model, max_length=length), atol=2e-6)
            counted = _encoder(tiny_model, backend=backend, max_length=length)
            assert counted.count_truncated(TEXTS, "document") == {4: 3, 9: 1}[length]

    @pytest.mark.parametrize(
        "mode", ["cls", "max", "mean", "mean_sqrt_len_tokens", "weightedmean", "lasttoken", ["cls", "mean"]]
    )
    def test_every_pooling_is_that_of_torch(self, model: Path, backend: str, mode: Any) -> None:
        width = 32 * (2 if isinstance(mode, list) else 1)
        settings = {"embedding_dimension": 32, "pooling_mode": mode}
        (model / "1_Pooling" / "config.json").write_text(json.dumps(settings))
        ours, theirs = _encode(model, backend=backend), _encode(model)
        assert ours.shape == (5, width)
        np.testing.assert_allclose(ours, theirs, atol=3e-6)

    def test_older_settings_of_pooling_are_joined_in_the_order_of_torch(
        self, model: Path, backend: str
    ) -> None:
        older = {"pooling_mode_mean_tokens": True, "pooling_mode_cls_token": True}
        settings = {"word_embedding_dimension": 32, **older}
        (model / "1_Pooling" / "config.json").write_text(json.dumps(settings))
        np.testing.assert_allclose(_encode(model, backend=backend), _encode(model), atol=3e-6)

    def test_a_projection_is_that_of_torch(self, tiny_model: Path, tmp_path: Path, backend: str) -> None:
        from sentence_transformers import SentenceTransformer
        from sentence_transformers.sentence_transformer.modules import Dense, Normalize

        plain = SentenceTransformer(str(tiny_model), device="cpu")
        SentenceTransformer(modules=[plain[0], plain[1], Dense(32, 8), Normalize()], device="cpu").save(
            str(tmp_path / "projected")
        )
        ours = _encode(tmp_path / "projected", backend=backend)
        assert ours.shape == (5, 8)
        np.testing.assert_allclose(ours, _encode(tmp_path / "projected"), atol=3e-6)

    def test_padding_on_the_left_is_that_of_torch(self, model: Path, backend: str) -> None:
        settings = json.loads((model / "tokenizer_config.json").read_text())
        (model / "tokenizer_config.json").write_text(json.dumps({**settings, "padding_side": "left"}))
        (model / "1_Pooling" / "config.json").write_text(
            json.dumps({"embedding_dimension": 32, "pooling_mode": "lasttoken"})
        )
        np.testing.assert_allclose(_encode(model, backend=backend), _encode(model), atol=3e-6)

    def test_a_stage_that_only_torch_has_is_refused(self, model: Path, backend: str) -> None:
        settings = {"embedding_dimension": 32, "pooling_mode": "mean", "include_prompt": False}
        (model / "1_Pooling" / "config.json").write_text(json.dumps(settings))
        with pytest.raises(UsageError, match=r"its pooling leaves the prompt out \(take backend torch\)"):
            _encode(model, backend=backend)

    def test_the_graph_is_made_once_for_a_model_and_needs_no_torch_again(
        self, tiny_model: Path, tmp_path: Path, backend: str
    ) -> None:
        first = _encode(tiny_model, backend=backend, cache=tmp_path)
        (graph,) = (tmp_path / "graphs").glob("*/model.onnx")
        made = graph.stat().st_mtime_ns
        code = (
            "import json, sys\n"
            "from pathlib import Path\n"
            "from beirkit.retrievers.base import Workplace\n"
            "from beirkit.retrievers.dense.sentence_transformer import *\n"
            "options = EncoderOptions(model=sys.argv[1], backend=sys.argv[3])\n"
            "place = Workplace(device='cpu', cache=Path(sys.argv[2]))\n"
            "encoder = SentenceTransformerEncoder(options, place)\n"
            "vectors = encoder.encode(json.loads(sys.argv[4]), 'document')\n"
            "heavy = {'torch', 'sentence_transformers', 'transformers'} & set(sys.modules)\n"
            "print(json.dumps([vectors.tolist(), sorted(heavy)]))\n"
        )
        arguments = [str(tiny_model), str(tmp_path), backend, json.dumps(TEXTS)]
        done = subprocess.run(
            [sys.executable, "-P", "-c", code, *arguments], capture_output=True, text=True, check=True
        )
        assert json.loads(done.stdout) == [first.tolist(), []]
        assert done.stderr == ""
        assert graph.stat().st_mtime_ns == made

    def test_another_model_gets_another_graph(self, model: Path, tmp_path: Path, backend: str) -> None:
        cache = tmp_path / "cache"
        before = _encode(model, backend=backend, cache=cache)
        _scale(model / "model.safetensors")
        after = _encode(model, backend=backend, cache=cache)
        assert len(list((cache / "graphs").iterdir())) == 2
        assert np.abs(after - before).max() > 0.01
        np.testing.assert_allclose(after, _encode(model), atol=2e-6)

    @pytest.mark.parametrize("damage", ["cut", "unfinished"])
    def test_a_damaged_graph_is_made_again(
        self, tiny_model: Path, tmp_path: Path, backend: str, damage: str, caplog: pytest.LogCaptureFixture
    ) -> None:
        first = _encode(tiny_model, backend=backend, cache=tmp_path)
        (graph,) = (tmp_path / "graphs").glob("*/model.onnx")
        if damage == "cut":
            graph.write_bytes(graph.read_bytes()[:-100])
        else:  # killed before the note was written
            (graph.parent / "graph.json").unlink()
        assert _encode(tiny_model, backend=backend, cache=tmp_path).tolist() == first.tolist()
        assert ("is damaged and will be made again" in caplog.text) == (damage == "cut")

    def test_a_graph_that_ships_with_the_model_is_taken_and_named(
        self, model: Path, tmp_path: Path, backend: str
    ) -> None:
        _encode(model, backend=backend, cache=tmp_path / "cache")
        (graph,) = (tmp_path / "cache" / "graphs").glob("*/model.onnx")
        (model / "onnx").mkdir()
        graph.rename(model / "onnx" / "model.onnx")
        encoder = _encoder(model, backend=backend, cache=tmp_path / "other")
        assert encoder.identity()["graph"]["file"] == "onnx/model.onnx"
        np.testing.assert_allclose(encoder.encode(TEXTS, "document"), _encode(model), atol=2e-6)
        assert not list((tmp_path / "other" / "graphs").glob("*/model.onnx"))

    def test_a_shipped_graph_of_another_model_is_refused(
        self, model: Path, tmp_path: Path, backend: str
    ) -> None:
        _encode(model, backend=backend, cache=tmp_path / "cache")
        (graph,) = (tmp_path / "cache" / "graphs").glob("*/model.onnx")
        (model / "onnx").mkdir()
        graph.rename(model / "onnx" / "model.onnx")
        _scale(model / "model.safetensors")
        with pytest.raises(UsageError, match=r"token vectors have a cosine of 0?\.?[-\d.]+ with the model's"):
            _encode(model, backend=backend, cache=tmp_path / "cache")

    def test_the_processor_is_the_only_device(self, tiny_model: Path, backend: str) -> None:
        with pytest.raises(UsageError, match="runs on the processor, not on 'cuda'"):
            _encoder(tiny_model, device="cuda", backend=backend).encode(["owl"], "query")

    def test_a_library_that_is_missing_comes_with_its_command(
        self, tiny_model: Path, backend: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        library = {"onnx": "onnxruntime", "openvino": "openvino"}[backend]
        monkeypatch.setitem(sys.modules, library, None)
        with pytest.raises(MissingExtraError, match=rf"pip install 'beirkit\[{backend}\]'"):
            _encode(tiny_model, backend=backend)


@pytest.mark.dense
def test_openvino_in_bfloat16_is_near_and_said_so(tiny_model: Path) -> None:
    openvino = pytest.importorskip("openvino")
    if "BF16" not in openvino.Core().get_property("CPU", "OPTIMIZATION_CAPABILITIES"):
        with pytest.raises(UsageError, match="no bfloat16 arithmetic"):
            _encode(tiny_model, backend="openvino", dtype="bfloat16")
        return
    encoder = _encoder(tiny_model, backend="openvino", dtype="bfloat16")
    half, full = encoder.encode(TEXTS, "document"), _encode(tiny_model)
    assert encoder.identity()["dtype"] == "bfloat16"
    assert (half != full).any()
    assert (half * full).sum(axis=1).min() > 0.99
    np.testing.assert_allclose(np.linalg.norm(half, axis=1), 1, atol=1e-6)


@pytest.mark.dense
def test_several_devices_share_the_batches_and_change_no_bit(tiny_model: Path) -> None:
    one = _encode(tiny_model, batch_size=1)
    several = _encoder(tiny_model, device="cpu,cpu,cpu", batch_size=1)
    assert several.encode(TEXTS, "document").tolist() == one.tolist()
    assert several.identity()["device"] == "cpu"


def test_identities_tell_the_back_ends_apart() -> None:
    told = {name: _encoder(TINY, backend=name).identity() for name in ("torch", *GRAPHS)}
    assert [facts["backend"] for facts in told.values()] == ["torch", "onnx", "openvino"]
    assert told["onnx"]["graph"] == {"exporter": "torch.onnx", "opset": 17, "stage": 1}
    assert "graph" not in told["torch"]


@pytest.mark.parametrize(
    ("backend", "dtype", "message"),
    [
        (
            "torch",
            "int8",
            r"torch's dynamic quantization .* cosine of \.876.*openvino with dtype bfloat16",
        ),
        ("openvino", "float16", "backend openvino does not compute in float16 .*take backend torch"),
        ("onnx", "bfloat16", "backend onnx does not compute in bfloat16 .*torch or openvino"),
        ("torch", "float64", "dtype 'float64' is not offered"),
    ],
)
def test_a_precision_that_a_back_end_lacks_is_refused(backend: str, dtype: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        _encoder(TINY, backend=backend, dtype=dtype)


def _scale(weights: Path) -> None:
    """Other weights of the same shape."""
    from safetensors.numpy import load_file, save_file

    found = load_file(weights)
    rng = np.random.default_rng(3)
    changed = {name: rng.permutation(array.ravel()).reshape(array.shape) for name, array in found.items()}
    save_file(changed, weights, metadata={"format": "pt"})
