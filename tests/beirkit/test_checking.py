"""``beirkit check``: what it prints, what it writes, how it exits."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import msgspec
import pytest

from beirkit import datasets, facts
from beirkit.cli.main import main
from beirkit.configs.load import load_dataset, names
from beirkit.configs.schema import DatasetConfig, KnownDefect
from beirkit.corpora.codes import CODES
from beirkit.corpora.collection import Provenance
from beirkit.corpora.explain import explanation
from beirkit.corpora.folder import open_folder, write_folder


def add_document(folder: Path, *lines: str) -> None:
    with (folder / "corpus.jsonl").open("a", encoding="utf-8") as out:
        out.writelines(f"{line}\n" for line in lines)


@pytest.fixture
def empty(birds: Path) -> Path:
    """Seven documents without a text: warnings."""
    add_document(birds, *(f'{{"_id": "e{number}", "title": "", "text": ""}}' for number in range(7)))
    return birds


def test_findings_are_grouped_capped_and_counted(empty: Path, capsys: pytest.CaptureFixture[str]) -> None:
    add_document(empty, '{"_id": "d9"')
    assert main(["check", str(empty)]) == 1
    shown = capsys.readouterr().out.splitlines()
    assert shown[0] == "error BK002: a line is not JSON"
    assert shown[1].startswith("    corpus.jsonl:12: is not JSON at column")
    assert shown[3] == "warning BK010: a document has neither title nor text (7 findings)"
    assert shown[4] == "    corpus.jsonl:5: document 'e0' has neither title nor text"
    assert shown[9:11] == ["    -> it can never be found", "    ... and 2 more"]
    assert shown[-1] == f"{empty}: 1 error, 7 warnings, 0 remarks"
    assert main(["check", str(empty), "--all"]) == 1
    assert "    corpus.jsonl:11: document 'e6' has neither title nor text" in capsys.readouterr().out


def test_every_file_and_every_advice_is_shown(
    birds: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "bare").mkdir()
    assert main(["check", "bare"]) == 1
    assert capsys.readouterr().out.splitlines() == [
        "error BK001: a file is missing or cannot be read to its end (2 findings)",
        "    corpus.jsonl: is missing",
        "    queries.jsonl: is missing",
        "    -> a BEIR folder needs it",
        "warning BK031: no split is there",
        "    qrels: there is no qrels/<split>.tsv",
        "    -> without judgments nothing is scored",
        "",
        "bare: 2 errors, 1 warning, 0 remarks",
    ]
    with (birds / "qrels" / "test.tsv").open("a", encoding="utf-8") as out:
        out.write("q1\tD2\t1\nq1\td77\t1\n")
    assert main(["check", str(birds)]) == 0
    shown = capsys.readouterr().out.splitlines()
    first, second = (
        next(number for number, line in enumerate(shown) if f"document '{doc}'" in line)
        for doc in ("D2", "d77")
    )
    assert shown[first + 1] == "        -> is it the 'd2' that is there?"
    assert shown[second + 1].startswith("        -> ")


def test_one_finding_about_many_is_one_and_keeps_its_advice(
    birds: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with (birds / "queries.jsonl").open("a", encoding="utf-8") as out:
        out.writelines(f'{{"_id": "more{number}", "text": "which bird"}}\n' for number in range(225))
    assert main(["check", str(birds)]) == 0
    shown = capsys.readouterr().out.splitlines()
    assert shown[0] == "info BK038: queries stand in no split"
    assert "225 queries stand in no split" in shown[1]
    assert shown[2] == "    -> they are never searched"
    assert shown[-1] == f"{birds}: 0 errors, 0 warnings, 1 remark"


def test_accepted_findings_fail_nothing(empty: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(empty), "--strict"]) == 1
    assert main(["check", str(empty), "--strict", "--write-accept", "accepted.jsonl"]) == 0
    assert "7 findings written to accepted.jsonl" in capsys.readouterr().err
    assert main(["check", str(empty), "--strict", "--accept", "accepted.jsonl"]) == 0
    assert capsys.readouterr().out.endswith("0 errors, 0 warnings, 0 remarks, 7 accepted\n")
    add_document(empty, '{"_id": "new", "title": "", "text": " "}')
    assert main(["check", str(empty), "--strict", "--accept", "accepted.jsonl"]) == 1
    assert main(["check", str(empty), "--accept", "none.jsonl"]) == 2


def test_accepted_findings_that_are_gone_are_told(empty: Path, capsys: pytest.CaptureFixture[str]) -> None:
    twin = '{"_id": "d5", "title": "kestrel", "text": "A small falcon that hovers over FIELDS."}'
    add_document(empty, twin)
    assert main(["check", str(empty), "--deep", "--write-accept", "accepted.jsonl", "-q"]) == 0
    capsys.readouterr()
    words = ["check", str(empty), "--accept", "accepted.jsonl", "--strict", "-q"]
    assert main(words) == 0
    assert capsys.readouterr().err == ""  # what only --deep looks for may be there
    corpus = empty / "corpus.jsonl"
    kept = [line for line in corpus.read_text().splitlines(keepends=True) if '"e3"' not in line]
    corpus.write_text("".join(kept))
    assert main(words) == 0
    assert capsys.readouterr().err == "beirkit: 1 accepted finding is no longer there\n"
    corpus.write_text("".join(line for line in kept if '"e5"' not in line and '"d5"' not in line))
    assert main([*words, "--deep", "--json"]) == 0
    shown = capsys.readouterr()
    assert {finding["severity"] for finding in json.loads(shown.out)} == {"accepted"}
    assert shown.err == "beirkit: 5 accepted findings are no longer there\n"


def test_a_dataset_is_checked_by_its_name(
    birds: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(datasets, "built_folder", lambda name: {"scifact": birds}[name])
    assert main(["check", "scifact"]) == 0
    assert capsys.readouterr().out == f"{birds}: 0 errors, 0 warnings, 0 remarks\n"


@pytest.mark.parametrize(
    ("option", "kind"), [("--write-accept", "list of accepted findings"), ("--junit", "XML file")]
)
def test_what_is_checked_and_other_files_are_not_written_over(
    birds: Path, tmp_path: Path, option: str, kind: str, capsys: pytest.CaptureFixture[str]
) -> None:
    before = (birds / "corpus.jsonl").read_bytes()
    (tmp_path / "link").symlink_to(birds, target_is_directory=True)
    for path in (birds / "corpus.jsonl", birds / "new", tmp_path / "link" / "corpus.jsonl"):
        assert main(["check", str(birds), option, str(path)]) == 2
        assert f"{option} would write into the folder that is checked" in capsys.readouterr().err
    assert (birds / "corpus.jsonl").read_bytes() == before
    assert not (birds / "new").exists()
    out = tmp_path / "out"
    out.write_text("something else\n", encoding="utf-8")
    assert main(["check", str(birds), option, str(out)]) == 2
    assert f"{option} would replace a file that is no {kind}" in capsys.readouterr().err
    assert out.read_text(encoding="utf-8") == "something else\n"
    out.write_text("", encoding="utf-8")
    for _ in range(2):  # an empty file is replaced, and so is one of its own kind
        assert main(["check", str(birds), option, str(out), "-q"]) == 0


def test_a_code_is_explained_to_machines(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "--explain", "bk010", "--json"]) == 0
    page = json.loads(capsys.readouterr().out)
    assert (page["code"], page["severity"]) == ("BK010", "warning")
    assert page["title"] == CODES["BK010"].title
    assert page["todo"] == explanation("BK010").explanation.todo
    assert {"means", "matters", "example", "rules"} < page.keys()


def test_junit(empty: Path) -> None:
    assert main(["check", str(empty), "--junit", "out/check.xml"]) == 0
    suite = ElementTree.parse("out/check.xml").getroot()
    assert (suite.tag, suite.get("tests"), suite.get("failures")) == ("testsuite", str(len(CODES)), "0")
    cases = {str(case.get("name"))[:5]: case for case in suite}
    assert list(cases) == list(CODES)
    told = cases["BK010"].findtext("system-out")
    assert told is not None
    assert told.splitlines()[0].startswith("warning BK010 corpus.jsonl:5: document 'e0'")
    assert cases["BK050"].find("skipped") is not None
    assert main(["check", str(empty), "--strict", "--deep", "--junit", "out/check.xml", "-q"]) == 1
    suite = ElementTree.parse("out/check.xml").getroot()
    assert (suite.get("failures"), suite.get("skipped")) == ("1", "0")
    [failure] = suite.iter("failure")
    assert (failure.get("type"), failure.get("message")) == ("warning", "7 found")


def test_deep(birds: Path, capsys: pytest.CaptureFixture[str]) -> None:
    add_document(
        birds, '{"_id": "d5", "title": "kestrel", "text": "A small falcon that hovers over FIELDS."}'
    )
    assert main(["check", str(birds), "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == []
    assert main(["check", str(birds), "--json", "--deep", "-q"]) == 0
    findings = json.loads(capsys.readouterr().out)
    assert {finding["code"] for finding in findings} == {"BK050", "BK052", "BK056"}


@pytest.mark.parametrize("code", CODES)
def test_every_code_is_explained(code: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "--explain", code.lower()]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith(f"{code} ({CODES[code].severity}")
    assert CODES[code].title in explanation(code).markdown()
    assert max(map(len, shown.splitlines())) <= 110


def test_wrong_use(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check"]) == 2
    assert "give a BEIR folder" in capsys.readouterr().err
    assert main(["check", "--explain", "BK999"]) == 2
    assert main(["check", "nowhere"]) == 2


def test_published_defects_of_a_named_dataset(
    birds: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Known is what the YAML of a dataset lists, where the manifest says that this is the dataset."""
    add_document(birds, '{"_id": "e1", "title": "", "text": ""}')
    defect = KnownDefect(code="BK010", note="empty in the source", ids=["e1"])
    config = msgspec.structs.replace(load_dataset("scifact"), known=[defect])
    assert msgspec.convert(msgspec.to_builtins(config), DatasetConfig) == config
    monkeypatch.setattr(facts, "load_dataset", lambda name: config)
    assert main(["check", str(birds), "--strict"]) == 1
    collection = open_folder(birds)
    collection.provenance = Provenance(source="scifact", converter=config.format)
    write_folder(collection, birds.parent / "built")
    capsys.readouterr()
    assert main(["check", "built", "--strict"]) == 0
    shown = capsys.readouterr().out
    assert "known BK010: a document has neither title nor text" in shown
    assert "-> empty in the source" in shown
    assert shown.endswith("0 errors, 0 warnings, 0 remarks, 1 known\n")
    with (birds.parent / "built" / "queries.jsonl").open("a", encoding="utf-8") as out:
        out.write("\n")
    keep = ["--rule", "empty-documents=keep", "--strict"]
    assert main(["check", "built", "--fix", "mended", *keep]) == 0  # of equal content
    assert main(["check", "mended", "--fix", "twice", *keep]) == 0
    assert capsys.readouterr().out.endswith("0 errors, 0 warnings, 0 remarks, 1 known\n")
    add_document(birds.parent / "twice", '{"_id": "e2", "title": "", "text": "one document more"}')
    assert main(["check", "twice", "--fix", "more", *keep]) == 1
    assert capsys.readouterr().out.endswith("0 errors, 1 warning, 0 remarks\n")


def test_known_defects_in_the_shipped_files_have_codes() -> None:
    for name in names("datasets"):
        assert {defect.code for defect in load_dataset(name).known} <= set(CODES)


@pytest.mark.slow
def test_all_that_is_found_in_scifact_is_known(shared: Path, capsys: pytest.CaptureFixture[str]) -> None:
    collection = open_folder(shared / "data" / "scifact" / "beir")
    collection.provenance = Provenance(source="scifact", converter="scifact")
    write_folder(collection, Path("scifact"))
    assert main(["check", "scifact", "--deep", "--strict", "--json", "-q"]) == 0
    findings = json.loads(capsys.readouterr().out)
    assert {finding["severity"] for finding in findings} == {"known"}
    assert {finding["code"] for finding in findings} == {
        defect.code for defect in load_dataset("scifact").known
    }
