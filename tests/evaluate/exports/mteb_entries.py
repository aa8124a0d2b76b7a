"""Results made by hand, as targets see them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from beirkit.corpora.collection import Collection
from beirkit.corpora.records import Document, Judgment, Qrels, Query
from beirkit.corpora.run import Run
from beirkit.evaluate.engine import evaluate
from beirkit.evaluate.exports.base import Entry
from beirkit.evaluate.measures import Measure
from beirkit.evaluate.protocol import Protocol
from beirkit.evaluate.scores import Scores

MODEL = "sentence-transformers/all-MiniLM-L6-v2"
REVISION = "8b3219a92973c328a8e22fadcfa821b5dc75636a"

QRELS: Qrels = {"q1": {"d1": 1, "d3": 1}, "q2": {"d2": 1}, "q3": {"d4": 1, "d1": 0}}
RUN = {
    "q1": {"d1": 0.9, "d2": 0.5, "d3": 0.25},
    "q2": {"d3": 0.75, "d2": 0.5, "q2": 0.25},
    "q3": {"d1": 0.5, "d2": 0.25},
}
TEXTS = {"q1": "falcon", "q2": "owl", "q3": "heron"}

MANIFEST: dict[str, Any] = {
    "retriever": {
        "kind": "dense",
        "encoder": {
            "encoder": "sentence-transformers",
            "prompts": {"query": "", "document": ""},
            "max_length": 256,
            "batch_size": 32,
        },
        "similarity": "cosine",
    },
    "report": {"model": MODEL, "revision": REVISION, "dimensions": 384},
    "self_match": {"query_ids": []},
    "versions": {
        "beirkit": "0.1.0",
        "torch": "2.13.0",
        "sentence-transformers": "6.2.0",
        "transformers": "5.24.0",
    },
}


def entry(
    dataset: str = "scifact",
    *,
    split: str = "test",
    system: str = "minilm",
    run: Mapping[str, Mapping[str, float]] | None = None,
    qrels: Qrels | None = None,
    model: str = MODEL,
    revision: str = REVISION,
    sampled: bool = False,
    depth: int | None = 1000,
    collection: Collection | None = None,
    texts: Mapping[str, str] | None = None,
    folder: str = "",
) -> Entry:
    """One result; all that is not said is that of an encoder on a toy set."""
    lists, judged = Run.from_dict(RUN if run is None else run), QRELS if qrels is None else qrels

    def take(protocol: Protocol, measures: Sequence[Measure]) -> Scores:
        return evaluate(judged, lists, measures, protocol, depth=depth)

    place = Path(folder or f"results/{dataset}@{split}/{system}--01234567")
    return Entry(
        dataset=dataset,
        split=split,
        system=system,
        manifest=MANIFEST,
        timings={"seconds": {"index": 1.5, "search": 0.25}},
        run=lists,
        run_file=place / "run.trec.gz",
        qrels=judged,
        query_texts=TEXTS if texts is None else texts,
        content_ids={"corpus": "c0ffee" * 10, "queries": "ab" * 32, f"qrels/{split}": "cd" * 32},
        sampled=sampled,
        take=take,
        revision=revision,
        folder=place,
        model=model,
        depth=depth,
        shown_under=("beirkit",),
        collection=collection,
    )


def collection(documents: Mapping[str, str], qrels: Qrels, **provenance: Any) -> Collection:
    """A dataset in memory."""
    from beirkit.corpora.collection import Provenance

    return Collection(
        documents=lambda: iter([Document(doc_id, "", text) for doc_id, text in documents.items()]),
        queries=lambda: iter([Query(query_id, text) for query_id, text in TEXTS.items()]),
        judgments={
            "test": lambda: iter(
                [Judgment(q, d, grade) for q, row in qrels.items() for d, grade in row.items()]
            )
        },
        provenance=Provenance(source="toy", **provenance),
    )
