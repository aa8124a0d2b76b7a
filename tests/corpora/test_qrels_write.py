"""Judgments in every form: what is written, that it is read back, what cannot stand where."""

from __future__ import annotations

import sys
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from beirkit.corpora.errors import BeirkitError, DataError, MissingExtraError, UsageError
from beirkit.corpora.qrels import read_qrels
from beirkit.corpora.qrels_counts import judgments_of
from beirkit.corpora.qrels_write import FORMS, form_of, qrels_lines, write_qrels
from beirkit.corpora.records import Judgment, Qrels

QRELS: Qrels = {"q1": {"d1": 2, "d2": 0}, "q2": {"d1": -1}}
NAMES = {"beir": "t.tsv", "trec": "t.trec", "jsonl": "t.jsonl", "parquet": "t.parquet", "ranx": "t.json"}

TEXT = {
    "beir": "query-id\tcorpus-id\tscore\nq1\td1\t2\nq1\td2\t0\nq2\td1\t-1\n",
    "trec": "q1 0 d1 2\nq1 0 d2 0\nq2 0 d1 -1\n",
    "jsonl": '{"query_id": "q1", "doc_id": "d1", "relevance": 2}\n'
    '{"query_id": "q1", "doc_id": "d2", "relevance": 0}\n'
    '{"query_id": "q2", "doc_id": "d1", "relevance": -1}\n',
    "ranx": '{"q1": {"d1": 2, "d2": 0},\n"q2": {"d1": -1}}\n',
}


@pytest.mark.parametrize("form", TEXT)
def test_what_is_written(form: str, tmp_path: Path) -> None:
    assert "".join(qrels_lines(judgments_of(QRELS), form)) == TEXT[form]
    write_qrels(tmp_path / NAMES[form], judgments_of(QRELS))
    assert (tmp_path / NAMES[form]).read_bytes() == TEXT[form].encode()


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("qrels", [QRELS, {}], ids=["some", "none"])
def test_every_form_is_read_back(form: str, qrels: Qrels, tmp_path: Path) -> None:
    if form == "parquet":
        pytest.importorskip("pyarrow")
    path = tmp_path / NAMES[form]
    write_qrels(path, judgments_of(qrels), form)
    assert read_qrels(path) == qrels
    again = tmp_path / f"again-{NAMES[form]}"
    write_qrels(again, judgments_of(qrels), form)
    assert again.read_bytes() == path.read_bytes()
    if form != "parquet":
        write_qrels(f"{path}.gz", judgments_of(qrels), form)
        assert read_qrels(f"{path}.gz") == qrels


IDS = st.text(min_size=1, max_size=5) | st.sampled_from(
    ["#1", "query-id", '"q"', "1.0", "\ufeffa", "a b", "\u2028"]
)
TABLES = st.dictionaries(
    IDS, st.dictionaries(IDS, st.integers(-(1 << 31), (1 << 31) - 1), min_size=1, max_size=3), max_size=4
)


@pytest.mark.parametrize("form", FORMS)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(qrels=TABLES)
def test_what_is_written_reads_back_equal_whatever_the_ids(form: str, qrels: Qrels, tmp_path: Path) -> None:
    """A form either holds an id or refuses it; none changes one."""
    if form == "parquet":
        pytest.importorskip("pyarrow")
    path = tmp_path / NAMES[form]
    path.unlink(missing_ok=True)
    try:
        write_qrels(path, judgments_of(qrels), form)
    except DataError:
        assert not path.exists()
        return
    assert read_qrels(path) == qrels


@pytest.mark.parametrize(
    ("query_id", "doc_id", "message"),
    [
        ("q 1", "d", "query id 'q 1' holds white space: it cannot stand in TREC's form"),
        ("q", "d\u00a01", "document id 'd\\xa01' holds white space"),
        ("#q", "d", "query id '#q' begins like a comment"),
        ("\ufeffq", "d", "query id '\\ufeffq' begins with a byte-order mark"),
    ],
)
def test_ids_that_trec_cannot_carry(query_id: str, doc_id: str, message: str, tmp_path: Path) -> None:
    odd = [Judgment(query_id, doc_id, 1)]
    with pytest.raises(DataError) as caught:
        write_qrels(tmp_path / "t.trec", odd)
    assert message in str(caught.value)
    assert "--to jsonl" in str(caught.value)
    assert list(tmp_path.iterdir()) == []
    write_qrels(tmp_path / "t.jsonl", odd)
    assert read_qrels(tmp_path / "t.jsonl") == {query_id: {doc_id: 1}}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    ("doc_id", "message"),
    [
        ("", "document id '' is empty: it cannot stand in a file of judgments"),
        ("d\x00", "document id 'd\\x00' holds the control character U+0000"),
        ("\ud800", "document id '\\ud800' holds half of a surrogate pair"),
    ],
)
def test_ids_that_nothing_can_carry(form: str, doc_id: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(DataError) as caught:
        write_qrels(tmp_path / NAMES[form], [Judgment("q", doc_id, 1)])
    assert message in str(caught.value)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("name", "form", "message"),
    [
        ("t.dat", None, "the name says no form"),
        ("t.json", "trec", "readers would not take a file of this name for trec (let the name end in .trec)"),
        ("t.tsv", "jsonl", "let the name end in .jsonl"),
        ("t.jsonl", "ranx", "let the name end in .json)"),
        ("t.parquet.gz", "parquet", "Parquet is compressed by itself"),
        ("t.tsv", "bier", "judgments have no form 'bier' (did you mean 'beir'?)"),
    ],
)
def test_names_that_would_mislead(name: str, form: str | None, message: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError) as caught:
        write_qrels(tmp_path / name, judgments_of(QRELS), form)
    assert message in str(caught.value)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("name", "form"),
    [("t.tsv.gz", "beir"), ("qrels.x.test.txt", "trec"), ("t.jsonl.gz", "jsonl"), ("t.json", "ranx")],
)
def test_forms_by_name(name: str, form: str) -> None:
    assert form_of(name) == form


def test_a_table_may_have_any_other_name(tmp_path: Path) -> None:
    write_qrels(tmp_path / "judged", judgments_of(QRELS), "trec")
    assert read_qrels(tmp_path / "judged") == QRELS


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("[1]", "is not a JSON object"),
        ('{"query_id": "q"', "is not JSON"),
        ('{"query_id": "q", "score": 1}', "has 0 keys for the document; its keys: 'query_id', 'score'"),
        ('{"qid": "q", "query": "x", "docid": "d", "score": 1}', "has 2 keys for the query"),
        ('{"qid": "q", "docid": "d", "score": 1.5}', "the grade is '1.5', not a whole number"),
        ('{"qid": "q", "docid": "d", "score": true}', "the grade is True, not a number"),
        ('{"qid": "q", "docid": null, "score": 1}', "the document id is None, not a string"),
        ('{"qid": "", "docid": "d", "score": 1}', "query id '' is empty"),
    ],
)
def test_lines_that_are_no_judgment(line: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text('{"query-id": "q", "corpus-id": 7, "score": 1.0}\n\n' + line + "\n", encoding="utf-8")
    with pytest.raises(DataError) as caught:
        read_qrels(path)
    assert str(caught.value).startswith(f"{path}:3: ")
    assert message in str(caught.value)


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    "name",
    [
        "msmarco/raw/qrels.dl19-passage.txt",
        "dbpedia_entity_v2/beir/qrels.beir-v1.0.0-dbpedia-entity.test.txt",
        "trec_covid/beir/qrels.beir-v1.0.0-trec-covid.test.txt",
        "arguana/beir/qrels.beir-v1.0.0-arguana.test.txt",
        "cranfield/beir/qrels/test.tsv",
    ],
)
def test_published_judgments_survive_every_form(name: str, form: str, shared: Path, tmp_path: Path) -> None:
    if form == "parquet":
        pytest.importorskip("pyarrow")
    source = shared / "data" / name
    qrels = read_qrels(source)
    path = tmp_path / NAMES[form]
    write_qrels(path, judgments_of(qrels))
    assert read_qrels(path) == qrels
    published = "trec" if source.suffix == ".txt" else "beir"
    if form == published and "/beir/" in name:  # the same words; only white space may differ
        assert path.read_text(encoding="utf-8").split() == source.read_text(encoding="utf-8").split()


def test_parquet_columns_as_ranx_has_them(shared: Path) -> None:
    pytest.importorskip("pyarrow")
    files = shared / "faults" / "files" / "R13"
    expected = {"q1": {"d1": 1, "d2": 2, "d3": 3}, "q2": {"d1": 1, "d2": 2}}
    assert read_qrels(files / "qrels.parquet") == expected
    assert read_qrels(files / "qrels.json") == expected


def test_parquet_has_the_columns_and_types_of_ranx(tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "t.parquet"
    write_qrels(path, judgments_of(QRELS))
    table = parquet.read_table(path)
    assert [(field.name, str(field.type)) for field in table.schema] == [
        ("q_id", "string"),
        ("doc_id", "string"),
        ("score", "int64"),
    ]


def test_damaged_parquet_is_told(tmp_path: Path) -> None:
    arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "t.parquet"
    path.write_bytes(b"PAR1 is how it starts")
    with pytest.raises(DataError, match=r"t\.parquet: is not Parquet"):
        read_qrels(path)
    parquet.write_table(arrow.table({"q_id": ["q"], "text": ["d"], "score": [1]}), path)
    with pytest.raises(DataError, match="has 0 columns for the document; its columns: q_id, text, score"):
        read_qrels(path)
    parquet.write_table(arrow.table({"q_id": ["q", "q"], "doc_id": ["d", None], "score": [1.0, 2.0]}), path)
    with pytest.raises(DataError, match="row 2: the document id is None, not a string"):
        read_qrels(path)
    parquet.write_table(arrow.table({"q_id": ["q", "q"], "doc_id": ["d", "d"], "score": [1, 2]}), path)
    with pytest.raises(DataError, match="judged 1 at row 1 and 2 at row 2"):
        read_qrels(path)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(cuts=st.lists(st.tuples(st.integers(0, 10**6), st.integers(0, 255)), min_size=1, max_size=4))
def test_any_damage_of_parquet_is_told_or_does_none(cuts: list[tuple[int, int]], tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    path = tmp_path / "t.parquet"
    write_qrels(path, judgments_of({f"q{n}": {f"d{n}": n % 3} for n in range(40)}))
    content = bytearray(path.read_bytes())
    for place, value in cuts:
        content[place % len(content)] = value
    path.write_bytes(content)
    with suppress(DataError):  # any other error fails
        read_qrels(path)


def test_without_pyarrow_the_command_that_installs_it_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    for attempt in (
        lambda: write_qrels(tmp_path / "t.parquet", judgments_of(QRELS)),
        lambda: read_qrels(tmp_path / "t.parquet"),
    ):
        with pytest.raises(BeirkitError, match=r"pip install 'beirkit\[parquet\]'") as caught:
            attempt()
        assert isinstance(caught.value, MissingExtraError)
