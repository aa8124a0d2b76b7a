"""Tables for people: no figure and no heading is ever cut, however narrow the terminal is."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from beirkit.cli.visible import beneath, one_line, visible

if TYPE_CHECKING:
    from rich.table import Table

_FILE = 160  # characters of a line in a file or pipe, where more is not needed
_GAP = 3  # between two columns
_FOLDED = 30  # a column of words that is folded needs no more


def print_table(
    title: str,
    columns: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    left: int = 1,
    fold_last: bool = False,
    to_stderr: bool = False,
) -> None:
    """Print a table; the first ``left`` columns are words, the others figures.

    What is wider than the terminal is printed in several parts, each with the columns of words; a file or a
    pipe gets lines as long as they are. With ``fold_last`` the last column may hold words too, which are
    broken into lines.
    """
    from rich.console import Console

    title, columns, *rows = visible(title), *([one_line(cell) for cell in row] for row in (columns, *rows))

    class _Console(Console):
        def on_broken_pipe(self) -> None:
            """Leave it to the command line, which knows that this is no failure."""
            raise BrokenPipeError

    stream = beneath(sys.stderr if to_stderr else sys.stdout)  # it styles lines by commands of its own
    console = _Console(file=stream, highlight=False, markup=False, emoji=False)
    widths = _widths(columns, rows)
    figures = range(left, len(columns))
    parts = [list(figures)]
    if console.is_terminal:
        parts = list(_parts(widths, left, fold_last, console.width))
    else:
        console.width = max(console.width, _FILE, sum(widths) + _GAP * len(widths))
    if title:
        console.print(title, style="bold", soft_wrap=True)
    for part in parts:
        shown = [*range(left), *part]
        console.print(_table(columns, rows, shown, widths, left, fold_last, console.width))


def _widths(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> list[int]:
    """Cells that each column takes when nothing is folded."""
    from rich.cells import cell_len

    return [
        max(cell_len(text) for text in (column, *(row[place] for row in rows)))
        for place, column in enumerate(columns)
    ]


def _parts(widths: Sequence[int], left: int, fold_last: bool, room: int) -> Iterator[list[int]]:
    """The columns of figures, as many together as fit beside the columns of words; one at least."""
    last = len(widths) - 1
    words = sum(width if place == 0 else min(width, _FOLDED) for place, width in enumerate(widths[:left]))
    free = room - words - _GAP * left
    part: list[int] = []
    taken = 0
    for place in range(left, len(widths)):
        width = min(widths[place], _FOLDED) if fold_last and place == last else widths[place]
        if part and taken + width + _GAP > free:
            yield part
            part, taken = [], 0
        part.append(place)
        taken += width + _GAP
    yield part


def _table(
    columns: Sequence[str],
    rows: Sequence[Sequence[str]],
    shown: Sequence[int],
    widths: Sequence[int],
    left: int,
    fold_last: bool,
    room: int,
) -> Table:
    from rich import box
    from rich.table import Table

    narrow = sum(min(widths[place], _FOLDED) if 0 < place < left else widths[place] for place in shown)
    fits = narrow + _GAP * len(shown) <= room
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for place in shown:
        folds = (fold_last and place == len(columns) - 1) or 0 < place < left or (place == 0 and not fits)
        table.add_column(
            columns[place],
            justify="left" if place < left else "right",
            no_wrap=not folds,  # a name is copied, a figure is read at once
            overflow="fold",
            min_width=None if folds else widths[place],
        )
    for row in rows:
        table.add_row(*(row[place] for place in shown))
    return table
