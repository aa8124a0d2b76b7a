"""The check that goes along with writing a folder finds what a check of the written folder finds."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from beirkit.corpora import following
from beirkit.corpora.check import check_folder
from beirkit.corpora.check_text import look_at_document, nothing_in_written
from beirkit.corpora.check_written import WrittenCheck
from beirkit.corpora.collection import Collection, Provenance
from beirkit.corpora.encoding import block_encoder
from beirkit.corpora.errors import BeirkitError
from beirkit.corpora.findings import Finding, Known
from beirkit.corpora.folder import write_folder
from beirkit.corpora.processors import Idleness
from beirkit.corpora.records import Document, Judgment, Query
from tests.faults.cases import all_cases, open_case

ODD = ["", " ", "\t\n", "x", "é", "a b", "7", "\u0663", "\x7f", "\x80", "\u200b", "\b", "\x00", "\u2028"]
ODD += ['"_id"', '"title"', '", "title": "', "\\", "\\u0000", "\u00a0", "\ufeff", "null", "\r\n", "}\n{"]
LETTERS = st.sampled_from('ab"\\ _idtex\x7f\x85\u0301é\u212bÅ7\n')
texts = st.sampled_from(ODD) | st.text(LETTERS, max_size=6)
ids = st.sampled_from(
    ["1", "2", "a b", "é", "e\u0301", "\u212a", "K", "d\u200b", "\u0663", '"_id"', "d\u3000"]
)
METADATA: list[dict[Any, Any]] = [
    {},
    {},
    {},
    {1: 2, "1": 3},
    {"title": "t"},
    {"metadata": "m"},
    {"n": [None]},
]
metadata = st.sampled_from(METADATA)
documents = st.lists(st.builds(Document, ids, texts, texts, metadata), unique_by=lambda one: one.doc_id)
queries = st.lists(st.builds(Query, ids, texts, metadata), unique_by=lambda one: one.query_id)
judgments = st.lists(
    st.builds(Judgment, ids, ids, st.integers(-1, 2)), unique_by=lambda one: (one.query_id, one.doc_id)
)


def made(
    documents: Iterable[Document], queries: Iterable[Query] = (), *splits: Iterable[Judgment]
) -> Collection:
    parts = {f"split{number}": list(split) for number, split in enumerate(splits)}
    return Collection(
        documents=lambda: documents,
        queries=lambda: queries,
        judgments={name: partial(iter, split) for name, split in parts.items()},
        provenance=Provenance(source="made"),
    )


def both(
    collection: Collection, folder: Path, known: list[Known] | None = None, *, ascii: bool = False
) -> list[Finding]:
    """Write a folder, plain and packed, and hold both checks against each other."""
    for gzip in (True, False):
        watch, out = WrittenCheck(known or []), folder / f"gzip={gzip}"
        write_folder(collection, out, ascii=ascii, gzip=gzip, watch=watch)
        found = watch.findings(out)
        assert found == check_folder(out, known=known or [])
    return found


@given(documents, queries, judgments, judgments, st.booleans())
def test_odd_records(
    documents: list[Document], queries: list[Query], one: list[Judgment], two: list[Judgment], ascii: bool
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        both(made(documents, queries, one, two), Path(folder), ascii=ascii)


@given(st.lists(st.builds(Document, ids, texts, texts, metadata), min_size=1, max_size=3), st.booleans())
def test_nothing_is_passed_over_where_there_is_something_to_say(
    documents: list[Document], ascii: bool
) -> None:
    lines = block_encoder(ascii=ascii)(documents)
    if nothing_in_written(documents, lines):
        each = zip(documents, lines.splitlines(keepends=True), strict=True)
        assert not any(look_at_document(document, line) for document, line in each)


def test_nothing_is_found_in_usual_records_without_reading_them() -> None:
    documents = [Document("d1", "", 'a "text" of\ntwo lines, \u00e9'), Document("12", "Title", "b")]
    assert nothing_in_written(documents, block_encoder(ascii=False)(documents))


@pytest.mark.parametrize("processes", [1, 2])
def test_many_blocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, processes: int) -> None:
    monkeypatch.setattr(following, "_FEW", 100)
    monkeypatch.setattr(Idleness, "is_spare", lambda _: processes == 2)
    odd = {5_000: "", 9_000: "\x07", 11_999: " "}
    documents = [Document(f"d{n}", "", odd.get(n, "text " * 20)) for n in range(12_000)]
    documents += [Document(f"empty{n}") for n in range(30)]
    documents += [Document("e\u0301", "", "x"), Document("é", "", "x"), Document("q1", "", "what")]
    queries = [Query(f"q{n}", "what") for n in range(6_000)]
    judged = [Judgment("q1", "d1", 1), Judgment("q2", "none", 1)]
    known = [Known(code="BK015", note="two forms", keys=("é",))]
    found = both(made(documents, queries, judged), tmp_path, known)
    assert {one.code: one.line for one in found if one.path == "corpus.jsonl" and one.line} == {
        "BK010": 12_018,
        "BK017": 9_001,
        "BK015": 12_032,
        "BK033": 12_033,
    }
    assert {one.severity for one in found if one.code == "BK015"} == {"known"}
    assert {one.code for one in found} >= {"BK026", "BK038"}


@pytest.mark.parametrize("repeat", [10, 5_000, 11_000])
def test_copies_that_are_dropped(tmp_path: Path, caplog: pytest.LogCaptureFixture, repeat: int) -> None:
    documents = [Document(f"d{n}é", "", "" if n == 9_000 else "text") for n in range(12_000)]
    documents.insert(repeat + 5, documents[repeat])
    found = both(made(documents), tmp_path)
    assert {one.code: one.line for one in found if one.path == "corpus.jsonl"} == {"BK010": 9_001}
    assert "1 repeated records dropped" in caplog.text


def test_a_corpus_without_documents(tmp_path: Path) -> None:
    assert [one.code for one in both(made([]), tmp_path)] == ["BK043", "BK044", "BK031"]


def test_the_handed_cases(shared: Path, tmp_path: Path) -> None:
    converted, codes = 0, set[str]()
    for name, case in all_cases(shared / "faults" / "cases.jsonl").items():
        files = case["input"].get("files", {}) if isinstance(case["input"], dict) else {}
        if not any(file.startswith(("corpus.jsonl", "queries.jsonl", "qrels/")) for file in files):
            continue
        try:
            found = both(open_case(case, tmp_path / name / "in"), tmp_path / name)
        except BeirkitError:  # what is refused leaves no folder
            continue
        converted += 1
        codes.update(one.code for one in found)
    assert converted >= 10
    assert codes >= {"BK026", "BK027", "BK044"}
