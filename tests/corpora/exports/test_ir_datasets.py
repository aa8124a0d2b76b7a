from __future__ import annotations

import ast
import json
import runpy
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings

from beirkit.converters.catalog import convert
from beirkit.corpora.collection import Collection
from beirkit.corpora.errors import DataError, UsageError
from beirkit.corpora.exports.base import Facts
from beirkit.corpora.exports.catalog import export_folder
from beirkit.corpora.records import Document, Judgment
from tests.corpora.exports.samples import FACTS, collection_of, collections, ids, records

# Prints what ir_datasets reads through the module, as JSON.
_SHOW = """
import json, sys
sys.path.insert(0, sys.argv[1])
import weather_ir_datasets, ir_datasets
whole, test = ir_datasets.load("beirkit/weather"), ir_datasets.load("beirkit/weather/test")
print(json.dumps({
    "documents": list(test.docs_iter()), "looked up": test.docs_store().get("<dbpedia:Rain>"),
    "texts": [doc.default_text() for doc in test.docs_iter()], "language": test.docs_lang(),
    "queries": list(whole.queries_iter()), "judged queries": [q.query_id for q in test.queries_iter()],
    "qrels": test.qrels_dict(), "kinds": [whole.has_qrels(), test.has_qrels()],
}))
"""


def test_files_and_module(weather: Collection, tmp_path: Path) -> None:
    manifest = export_folder(weather, "ir_datasets", tmp_path / "out", FACTS)
    assert list(manifest.files) == [
        "documents.jsonl", "qrels/dev.qrels", "qrels/test.qrels", "queries.jsonl", "weather_ir_datasets.py",
    ]  # fmt: skip
    documents = (tmp_path / "out/documents.jsonl").read_text(encoding="utf-8").splitlines()
    assert json.loads(documents[0]) == {
        "doc_id": "d1", "title": "Tides", "text": "The moon\npulls the sea.", "metadata": {"year": 1901},
    }  # fmt: skip
    assert (tmp_path / "out/qrels/dev.qrels").read_text() == "q2 0 d2 1\n"
    module = ast.parse((tmp_path / "out/weather_ir_datasets.py").read_text(encoding="utf-8"))
    values = {
        node.targets[0].id: node.value.value
        for node in module.body
        if isinstance(node, ast.Assign)
        and isinstance(node.targets[0], ast.Name)
        and isinstance(node.value, ast.Constant)
    }
    assert values == {"ID": "beirkit/weather", "LANGUAGE": "en"}


def test_names_are_chosen(tmp_path: Path) -> None:
    one = collection_of([Document("d", "", "t")], [], {})
    odd = Facts(name='2nd "try"')
    export_folder(one, "ir_datasets", tmp_path / "a", odd)
    code = (tmp_path / "a/_2nd_try__ir_datasets.py").read_text(encoding="utf-8")
    assert "ID = 'beirkit/2nd-try-'" in code
    export_folder(one, "ir_datasets", tmp_path / "b", odd, {"id": "lab/notes/v2", "module": "notes"})
    assert "ID = 'lab/notes/v2'" in (tmp_path / "b/notes.py").read_text(encoding="utf-8")
    with pytest.raises(UsageError, match="is no id"):
        export_folder(one, "ir_datasets", tmp_path / "c", odd, {"id": "a'; import os #"})
    with pytest.raises(UsageError, match="cannot be imported"):
        export_folder(one, "ir_datasets", tmp_path / "c", odd, {"module": "a-b"})


def test_refuses_ids_that_qrels_cannot_hold(tmp_path: Path) -> None:
    judged = collection_of([Document("d 1", "", "t")], [], {"test": [Judgment("q", "d 1", 1)]})
    with pytest.raises(DataError, match="document id 'd 1' holds white space"):
        export_folder(judged, "ir_datasets", tmp_path / "out", FACTS)
    assert not (tmp_path / "out").exists()


def test_ir_datasets_reads_what_the_module_registers(weather: Collection, tmp_path: Path) -> None:
    pytest.importorskip("ir_datasets")
    export_folder(weather, "ir_datasets", tmp_path / "out", FACTS)
    done = subprocess.run(
        [sys.executable, "-P", "-c", _SHOW, str(tmp_path / "out")],
        env={"IR_DATASETS_HOME": str(tmp_path / "home"), "PATH": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    shown = json.loads(done.stdout)
    assert shown["documents"] == [[d.doc_id, d.title, d.text, d.metadata] for d in weather.documents()]
    assert shown["looked up"] == shown["documents"][2]
    assert shown["texts"][:2] == ["Tides The moon\npulls the sea.", shown["documents"][1][2]]
    assert shown["queries"] == [[q.query_id, q.text, q.metadata] for q in weather.queries()]
    assert shown["judged queries"] == ["q1", "q2"]
    assert shown["qrels"] == weather.qrels("test")
    assert shown["kinds"] == [False, True]
    assert shown["language"] == "en"


@contextmanager
def registered(collection: Collection) -> Iterator[str]:
    """The id of an exported collection, which ir_datasets knows for a while."""
    library = pytest.importorskip("ir_datasets")
    before = dict(library.registry._registered)
    with TemporaryDirectory() as place:
        export_folder(
            collection, "ir_datasets", Path(place) / "out", FACTS, {"id": "trial", "module": "trial"}
        )
        try:
            runpy.run_path(str(Path(place) / "out/trial.py"))
            yield "trial"
        finally:
            library.registry._registered = before


def test_the_converter_reads_every_split_back(weather: Collection) -> None:
    with registered(weather) as dataset_id:
        assert records(convert("ir_datasets", None, {"id": dataset_id})) == records(weather)


@settings(max_examples=30)
@given(collections(names=ids.filter(lambda name: name.split() == [name] and name[0] not in "#\ufeff")))
def test_any_records_come_back(collection: Collection) -> None:
    with registered(collection) as dataset_id:
        assert records(convert("ir_datasets", None, {"id": dataset_id})) == records(collection)
