"""Lines of large text files, decoded by the thousand; and the two columns many of them have."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from beirkit.corpora.blocks import line_blocks
from beirkit.corpora.errors import DataError
from beirkit.corpora.files import lines as single_lines
from beirkit.corpora.ids import id_problem

_HINT = "each line is an id, a tab and a text"


def text_blocks(path: Path) -> Iterator[tuple[int, list[str]]]:
    r"""The number of a first line, from 1, and the lines from there on, without their ends.

    As in :func:`beirkit.corpora.files.lines`, lines end at ``\n`` only and lose one ``\r`` before it. Each
    is decoded by itself: a thousand at once take twice as long where one of them is not ASCII.

    Raises:
        DataError: the file cannot be read, or a line is not UTF-8; with path and line.
    """
    for number, block in line_blocks(path):
        try:
            last = block[-1].removesuffix(b"\n").decode()
            lines = [line[:-1].decode() for line in block[:-1]] + [last]
        except UnicodeDecodeError:
            for _ in single_lines(path):  # names the line
                pass
            raise
        yield number, [line.removesuffix("\r") for line in lines]


def ids_and_texts(path: Path) -> Iterator[tuple[str, str]]:
    """The rows of a table without header: an id, a tab, and a text that may hold further tabs.

    Blank lines are skipped, and nothing else is: quotes are characters like any other.

    Raises:
        DataError: a line has no tab, or its id cannot be one; with path and line.
    """
    for first, block in text_blocks(path):
        for number, line in enumerate(block, first):
            name, tab, text = line.partition("\t")
            if tab and name and (name.isprintable() or not id_problem(name)):
                yield name, text
            elif line.strip():
                raise DataError(problem_of(name, bool(tab)), path=path, line=number, hint=_HINT)


def problem_of(name: str, separated: bool) -> str:
    """What is wrong with a line that should start with an id and have its columns."""
    return f"the id {name!r} {id_problem(name)}" if separated else "has too few columns"
