from __future__ import annotations

import sys
from importlib.metadata import EntryPoint, EntryPoints
from types import ModuleType
from typing import Any

import pytest

from beirkit.configs.load import load_retriever, names
from beirkit.configs.schema import RetrieverConfig
from beirkit.corpora.errors import ConfigError, MissingExtraError, UnknownNameError, UsageError
from beirkit.languages import for_language
from beirkit.retrievers import catalog
from beirkit.retrievers.base import Workplace
from beirkit.retrievers.lexical.bm25 import BM25Retriever


def _register(monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    point = EntryPoint(name=name, value=value, group=catalog.ENTRY_POINTS)

    def entry_points(*, group: str) -> EntryPoints:
        assert group == "beirkit.retrievers"
        return EntryPoints([point])

    monkeypatch.setattr(catalog, "entry_points", entry_points)


def test_shipped_kinds() -> None:
    assert {"bm25", "rank-bm25", "dense", "beir"} <= set(catalog.kinds())
    assert catalog.get("bm25") is BM25Retriever


def test_unknown_kind_names_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match=r"'bn25' \(did you mean 'bm25'\?\)"):
        catalog.get("bn25")


def test_create_keeps_options_and_workplace() -> None:
    workplace = Workplace(device="cpu")
    config = RetrieverConfig(name="mine", kind="bm25", options={"k1": "1.2", "analyzer": {"stemmer": "none"}})
    retriever = catalog.create(config, workplace)
    assert isinstance(retriever, BM25Retriever)
    assert retriever.options.k1 == 1.2
    assert retriever.options.analyzer.stemmer == "none"
    assert retriever.workplace is workplace


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"k": 1}, "unknown field `k`"),
        ({"varient": "atire"}, "did you mean 'variant'?"),
        ({"analyzer": {"stemer": "none"}}, "unknown field `stemer` at `analyzer` (did you mean 'stemmer'?)"),
        ({"k1": "high"}, "Expected `float`, got `str` at `k1`"),
        ({"variant": "lucen"}, "Invalid enum value 'lucen' at `variant` (did you mean 'lucene'?)"),
        ({"k1": -1}, "k1 is -1.0; it must be 0 or more"),
        ({"b": 2}, "b is 2.0; it must be between 0 and 1"),
        ({"delta": 1}, "the variant 'lucene' has no delta"),
        ({"template": "{titel}"}, "did you mean 'title'?"),
        ({"analyzer": {"language": "englsh"}}, "did you mean 'english'?"),
    ],
)
def test_refused_options_name_retriever_and_key(options: dict[str, Any], told: str) -> None:
    with pytest.raises(ConfigError) as error:
        catalog.create(RetrieverConfig(name="mine", kind="bm25", options=options))
    assert str(error.value).startswith("retriever mine, options: ")
    assert told in str(error.value)


def test_a_registered_kind_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    _register(monkeypatch, "theirs", "beirkit.retrievers.lexical.bm25:BM25Retriever")
    assert "theirs" in catalog.kinds()
    assert catalog.get("theirs") is BM25Retriever


def test_a_registered_kind_does_not_replace_a_shipped_one(monkeypatch: pytest.MonkeyPatch) -> None:
    _register(monkeypatch, "bm25", "os:path")
    assert catalog.get("bm25") is BM25Retriever


def test_a_registration_that_is_no_retriever(monkeypatch: pytest.MonkeyPatch) -> None:
    _register(monkeypatch, "theirs", "os.path:join")
    with pytest.raises(
        UsageError, match=r"'theirs' is registered as 'os\.path:join', which is not a Retriever"
    ):
        catalog.get("theirs")


def test_a_missing_library_of_an_extra_gives_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(catalog._KINDS, "dense", "no_such_library_anywhere:Class")
    with pytest.raises(MissingExtraError, match=r"pip install 'beirkit\[dense\]'"):
        catalog.get("dense")


def test_a_missing_library_of_the_core_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    _register(monkeypatch, "theirs", "no_such_library_anywhere:Class")
    with pytest.raises(UsageError, match="needs the package of 'no_such_library_anywhere'"):
        catalog.get("theirs")


def test_a_missing_library_of_the_constructor_gives_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    class Needy(BM25Retriever):
        def __init__(self, options: Any, workplace: Workplace | None = None) -> None:
            raise ModuleNotFoundError("No module named 'torch'", name="torch")

    module = ModuleType("needy_module")
    module.__dict__["Needy"] = Needy
    monkeypatch.setitem(sys.modules, "needy_module", module)
    monkeypatch.setitem(catalog._KINDS, "dense", "needy_module:Needy")
    with pytest.raises(MissingExtraError, match=r"pip install 'beirkit\[dense\]'"):
        catalog.create(RetrieverConfig(name="mine", kind="dense"))


def test_a_fault_of_our_own_is_not_blamed_on_the_user(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(catalog._KINDS, "dense", "beirkit.no_such_module:Class")
    with pytest.raises(ModuleNotFoundError, match=r"beirkit\.no_such_module"):
        catalog.get("dense")


@pytest.mark.parametrize("name", names("retrievers"))
def test_every_shipped_configuration_makes_its_retriever(name: str) -> None:
    config = load_retriever(name)
    assert config.name == name
    assert config.summary
    made = catalog.create(for_language(config, "he"), Workplace(device="cpu", offline=True))
    assert made.kind == config.kind


@pytest.mark.parametrize("kind", ["bm25", "bm25-lucene", "rank-bm25"])
def test_a_language_is_the_analyzers(kind: str) -> None:
    """Over what the configuration says of the analyzer, and beside its other options."""
    options = {"language": "he", "analyzer": {"language": "english", "ngrams": 3}}
    made = catalog.create(RetrieverConfig(name="mine", kind=kind, options=options))
    assert made.options.analyzer.language == "he"
    assert made.options.analyzer.ngrams == 3


def test_a_kind_without_an_analyzer_has_no_language() -> None:
    with pytest.raises(ConfigError, match="unknown field `language`"):
        catalog.create(RetrieverConfig(name="mine", kind="dense", options={"language": "he"}))
