"""ir_datasets: fields by name, judgments graded, and nothing downloaded without leave."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import pytest

from beirkit.conversion import convert_source, format_of
from beirkit.converters.catalog import convert
from beirkit.converters.reading import named_fields
from beirkit.corpora.collection import Collection
from beirkit.corpora.errors import BeirkitError, DataError, MissingExtraError, UnknownNameError, UsageError
from beirkit.corpora.folder import open_folder
from beirkit.corpora.records import Document, Judgment
from tests.converters import local_irds
from tests.converters.local_irds import ID

pytest.importorskip("ir_datasets", reason="needs the part 'irds'")


@pytest.fixture(autouse=True, scope="module")
def lighthouses(tmp_path_factory: pytest.TempPathFactory) -> None:
    local_irds.register(tmp_path_factory.mktemp("ir_datasets"))


def opened(dataset_id: str, **options: Any) -> Collection:
    return convert("ir_datasets", None, {"id": dataset_id, **options})


def test_an_id_after_a_colon_is_converted(tmp_path: Path) -> None:
    assert format_of(f"ir_datasets:{ID}/test") == "ir_datasets"
    folder, manifest = convert_source(f"ir_datasets:{ID}/test", None, tmp_path / "out")
    collection = open_folder(folder)
    assert collection.splits == ("test",)
    assert list(collection.judgments("test")) == [Judgment("7", "n/1", 1), Judgment("7", "n/2", 0)]
    assert manifest.provenance.source == f"{ID}/test"
    assert manifest.provenance.revision.startswith("ir_datasets ")


def test_a_format_without_a_subject_takes_nothing_after_a_colon(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="format 'beir' takes nothing after a colon"):
        convert_source("beir:x", tmp_path, tmp_path / "out")


def test_the_split_is_named_by_the_id_or_by_the_user() -> None:
    assert opened(f"{ID}-subtopics").splits == ("test",)
    assert opened(f"{ID}/train").splits == ("train",)
    assert opened(f"{ID}/train", split="dev").splits == ("dev",)
    assert opened(ID).splits == ("test", "train")
    assert opened(ID, split="train").splits == ("train",)
    with pytest.raises(UsageError, match="has no part 'dev' with judgments"):
        opened(ID, split="dev")


def test_a_field_of_the_query_can_be_chosen() -> None:
    assert [query.text for query in opened(ID, query_text="description").queries()] == [
        "How warm is it?",
        "",
        "Who?",
    ]
    with pytest.raises(UsageError, match=r"have no field 'descripton' .*'description'"):
        opened(ID, query_text="descripton")


def test_other_fields_can_be_left_out() -> None:
    collection = opened(ID, metadata=False)
    assert all(not document.metadata for document in collection.documents())
    assert [query.metadata for query in collection.queries()] == [{}, {"excluded_ids": ["n/3"]}, {}]


def test_judgments_of_subtopics_give_the_highest_grade(caplog: pytest.LogCaptureFixture) -> None:
    found = list(opened(f"{ID}-subtopics").judgments("test"))
    assert found == [Judgment("7", "n/1", 2), Judgment("7", "n/2", -2)]
    assert caplog.text.count("the highest grade is taken") == 1


@pytest.mark.parametrize(
    ("dataset_id", "error", "problem"),
    [
        ("", UsageError, "name one: ir_datasets:ID"),
        ("vaswanni", UnknownNameError, "has no dataset 'vaswanni' .*'vaswani'"),
        (f"{ID}-unjudged", DataError, "has no judgments"),
        (f"{ID}-nothing", DataError, "has no documents"),
        ("beir", DataError, "has no documents .below it are: beir/arguana, "),
    ],
)
def test_what_cannot_be_read_is_told(dataset_id: str, error: type[Exception], problem: str) -> None:
    with pytest.raises(error, match=problem):
        opened(dataset_id)


def test_nothing_is_downloaded_without_leave(monkeypatch: pytest.MonkeyPatch) -> None:
    import ir_datasets

    asked = []
    monkeypatch.setattr(ir_datasets.lazy_libs, "requests", lambda: asked.append("asked"))
    with pytest.raises(UsageError, match=r"would download http.* for nano-beir/scifact.*download=true"):
        opened("nano-beir/scifact")
    assert not asked


def test_every_id_of_the_library_is_opened_or_refused_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    import ir_datasets

    asked: list[str] = []
    monkeypatch.setattr(ir_datasets.lazy_libs, "requests", lambda: asked.append("asked"))
    monkeypatch.setenv("IR_DATASETS_SKIP_DEPRECATED_WARNING", "true")
    refused: dict[str, str] = {}
    for dataset_id in list(ir_datasets.registry):
        try:
            assert opened(dataset_id).splits
        except BeirkitError as error:
            refused[dataset_id] = str(error)
    assert all(dataset_id in message for dataset_id, message in refused.items())
    assert sum("would download" in message for message in refused.values()) > 600
    assert not asked


def test_with_leave_the_library_asks_and_its_troubles_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    from ir_datasets.util.download import RequestsDownload

    asked: list[str] = []

    def unreachable(self: Any) -> None:
        asked.append(self.url)
        raise OSError("no route to host")

    monkeypatch.setattr(RequestsDownload, "stream", unreachable)
    with pytest.raises(DataError, match=r"ir_datasets cannot read nano-beir/scifact: .*no route to host"):
        opened("nano-beir/scifact", download="true")
    assert asked
    assert RequestsDownload.stream is unreachable


def test_the_library_s_ways_to_the_network_are_as_before_between_records() -> None:
    from ir_datasets.util.download import RequestsDownload

    before = RequestsDownload.stream
    documents = opened(ID).documents()
    next(documents)
    assert RequestsDownload.stream is before


def test_files_of_its_own_are_read_from_where_the_library_keeps_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """NanoBEIR's SciFact, written by hand where ir_datasets would have put the downloaded files."""
    arrow = pytest.importorskip("pyarrow", reason="needs the part 'parquet'")
    import ir_datasets
    import pyarrow.parquet

    dataset = ir_datasets.load("nano-beir/scifact")
    tables = {
        dataset.docs_handler(): [{"_id": "d1", "text": "Mosses have no roots."}],
        dataset.queries_handler(): [{"_id": "q1", "text": "roots of mosses"}],
        dataset.qrels_handler(): [{"query-id": "q1", "corpus-id": "d1"}],
    }
    for number, (handler, rows) in enumerate(tables.items()):
        path = tmp_path / f"{number}.parquet"
        pyarrow.parquet.write_table(arrow.Table.from_pylist(rows), path)
        source = next(v for v in vars(handler).values() if type(v).__name__ == "Download")
        monkeypatch.setattr(source, "_path", path)
    collection = opened("nano-beir/scifact")
    assert list(collection.documents()) == [Document("d1", "", "Mosses have no roots.")]
    assert [query.text for query in collection.queries()] == ["roots of mosses"]
    assert list(collection.judgments("test")) == [Judgment("q1", "d1", 1)]


def test_without_the_library_the_part_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "ir_datasets", None)
    with pytest.raises(MissingExtraError, match=r"beirkit\[irds\]"):
        opened(ID)


class News(NamedTuple):
    doc_id: str
    headline: str
    body: str


class Paper(NamedTuple):
    doc_id: str
    title: str
    abstract: str
    body: str

    def default_text(self) -> str:
        return f"{self.title}. {self.abstract} {self.body}"


class Marked(NamedTuple):
    doc_id: str
    text: str
    marked_up_doc: str
    year: int


class Page(NamedTuple):
    doc_id: str
    body: bytes

    def default_text(self) -> str:
        return self.body.decode()


class Empty(NamedTuple):
    doc_id: str
    title: str | None
    text: str | None


@pytest.mark.parametrize(
    ("record", "document"),
    [
        (News("1", "H", "B"), Document("1", "H", "B")),
        (
            Paper("1", "T", "A", "B"),
            Document("1", "", "T. A B"),
        ),
        (Marked("1", "x", "<p>x</p>", 0), Document("1", "", "x", {"year": 0})),
        (Page("1", b"x"), Document("1", "", "x")),
        (Empty("1", None, None), Document("1", "", "")),
    ],
)
def test_title_and_text_by_the_names_of_fields(record: Any, document: Document) -> None:
    assert named_fields.document(record, metadata=True) == document


def test_cranfield_of_the_library_is_the_collection(
    shared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The archive that ir_datasets would download, laid where it looks for its own copy."""
    from ir_datasets.util.download import Download

    archive = shared / "data" / "cranfield" / "raw" / "cran.tar.gz"
    monkeypatch.setenv("IR_DATASETS_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(Download, "path", lambda self, force=True: archive)
    folder, manifest = convert_source("ir_datasets:cranfield", None, tmp_path / "cranfield", check=False)
    assert manifest.counts.documents == 1400
    assert manifest.counts.queries == 225
    grades = {"-1": 225, "1": 128, "2": 387, "3": 734, "4": 363}
    assert {str(g): n for g, n in manifest.counts.splits["test"].grades.items()} == grades
    ours = open_folder(shared / "data" / "cranfield" / "beir")
    assert open_folder(folder).qrels("test") == ours.qrels("test")
    texts = [" ".join(query.text.split()) for query in open_folder(folder).queries()]
    assert texts == [" ".join(query.text.split()) for query in ours.queries()]
