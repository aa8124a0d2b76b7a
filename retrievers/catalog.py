"""Which kinds of retrievers there are, and how one is made from a configuration."""

from __future__ import annotations

from importlib import import_module
from importlib.metadata import entry_points
from typing import Any

import msgspec

from beirkit.configs.load import convert
from beirkit.configs.schema import RetrieverConfig
from beirkit.configs.spec import nested_config, nested_specs
from beirkit.corpora.errors import ConfigError, MissingExtraError, UnknownNameError, UsageError, nearest
from beirkit.retrievers.base import Retriever, Workplace

ENTRY_POINTS = "beirkit.retrievers"
"""Group under which other distributions register ``kind = "module:Class"``."""

_KINDS = {
    "anserini": "beirkit.retrievers.lexical.anserini:AnseriniRetriever",
    "beir": "beirkit.retrievers.beir_search:BeirSearchRetriever",
    "bm25": "beirkit.retrievers.lexical.bm25:BM25Retriever",
    "bm25-lucene": "beirkit.retrievers.lexical.lucene_bm25:LuceneBM25Retriever",
    "bm25f": "beirkit.retrievers.lexical.bm25f:BM25FRetriever",
    "bm25s": "beirkit.retrievers.lexical.bm25s_package:Bm25sRetriever",
    "chunked": "beirkit.retrievers.chunked.retriever:ChunkedRetriever",
    "dense": "beirkit.retrievers.dense.retriever:DenseRetriever",
    "fusion": "beirkit.retrievers.fusion.retriever:FusionRetriever",
    "late": "beirkit.retrievers.late.retriever:LateRetriever",
    "rerank": "beirkit.retrievers.rerank.retriever:RerankRetriever",
    "mteb": "beirkit.retrievers.outside.mteb_search:MtebSearchRetriever",
    "http": "beirkit.retrievers.outside.service:ServiceRetriever",
    "run": "beirkit.retrievers.outside.run_file:RunFileRetriever",
    "rank-bm25": "beirkit.retrievers.lexical.rank_bm25:RankBM25Retriever",
    "sparse": "beirkit.retrievers.sparse.retriever:SparseRetriever",
    "sparse-vectors": "beirkit.retrievers.sparse.vector_retriever:SparseVectorsRetriever",
}

_EXTRAS = {
    "anserini": "lucene", "beir": "beir", "bm25s": "bm25s", "dense": "dense", "late": "dense", "mteb": "mteb",
    "sparse": "dense",
}  # fmt: skip
"""The optional part that a kind needs."""


def kinds() -> tuple[str, ...]:
    """Every kind, shipped or registered by another distribution, sorted."""
    return tuple(sorted({*_KINDS, *_registered()}))


def extras(config: RetrieverConfig) -> list[str]:
    """The optional parts that a retriever and those inside it need, whether they are installed or not."""
    own = [_EXTRAS[config.kind]] if config.kind in _EXTRAS else []
    inner = [part for spec in nested_specs(config.options) for part in extras(nested_config(spec))]
    return sorted({*own, *inner})


def get(kind: str) -> type[Retriever[Any]]:
    """The class of one kind; its module is loaded now and not before.

    Raises:
        UnknownNameError: there is no such kind; the message names the nearest one.
        MissingExtraError: the kind needs an optional part that is not installed.
        UsageError: a registered name does not lead to a retriever.
    """
    target = _KINDS.get(kind) or _registered().get(kind)
    if target is None:
        raise UnknownNameError(f"no kind of retriever is called {kind!r}", hint=nearest(kind, list(kinds())))
    module, _, name = target.partition(":")
    try:
        found = getattr(import_module(module), name, None)
    except ImportError as error:
        raise _missing(kind, error) from error
    if not (isinstance(found, type) and issubclass(found, Retriever)):
        raise UsageError(f"retriever kind {kind!r} is registered as {target!r}, which is not a Retriever")
    return found


def create(config: RetrieverConfig, workplace: Workplace | None = None) -> Retriever[Any]:
    """A retriever as its configuration says; nothing is read or loaded yet.

    Raises:
        ConfigError: an option is unknown, of the wrong type or impossible; the message names the
            retriever and the key path.
        UnknownNameError: there is no such kind.
        MissingExtraError: an optional part is not installed; the message has the command that installs it.
    """
    kind = get(config.kind)
    where = f"retriever {config.name}, options"
    options = convert(_with_language(config.options, kind.Options), kind.Options, path=where)
    try:
        return kind(options, workplace)
    except ConfigError as error:
        if error.path is not None:
            raise
        raise ConfigError(error.found, path=where, hint=error.hint) from error
    except ImportError as error:
        raise _missing(config.kind, error) from error


def _with_language(options: dict[str, Any], shape: type[msgspec.Struct]) -> dict[str, Any]:
    """The options with ``language`` where the analyzer has it: ``bm25:language=he`` is what people write."""
    known = {field.encode_name for field in msgspec.structs.fields(shape)}
    analyzer = options.get("analyzer", {})
    if "language" not in options or "language" in known or not isinstance(analyzer, dict):
        return options
    if "analyzer" not in known:
        return options
    rest = {key: value for key, value in options.items() if key != "language"}
    return {**rest, "analyzer": {**analyzer, "language": options["language"]}}


def _registered() -> dict[str, str]:
    return {point.name: point.value for point in entry_points(group=ENTRY_POINTS)}


def _missing(kind: str, error: ImportError) -> Exception:
    """What to raise for a failed import: only a library that is absent is the user's to install."""
    absent = isinstance(error, ModuleNotFoundError) and error.name is not None
    if not absent or str(error.name).split(".")[0] == "beirkit":
        return error
    if kind in _EXTRAS:
        return MissingExtraError(f"retriever kind {kind!r}", _EXTRAS[kind])
    return UsageError(
        f"retriever kind {kind!r} needs the package of {error.name!r}, which is not installed",
        hint="install beirkit again, with its dependencies",
    )
