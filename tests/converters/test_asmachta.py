"""Asmachta's records: passages and documents, offsets, unanswerable questions, and the card's rules."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from beirkit.converters.catalog import convert
from beirkit.converters.reading.asmachta_rules import check_records
from beirkit.corpora.check import check_folder
from beirkit.corpora.collection import Collection
from beirkit.corpora.errors import ConfigError, DataError
from beirkit.corpora.folder import open_folder, write_folder
from beirkit.corpora.mend import mend_folder
from beirkit.corpora.passages import PassageRules, windows
from beirkit.corpora.sample import sample
from beirkit.datasets import convert_source

RAW = Path(__file__).parent.parent / "fixtures" / "asmachta" / "raw.json"
WINDOWS = {"size": 40, "overlap": 10}


def records() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(RAW.read_text(encoding="utf-8"))
    return found


def written(folder: Path, given: list[dict[str, Any]], name: str = "a.json") -> Path:
    path = folder / name
    lines = ",\n".join(json.dumps(record, ensure_ascii=False) for record in given)
    path.write_text(f"[\n{lines}\n]\n", encoding="utf-8")
    return path


def judgments(collection: Collection) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for judgment in collection.judgments("test"):
        found.setdefault(judgment.query_id, []).append(judgment.relevance)
    return found


def test_every_passage_is_the_slice_it_says() -> None:
    collection = convert("asmachta", RAW, WINDOWS)
    sources = {record["source_text"] for record in records()}
    whole = {
        document.doc_id: document.text
        for document in convert("asmachta", RAW, {"form": "documents"}).documents()
    }
    assert set(whole.values()) == sources
    for passage in collection.documents():
        told = passage.metadata
        assert whole[told["doc"]][told["start"] : told["end"]] == passage.text


def test_passages_that_hold_a_span_have_2_and_those_that_meet_one_1() -> None:
    collection = convert("asmachta", RAW, WINDOWS)
    assert judgments(collection) == {"k1": [1, 1, 2], "e1": [2], "e2": [1, 2], "7": [1, 1]}
    documents = convert("asmachta", RAW, {"form": "documents"})
    assert judgments(documents) == {"k1": [1], "e1": [1], "e2": [1], "7": [1]}
    queries = list(collection.queries())
    assert queries == list(documents.queries())


@pytest.mark.parametrize("form", ["passages", "documents"])
def test_unanswerable_questions(form: str) -> None:
    def made(unanswerable: str) -> Collection:
        return convert("asmachta", RAW, {**WINDOWS, "form": form, "unanswerable": unanswerable})

    kept, judged, dropped = made("keep"), made("judge"), made("drop")
    assert [q.query_id for q in kept.queries() if q.metadata.get("answerable") is False] == ["k2"]
    assert "k2" not in judgments(kept)
    assert judgments(judged) == {**judgments(kept), "k2": [1, 1, 1] if form == "passages" else [1]}
    assert [q.query_id for q in dropped.queries()] == ["k1", "e1", "e2", "7"]
    assert list(dropped.documents()) == list(kept.documents())
    assert judgments(dropped) == judgments(kept)


def test_offsets_of_utf_16_are_refused_by_line_and_converted_when_told(tmp_path: Path) -> None:
    given = records()
    for record in given:
        for claim in record["claims"]:
            for span in claim["attribution"]:
                for end in ("start_char", "end_char"):
                    before = record["source_text"][: span[end]]
                    span[end] = len(before.encode("utf-16-le")) // 2
    path = written(tmp_path, given)
    collection = convert("asmachta", path, WINDOWS)
    with pytest.raises(DataError, match=r"claim 1 of record 'k1' .* --set offsets=utf-16") as caught:
        list(collection.queries())
    assert (caught.value.path, caught.value.line) == (str(path), 2)
    converted = convert("asmachta", path, {**WINDOWS, "offsets": "utf-16"})
    assert list(converted.queries()) == list(convert("asmachta", RAW, WINDOWS).queries())
    with pytest.raises(DataError, match="count code points: leave offsets=utf-16 out"):
        list(convert("asmachta", RAW, {"offsets": "utf-16"}).queries())


def test_an_excerpt_that_stands_elsewhere_is_refused(tmp_path: Path) -> None:
    given = records()
    span = given[4]["claims"][0]["attribution"][0]
    span["start_char"], span["end_char"] = 0, len(span["source_excerpt"])
    with pytest.raises(DataError, match="it stands at 25"):
        list(convert("asmachta", written(tmp_path, given)).queries())


@pytest.mark.parametrize(
    ("change", "found"),
    [
        ({"id": "k2"}, "the id 'k2' stands there twice"),
        ({"source_text": None}, "is no record of Asmachta"),
        ({"difficulty": "1"}, "is no record of Asmachta"),
        ({"id": "a\tb"}, "control character"),
    ],
    ids=str,
)
def test_damaged_records_are_told_by_line(change: dict[str, Any], found: str, tmp_path: Path) -> None:
    given = records()
    given[2].update(change)
    path = written(tmp_path, given)
    with pytest.raises(DataError, match=found) as caught:
        list(convert("asmachta", path).queries())
    assert caught.value.line == 4


def test_json_lines_and_folders_are_read_alike(tmp_path: Path) -> None:
    lines = tmp_path / "asmachta.jsonl"
    lines.write_text("".join(json.dumps(record) + "\n" for record in records()), encoding="utf-8")
    wanted = list(convert("asmachta", RAW, WINDOWS).queries())
    assert list(convert("asmachta", lines, WINDOWS).queries()) == wanted
    assert list(convert("asmachta", tmp_path, WINDOWS).queries()) == wanted
    written(tmp_path, records())
    with pytest.raises(DataError, match="has 2 files"):
        convert("asmachta", tmp_path)


def test_distractors_are_cut_as_the_others_are_and_hashed(tmp_path: Path) -> None:
    write_folder(
        convert("asmachta", written(tmp_path, records()[4:]), {"form": "documents"}), tmp_path / "more"
    )
    few = written(tmp_path, records()[:2], "few.json")
    collection = convert("asmachta", few, {**WINDOWS, "distractors": str(tmp_path / "more")})
    assert len(list(collection.documents())) == 5
    assert {query.query_id for query in collection.queries()} == {"k1", "k2"}
    assert "distractors/corpus.jsonl" in collection.provenance.inputs
    with pytest.raises(DataError, match="does not exist"):
        convert("asmachta", few, {"distractors": str(tmp_path / "absent")})


@pytest.mark.parametrize(
    ("options", "message"),
    [({"overlap": 400}, "overlap is 400"), ({"size": 50}, "overlap is 80"), ({"size": 0}, "size is 0")],
)
def test_windows_that_cannot_be_cut_are_refused(options: dict[str, int], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        convert("asmachta", RAW, options)


def test_spans_stand_beside_the_judgments_and_are_read_back(tmp_path: Path) -> None:
    collection = convert("asmachta", RAW, WINDOWS)
    manifest = write_folder(collection, tmp_path / "out")
    assert "qrels/test.spans.jsonl" in manifest.files
    back = open_folder(tmp_path / "out")
    assert back.splits == ("test",)
    spans = list(back.spans["test"]())
    assert spans == list(collection.spans["test"]())
    excerpts = {
        (str(record["id"]), span["source_excerpt"])
        for record in records()
        for claim in record["claims"]
        for span in claim["attribution"]
    }
    texts = {str(record["id"]): record["source_text"] for record in records()}
    assert {(s.query_id, texts[s.query_id][s.start : s.end]) for s in spans} == excerpts


def test_spans_survive_conversion_mending_and_sampling(tmp_path: Path) -> None:
    write_folder(convert("asmachta", RAW, {"form": "documents"}), tmp_path / "out")
    wanted = list(open_folder(tmp_path / "out").spans["test"]())
    copied = convert("beir", tmp_path / "out")
    assert list(copied.spans["test"]()) == wanted
    mended = mend_folder(tmp_path / "out", tmp_path / "mended")
    assert list(open_folder(tmp_path / "mended").spans["test"]()) == wanted
    assert "qrels/test.spans.jsonl" in mended.manifest.files
    part = sample(open_folder(tmp_path / "out"), "test", queries=2)
    kept = {query.query_id for query in part.queries()}
    assert list(part.spans["test"]()) == [span for span in wanted if span.query_id in kept]
    assert [f.code for f in check_folder(tmp_path / "out")] == ["BK038"]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"query-id": "q", "corpus-id": "d", "start": 3}', "is no span"),
        ('{"query-id": "q", "corpus-id": "d", "start": 3, "end": 3}', "a span from 3 to 3 is none"),
        ('{"query-id": "", "corpus-id": "d", "start": 3, "end": 4}', "an id"),
        ("x", "is no span"),
    ],
)
def test_damaged_spans_are_told_by_line(line: str, message: str, tmp_path: Path) -> None:
    write_folder(convert("asmachta", RAW, {"form": "documents"}), tmp_path / "out")
    path = tmp_path / "out" / "qrels" / "test.spans.jsonl"
    path.write_text(f"{path.read_text(encoding='utf-8')}\n{line}\n", encoding="utf-8")
    with pytest.raises(DataError, match=message) as caught:
        list(open_folder(tmp_path / "out").spans["test"]())
    assert caught.value.line == 8


def test_datasets_differ_in_their_documents_alone(tmp_path: Path) -> None:
    for name in ("passages", "documents"):
        convert_source(f"asmachta-{name}", RAW, tmp_path / name, {})
    queries = [(tmp_path / name / "queries.jsonl").read_bytes() for name in ("passages", "documents")]
    assert queries[0] == queries[1]


def test_the_fixture_is_as_the_card_says() -> None:
    assert list(check_records(RAW)) == []


@pytest.mark.parametrize(
    ("place", "change", "found"),
    [
        (0, {"genre": "poetry"}, "the genre is 'poetry'"),
        (0, {"difficulty": 3}, "the difficulty is 3"),
        (0, {"difficulty": 0}, "its difficulty is 0, unanswerable, and it has 2 claims"),
        (1, {"difficulty": 2}, "its difficulty is 2, and it has no claim"),
        (2, {"claims": [{"text": "x"}]}, "claim 1 has no attribution"),
        (3, {"human_ratings": {"a": [1, 2, 2, 1]}}, "its ratings are 1 × 4, not of 4 annotators in 5"),
        (3, {"human_ratings": {name: [1, 2, 3, 1] for name in "abcde"}}, "a rating is 3, none of 0, 1, 2"),
        (3, {"human_ratings": None}, "it has no human_ratings"),
    ],
    ids=str,
)
def test_departures_from_the_card(place: int, change: dict[str, Any], found: str, tmp_path: Path) -> None:
    given = records()
    given[place].update(change)
    (problem,) = check_records(written(tmp_path, given))
    assert found in problem.found
    assert problem.line == place + 2


def test_what_is_stored_as_verified_is_recomputed(tmp_path: Path) -> None:
    given = records()
    given[2]["claims"][0]["attribution"][0]["verified"] = False
    given[4]["claims"][0]["attribution"][0]["end_char"] = 99
    problems = [problem.found for problem in check_records(written(tmp_path, given))]
    assert problems == [
        "record 'e1': claim 1, span 0–24: verified is false, and it is not so",
        "record 7: claim 1, span 25–99: the excerpt does not stand there",
        "record 7: claim 1, span 25–99: verified is true, and it is not so",
    ]


def test_ratings_by_annotator_are_as_good_as_by_dimension(tmp_path: Path) -> None:
    given = records()
    given[0]["human_ratings"] = [{"annotator": n, **dict.fromkeys("abcde", 2)} for n in range(4)]
    given[1]["human_ratings"] = {f"annotator_{n}": dict.fromkeys("abcde", 0) for n in range(4)}
    assert list(check_records(written(tmp_path, given))) == []


def test_windows_that_tear_spans_of_heq(shared: Path) -> None:
    """First answers, in articles: paragraphs with a blank line between them."""
    path = shared / "data" / "heq_he" / "raw" / "val_v1.1.json"
    articles: list[tuple[str, list[tuple[int, int]]]] = []
    for article in json.loads(path.read_text(encoding="utf-8"))["data"]:
        text, spans = "", []
        for paragraph in article["paragraphs"]:
            text += "\n\n" if text else ""
            for question in paragraph["qas"]:
                if not question["is_impossible"]:
                    answer = question["answers"][0]
                    start = len(text) + answer["answer_start"]
                    spans.append((start, start + len(answer["text"])))
            text += paragraph["context"]
        articles.append((text, spans))
    assert sum(len(spans) for _, spans in articles) == 1058
    for size, overlap, torn in ((200, 0, 67), (200, 50, 7), (400, 80, 0)):
        rules = PassageRules(size=size, overlap=overlap)
        found = 0
        for text, spans in articles:
            cut = windows(text, rules)
            found += sum(not any(a <= start and end <= b for a, b in cut) for start, end in spans)
        assert found == torn
