"""The folders we write, read by beir's own loader."""

from __future__ import annotations

from pathlib import Path

import pytest

from beirkit.corpora.collection import Collection
from beirkit.corpora.folder import write_folder

pytestmark = pytest.mark.slow  # importing beir loads torch


def test_beirs_loader_takes_a_folder(tmp_path: Path) -> None:
    loaders = pytest.importorskip("beir.datasets.data_loader")
    corpus = {
        "d1": {"title": "Kestrel", "text": "A small\u2028falcon."},
        "d2": {"title": "", "text": "Hovers."},
    }
    queries = {"q1": "falcon", "q2": "unjudged"}
    qrels = {"q1": {"d1": 2, "d2": 0}}
    write_folder(Collection.from_dicts(corpus, queries, qrels), tmp_path / "birds")
    loaded, asked, judged = loaders.GenericDataLoader(str(tmp_path / "birds")).load(split="test")
    assert {doc_id: {key: row[key] for key in ("title", "text")} for doc_id, row in loaded.items()} == corpus
    assert asked == {"q1": "falcon"}
    assert judged == qrels
