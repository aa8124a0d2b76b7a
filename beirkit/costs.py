"""What results cost: time, memory and size, as the result folders tell; what they do not is left open."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import msgspec

from beirkit.configs.spec import parse_retriever
from beirkit.corpora.errors import BeirkitError
from beirkit.runs import result_folder


class Cost(msgspec.Struct, frozen=True, kw_only=True):
    """One result. None: not recorded, or recorded where it means nothing.

    Attributes:
        documents_per_second: of indexing, encoding included. None where texts had their vectors in the store.
        queries_per_second: of searching all queries together; None as above.
        latency_p50: median milliseconds of single queries, where the retriever searches them one by one.
        latency_p95: their 95th percentile.
        index_bytes: of postings or vectors in memory.
        dimensions: of a vector.
        parameters: of the model, as its configuration states.
        licence: of the model, as its configuration states; empty: not stated.
        peak_memory_mib: of the whole process, and so of all that ran in it before.
        machine: what it ran on; speeds of two machines cannot be compared.
    """

    documents_per_second: float | None = None
    queries_per_second: float | None = None
    latency_p50: float | None = None
    latency_p95: float | None = None
    index_bytes: int | None = None
    dimensions: int | None = None
    parameters: int | None = None
    licence: str = ""
    peak_memory_mib: int | None = None
    machine: str = ""

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        facts: dict[str, Any] = msgspec.to_builtins(self)
        return facts


def read_cost(path: Path) -> Cost:
    """What a result folder, or the folder of a run file, tells; nothing where it is a bare run.

    Licence and parameters are those of the shipped retriever of that name, where it was run with that model.
    """
    folder = result_folder(path)
    if folder is None:
        return Cost()
    manifest, timings = _read(folder / "manifest.json"), _read(folder / "timings.json")
    report, stored = _at(manifest, "report"), _at(timings, "from_store")
    model = _at(manifest, "retriever", "encoder")
    # what was kept by an older version does not say whether vectors were in the store
    told = isinstance(stored, dict) or not model
    documents = _number(report, "documents") or _number(report, "document", "texts")
    index, search = _number(timings, "seconds", "index"), _number(timings, "seconds", "search")
    licence, parameters = _shipped(str(manifest.get("name", "")), json.dumps(manifest.get("retriever")))
    host = _at(timings, "host")
    return Cost(
        documents_per_second=_rate(documents, index) if told and not _number(stored, "document") else None,
        queries_per_second=(
            _rate(_number(manifest, "queries"), search) if told and not _number(stored, "query") else None
        ),
        latency_p50=_number(timings, "latency_ms", "p50"),
        latency_p95=_number(timings, "latency_ms", "p95"),
        index_bytes=_whole(timings, "index_bytes"),
        dimensions=_whole(report, "dimensions"),
        parameters=parameters,
        licence=licence,
        peak_memory_mib=_whole(timings, "peak_memory_mib"),
        machine=json.dumps(host, sort_keys=True) if host else "",
    )


def _shipped(name: str, identity: str) -> tuple[str, int | None]:
    """Licence and parameters of a shipped retriever; nothing where what was run had other weights."""
    try:
        config = parse_retriever(name)
    except BeirkitError:  # a file of one's own, which the result does not keep
        return "", None
    pinned = re.findall(r'"weights_sha256": "(\w+)"', json.dumps(config.options))
    if not pinned or any(weights not in identity for weights in pinned):
        return "", None
    return config.licence, config.parameters


def _rate(count: float | None, seconds: float | None) -> float | None:
    return count / seconds if count and seconds else None


def _at(facts: Any, *keys: str) -> Any:
    """What stands under nested keys; None where nothing does."""
    for key in keys:
        facts = facts.get(key) if isinstance(facts, dict) else None
    return facts


def _number(facts: Any, *keys: str) -> float | None:
    value = _at(facts, *keys)
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def _whole(facts: Any, *keys: str) -> int | None:
    value = _number(facts, *keys)
    return None if value is None else int(value)


def _read(path: Path) -> dict[str, Any]:
    """A file of a result; an empty one where it is gone or damaged, since no score depends on it."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}
