"""TREC collections: Robust04's queries as BEIR has them, other people's samples, splits, what is refused."""

from __future__ import annotations

import json
import shutil
import tarfile
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from beirkit.configs.load import load_dataset
from beirkit.converters.catalog import convert
from beirkit.corpora.collection import Collection
from beirkit.corpora.errors import ConfigError, DataError
from beirkit.corpora.folder import open_folder, write_folder
from beirkit.corpora.records import Document
from tests.house.published import published_queries

RAW = Path(__file__).parent.parent / "fixtures" / "trec" / "raw"
OPTIONS: dict[str, Any] = json.loads((RAW.parent / "options.json").read_text())


def samples(shared: Path) -> Path:
    return shared / "data" / "raw_formats" / "anserini_fixtures"


def with_task(tmp_path: Path, documents: Path, topics: Path | None = None) -> Path:
    """A source of other people's documents, with a topic and a judgment."""
    source = tmp_path / documents.name
    source.mkdir()
    for path in documents.iterdir():
        shutil.copy(path, source / path.name)
    shutil.copy(topics, source / "topics.txt") if topics else (source / "topics.txt").write_text("1\tx\n")
    (source / "qrels.txt").write_text("1 0 DOC222 1\n")
    return source


def test_robust04s_queries_are_beirs_byte_for_byte(shared: Path, tmp_path: Path) -> None:
    folder = shared / "data" / "robust04"
    shutil.copy(folder / "raw" / "topics.robust04.txt", tmp_path)
    published = published_queries(folder / "beir" / "topics.beir-v1.0.0-robust04.test.tsv.gz")
    # The track's judgments are too large to be handed out; all of those of topic 672 are of grade 0.
    judged = "".join(f"{number} 0 FT911-1 {int(number != '672')}\n" for number in [*published, "672"])
    (tmp_path / "qrels.robust04.txt").write_text(judged)
    options = {**load_dataset("robust04").options, "without_documents": True}
    collection = convert("trec", tmp_path, options)
    queries = {query.query_id: query.text for query in collection.queries()}
    assert len(queries) == 249
    assert queries == published
    assert list(queries) == sorted(published, key=int)
    assert "\t" in queries["350"]
    assert len(list(collection.judgments("test"))) == 249
    every = convert("trec", tmp_path, {**options, "keep_topics": "judged"})
    assert {query.query_id for query in every.queries()} - queries.keys() == {"672"}


def test_the_trec_form_of_cranfield_has_the_texts_of_the_smart_form(shared: Path) -> None:
    folder = shared / "data" / "cranfield"
    options = {"documents": ["cran.all*"], "topics": "cran.qry.xml", "qrels": {"test": "cranqrel*"}}
    collection = convert("trec", folder / "raw" / "trec", options)
    smart = {document.doc_id: document for document in open_folder(folder / "beir").documents()}
    documents = list(collection.documents())
    differing = [
        d.doc_id for d in documents if (smart[d.doc_id].title, smart[d.doc_id].text) != (d.title, d.text)
    ]
    assert len(documents) == 1400
    assert len(differing) == 3  # in the SMART file lines of these got into other fields
    assert len(list(collection.queries())) == 225
    assert Counter(j.relevance for j in collection.judgments("test")) == {1: 1611, 0: 225, 3: 1}


def test_samples_of_trec_documents_load(shared: Path, tmp_path: Path) -> None:
    docs = samples(shared) / "sample_docs" / "trec"
    source = with_task(tmp_path, docs / "collection2", samples(shared) / "sample_topics" / "Trec")
    collection = convert("trec", source)
    assert list(collection.documents()) == [
        Document("TREC_DOC_1", "This is head", "very simple text"),
        Document("DOC222", "HEAD", "simple enough text text text"),
        Document("WSJ_1", "head text", "content"),
    ]
    (query,) = collection.queries()
    assert (query.query_id, query.text) == ("001", "simple text")
    other = convert("trec", with_task(tmp_path, docs / "collection1"))
    assert [document.doc_id for document in other.documents()] == ["AP-0001", "doc2"]


def test_a_sample_of_web_pages_loads_but_for_the_damaged_one(
    shared: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    source = with_task(tmp_path, samples(shared) / "sample_docs" / "trecweb" / "collection1")
    with pytest.raises(DataError, match=r"segment1\.txt:10: the document has no <DOCNO>"):
        list(convert("trec", source).documents())
    documents = list(convert("trec", source, {"skip_documents_without_id": True}).documents())
    text = "Wh at ever here will be parsed asdf"
    assert documents == [Document("WEB-0001", "", text), Document("WEB-0003", "", text)]
    assert "documents without an id, left out: 1 (segment1.txt:10)" in caplog.text


def test_other_topics_of_the_samples_load(shared: Path, tmp_path: Path) -> None:
    topics = samples(shared) / "sample_topics"
    documents = samples(shared) / "sample_docs" / "trec" / "collection3"
    source = with_task(tmp_path, documents, topics / "Microblog")
    options = {"field": "query", "query_metadata": ["all"]}
    (query,) = convert("trec", source, options).queries()
    assert (query.query_id, query.text) == ("MB001", "think tweet")
    assert query.metadata == {
        "query": "think tweet", "querytime": "Sat Mar 02 10:43:45 EST 2013", "querytweettime": "7",
    }  # fmt: skip


def test_a_tar_gives_what_the_folder_gives(tmp_path: Path) -> None:
    with tarfile.open(tmp_path / "disks.tar.gz", "w:gz") as tar:
        tar.add(RAW, "disks")
    packed, plain = convert("trec", tmp_path / "disks.tar.gz", OPTIONS), convert("trec", RAW, OPTIONS)
    assert list(packed.documents()) == list(plain.documents())
    assert list(packed.queries()) == list(plain.queries())
    assert packed.splits == plain.splits == ("test", "train")


def test_one_pattern_of_documents_needs_no_list() -> None:
    collection = convert("trec", RAW, {**OPTIONS, "documents": "docs/b/*"})
    assert [document.doc_id for document in collection.documents()] == ["NT-9", "EMPTY-1", "WEB-1"]
    assert list(convert("trec", RAW, {**OPTIONS, "documents": ["docs/b/*"]}).documents()) == list(
        collection.documents()
    )
    with pytest.raises(DataError, match=r"has no file of documents docs/c/\* "):
        convert("trec", RAW, {**OPTIONS, "documents": "docs/c/*"})


def test_documents_come_in_the_order_of_the_files_names(tmp_path: Path) -> None:
    numbers = [3, 1, 2, 11, 10]
    for number in numbers:
        path = tmp_path / "docs" / f"d{number % 2}" / f"part{number:02}"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"<DOC><DOCNO>D{number}</DOCNO><TEXT>t</TEXT></DOC>")
    (tmp_path / "topics.txt").write_text("1\tx\n")
    (tmp_path / "qrels.txt").write_text("1 0 D1 1\n")
    assert [d.doc_id for d in convert("trec", tmp_path).documents()] == ["D2", "D10", "D1", "D3", "D11"]


def test_without_documents_topics_and_judgments_are_written(tmp_path: Path) -> None:
    source = tmp_path / "source"
    shutil.copytree(RAW, source)
    shutil.rmtree(source / "docs")
    options = {key: value for key, value in OPTIONS.items() if key != "documents"}
    with pytest.raises(DataError, match=r"has no file of documents .*without_documents=true"):
        convert("trec", source, options)
    collection = convert("trec", source, {**options, "without_documents": True})
    manifest = write_folder(collection, tmp_path / "out")
    assert manifest.counts.documents == 0
    assert manifest.counts.queries == 2
    assert sum(manifest.counts.splits["test"].grades.values()) == 3


def minimal(
    tmp_path: Path, files: dict[str, str], topics: str = "1\tx\n2\ty\n3\tz\n", **options: Any
) -> Collection:
    (tmp_path / "topics.txt").write_text(topics)
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    return convert("trec", tmp_path, {"without_documents": True, **options})


ROWS = "1 0 a 1\n2 0 a 0\n"


@pytest.mark.parametrize(
    ("keep", "queries", "judgments"), [("all", "123", 2), ("judged", "12", 2), ("relevant", "1", 1)]
)
def test_which_topics_are_kept(tmp_path: Path, keep: str, queries: str, judgments: int) -> None:
    collection = minimal(tmp_path, {"qrels.txt": ROWS}, keep_topics=keep)
    assert [query.query_id for query in collection.queries()] == list(queries)
    assert len(list(collection.judgments("test"))) == judgments


def test_a_topic_that_is_judged_in_any_split_is_kept(tmp_path: Path) -> None:
    files = {"qrels.dev.txt": "3 0 a 1\n", "my-qrels-training.txt.x": "1 0 a 1\n", "qrels.txt": "2 0 a 1\n"}
    collection = minimal(tmp_path, files, keep_topics="relevant")
    assert collection.splits == ("dev", "test", "train")
    assert [query.query_id for query in collection.queries()] == ["1", "2", "3"]


def test_splits_are_given_by_pattern(tmp_path: Path) -> None:
    files = {"qrels.covid-round1.txt": "1 1 a 1\n", "qrels.covid-round2.txt": "2 2 a 1\n"}
    with pytest.raises(
        DataError, match=r"has 2 files of judgments for test: .*--set qrels\.test=qrels\.covid-r"
    ):
        minimal(tmp_path, files)
    both = minimal(tmp_path, files, qrels={"eval": "*covid-round*"})
    assert [judgment.query_id for judgment in both.judgments("eval")] == ["1", "2"]
    assert sorted(both.provenance.inputs) == [*files, "topics.txt"]
    with pytest.raises(DataError, match=r"has no file \*round9\*, which holds judgments of test"):
        minimal(tmp_path, files, qrels={"test": "*round9*"})


def test_grades_are_mapped_completely_or_refused(tmp_path: Path) -> None:
    collection = minimal(tmp_path, {"qrels.txt": "1 0 a 16\n1 0 b 3\n"}, grades={"16": 4})
    with pytest.raises(DataError, match=r"qrels\.txt: query '1' and document 'b' have grade 3, which grades"):
        list(collection.judgments("test"))


def test_topics_of_several_files_agree(tmp_path: Path) -> None:
    (tmp_path / "topics.more.tsv").write_text("3\tz\n4\tv\n")
    collection = minimal(tmp_path, {"qrels.txt": ROWS})
    assert [query.query_id for query in collection.queries()] == ["3", "4", "1", "2"]
    (tmp_path / "topics.more.tsv").write_text("3\tother\n")
    with pytest.raises(DataError, match=r"topics\.txt:3: topic 3 has another text in topics\.more\.tsv:1"):
        list(collection.queries())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"encoding": "utf-9"}, "encoding 'utf-9' is none that Python knows"),
        ({"text_tags": []}, "text_tags is empty"),
        ({"keep_topics": "some"}, "keep_topics"),
        ({"topics_format": "json"}, "topics_format"),
    ],
)
def test_options_that_cannot_be_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        convert("trec", RAW, {**OPTIONS, **options})
