"""What results cost: time, memory and size, as the result folders tell; what they do not is left open."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from beirkit.configs.schema import RetrieverConfig
from beirkit.configs.spec import INNER, MEMBERS, nested_config, nested_specs, parse_retriever
from beirkit.corpora.errors import BeirkitError
from beirkit.runs import result_folder

_WRAPPERS = ("chunked", "fusion")  # kinds without a model besides those inside them
_LEXICAL = ("anserini", "bm25", "bm25-lucene", "bm25f", "bm25s", "rank-bm25")


class Cost(msgspec.Struct, frozen=True, kw_only=True):
    """One result. None: not recorded, or recorded where it means nothing.

    Attributes:
        documents_per_second: of indexing, encoding included. None where texts had their vectors in the store.
        queries_per_second: of searching all queries together; None as above.
        latency_p50: median milliseconds of single queries, where the retriever searches them one by one.
        latency_p95: their 95th percentile.
        index_bytes: of postings or vectors in memory, those of retrievers inside another together.
        dimensions: of a vector.
        parameters: of the model, or of all models inside it together, as their configurations state.
        licence: alike; empty: not stated of one of them.
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

    Licence and parameters are those of the shipped retriever of that name, where it was run with that model,
    and of the retrievers inside it.
    """
    folder = result_folder(path)
    if folder is None:
        return Cost()
    manifest, timings = _read(folder / "manifest.json"), _read(folder / "timings.json")
    report, stored = _at(manifest, "report"), _from_store(timings)
    model = any(_at(part, "encoder") for part in _parts(manifest.get("retriever")))
    # what was kept by an older version does not say whether vectors were in the store
    told = isinstance(stored, dict) or not model
    documents = _number(report, "documents") or _number(report, "document", "texts")
    index, search = _number(timings, "seconds", "index"), _number(timings, "seconds", "search")
    licence, parameters = _shipped(manifest)
    host = _at(timings, "host")
    return Cost(
        documents_per_second=_rate(documents, index) if told and not _number(stored, "document") else None,
        queries_per_second=(
            _rate(_number(manifest, "queries"), search) if told and not _number(stored, "query") else None
        ),
        latency_p50=_number(timings, "latency_ms", "p50"),
        latency_p95=_number(timings, "latency_ms", "p95"),
        index_bytes=_index_bytes(timings),
        dimensions=_whole(report, "dimensions"),
        parameters=parameters,
        licence=licence,
        peak_memory_mib=_whole(timings, "peak_memory_mib"),
        machine=json.dumps(host, sort_keys=True) if host else "",
    )


def without_model(retriever: Any) -> bool:
    """Whether a retriever, by its facts in a manifest, has no model, and none is inside it."""
    kinds = {str(_at(part, "kind")) for part in _parts(retriever)}
    return bool(kinds - {*_WRAPPERS}) and kinds <= {*_WRAPPERS, *_LEXICAL}


def _shipped(manifest: dict[str, Any]) -> tuple[str, int | None]:
    """Licence and parameters of a shipped retriever; nothing where what was run had another model."""
    try:
        configs = [*_configs(parse_retriever(str(manifest.get("name", ""))))]
    except BeirkitError:  # a file of one's own, which the result does not keep
        return "", None
    kinds = [str(_at(part, "kind")) for part in _parts(manifest.get("retriever"))]
    if sorted(kinds) != sorted(config.kind for config in configs):
        return "", None
    models = [one for one in configs if one.kind not in (*_WRAPPERS, *_LEXICAL)]
    if not models or not all(_ran(one, manifest) for one in models):
        return "", None
    licences = dict.fromkeys(one.licence for one in models)
    sizes = [one.parameters for one in models if one.parameters is not None]
    return (
        " and ".join(licences) if all(licences) else "",
        sum(sizes) if len(sizes) == len(models) else None,
    )


def _configs(config: RetrieverConfig) -> Iterator[RetrieverConfig]:
    """A retriever and all those inside it."""
    yield config
    for spec in nested_specs(config.options):
        yield from _configs(nested_config(spec))


def _parts(retriever: Any) -> Iterator[dict[str, Any]]:
    """The facts of a retriever and of all those inside it."""
    if isinstance(retriever, dict):
        yield retriever
        members = retriever.get(MEMBERS)
        for inner in (*(members if isinstance(members, list) else ()), retriever.get(INNER)):
            yield from _parts(inner)


def _ran(config: RetrieverConfig, manifest: dict[str, Any]) -> bool:
    """Whether a result was made with the model of a configuration: its weights, or its pinned revision."""
    options = json.dumps(config.options)
    made = json.dumps([manifest.get("retriever"), manifest.get("report")])
    pinned = re.findall(r'"weights_sha256": "(\w+)"', options)
    if pinned and all(weights in made for weights in pinned):
        return True
    revisions = re.findall(r'"hub:[^"@]+@(\w+)"', options)
    return bool(revisions) and all(f'"revision": "{one}"' in made for one in revisions)


def _index_bytes(timings: Any) -> int | None:
    """Of a retriever, or where it has no index of its own of all those inside it."""
    own, each = _whole(timings, "index_bytes"), [_index_bytes(inner) for inner in _inside(timings)]
    known = [size for size in each if size is not None]
    return own if own is not None else sum(known) if known and len(known) == len(each) else None


def _from_store(timings: Any) -> dict[str, float] | None:
    """How many texts of each role had their vectors in the store, in a retriever and those inside it."""
    told = [_at(timings, "from_store"), *(_from_store(inner) for inner in _inside(timings))]
    known = [one for one in told if isinstance(one, dict)]
    roles = dict.fromkeys(role for one in known for role in one)
    return {role: sum(_number(one, role) or 0 for one in known) for role in roles} if known else None


def _inside(timings: Any) -> list[Any]:
    members = _at(timings, MEMBERS)
    inner = [*(members if isinstance(members, list) else ()), _at(timings, INNER)]
    return [one for one in inner if isinstance(one, dict)]


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
