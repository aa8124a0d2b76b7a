"""NFCorpus: levels of links, the splits of BEIR, and which documents and queries are left."""

from __future__ import annotations

import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from beirkit.configs.load import load_dataset
from beirkit.converters.catalog import convert
from beirkit.corpora.collection import Collection
from beirkit.corpora.errors import DataError
from beirkit.corpora.qrels import read_qrels
from tests.house.published import published_queries

RAW = Path(__file__).parent.parent / "fixtures" / "nfcorpus" / "raw"
SPLITS = ("train", "dev", "test")


@pytest.fixture
def release(tmp_path: Path) -> Path:
    shutil.copytree(RAW, tmp_path / "raw")
    return tmp_path / "raw"


def real(shared: Path, **options: Any) -> Collection:
    """The real release, whose documents and original titles are not handed out."""
    raw = shared / "data" / "nfcorpus" / "raw"
    return convert("nfcorpus", raw, {"titles": "filtered", "without_documents": True, **options})


@pytest.mark.parametrize("split", SPLITS)
def test_one_off_each_level_gives_the_release_s_own_files_of_two_levels(split: str, shared: Path) -> None:
    (own,) = (shared / "data" / "nfcorpus" / "raw").glob(f"{split}.2-1-0.qrel*")
    assert real(shared, grades="2-1-0").qrels(split) == read_qrels(own)


def test_the_test_split_is_the_published_one(shared: Path) -> None:
    published = shared / "data" / "nfcorpus" / "beir" / "qrels.beir-v1.0.0-nfcorpus.test.txt"
    assert real(shared).qrels("test") == read_qrels(published)


def test_real_grades_and_queries_are_counted_as_expected(shared: Path) -> None:
    collection = real(shared)
    expected = load_dataset("nfcorpus").expected
    assert expected is not None
    grades = {split: Counter(j.relevance for j in collection.judgments(split)) for split in SPLITS}
    assert grades == expected.judgments
    queries = list(collection.queries())
    assert len(queries) == expected.queries
    judged = {j.doc_id for split in SPLITS for j in collection.judgments(split)}
    assert len(judged) == expected.documents
    published = published_queries(
        shared / "data" / "nfcorpus" / "beir" / "topics.beir-v1.0.0-nfcorpus.test.tsv.gz"
    )
    assert set(published) <= {query.query_id for query in queries}


def test_real_levels_can_be_kept(shared: Path) -> None:
    grades = Counter(j.relevance for j in real(shared, grades="3-2-1").judgments("test"))
    assert grades == {3: 576, 2: 11758, 1: 3486}


def test_training_has_two_grades_where_beir_s_rule_is_not_asked_for() -> None:
    assert convert("nfcorpus", RAW).qrels("train") == {"PLAIN-4": {"MED-12": 1, "MED-10": 1}}
    assert convert("nfcorpus", RAW, {"grades": "2-1-0"}).qrels("train") == {
        "PLAIN-4": {"MED-12": 2, "MED-10": 1}
    }
    assert convert("nfcorpus", RAW, {"grades": "3-2-1"}).qrels("train") == {
        "PLAIN-4": {"MED-12": 3, "MED-10": 2, "MED-13": 1}
    }


def test_the_corpus_can_be_whole_and_grows_with_the_lowest_level() -> None:
    def ids(**options: str) -> list[str]:
        return [document.doc_id for document in convert("nfcorpus", RAW, options).documents()]

    assert ids() == ["MED-10", "MED-11", "MED-12"]
    assert ids(grades="3-2-1") == ["MED-10", "MED-11", "MED-12", "MED-13"]
    assert ids(corpus="all") == ["MED-10", "MED-11", "MED-12", "MED-13", "MED-14"]


def test_the_files_of_two_levels_do_where_the_others_are_not_there(release: Path) -> None:
    (release / "test.3-2-1.qrel").unlink()
    assert convert("nfcorpus", release).qrels("test") == convert("nfcorpus", RAW).qrels("test")
    with pytest.raises(DataError, match=r"has no file test\.3-2-1\.qrel, which holds the judgments of test"):
        convert("nfcorpus", release, {"grades": "3-2-1"})


def test_a_judged_page_without_title_is_refused(release: Path) -> None:
    pages = release / "raw" / "nfdump.txt"
    pages.write_text("".join(line for line in pages.open() if not line.startswith("PLAIN-2\t")))
    with pytest.raises(DataError, match="1 judged queries have no title, such as PLAIN-2"):
        list(convert("nfcorpus", release).queries())


def test_a_line_with_too_few_columns_is_named(release: Path) -> None:
    corpus = release / "raw" / "doc_dump.txt"
    corpus.write_text(corpus.read_text().replace("Water\t\n", "Water\n"))
    with pytest.raises(DataError, match=r"doc_dump\.txt:3: has 3 columns instead of 4 \(needed are: id, url"):
        list(convert("nfcorpus", release).documents())
