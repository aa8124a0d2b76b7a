"""SimpleQA Verified and LexBench's release of it: what the card fixes, on invented and on real files."""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from beirkit.cli.main import main
from beirkit.converters.reading.simpleqa import without_unmatched
from beirkit.corpora.errors import ConfigError, DataError, UsageError
from beirkit.corpora.folder import open_folder
from beirkit.corpora.supporting import POLICY, Supporting, policy_of, task_of
from beirkit.corpora.urls import UrlPolicy, document_url
from tests.converters.lexbench_files import contents, exported, opened, records

FIXTURES = Path(__file__).parent.parent / "fixtures"
CSV = FIXTURES / "datasets" / "lexbench-simpleqa-verified" / "raw.csv"
ORIGINAL = FIXTURES / "datasets" / "openai-simpleqa" / "raw.csv"
RELEASE = FIXTURES / "lexbench" / "raw"
HEADER = "original_index,problem,answer,topic,answer_type,multi_step,requires_reasoning,urls\n"


@pytest.mark.parametrize(
    ("url", "kept"),
    [
        ("https://x.example/c)", "https://x.example/c"),
        ("https://x.example/c))", "https://x.example/c"),
        ("https://x.example/a_(b)", "https://x.example/a_(b)"),
        ("https://x.example/a_(b))", "https://x.example/a_(b)"),
        ("https://x.example/a)b", "https://x.example/a)b"),
    ],
)
def test_only_unmatched_parentheses_are_taken_off(url: str, kept: str) -> None:
    assert without_unmatched(url) == kept


def test_junk_is_kept_marked_and_not_judged() -> None:
    collection = opened(CSV)
    query = next(q for q in collection.queries() if q.query_id == "sqv-40")
    assert query.metadata["invalid_reference_urls"] == ["'https://en.wikipedia.org/wiki/Blue_Gate_(Town)'"]
    assert query.metadata["invalid_reference_urls"][0] in query.metadata["reference_urls"]
    judged = [j.doc_id for j in collection.judgments("test") if j.query_id == "sqv-40"]
    assert judged == ["en.wikipedia.org/wiki/Blue_Gate_(Town)"]


def test_repair_judges_what_the_junk_means_and_leaves_the_record_alone() -> None:
    plain, repaired = opened(CSV), opened(CSV, repair_urls=True)
    kept = [q.metadata["reference_urls"] for q in repaired.queries()]
    assert kept == [q.metadata["reference_urls"] for q in plain.queries()]
    assert not any("invalid_reference_urls" in q.metadata for q in repaired.queries())
    judged = {j.doc_id for j in repaired.judgments("test") if j.query_id == "sqv-96"}
    assert "x.example/mill" in judged
    assert policy_of(repaired.provenance.options) == UrlPolicy(repair=True)
    assert policy_of(plain.provenance.options) == UrlPolicy()


def test_repair_is_an_option_of_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["convert", "lexbench", str(CSV), "--out", str(tmp_path / "out"), "--repair-urls", "--quiet"]
    assert main(words) == 0
    collection = open_folder(tmp_path / "out")
    assert list(collection.judgments("test")) == list(opened(CSV, repair_urls=True).judgments("test"))
    table = FIXTURES / "scifact" / "raw"
    assert main(["convert", "scifact", str(table), "--out", str(tmp_path / "no"), "--repair-urls"]) == 2
    assert "repair_urls" in capsys.readouterr().err


def test_repaired_addresses_are_no_defect(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = "".join(
        f"{n},Who painted {n}?,Ann,Art,Person,False,False,https://x.example/{n}\n" for n in range(9)
    )
    (tmp_path / "raw.csv").write_text(HEADER + rows, encoding="utf-8")
    words = ["convert", "lexbench-simpleqa-verified", str(tmp_path / "raw.csv"), "--out"]
    assert main([*words, str(tmp_path / "plain")]) == 0
    assert "9 documents instead of 2439" in capsys.readouterr().err
    assert main([*words, str(tmp_path / "repaired"), "--repair-urls"]) == 0
    told = capsys.readouterr().err
    assert "instead of" not in told
    assert "the check found" not in told
    assert main(["check", str(tmp_path / "repaired")]) == 0
    assert "0 errors, 0 warnings, 0 remarks, 9 known" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("name", "other", "raw"),
    [
        ("openai-simpleqa", "lexbench-simpleqa-verified", CSV),
        ("openai-simpleqa", "lexbench-simpleqa-verified", RELEASE),
        ("lexbench-simpleqa-verified", "openai-simpleqa", ORIGINAL),
    ],
)
def test_the_file_of_the_other_dataset_is_refused(
    name: str, other: str, raw: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["convert", name, str(raw), "--out", str(tmp_path / "out")]) == 2
    assert f"convert it with: beirkit convert {other} {raw}" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
    opened(raw)  # by the format, which takes any of them


def test_a_release_without_a_manifest_is_told(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    shutil.copytree(RELEASE, tmp_path / "release")
    opened(tmp_path / "release")
    assert not caplog.records
    (tmp_path / "release" / "manifest.json").unlink()
    opened(tmp_path / "release")
    assert caplog.text.count("has no manifest.json, so nothing tells") == 1


def test_a_policy_of_another_definition_is_refused() -> None:
    options = opened(CSV).provenance.options
    options[POLICY]["sha256"] = "0" * 64
    with pytest.raises(DataError, match="another definition"):
        policy_of(options)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (HEADER + "x,Who?,Ann,Art,Person,False,False,https://x.example\n", ":2: original_index is 'x'"),
        ("original_index,problem\n1,Who?\n", ":2: has no"),
        ("metadata,problem,answer\n{'urls': ,Who?,Ann\n", ":2: metadata is not a Python literal"),
        ("metadata,problem,answer\n{'topic': 1},Who?,Ann\n", ":2: metadata has no list of urls"),
        ("metadata,problem,answer\n{'urls': [7]},Who?,Ann\n", ":2: column 'metadata' is not text"),
    ],
)
def test_a_damaged_row_is_told_with_its_line(text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "raw.csv").write_text(text, encoding="utf-8")
    with pytest.raises(DataError) as caught:
        list(opened(tmp_path / "raw.csv").queries())
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda row: {**row, "task": "{"}, "task cannot be read"),
        (lambda row: {**row, "id": "sqv-6"}, "is row 'sqv-6'"),
        (lambda row: {**row, "input": "Another question?"}, "asks something else"),
        (lambda row: {**row, "task": '{"id": "sqv-5"}'}, "missing required field"),
    ],
)
def test_a_damaged_release_is_told_with_its_line(change: Any, message: str, tmp_path: Path) -> None:
    folder = tmp_path / "release"
    (folder / "data").mkdir(parents=True)
    lines = (RELEASE / "data" / "factual-v1.jsonl").read_text(encoding="utf-8").splitlines()
    changed = json.dumps(change(json.loads(lines[0])))
    (folder / "data" / "factual-v1.jsonl").write_text("\n".join([changed, *lines[1:]]), encoding="utf-8")
    with pytest.raises(DataError, match=r"factual-v1\.jsonl:1: ") as caught:
        list(opened(folder).queries())
    assert message in str(caught.value)
    assert "fetch the release again" in str(caught.value)


def test_a_release_that_is_not_what_its_manifest_says_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "release"
    shutil.copytree(RELEASE, folder)
    (folder / "definitions" / "factual-source.json").write_text("{}", encoding="utf-8")
    with pytest.raises(DataError, match=r"factual-source\.json: is not the file that manifest"):
        opened(folder)
    (folder / "definitions" / "factual-source.json").unlink()
    with pytest.raises(DataError, match=r"has no definitions/factual-source\.json"):
        opened(folder)


def test_an_archive_of_other_definitions_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "release"
    shutil.copytree(RELEASE, folder)
    (folder / "manifest.json").unlink()
    opened(folder)
    (folder / "definitions" / "factual-source.json").write_text("{}", encoding="utf-8")
    with pytest.raises(DataError, match="does not hold the definitions that lie beside it"):
        opened(folder)
    (folder / "definitions.tar.gz").write_bytes(b"no archive")
    with pytest.raises(DataError, match="cannot be unpacked"):
        opened(folder)


def test_a_release_whose_inner_forms_are_others_is_read(tmp_path: Path) -> None:
    """The card names the fields; what provenance looks like inside, and the manifest, it does not say."""
    task = {
        "id": "sqv-5", "query": "Who?", "reference_answer": "Ann", "reference_urls": ["https://x.example/c"],
        "equivalent_reference_urls": ["https://mirror.example/c"],
        "equivalent_reference_provenance": [{"source": "https://x.example/c", "hashes": ["0", "1"]}],
        "provenance": "row 5", "derivation": ["split"], "topic": "Art", "answer_type": "Person", "more": 1,
    }  # fmt: skip
    folder = tmp_path / "release"
    (folder / "data").mkdir(parents=True)
    row = jsonl(
        folder / "data" / "factual-v1.jsonl", {"id": "sqv-5", "input": "Who?", "task": json.dumps(task)}
    )
    digest = hashlib.sha256(row.read_bytes()).hexdigest()
    listed = [{"path": "data/factual-v1.jsonl", "sha256": digest}]
    (folder / "manifest.json").write_text(json.dumps({"files": listed}), encoding="utf-8")
    found = task_of(next(iter(opened(folder).queries())))
    assert found.provenance == "row 5"
    assert Supporting(found, UrlPolicy()).of(document_url("https://mirror.example/c")) == "x.example/c"
    release = exported(folder, tmp_path / "written")
    assert task_of(next(iter(opened(release).queries()))) == found
    row.write_bytes(row.read_bytes() + b"\n")
    with pytest.raises(DataError, match="SHA-256 differs"):
        opened(folder)


def jsonl(path: Path, *rows: dict[str, Any]) -> Path:
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return path


def test_captured_pages_become_texts_under_the_references_name(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    pages = jsonl(
        tmp_path / "pages.jsonl",
        {"url": "http://www.x.example/c/", "title": "C", "text": "About the gate."},
        {"url": "https://x.example/c", "text": "The same page again."},
        {"url": "https://elsewhere.example/", "title": "E", "text": "Another page."},
        {"url": "https://x.example/empty", "text": ""},
        {"url": "nowhere", "text": "No address."},
    )
    documents = {d.doc_id: d for d in opened(CSV, pages=str(pages)).documents()}
    assert documents["x.example/c"].text == "About the gate."
    assert documents["elsewhere.example/"].text == "Another page."
    assert documents["x.example/a_(b)"].metadata["url_only"] is True
    assert "url_only" not in documents["x.example/c"].metadata
    assert "1 pages without text and 1 without an address" in caplog.text
    judged = {j.doc_id for j in opened(CSV, pages=str(pages)).judgments("test")}
    assert judged <= set(documents)


def test_results_of_a_search_tool_become_texts(tmp_path: Path) -> None:
    results = jsonl(
        tmp_path / "results.jsonl",
        {"query_id": "sqv-5", "rank": 1, "url": "https://x.example/c", "snippet": "A snippet."},
        {"query_id": "sqv-31", "status": "timeout"},
    )
    documents = {d.doc_id: d.text for d in opened(CSV, results=str(results)).documents()}
    assert documents["x.example/c"] == "A snippet."


def test_a_copy_stands_under_its_reference(tmp_path: Path) -> None:
    copy = {
        "reference_url": "https://x.example/c", "url": "https://mirror.example/c", "method": "m",
        "observed": "2026-01-01", "share": 0.9, "reference_sha256": "0", "copy_sha256": "1",
    }  # fmt: skip
    copies = jsonl(tmp_path / "copies.jsonl", copy)
    pages = jsonl(tmp_path / "pages.jsonl", {"url": "https://mirror.example/c", "text": "Copied text."})
    collection = opened(CSV, equivalents=str(copies), pages=str(pages))
    assert {d.doc_id: d.text for d in collection.documents()}["x.example/c"] == "Copied text."
    plain = [(j.query_id, j.doc_id) for j in opened(CSV).judgments("test")]
    assert [(j.query_id, j.doc_id) for j in collection.judgments("test")] == plain
    task = task_of(next(iter(collection.queries())))
    assert task.equivalent_reference_urls == ["https://mirror.example/c"]
    jsonl(copies, {**copy, "share": "much"})
    with pytest.raises(DataError, match=r"copies\.jsonl:1: is no verified copy"):
        opened(CSV, equivalents=str(copies))
    with pytest.raises(UsageError, match="no such file"):
        opened(CSV, pages=str(tmp_path / "absent.jsonl"))


def test_a_written_release_is_the_fixture_and_reads_back_equal(tmp_path: Path) -> None:
    release = exported(CSV, tmp_path / "one", csv_revision="0" * 39 + "1")
    assert contents(release) == contents(RELEASE)
    assert records(opened(release)) == records(opened(CSV))
    again = exported(release, tmp_path / "two")
    assert contents(again) == contents(release)


def test_a_release_holds_what_the_card_says(tmp_path: Path) -> None:
    release = exported(CSV, tmp_path)
    row = json.loads((release / "data" / "factual-v1.jsonl").read_text(encoding="utf-8").splitlines()[0])
    assert list(row) == ["id", "input", "family", "language", "task"]
    assert (row["family"], row["language"]) == ("web", "en")
    task = json.loads(row["task"])
    assert task["category"] == "factual"
    kept = ("provenance", "derivation", "equivalent_reference_urls", "equivalent_reference_provenance")
    assert {"id", "query", "reference_answer", "reference_urls", "topic", "answer_type", *kept} <= set(task)
    everything = b"".join(contents(release).values())
    assert b'"requires_reasoning": ' not in everything
    assert b"multi_step" in (release / "definitions" / "factual-source.json").read_bytes()  # as left out
    definitions = json.loads((release / "definitions" / "datasets" / "factual-v1.json").read_bytes())
    assert definitions["url_equivalence"]["name"] == "document-url/1"
    assert definitions["reference_equivalence"]["alignment"].endswith("(autojunk=False)")
    manifest = json.loads((release / "manifest.json").read_bytes())
    assert manifest["source_commit"] is None
    for name, facts in manifest["files"].items():
        assert facts["sha256"] == hashlib.sha256((release / name).read_bytes()).hexdigest()
    unpacked = tmp_path / "unpacked"
    shutil.unpack_archive(release / "definitions.tar.gz", unpacked, filter="data")
    assert contents(unpacked / "definitions") == contents(release / "definitions")


@pytest.mark.parametrize("option", ["csv_revision", "source_commit"])
@pytest.mark.parametrize("value", ["main", "0dc97e0", "0" * 41, "A" * 40])
def test_a_revision_is_a_full_commit(option: str, value: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="not a full commit of 40 hex digits"):
        exported(CSV, tmp_path, **{option: value})
