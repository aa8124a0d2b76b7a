"""Any retrieval benchmark in, BEIR files out; any retriever over them; scores that can be defended.

The public names load their rooms on first use, so ``import beirkit`` costs next to nothing.

Example:
    >>> from beirkit.evaluate import evaluate
    >>> scores = evaluate({"q1": {"d1": 1}}, {"q1": {"d1": 2.0, "d2": 1.0}}, ["nDCG@10"])
    >>> scores.mean("nDCG@10")
    1.0
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from beirkit.configs.schema import SuiteConfig as SuiteConfig
    from beirkit.configs.spec import parse_retriever as parse_retriever
    from beirkit.conversion import convert_source as convert_source
    from beirkit.corpora.check import check_folder as check_folder
    from beirkit.corpora.collection import Collection as Collection
    from beirkit.corpora.errors import BeirkitError as BeirkitError
    from beirkit.corpora.folder import open_folder as open_folder
    from beirkit.corpora.folder import write_folder as write_folder
    from beirkit.corpora.qrels import read_qrels as read_qrels
    from beirkit.corpora.qrels_diff import diff_qrels as diff_qrels
    from beirkit.corpora.qrels_tools import filter_judgments as filter_judgments
    from beirkit.corpora.qrels_tools import merge_qrels as merge_qrels
    from beirkit.corpora.qrels_write import write_qrels as write_qrels
    from beirkit.corpora.records import Document as Document
    from beirkit.corpora.records import Judgment as Judgment
    from beirkit.corpora.records import Query as Query
    from beirkit.corpora.run import Run as Run
    from beirkit.corpora.run_files import read_run as read_run
    from beirkit.corpora.run_files import write_run as write_run
    from beirkit.evaluate.attribution.scoring import score_model_output as score_model_output
    from beirkit.evaluate.compare import compare as compare
    from beirkit.evaluate.compare_suites import compare_suite as compare_suite
    from beirkit.evaluate.leaderboard import leaderboard as leaderboard
    from beirkit.evaluate.measures import Measure as Measure
    from beirkit.experiment import run_suite as run_suite
    from beirkit.exporting import export as export
    from beirkit.fetching.fetch import fetch as fetch
    from beirkit.retrievers.base import Workplace as Workplace
    from beirkit.retrievers.catalog import create as create
    from beirkit.search_tools.providers import score_providers as score_providers

__version__ = "0.1.0"

_PUBLIC = {
    "BeirkitError": "beirkit.corpora.errors:BeirkitError",
    "Collection": "beirkit.corpora.collection:Collection",
    "Document": "beirkit.corpora.records:Document",
    "Judgment": "beirkit.corpora.records:Judgment",
    "Measure": "beirkit.evaluate.measures:Measure",
    "Query": "beirkit.corpora.records:Query",
    "Run": "beirkit.corpora.run:Run",
    "SuiteConfig": "beirkit.configs.schema:SuiteConfig",
    "Workplace": "beirkit.retrievers.base:Workplace",
    "check_folder": "beirkit.corpora.check:check_folder",
    "compare": "beirkit.evaluate.compare:compare",
    "compare_suite": "beirkit.evaluate.compare_suites:compare_suite",
    "convert_source": "beirkit.conversion:convert_source",
    "create": "beirkit.retrievers.catalog:create",
    "diff_qrels": "beirkit.corpora.qrels_diff:diff_qrels",
    "export": "beirkit.exporting:export",
    "fetch": "beirkit.fetching.fetch:fetch",
    "filter_judgments": "beirkit.corpora.qrels_tools:filter_judgments",
    "leaderboard": "beirkit.evaluate.leaderboard:leaderboard",
    "merge_qrels": "beirkit.corpora.qrels_tools:merge_qrels",
    "open_folder": "beirkit.corpora.folder:open_folder",
    "parse_retriever": "beirkit.configs.spec:parse_retriever",
    "read_qrels": "beirkit.corpora.qrels:read_qrels",
    "read_run": "beirkit.corpora.run_files:read_run",
    "run_suite": "beirkit.experiment:run_suite",
    "score_model_output": "beirkit.evaluate.attribution.scoring:score_model_output",
    "score_providers": "beirkit.search_tools.providers:score_providers",
    "write_folder": "beirkit.corpora.folder:write_folder",
    "write_qrels": "beirkit.corpora.qrels_write:write_qrels",
    "write_run": "beirkit.corpora.run_files:write_run",
}

__all__ = ["__version__", *_PUBLIC]


def __getattr__(name: str) -> Any:
    """Load a public name when it is first used."""
    if name not in _PUBLIC:
        raise AttributeError(f"module 'beirkit' has no attribute {name!r}")
    from importlib import import_module

    module, attribute = _PUBLIC[name].split(":")
    value = getattr(import_module(module), attribute)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
