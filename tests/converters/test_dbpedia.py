"""DBpedia-Entity v2: the known difference from the published judgments exactly, splits, triples."""

from __future__ import annotations

import gzip
import logging
import re
import shutil
from pathlib import Path

import pytest

from beirkit.converters.catalog import convert
from beirkit.converters.reading.triples import text_triples, unescaped
from beirkit.corpora.collection import Collection
from beirkit.corpora.errors import DataError
from beirkit.corpora.qrels import read_qrels

RAW = Path(__file__).parent.parent / "fixtures" / "dbpedia-entity" / "raw"
COMMENT = "http://www.w3.org/2000/01/rdf-schema#comment"


@pytest.fixture
def published(shared: Path, tmp_path: Path) -> Path:
    """BEIR's judgments of test as a folder of splits."""
    (tmp_path / "qrels").mkdir()
    beir = shared / "data" / "dbpedia_entity_v2" / "beir"
    shutil.copy(beir / "qrels.beir-v1.0.0-dbpedia-entity.test.txt", tmp_path / "qrels" / "test.tsv")
    return tmp_path / "qrels"


def test_the_real_judgments_differ_from_the_published_ones_as_is_known(shared: Path, published: Path) -> None:
    raw = shared / "data" / "dbpedia_entity_v2" / "raw"
    collection = convert("dbpedia-entity", raw, {"splits": str(published), "without_documents": True})
    assert collection.splits == ("dev", "test")
    ours, theirs = collection.qrels("test"), read_qrels(published / "test.tsv")
    assert ours.keys() == theirs.keys()
    assert len(ours) == 400
    mine = {(query, doc): grade for query, row in ours.items() for doc, grade in row.items()}
    other = {(query, doc): grade for query, row in theirs.items() for doc, grade in row.items()}
    assert len(other) == 43_515
    assert len(mine.keys() - other.keys()) == 93
    assert len(other.keys() - mine.keys()) == 8
    assert sum(mine[pair] != other[pair] for pair in mine.keys() & other.keys()) == 3
    assert len(collection.qrels("dev")) == 67
    assert len(mine) + len(list(collection.judgments("dev"))) == 49_280


def test_the_real_texts_equal_the_published_ones(shared: Path) -> None:
    folder = shared / "data" / "dbpedia_entity_v2"
    collection = convert("dbpedia-entity", folder / "raw", {"without_documents": True})
    texts = {query.query_id: query.text for query in collection.queries()}
    topics = gzip.decompress((folder / "beir" / "topics.beir-v1.0.0-dbpedia-entity.test.tsv.gz").read_bytes())
    published = dict(line.split("\t", 1) for line in topics.decode().splitlines())
    assert len(published) == 400
    assert {query_id: texts[query_id] for query_id in published} == published
    assert len(texts) == len(collection.qrels("test")) == 467


def with_splits(tmp_path: Path, **splits: str) -> Collection:
    for split, query_id in splits.items():
        (tmp_path / f"{split}.tsv").write_text(f"query-id\tcorpus-id\tscore\n{query_id}\t<dbpedia:X>\t1\n")
    return convert("dbpedia-entity", RAW, {"splits": str(tmp_path)})


def test_where_one_split_is_given_the_others_are_in_the_other_one(tmp_path: Path) -> None:
    collection = with_splits(tmp_path, dev="QALD2_te-2")
    assert collection.qrels("dev") == {"QALD2_te-2": {"<dbpedia:Mangú>": 1}}
    assert collection.qrels("test").keys() == {"INEX_LD-1", "SemSearch_ES-3"}
    assert "dev.tsv" in collection.provenance.inputs


def test_where_both_are_given_queries_of_neither_are_counted(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING, logger="beirkit"):
        collection = with_splits(tmp_path, dev="QALD2_te-2", test="INEX_LD-1")
        assert collection.qrels("dev").keys() == {"QALD2_te-2"}
        assert collection.qrels("test").keys() == {"INEX_LD-1"}
    assert caplog.text.count("1 judged queries are in neither of the given splits and are left out") == 1
    assert "drew its dev queries by chance" not in caplog.text


def test_without_splits_all_is_test_and_it_is_told_once(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, logger="beirkit"):
        collection = convert("dbpedia-entity", RAW)
        assert collection.splits == ("test",)
        assert len(list(collection.judgments("test"))) == len(list(collection.judgments("test"))) == 5
    assert caplog.text.count("without its qrels (--set splits=FOLDER) all queries are in test") == 1


@pytest.mark.parametrize("name", ["short-abstracts_en.nt", "short_abstracts_en.ttl.gz"])
def test_names_of_the_abstracts(tmp_path: Path, name: str) -> None:
    raw = tmp_path / "raw"
    shutil.copytree(RAW, raw)
    content = (raw / "short_abstracts_en.ttl").read_bytes()
    (raw / "short_abstracts_en.ttl").unlink()
    with pytest.raises(DataError, match=r"short_abstracts_en\.ttl or .*, which holds the short abstracts"):
        convert("dbpedia-entity", raw)
    (raw / name).write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
    again = list(convert("dbpedia-entity", raw).documents())
    assert again == list(convert("dbpedia-entity", RAW).documents())


@pytest.mark.parametrize(
    ("line", "found"),
    [
        (f'<http://dbpedia.org/resource/A> <{COMMENT}> "no point"@en', "is no triple with a text"),
        (f'<http://dbpedia.org/resource/A> <{COMMENT}> "a "quote" inside"@en .', "is no triple with a text"),
        (f"<http://dbpedia.org/resource/A> <{COMMENT}> <http://b.example/> .", "is no triple with a text"),
        (
            '<http://dbpedia.org/resource/A> <http://b.example/label> "A"@en .',
            "states 'http://b.example/label'",
        ),
        (f'<http://dbpedia.org/resource/A> <{COMMENT}> "\\x"@en .', r"has an escape that is none: \\x"),
        (f'<http://dbpedia.org/resource/A> <{COMMENT}> "\\uD83E"@en .', "has an escape that is none"),
        (f'<http://b.example/A> <{COMMENT}> "text"@en .', "describes 'http://b.example/A'"),
        (
            f'<http://dbpedia.org/resource/> <{COMMENT}> "text"@en .',
            "describes 'http://dbpedia.org/resource/'",
        ),
    ],
)
def test_a_line_that_is_no_abstract_is_refused(tmp_path: Path, line: str, found: str) -> None:
    raw = tmp_path / "raw"
    shutil.copytree(RAW, raw)
    with (raw / "short_abstracts_en.ttl").open("a") as out:
        out.write(f"{line}\n")
    with pytest.raises(DataError, match=rf"short_abstracts_en\.ttl:7: {found}"):
        list(convert("dbpedia-entity", raw).documents())


def test_triples_with_language_type_and_comment(tmp_path: Path) -> None:
    path = tmp_path / "a.nt"
    path.write_text(
        '<http://a.example/\\u00e9> <http://p.example/> "a\\nb"^^<http://t.example/> .\n\n'
        '  # a comment\n<http://b.example/>  <http://p.example/>\t"\\"" . # behind\n'
    )
    assert list(text_triples(path, "http://p.example/")) == [
        (1, "http://a.example/é", "a\nb"),
        (4, "http://b.example/", '"'),
    ]


def test_escapes() -> None:
    assert unescaped(r"\t\b\n\r\f\"\'\\n") == "\t\b\n\r\f\"'\\n"
    assert unescaped(r"\u00E9\U0001F98A\uD83E\uDD8A") == "é🦊🦊"
    for wrong, found in (
        (r"\a", r"\a"),
        (r"\u12", r"\u"),
        (r"\UFFFFFFFF", r"\UFFFFFFFF"),
        (r"\uDD8A", "half of a surrogate pair"),
    ):
        with pytest.raises(ValueError, match=re.escape(found)):
            unescaped(wrong)
