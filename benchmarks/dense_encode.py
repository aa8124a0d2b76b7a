"""Our encoding, back end by back end, beside plain sentence-transformers on the same texts.

Ours includes tokenising once more to count truncated texts, checking the vectors and writing them to the
store. Loading the model and the first call are no work.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.harness import Bench, Lap, Outcome, Peer

if TYPE_CHECKING:
    from beirkit.retrievers.dense.sentence_transformer import SentenceTransformerEncoder


def make(asked: argparse.Namespace, folder: Path) -> None:
    """Texts of a corpus, or of common words and log-normal lengths."""
    if asked.corpus:
        with Path(asked.corpus).open(encoding="utf-8") as stream:
            rows = [json.loads(line) for _, line in zip(range(asked.texts), stream, strict=False)]
        texts = [f"{row.get('title', '')} {row['text']}".strip() for row in rows]
    else:
        import numpy as np

        rng = np.random.default_rng(1)
        words = ["the", "of", "model", "protein", "cell", "was", "high", "rate", "patients", "gene", "mice"]
        lengths = np.maximum(1, rng.lognormal(np.log(asked.words), 0.4, asked.texts)).astype(int)
        texts = [" ".join(rng.choice(words, length)) for length in lengths]
    (folder / "texts.json").write_text(json.dumps(texts))
    (folder / "model").write_text(str(encoder().located.folder))


def encoder(**options: str) -> SentenceTransformerEncoder:
    """The shipped model, run as the options say; graphs are kept from one round to the next."""
    from beirkit.configs.load import convert, load_retriever
    from beirkit.retrievers.base import Workplace
    from beirkit.retrievers.dense.retriever import DenseOptions
    from beirkit.retrievers.dense.sentence_transformer import SentenceTransformerEncoder

    changed = {**load_retriever("minilm").options, **options}
    graphs = Path(tempfile.gettempdir()) / "beirkit-benchmark-graphs"
    return SentenceTransformerEncoder(
        convert(changed, DenseOptions, path="minilm"), Workplace(device="cpu", cache=graphs)
    )


def ours(backend: str, dtype: str = "float32") -> Peer:
    """Our encoder on one back end."""
    package = {"torch": "beirkit", "onnx": "onnxruntime", "openvino": "openvino"}[backend]
    work = partial(_ours, backend, dtype)
    return Peer(f"beirkit {backend} {dtype}", work, package)


def _ours(backend: str, dtype: str, asked: argparse.Namespace, folder: Path, lap: Lap) -> Outcome:
    """Encode through the store."""
    from beirkit.retrievers.dense.vectors import VectorStore
    from beirkit.retrievers.store import Store

    texts = json.loads((folder / "texts.json").read_text())
    ours = encoder(backend=backend, dtype=dtype)
    ours.encode(texts[:2], "document")
    lap("import")
    vectors = VectorStore(ours, "document", Store(folder / f"store-{len(list(folder.iterdir()))}"))
    block = vectors.block([str(n) for n in range(len(texts))], texts, lambda done=1: None)
    lap("encode")
    return Outcome([row.tolist() for row in block.vectors])


def plain(asked: argparse.Namespace, folder: Path, lap: Lap) -> Outcome:
    """Encode with the library itself."""
    from sentence_transformers import SentenceTransformer

    from beirkit.retrievers.dense.vectors import unit

    texts = json.loads((folder / "texts.json").read_text())
    model = SentenceTransformer((folder / "model").read_text(), device="cpu")
    model.encode(texts[:2])
    lap("import")
    vectors = model.encode(texts, show_progress_bar=False)
    lap("encode")
    return Outcome(unit(vectors).tolist())


def differ(a: list[list[float]], b: list[list[float]]) -> str:
    """Whether the vectors of a text have a cosine below .9999; float32 back ends have .999999."""
    import numpy as np

    cosine = float(np.einsum("nd,nd->n", np.array(a), np.array(b)).min())
    return f"the least cosine is {cosine:.6f}" if cosine < 0.9999 else ""


bench = Bench(
    title="encode texts with all-MiniLM-L6-v2",
    peers=(
        Peer("sentence-transformers", plain, "sentence-transformers"),
        ours("torch"),
        ours("onnx"),
        ours("openvino"),
        ours("openvino", "bfloat16"),
    ),
    make=make,
    options={"--texts": 128, "--words": 120, "--corpus": ""},
    differ=differ,
)
