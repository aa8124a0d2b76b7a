"""A reader that leaves changes neither what a command writes nor how it exits."""

from __future__ import annotations

import shlex
import subprocess
import sys
from pathlib import Path

import pytest


def cut_short(*words: str) -> tuple[int, str]:
    """The exit code and the messages of a command whose output nobody reads after its first byte."""
    program = "import sys; from beirkit.cli.main import main; sys.exit(main(sys.argv[1:]))"
    command = subprocess.Popen(
        [sys.executable, "-P", "-c", program, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert command.stdout is not None
    assert command.stderr is not None
    command.stdout.read(1)
    command.stdout.close()
    told = command.stderr.read().decode()
    command.stderr.close()
    return command.wait(), told


def test_check_exits_with_1_and_writes_its_files(birds: Path, tmp_path: Path) -> None:
    with (birds / "corpus.jsonl").open("a") as out:
        out.writelines(f'{{"_id": "d{number}"\n' for number in range(20_000))
    accepted = tmp_path / "accepted.jsonl"
    assert cut_short("check", str(birds), "--all", "--junit", str(tmp_path / "junit.xml")) == (1, "")
    assert (tmp_path / "junit.xml").is_file()
    code, told = cut_short("check", str(birds), "--all", "--write-accept", str(accepted))
    assert (code, told.count("written to")) == (0, 1)
    assert len(accepted.read_text().splitlines()) == 1 + 20_000


PROGRAM = "import sys; from beirkit.cli.main import main; sys.exit(main(sys.argv[1:]))"


def test_messages_that_nobody_reads_end_no_conversion(birds: Path, tmp_path: Path) -> None:
    words = [sys.executable, "-P", "-c", PROGRAM, "convert", "beir", str(birds), "--out"]
    place = str(tmp_path / "out")
    command = subprocess.Popen([*words, place], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    assert command.stdout is not None
    command.stdout.close()
    assert command.wait() == 0
    assert (tmp_path / "out" / "manifest.json").is_file()


@pytest.mark.parametrize("closed", ["<&- >&- 2>&-", "2>&-", ">&-"])
def test_outputs_that_are_closed_end_no_conversion(birds: Path, tmp_path: Path, closed: str) -> None:
    words = [sys.executable, "-P", "-c", PROGRAM, "convert", "beir", str(birds), "--out"]
    for place, end in (("open", ""), ("closed", closed)):
        command = f"{shlex.join([*words, str(tmp_path / place)])} {end}"
        assert subprocess.run(command, shell=True, capture_output=True, check=False).returncode == 0
    for name in ("corpus.jsonl", "queries.jsonl", "manifest.json"):
        assert (tmp_path / "closed" / name).read_bytes() == (tmp_path / "open" / name).read_bytes()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no full device")
def test_an_output_that_takes_nothing_is_told_in_one_line(birds: Path) -> None:
    words = [sys.executable, "-P", "-c", PROGRAM, "check", str(birds), "--json"]
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(words, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr == "beirkit: error: the output cannot be written: No space left on device\n"


def test_judgments_that_nobody_reads_are_no_error(tmp_path: Path) -> None:
    source = tmp_path / "qrels.tsv"
    source.write_text("".join(f"query{number}\tdocument\t1\n" for number in range(50_000)))
    assert cut_short("qrels", str(source), "--to", "trec", "-q") == (0, "")
