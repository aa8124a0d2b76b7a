"""Texts in the batches in which an encoder takes them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt


class Batches:
    """Equal texts once, in batches that depend on the texts and their order alone.

    Args:
        texts: of one block.
        size: texts of a batch.
        lengths: the longest come first, so that texts of similar length are padded together; a text that is
            not in it counts by its characters, and equal lengths keep their order. ``None``: as they come.

    Attributes:
        texts: the batches.
        uses: of each batch, how many of the given texts it stands for.
        rows: ``(len(texts),) intp``, the place of each given text in what the batches give one after another.
    """

    def __init__(self, texts: Sequence[str], size: int, lengths: Mapping[str, int] | None = None) -> None:
        distinct = list(dict.fromkeys(texts))
        if lengths is not None:
            distinct.sort(key=lambda text: lengths.get(text, len(text)), reverse=True)
        places = {text: place for place, text in enumerate(distinct)}
        self.rows: npt.NDArray[np.intp] = np.array([places[text] for text in texts], dtype=np.intp)
        used = np.bincount(self.rows, minlength=len(distinct))
        starts = range(0, len(distinct), size)
        self.texts = [distinct[start : start + size] for start in starts]
        self.uses: list[int] = [int(used[start : start + size].sum()) for start in starts]
