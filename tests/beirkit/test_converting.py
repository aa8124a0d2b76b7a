"""Conversions from the command line: what is refused, what is told, and what the next command is."""

from __future__ import annotations

import logging
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest
import yaml

from beirkit.cli.main import main
from beirkit.configs.load import load_dataset, load_yaml, names
from beirkit.converters import catalog
from beirkit.corpora.check_written import WrittenCheck
from beirkit.corpora.whole import whole_folder
from beirkit.datasets import find_dataset
from beirkit.facts import differences_of
from beirkit.home import built_folder

FACTS = {
    "name": "mine",
    "title": "Mine",
    "format": "beir",
    "task": "entity retrieval",
    "domain": "birds",
    "language": "en",
    "reported_split": "test",
    "measures": ["R@3"],
    "family": "mine",
    "licence": "CC0",
}
GRADED = "label\tq\tp\n1\twhat flies\ta kestrel\nyes\twhat swims\ta pike\n"


def own_yaml(folder: Path, **facts: object) -> str:
    path = folder / "my.yaml"
    path.write_text(yaml.safe_dump({**FACTS, **facts}), encoding="utf-8")
    return str(path)


def test_keys_of_a_mapping_are_text_as_written() -> None:
    assert load_yaml("{1: 4, yes: 1, no: 0, 0x10: a, 1.50: b, null: c}") == {
        "1": 4, "yes": 1, "no": 0, "0x10": "a", "1.50": "b", "null": "c",
    }  # fmt: skip
    assert load_yaml("base: &b {1: 2}\nother: {<<: *b, 3: 4}") == {
        "base": {"1": 2},
        "other": {"1": 2, "3": 4},
    }


def test_grades_of_a_yaml_file_are_those_of_its_labels(tmp_path: Path) -> None:
    (tmp_path / "t.tsv").write_text(GRADED, encoding="utf-8")
    path = tmp_path / "my.yaml"
    facts = {**FACTS, "format": "table", "options": {"question": "q", "positive": "p", "grade": "label"}}
    path.write_text(
        yaml.safe_dump(facts).replace("  grade:", "  grades: {1: 4, yes: 1}\n  grade:"), encoding="utf-8"
    )
    assert main(["convert", str(path), str(tmp_path / "t.tsv"), "--no-check"]) == 0
    grades = [judgment.relevance for judgment in find_dataset("mine").open().judgments("test")]
    assert sorted(grades) == [1, 4]


@pytest.mark.parametrize(
    ("facts", "told"),
    [
        ({"format": "smart", "options": {"grades": {"1": "four"}}}, "my.yaml: `options`: grades.1 is 'four'"),
        ({"format": "smart", "options": {"doc_column": "x"}}, "my.yaml: `options`: Expected `int`"),
        ({"options": {"folders": "x"}}, "my.yaml: `options`: there is no option 'folders' (did you mean"),
        ({"format": "bier"}, "my.yaml: `format` is 'bier', which is no format (did you mean 'beir'"),
        (
            {"published": [{"kind": "beir", "url": "https://a.example/a.zip", "sha256": "abc"}]},
            "my.yaml: `sha256` is 'abc', not 64 hexadecimal digits at `published[0]`",
        ),
    ],
)
def test_what_is_wrong_in_a_yaml_file_is_told_with_file_and_key(
    tmp_path: Path, birds: Path, capsys: pytest.CaptureFixture[str], facts: dict[str, object], told: str
) -> None:
    assert main(["convert", own_yaml(tmp_path, **facts), str(birds)]) == 2
    assert told in capsys.readouterr().err


def test_who_stops_the_check_learns_that_only_the_check_is_missing(
    birds: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def stopped(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(WrittenCheck, "findings", stopped)
    assert main(["convert", "beir", str(birds), "--out", "out"]) == 130
    told = capsys.readouterr().err
    assert "out is written whole, only its check is missing: beirkit check out" in told
    assert "goes on" not in told
    assert main(["convert", "beir", str(birds), "--out", "out"]) == 2
    assert "out: is there already, and whole (look at it with: beirkit check out; " in capsys.readouterr().err


@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP"])
def test_a_request_to_end_cleans_up_as_ctrl_c_does(name: str) -> None:
    code = (
        "import os, signal, sys, time\n"
        f"signal.signal(signal.{name}, signal.SIG_DFL)\n"  # the tests themselves may run under nohup
        "from beirkit.cli import main\n"
        "import beirkit.cli.version as version\n"
        "def execute(args):\n"
        "    try:\n"
        "        os.write(1, b'ready\\n')\n"
        "        time.sleep(60)\n"
        "    finally:\n"
        "        print('cleaned up', flush=True)\n"
        "version.execute = execute\n"
        "sys.exit(main.main(['version']))\n"
    )
    process = subprocess.Popen([sys.executable, "-P", "-c", code], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    process.send_signal(getattr(signal, name))
    out, _ = process.communicate(timeout=60)
    assert (out, process.returncode) == ("cleaned up\n", 130)


@pytest.mark.parametrize(
    "words",
    [
        ["beir", "RAW", "--out", "x"],
        ["beir", "--out", "x", "RAW"],
        ["beir", "--out", "x", "--gzip", "RAW"],
        ["--out", "x", "beir", "--set", "repair=true", "RAW"],
        ["beir", "--out", "x", "--", "RAW"],
    ],
)
def test_files_may_stand_behind_options(birds: Path, words: list[str]) -> None:
    assert main(["convert", *(str(birds) if word == "RAW" else word for word in words)]) == 0
    assert find_dataset("x").folder == Path("x")


def test_too_many_files_are_refused_still(birds: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["convert", "beir", str(birds), "--out", "x", "another"])
    assert "unrecognized arguments: another" in capsys.readouterr().err


def test_the_next_command_names_what_was_written(birds: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["convert", "beir", str(birds), "--out", "heq"]) == 0
    assert "next: beirkit run -d ./heq -r bm25" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("language", "retriever"),
    [
        ("en-GB", "bm25"),
        ("he", "bm25-hebrew"),
        ("de", "bm25:language=auto"),
        ("mi", "bm25-multilingual"),
        ("und", "bm25:language=auto"),
    ],
)
def test_the_next_command_runs_a_retriever_for_the_language(
    language: str, retriever: str, tmp_path: Path, birds: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    facts = own_yaml(tmp_path, language=language)
    assert main(["convert", facts, str(birds)]) == 0
    step = capsys.readouterr().err.partition("next: beirkit ")[2].split()
    assert step == ["run", "-d", facts, "-r", retriever]
    assert main([*step, "--out", str(tmp_path / "results")]) == 0
    assert "and the dataset's language is" not in capsys.readouterr().err


def test_a_dataset_of_one_s_own_is_known_by_file_by_name_and_by_folder(
    tmp_path: Path, birds: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    facts = own_yaml(tmp_path)
    assert main(["convert", facts, str(birds)]) == 0
    assert f"next: beirkit run -d {facts} -r bm25" in capsys.readouterr().err
    assert main(["convert", facts, str(birds), "--out", "elsewhere"]) == 0
    Path(facts).unlink()
    for called in ("mine", str(built_folder("mine")), "elsewhere"):
        config = find_dataset(called).config
        assert config is not None
        assert (config.reported_split, config.measures) == ("test", ["R@3"])
    for command in (["stats", "mine"], ["check", "mine"], ["export", "mine", "--to", "jsonl", "--out", "e"]):
        assert main(command) == 0


def test_files_and_checks_of_a_yaml_file_find_its_folder(tmp_path: Path, birds: Path) -> None:
    facts = own_yaml(tmp_path)
    assert main(["convert", facts, str(birds)]) == 0
    assert main(["stats", facts]) == main(["check", facts]) == 0


def test_another_folder_of_the_name_is_not_the_dataset(tmp_path: Path, birds: Path) -> None:
    assert main(["convert", own_yaml(tmp_path, name="birds"), str(birds)]) == 0
    assert main(["convert", "beir", str(birds), "--out", "copy"]) == 0
    assert find_dataset("copy").config is None


def test_what_is_not_published_is_converted_from_the_file_that_was_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    facts = own_yaml(tmp_path)
    assert main(["fetch", facts]) == 2
    assert f"beirkit convert {facts} RAW" in capsys.readouterr().err


def test_passages_that_could_have_no_judgment_are_refused(
    birds: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for judgments in ("contains", "overlap"):
        rules = f"size=10,judgments={judgments}"
        assert main(["convert", "beir", str(birds), "--out", "x", "--passages", rules]) == 2
        assert "no query has any (use judgments=document)" in capsys.readouterr().err
        assert not Path("x").exists()


def test_spans_that_a_format_has_are_asked_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    raw = next(Path(__file__).parents[1].glob("fixtures/squad*/raw*"))
    words = ["convert", "squad", str(raw), "--out", "x", "--passages", "size=50,judgments=contains"]
    assert main(words) == 2
    assert "no query has any (add --set spans=true)" in capsys.readouterr().err
    assert main([*words, "--set", "spans=true"]) == 0


def test_a_conversion_without_any_judgment_says_so_and_recommends_nothing(
    birds: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (birds / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\n", encoding="utf-8")
    assert main(["convert", "beir", str(birds), "--out", "x", "--no-check"]) == 0
    told = capsys.readouterr().err
    assert "warning: x holds no judgment: nothing can be scored with it" in told
    assert "next:" not in told


def test_a_rule_for_passages_lists_its_values(birds: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["convert", "beir", str(birds), "--out", "x", "--passages", "size=9,unit=chars"]) == 2
    assert "unit is one of: characters, words" in capsys.readouterr().err


def test_differences_are_told_where_they_apply() -> None:
    fiqa = load_dataset("fiqa")
    assert len(differences_of(fiqa, {})) == 1
    assert differences_of(fiqa, {"splits": "qrels"}) == []
    covid = load_dataset("trec-covid")
    assert len(differences_of(covid, {"dedupe": "cord_uid"})) == 2
    assert len(differences_of(covid, {"dedupe": "cord_uid", "without_documents": True})) == 1
    assert len(differences_of(covid, {"dedupe": "title"})) == 1


@pytest.mark.parametrize("name", names("datasets"))
def test_what_does_away_with_a_difference_is_an_option_of_the_format(name: str) -> None:
    config = load_dataset(name)
    known = {field.name for field in msgspec.structs.fields(catalog.get(config.format).Options)}
    named = {
        option.partition("=")[0]
        for one in config.differences
        if not isinstance(one, str)
        for option in one.unless
    }
    assert named <= known


def test_documents_that_were_left_out_are_not_missed(
    caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]
) -> None:
    raw = next(Path(__file__).parents[1].glob("fixtures/fiqa/raw*"))
    words = ["convert", "fiqa", str(raw), "--out", "x", "--set", "without_documents=true"]
    with caplog.at_level(logging.WARNING):
        assert main(words) == 0
    told = capsys.readouterr().err
    assert " documents instead of " not in told
    assert "BK043" not in told
    assert main(["check", "x"]) == 0
    assert "known BK043" in capsys.readouterr().out


def test_passages_of_documents_that_were_left_out_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    raw = next(Path(__file__).parents[1].glob("fixtures/fiqa/raw*"))
    words = ["convert", "fiqa", str(raw), "--out", "x", "--set", "without_documents=true"]
    assert main([*words, "--passages", "size=9"]) == 2
    assert "there is nothing to split with without_documents=true" in capsys.readouterr().err


def test_what_a_killed_run_left_is_removed_by_the_next_one(
    birds: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code = (
        "import os, signal, sys\n"
        "from beirkit.corpora.whole import whole_folder\n"
        "with whole_folder(sys.argv[1], overwrite=False, written=lambda folder: set()) as part:\n"
        "    (part / 'corpus.jsonl').touch()\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    subprocess.run([sys.executable, "-P", "-c", code, str(tmp_path / "x")], check=False)
    (left,) = tmp_path.glob(".x.*.part")
    with whole_folder(tmp_path / "x", overwrite=False, written=lambda folder: set()):
        assert not left.exists()
        (own,) = tmp_path.glob(".x.*.part")
        assert main(["convert", "beir", str(birds), "--out", str(tmp_path / "x")]) == 0
        assert own.exists()  # of a process that lives
        shutil.rmtree(tmp_path / "x")
        rest = own.name.partition("-")[2]
        own_of_the_dead = own.rename(own.with_name(f".x.{2**22 + 1}-{rest}"))
        assert main(["convert", "beir", str(birds), "--out", str(tmp_path / "x")]) == 0
        assert own_of_the_dead.exists()  # its lock is held
        own_of_the_dead.rename(own)
        shutil.rmtree(tmp_path / "x")
    assert list(tmp_path.glob(".x.*")) == []
    assert "remove it if nothing writes there" in capsys.readouterr().err
