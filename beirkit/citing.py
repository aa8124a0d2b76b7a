"""What stands behind a result: datasets, suites, retrievers and tools, with licences and papers."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, metadata
from pathlib import Path
from typing import Any, Literal

import msgspec

from beirkit import __version__
from beirkit.configs.citations import Paper, papers, papers_for
from beirkit.configs.load import (
    is_suite_file,
    load_dataset,
    load_retriever,
    load_suite,
    load_yaml,
    names,
    read_config,
)
from beirkit.configs.schema import DatasetConfig, RetrieverConfig, SuiteConfig
from beirkit.configs.suites import SuiteNode, suite_tree
from beirkit.corpora.errors import DataError, UnknownNameError, nearest
from beirkit.corpora.folder import is_beir_folder
from beirkit.corpora.manifest import has_manifest, read_manifest
from beirkit.facts import config_of
from beirkit.result_paths import find_results
from beirkit.results import slug
from beirkit.stored import StoredResult, read_suite_results

UNSTATED = "not stated"

_TOOLS = ("beirkit", "pytrec-eval-terrier")  # behind every score
_TOOLS_OF_KIND: dict[str, tuple[str, ...]] = {
    "beir": ("beir", "sentence-transformers"),
    "dense": ("sentence-transformers", "faiss-cpu"),
    "late": ("sentence-transformers",),
    "sparse": ("sentence-transformers",),
    "anserini": ("pyserini",),
    "bm25s": ("bm25s",),
    "rank-bm25": ("rank-bm25",),
}
_WITHOUT_MODEL = ("anserini", "bm25", "bm25-lucene", "bm25s", "rank-bm25")
_OWN = Paper(kind="misc", title="beirkit", author=["{The beirkit authors}"])


class Source(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that a result stands on.

    Attributes:
        kind: what it is.
        name: as beirkit calls it.
        title: as people call it.
        versions: of a tool, those that the results were made with.
        licence: as its owner states it.
        keys: of the papers to cite; empty where none is known.
    """

    kind: Literal["suite", "dataset", "retriever", "tool"]
    name: str
    title: str
    versions: list[str] = []
    licence: str = UNSTATED
    keys: list[str] = []


class Citations(msgspec.Struct, frozen=True):
    """Everything behind some results.

    Attributes:
        sources: suites, datasets, retrievers, tools, each once.
        papers: those to cite, by key, in the order in which they are first needed.
    """

    sources: list[Source]
    papers: dict[str, Paper]

    def bibtex(self) -> str:
        """The papers, each once, below what they are cited for."""
        parts = [f"% {_on_one_line(source)}" for source in self.sources]
        return "\n".join([*parts, "", *(paper.bibtex(key) + "\n" for key, paper in self.papers.items())])

    def to_json(self) -> dict[str, Any]:
        """Sources and papers, the latter as text and BibTeX."""
        return {
            "sources": msgspec.to_builtins(self.sources),
            "papers": {
                key: {"text": str(paper), "bibtex": paper.bibtex(key)} for key, paper in self.papers.items()
            },
        }


def _on_one_line(source: Source) -> str:
    version = f" {', '.join(source.versions)}" if source.versions else ""
    cited = f"; cite {', '.join(source.keys)}" if source.keys else "; nothing to cite is known"
    return f"{source.kind} {source.name}{version}: licence {' '.join(source.licence.split())}{cited}"


class _Collected:
    """Sources by kind and name, and the papers behind them."""

    def __init__(self) -> None:
        self._sources: dict[tuple[str, str], Source] = {}
        self._own: dict[str, Paper] = {}

    def suite(self, node: SuiteNode) -> None:
        for inner in node.suites():
            shipped = load_suite(inner.name).title if inner.name in names("suites") else ""
            keys = papers_for("suites", inner.name)
            if keys:
                self._add(Source(kind="suite", name=inner.name, title=shipped, licence="–", keys=keys))

    def dataset(self, name: str, config: DatasetConfig | None) -> None:
        if config is None:
            self._add(Source(kind="dataset", name=name, title=name))
            return
        keys = papers_for("datasets", _cited_as(config))
        keys = keys or self._plain("dataset", name, config.title, config.citation)
        licence = config.licence or UNSTATED
        self._add(Source(kind="dataset", name=name, title=config.title, licence=licence, keys=keys))

    def folder(self, folder: Path) -> None:
        config = config_of(folder)
        if config is not None:
            self.dataset(config.name, config)
            return
        name = folder.resolve().name
        if not has_manifest(folder):
            self.dataset(name, None)
            return
        facts = read_manifest(folder).provenance
        keys = self._plain("dataset", name, name, facts.citation)
        self._add(Source(kind="dataset", name=name, title=name, licence=facts.licence or UNSTATED, keys=keys))

    def retriever(self, name: str, kind: str, config: RetrieverConfig | None) -> None:
        known = config.name if config is not None else ""
        keys = [*papers_for("retrievers", known), *papers_for("kinds", kind)]
        if config is not None and not papers_for("retrievers", known):
            keys += self._plain("retriever", name, config.summary or name, config.citation)
        title = config.summary if config is not None else f"a retriever of the kind {kind}"
        licence = config.licence if config is not None else ""
        licence = licence or ("no model" if kind in _WITHOUT_MODEL else UNSTATED)
        self._add(
            Source(kind="retriever", name=name, title=title, licence=licence, keys=list(dict.fromkeys(keys)))
        )

    def tools(self, wanted: Iterable[str], versions: Mapping[str, str]) -> None:
        for name in wanted:
            own = name == "beirkit"
            version = versions.get(name, __version__ if own else "")
            known = self._sources.get(("tool", name))
            all_versions = [*(known.versions if known else ()), *([version] if version else ())]
            if own:
                told = f"Version {', '.join(dict.fromkeys(all_versions))}"
                self._own["beirkit"] = msgspec.structs.replace(_OWN, note=told)
            self._sources["tool", name] = Source(
                kind="tool",
                name=name,
                title=name,
                versions=list(dict.fromkeys(all_versions)),
                licence=installed_licence(name),
                keys=["beirkit"] if own else papers_for("tools", name),
            )

    def done(self) -> Citations:
        order = {"suite": 0, "dataset": 1, "retriever": 2, "tool": 3}
        sources = sorted(self._sources.values(), key=lambda source: order[source.kind])
        known = {**papers(), **self._own}
        return Citations(sources, {key: known[key] for source in sources for key in source.keys})

    def _add(self, source: Source) -> None:
        self._sources.setdefault((source.kind, source.name), source)

    def _plain(self, kind: str, name: str, title: str, citation: str) -> list[str]:
        """The key of an entry made of a citation that is only text."""
        if not citation:
            return []
        key = f"beirkit-{kind}-{slug(name)}"
        self._own[key] = Paper(kind="misc", title=title, note=" ".join(citation.split()))
        return [key]


def cite(targets: Sequence[str]) -> Citations:
    """Collect what stands behind results, or what some names stand for.

    Args:
        targets: result folders, folders of results, the JSON of a suite; names, YAML files or folders of
            datasets; names or YAML files of suites and retrievers.

    Raises:
        UnknownNameError: a target is none of these.
        DataError: a result's manifest is damaged.
        ConfigError: a YAML file cannot be read.
    """
    found = _Collected()
    for target in targets:
        _collect(target, found)
    found.tools(_TOOLS[:1], {})
    return found.done()


def _collect(target: str, found: _Collected) -> None:
    path = Path(target)
    if target in names("datasets"):
        found.dataset(target, load_dataset(target))
    elif target in names("suites"):
        _collect_suite(load_suite(target), found)
    elif target.partition(":")[0] in names("retrievers"):
        config = load_retriever(target.partition(":")[0])
        found.retriever(target, config.kind, config)
        found.tools(_TOOLS_OF_KIND.get(config.kind, ()), {})
    elif path.suffix in (".yaml", ".yml"):
        _collect_yaml(path, found)
    elif is_beir_folder(path):
        found.folder(path)
    elif path.exists():
        kept = read_suite_results(path)
        if kept is not None and kept.suite is not None:
            found.suite(kept.suite)
        for result in find_results([path]):
            _collect_result(result, found)
    else:
        known = [*names("datasets"), *names("suites"), *names("retrievers")]
        raise UnknownNameError(
            f"no result, dataset, suite or retriever is called {target!r}", hint=nearest(target, known)
        )


def _collect_yaml(path: Path, found: _Collected) -> None:
    """A file of one's own, known by a key that only one kind of file has."""
    if is_suite_file(path):
        _collect_suite(read_config(path, SuiteConfig), found)
    elif "kind" in load_yaml(path.read_text(encoding="utf-8")):
        config = read_config(path, RetrieverConfig)
        found.retriever(config.name, config.kind, config)
        found.tools(_TOOLS_OF_KIND.get(config.kind, ()), {})
    else:
        dataset = read_config(path, DatasetConfig)
        found.dataset(dataset.name, dataset)


def _collect_suite(suite: SuiteConfig, found: _Collected) -> None:
    tree = suite_tree(suite)
    found.suite(tree)
    for name in (*tree.leaves(), *suite.retrievers):
        _collect(name, found)


def _collect_result(result: StoredResult, found: _Collected) -> None:
    base = result.dataset.partition("@")[0]
    found.dataset(result.dataset, load_dataset(base) if base in names("datasets") else None)
    identity = result.facts.retriever
    kind, name = str(identity.get("kind", "")), result.facts.name.partition(":")[0]
    config = load_retriever(name) if name in names("retrievers") else None
    found.retriever(name, kind, config if config is not None and config.kind == kind else None)
    manifest = result.folder / "manifest.json"
    try:
        versions: dict[str, str] = json.loads(manifest.read_text(encoding="utf-8"))["versions"]
    except (OSError, ValueError, KeyError) as error:
        raise DataError(f"is no manifest of a result: {error!r}", path=manifest) from error
    analyzer = identity.get("analyzer")
    stemmed = isinstance(analyzer, dict) and "pystemmer" in analyzer
    found.tools((*_TOOLS, *_TOOLS_OF_KIND.get(kind, ()), *(("PyStemmer",) if stemmed else ())), versions)


def _cited_as(config: DatasetConfig) -> str:
    """The name whose papers hold: that of the extended dataset where no other citation was given."""
    inherited = config.extends and load_dataset(config.extends).citation == config.citation
    return config.name if papers_for("datasets", config.name) or not inherited else config.extends


def installed_licence(distribution: str) -> str:
    """The licence that an installed distribution states."""
    try:
        facts = metadata(distribution)
    except PackageNotFoundError:
        return UNSTATED
    stated = facts.get_all("License-Expression") or []
    listed = [text for text in facts.get_all("Classifier") or [] if text.startswith("License :: ")]
    first = [text.partition("\n")[0].strip() for text in facts.get_all("License") or []]
    told = stated or [text.rpartition(" :: ")[2] for text in listed] or first
    return ", ".join(told) or UNSTATED
