"""No command prints what a terminal would obey, whatever names, paths and texts of the data hold."""

from __future__ import annotations

import io
import json
import re
import shutil
import sys
from pathlib import Path

import pytest

from beirkit.cli.main import COMMANDS, main
from beirkit.cli.tables import print_table
from beirkit.cli.visible import beneath, json_text, one_line, print_visibly, visible

HOSTILE = "b\x1b[2Ji\u202er\x9b\x07d\u2066s"
OBEYED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
SHOWN = r"b\x1b[2Ji\u202er\x9b\x07d\u2066s"

# Calls that go well where the folders and files of the fixture are there, else say what is wrong with a name.
CALLS: dict[str, list[list[str]]] = {
    "demo": [["demo", HOSTILE]],
    "list": [["list", HOSTILE], ["list", "datasets", "--json"]],
    "fetch": [["fetch", HOSTILE]],
    "convert": [["convert", "beir", "{data}", "--out", f"{HOSTILE} again"], ["convert", HOSTILE, "{data}"]],
    "check": [["check", "{data}"], ["check", "{data}", "--json"], ["check", HOSTILE]],
    "stats": [["stats", "{data}"], ["stats", "{data}", "--json"], ["stats", HOSTILE]],
    "qrels": [
        ["qrels", "{data}/qrels/test.tsv"],
        ["qrels", HOSTILE],
        ["qrels", "{data}", "--split", HOSTILE],
    ],
    "export": [
        ["export", "{results}", "--to", "capsule", "--out", f"{HOSTILE}.zip"],
        ["export", "{data}", "--to", "trec", "--out", f"{HOSTILE} out"],
        ["export", HOSTILE, "--to", HOSTILE, "--out", HOSTILE],
    ],
    "validate": [["validate", "{data}", "--as", "trec"], ["validate", HOSTILE, "--as", HOSTILE]],
    "import": [["import", "{one}", "--out", "imported"], ["import", HOSTILE, "--out", HOSTILE]],
    "replay": [["replay", HOSTILE]],
    "submit": [["submit", "mteb", "{one}", "--dry-run"], ["submit", HOSTILE, HOSTILE, "--dry-run"]],
    "run": [
        ["run", "-d", "{data}", "-r", "{retriever}", "-r", "bm25", "--out", "again"],
        ["run", "-d", "{data}", "-r", "{retriever}", "--out", "again", "--json"],
        ["run", "-d", HOSTILE, "-r", "bm25"],
        ["run", "-d", "{data}", "-r", HOSTILE],
    ],
    "score": [["score", "{run}", "{data}", "--per-query"], ["score", HOSTILE, "{data}"]],
    "compare": [
        ["compare", "{suite}"],
        ["compare", "{suite}", "--json"],
        ["compare", "{suite}", "--format", "csv"],
        ["compare", "{suite}", "--format", "markdown"],
        ["compare", "{suite}", "--format", "latex"],
        ["compare", "{suite}", "--worst", "2", "--overlap", "--costs"],
        ["compare", "{run}", "--qrels", "{data}"],
        ["compare", "{suite}", "--baseline", HOSTILE],
    ],
    "encode": [["encode", "-d", "{data}", "-r", "{retriever}", "--out", HOSTILE]],
    "fuse": [["fuse", "{run}", "{run}", "--out", f"{HOSTILE}.trec"], ["fuse", "{run}", HOSTILE]],
    "verify": [["verify", "{suite}"], ["verify", "{one}"], ["verify", HOSTILE]],
    "show": [["show", "{suite}"], ["show", "{suite}", "--json"], ["show", "{suite}", HOSTILE]],
    "leaderboard": [
        ["leaderboard", "{results}", "--out", f"{HOSTILE} site"],
        ["leaderboard", "{results}", "--out", f"{HOSTILE} json", "--json"],
        ["leaderboard", HOSTILE],
        ["leaderboard", "{results}", "--suite", HOSTILE],
    ],
    "report": [["report", "{suite}", "--out", f"{HOSTILE}.html"], ["report", HOSTILE]],
    "explain": [
        ["explain", "{one}", "--published", "0.9", "--note", HOSTILE],
        ["explain", "{one}", "--published", "0.9", "--json"],
        ["explain", HOSTILE],
    ],
    "pool": [["pool", "{data}", "{run}", "--out", f"{HOSTILE}.tsv"], ["pool", HOSTILE, "--out", "p.tsv"]],
    "spans": [["spans", "{run}", "{data}"], ["spans", HOSTILE, HOSTILE]],
    "answers": [["answers", "{data}", HOSTILE]],
    "attribution": [["attribution", "score", "{data}", HOSTILE], ["attribution", HOSTILE]],
    "overlap": [["overlap", "{data}", "{data}/queries.jsonl"], ["overlap", "{data}", HOSTILE]],
    "cite": [["cite", "{one}"], ["cite", "{one}", "--bibtex"], ["cite", HOSTILE]],
    "collect": [["collect", "{data}", HOSTILE]],
    "equivalents": [["equivalents", HOSTILE, HOSTILE]],
    "providers": [["providers", "{data}", HOSTILE]],
    "analyze": [["analyze", HOSTILE], ["analyze", "-r", HOSTILE, "a text"]],
    "cache": [["cache"], ["cache", "--kind", HOSTILE]],
    "warmup": [["warmup", HOSTILE]],
    "version": [["version"], ["version", HOSTILE]],
}


@pytest.fixture
def places(birds: Path, tmp_path: Path) -> dict[str, str]:
    """A dataset, a retriever and results with names that a terminal would obey, and texts alike."""
    data = birds.rename(tmp_path / HOSTILE)
    queries = data / "queries.jsonl"
    queries.write_text(queries.read_text().replace("falcon", json.dumps(f"falcon {HOSTILE}")[1:-1]))
    retriever = tmp_path / f"{HOSTILE}.yaml"
    retriever.write_text(json.dumps({"name": HOSTILE, "kind": "bm25", "options": {"k1": 1.9}}))
    words = ["run", "-d", str(data), "-r", "bm25", "-r", str(retriever), "--out", "results"]
    assert main([*words, "-q"]) == 0
    [suite] = (tmp_path / "results").glob("*.json")
    (tmp_path / "results" / f"{HOSTILE}.txt").write_text("no result")
    found = sorted((tmp_path / "results").glob("*/*/manifest.json"))
    assert len(found) == 2
    run = shutil.copy(next(found[0].parent.glob("run.*")), tmp_path / f"{HOSTILE}.trec.gz")
    return {
        "data": str(data),
        "retriever": str(retriever),
        "results": str(suite.parent),
        "suite": str(suite),
        "one": str(found[0].parent),
        "run": str(run),
    }


def test_every_command_is_called() -> None:
    assert set(CALLS) == set(COMMANDS)


@pytest.mark.parametrize("command", CALLS)
def test_nothing_that_is_printed_is_obeyed(
    command: str, places: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    capsys.readouterr()
    for words in CALLS[command]:
        given = [re.sub(r"\{(\w+)\}", lambda found: places[found[1]], word) for word in words]
        try:
            code = main(given)
        except SystemExit as stop:
            code = int(str(stop.code))
        told = "".join(capsys.readouterr())
        assert told, words
        assert not OBEYED.search(told), words
        assert code in (0, 1, 2)


def test_names_are_shown_and_not_left_out(places: dict[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    assert main(["run", "-d", places["data"], "-r", places["retriever"]]) == 0
    assert SHOWN in capsys.readouterr().out
    assert main(["leaderboard", places["results"], "--samples", "20"]) == 0
    assert f"Not shown: {places['results']}/{SHOWN}.txt" in capsys.readouterr().err
    assert main(["show", str(tmp := Path(HOSTILE + "\nbeirkit: error: all is lost"))]) == 2
    assert capsys.readouterr().err.count("\n") == 1, tmp


def test_judgments_are_whole_in_a_pipe_and_shown_at_a_terminal(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    judged = tmp_path / "qrels.tsv"
    judged.write_text("q\u202e1\td1\t1\n", encoding="utf-8")
    assert main(["qrels", str(judged), "--to", "trec", "-q"]) == 0
    assert capfd.readouterr().out == "q\u202e1 0 d1 1\n"
    monkeypatch.setattr(beneath(sys.stdout), "isatty", lambda: True, raising=False)
    assert main(["qrels", str(judged), "--to", "trec", "-q"]) == 0
    assert capfd.readouterr().out == "q\\u202e1 0 d1 1\n"


def test_what_a_terminal_obeys_is_written_out() -> None:
    assert visible(HOSTILE) == SHOWN
    assert visible("a\rb\x00\x7f\u2028\ud800") == r"a\rb\x00\x7f\u2028\ud800"
    assert (
        visible("line\n\ttab, kötü, 日本, עברית, 👩\u200d🔬") == "line\n\ttab, kötü, 日本, עברית, 👩\u200d🔬"
    )
    assert one_line("a\nb") == r"a\nb"
    data = {HOSTILE: [f"\ud800 {HOSTILE}", "é", 0.5]}
    assert not OBEYED.search(json_text(data))
    assert json.loads(json_text(data)) == json.loads(json_text(data, ascii_only=True)) == data


def test_tables_keep_their_own_style_at_a_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    print_visibly()
    monkeypatch.setenv("FORCE_COLOR", "1")
    print_table("Title", ["system"], [[HOSTILE]])
    told = capsys.readouterr().out
    assert told.startswith("\x1b[1mTitle\x1b[0m")
    assert not OBEYED.search(re.sub(r"\x1b\[[0-9;]*m", "", told))
    assert SHOWN in told


def test_bars_of_other_libraries_stay_on_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    told = io.StringIO()
    monkeypatch.setattr(sys, "stderr", told)
    monkeypatch.setattr(sys, "stdout", io.StringIO())
    print_visibly()
    sys.stderr.write(f"\rmodel: 10% {HOSTILE}\rnext")
    assert told.getvalue() == f"\rmodel: 10% {SHOWN}\\rnext"
