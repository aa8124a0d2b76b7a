"""Changes to sound files that find what their readers did not think of; equal seeds give equal changes."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence

TOKENS = [
    *(b"\0", b"\xff\xfe", b"\xef\xbb\xbf", b"\xed\xa0\x80", b"\xff", b"\xc2", "\u2028\x85\u00a0".encode()),
    *(b"\n", b"\r", b"\r\n", b"\t", b" ", b"\x0b", b'"', b"'", b",", b"\\", b"\\ud800", b"\\u0000", b"#"),
    *(b"NaN", b"nan", b"-inf", b"Infinity", b"1e999", b"-1", b"0", b"-0", b"1_0", b"0x1f", b"1.5", b"007"),
    *(b"2147483648", b"-2147483649", b"18446744073709551616", b"9" * 5000, b"0." + b"1" * 400, b"1e-400"),
    *(
        b"null",
        b"true",
        b"false",
        b"{",
        b"}",
        b"[",
        b"]",
        b":",
        b"{}",
        b"[]",
        b'""',
        b"[" * 3000,
        b"{" * 3000,
    ),
    *(
        b'{"a":' * 2000,
        b"&a [*a]",
        b"*a",
        b"<<: ",
        b"!!python/object:os.system",
        b"---\n",
        b"...",
        b"? ",
        b"- ",
    ),
    *(b"2026-01-01", b"1:30", b"!!binary |", b"%YAML 9.9\n", b"|", b">", b"@", b"/", b"..", b"(", b")", b"="),
]


def mutated(draw: random.Random, seeds: Sequence[bytes], tokens: Sequence[bytes] = ()) -> bytes:
    """A seed after one change, sometimes a few; now and then mere noise."""
    if draw.random() < 0.02:
        return draw.randbytes(draw.randrange(200))
    data = draw.choice(seeds)
    for _ in range(draw.choice((1, 1, 1, 1, 2, 4))):
        data = draw.choice(_CHANGES)(draw, data, seeds, [*TOKENS, *tokens])
    return data


Change = Callable[[random.Random, bytes, Sequence[bytes], Sequence[bytes]], bytes]


def _slice(draw: random.Random, data: bytes, longest: int = 64) -> tuple[int, int]:
    start = draw.randrange(len(data) + 1)
    return start, min(len(data), start + draw.randrange(1, longest))


def _flip(draw: random.Random, data: bytes, seeds: Sequence[bytes], tokens: Sequence[bytes]) -> bytes:
    if not data:
        return data
    place = draw.randrange(len(data))
    return data[:place] + bytes([data[place] ^ 1 << draw.randrange(8)]) + data[place + 1 :]


def _insert(draw: random.Random, data: bytes, seeds: Sequence[bytes], tokens: Sequence[bytes]) -> bytes:
    place = draw.randrange(len(data) + 1)
    return data[:place] + draw.choice(tokens) + data[place:]


def _replace(draw: random.Random, data: bytes, seeds: Sequence[bytes], tokens: Sequence[bytes]) -> bytes:
    start, end = _slice(draw, data, 12)
    return data[:start] + draw.choice(tokens) + data[end:]


def _delete(draw: random.Random, data: bytes, seeds: Sequence[bytes], tokens: Sequence[bytes]) -> bytes:
    start, end = _slice(draw, data)
    return data[:start] + data[end:]


def _repeat(draw: random.Random, data: bytes, seeds: Sequence[bytes], tokens: Sequence[bytes]) -> bytes:
    start, end = _slice(draw, data)
    return data[:end] + data[start:end] * draw.choice((1, 1, 2, 40)) + data[end:]


def _cut(draw: random.Random, data: bytes, seeds: Sequence[bytes], tokens: Sequence[bytes]) -> bytes:
    return data[: draw.randrange(len(data) + 1)]


def _splice(draw: random.Random, data: bytes, seeds: Sequence[bytes], tokens: Sequence[bytes]) -> bytes:
    other = draw.choice(seeds)
    return data[: draw.randrange(len(data) + 1)] + other[draw.randrange(len(other) + 1) :]


def _shuffle(draw: random.Random, data: bytes, seeds: Sequence[bytes], tokens: Sequence[bytes]) -> bytes:
    lines = data.splitlines(keepends=True)
    draw.shuffle(lines)
    return b"".join(lines)


def _word(draw: random.Random, data: bytes, seeds: Sequence[bytes], tokens: Sequence[bytes]) -> bytes:
    """Another word in the place of one: mostly still a sound file."""
    words = list(re.finditer(rb"[0-9A-Za-z.-]+", data))
    if not words:
        return data
    start, end = draw.choice(words).span()
    return data[:start] + draw.choice(_WORDS).encode() + data[end:]


_WORDS = [
    *("a", "q1", "q2", "d1", "d2", "", "0", "1", "-1", "2.0", "7", "x" * 300, "_id", "true"),
    *("\u00e9", "e\u0301", "\u2028", "\U0001f600", "a b"),
]
_CHANGES: list[Change] = [
    *(
        _word,
        _word,
        _word,
        _word,
        _flip,
        _insert,
        _replace,
        _replace,
        _delete,
        _repeat,
        _cut,
        _splice,
        _shuffle,
    )
]
