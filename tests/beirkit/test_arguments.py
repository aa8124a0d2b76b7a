from __future__ import annotations

from pathlib import Path

import pytest

from beirkit.cli.arguments import expand_lists, key_values
from beirkit.cli.main import COMMANDS, build_parser, main
from beirkit.corpora.errors import UsageError


@pytest.mark.parametrize(
    ("line", "expanded"),
    [
        ("run -d a b -r x y", "run -d a -d b -r x -r y"),
        ("run suite.yaml -k 10", "run suite.yaml -k 10"),
        ("score -m nDCG@10 R@100 run.trec q.tsv", "score -m nDCG@10 -m R@100 run.trec q.tsv"),
        ("score run.trec q.tsv -m P_5 map", "score run.trec q.tsv -m P_5 -m map"),
        ("convert table --set a=1 b=2 raw.csv", "convert table --set a=1 --set b=2 raw.csv"),
        ("check --fix out --rule a=b c=d broken", "check --fix out --rule a=b --rule c=d broken"),
        ("run -d a -- -b c", "run -d a -- -b c"),
        ("qrels a --grades -1=0,0=0 --to trec", "qrels a --grades=-1=0,0=0 --to trec"),
        ("qrels --where -1<grade a", "qrels --where=-1<grade a"),
        ("qrels a -- --grades -1=0", "qrels a -- --grades -1=0"),
        ("compare a b --qrels q c", "compare a b --qrels q c"),
    ],
)
def test_list_options_take_several_values(line: str, expanded: str) -> None:
    assert expand_lists(line.split()) == expanded.split()


def test_values_are_taken_as_they_stand() -> None:
    assert key_values(["queries=50", "seed=01", "empty="]) == {"queries": "50", "seed": "01", "empty": ""}


@pytest.mark.parametrize("word", ["RBP(p=.5)", "RBP(p=.5)@10", "NDGC@10"])
@pytest.mark.parametrize("command", ["score run.trec q.tsv", "compare a b --qrels q", "run -d a -r bm25"])
def test_a_misspelt_measure_among_others_is_the_one_that_is_named(
    command: str,
    word: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("run.trec", "a", "b", "q", "q.tsv"):
        (tmp_path / name).write_text("", encoding="utf-8")
    assert main([*command.split(), "-m", "nDCG@10", word, "R@5"]) == 2
    assert f"error: unknown measure {word!r}" in capsys.readouterr().err


def test_a_file_is_no_measure_whatever_its_name_is_like(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine@10").touch()
    line = ["score", "-m", "nDCG@10", "mine@10", "birds@test"]
    assert expand_lists(line) == line


@pytest.mark.parametrize("pair", ["novalue", "=x"])
def test_a_pair_that_is_none_is_refused(pair: str) -> None:
    with pytest.raises(UsageError, match="key=value"):
        key_values([pair])


def test_a_key_given_twice_is_refused() -> None:
    with pytest.raises(UsageError, match="'queries' is given twice"):
        key_values(["queries=1", "queries=2"])


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        main([command, "--help"])
    assert stop.value.code == 0
    assert f"usage: beirkit {command}" in capsys.readouterr().out


@pytest.mark.parametrize(
    "words", [[], ["no-such-command"], ["run", "--no-such-option"], ["score", "only-one"]]
)
def test_wrong_use_is_exit_code_2(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        main(words)
    assert stop.value.code == 2
    assert "beirkit: error:" in capsys.readouterr().err


def test_a_parser_for_one_command_knows_the_names_of_all() -> None:
    assert build_parser("score").format_help() == build_parser().format_help()


@pytest.mark.parametrize(
    "line",
    [
        "qrels a --where grade=1 --where grade=2",
        "qrels a --out b --out=c",
        "check a --fix b --fix c",
        "compare a b --qrels q --qrels r",
        "score a b --protocol x --protocol x",
    ],
)
def test_an_option_of_one_value_is_given_once(line: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(line.split())
    assert "is given twice, and takes one value" in capsys.readouterr().err


def test_a_parser_reads_one_line_after_the_other() -> None:
    parser = build_parser("qrels")
    for _ in range(2):
        assert parser.parse_args(["qrels", "a", "--out", "b", "--split", "x", "--split", "y"]).out == "b"


def test_what_every_command_has_may_stand_before_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["-q", "--debug", "list", "datasets"]) == 0
    with pytest.raises(SystemExit, match="2"):
        main(["-q"])
    assert "COMMAND" in capsys.readouterr().err
