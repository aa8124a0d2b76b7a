"""A block of plain lines of a TREC run, taken apart with all lines at once and no text made of any field.

Plain are lines of six fields of printable ASCII whose document ids are a common prefix and at most eight
bytes more; whatever is not is left to the look at each line (:mod:`beirkit.corpora.run_columns`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from beirkit.corpora.packed_ids import WORD

FIELDS = 6
_PAD = 64  # line ends before and after the block, so that a look beside a field stays inside
_LONGEST = 32  # bytes of a query id, a prefix or a score
_EXACT = 1 << 53  # whole numbers below it are exact as doubles
_DIGITS = 18  # that fit into 64 bits
_TENS = 10 ** np.arange(_DIGITS + 1)

Bytes = npt.NDArray[np.uint8]
Places = npt.NDArray[np.int64]


class Block(NamedTuple):
    """The columns of a block of ``n`` lines.

    Attributes:
        query_ids: the query id of each stretch of lines with the same one.
        lengths: ``(len(query_ids),)`` lines of each stretch.
        keys: ``(n,) uint64`` document ids without the prefix, as in :class:`PackedIds`.
        scores: ``(n,) float64`` as Python reads them; finite.
        tag: of the first line.
    """

    query_ids: list[bytes]
    lengths: Places
    keys: npt.NDArray[np.uint64]
    scores: npt.NDArray[np.float64]
    tag: bytes


class _Fields(NamedTuple):
    """Where the fields of a block stand: ``(n, 6)`` first bytes and sizes in ``data``."""

    data: Bytes
    starts: Places
    sizes: Places

    def text(self, row: int, column: int) -> bytes:
        start = int(self.starts[row, column])
        return self.data[start : start + int(self.sizes[row, column])].tobytes()

    def words(self, column: int, place: int) -> npt.NDArray[np.uint64]:
        """``(n,)`` eight bytes of a field from ``place`` on, as a big-endian number, zeros behind its end."""
        every = np.ndarray((len(self.data) - WORD + 1,), f">u{WORD}", self.data, strides=(1,))
        shift = (8 * np.clip(WORD + place - self.sizes[:, column], 0, WORD)).astype(np.uint64)
        word = every[self.starts[:, column] + place].astype(np.uint64)
        return np.where(shift < 64, word >> (shift % 64) << (shift % 64), 0)


def plain_block(block: bytes, prefix: bytes | None) -> tuple[Block, bytes] | None:
    """The columns of a block, and the prefix of its document ids; nothing where a line of it is not plain.

    Args:
        block: whole lines.
        prefix: that of the blocks before; ``None``: this is the first.
    """
    fields = _fields(block)
    if fields is None:
        return None
    if prefix is None:
        prefix = _prefix(fields)
    keys = _keys(fields, prefix)
    if keys is None or int(fields.sizes[:, 0].max()) > _LONGEST:
        return None
    scores = _scores(fields)
    if scores is None:
        return None
    firsts = _stretches(fields)
    query_ids = [fields.text(row, 0) for row in firsts.tolist()]
    lengths = np.diff(np.append(firsts, len(keys)))
    return Block(query_ids, lengths, keys, scores, fields.text(0, 5)), prefix


def _fields(block: bytes) -> _Fields | None:
    ends_of_lines = b"\n" * _PAD
    data = np.frombuffer(ends_of_lines + block + ends_of_lines, dtype=np.uint8)
    n_lines = block.count(b"\n") + (not block.endswith(b"\n"))
    if not block or data.max() > 126:
        return None
    blank = data <= ord(" ")
    odd = np.count_nonzero(data < ord(" ")) - np.count_nonzero(data == ord("\n"))
    if odd and odd != np.count_nonzero((data == ord("\t")) | (data == ord("\r"))):
        return None  # another control character
    edges = np.flatnonzero(blank[1:] != blank[:-1]) + 1
    if len(edges) != 2 * FIELDS * n_lines:
        return None
    starts, ends = edges[0::2].reshape(n_lines, FIELDS), edges[1::2].reshape(n_lines, FIELDS)
    line_ends = np.flatnonzero(data == ord("\n"))[_PAD : _PAD + n_lines]
    if (starts[:, -1] > line_ends).any() or (line_ends[:-1] > starts[1:, 0]).any():
        return None  # six fields a line on the average only
    return _Fields(data, starts, ends - starts)


def _prefix(fields: _Fields) -> bytes:
    """What all document ids start with, less its last digits: they are rather those of numbers."""
    ids = [fields.text(row, 2) for row in range(len(fields.starts))]
    least, greatest = min(ids), max(ids)
    size = next((i for i, (a, b) in enumerate(zip(least, greatest, strict=False)) if a != b), len(least))
    return least[:size].rstrip(b"0123456789")


def _keys(fields: _Fields, prefix: bytes) -> npt.NDArray[np.uint64] | None:
    sizes = fields.sizes[:, 2]
    if sizes.min() <= len(prefix) or sizes.max() > len(prefix) + WORD or len(prefix) > _LONGEST:
        return None
    for place in range(0, len(prefix), WORD):
        part = prefix[place : place + WORD]
        wanted = np.uint64(int.from_bytes(part.ljust(WORD, b"\0"), "big"))
        shift = np.uint64(8 * (WORD - len(part)))
        if (fields.words(2, place) >> shift << shift != wanted).any():
            return None
    return fields.words(2, len(prefix))


def _stretches(fields: _Fields) -> Places:
    """The rows at which another query id stands than in the row before."""
    sizes = fields.sizes[:, 0]
    change = sizes[1:] != sizes[:-1]
    for place in range(0, int(sizes.max()), WORD):
        words = fields.words(0, place)
        change |= words[1:] != words[:-1]
    return np.concatenate(([0], np.flatnonzero(change) + 1))


def _scores(fields: _Fields) -> npt.NDArray[np.float64] | None:
    """The scores as Python's ``float`` reads them; nothing where one is no finite number."""
    sizes = fields.sizes[:, 4]
    width = int(sizes.max())
    if width > _LONGEST:
        return None
    # Ends of lines or other fields stand before the shorter ones: (n, width) bytes, scores to the right.
    every = np.ndarray((len(fields.data) - width + 1,), f"S{width}", fields.data, strides=(1,))
    cells = every[fields.starts[:, 4] + sizes - width].view(np.uint8).reshape(-1, width)
    columns = np.ascontiguousarray(cells.T)
    columns *= np.arange(width)[:, None] >= width - sizes
    scores = _decimals(columns, sizes)
    if scores is not None:
        return scores
    texts = [fields.text(row, 4) for row in range(len(sizes))]
    try:
        scores = np.fromiter(map(float, texts), np.float64, len(texts))
    except ValueError:
        return None
    return None if b"_" in b"".join(texts) or not np.isfinite(scores).all() else scores


def _decimals(columns: Bytes, sizes: Places) -> npt.NDArray[np.float64] | None:
    """Decimals such as ``-12.345``; nothing where there is any other, or one of more than 15 digits or so.

    A whole number below 2^53 divided by a power of ten up to 10^22, both exact, is rounded once, so the
    quotient is the double nearest to the decimal (W. D. Clinger, How to read floating point numbers
    accurately, 1990).

    Args:
        columns: ``(width, n)`` characters, the texts to the right, zeros before them.
        sizes: ``(n,)`` characters of each text.
    """
    width = len(columns)
    if width > _DIGITS:
        return None
    dots, minus = columns == ord("."), columns == ord("-")
    n_dots = dots.sum(axis=0)
    negative = minus.any(axis=0)
    first = columns[width - sizes, np.arange(len(sizes))]
    if (n_dots > 1).any() or (minus.sum(axis=0) > (first == ord("-"))).any():
        return None
    digits = np.where(dots | minus | (columns == 0), ord("0"), columns) - np.uint8(ord("0"))
    if digits.max() > 9 or (sizes - n_dots - negative < 1).any():
        return None
    whole = np.zeros(len(sizes), dtype=np.int64)  # the dot read as a digit 0
    for column in digits:
        whole *= 10
        whole += column
    behind = np.where(n_dots, (dots * np.arange(width - 1, -1, -1)[:, None]).sum(axis=0), 0)
    low = whole % _TENS[behind]
    whole = np.where(n_dots > 0, (whole - low) // 10 + low, whole)
    if (whole >= _EXACT).any():
        return None
    scores = whole / _TENS[behind].astype(np.float64)
    return np.where(negative, -scores, scores)
