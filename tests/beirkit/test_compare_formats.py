"""`beirkit compare` as Markdown, CSV, JSON and LaTeX: exact output of a small table."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest

from beirkit.cli.compare_formats import _text
from beirkit.cli.compare_latex import Column, escape, latex_table
from beirkit.cli.compare_tables import Style
from beirkit.cli.main import main
from beirkit.evaluate.pairs import Comparison

# RR of four queries: base 1 .5 .25 1, its copy the same, better 1 1 1 1.
RANKS = {"base": [1, 2, 4, 1], "copy": [1, 2, 4, 1], "better": [1, 1, 1, 1]}


@pytest.fixture
def words(tmp_path: Path) -> list[str]:
    for name, ranks in RANKS.items():
        text = "".join(
            f"q{q} Q0 {'rel' if rank == at else f'd{rank}'} {rank} {10 - rank}.0 t\n"
            for q, at in enumerate(ranks)
            for rank in range(1, 6)
        )
        (tmp_path / name).write_text(text, encoding="utf-8")
    (tmp_path / "q.qrels").write_text("".join(f"q{q} 0 rel 1\n" for q in range(4)), encoding="utf-8")
    return ["compare", *RANKS, "--qrels", "q.qrels", "-m", "RR", "--samples", "300", "-q"]


def printed(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert main([*words]) == 0
    shown = capsys.readouterr()
    assert shown.err == ""
    return shown.out


def test_csv_is_unrounded_and_has_a_row_for_each_comparison(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    out = printed(capsys, *words, "--format", "csv")
    assert out.startswith(
        "scope,name,measure,queries,system,mean,low,high,rank,rank_low,rank_high,first,compared_with,"
        "difference,difference_low,difference_high,p,p_adjusted,effect_size,detectable,better,same,worse,note\n"
    )
    rows = {row["system"]: row for row in csv.DictReader(io.StringIO(out))}
    assert list(rows) == ["better", "base", "copy"]
    better, copy = rows["better"], rows["copy"]
    assert (better["mean"], better["difference"], better["p"], better["better"]) == (
        "1.0",
        "0.3125",
        "0.5",
        "2",
    )
    assert (copy["p"], copy["note"], copy["first"]) == (
        "1.0",
        "identical per-query scores",
        rows["base"]["first"],
    )
    assert rows["base"]["compared_with"] == ""
    rounded = printed(capsys, *words, "--format", "csv", "--percent", "--decimals", "1")
    rows = {row["system"]: row for row in csv.DictReader(io.StringIO(rounded))}
    assert (rows["better"]["mean"], rows["base"]["mean"], rows["better"]["difference"]) == (
        "100.0",
        "68.8",
        "31.2",
    )


LATEX = r"""\begin{tabular}{llr}
\toprule
 & System & RR \\
\midrule
a & base & \underline{68.8} \\
 & copy & \underline{68.8} \\
 & better & \textbf{100.0} \\
\bottomrule
\end{tabular}
"""


def test_latex_of_a_small_table(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    out = printed(capsys, *words, "--format", "latex", "--percent", "--decimals", "1")
    comments, _, table = out.partition("\\begin")
    assert "\\begin" + table == LATEX
    assert all(line.startswith("% ") for line in comments.splitlines())
    assert "% Protocol: beirkit: self-matches removed where the dataset says so" in comments
    assert "% best bold, second underlined; letters above: significantly better than that system" in comments


def row(system: str, other: str, difference: float, p: float) -> Comparison:
    return Comparison(system=system, other=other, mean=0, difference=difference, p=p, p_adjusted=p)


def test_latex_marks_best_second_and_what_is_significant() -> None:
    rows = [row("B_1", "A & B", 0.1, 0.01), row("C%", "A & B", -0.2, 0.01), row("D", "A & B", 0.1, 0.2)]
    values = {"A & B": 0.50001, "B_1": 0.6, "C%": 0.3, "D": 0.60001}
    columns = [
        Column("fiqa", "nDCG@10", values, rows, 0.05),
        Column("mean of x^2", "AP", {"D": 0.1}, [], 0.05),
    ]
    found = latex_table([*values], columns, ["50 % of\nit"], Style(3))
    assert (
        found
        == r"""% 50 % of it
\begin{tabular}{llrr}
\toprule
 &  & fiqa & mean of x\textasciicircum{}2 \\
 & System & nDCG@10 & AP \\
\midrule
a & A \& B & \underline{0.500} & -- \\
 & B\_1 & \textbf{0.600}$^{a}$ & -- \\
 & C\% & 0.300$_{a}$ & -- \\
 & D & \textbf{0.600} & 0.100 \\
\bottomrule
\end{tabular}
"""
    )


def test_latex_of_every_pair_has_a_letter_for_each_system() -> None:
    rows = [row("B", "A", 0.1, 0.01), row("C", "A", 0.2, 0.01), row("C", "B", 0.1, 0.01)]
    values: dict[str, float | None] = {"A": 0.1, "B": 0.2, "C": 0.3}
    found = latex_table([*values], [Column("", "AP", values, rows, 0.05)], [], Style(1))
    assert found.splitlines()[4:7] == [
        r"a & A & 0.1$_{bc}$ \\",
        r"b & B & \underline{0.2}$^{a}_{c}$ \\",
        r"c & C & \textbf{0.3}$^{ab}$ \\",
    ]


def test_everything_that_latex_reads_is_escaped() -> None:
    assert escape("a\\b{c}_d^e~f$g%h#i&j<k>l|m") == (
        r"a\textbackslash{}b\{c\}\_d\textasciicircum{}e\textasciitilde{}f\$g\%h\#i\&j"
        r"\textless{}k\textgreater{}l\textbar{}m"
    )


def test_markdown_of_a_small_table(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    lines = printed(capsys, *words, "--format", "markdown", "--decimals", "2").splitlines()
    assert lines[0] == "# Comparison"
    assert lines[2] == "- RR: copy is identical to base (identical per-query scores)"
    start = lines.index("## RR over 4 queries")
    assert lines[start + 2 : start + 4] == [
        "| system | rank | mean | 95% interval | ranks | first |",
        "| --- | ---: | ---: | ---: | ---: | ---: |",
    ]
    assert lines[start + 4].startswith("| better | 1 | 1.00 | 1.00 … 1.00 | 1 | ")
    assert "| copy | base | +0.00 | +0.00 … +0.00 | 1.0000 | 1.0000 | +0.00 | 0.00 | 0/4/0 | " in "\n".join(
        lines
    )
    assert lines[-3].startswith("- Intervals: bootstrap, percentile, 95%")
    assert _text("a|b*c_d\n`e`") == "a\\|b\\*c\\_d \\`e\\`"


def test_json_is_the_same_by_both_names_and_never_styled(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*words, "--format", "json", "--percent"]) == 0
    first: Any = json.loads(capsys.readouterr().out)
    assert main([*words, "--json"]) == 0
    second: Any = json.loads(capsys.readouterr().out)
    for found in (first, second):
        del found["verdict"]  # for people, in the style of figures
    assert first == second
    assert first["tables"][0]["rows"][1]["difference"] == 0.3125


def test_what_is_written_depends_on_the_name_of_the_file(
    words: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    starts = {
        "t.csv": "scope,",
        "t.md": "# Comparison",
        "t.tex": "% needs",
        "t.json": "{",
        "t.txt": "RR: copy",
    }
    for name, start in starts.items():
        shown = printed(capsys, *words, "--out", name)
        assert shown.startswith("RR: copy is identical to base")  # the tables are shown all the same
        assert (tmp_path / name).read_text(encoding="utf-8").startswith(start)
    printed(capsys, *words, "--out", "t.txt", "--format", "csv")
    assert (tmp_path / "t.txt").read_text(encoding="utf-8").startswith("scope,")


@pytest.mark.parametrize("option", ["--out", "--markdown", "--junit"])
@pytest.mark.parametrize("name", ["base", "q.qrels"])
def test_nothing_that_is_compared_is_written_over(
    words: list[str], option: str, name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = (tmp_path / name).read_bytes()
    assert main([*words, option, name]) == 2
    assert f"{name}: {option} would write over what is compared" in capsys.readouterr().err
    assert (tmp_path / name).read_bytes() == before


def test_impossible_decimals_are_refused(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*words, "--decimals", "16"]) == 2
    assert "--decimals 16: a whole number from 0 to 15" in capsys.readouterr().err


def test_figures_of_others_are_shown_and_never_tested(
    words: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = {
        "a.json": {"model": "A", "ds": "x", "mrr": 0.4},
        "b.json": {"model": "B", "ds": "x", "RR": 0.7, "note": "theirs"},
        "c.json": {"model": "C", "ds": "x", "map_at_10": 0.3},
        "d.json": {"model": "D", "ds": "x", "MRR": 41.5},
    }
    for name, content in files.items():
        (tmp_path / name).write_text(json.dumps(content), encoding="utf-8")
    stated = [word for name in ("a.json", "b.json", "c.json") for word in ("--stated", name)]
    lines = printed(capsys, *words, *stated, "--format", "markdown", "--percent").splitlines()
    start = lines.index("## Stated elsewhere, not tested")
    assert lines[start + 2 : start + 7] == [
        "| system | dataset | RR |",
        "| --- | --- | ---: |",
        "| B | x | 70.00 |",
        "| A | x | 40.00 |",
        "| C | x | – |",
    ]
    assert main([*words, "--stated", "d.json"]) == 2
    assert "d.json: 41.5 outside 0..1 as the value of MRR (divide by 100" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[1]", "is no JSON object with a model and its values"),
        ("{", "is no JSON"),
        ('{"model": "A", "AP": "0.4"}', "AP is '0.4', no number"),
        ('{"model": "A", "AP": true}', "AP is True, no number"),
        ('{"model": "A", "AP": NaN}', "nan outside 0..1"),
        ('{"model": "A", "AP": 0.4, "map": 0.5}', "has two values of AP: 0.4 and 0.5"),
    ],
)
def test_figures_that_cannot_be_meant_are_refused(
    text: str, said: str, words: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "odd.json").write_text(text, encoding="utf-8")
    assert main([*words, "--stated", "odd.json"]) == 2
    assert f"odd.json: {said}" in capsys.readouterr().err


def test_two_forms_are_not_written_into_one_stream(
    words: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*words, "--json", "--format", "csv"]) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert "--json and --format csv would both be written to standard output" in shown.err
    assert main([*words, "--json", "--format", "csv", "--out", "c.csv"]) == 0
    assert json.loads(capsys.readouterr().out)["tables"]
    assert (tmp_path / "c.csv").read_text(encoding="utf-8").startswith("scope,")
    assert main([*words, "--json", "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["tables"]
