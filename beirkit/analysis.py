"""How a lexical retriever sees a text, step by step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from beirkit.configs.spec import parse_retriever
from beirkit.corpora.errors import UsageError
from beirkit.retrievers.base import Facts
from beirkit.retrievers.catalog import create
from beirkit.retrievers.lexical.analysis.pipeline import Traced
from beirkit.retrievers.lexical.analyzer import AnalyzerOptions
from beirkit.retrievers.lexical.lucene_analyzer import LuceneAnalyzerOptions


@dataclass(frozen=True)
class Analysis:
    """A text and what became of it.

    Attributes:
        retriever: whose analyzer it was, as it was named.
        text: what came in.
        steps: what came out of each step, in order.
        terms: what is indexed of the text, or looked up for it.
        analyzer: what the terms depend on besides the text.
    """

    retriever: str
    text: str
    steps: tuple[Traced, ...]
    terms: tuple[str, ...]
    analyzer: Facts

    @property
    def language(self) -> str:
        """The language that the analyzer is for."""
        return str(self.analyzer.get("language", ""))

    def to_dict(self) -> dict[str, Any]:
        """Everything, for JSON: a step has a ``text`` or ``tokens``."""
        steps = [
            {
                "step": traced.step,
                **({"tokens": list(traced.tokens)} if traced.text is None else {"text": traced.text}),
            }
            for traced in self.steps
        ]
        return {
            "retriever": self.retriever,
            "analyzer": self.analyzer,
            "text": self.text,
            "steps": steps,
            "terms": list(self.terms),
        }


def analyze(text: str, retriever: str) -> Analysis:
    """What a lexical retriever's analyzer makes of a text.

    Args:
        text: of a document or query; both are treated alike.
        retriever: a name, a name with options, or a file: ``bm25-lucene:language=he``.

    Raises:
        UsageError: the retriever has no analyzer, or cannot be made; a language ``auto`` is nobody's here.
    """
    config = parse_retriever(retriever)
    made = create(config)
    options = getattr(made.options, "analyzer", None)
    if not isinstance(options, AnalyzerOptions | LuceneAnalyzerOptions):
        raise UsageError(
            f"{config.name} is of the kind {config.kind!r}, which splits no text into terms",
            hint="name a lexical retriever, such as bm25 or bm25-lucene:language=de",
        )
    pipeline = options.analyzer()
    return Analysis(
        config.name,
        text,
        tuple(pipeline.trace(text)),
        tuple(pipeline.terms(text)),
        pipeline.describe(),
    )
