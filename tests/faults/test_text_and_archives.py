"""K11 and K12: characters, lines, and files that are not whole or not what their name says."""

from __future__ import annotations

import gzip
import hashlib
import json
import logging
import zipfile
from importlib.metadata import requires
from pathlib import Path

import pytest

from beirkit.cli.main import main
from beirkit.converters import catalog
from beirkit.corpora.errors import BeirkitError, DataError
from beirkit.corpora.folder import folder_content_ids, open_folder, write_folder
from beirkit.corpora.jsonl import read_documents, read_queries
from beirkit.corpora.qrels import read_qrels
from beirkit.corpora.run_files import read_run
from beirkit.evaluate import evaluate
from beirkit.fetching.checksums import Checksum
from beirkit.fetching.download import download
from beirkit.fetching.place import RemoteFile
from beirkit.fetching.web import Client
from beirkit.retrievers.base import Workplace
from tests.beirkit.fetching.server import Content, running
from tests.faults.cases import QRELS, Case, case, check, documents_of, one_file, open_case, score, write_files
from tests.faults.lexical import LEXICAL, ranked


@case("K11-01")
def test_records_end_at_line_feeds_only(case: Case, tmp_path: Path) -> None:
    documents = documents_of(case, tmp_path)
    expected = case["expected"]["values"]
    assert len(documents) == expected["n_docs"]
    assert documents[0].text == expected["d1.text"]


@pytest.mark.parametrize("char", ["\u0085", "\u2028", "\u2029", "\x0b", "\x0c", "\x1c", "\x1e"])
def test_no_other_separator_ends_a_line_of_any_file(tmp_path: Path, char: str) -> None:
    text = json.dumps({"_id": "d1", "text": f"a{char}b"}, ensure_ascii=False)
    (tmp_path / "c.jsonl").write_text(text + "\n", encoding="utf-8")
    assert [document.text for document in read_documents(tmp_path / "c.jsonl")] == [f"a{char}b"]
    (tmp_path / "q.tsv").write_text(f"q1\td1\t1\nq2\td2{char}d3\t1\n", encoding="utf-8")
    if char in "\u2028\u2029":
        assert read_qrels(tmp_path / "q.tsv")["q2"] == {f"d2{char}d3": 1}
    else:
        with pytest.raises(DataError, match=r"q\.tsv:2: document id .* holds the control character"):
            read_qrels(tmp_path / "q.tsv")


@case("K11-03")
def test_nul_in_an_id_never_cuts_it_short(case: Case, tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"'a\\x00b' holds a NUL"):
        evaluate(case["input"]["qrels"], case["input"]["run"], "AP")
    (tmp_path / "q.tsv").write_bytes(b"q\ta\x00b\t1\n")
    with pytest.raises(
        DataError, match=r"q\.tsv:1: document id 'a\\x00b' holds the control character U\+0000"
    ):
        read_qrels(tmp_path / "q.tsv")
    (tmp_path / "run.trec").write_bytes(b"q Q0 a\x00c 1 1.0 x\n")
    with pytest.raises(DataError, match=r"run\.trec:1: document id 'a\\x00c' holds the control character"):
        read_run(tmp_path / "run.trec")
    (tmp_path / "c.jsonl").write_text('{"_id": "a\\u0000b", "text": "x"}\n', encoding="utf-8")
    with pytest.raises(DataError, match=r"c\.jsonl:1: id 'a\\x00b' holds the control character"):
        list(read_documents(tmp_path / "c.jsonl"))


@case("K11-05")
def test_ids_are_never_normalised_but_the_twin_is_named(case: Case, caplog: pytest.LogCaptureFixture) -> None:
    scores = score(case, case["expected"]["values"], corpus_ids=case["input"]["corpus_ids"])
    check(scores, case["expected"]["values"])
    assert scores.counts.judged_not_in_corpus == 1
    assert "1 of 1 judged documents are not in the corpus" in caplog.text
    assert "an id equal after Unicode normalisation exists for 1, such as 'caf\u00e9'" in caplog.text


@pytest.mark.parametrize("kind", LEXICAL)
@case("K11-06")
def test_composed_and_decomposed_text_are_the_same_word(case: Case, kind: str) -> None:
    given = case["input"]
    assert (
        ranked(given["corpus"], given["query"], given["k"], kind=kind)
        == case["expected"]["values"]["ranking"]
    )


@case("K11-07")
def test_one_leading_byte_order_mark_is_no_content(case: Case, tmp_path: Path) -> None:
    assert len(documents_of(case, tmp_path)) == case["expected"]["values"]["n_docs"]
    bom = "\ufeff"
    (tmp_path / "queries.jsonl").write_text(bom + '{"_id": "q1", "text": "x"}\n', encoding="utf-8")
    assert [query.query_id for query in read_queries(tmp_path / "queries.jsonl")] == ["q1"]
    (tmp_path / "q.tsv").write_text(bom + "q1\td1\t1\n", encoding="utf-8")
    assert read_qrels(tmp_path / "q.tsv") == {"q1": {"d1": 1}}
    (tmp_path / "run.trec").write_text(bom + "q1 Q0 d1 1 2.0 x\n", encoding="utf-8")
    assert read_run(tmp_path / "run.trec").query_ids == ["q1"]
    (tmp_path / "t.csv").write_text(bom + "question,answer\nwhat,that\n", encoding="utf-8")
    table = catalog.convert("table", tmp_path / "t.csv", {"question": "question", "positive": "answer"})
    assert [query.text for query in table.queries()] == ["what"]


@case("K11-09")
def test_a_damaged_line_is_named_by_its_number_in_the_file(case: Case, tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"corpus\.jsonl:2: is not JSON"):
        documents_of(case, tmp_path)


@case("K11-10")
def test_blank_lines_pass_and_other_shapes_do_not(case: Case, tmp_path: Path) -> None:
    write_files(case, tmp_path)
    expected = case["expected"]["values"]
    assert len(list(read_documents(tmp_path / "a.jsonl"))) == expected["a.jsonl"]["n_docs"]
    with pytest.raises(DataError, match=r"b\.jsonl:1: is not a JSON object but an array"):
        list(read_documents(tmp_path / "b.jsonl"))
    with pytest.raises(DataError, match=r'c\.jsonl:1: has no "_id"; its keys: \'id\', \'text\' .*"id"'):
        list(read_documents(tmp_path / "c.jsonl"))


def test_other_keys_are_read_when_they_are_named(tmp_path: Path) -> None:
    files = {
        "corpus.jsonl": '{"docid": "d1", "contents": "x", "text": "html", "url": "u"}\n'
        '{"docid": 2, "contents": null}\n',
        "queries.jsonl": '{"qid": "q1", "query": "x"}\n',
        "qrels/test.tsv": "q1\td1\t1\n",
    }
    open_case({"input": {"files": files}}, tmp_path / "in")
    words = [
        "corpus_keys._id=docid",
        "corpus_keys.text=contents",
        "query_keys._id=qid",
        "query_keys.text=query",
    ]
    out = tmp_path / "out"
    assert main(["convert", "beir", str(tmp_path / "in"), "--out", str(out), "--set", *words]) == 0
    first, second = open_folder(out).documents()
    assert (first.doc_id, first.text, first.metadata) == ("d1", "x", {"text_": "html", "url": "u"})
    assert (second.doc_id, second.text) == ("2", "")
    assert [(query.query_id, query.text) for query in open_folder(out).queries()] == [("q1", "x")]
    with pytest.raises(BeirkitError, match="corpus_keys has 'body'"):
        catalog.convert("beir", tmp_path / "in", {"corpus_keys": {"body": "contents"}})
    with pytest.raises(BeirkitError, match="takes one key of the file for two things"):
        catalog.convert("beir", tmp_path / "in", {"corpus_keys": {"title": "a", "text": "a"}})


@case("K11-11")
def test_several_records_on_one_line_are_refused_or_repaired(
    case: Case, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = one_file(case, tmp_path)
    with pytest.raises(DataError, match=r"corpus\.jsonl:1: several records on one line: .*column 25"):
        list(read_documents(path))
    assert [document.doc_id for document in read_documents(path, repair=True)] == ["6", "9", "10"]
    (tmp_path / "queries.jsonl").write_text('{"_id":"q","text":"x"}{"_id":"r","text":"y"}', encoding="utf-8")
    (tmp_path / "qrels").mkdir()
    (tmp_path / "qrels" / "test.tsv").write_text("q\t6\t1\n", encoding="utf-8")
    out = tmp_path / "out"
    assert main(["convert", "beir", str(tmp_path), "--out", str(out)]) == 2
    assert "repair" in capsys.readouterr().err
    assert main(["convert", "beir", str(tmp_path), "--out", str(out), "--set", "repair=true"]) == 0
    assert [query.query_id for query in open_folder(out).queries()] == ["q", "r"]


def a_zip(path: Path) -> bytes:
    """A sound zip of a small BEIR folder; its bytes."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        rows = "".join(json.dumps({"_id": f"d{i}", "text": f"text {i * 7919}"}) + "\n" for i in range(200))
        archive.writestr("ds/corpus.jsonl", rows)
        archive.writestr("ds/queries.jsonl", '{"_id": "q", "text": "x"}\n')
        archive.writestr("ds/qrels/test.tsv", f"{QRELS}q\td1\t1\n")
    return path.read_bytes()


@case("K12-01")
def test_a_truncated_archive_is_never_read(case: Case, tmp_path: Path) -> None:
    assert "first 60 %" in case["input"]["setup"]
    path = tmp_path / "ds.zip"
    whole = a_zip(path)
    for share in (0.0, 0.1, 0.6, 0.99):
        path.write_bytes(whole[: int(len(whole) * share)])
        with pytest.raises(DataError, match=r"ds\.zip"):
            write_folder(catalog.convert("beir", path), tmp_path / "out")
        assert not (tmp_path / "out").exists()
    path.write_bytes(whole)
    assert write_folder(catalog.convert("beir", path), tmp_path / "out").counts.documents == 200
    assert sorted(p.name for p in tmp_path.iterdir()) == ["ds.zip", "out"]


@pytest.mark.parametrize("with_checksum", [True, False])
def test_a_truncated_archive_of_an_earlier_fetch_is_fetched_again(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch, with_checksum: bool
) -> None:
    """The other half of K12-01: a source that serves the whole file. More of it: tests/beirkit/fetching."""
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    path = tmp_path / "ds.zip"
    whole = a_zip(path)
    path.write_bytes(whole[: int(len(whole) * 0.6)])
    known = Checksum("md5", hashlib.md5(whole, usedforsecurity=False).hexdigest()) if with_checksum else None
    with running() as server, caplog.at_level(logging.WARNING, logger="beirkit"):
        server.files["/ds.zip"] = Content(whole)
        file = RemoteFile("ds.zip", (server.url("/ds.zip"),), None, known)
        assert download(file, tmp_path, Client()) == path
    assert "ds.zip: is not" in caplog.text
    assert path.read_bytes() == whole
    assert write_folder(catalog.convert("beir", path), tmp_path / "out").counts.documents == 200


@pytest.mark.parametrize("at", [60, 400])
def test_a_damaged_archive_is_told_by_its_checksum(tmp_path: Path, at: int) -> None:
    path = tmp_path / "ds.zip"
    whole = bytearray(a_zip(path))
    whole[at] ^= 0xFF
    path.write_bytes(whole)
    with pytest.raises(DataError, match=r"ds\.zip.*damaged"):
        write_folder(catalog.convert("beir", path), tmp_path / "out")
    assert not (tmp_path / "out").exists()


@case("K12-03")
def test_a_truncated_gzip_is_an_error_and_no_smaller_corpus(case: Case, tmp_path: Path) -> None:
    assert "gzip of 4 records, last 12 bytes cut" in case["input"]["setup"]
    rows = "".join(json.dumps({"_id": f"d{i}", "text": "x"}) + "\n" for i in range(4))
    whole = gzip.compress(rows.encode())
    path = tmp_path / "corpus.jsonl.gz"
    for cut in (1, 4, 8, 12, len(whole) - 3):
        path.write_bytes(whole[:-cut])
        with pytest.raises(DataError, match=r"corpus\.jsonl\.gz: truncated gzip"):
            list(read_documents(path))
    path.write_bytes(whole)
    assert len(list(read_documents(path))) == 4


@pytest.mark.parametrize("name", ["qrels.tsv.gz", "run.trec.gz"])
def test_judgments_and_runs_are_read_to_the_end_marker_too(tmp_path: Path, name: str) -> None:
    row = b"q\td1\t1\n" if name.startswith("qrels") else b"q Q0 d1 1 1.0 x\n"
    (tmp_path / name).write_bytes(gzip.compress(row)[:-6])
    with pytest.raises(DataError, match="truncated gzip"):
        (read_qrels if name.startswith("qrels") else read_run)(tmp_path / name)


@case("K12-04")
def test_a_stored_error_page_is_called_what_it_is(case: Case, tmp_path: Path) -> None:
    path = one_file(case, tmp_path)
    with pytest.raises(
        DataError, match=r"ds\.zip: is an HTML page, not an archive.*delete it and get it again"
    ):
        catalog.convert("beir", path)


@case("K12-05")
def test_results_of_two_versions_of_a_dataset_are_not_compared(
    case: Case, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "one qrels line changed" in case["input"]["setup"]
    files = {
        "corpus.jsonl": '{"_id": "d1", "text": "ash"}\n{"_id": "d2", "text": "oak"}\n',
        "queries.jsonl": '{"_id": "q1", "text": "ash"}\n',
    }
    folders, ids = [], []
    for version, judged in (("v1", "d1"), ("v2", "d2")):
        folder = tmp_path / version / "tt"
        made = {**files, "qrels/test.tsv": f"{QRELS}q1\t{judged}\t1\n"}
        open_case({"input": {"files": made}}, folder)
        out = tmp_path / version / "results"
        assert main(["run", "-d", str(folder), "-r", "bm25", "--out", str(out)]) == 0
        (manifest,) = out.glob("*/*/manifest.json")
        folders.append(str(manifest.parent))
        ids.append(folder_content_ids(folder))
        assert json.loads(manifest.read_text(encoding="utf-8"))["content_ids"] == ids[-1]
    assert ids[0]["corpus"] == ids[1]["corpus"]
    assert ids[0]["qrels/test"] != ids[1]["qrels/test"]
    capsys.readouterr()
    command = ["compare", *folders, "--qrels", str(tmp_path / "v1" / "tt")]
    assert main(command) == 2
    captured = capsys.readouterr()
    assert "different data versions: content id of qrels/test is" in captured.err
    assert captured.out == ""
    assert main([*command, "--force"]) == 0
    captured = capsys.readouterr()
    assert "compared all the same: different data versions" in captured.err


@case("K12-07")
def test_the_metric_engine_comes_as_a_wheel_and_works_offline(case: Case) -> None:
    assert case["input"]["op"] == "install"
    needed = requires("beirkit") or []
    names = [line.split(">")[0].split("=")[0].split("<")[0].strip() for line in needed]
    assert "pytrec-eval-terrier" in names
    assert "pytrec_eval" not in names
    assert evaluate({"q": {"d": 1}}, {"q": {"d": 1.0}}, "AP").mean("AP") == 1.0
    assert Workplace().cache is None
