"""Small made-up corpora for the tests of lexical retrievers."""

from __future__ import annotations

import numpy as np

from beirkit.corpora.records import Document


def random_documents(seed: int, n: int = 60) -> list[Document]:
    """Titles of up to 4 and texts of up to 25 words ``w0`` … ``w19``, small numbers more often."""
    rng = np.random.default_rng(seed)

    def text(most: int) -> str:
        return " ".join(f"w{int(20 * draw * draw)}" for draw in rng.random(rng.integers(0, most + 1)))

    return [Document(f"d{number}", text(4), text(25)) for number in range(n)]
