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
_DIGITS = 16  # of two words
_TENS = 10.0 ** np.arange(_DIGITS + 1)
_WHOLE_WORD = 10**WORD

# Eight characters are looked at as one little-endian number, the last of them in the highest byte.
_ONES = 0x0101010101010101
_ZEROS = np.uint64(ord("0") * _ONES)
_DOTS = np.uint64(ord(".") * _ONES)
_HIGH = np.uint64(0x80 * _ONES)
_BELOW_HIGH = np.uint64(0x7F * _ONES)
_ABOVE_NINE = np.uint64((0x80 - 10) * _ONES)  # what lifts a byte above 9 into its high bit
_BYTE = np.uint64(8)
_FIRST = np.array([(1 << 8 * n) - 1 for n in range(WORD + 1)], dtype=np.uint64)  # masks of n characters
_LAST = ~_FIRST[::-1]

Bytes = npt.NDArray[np.uint8]
Places = npt.NDArray[np.int64]
Words = npt.NDArray[np.uint64]


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
    keys: Words
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

    def texts(self, column: int) -> list[bytes]:
        """Every text of a column that is not wider than the margins of the data."""
        sizes = self.sizes[:, column]
        width = int(sizes.max())
        every = np.ndarray((len(self.data) - width + 1,), f"S{width}", self.data, strides=(1,))
        cells = every[self.starts[:, column]]
        cells.view(np.uint8).reshape(-1, width)[np.arange(width) >= sizes[:, None]] = 0
        texts: list[bytes] = cells.tolist()
        return texts

    def words(self, places: Places) -> Words:
        """``(n,)`` the eight characters from each of these places on."""
        every = np.ndarray((len(self.data) - WORD + 1,), "<u8", self.data, strides=(1,))
        return every[places].astype(np.uint64, copy=False)

    def part(self, column: int, place: int) -> Words:
        """``(n,)`` eight characters of each field from ``place`` on, zeros behind its end."""
        word = self.words(self.starts[:, column] + place)
        return word & _FIRST.take(self.sizes[:, column] - place, mode="clip")


def plain_block(block: bytes, prefix: bytes | None) -> tuple[Block, bytes] | None:
    """The columns of a block, and the prefix of its document ids; nothing where a line of it is not plain.

    Args:
        block: whole lines.
        prefix: that of the blocks before; ``None``: this is the first.
    """
    fields = _fields(block)
    if fields is None or int(fields.sizes[:, 2].max()) > _LONGEST + WORD:
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
    data = np.frombuffer(b"".join((ends_of_lines, block, ends_of_lines)), dtype=np.uint8)
    if not block or data.max() > 126:
        return None
    blank = data <= ord(" ")
    return _at_single_blanks(data, blank, block) or _at_any_blanks(data, blank, block)


def _at_single_blanks(data: Bytes, blank: npt.NDArray[np.bool_], block: bytes) -> _Fields | None:
    """The fields where single blanks stand between them and a line end at once behind the last."""
    last = len(data) - _PAD + (not block.endswith(b"\n"))
    ends = np.flatnonzero(blank[_PAD:last])
    if len(ends) % FIELDS:
        return None
    ends += _PAD
    between = data.take(ends)
    plain = (between == ord(" ")) | (between == ord("\t"))
    plain[FIELDS - 1 :: FIELDS] = between[FIELDS - 1 :: FIELDS] == ord("\n")
    if not plain.all():
        return None
    starts = np.empty_like(ends)
    starts[0] = _PAD
    np.add(ends[:-1], 1, out=starts[1:])
    sizes = np.subtract(ends, starts, out=ends)
    if sizes.min() < 1:
        return None
    return _Fields(data, starts.reshape(-1, FIELDS), sizes.reshape(-1, FIELDS))


def _at_any_blanks(data: Bytes, blank: npt.NDArray[np.bool_], block: bytes) -> _Fields | None:
    """The fields where any number of blanks and carriage returns stand between them."""
    n_lines = block.count(b"\n") + (not block.endswith(b"\n"))
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
    ids = fields.texts(2)
    least, greatest = min(ids), max(ids)
    size = next((i for i, (a, b) in enumerate(zip(least, greatest, strict=False)) if a != b), len(least))
    return least[:size].rstrip(b"0123456789")


def _keys(fields: _Fields, prefix: bytes) -> Words | None:
    sizes = fields.sizes[:, 2]
    if sizes.min() <= len(prefix) or sizes.max() > len(prefix) + WORD or len(prefix) > _LONGEST:
        return None
    for place in range(0, len(prefix), WORD):
        part = prefix[place : place + WORD]
        wanted = np.uint64(int.from_bytes(part, "little"))
        if ((fields.part(2, place) & _FIRST[len(part)]) != wanted).any():
            return None
    return fields.part(2, len(prefix)).byteswap()


def _stretches(fields: _Fields) -> Places:
    """The rows at which another query id stands than in the row before."""
    sizes = fields.sizes[:, 0]
    change = sizes[1:] != sizes[:-1]
    for place in range(0, int(sizes.max()), WORD):
        words = fields.part(0, place)
        change |= words[1:] != words[:-1]
    return np.concatenate(([0], np.flatnonzero(change) + 1))


def _scores(fields: _Fields) -> npt.NDArray[np.float64] | None:
    """The scores as Python's ``float`` reads them; nothing where one is no finite number."""
    if int(fields.sizes[:, 4].max()) > _LONGEST:
        return None
    scores = _decimals(fields)
    if scores is not None:
        return scores
    texts = fields.texts(4)
    try:
        scores = np.fromiter(map(float, texts), np.float64, len(texts))
    except ValueError:
        return None
    return None if b"_" in b"".join(texts) or not np.isfinite(scores).all() else scores


def _decimals(fields: _Fields) -> npt.NDArray[np.float64] | None:
    """Decimals such as ``-12.345``; nothing where there is any other, or one of more than 15 digits or so.

    A whole number below 2^53 divided by a power of ten up to 10^22, both exact, is rounded once, so the
    quotient is the double nearest to the decimal (W. D. Clinger, How to read floating point numbers
    accurately, 1990).
    """
    starts, sizes = fields.starts[:, 4], fields.sizes[:, 4]
    negative = fields.data.take(starts) == ord("-")
    any_negative = bool(negative.any())
    ends = starts + sizes
    if any_negative:
        sizes = sizes - negative
    if sizes.min() < 1 or sizes.max() > _DIGITS:
        return None
    word, behind, dots = _without_dot(_digits(fields, ends, sizes))
    if sizes.max() > WORD:
        front = _digits(fields, ends - WORD, sizes - WORD)
        rest, behind_front, dots_front = _without_dot(front)
        pulled = dots > 0  # the dot stood in the last word: one character of the front moves into its place
        word = np.where(pulled, (word & ~_FIRST[1]) | (front >> _BYTE * np.uint64(WORD - 1)), word)
        front = np.where(pulled, (front << _BYTE) | (_ZEROS & _FIRST[1]), rest)
        behind = np.where(pulled, behind, behind_front + WORD * dots_front)
        dots += dots_front
    if dots.max() > 1 or (sizes - dots < 1).any():
        return None
    whole = _number(word)
    if whole is None:
        return None
    if sizes.max() > WORD:
        thousands = _number(front)
        if thousands is None:
            return None
        whole += thousands * np.uint64(_WHOLE_WORD)
        if (whole >= _EXACT).any():
            return None
    scores = whole.astype(np.float64) / _TENS.take(behind)
    return np.where(negative, -scores, scores) if any_negative else scores


def _digits(fields: _Fields, ends: Places, sizes: Places) -> Words:
    """``(n,)`` the last eight characters before each of ``ends``, zeros before the first of ``sizes``."""
    mask = _LAST.take(sizes, mode="clip")
    return (fields.words(ends - WORD) & mask) | (_ZEROS & ~mask)


def _without_dot(word: Words) -> tuple[Words, Places, Places]:
    """Words whose characters before a dot moved into its place, how many stood behind it, how many dots."""
    odd = word ^ _DOTS  # a byte is 0 where a dot stands, and none is above 127
    dot = (~(odd + _BELOW_HIGH) & _HIGH) >> np.uint64(7)  # 1 in the byte of a dot
    dots = np.bitwise_count(dot).astype(np.int64)
    before = dot - np.uint64(1)  # all bytes where there is no dot
    behind = 7 - np.bitwise_count(before).astype(np.int64) // 8
    moved = ((word & before) << _BYTE) | (_ZEROS & _FIRST[1])
    kept = word & ~(before | (dot << _BYTE) - np.uint64(1))
    return np.where(dots > 0, moved | kept, word), np.where(dots > 0, behind, 0), dots


def _number(word: Words) -> Words | None:
    """The whole numbers that eight digits stand for; nothing where one of them is none."""
    digits = word - _ZEROS
    if (((digits + _ABOVE_NINE) | digits) & _HIGH).any():
        return None
    # Pairs of digits, then of pairs, then of fours: each step multiplies the earlier half and adds the later.
    pairs = digits * np.uint64(10 << 8 | 1) >> _BYTE & np.uint64(0x00FF00FF00FF00FF)
    fours = pairs * np.uint64(100 << 16 | 1) >> np.uint64(16) & np.uint64(0x0000FFFF0000FFFF)
    return fours * np.uint64(10_000 << 32 | 1) >> np.uint64(32)
