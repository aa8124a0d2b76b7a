"""DPR's JSON: which passages are judged, which copies count, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from beirkit.converters.catalog import convert
from beirkit.corpora.collection import Collection
from beirkit.corpora.errors import DataError

RAW = Path(__file__).parent.parent / "fixtures" / "dpr" / "raw"
DEEP = "q-c00d6179a714e5df"  # "how deep is gull reef"


def grades(collection: Collection, split: str) -> dict[tuple[str, str], int]:
    return {(j.query_id, j.doc_id): j.relevance for j in collection.judgments(split)}


def passage(text: str, **more: Any) -> dict[str, Any]:
    return {"title": "", "text": text, **more}


def written(folder: Path, *rows: dict[str, Any]) -> Path:
    path = folder / "some.json"
    path.write_text(json.dumps(list(rows), indent=1), encoding="utf-8")
    return path


def test_negatives_are_documents_and_no_judgments() -> None:
    collection = convert("dpr", RAW)
    assert {"7", "55"} <= {document.doc_id for document in collection.documents()}
    assert {doc_id for _, doc_id in grades(collection, "train")} == {"101", "102", "d-090dbabad5ef643f"}
    assert set(grades(collection, "train").values()) == {1}


def test_negatives_are_judged_0_when_asked_and_positives_stay_positive() -> None:
    found = grades(convert("dpr", RAW, {"judge_negatives": True}), "train")
    of_one = {doc_id: grade for (query_id, doc_id), grade in found.items() if query_id == DEEP}
    assert of_one == {"101": 1, "102": 1, "7": 0, "55": 0}  # 102 is a hard negative too


def test_a_copy_that_differs_is_told_once(caplog: pytest.LogCaptureFixture) -> None:
    collection = convert("dpr", RAW)
    texts = {document.doc_id: document.text for document in collection.documents()}
    assert texts["7"] == "Kelp grows fast."
    list(collection.documents())
    assert [record.getMessage() for record in caplog.records] == [
        f"{RAW}: 1 copies of passages differ from the first one with their id, which counts (e.g. 7)"
    ]


def test_equal_copies_are_no_news(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    rows = [
        {"question": f"q{n}", "positive_ctxs": [passage("same", passage_id="1")], "answers": []}
        for n in range(5000)
    ]
    collection = convert("dpr", written(tmp_path, *rows))
    assert len(list(collection.documents())) == 1
    assert len(list(collection.queries())) == 5000
    assert not caplog.records


def test_a_question_may_have_an_id_of_its_own(tmp_path: Path) -> None:
    raw = written(tmp_path, {"qid": 4, "question": "a?", "positive_ctxs": [passage("x")]})
    (query,) = convert("dpr", raw, {"query_id": "qid"}).queries()
    assert (query.query_id, query.metadata) == ("4", {})


def test_a_corpus_may_be_a_file_of_its_own(tmp_path: Path) -> None:
    raw = written(tmp_path, {"question": "a?", "positive_ctxs": [passage("x", passage_id="2")]})
    (tmp_path / "psgs.tsv").write_text('id\ttext\ttitle\n1\t"say ""a"""\tA\n2\t"b\tc"\tB\n')
    collection = convert("dpr", tmp_path, {"corpus": "psgs.tsv"})
    assert [(d.doc_id, d.title, d.text) for d in collection.documents()] == [
        ("1", "A", 'say "a"'),
        ("2", "B", "b\tc"),
    ]
    assert {doc_id for _, doc_id in grades(collection, "test")} == {"2"}
    assert set(collection.provenance.inputs) == {"some.json", "psgs.tsv"}
    written(tmp_path, {"question": "a?", "positive_ctxs": [passage("x")]})
    with pytest.raises(DataError, match="has a passage without passage_id"):
        list(convert("dpr", tmp_path, {"corpus": "psgs.tsv"}).judgments("test"))
    assert raw.exists()


def test_files_of_tevatron_have_other_names(tmp_path: Path) -> None:
    row = {
        "query_id": "7", "query": "a?",
        "positive_passages": [{"docid": "1#0", "title": "T", "text": "x"}],
        "negative_passages": [{"docid": "1#1", "title": "T", "text": "y"}],
    }  # fmt: skip
    names = {"question": "query", "query_id": "query_id", "positives": "positive_passages"}
    options = {**names, "negatives": ["negative_passages"], "judge_negatives": True}
    collection = convert("dpr", written(tmp_path, row), options)
    assert [(d.doc_id, d.title, d.text) for d in collection.documents()] == [
        ("1#0", "T", "x"),
        ("1#1", "T", "y"),
    ]
    assert grades(collection, "test") == {("7", "1#0"): 1, ("7", "1#1"): 0}


def test_the_annotated_passages_of_clapnq(shared: Path) -> None:
    raw = shared / "data" / "raw_formats" / "clapnq" / "clapnq_dev_answerable.jsonl"
    collection = convert("dpr", raw, {"question": "input", "query_id": "id", "positives": "passages"})
    assert collection.splits == ("dev",)
    queries = list(collection.queries())
    assert len(queries) == len({query.query_id for query in queries}) == 300
    rows = [json.loads(line) for line in raw.read_text(encoding="utf-8").splitlines()]
    pairs = {(row["id"], passage["text"]) for row in rows for passage in row["passages"]}
    texts = {document.doc_id: document.text for document in collection.documents()}
    found = {(query_id, texts[doc_id]) for query_id, doc_id in grades(collection, "dev")}
    assert found == pairs


@pytest.mark.parametrize(
    ("row", "found"),
    [
        ({"question": "a?"}, "has no 'positive_ctxs'"),
        ({"question": "a?", "positive_ctxs": "x"}, "column 'positive_ctxs' is not a list"),
        ({"question": "a?", "positive_ctxs": ["x"]}, "positive_ctxs has 'x', which is no passage"),
        ({"question": "a?", "positive_ctxs": [{"title": "T"}]}, "has no 'text'"),
        ({"question": "a?", "positive_ctxs": [passage("x", passage_id=1.5)]}, "neither text nor an integer"),
    ],
)
def test_a_damaged_question_is_named_with_its_line(row: dict[str, Any], found: str, tmp_path: Path) -> None:
    good = {"question": "b?", "positive_ctxs": []}
    raw = written(tmp_path, good, row)
    with pytest.raises(DataError) as caught:
        list(convert("dpr", raw).documents())
    assert str(caught.value).startswith(f"{raw}:6: ")
    assert found in str(caught.value)


def test_an_array_is_read_in_pieces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = list(convert("dpr", RAW).documents()), grades(convert("dpr", RAW), "train")
    monkeypatch.setattr("beirkit.converters.reading.json_stream._CHUNK", 7)
    assert (list(convert("dpr", RAW).documents()), grades(convert("dpr", RAW), "train")) == before


def test_something_behind_the_array_is_refused(tmp_path: Path) -> None:
    raw = written(tmp_path, {"question": "b?", "positive_ctxs": []})
    raw.write_text(raw.read_text() + "\n, {}")
    with pytest.raises(DataError, match=r"some\.json:7: is not JSON: something stands behind its end"):
        list(convert("dpr", raw).queries())


def test_a_file_that_is_cut_is_refused(tmp_path: Path) -> None:
    raw = written(tmp_path, {"question": "b?", "positive_ctxs": []}, {"question": "c?", "positive_ctxs": []})
    raw.write_text(raw.read_text()[:-8])
    with pytest.raises(DataError, match=r"may be cut\)$"):
        list(convert("dpr", raw).queries())
