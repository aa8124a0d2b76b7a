"""SciFact, out in each form that carries it whole and back."""

from __future__ import annotations

from pathlib import Path

import pytest

from beirkit.converters.catalog import convert
from beirkit.corpora.exports.catalog import export_folder
from beirkit.corpora.manifest import content_ids
from tests.corpora.exports.samples import FACTS, records

pytestmark = pytest.mark.slow


def test_scifact_comes_back_from_a_hubs_repository(shared: Path, tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    whole = convert("scifact", shared / "data/scifact/raw/scifact_hf_csv.zip")
    manifest = export_folder(whole, "hf-dataset", tmp_path / "out", FACTS)
    assert (manifest.counts.documents, manifest.counts.queries) == (5183, 1109)
    back = convert("huggingface", tmp_path / "out")
    assert content_ids(back) == manifest.content_ids
    assert list(back.queries()) == list(whole.queries())  # with their metadata, which content ids leave out


def test_scifact_comes_back_from_trec_but_for_white_space(shared: Path, tmp_path: Path) -> None:
    whole = convert("scifact", shared / "data/scifact/raw/scifact_hf_csv.zip")
    manifest = export_folder(whole, "trec", tmp_path / "out", FACTS)
    assert manifest.changed == {
        "documents with blanks instead of control characters": 2,
        "queries with single blanks instead of other white space or control characters": 5,
        "queries without their metadata": 693,
    }
    documents, queries, judgments = records(convert("trec", tmp_path / "out", {"documents": ["documents/*"]}))
    sent = records(whole)
    assert judgments == sent[2]
    assert [query.text for query in queries] == [" ".join(query.text.split()) for query in sent[1]]
    folded = 0
    for came, went in zip(documents, sent[0], strict=True):
        assert came.doc_id == went.doc_id
        assert _letters(came.title + came.text) == _letters(went.title + went.text)
        folded += (came.title, came.text) != (went.title, went.text)
    assert folded == 86


def _letters(text: str) -> str:
    return "".join(character for character in text if character.isprintable() and not character.isspace())
