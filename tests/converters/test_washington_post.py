"""TREC-NEWS: judgments as BEIR has them, titles looked up, paragraphs of HTML."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from beirkit.configs.load import load_dataset
from beirkit.converters.catalog import convert
from beirkit.corpora.errors import DataError, MissingExtraError
from beirkit.corpora.qrels import read_qrels
from tests.house.published import published_queries

RAW = Path(__file__).parent.parent / "fixtures" / "washington-post" / "raw"
OPTIONS: dict[str, Any] = json.loads((RAW.parent / "options.json").read_text())


@pytest.fixture
def news(shared: Path, tmp_path: Path) -> Path:
    """The track's topics and judgments; of the articles, which are not public, ids and made up titles."""
    for path in (shared / "data" / "trec_news" / "raw").iterdir():
        shutil.copy(path, tmp_path)
    ids = [
        line.removeprefix("<docid>").removesuffix("</docid>")
        for line in (tmp_path / "topics.backgroundlinking19.txt").read_text().splitlines()
        if line.startswith("<docid>")
    ]
    articles = (json.dumps({"id": doc_id, "title": f"T {doc_id}", "contents": []}) for doc_id in ids)
    (tmp_path / "WashingtonPost.v2.jl").write_text("\n".join(articles))
    return tmp_path


def test_the_judgments_are_beirs(news: Path, shared: Path) -> None:
    collection = convert("washington-post", news, load_dataset("trec-news").options)
    published = read_qrels(shared / "data/trec_news/beir/qrels.beir-v1.0.0-trec-news.test.txt")
    rows = list(collection.judgments("test"))
    assert len(rows) == 15655
    assert collection.qrels("test") == published
    expected = load_dataset("trec-news").expected
    assert expected is not None
    grades = [row.relevance for row in rows]
    assert {grade: grades.count(grade) for grade in set(grades)} == expected.judgments["test"]


def test_the_queries_are_the_judged_topics_with_the_titles_of_their_articles(
    news: Path, shared: Path
) -> None:
    collection = convert("washington-post", news, load_dataset("trec-news").options)
    published = published_queries(shared / "data/trec_news/beir/topics.beir-v1.0.0-trec-news.test.tsv.gz")
    queries = list(collection.queries())
    assert {query.query_id for query in queries} == published.keys()
    assert len(queries) == 57
    assert all(query.text == f"T {query.metadata['docid']}" for query in queries)


def test_a_sample_of_articles_loads(shared: Path, tmp_path: Path) -> None:
    pytest.importorskip("html2text")
    samples = shared / "data" / "raw_formats" / "anserini_fixtures"
    shutil.copy(samples / "sample_docs/washingtonpost/collection2/articles.jl", tmp_path)
    shutil.copy(samples / "sample_topics/bglinking.txt", tmp_path / "topics.txt")
    (tmp_path / "qrels.txt").write_text("321 0 03049850-58e3-11e6-8b48-0cb344221131 1\n")
    collection = convert("washington-post", tmp_path)
    documents = list(collection.documents())
    (query,) = collection.queries()
    assert len(documents) == 4
    assert query.text == documents[0].title
    assert "according to a recent study by the Inter-Parliamentary Union." in documents[0].text
    assert not any(sign in document.text for document in documents for sign in ("<a", "](", "&amp;"))
    assert documents[0].text.startswith("It's a big year for women in politics.\nIn a historic first")


def test_another_sample_of_articles_loads(shared: Path, tmp_path: Path) -> None:
    samples = shared / "data" / "raw_formats" / "anserini_fixtures" / "sample_docs" / "washingtonpost"
    shutil.copy(samples / "collection1" / "articles.jl", copied(tmp_path) / "articles.jl")
    documents = list(convert("washington-post", tmp_path, OPTIONS).documents())
    assert [len(document.text.split("\n")) for document in documents] == [4, 3]
    assert documents[0].text.startswith("When traveling east:\n")
    assert documents[1].doc_id == "3BKCWWXFCAI6PJS5DLAP27YJPY"


def copied(tmp_path: Path) -> Path:
    for path in RAW.iterdir():
        shutil.copy(path, tmp_path)
    return tmp_path


def test_a_topic_whose_article_is_not_there_is_refused_with_its_line() -> None:
    with pytest.raises(DataError, match=r"topics\.txt:6: topic 902 names article not-here, which is not in"):
        list(convert("washington-post", RAW, {**OPTIONS, "keep_topics": "all"}).queries())


def test_an_article_without_a_title_is_no_query(tmp_path: Path) -> None:
    source = copied(tmp_path)
    topics = source / "topics.txt"
    topics.write_text(topics.read_text().replace("<docid>a-1", "<docid>b2"))
    with pytest.raises(DataError, match=r"topic 901 names article b2, which is not in .* or has no title"):
        list(convert("washington-post", source, OPTIONS).queries())


def test_other_topics_of_the_collection_have_texts_of_their_own(tmp_path: Path) -> None:
    source = copied(tmp_path)
    (source / "topics.txt").write_text(
        "<top>\n<num> 901\n<title>\nbells\n<desc> Description:\nOld bells.\n</top>"
    )
    (query,) = convert("washington-post", source, {"field": "title"}).queries()
    assert query.text == "bells"


def test_the_search_for_titles_ends_with_the_last_one(tmp_path: Path) -> None:
    source = copied(tmp_path)
    articles = source / "articles.jl"
    articles.write_text(articles.read_text() + "not JSON\n")
    assert [query.text for query in convert("washington-post", source, OPTIONS).queries()] == [
        "Old bells ring again"
    ]
    articles.write_text("not JSON\n" + articles.read_text())
    with pytest.raises(DataError, match=r"articles\.jl:1: is no article"):
        list(convert("washington-post", source, OPTIONS).queries())


def test_a_damaged_article_is_refused_with_its_line(tmp_path: Path) -> None:
    source = copied(tmp_path)
    articles = source / "articles.jl"
    articles.write_text(articles.read_text().replace('"contents": []', '"contents": "none"'))
    with pytest.raises(DataError, match=r"articles\.jl:3: column 'contents' is not a list but 'none'"):
        list(convert("washington-post", source, OPTIONS).documents())


def test_without_html2text_plain_paragraphs_are_read_and_the_extra_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "html2text", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'beirkit\[html\]'"):
        next(convert("washington-post", RAW, OPTIONS).documents())
    source = copied(tmp_path)
    articles = source / "articles.jl"
    articles.write_text("".join(articles.read_text().splitlines(keepends=True)[1:]))
    assert [document.text for document in convert("washington-post", source, OPTIONS).documents()] == [
        "No title here.", "",
    ]  # fmt: skip


def test_missing_articles_are_named(tmp_path: Path) -> None:
    source = copied(tmp_path)
    (source / "articles.jl").unlink()
    with pytest.raises(DataError, match=r"has no file \*\.jl or .*, which holds the articles"):
        convert("washington-post", source, OPTIONS)
