"""CQADupStack: clusters of duplicates, forums in folders and zips, and queries that are given."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from beirkit.configs.load import load_dataset, names
from beirkit.converters.catalog import convert
from beirkit.corpora.errors import DataError
from beirkit.corpora.qrels import read_qrels

RAW = Path(__file__).parent.parent / "fixtures" / "cqadupstack" / "raw"
FORUMS = [name for name in names("datasets") if name.startswith("cqadupstack-")]


def post(**fields: Any) -> dict[str, Any]:
    return {"title": "t", "body": "b", "dups": {}, "tags": [], **fields}


def forum(folder: Path, threads: dict[str, Any]) -> Path:
    (folder / "gis_questions.json").write_text(json.dumps(threads))
    return folder


def test_there_are_twelve_forums_whose_counts_add_up_to_the_published_ones() -> None:
    expected = [load_dataset(name).expected for name in FORUMS]
    assert len(FORUMS) == 12
    assert sum(one.documents or 0 for one in expected if one) == 457199
    assert sum(one.queries or 0 for one in expected if one) == 13145
    assert sum(one.judgments["test"][1] for one in expected if one) == 23703
    assert {load_dataset(name).options["forum"] for name in FORUMS} == {name[12:] for name in FORUMS}


@pytest.mark.parametrize("name", FORUMS)
def test_published_queries_stand_for_clusters_that_do_not_meet(name: str, shared: Path) -> None:
    qrels = read_qrels(shared / "data" / "cqadupstack" / "beir" / f"qrels.beir-v1.0.0-{name}.test.txt")
    judged = [doc_id for row in qrels.values() for doc_id in row]
    assert len(set(judged)) == len(judged)
    assert not set(judged) & qrels.keys()
    pairs = [(int(query_id), int(*row)) for query_id, row in qrels.items() if len(row) == 1]
    older = sum(query_id < doc_id for query_id, doc_id in pairs)
    assert 0.4 < older / len(pairs) < 0.6  # the query is neither always the older thread nor the newer


def test_duplicates_of_duplicates_are_one_cluster_and_the_first_asked_is_the_query(tmp_path: Path) -> None:
    threads = {
        "30": post(dups=["9"]), "9": post(), "100": post(dups={"30": {"voters": []}}), "5": post(),
        "7": post(dups=["8"]), "8": post(dups=["7"]),
    }  # fmt: skip
    collection = convert("cqadupstack", forum(tmp_path, threads), {"body": "html"})
    assert collection.qrels("test") == {"9": {"30": 1, "100": 1}, "7": {"8": 1}}
    assert [query.query_id for query in collection.queries()] == ["9", "7"]
    assert [document.doc_id for document in collection.documents()] == ["30", "100", "5", "8"]


def test_posts_become_the_text_that_html2text_writes(tmp_path: Path) -> None:
    """The shapes are those of published posts: code, quotes, lists, emphasis and images."""
    pytest.importorskip("html2text")
    bodies = {
        "1": "<p>Like this?</p>\n\n<pre><code>a  b\nc\n</code></pre>\n\n<p>It <em>fails</em>.</p>",
        "2": "<blockquote>\n  <p><strong>Possible Duplicate:</strong><br>\n  "
        "<a href='http://x/1'>First</a>  </p>\n</blockquote>\n\n<p>I want</p>",
        "3": "<p>Which?</p>\n<ul>\n<li>this</li>\n</ul>\n<p><img src='http://x/i.png' alt='a map'></p>",
        "4": "no markup \n at all",
    }
    raw = forum(tmp_path, {name: post(body=body) for name, body in bodies.items()})
    assert {one.doc_id: one.text for one in convert("cqadupstack", raw).documents()} == {
        "1": "Like this?               a  b     c      It _fails_.",
        "2": "> **Possible Duplicate:**   >  First I want",
        "3": "Which?   * this ![a map](http://x/i.png)",
        "4": "no markup   at all",
    }


def test_posts_can_keep_their_html() -> None:
    documents = convert("cqadupstack", RAW, {"forum": "android", "body": "html"}).documents()
    assert next(documents).text.startswith("<p>It is <b>stuck</b> &amp; hot.</p>\n<ul>")


def test_given_queries_are_taken_with_their_judgments(tmp_path: Path) -> None:
    splits = tmp_path / "splits"
    splits.mkdir()
    (splits / "test.tsv").write_text("query-id\tcorpus-id\tscore\n32\t31\t1\n20\t7\t1\n20\t100\t1\n")
    collection = convert("cqadupstack", RAW, {"forum": "android", "body": "text", "splits": str(splits)})
    assert collection.qrels("test") == {"32": {"31": 1}, "20": {"7": 1, "100": 1}}
    assert [query.query_id for query in collection.queries()] == ["20", "32"]
    assert [document.doc_id for document in collection.documents()] == ["100", "7", "31", "50"]
    assert "test.tsv" in collection.provenance.inputs


def test_a_forum_s_zip_is_found_beside_the_others(tmp_path: Path) -> None:
    for name in ("android", "unix"):
        with zipfile.ZipFile(tmp_path / f"{name}.zip", "w") as archive:
            archive.write(RAW / name / f"{name}_questions.json", f"{name}/{name}_questions.json")
    options = {"forum": "android", "body": "text"}
    from_zip = convert("cqadupstack", tmp_path, options)
    assert list(from_zip.documents()) == list(convert("cqadupstack", RAW, options).documents())


def test_of_several_forums_one_must_be_chosen() -> None:
    with pytest.raises(
        DataError, match=r"has 2 files for the threads of the forum .*android_questions\.json"
    ):
        convert("cqadupstack", RAW)
    with pytest.raises(DataError, match=r"has no file gaming_questions\.json, which holds the threads"):
        convert("cqadupstack", RAW, {"forum": "gaming"})


def test_a_forum_that_is_cut_is_refused(tmp_path: Path) -> None:
    whole = (RAW / "android" / "android_questions.json").read_text()
    (tmp_path / "android_questions.json").write_text(whole[:-40])
    with pytest.raises(DataError, match=r"android_questions\.json:1: is not JSON: .*the file may be cut"):
        list(convert("cqadupstack", tmp_path, {"body": "html"}).documents())
