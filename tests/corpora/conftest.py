"""A hand-written BEIR folder that every test of this room may change."""

from __future__ import annotations

from pathlib import Path

import pytest

CORPUS = """\
{"_id": "d1", "title": "Tides", "text": "The moon pulls the sea.", "metadata": {"year": 1901}}
{"_id": "d2", "title": "", "text": "Rain falls where warm air climbs.", "metadata": {}}
{"_id": "d3", "title": "Föhn", "text": "A dry wind on the lee side \U0001f32c", "metadata": {}}
{"_id": "d4", "title": "Dew", "text": "", "metadata": {}}
"""
QUERIES = """\
{"_id": "q1", "text": "what moves the sea", "metadata": {}}
{"_id": "q2", "text": "warm wind", "metadata": {"lang": "en"}}
{"_id": "q3", "text": "never judged", "metadata": {}}
"""
TEST = "query-id\tcorpus-id\tscore\nq1\td1\t2\nq1\td2\t0\nq2\td3\t1\n"
DEV = "query-id\tcorpus-id\tscore\nq2\td2\t1\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Four documents, three queries, two splits."""
    made = tmp_path / "weather"
    (made / "qrels").mkdir(parents=True)
    (made / "corpus.jsonl").write_text(CORPUS, encoding="utf-8")
    (made / "queries.jsonl").write_text(QUERIES, encoding="utf-8")
    (made / "qrels" / "test.tsv").write_text(TEST, encoding="utf-8")
    (made / "qrels" / "dev.tsv").write_text(DEV, encoding="utf-8")
    return made
