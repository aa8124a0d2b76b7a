"""SimpleQA Verified and LexBench's release of it: what the card fixes, on invented and on real files."""

from __future__ import annotations

import ast
import csv
import hashlib
import json
import re
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from beirkit.converters import catalog
from beirkit.converters.reading.simpleqa import without_unmatched
from beirkit.corpora.errors import ConfigError, DataError, UsageError
from beirkit.corpora.exports.catalog import export_folder
from beirkit.corpora.folder import open_folder, write_folder
from beirkit.corpora.supporting import POLICY, Supporting, policy_of, task_of
from beirkit.corpora.urls import UrlPolicy, document_url
from beirkit.exporting import facts_of

FIXTURES = Path(__file__).parent.parent / "fixtures"
CSV = FIXTURES / "datasets" / "lexbench-simpleqa-verified" / "raw.csv"
RELEASE = FIXTURES / "lexbench" / "raw"
HEADER = "original_index,problem,answer,topic,answer_type,multi_step,requires_reasoning,urls\n"

# Rows of the real file in which two references are one document.
COLLAPSE = (
    "sqv-180", "sqv-276", "sqv-333", "sqv-337", "sqv-1086", "sqv-1835", "sqv-2218", "sqv-2309", "sqv-2449",
    "sqv-2827", "sqv-3229", "sqv-4188",
)  # fmt: skip


def opened(raw: Path, **options: Any) -> Any:
    return catalog.convert("lexbench", raw, options)


@pytest.fixture(scope="module")
def real(shared: Path) -> Path:
    return shared / "data" / "simpleqa_verified" / "raw" / "simpleqa_verified.csv"


@pytest.fixture(scope="module")
def rows(real: Path) -> list[dict[str, str]]:
    with real.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


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


def exported(raw: Path, place: Path, **options: Any) -> Path:
    write_folder(opened(raw), place / "beir")
    collection = open_folder(place / "beir")
    facts = facts_of("lexbench-simpleqa-verified", None, collection.provenance)
    export_folder(collection, "lexbench", place / "release", facts, options)
    return place / "release"


def contents(folder: Path) -> dict[str, bytes]:
    """What is in a release, without the note on how it was exported."""
    files = (path for path in folder.rglob("*") if path.is_file() and path.name != "export.json")
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def records(collection: Any) -> tuple[Any, ...]:
    return list(collection.queries()), list(collection.documents()), list(collection.judgments("test"))


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


def test_the_real_selection_is_the_cards(real: Path, rows: list[dict[str, str]]) -> None:
    assert hashlib.sha256(real.read_bytes()).hexdigest().startswith("fb990cca0fae8515")
    assert len(rows) == 1000
    queries = list(opened(real).queries())
    ids = [query.query_id for query in queries]
    assert (len(ids), ids[0], ids[-1]) == (831, "sqv-5", "sqv-4319")
    digest = hashlib.sha256("\n".join(ids).encode()).hexdigest()
    assert digest == "60b2222d9b318045da9a93edf56aaec4e93ad7918c82ada77e3614c1b78145e2"
    at_128 = {query.query_id for query in queries if len(query.text) == 128}
    assert at_128 == {"sqv-2057", "sqv-3917", "sqv-3923", "sqv-4035"}
    by_bytes = {q.query_id for q in queries if len(q.text.encode()) <= 128}
    assert set(ids) - by_bytes == {"sqv-31"}
    answer = next(q.metadata["reference_answer"] for q in queries if q.query_id == "sqv-3696")
    assert "\n" in answer


def test_the_real_references_are_the_cards(real: Path, rows: list[dict[str, str]]) -> None:
    collection = opened(real)
    tasks = [task_of(query) for query in collection.queries()]
    urls = [url for task in tasks for url in task.reference_urls]
    assert len(urls) == 2461
    chosen = [row for row in rows if f"sqv-{row['original_index']}" in {task.id for task in tasks}]
    raw = [(row["original_index"], url) for row in chosen for url in row["urls"].split(",")]
    assert len(raw) == 2461
    assert [number for number, url in raw if without_unmatched(url) != url] == ["5", "5"]
    balanced = [url for _, url in raw if url.endswith(")") and without_unmatched(url) == url]
    assert sum(url.startswith("http") for url in balanced) == 51
    invalid = {q.query_id for q in collection.queries() if "invalid_reference_urls" in q.metadata}
    assert invalid == {"sqv-281", "sqv-1415", "sqv-2783", "sqv-3480", "sqv-3626", "sqv-3902"}
    names = [found.canonical for url in urls if (found := document_url(url)).tier != "invalid"]
    assert sum(name.startswith("en.wikipedia.org/") for name in names) == 815  # 816 with row 1415's junk
    assert sum("?" in name for name in names) == 173
    assert sum(not any("wikipedia.org" in url for url in task.reference_urls) for task in tasks) == 118


def test_the_real_references_by_document(real: Path) -> None:
    collection = opened(real)
    tasks = [task_of(query) for query in collection.queries()]
    names = {task.id: [document_url(url) for url in task.reference_urls] for task in tasks}
    collapsed = [task for task, found in names.items() if len({d.canonical for d in found}) < len(found)]
    assert tuple(collapsed) == COLLAPSE
    assert sum(len({d.canonical for d in found}) for found in names.values()) == 2449
    assert sum(d.tier == "archived_copy" for found in names.values() for d in found) == 18
    owners: dict[str, list[str]] = {}
    for judgment in collection.judgments("test"):
        owners.setdefault(judgment.doc_id, []).append(judgment.query_id)
    assert sum(map(len, owners.values())) == 2443  # without the six that are no address
    assert sorted(sorted(ids) for ids in owners.values() if len(ids) > 1) == [
        ["sqv-109", "sqv-3157"], ["sqv-1315", "sqv-619"], ["sqv-1838", "sqv-871"], ["sqv-2232", "sqv-3443"],
    ]  # fmt: skip


def test_a_thirteenth_row_collapses_where_the_scheme_of_junk_is_ignored(real: Path) -> None:
    """The figure 2,448 in 13 rows counts row 1415, whose ``Hillhttps://…`` has a known host and path."""
    tasks = {task.id: task for task in map(task_of, opened(real).queries())}
    found = [document_url(url.removeprefix("Hill")).canonical for url in tasks["sqv-1415"].reference_urls]
    assert (len(found), len(set(found))) == (4, 3)
    repaired = opened(real, repair_urls=True)
    assert sum(1 for _ in repaired.judgments("test")) == 2461 - 12 - 4


def test_the_real_release_reads_back_equal(real: Path, tmp_path: Path) -> None:
    release = exported(real, tmp_path)
    assert records(opened(release)) == records(opened(real))
    again = exported(release, tmp_path / "again")
    assert contents(again) == contents(release)


def test_openais_file(shared: Path) -> None:
    raw = shared / "data" / "openai_simpleqa" / "raw" / "simple_qa_test_set.csv"
    collection = opened(raw, longest=0)
    queries = list(collection.queries())
    assert (len(queries), queries[0].query_id, queries[-1].query_id) == (4326, "sqa-0", "sqa-4325")
    assert sum(1 for _ in opened(raw).queries()) == 3619
    answers = [query.metadata["reference_answer"] for query in queries]
    assert sum(answer != answer.strip() for answer in answers) == 211
    assert all(query.metadata["topic"] for query in queries)


def test_verified_questions_are_openais_at_their_index(shared: Path, rows: list[dict[str, str]]) -> None:
    raw = shared / "data" / "openai_simpleqa" / "raw" / "simple_qa_test_set.csv"
    originals = [query.text for query in opened(raw, longest=0).queries()]
    assert sum(originals[int(row["original_index"])] == row["problem"] for row in rows) == 944


def test_figures_of_the_publishers_file(real: Path, rows: list[dict[str, str]]) -> None:
    data = real.read_bytes()
    assert (len(data), data.count(b"\n"), data.count(b"\r")) == (349_183, 1002, 0)  # the header's line too
    assert sum(row["multi_step"] == "True" for row in rows) == 73
    assert sum(row["requires_reasoning"] == "True" for row in rows) == 37
    indices = [int(row["original_index"]) for row in rows]
    assert indices == sorted(set(indices))
    assert (indices[0], indices[-1]) == (5, 4319)
    problems = [row["problem"] for row in rows]
    assert sum(len(text) < 128 for text in problems) == 827
    assert sum(len(text.encode()) <= 128 for text in problems) == 830
    assert sum(len(text.encode("utf-16-le")) <= 256 for text in problems) == 831
    assert [row["original_index"] for row in rows if len(row["problem"]) == 129] == ["1958", "2137", "3851"]
    assert sum(len(row["urls"].split(",")) for row in rows) == 2945
    chosen = [row for row in rows if len(row["problem"]) <= 128]
    assert sum(len(re.split(r",(?=http)", row["urls"])) for row in chosen) == 2455
    assert Counter(row["topic"] for row in chosen) == {
        "Politics": 133, "Art": 129, "Science and technology": 121, "Sports": 97, "Geography": 96,
        "Music": 95, "Other": 85, "History": 44, "TV shows": 19, "Video games": 12,
    }  # fmt: skip
    assert Counter(row["answer_type"] for row in chosen) == {
        "Other": 212, "Date": 172, "Person": 162, "Number": 157, "Place": 128,
    }  # fmt: skip
    assert next(row["urls"] for row in rows if row["original_index"] == "3352").count("'") == 1


def test_figures_of_openais_file(shared: Path, rows: list[dict[str, str]]) -> None:
    raw = shared / "data" / "openai_simpleqa" / "raw" / "simple_qa_test_set.csv"
    assert hashlib.sha256(raw.read_bytes()).hexdigest().startswith("feee3f7e7db3617e")
    with raw.open(encoding="utf-8", newline="") as file:
        originals = list(csv.DictReader(file))
    lists = [ast.literal_eval(row["metadata"])["urls"] for row in originals]
    items = [item for urls in lists for item in urls]
    assert (len(originals), len(items)) == (4326, 16_057)
    assert sum(bool(re.search(r"\s", item)) for item in items) == 189
    assert sum(not item.startswith("http") for item in items) == 84
    assert sum(":~:text=" in item for item in items) == 1700
    assert sum(len(set(urls)) < len(urls) for urls in lists) == 1696
    packed = [item for item in items if "\n" in item and len(re.findall("https?://", item)) > 1]
    assert (sum("\n" in item for item in items), len(packed)) == (150, 134)
    tasks = {query.query_id: query for query in opened(raw, longest=0).queries()}
    number = next(number for number, urls in enumerate(lists) if packed[0] in urls)
    found = tasks[f"sqa-{number}"].metadata["reference_urls"]
    assert not any("\n" in url for url in found)
    answers = sum(originals[int(row["original_index"])]["answer"] == row["answer"] for row in rows)
    assert answers == 790
