"""A benchmark small enough to know every right answer of."""

from __future__ import annotations

from pathlib import Path

import pytest

DOCUMENTS = {
    "d1": ("Kestrel", "A small falcon that hovers over fields."),
    "d2": ("Barn owl", "A pale owl that hunts voles at night."),
    "d3": ("Red kite", "A large bird of prey with a forked tail."),
    "d4": ("Heron", "A grey wading bird that catches fish."),
}
QUERIES = {"q1": "falcon hovers", "q2": "owl at night", "q3": "forked tail", "q4": "penguin"}
QRELS = "query-id\tcorpus-id\tscore\nq1\td1\t2\nq1\td3\t1\nq2\td2\t1\nq3\td3\t1\nq4\td4\t1\n"


@pytest.fixture
def birds(tmp_path: Path) -> Path:
    """A BEIR folder of four documents and four judged queries; no word of q4 is in any document."""
    folder = tmp_path / "birds"
    (folder / "qrels").mkdir(parents=True)
    corpus = [f'{{"_id": "{i}", "title": "{t}", "text": "{x}"}}\n' for i, (t, x) in DOCUMENTS.items()]
    (folder / "corpus.jsonl").write_text("".join(corpus), encoding="utf-8")
    queries = [f'{{"_id": "{i}", "text": "{x}"}}\n' for i, x in QUERIES.items()]
    (folder / "queries.jsonl").write_text("".join(queries), encoding="utf-8")
    (folder / "qrels" / "test.tsv").write_text(QRELS, encoding="utf-8")
    return folder


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home of its own for every test, and a working folder that is thrown away."""
    folder = tmp_path / "home"
    monkeypatch.setenv("BEIRKIT_HOME", str(folder))
    monkeypatch.chdir(tmp_path)
    return folder
