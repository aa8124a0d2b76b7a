"""The terms that a query and a document have in common, as the analyzer of a kept result sees them."""

from __future__ import annotations

from typing import Any

from beirkit.corpora.errors import BeirkitError
from beirkit.evaluate.report.model import Text
from beirkit.retrievers.lexical.analysis.pipeline import Pipeline
from beirkit.stored import StoredResult


def analyzer_of(result: StoredResult) -> Pipeline | None:
    """The analyzer that a result was searched with.

    It is made anew from the retriever's name, and held to what the result's manifest says of it. Of
    rerankers and of passages it is that of the retriever inside.

    Returns:
        None: the retriever has none, or it cannot be made as it was, as that of a file that is gone.
    """
    from beirkit.configs.spec import INNER, nested_config, parse_retriever
    from beirkit.retrievers.catalog import create
    from beirkit.retrievers.lexical.analyzer import AnalyzerOptions
    from beirkit.retrievers.lexical.lucene_analyzer import LuceneAnalyzerOptions

    identity: Any = result.facts.retriever
    inside = 0
    while "analyzer" not in identity and isinstance(identity.get(INNER), dict):
        identity, inside = identity[INNER], inside + 1
    facts = identity.get("analyzer")
    if not isinstance(facts, dict):
        return None
    for suffix in ("", f"language={facts.get('language', '')}"):
        try:
            config = parse_retriever(_with(result.facts.name, suffix))
            for _ in range(inside):
                config = nested_config(config.options.get(INNER))
            made_of = create(config)
            options = getattr(made_of.options, "analyzer", None)
            if not isinstance(options, AnalyzerOptions | LuceneAnalyzerOptions):
                return None
            made = options.analyzer()
        except BeirkitError:
            continue
        if _plain(made.describe()) == _plain(facts):
            return made
    return None


def matched_terms(analyzer: Pipeline, query: str, document: Text) -> tuple[str, ...]:
    """Terms of a query that stand in a document, each once, in the order of the query."""
    held = set(analyzer.terms(f"{document.title} {document.text}"))
    return tuple(dict.fromkeys(term for term in analyzer.terms(query) if term in held))


def _with(name: str, option: str) -> str:
    return name if not option else f"{name}{',' if ':' in name else ':'}{option}"


def _plain(facts: Any) -> Any:
    """Facts as JSON has them, where a tuple is a list."""
    if isinstance(facts, dict):
        return {key: _plain(value) for key, value in facts.items()}
    return [_plain(one) for one in facts] if isinstance(facts, list | tuple) else facts
