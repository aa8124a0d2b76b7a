"""Our encoding beside plain sentence-transformers on the same texts: texts per second, and their ratio.

The two sides run in turn over one loaded model each; ours includes tokenising once more to count truncated
texts, checking the vectors and writing them to the store.

    python -P benchmarks/dense_encode.py --texts 128 --repeats 3
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from pathlib import Path

import numpy as np

from beirkit.configs.load import convert, load_retriever
from beirkit.retrievers.base import Workplace
from beirkit.retrievers.dense.retriever import DenseOptions
from beirkit.retrievers.dense.sentence_transformer import SentenceTransformerEncoder
from beirkit.retrievers.dense.vectors import VectorStore, unit
from beirkit.retrievers.store import Store


def main() -> None:
    """Encode with both sides in turn and print the ratio of the best times."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--texts", type=int, default=128)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--words", type=int, default=120, help="mean length of made-up texts")
    parser.add_argument("--corpus", type=Path, help="corpus.jsonl to take the texts from")
    asked = parser.parse_args()
    texts = from_corpus(asked.corpus, asked.texts) if asked.corpus else made_up(asked.texts, asked.words)

    from sentence_transformers import SentenceTransformer

    options = convert(load_retriever("minilm").options, DenseOptions, path="minilm")
    encoder = SentenceTransformerEncoder(options, Workplace(device="cpu"))
    plain = SentenceTransformer(str(encoder.located.folder), device="cpu")
    encoder.encode(texts[:2], "document")
    plain.encode(texts[:2])

    seconds: dict[str, list[float]] = {"ours": [], "plain": []}
    for _ in range(asked.repeats):
        with tempfile.TemporaryDirectory() as folder:
            vectors = VectorStore(encoder, "document", Store(Path(folder)))
            started = time.perf_counter()
            block = vectors.block([str(n) for n in range(len(texts))], texts, lambda done=1: None)
            seconds["ours"].append(time.perf_counter() - started)
            ours = np.array(block.vectors)
        started = time.perf_counter()
        theirs = plain.encode(texts, show_progress_bar=False)
        seconds["plain"].append(time.perf_counter() - started)
    rates = {side: len(texts) / min(times) for side, times in seconds.items()}
    apart = np.abs(ours - unit(np.asarray(theirs))).max()
    print(
        f"{len(texts)} texts: ours {rates['ours']:.1f}/s, sentence-transformers {rates['plain']:.1f}/s, "
        f"ratio {rates['ours'] / rates['plain']:.3f}; greatest difference of a component {apart:.1e}"
    )


def made_up(n: int, words: int) -> list[str]:
    """Texts of common words, of log-normal lengths."""
    rng = np.random.default_rng(1)
    vocabulary = ["the", "of", "model", "protein", "cell", "was", "high", "rate", "patients", "gene", "mice"]
    lengths = np.maximum(1, rng.lognormal(np.log(words), 0.4, n)).astype(int)
    return [" ".join(rng.choice(vocabulary, length)) for length in lengths]


def from_corpus(path: Path, n: int) -> list[str]:
    """The first texts of a corpus in BEIR's format."""
    with path.open(encoding="utf-8") as stream:
        rows = [json.loads(line) for _, line in zip(range(n), stream, strict=False)]
    return [f"{row.get('title', '')} {row['text']}".strip() for row in rows]


if __name__ == "__main__":
    main()
