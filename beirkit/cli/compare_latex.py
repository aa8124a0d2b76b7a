"""A LaTeX table of systems by dataset and measure: best bold, second underlined, significance by letters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from string import ascii_lowercase
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from beirkit.cli.compare_tables import Style
    from beirkit.evaluate.pairs import Comparison

_ESCAPED = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{",
    "}": r"\}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}",
    ">": r"\textgreater{}", "|": r"\textbar{}", '"': r"\textquotedbl{}",
}  # fmt: skip


@dataclass(frozen=True)
class Column:
    """One measure on one dataset, or its mean over a suite.

    Attributes:
        group: the dataset or suite; empty where there is only one.
        head: the measure.
        values: of each system; None: it has none.
        rows: the comparisons, of which the separable ones are marked.
        level: of their tests.
    """

    group: str
    head: str
    values: Mapping[str, float | None]
    rows: Sequence[Comparison]
    level: float


def latex_table(systems: Sequence[str], columns: Sequence[Column], notes: Sequence[str], style: Style) -> str:
    """A ``tabular`` that needs the package booktabs.

    Best and second are those of the figures as shown, so equal figures look alike. A system that others are
    compared with has a letter; a superscript names those that a figure is significantly better than, a
    subscript those it is significantly worse than.

    Args:
        systems: the rows.
        columns: what stands in them.
        notes: what must be known to read the table, written as comments.
        style: of the figures.
    """
    others = {row.other for column in columns for row in column.rows}
    both = {row.system for column in columns for row in column.rows} & others
    marked = [name for name in systems if name in others or (both and name in _compared(columns))]
    letter = {name: _letter(place) for place, name in enumerate(marked)}
    lines = [f"% {_comment(note)}" for note in notes]
    lines += [f"\\begin{{tabular}}{{ll{'r' * len(columns)}}}", "\\toprule"]
    if any(column.group for column in columns):
        lines.append(_row(["", "", *(escape(column.group) for column in columns)]))
    lines += [_row(["", "System", *(escape(column.head) for column in columns)]), "\\midrule"]
    cells = [_cells(column, systems, letter, style) for column in columns]
    for place, name in enumerate(systems):
        lines.append(_row([letter.get(name, ""), escape(name), *(column[place] for column in cells)]))
    return "\n".join([*lines, "\\bottomrule", "\\end{tabular}", ""])


def escape(text: str) -> str:
    """Text that LaTeX prints as it stands."""
    return "".join(_ESCAPED.get(char, char) for char in " ".join(text.split()))


def _cells(column: Column, systems: Sequence[str], letter: dict[str, str], style: Style) -> list[str]:
    shown = {name: style.figure(value) for name, value in column.values.items() if value is not None}
    best = sorted({float(text) for text in shown.values()}, reverse=True)
    found = []
    for name in systems:
        if name not in shown:
            found.append("--")
            continue
        text = shown[name].replace("-", "$-$")
        place = best.index(float(shown[name])) if len(shown) > 1 else 2
        text = f"\\textbf{{{text}}}" if place == 0 else f"\\underline{{{text}}}" if place == 1 else text
        found.append(text + _marks(name, column, letter))
    return found


def _marks(name: str, column: Column, letter: dict[str, str]) -> str:
    better: list[str] = []
    worse: list[str] = []
    for row in column.rows:
        if not row.separable(column.level) or name not in (row.system, row.other):
            continue
        other = row.other if name == row.system else row.system
        ahead = (row.difference > 0) == (name == row.system)
        if other in letter:
            (better if ahead else worse).append(letter[other])
    marks = (f"^{{{''.join(sorted(better))}}}" if better else "") + (
        f"_{{{''.join(sorted(worse))}}}" if worse else ""
    )
    return f"${marks}$" if marks else ""


def _compared(columns: Sequence[Column]) -> set[str]:
    return {name for column in columns for row in column.rows for name in (row.system, row.other)}


def _letter(place: int) -> str:
    """Letters in order: a to z, then aa, ab, and so on."""
    first, last = divmod(place, len(ascii_lowercase))
    return (ascii_lowercase[first - 1] if first else "") + ascii_lowercase[last]


def _comment(text: str) -> str:
    return " ".join(text.split())


def _row(cells: Sequence[str]) -> str:
    return " & ".join(cells) + r" \\"
