"""Which targets results can be exported to and validated for; a class is loaded when first used."""

from __future__ import annotations

from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from beirkit.corpora.plugins import load_class
from beirkit.evaluate.exports.base import Target

GROUP = "beirkit.result_exports"

_SHIPPED: dict[str, str] = {
    "air-bench": "beirkit.evaluate.exports.air_bench:AirBenchResults",
    "beir": "beirkit.evaluate.exports.beir:BeirRuns",
    "capsule": "beirkit.evaluate.exports.capsule:CapsuleFile",
    "hf-eval-results": "beirkit.evaluate.exports.hf_eval_results:EvalResults",
    "hf-model-index": "beirkit.evaluate.exports.hf_model_index:ModelIndex",
    "mteb": "beirkit.evaluate.exports.mteb:Mteb",
    "mteb-predictions": "beirkit.evaluate.exports.mteb_predictions:MtebPredictions",
    "sentence-transformers": "beirkit.evaluate.exports.sentence_transformers:Predictions",
    "tira": "beirkit.evaluate.exports.tira:Tira",
    "trec": "beirkit.evaluate.exports.trec:TrecRuns",
}


def names() -> tuple[str, ...]:
    """Names of every target, shipped or installed beside beirkit, sorted."""
    return tuple(sorted({*_SHIPPED, *_installed()}))


@cache
def get(name: str) -> type[Target[Any]]:
    """The class of one target.

    A third party adds one as an entry point of the group ``beirkit.result_exports``; a shipped name cannot be
    taken over.

    Raises:
        UnknownNameError: no target has that name; the message holds the nearest one.
        UsageError: an installed entry point cannot be loaded or is no target.
    """
    return load_class(name, "target of results", Target, _SHIPPED, _installed())


@cache
def _installed() -> dict[str, EntryPoint]:
    return {entry.name: entry for entry in entry_points(group=GROUP)}
