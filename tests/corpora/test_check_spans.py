"""What `beirkit check` finds in ``qrels/<split>.spans.jsonl``."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from beirkit.converters.catalog import convert
from beirkit.corpora.check import check_folder
from beirkit.corpora.codes import CODES
from beirkit.corpora.folder import write_folder

RECORDS = Path(__file__).parents[1] / "fixtures" / "asmachta" / "raw.json"


def span(**changes: Any) -> str:
    fields = {"query-id": "q1", "corpus-id": "d1", "start": 0, "end": 3, **changes}
    return json.dumps({key: value for key, value in fields.items() if value is not None}) + "\n"


def told(folder: Path) -> list[tuple[str, str, int | None]]:
    return [(f.code, f.path, f.line) for f in check_folder(folder) if f.code != "BK038"]


@pytest.fixture
def spans(folder: Path) -> Path:
    """The file of spans of the room's folder, with one span in it that is right."""
    (folder / "qrels" / "dev.tsv").unlink()
    path = folder / "qrels" / "test.spans.jsonl"
    path.write_text(span(), encoding="utf-8")
    assert told(folder) == []
    return path


@pytest.mark.parametrize(
    ("line", "code", "found"),
    [
        ("x\n", "BK060", "is no span"),
        (span(end=None), "BK060", "missing required field `end`"),
        (span(start="0"), "BK060", "Expected `int`"),
        (span(end=0), "BK060", "a span from 0 to 0 is none"),
        (span(start=-1), "BK060", "a span from -1 to 3 is none"),
        (span(**{"query-id": ""}), "BK060", "an id is empty"),
        (span(**{"query-id": "q9"}), "BK061", "a span answers query 'q9', which has no text"),
        (span(end=999), "BK062", "'d1' for query 'q1' ends beyond the text, which has "),
        (span(**{"corpus-id": "d9"}), "BK063", "the span 0–3 of 'd9' for query 'q1' is of no document"),
        (span(), "BK064", "stands again, as on line 1"),
        (span(**{"query-id": "q3"}), "BK066", "query 'q3' has a span and no relevant document in this split"),
    ],
)
def test_defects_of_spans(spans: Path, line: str, code: str, found: str) -> None:
    spans.write_text(span() + "\n" + line, encoding="utf-8")  # a blank line is none
    [finding] = (f for f in check_folder(spans.parent.parent) if f.code != "BK038")
    assert (finding.code, finding.path, finding.line) == (code, "qrels/test.spans.jsonl", 3)
    assert found in finding.found
    assert finding.severity == CODES[code].severity


def test_spans_are_read_compressed_and_told_where_they_end_early(spans: Path) -> None:
    data = gzip.compress((span(end=999) * 3).encode(), mtime=0)
    spans.unlink()
    packed = spans.with_name("test.spans.jsonl.gz")
    packed.write_bytes(data)
    name = "qrels/test.spans.jsonl.gz"
    folder = spans.parent.parent
    assert told(folder) == [("BK062", name, 1), ("BK064", name, 2), ("BK064", name, 3)]
    packed.write_bytes(data[:-9])
    assert "BK001" in {code for code, _, _ in told(folder)}


def test_nothing_is_called_absent_where_the_corpus_cannot_be_read(spans: Path) -> None:
    spans.write_text(span(**{"corpus-id": "d9"}), encoding="utf-8")
    with (spans.parent.parent / "corpus.jsonl").open("a", encoding="utf-8") as out:
        out.write('{"_id": "d9", "title": \n')
    assert [code for code, _, _ in told(spans.parent.parent)] == ["BK002"]


def test_spans_of_passages_are_held_to_the_last_one(tmp_path: Path) -> None:
    made = tmp_path / "made"
    write_folder(convert("asmachta", RECORDS, {"size": 40, "overlap": 10}), made)
    (made / "manifest.json").unlink()
    assert told(made) == []
    path = made / "qrels" / "test.spans.jsonl"
    first = json.loads(path.read_text(encoding="utf-8").splitlines()[0])
    wrong = {**first, "end": 10_000}
    path.write_text(json.dumps(wrong) + "\n", encoding="utf-8")
    assert told(made) == [("BK062", "qrels/test.spans.jsonl", 1)]
    path.write_text(json.dumps(first) + "\n", encoding="utf-8")
    corpus = made / "corpus.jsonl"
    lines = corpus.read_text(encoding="utf-8").splitlines()
    for number, line in enumerate(lines):
        passage = json.loads(line)
        if passage["metadata"]["doc"] == first["corpus-id"] and passage["metadata"]["start"] == 0:
            passage["text"] = passage["text"][1:]
            lines[number] = json.dumps(passage, ensure_ascii=False)
    corpus.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    [(code, name, _)] = told(made)
    assert (code, name) == ("BK065", "corpus.jsonl")
