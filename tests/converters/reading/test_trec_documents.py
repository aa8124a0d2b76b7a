"""TREC documents: SGML, web pages, compressed files, and what is told of them."""

from __future__ import annotations

import bz2
import gzip
import sys
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from beirkit.converters.reading import trec_documents
from beirkit.converters.reading.lzw import open_packed
from beirkit.converters.reading.markup import html_title_and_text, sgml_text
from beirkit.converters.reading.trec_documents import Reading, read_documents
from beirkit.corpora.errors import DataError, MissingExtraError
from beirkit.corpora.records import Document

ONE = b"<DOC>\n<DOCNO> A-1 </DOCNO>\n<TEXT>\nbell\n</TEXT>\n</DOC>\n"


def written(tmp_path: Path, content: bytes, name: str = "part") -> Path:
    path = tmp_path / name
    path.write_bytes(content)
    return path


def read(path: Path, reading: Reading | None = None) -> tuple[list[Document], list[str]]:
    told: list[str] = []
    return list(read_documents([path], reading or Reading(), told.append)), told


def compressed_by_compress(content: bytes) -> bytes:
    """What compress writes where no string comes twice: a header and codes of nine bits, lowest bit first."""
    assert len(content) <= 250  # longer ones would need wider codes
    bits = sum(byte << (9 * place) for place, byte in enumerate(content))
    return b"\x1f\x9d\x90" + bits.to_bytes((9 * len(content) + 7) // 8, "little")


@pytest.mark.parametrize("size", [1, 7, 64, 1 << 20])
def test_documents_are_the_same_however_the_file_is_cut_into_pieces(
    tmp_path: Path, size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = b"<!-- x -->\n" + ONE + b"</root></DOC>\n\n" + ONE.replace(b"A-1", b"A-2") + b"</root>\n"
    monkeypatch.setattr(trec_documents, "_CHUNK", size)
    documents, told = read(written(tmp_path, content))
    assert [(d.doc_id, d.text) for d in documents] == [("A-1", "bell"), ("A-2", "bell")]
    assert told == []


def test_a_place_is_right_behind_other_documents(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trec_documents, "_CHUNK", 16)
    path = written(tmp_path, ONE * 3 + b"\n<DOC>\n<TEXT>no id</TEXT>\n</DOC>\n")
    with pytest.raises(DataError, match=r"part:20: the document has no <DOCNO>"):
        read(path)
    documents, told = read(path, Reading(skip_without_id=True))
    assert len(documents) == 3
    assert told == ["documents without an id, left out: 1 (part:20)"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (ONE + b"<DOC>\n<DOCNO>B</DOCNO>\n", r"part:7: the document that starts here has no </DOC>"),
        (ONE.replace(b"</DOC>\n", b"") + ONE, r"part:1: document A-1 is not closed before A-1"),
        (ONE.replace(b"A-1", b"A\x011"), r"part:1: the id 'A\\x011' "),
        (b"nothing", r"holds no <DOC>"),
    ],
)
def test_a_damaged_file_is_refused_with_its_place(tmp_path: Path, content: bytes, message: str) -> None:
    with pytest.raises(DataError, match=message):
        read(written(tmp_path, content))


def test_a_document_without_an_end_is_not_gathered_for_ever(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trec_documents, "_LONGEST", 4096)
    monkeypatch.setattr(trec_documents, "_CHUNK", 1024)
    path = written(tmp_path, b"<DOC>\n<DOCNO>B</DOCNO>\n" + b"x" * 9000 + b"</DOC>")
    with pytest.raises(DataError, match=r"part:1: the document that starts here has no </DOC>"):
        read(path)


def test_bytes_that_are_no_characters_are_replaced_and_counted(tmp_path: Path) -> None:
    content = ONE.replace(b"bell", b"caf\xe9 \xff \xef\xbf\xbd") + ONE.replace(b"A-1", b"A-2")
    documents, told = read(written(tmp_path, content))
    assert documents[0].text == "caf� � �"
    assert told == ["documents with bytes that are not utf-8, 2 in all, each of them now U+FFFD: 1 (A-1)"]
    documents, told = read(written(tmp_path, content), Reading(encoding="latin-1"))
    assert documents[0].text.startswith("café ÿ")
    assert told == []


def test_elements_make_title_text_and_metadata_in_their_order(tmp_path: Path) -> None:
    body = (
        b"<HL>h</HL><LP SRC=x>l</LP><DATE>d1</DATE><headline>k</headline><TEXT>t <HL>in</HL></TEXT><DATE>d2"
    )
    content = b"<DOC><DOCNO>A</DOCNO>" + body + b"</DOC>"
    documents, _ = read(written(tmp_path, content), Reading(metadata_tags=("DATE",)))
    assert documents == [Document("A", "h k", "l t in", {"date": "d1 d2"})]


def test_an_element_that_is_not_closed_ends_where_the_next_begins(tmp_path: Path) -> None:
    content = b"<DOC><DOCNO>A</DOCNO><HL>h\n<TEXT>t\n</DOC>"
    documents, _ = read(written(tmp_path, content))
    assert documents == [Document("A", "h", "t")]


def test_an_id_may_hold_the_signs_of_tags(tmp_path: Path) -> None:
    documents, _ = read(written(tmp_path, ONE.replace(b"A-1", b"<dbpedia:A&amp;B>")))
    assert documents == [Document("<dbpedia:A&amp;B>", "", "bell")]


def test_empty_documents_stay_and_are_told(tmp_path: Path) -> None:
    documents, told = read(written(tmp_path, ONE.replace(b"bell", b" ") * 4))
    assert [document.text for document in documents] == [""] * 4
    assert told == ["documents without a text in TEXT, LP, LEADPARA: 4 (A-1, A-1, A-1, …)"]


def test_files_without_documents_are_told(tmp_path: Path) -> None:
    paths = [written(tmp_path, b"a manual", "README"), written(tmp_path, ONE, "x")]
    told: list[str] = []
    assert len(list(read_documents(paths, Reading(), told.append))) == 1
    assert told == ["files without a <DOC>: 1 (README)"]


@pytest.mark.parametrize(
    ("name", "pack"), [("x.gz", gzip.compress), ("x.bz2", bz2.compress), ("x.z", compressed_by_compress)]
)
def test_compressed_files_are_read_through(tmp_path: Path, name: str, pack: object) -> None:
    if name == "x.z":
        pytest.importorskip("unlzw3")
    assert callable(pack)
    documents, _ = read(written(tmp_path, pack(ONE), name))
    assert documents == [Document("A-1", "", "bell")]


def test_a_damaged_file_of_compress_is_refused(tmp_path: Path) -> None:
    pytest.importorskip("unlzw3")
    path = written(tmp_path, b"\x1f\x9d\x90\xff\xff\xff\xff\xff\xff", "x.Z")
    with pytest.raises(DataError, match=r"x\.Z: is a damaged file of compress: .*gzip -d"):
        open_packed(path)


def test_without_the_package_the_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "unlzw3", None)
    path = written(tmp_path, compressed_by_compress(ONE), "x.Z")
    with pytest.raises(MissingExtraError, match=r"pip install 'beirkit\[trec\]'"):
        open_packed(path)


PIECES = [
    "<DOC>",
    "</DOC>",
    "<DOCNO>",
    "</DOCNO>",
    "<TEXT>",
    "</TEXT>",
    "<DOCHDR>",
    "</DOCHDR>",
    "a",
    "\n",
    "<!--",
]


@given(st.lists(st.sampled_from([*PIECES, "\udcff", "&lt;", "<p", "-->"]), max_size=20))
def test_any_bytes_are_read_or_refused(tmp_path_factory: pytest.TempPathFactory, pieces: list[str]) -> None:
    content = "".join(pieces).encode("utf-8", "surrogateescape")
    path = written(tmp_path_factory.mktemp("docs"), content)
    documents: list[Document] = []
    with suppress(DataError):
        documents, _ = read(path)
    assert all(document.doc_id for document in documents)


def test_text_of_sgml() -> None:
    markup = (
        "<P>Q&amp;A &lt;b&gt; x &#233; AT&T; &hyph;&blank;5 <!-- <TEXT> -->a < b <F P=105> c </F></P>\n"
        " d&unknown;"
    )
    assert sgml_text(markup) == "Q&A <b> x é AT&T; - 5 a < b c d&unknown;"


def test_text_of_html() -> None:
    markup = (
        "<html><head><title> A\n&amp; B </title><style>.x{}</style></head><body>w<b>o</b>rd<td>cell<script>"
        "if (a<b) {}</script><p>end<svg><title>no title of the page</title></svg>"
    )
    assert html_title_and_text(markup) == ("A & B", "word cell end no title of the page")
