"""Signal-1M: what is taken out of tweets, which articles are queries, both forms of the files."""

from __future__ import annotations

import gzip
import shutil
from collections import Counter
from pathlib import Path

import pytest

from beirkit.configs.load import load_dataset
from beirkit.converters.catalog import convert
from beirkit.corpora.errors import DataError
from tests.house.published import published_queries

RAW = Path(__file__).parent.parent / "fixtures" / "signal1m" / "raw"


def test_published_queries_and_judgments_come_through_unchanged(shared: Path, tmp_path: Path) -> None:
    """The raw judgments are not handed out; BEIR's own are read in their place."""
    beir = shared / "data" / "signal1m" / "beir"
    published = published_queries(beir / "topics.beir-v1.0.0-signal1m.test.tsv.gz")
    (tmp_path / "articles.tsv").write_text("".join(f"{key}\t{text}\n" for key, text in published.items()))
    (tmp_path / "tweets.tsv").write_text("1\ta tweet\n")
    shutil.copy(beir / "qrels.beir-v1.0.0-signal1m.test.txt", tmp_path)
    collection = convert("signal1m", tmp_path, load_dataset("signal1m").options)
    assert {query.query_id: query.text for query in collection.queries()} == published
    expected = load_dataset("signal1m").expected
    assert expected is not None
    assert Counter(row.relevance for row in collection.judgments("test")) == expected.judgments["test"]
    assert len(published) == expected.queries


def cleaned(tmp_path: Path, text: str) -> list[str]:
    (tmp_path / "tweets.tsv").write_text(f"1\t{text}\n", encoding="utf-8")
    (tmp_path / "topics.tsv").write_text("q\tx\n")
    (tmp_path / "qrels.txt").write_text("q 0 1 1\n")
    return [document.text for document in convert("signal1m", tmp_path).documents()]


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("Hi \U0001f600 http://t.co/x", ["Hi"]),
        ("a https://t.co/x, b", ["a  b"]),
        ("seen at:http://t.co/x", ["seen at:"]),
        ("\U0001f680\U0001f30d\U0001f1ee\U0001f1f1 \U0001f916 \u2600", ["\U0001f916 \u2600"]),
        ("no htt", ["no htt"]),
        ("a\tb &amp; c", ["a\tb &amp; c"]),
        (" http://t.co/x \U0001f600", []),
    ],
)
def test_emoji_of_four_ranges_and_links_are_taken_out(tmp_path: Path, text: str, left: list[str]) -> None:
    assert cleaned(tmp_path, text) == left


def test_only_judged_articles_are_queries() -> None:
    assert [query.query_id for query in convert("signal1m", RAW).queries()] == ["f7ca322d"]
    collection = convert("signal1m", RAW, {"only_relevant": False})
    assert [query.query_id for query in collection.queries()] == ["f7ca322d", "0001"]
    assert Counter(row.relevance for row in collection.judgments("test")) == {0: 2, 1: 1, 2: 1}


def test_what_is_left_out_is_told(caplog: pytest.LogCaptureFixture) -> None:
    collection = convert("signal1m", RAW)
    assert len(list(collection.documents())) == 3
    list(collection.judgments("test"))
    assert "tweets without text but emoji and links, left out: 2" in caplog.text
    assert "1 judgments of topics without a relevant document left out" in caplog.text
    assert "1 judgments of a grade below 1 left out" in caplog.text


def copied(tmp_path: Path) -> Path:
    for path in RAW.iterdir():
        shutil.copy(path, tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("name", "old", "new", "message"),
    [
        ("more-tweets.tsv", "9\t", "9 ", r"more-tweets\.tsv:3: has no tab between id and text"),
        ("more-tweets.tsv", "9\t", "\t", r"more-tweets\.tsv:3: has no id"),
        ("tweets.jsonl", '"id_str": "7", ', "", r"tweets\.jsonl:3: has no 'id_str'"),
        ("tweets.jsonl", '"full_text": "Two', '"text": "One', r"tweets\.jsonl:2: "),
    ],
)
def test_a_damaged_tweet_is_refused_with_its_line(
    tmp_path: Path, name: str, old: str, new: str, message: str
) -> None:
    source = copied(tmp_path)
    path = source / name
    changed = path.read_text().replace(old, new)
    assert changed != path.read_text()
    path.write_text(changed.replace('"text": "Two"', '"text": 2'))
    with pytest.raises(DataError, match=message):
        list(convert("signal1m", source).documents())


@pytest.mark.parametrize(
    ("gone", "what"),
    [("signal-1m.jsonl", "the articles"), ("signal1m_tweets_qrels", "the judgments")],
)
def test_a_missing_file_is_named(tmp_path: Path, gone: str, what: str) -> None:
    source = copied(tmp_path)
    (source / gone).unlink()
    with pytest.raises(DataError, match=rf"has no file .*, which holds {what}"):
        convert("signal1m", source)


@pytest.mark.parametrize("ending", [".txt", ".tsv"])
def test_tweets_may_be_compressed(tmp_path: Path, ending: str) -> None:
    source = copied(tmp_path)
    packed = gzip.compress((source / "more-tweets.tsv").read_bytes())
    (source / f"packed-tweets{ending}.gz").write_bytes(packed)
    collection = convert("signal1m", source, {"tweets": "packed-*"})
    assert [document.doc_id for document in collection.documents()] == ["8"]


def test_files_are_named_by_options(tmp_path: Path) -> None:
    source = copied(tmp_path)
    (source / "signal-1m.jsonl").rename(source / "news.jsonl")
    collection = convert("signal1m", source, {"topics": "news.jsonl", "tweets": "tweets.jsonl"})
    assert [document.doc_id for document in collection.documents()] == ["5", "639043756038074369"]
    assert [query.text for query in collection.queries()] == ["VIDEO:Ferry  found"]
