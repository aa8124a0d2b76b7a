from __future__ import annotations

import gzip
import logging
from pathlib import Path
from tempfile import TemporaryDirectory
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from beirkit.converters.catalog import convert
from beirkit.corpora.collection import Collection
from beirkit.corpora.errors import DataError
from beirkit.corpora.exports.catalog import export_folder
from beirkit.corpora.records import Document, Judgment, Query
from tests.corpora.exports.samples import FACTS, collection_of, collections, records

# What the form can carry: ids without white space or <, texts of words between single blanks.
_SIGNS = ["<TEXT>", "</DOC>", "<DOCNO>d</DOCNO>", "&amp;", "&", "<", "a<b", "\u05e9\u05dc\u05d5\u05dd"]
_characters = st.characters(exclude_categories=["Cs", "Cc", "Cn", "Z"])
fit_ids = st.text(
    st.characters(exclude_categories=["Cs", "Cc", "Cn", "Z"], exclude_characters="<#\ufeff"), min_size=1
)
fit_texts = st.lists(st.text(_characters, min_size=1) | st.sampled_from(_SIGNS), min_size=1).map(" ".join)
# And anything at all, most of which is refused.
any_ids = st.text(st.characters(exclude_categories=["Cs"]), max_size=3) | st.sampled_from(
    ["<dbpedia:A>", "#1", "a b", "x</DOCNO>", "d&amp;1", "q"]
)
any_texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=3) | st.sampled_from(
    [*_SIGNS, "<title>", "Topic: tides", "</top>", "a\tb", "two  blanks", "plain text"]
)


def test_documents_are_sgml(weather: Collection, tmp_path: Path) -> None:
    export_folder(weather, "trec", tmp_path / "out", FACTS)
    assert (tmp_path / "out/documents/documents.trec").read_text(encoding="utf-8") == (
        "<DOC>\n<DOCNO>d1</DOCNO>\n<TITLE>\nTides\n</TITLE>\n"
        "<TEXT>\nThe moon\npulls the sea.\n</TEXT>\n</DOC>\n"
        "<DOC>\n<DOCNO>d2</DOCNO>\n<TEXT>\n"
        "p &lt; .05 &amp; &lt;TEXT&gt; &lt;/DOC&gt; \u05e9\u05dc\u05d5\u05dd\n</TEXT>\n</DOC>\n"
        "<DOC>\n<DOCNO><dbpedia:Rain></DOCNO>\n<TITLE>\nR&amp;D\n</TITLE>\n"
        "<TEXT>\n  two  blanks and a page\n</TEXT>\n</DOC>\n"
        "<DOC>\n<DOCNO>d4</DOCNO>\n<TITLE>\nDew\n</TITLE>\n<TEXT>\n\n</TEXT>\n</DOC>\n"
    )


def test_topics_and_qrels_are_tables(weather: Collection, tmp_path: Path) -> None:
    export_folder(weather, "trec", tmp_path / "out", FACTS)
    assert (tmp_path / "out/topics.tsv").read_text(encoding="utf-8") == (
        "q1\twhat moves the sea\nq2\twarm wind\nq3\tnever judged\n"
    )
    assert (tmp_path / "out/qrels.test.txt").read_text() == "q1 0 d1 2\nq1 0 d2 0\nq2 0 <dbpedia:Rain> -1\n"
    assert (tmp_path / "out/qrels.dev.txt").read_text() == "q2 0 d2 1\n"


def test_topics_as_xml(weather: Collection, tmp_path: Path) -> None:
    export_folder(weather, "trec", tmp_path / "out", FACTS, {"topics": "xml"})
    text = (tmp_path / "out/topics.xml").read_text(encoding="utf-8")
    assert '<topic number="q1">\n<title>what moves the sea</title>\n<narrative>the sea &lt;b&gt;' in text
    topics = ElementTree.fromstring(text.encode())
    assert [topic.get("number") for topic in topics] == ["q1", "q2", "q3"]
    assert topics[0].findtext("narrative") == "the sea <b>and</b> tides"


def test_topics_as_sgml(weather: Collection, tmp_path: Path) -> None:
    export_folder(weather, "trec", tmp_path / "out", FACTS, {"topics": "sgml"})
    text = (tmp_path / "out/topics.txt").read_text(encoding="utf-8")
    assert text.startswith(
        "<top>\n\n<num> Number: q1\n<title> what moves the sea\n\n"
        "<narr> Narrative:\nthe sea <b>and</b> tides\n\n</top>\n\n<top>\n"
    )


def test_what_is_changed_is_counted_and_told(
    weather: Collection, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING):
        manifest = export_folder(weather, "trec", tmp_path / "out", FACTS)
    assert manifest.changed == {
        "documents whose id holds <, which some readers take for a tag": 1,
        "documents with blanks instead of control characters": 1,
        "documents without their metadata": 1,
        "queries with single blanks instead of other white space or control characters": 1,
        "queries without their metadata": 1,
    }
    assert "exported documents without their metadata: 1" in caplog.text


@pytest.mark.parametrize(
    ("document", "found"),
    [
        (Document("d 1", "", "t"), "document 'd 1' holds white space"),
        (Document("d\u00a01", "", "t"), "holds white space"),
        (Document("d</DOCNO>", "", "t"), "holds the end of its element"),
        (Document("d\x001", "", "t"), "control character"),
    ],
)
def test_refuses_document_ids_that_the_form_cannot_carry(
    document: Document, found: str, tmp_path: Path
) -> None:
    with pytest.raises(DataError, match=found):
        export_folder(collection_of([document], [], {}), "trec", tmp_path / "out", FACTS)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("query", "options", "found"),
    [
        (Query("q 1", "t"), {}, "query 'q 1' holds white space"),
        (Query("#1", "t"), {}, "begins like a comment"),
        (Query("q\uffff", "t"), {"topics": "xml"}, "holds what XML cannot"),
        (Query("q", ""), {"exact": "true"}, "has no text, and a topic needs one"),
        (Query("q", "a\tb"), {"exact": "true"}, "single blanks"),
        (Query("q", "t", {"year": 1}), {"exact": "true"}, "without their metadata"),
        (Query("q", "t", {"narrative": "n"}), {"exact": "true"}, "without their metadata"),
        (Query("q", "Topic: x"), {"exact": "true", "topics": "sgml"}, "a tag or a label"),
        (Query("q", "the <desc> tag"), {"exact": "true", "topics": "sgml"}, "a tag or a label"),
    ],
)
def test_refuses_queries_that_the_form_cannot_carry(
    query: Query, options: dict[str, str], found: str, tmp_path: Path
) -> None:
    with pytest.raises(DataError, match=found):
        export_folder(collection_of([], [query], {}), "trec", tmp_path / "out", FACTS, options)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("document", "found"),
    [
        (Document("d", "", " edge"), "has white space that is folded"),
        (Document("d", "two  blanks", "t"), "has white space that is folded"),
        (Document("d", "", "a\x02b"), "control characters"),
        (Document("<d>", "", "t"), "take for a tag"),
        (Document("d", "", "t", {"year": 1}), "without their metadata"),
    ],
)
def test_exact_refuses_documents_that_would_change(document: Document, found: str, tmp_path: Path) -> None:
    with pytest.raises(DataError, match=found):
        export_folder(collection_of([document], [], {}), "trec", tmp_path / "out", FACTS, {"exact": "true"})


def test_files_are_compressed_when_asked(weather: Collection, tmp_path: Path) -> None:
    export_folder(weather, "trec", tmp_path / "out", FACTS, {"gzip": True})
    assert gzip.decompress((tmp_path / "out/topics.tsv.gz").read_bytes()).startswith(b"q1\twhat")
    assert (tmp_path / "out/documents/documents.trec.gz").is_file()


def comes_back(collection: Collection, topics: str) -> bool:
    """Whether a collection is exported; if so, it is read back equal."""
    with TemporaryDirectory() as place:
        out = Path(place) / "out"
        try:
            export_folder(collection, "trec", out, FACTS, {"topics": topics, "exact": True})
        except DataError:
            assert not out.exists()
            return False
        back = convert("trec", out, {"documents": ["documents/*"], "topics_format": topics})
        assert records(back) == records(collection)
        return True


@pytest.mark.parametrize("topics", ["tsv", "xml", "sgml"])
@given(collection=collections(fit_ids, fit_texts, st.just({})))
@settings(max_examples=50)
def test_what_the_form_can_carry_comes_back(topics: str, collection: Collection) -> None:
    assert comes_back(collection, topics)


@pytest.mark.parametrize("topics", ["tsv", "xml", "sgml"])
@given(collection=collections(any_ids, any_texts, st.just({})))
@settings(max_examples=50)
def test_anything_comes_back_or_is_refused(topics: str, collection: Collection) -> None:
    comes_back(collection, topics)


@pytest.mark.parametrize("topics", ["xml", "sgml"])
def test_descriptions_and_narratives_come_back(topics: str, tmp_path: Path) -> None:
    about = {"description": "where the sea goes & why", "narrative": "Relevant: tides."}
    told = collection_of(
        [Document("d", "T", "t")], [Query("7", "the sea", about)], {"test": [Judgment("7", "d", 1)]}
    )
    export_folder(told, "trec", tmp_path / "out", FACTS, {"topics": topics, "exact": True})
    options = {"documents": ["documents/*"], "query_metadata": ["description", "narrative"]}
    assert records(convert("trec", tmp_path / "out", options)) == records(told)


# What the parsers of ir_datasets make of two documents: one unescapes them, one takes what stands there.
PARSED = {
    "BS4": [("<dbpedia:A>", "R&D p < .05 & <TEXT> </DOC>"), ("d2", "two lines")],
    "text": [("<dbpedia:A>", "R&amp;D p &lt; .05 &amp; &lt;TEXT&gt; &lt;/DOC&gt;"), ("d2", "two lines")],
}


@pytest.mark.parametrize("parser", PARSED)
def test_ir_datasets_parsers_take_the_documents(parser: str, tmp_path: Path) -> None:
    if parser == "BS4":
        pytest.importorskip("bs4")
    formats = pytest.importorskip("ir_datasets.formats")
    documents = [Document("<dbpedia:A>", "R&D", "p < .05 & <TEXT> </DOC>"), Document("d2", "", "two\nlines")]
    export_folder(collection_of(documents, [], {}), "trec", tmp_path / "out", FACTS)
    file = pytest.importorskip("ir_datasets.util").LocalDownload(tmp_path / "out/documents/documents.trec")
    read = formats.TrecDocs(file, parser=parser)._docs_iter(file.path())
    assert [(doc.doc_id, " ".join(doc.text.split())) for doc in read] == PARSED[parser]


@pytest.mark.parametrize(("topics", "reader"), [("xml", "TrecXmlQueries"), ("sgml", "TrecQueries")])
def test_ir_datasets_parsers_take_topics_and_qrels(topics: str, reader: str, tmp_path: Path) -> None:
    formats = pytest.importorskip("ir_datasets.formats")
    opened = pytest.importorskip("ir_datasets.util").LocalDownload
    told = collection_of(
        [Document("d", "", "t")],
        [Query("1", "a < b", {"narrative": "n", "description": "d"})],
        {"test": [Judgment("1", "d", 2)]},
    )
    export_folder(told, "trec", tmp_path / "out", FACTS, {"topics": topics})
    (path,) = (tmp_path / "out").glob("topics.*")
    assert [*map(tuple, getattr(formats, reader)(opened(path)).queries_iter())] == [("1", "a < b", "d", "n")]
    qrels = formats.TrecQrels(opened(tmp_path / "out/qrels.test.txt"), {})
    assert [tuple(row)[:3] for row in qrels.qrels_iter()] == [("1", "d", 2)]
    export_folder(told, "trec", tmp_path / "table", FACTS)
    table = formats.TsvQueries(opened(tmp_path / "table/topics.tsv"))
    assert [*map(tuple, table.queries_iter())] == [("1", "a < b")]
