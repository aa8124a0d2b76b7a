from __future__ import annotations

import json
from pathlib import Path

from beirkit.corpora.folder import open_folder
from benchmarks import lexical
from benchmarks.synthetic import write

BIRDS = Path(__file__).parent.parent / "fixtures" / "beir" / "beir"


def test_a_corpus_is_made_alike_every_time(tmp_path: Path) -> None:
    made = []
    for name in ("one", "two"):
        folder = tmp_path / name
        folder.mkdir()
        write(BIRDS, folder, documents=30, queries=9)
        made.append([(folder / f"{file}.jsonl").read_bytes() for file in ("corpus", "queries")])
    assert made[0] == made[1]
    assert [len(file.splitlines()) for file in made[0]] == [30, 9]
    words = {word for line in made[0][0].splitlines() for word in json.loads(line)["text"].split()}
    real = {word for document in open_folder(BIRDS).documents() for word in (document.text or "").split()}
    assert words & real
    assert words - real


def test_only_peers_that_compute_the_same_are_compared() -> None:
    lexical._first.clear()
    assert lexical.differ(["words", [[1.0, 0.5]]], ["lucene", [[7.0]]]) == ""
    assert lexical.differ(["words", [[1.0, 0.5]]], ["words", [[1.0, 0.50001]]]) == ""
    assert "query 0 of words" in lexical.differ(["words", [[1.0, 0.5]]], ["words", [[1.0, 0.6]]])
    assert "query 0 of lucene" in lexical.differ(["words", [[1.0, 0.5]]], ["lucene", [[7.0, 6.0]]])
