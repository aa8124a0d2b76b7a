"""`beirkit check --fix`: what it prints, what it writes, how it ends."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from beirkit.cli.main import main
from beirkit.corpora.manifest import read_manifest


@pytest.fixture
def broken(birds: Path) -> Path:
    """A folder with two defects that are mended without asking and one that is not."""
    with (birds / "corpus.jsonl").open("a", encoding="utf-8") as file:
        file.write('{"_id": "d1", "title": "Kestrel", "text": "A small falcon that hovers over fields."}\n')
    with (birds / "qrels" / "test.tsv").open("a", encoding="utf-8") as file:
        file.write("q1\td1\t1.0\n")
    return birds


def test_missing_rules_are_listed_and_nothing_is_written(
    broken: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", str(broken), "--fix", "out"]) == 1
    shown = capsys.readouterr().out.splitlines()
    assert shown == [
        "--rule conflicting-grades=max|min|first|last|drop: one pair is judged with different grades, once "
        "(qrels/test.tsv:7: q1/d1 is judged 2 on line 2 and 1 on line 7)",
        "out was not written: give this rule, with one of its choices",
    ]
    assert not (tmp_path / "out").exists()
    assert main(["check", str(broken), "--fix", "out", "--json"]) == 1
    needed = json.loads(capsys.readouterr().out)["needed"]
    assert [(each["rule"], each["count"], each["codes"]) for each in needed] == [
        ("conflicting-grades", 1, ["BK025"])
    ]
    assert needed[0]["choices"]["max"] == "the highest grade stays"


def test_the_copy_is_written_and_checked(
    broken: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["check", str(broken), "--rule", "conflicting-grades=max", "--quiet"]
    assert main([*words, "--fix", "out"]) == 0
    shown = capsys.readouterr().out
    assert "changed BK009 corpus.jsonl:5: 'd1': copy of line 1 left out\n" in shown
    assert "changed BK047 qrels/test.tsv:7: grade such as 2.0 written as a whole number\n" in shown
    assert "changed BK025 qrels/test.tsv:7: 'q1/d1': grade 1 left out: 2 on line 2 stays\n" in shown
    assert "out: written with 3 changes; what remains in it:\n" in shown
    assert "out: 0 errors, 0 warnings" in shown
    assert len(read_manifest(tmp_path / "out").provenance.changes) == 3
    assert main([*words, "--fix", "again", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert [change["code"] for change in data["changes"]] == ["BK009", "BK047", "BK025"]
    assert main(["run", "-d", "out", "-r", "bm25", "--quiet"]) == 0


def test_a_copy_is_replaced_only_when_asked(
    birds: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["check", str(birds), "--fix", "out", "--quiet"]
    assert main(words) == 0
    with (birds / "queries.jsonl").open("a", encoding="utf-8") as file:
        file.write('{"_id": "later", "text": "which bird sings"}\n')
    assert main(words) == 2
    assert "--overwrite" in capsys.readouterr().err
    assert main([*words, "--overwrite"]) == 0
    assert '"later"' in (tmp_path / "out" / "queries.jsonl").read_text()
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "notes.txt").write_text("mine")
    assert main(["check", str(birds), "--fix", "own", "--overwrite"]) == 2
    assert [path.name for path in (tmp_path / "own").iterdir()] == ["notes.txt"]


def test_one_of_several_rules_can_make_another_needless(
    birds: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with (birds / "qrels" / "test.tsv").open("a", encoding="utf-8") as file:
        file.write('"q1"\t"d3"\t1\n')
    assert main(["check", str(birds), "--fix", "out"]) == 1
    shown = capsys.readouterr().out.splitlines()
    assert [line.split("=")[0] for line in shown[:-1]] == [
        "--rule quoted-ids",
        "--rule judged-queries-without-text",
        "--rule orphan-judgments",
    ]
    assert shown[-1] == (
        "out was not written: give these rules, each with one of its choices; "
        "some may turn out not to be needed"
    )
    assert main(["check", str(birds), "--fix", "out", "--rule", "quoted-ids=strip"]) == 0


def test_what_a_rule_keeps_is_told_again(birds: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with (birds / "qrels" / "test.tsv").open("a", encoding="utf-8") as file:
        file.write("q1\td9\t1\n")
    assert main(["check", str(birds), "--fix", "out", "--rule", "orphan-judgments=keep", "--strict"]) == 1
    shown = capsys.readouterr().out
    assert "warning BK026" in shown
    assert "qrels/test.tsv:7" in shown


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--rule", "orphan-judgments=drop"], "--rule is for --fix"),
        (["--overwrite"], "--overwrite is for --fix"),
        (
            ["--fix", "out", "--rule", "orphan-judgments"],
            "rule orphan-judgments needs a choice (orphan-judgments=keep or orphan-judgments=drop)",
        ),
        (["--fix", "out", "--rule", "orphans=drop"], "there is no rule 'orphans'"),
        (["--fix", "out", "--rule", "orphan-judgments=drp"], "has no choice 'drp' (it has: keep, drop)"),
        (["--fix", "birds/out"], "lies in the folder to mend"),
    ],
)
def test_refused(words: list[str], message: str, birds: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(birds), *words]) == 2
    assert message in capsys.readouterr().err
    assert not (birds / "out").exists()
