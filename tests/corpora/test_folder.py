"""BEIR folders as collections, and collections as folders."""

from __future__ import annotations

import errno
import gzip
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import tracemalloc
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from beirkit.corpora.collection import Collection, Provenance
from beirkit.corpora.errors import DataError, UsageError
from beirkit.corpora.folder import is_beir_folder, open_folder, write_folder
from beirkit.corpora.manifest import read_manifest
from beirkit.corpora.records import Document, Judgment, Query


def tree(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


def test_a_folder_is_read_as_it_stands(folder: Path) -> None:
    collection = open_folder(folder)
    assert collection.splits == ("dev", "test")
    assert collection.provenance == Provenance(source="weather")
    documents = list(collection.documents())
    assert [document.doc_id for document in documents] == ["d1", "d2", "d3", "d4"]
    assert documents[0] == Document("d1", "Tides", "The moon pulls the sea.", {"year": 1901})
    assert documents == list(collection.documents())  # a fresh pass each time
    assert list(collection.queries())[1] == Query("q2", "warm wind", {"lang": "en"})
    assert list(collection.judgments("dev")) == [Judgment("q2", "d2", 1)]
    assert collection.qrels("test") == {"q1": {"d1": 2, "d2": 0}, "q2": {"d3": 1}}


def test_an_unknown_split_is_never_replaced_by_another(folder: Path) -> None:
    with pytest.raises(UsageError, match=r"weather has no split 'train' \(it has: dev, test\)"):
        open_folder(folder).judgments("train")


def test_opening_reads_nothing(folder: Path) -> None:
    (folder / "corpus.jsonl").write_text("this is damaged")
    collection = open_folder(folder)
    assert len(list(collection.queries())) == 3
    with pytest.raises(DataError, match=r"corpus\.jsonl:1: is not JSON"):
        list(collection.documents())


def test_compressed_files_are_read_the_same(folder: Path) -> None:
    plain = open_folder(folder)
    expected = (list(plain.documents()), list(plain.queries()), plain.qrels("test"))
    for name in ("corpus.jsonl", "queries.jsonl", "qrels/test.tsv"):
        path = folder / name
        Path(f"{path}.gz").write_bytes(gzip.compress(path.read_bytes()))
        path.unlink()
    packed = open_folder(folder)
    assert (list(packed.documents()), list(packed.queries()), packed.qrels("test")) == expected


def test_a_truncated_corpus_is_an_error_not_a_shorter_corpus(folder: Path) -> None:
    data = gzip.compress((folder / "corpus.jsonl").read_bytes())
    (folder / "corpus.jsonl").unlink()
    (folder / "corpus.jsonl.gz").write_bytes(data[:-12])
    with pytest.raises(DataError, match=r"corpus\.jsonl\.gz: truncated gzip"):
        list(open_folder(folder).documents())


def test_what_was_dropped_is_said_once(folder: Path, caplog: pytest.LogCaptureFixture) -> None:
    for name in ("corpus.jsonl", "queries.jsonl", "qrels/test.tsv"):
        path = folder / name
        path.write_text(
            path.read_text(encoding="utf-8") + path.read_text(encoding="utf-8").split("\n")[-2] + "\n"
        )
    collection = open_folder(folder)
    for _ in range(3):
        assert len(list(collection.documents())) == 4
        assert len(list(collection.queries())) == 3
        assert len(collection.qrels("test")) == 2
    assert [record.getMessage().split(": ")[1] for record in caplog.records] == [
        "1 repeated records dropped, the same id and text each time (e.g. d4)",
        "1 repeated records dropped, the same id and text each time (e.g. q3)",
        "1 exact duplicate judgments dropped (e.g. q2/d3)",
    ]


def test_records_without_line_ends_can_be_repaired(folder: Path) -> None:
    corpus = folder / "corpus.jsonl"
    corpus.write_text(corpus.read_text(encoding="utf-8").replace("\n", ""), encoding="utf-8")
    with pytest.raises(DataError, match=r"corpus\.jsonl:1: several records on one line"):
        list(open_folder(folder).documents())
    assert [d.doc_id for d in open_folder(folder, repair=True).documents()] == ["d1", "d2", "d3", "d4"]


def test_what_is_no_folder_of_this_kind(folder: Path, tmp_path: Path) -> None:
    assert is_beir_folder(folder)
    with pytest.raises(DataError, match="does not exist"):
        open_folder(tmp_path / "none")
    with pytest.raises(DataError, match="is not a folder"):
        open_folder(folder / "corpus.jsonl")
    with pytest.raises(DataError, match=r"has no corpus\.jsonl \(did you mean weather/ inside it\?\)"):
        open_folder(tmp_path)
    shutil.copytree(folder, tmp_path / "climate")
    with pytest.raises(DataError, match="it holds several: climate, weather"):
        open_folder(tmp_path)
    (folder / "corpus.jsonl.gz").write_bytes(b"")
    with pytest.raises(DataError, match=r"holds both corpus\.jsonl and corpus\.jsonl\.gz"):
        open_folder(folder)
    (folder / "corpus.jsonl.gz").unlink()
    (folder / "queries.jsonl").unlink()
    with pytest.raises(DataError, match=r"has no queries\.jsonl"):
        open_folder(folder)
    assert not is_beir_folder(folder)


def test_writing_gives_back_the_same_bytes(folder: Path, tmp_path: Path) -> None:
    write_folder(open_folder(folder), tmp_path / "copy")
    expected = tree(folder)
    assert {
        name: data for name, data in tree(tmp_path / "copy").items() if name != "manifest.json"
    } == expected


def test_equal_work_gives_equal_bytes(folder: Path, tmp_path: Path) -> None:
    for name in ("a", "b"):
        write_folder(open_folder(folder), tmp_path / name, gzip=True, version="1")
    assert tree(tmp_path / "a") == tree(tmp_path / "b")
    assert sorted(tree(tmp_path / "a")) == [
        "corpus.jsonl.gz", "manifest.json", "qrels/dev.tsv.gz", "qrels/test.tsv.gz", "queries.jsonl.gz",
    ]  # fmt: skip


def test_escapes_on_request(folder: Path, tmp_path: Path) -> None:
    write_folder(open_folder(folder), tmp_path / "ascii", ascii=True)
    content = (tmp_path / "ascii" / "corpus.jsonl").read_text("ascii")
    assert '"F\\u00f6hn"' in content
    assert "\\ud83c\\udf2c" in content
    assert list(open_folder(tmp_path / "ascii").documents()) == list(open_folder(folder).documents())


def failing() -> Collection:
    def documents() -> Iterator[Document]:
        yield Document("d1", "", "x")
        raise RuntimeError("the source broke")

    return Collection(documents=documents, queries=list, judgments={}, provenance=Provenance(source="s"))


def test_a_folder_appears_whole_or_not_at_all(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="the source broke"):
        write_folder(failing(), tmp_path / "new")
    assert list(tmp_path.iterdir()) == []


def test_what_stands_there_is_not_lost(folder: Path, tmp_path: Path) -> None:
    collection = open_folder(folder)
    with pytest.raises(UsageError, match="was not written by beirkit"):
        write_folder(collection, folder, overwrite=True)
    (tmp_path / "empty").mkdir()
    write_folder(collection, tmp_path / "empty")
    with pytest.raises(UsageError, match="is there already"):
        write_folder(collection, tmp_path / "empty")
    before = tree(tmp_path / "empty")
    with pytest.raises(RuntimeError):
        write_folder(failing(), tmp_path / "empty", overwrite=True)
    assert tree(tmp_path / "empty") == before
    (tmp_path / "file").write_text("x")
    with pytest.raises(UsageError, match="is a file, not a folder"):
        write_folder(collection, tmp_path / "file")
    (tmp_path / "empty" / "notes.txt").write_text("mine")
    with pytest.raises(UsageError, match=r"holds 1 files that beirkit did not write, such as notes\.txt"):
        write_folder(collection, tmp_path / "empty", overwrite=True)
    (tmp_path / "empty" / "notes.txt").unlink()
    small = Collection.from_dicts({"d": {"text": "x"}}, {"q": "x"}, {"q": {"d": 1}})
    write_folder(small, tmp_path / "empty", overwrite=True)
    assert [document.doc_id for document in open_folder(tmp_path / "empty").documents()] == ["d"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["empty", "file", "weather"]


def test_what_another_run_wrote_meanwhile_is_not_replaced(folder: Path, tmp_path: Path) -> None:
    first = open_folder(folder)

    def documents() -> Iterator[Document]:
        if not (tmp_path / "new").exists():
            write_folder(first, tmp_path / "new")
        yield Document("d", "", "x")

    late = Collection(documents=documents, queries=list, judgments={}, provenance=Provenance(source="s"))
    with pytest.raises(UsageError, match="new: is there already"):
        write_folder(late, tmp_path / "new")
    assert read_manifest(tmp_path / "new").counts.documents == len(list(first.documents()))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["new", "weather"]


def test_a_folder_may_be_rewritten_from_itself(folder: Path, tmp_path: Path) -> None:
    write_folder(open_folder(folder), tmp_path / "a")
    expected = read_manifest(tmp_path / "a").content_ids
    write_folder(open_folder(tmp_path / "a"), tmp_path / "a", gzip=True, overwrite=True)
    assert read_manifest(tmp_path / "a").content_ids == expected


def test_ids_that_repeat(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    def collection(second: str, grade: int) -> Collection:
        return Collection(
            documents=lambda: [Document("d", "", "old"), Document("e", "", "x"), Document("d", "", second)],
            queries=lambda: [Query("q", "x")],
            judgments={"test": lambda: [Judgment("q", "d", 1), Judgment("q", "d", grade)]},
            provenance=Provenance(source="s"),
        )

    with pytest.raises(DataError, match="document id 'd' stands at records 1 and 3 with different texts"):
        write_folder(collection("new", 1), tmp_path / "a")
    with pytest.raises(DataError, match="are judged 1 at judgment 1 and 2 at judgment 2"):
        write_folder(collection("old", 2), tmp_path / "a")
    manifest = write_folder(collection("old", 1), tmp_path / "a")
    assert manifest.counts.documents == 2
    assert manifest.counts.splits["test"].judgments == 1
    assert "1 repeated records dropped" in caplog.text
    assert "1 exact duplicate judgments dropped" in caplog.text


@pytest.mark.parametrize("split", ["", "a/b", "..", ".hidden", "a\nb"])
def test_split_names_that_are_no_file_names(tmp_path: Path, split: str) -> None:
    collection = Collection.from_dicts({"d": {}}, {"q": "x"}, {split: {"q": {"d": 1}}}, split=None)
    with pytest.raises(DataError, match="cannot be a file name"):
        write_folder(collection, tmp_path / "a")
    assert list(tmp_path.iterdir()) == []


def test_progress_counts_every_record(folder: Path, tmp_path: Path) -> None:
    told: dict[str, int] = {}

    @contextmanager
    def progress(label: str, total: int | None, unit: str) -> Iterator[object]:
        def advance(done: int = 1, /) -> None:
            told[label] = told.get(label, 0) + done

        yield advance

    write_folder(open_folder(folder), tmp_path / "a", progress=progress)  # type: ignore[arg-type]  # its yield type is wider
    assert told == {"documents": 4, "queries": 3, "judgments of dev": 1, "judgments of test": 3}


def test_a_full_disk_leaves_nothing(tmp_path: Path) -> None:
    code = (
        "import sys\n"
        "from beirkit.corpora.collection import Collection\n"
        "from beirkit.corpora.errors import BeirkitError\n"
        "from beirkit.corpora.folder import write_folder\n"
        "corpus = {str(i): {'text': str(i) * 500} for i in range(4000)}\n"
        "try:\n"
        "    write_folder(Collection.from_dicts(corpus, {}, {}), sys.argv[1])\n"
        "except BeirkitError as error:\n"
        "    print(error)\n"
    )

    def limit() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))

    target = tmp_path / "out"
    done = subprocess.run(
        [sys.executable, "-P", "-c", code, str(target)],
        preexec_fn=limit, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout == (
        f"{target}: cannot be written: {os.strerror(errno.EFBIG)} (the folder was not made)\n"
    )
    assert done.stderr == ""
    assert list(tmp_path.iterdir()) == []


ids = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1)
texts = st.text(st.characters(exclude_categories=["Cs"]))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=50)
@given(
    st.dictionaries(ids, st.fixed_dictionaries({"title": texts, "text": texts})),
    st.dictionaries(ids, texts),
    st.dictionaries(ids, st.dictionaries(ids, st.integers(-5, 5), min_size=1)),
    st.booleans(),
    st.booleans(),
)
def test_any_dictionaries_survive(
    tmp_path: Path,
    corpus: dict[str, dict[str, str]],
    queries: dict[str, str],
    qrels: dict[str, dict[str, int]],
    ascii: bool,
    gzip: bool,
) -> None:
    shutil.rmtree(tmp_path / "a", ignore_errors=True)
    write_folder(Collection.from_dicts(corpus, queries, qrels), tmp_path / "a", ascii=ascii, gzip=gzip)
    read = open_folder(tmp_path / "a")
    assert {d.doc_id: {"title": d.title, "text": d.text} for d in read.documents()} == corpus
    assert {query.query_id: query.text for query in read.queries()} == queries
    assert read.qrels("test") == qrels


def test_scifact_comes_out_as_it_went_in(shared: Path, tmp_path: Path) -> None:
    source = shared / "data" / "scifact" / "beir"
    manifest = write_folder(open_folder(source), tmp_path / "scifact", ascii=True)
    for name in ("corpus.jsonl", "queries.jsonl"):
        assert (tmp_path / "scifact" / name).read_bytes() == (source / name).read_bytes()
    assert manifest.counts.documents == 5183
    assert manifest.counts.queries == 1109
    assert manifest.counts.splits["test"].grades == {"1": 339}
    assert manifest.counts.splits["test"].queries == 300


def test_memory_does_not_grow_with_the_corpus(tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.mkdir()
    with (source / "corpus.jsonl").open("w") as out:
        for number in range(20_000):
            out.write(json.dumps({"_id": str(number), "text": "wind " * 200}) + "\n")
    (source / "queries.jsonl").write_text("")
    tracemalloc.start()
    try:
        manifest = write_folder(open_folder(source), tmp_path / "out")
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert manifest.counts.documents == 20_000
    assert (source / "corpus.jsonl").stat().st_size > 20_000_000
    assert peak < 12_000_000


def test_a_copy_that_its_reader_drops_is_told_once(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    raw = tmp_path / "raw"
    (raw / "qrels").mkdir(parents=True)
    line = '{"_id": "d", "title": "", "text": "x", "metadata": {}}\n'
    (raw / "corpus.jsonl").write_text(line * 2)
    (raw / "queries.jsonl").write_text('{"_id": "q", "text": "what", "metadata": {}}\n')
    (raw / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\nq\td\t1\n")
    manifest = write_folder(open_folder(raw), tmp_path / "out")
    assert manifest.counts.documents == 1
    assert (tmp_path / "out" / "corpus.jsonl").read_text() == line
    assert [record.getMessage() for record in caplog.records] == [
        f"{raw / 'corpus.jsonl'}: 1 repeated records dropped, the same id and text each time (e.g. d)"
    ]
