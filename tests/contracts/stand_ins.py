"""Stand in for models, so that torch stays out of the contracts: a word is a vector or a term of its own."""

from __future__ import annotations

import re
import zlib
from collections.abc import Sequence

import numpy as np

from beirkit.corpora.progress import Advance
from beirkit.retrievers.dense.encoder import Role, Vectors
from beirkit.retrievers.dense.sentence_transformer import SentenceTransformerEncoder
from beirkit.retrievers.late.encoder import LateModel, TokenVectors
from beirkit.retrievers.sparse.encoder import SparseModel
from beirkit.retrievers.sparse.rows import Rows


def word_weights(model: SparseModel, texts: Sequence[str], role: Role, advance: Advance) -> Rows:
    """Stands in for a sparse model: a word is a term of weight 1."""
    rows = [sorted({zlib.crc32(w.encode()) % 30000 for w in re.findall(r"\w+", t.lower())}) for t in texts]
    advance(len(texts))
    terms = np.array([term for row in rows for term in row], dtype=np.int32)
    counts = np.array([len(row) for row in rows], dtype=np.int64)
    return Rows(counts, terms, np.ones(len(terms), dtype=np.float32))


def word_vectors(model: LateModel, texts: Sequence[str], role: Role, advance: Advance) -> TokenVectors:
    """Stands in for a late-interaction model: a word is a vector of its own."""
    words = [[zlib.crc32(word.encode()) % 256 for word in re.findall(r"\w+", t.lower())] for t in texts]
    advance(len(texts))
    counts = np.array([len(row) for row in words], dtype=np.int64)
    numbers = [word for row in words for word in row]
    return TokenVectors(counts, np.eye(256, dtype=np.float32)[numbers], 512, 0)


def bag_of_words(
    encoder: SentenceTransformerEncoder, texts: Sequence[str], role: Role, advance: Advance | None = None
) -> Vectors:
    """Stands in for the model: counts words, so that torch stays out of these tests."""
    vectors = np.zeros((len(texts), 256), dtype=np.float32)
    for row, text in enumerate(texts):
        for word in re.findall(r"\w+", text.lower()):
            vectors[row, zlib.crc32(word.encode()) % 256] += 1
    if advance is not None:
        advance(len(texts))
    return vectors
