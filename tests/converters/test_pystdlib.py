"""The standard library as a benchmark: what becomes a document, a query, or nothing."""

from __future__ import annotations

import logging
import platform
from pathlib import Path

import pytest

from beirkit.converters.catalog import convert
from beirkit.converters.pystdlib import Entry, names_itself, reads_as_query
from beirkit.converters.reading.ids import content_hash
from beirkit.corpora.collection import Collection
from beirkit.corpora.errors import DataError

MODULE = '''
"""A module; its own documentation is no document."""
raise RuntimeError("parsed, never imported")

def fetch(x):
    """Bring something from far away.

    It may take long.
    """
    def inner():
        """Hide inside a function.

        Nobody sees this.
        """

def carry(x):
    """Bring something from far away.  Another way."""

def alone():
    """Stand without any company."""

def lookup():
    """Lookup a word in the book.

    The summary names it.
    """

def terse():
    """Do it.

    Two words are no query.
    """

def undocumented():
    pass

def _private():
    """Hide from everybody outside.

    Body.
    """

class Box:
    """Hold one thing at a time.

    Like a box.
    """

    def __init__(self):
        """Set up an empty one.

        Body.
        """

    @property
    def lid(self):
        """What closes the thing.

        First half.
        """

    @lid.setter
    def lid(self, value):
        """Close the thing with another.

        Second half.
        """

    async def open(self):
        """Look at what is inside.

        Box's content comes back.
        """

class _Hidden:
    def seen(self):
        """Be public in a private class.

        Body.
        """

if True:
    def chosen():
        """Take what the platform has.

        Body.
        """
else:
    def other():
        """Take what the rest has.

        Body.
        """
try:
    pass
except ImportError:
    def fallback():
        """Serve where nothing else does.

        Body.
        """
'''
DOCUMENTED = 'def {name}():\n    """Serve as an example here.\n\n    Body of {name}.\n    """\n'


@pytest.fixture
def library(tmp_path: Path) -> Path:
    folder = tmp_path / "lib"
    files = {
        "alpha.py": MODULE,
        "broken.py": "def f(:\n",
        "package/__init__.py": DOCUMENTED.format(name="top"),
    }
    for path in (
        "package/deep.py", "_private.py", "test/case.py", "package/tests/case.py", "idlelib/editor.py",
        "site-packages/third.py", "__main__.py", "config-3/made.py", "notes.txt",
    ):  # fmt: skip
        files[path] = DOCUMENTED.format(name="f")
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(content)
    (folder / "latin.py").write_bytes(
        b"# coding: latin-1\n" + DOCUMENTED.format(name="caf\xe9").encode("latin-1")
    )
    return folder


def test_documents_in_order_with_title_and_body(library: Path) -> None:
    documents = {document.doc_id: document for document in convert("pystdlib", library).documents()}
    assert list(documents) == [
        "alpha.fetch", "alpha.carry", "alpha.Box", "alpha.Box.lid", "alpha.Box.open", "alpha.chosen",
        "alpha.other", "alpha.fallback", "latin.café", "package.top", "package.deep.f",
    ]  # fmt: skip
    assert all(document.title == doc_id for doc_id, document in documents.items())
    assert documents["alpha.fetch"].text == "It may take long."
    assert documents["alpha.carry"].text == "Another way."
    assert documents["alpha.Box.lid"].text == "First half."


def test_equal_summaries_are_one_query_with_several_judgments(library: Path) -> None:
    collection = convert("pystdlib", library)
    queries = {query.text: query.query_id for query in collection.queries()}
    far = "Bring something from far away."
    assert queries[far] == content_hash("q", far)
    qrels = collection.qrels("test")
    assert qrels[queries[far]] == {"alpha.fetch": 1, "alpha.carry": 1}
    assert set(qrels) == set(queries.values())


def test_a_file_that_cannot_be_parsed_is_left_out_with_a_word(
    library: Path, caplog: pytest.LogCaptureFixture
) -> None:
    collection = convert("pystdlib", library)
    list(collection.documents())
    list(collection.queries())
    warnings = [record.getMessage() for record in caplog.records if record.levelno == logging.WARNING]
    assert len(warnings) == 1
    assert str(library / "broken.py") in warnings[0]


def test_a_folder_without_python_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("x")
    with pytest.raises(DataError, match="holds no Python source"):
        convert("pystdlib", tmp_path)


@pytest.mark.parametrize(
    ("name", "summary", "named"),
    [
        ("queue.Queue.get", "Get an item.", True),
        ("queue.Queue.put", "Add an item to the queue.", False),
        ("os.walk", "Generate names by walking a tree.", False),
        ("json.dumps", "Serialize with dumps().", True),
        ("heapq.heappop", "Pop the smallest item.", False),
        ("x.set_debug", "Call set_debug, or reset_debug.", True),
        ("x.debug", "Call set_debug.", False),
    ],
)
def test_a_name_counts_as_a_whole_word_in_any_case(name: str, summary: str, named: bool) -> None:
    assert names_itself(Entry(name, summary, "body")) is named


@pytest.mark.parametrize(
    ("summary", "is_query"),
    [
        ("Return the first item.", True),
        ("'x' is the first item.", True),
        ("Return items [in order].", True),
        ("Stub method.", False),
        ("The options are the following:", False),
        (">>> import io here", False),
        ("**DEPRECATED** use the other", False),
        ("break [file:]line [condition]", False),
        ("restype: the result type", False),
    ],
)
def test_what_nobody_would_type_is_no_query(summary: str, is_query: bool) -> None:
    assert reads_as_query(summary) is is_query


@pytest.fixture(scope="module")
def installed() -> Collection:
    return convert("pystdlib")


def test_the_installed_library_has_the_size_of_a_benchmark(installed: Collection) -> None:
    documents = list(installed.documents())
    assert 1_200 < len(documents) < 3_000
    assert all(document.text.strip() for document in documents)
    assert {"shutil.copytree", "heapq.nsmallest", "csv.DictReader"} & {doc.doc_id for doc in documents}
    assert installed.provenance.revision == platform.python_version()
    assert installed.provenance.licence == "PSF-2.0"


def test_no_installed_document_is_private_or_a_test(installed: Collection) -> None:
    parts = [document.doc_id.split(".") for document in installed.documents()]
    assert not [name for name in parts if any(part.startswith("_") for part in name)]
    roots = {name[0] for name in parts}
    assert not roots & {"test", "idlelib", "lib2to3", "turtledemo", "pip", "setuptools", "beirkit", "numpy"}
    assert {"os", "asyncio", "email", "http"} <= roots


def test_query_ids_and_document_ids_are_apart(installed: Collection) -> None:
    query_ids = {query.query_id for query in installed.queries()}
    assert not query_ids & {document.doc_id for document in installed.documents()}
    assert all(query_id.startswith("q-") and len(query_id) == 18 for query_id in query_ids)
