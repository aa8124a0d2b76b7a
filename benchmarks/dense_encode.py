"""Our encoding beside plain sentence-transformers on the same texts.

Ours includes tokenising once more to count truncated texts, checking the vectors and writing them to the
store. Loading the model and the first call are no work.
"""

from __future__ import annotations

import argparse
import json
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


def encoder() -> SentenceTransformerEncoder:
    """The shipped model."""
    from beirkit.configs.load import convert, load_retriever
    from beirkit.retrievers.base import Workplace
    from beirkit.retrievers.dense.retriever import DenseOptions
    from beirkit.retrievers.dense.sentence_transformer import SentenceTransformerEncoder

    options = convert(load_retriever("minilm").options, DenseOptions, path="minilm")
    return SentenceTransformerEncoder(options, Workplace(device="cpu"))


def ours(asked: argparse.Namespace, folder: Path, lap: Lap) -> Outcome:
    """Encode through the store."""
    from beirkit.retrievers.dense.vectors import VectorStore
    from beirkit.retrievers.store import Store

    texts = json.loads((folder / "texts.json").read_text())
    ours = encoder()
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
    """Whether a component differs by more than the order of additions explains."""
    apart = max(abs(x - y) for one, two in zip(a, b, strict=True) for x, y in zip(one, two, strict=True))
    return f"a component differs by {apart:.1e}" if apart > 1e-5 else ""


bench = Bench(
    title="encode texts with all-MiniLM-L6-v2",
    peers=(Peer("sentence-transformers", plain, "sentence-transformers"), Peer("beirkit", ours)),
    make=make,
    options={"--texts": 128, "--words": 120, "--corpus": ""},
    differ=differ,
)
