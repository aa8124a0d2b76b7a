"""What is known of the two files of SimpleQA, figure by figure."""

from __future__ import annotations

import ast
import csv
import hashlib
import re
from collections import Counter
from pathlib import Path

import pytest

from beirkit.converters.reading.simpleqa import without_unmatched
from beirkit.corpora.supporting import task_of
from beirkit.corpora.urls import document_url
from tests.converters.lexbench_files import contents, exported, opened, records

COLLAPSE = (
    "sqv-180", "sqv-276", "sqv-333", "sqv-337", "sqv-1086", "sqv-1835", "sqv-2218", "sqv-2309", "sqv-2449",
    "sqv-2827", "sqv-3229", "sqv-4188",
)  # fmt: skip


@pytest.fixture(scope="module")
def real(shared: Path) -> Path:
    return shared / "data" / "simpleqa_verified" / "raw" / "simpleqa_verified.csv"


@pytest.fixture(scope="module")
def rows(real: Path) -> list[dict[str, str]]:
    with real.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


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
