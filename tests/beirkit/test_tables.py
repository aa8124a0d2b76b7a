"""Tables never cut a figure or a heading, in a terminal or in a pipe."""

from __future__ import annotations

import re

import pytest

from beirkit.cli.tables import print_table

COLUMNS = ("system", "training", *(f"R_cap@{10**n}" for n in range(8)), "queries")
ROWS = [
    (
        f"bm25:k1=1.{n},b=0.75",
        "zero-shot",
        *(f"0.{n}{m}45" for m in range(8)),
        "incomplete: 11 of 12, missing android",
    )
    for n in range(3)
]


def shown(capsys: pytest.CaptureFixture[str]) -> str:
    print_table("A table", COLUMNS, ROWS, left=2, fold_last=True)
    return capsys.readouterr().out


def test_a_pipe_has_whole_lines(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    lines = shown(capsys).splitlines()
    heads = next(line for line in lines if "system" in line)
    assert heads.split() == list(COLUMNS)
    assert sum(row[0] in line for row in ROWS for line in lines) == 3
    for row in ROWS:
        [line] = [line for line in lines if row[0] in line]
        assert all(cell in line for cell in row)


@pytest.mark.parametrize("width", [44, 60, 80, 100, 140, 300])
def test_a_terminal_has_every_heading_and_figure_whole(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, width: int
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", str(width))
    text = re.sub(r"\x1b\[[0-9;]*m", "", shown(capsys))
    assert all(len(line) <= width for line in text.splitlines())
    words = text.split()
    for column in COLUMNS[2:]:
        assert words.count(column) == 1
    for row in ROWS:
        assert all(figure in words for figure in row[2:-1])
    assert words.count(COLUMNS[0]) >= 1
    if width >= 60:
        assert all(row[0] in words for row in ROWS)


def test_no_rows_and_no_figures(capsys: pytest.CaptureFixture[str]) -> None:
    print_table("", ("name", "what"), [], left=2)
    assert "name" in capsys.readouterr().out
