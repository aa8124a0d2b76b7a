"""What two ways of making a run have apart, by what it is about and whether a ranking can depend on it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

_ABSENT = "nothing"
_SHOWN = 3  # values of one thing that are told

# What a key path is about, the weightiest first; what fits none is an option like any other.
_AXES: tuple[tuple[str, str], ...] = (
    ("split", r"(^|\.)split$"),
    ("corpus", r"content_ids\.corpus$"),
    ("queries", r"content_ids\.queries$"),
    ("qrels version", r"content_ids\.qrels/"),
    ("excluded documents", r"(^|\.)excluded$"),
    ("retriever", r"(^|\.)(kind|class|encoder)$"),
    ("model revision", r"(weights_sha256|model_sha256|revision|model|checkpoint)(\.|$)"),
    ("prompts", r"(prompts?|instructions?)(\.|$)"),
    ("max length", r"(max_length|max_tokens|max_seq_length)(\.|$)"),
    ("passages", r"(^|\.)(chunk|aggregation|passages_per_query)(\.|$)"),
    ("title handling", r"(template|fields)(\.|$)"),
    ("analyzer", r"analyzer(\.|$)"),
    ("k1 and b", r"(^|\.)(k1|b)$"),
    ("BM25 variant", r"(^|\.)(variant|delta|epsilon|lengths|repeated_query_terms)$"),
    ("similarity", r"(similarity|score_function|normalized_by_model|normalize)$"),
    ("pooling", r"pooling(\.|$)"),
    ("precision", r"(^|\.)(dtype|quantization|precision)$"),
    ("dimensions", r"(^|\.)truncate_dim$"),
    ("back end", r"(^|\.)backend$"),
    ("search", r"(^|\.)search(\.|$)"),
    ("seed", r"(^|\.)seed$"),
    ("depth", r"(^|\.)k$"),
    ("truncation", r"truncated(_share)?$"),
)
_HARMLESS = re.compile(
    r"(^|\.)(device|batch_size|block|stage|version|unicode|pystemmer|name|key)$|^versions\.|^report\.(?!.*truncated)"
)
_IGNORED = re.compile(r"^(key|name|queries|self_match|sample|excluded_results|dataset)(\.|$)")


class Difference(msgspec.Struct, frozen=True, kw_only=True):
    """What two manifests have apart about one thing.

    Attributes:
        axis: what it is about.
        items: key path, value here, value there.
        matters: whether a ranking can depend on it; else it moves last digits only.
    """

    axis: str
    items: tuple[tuple[str, str, str], ...]
    matters: bool = True

    @property
    def says(self) -> str:
        """The items in words, the first few of them."""
        told = [
            f"{path.removeprefix('retriever.')} is {theirs} there and {ours} here"
            for path, ours, theirs in self.items
        ]
        return "; ".join(told[:_SHOWN]) + (
            f"; and {len(told) - _SHOWN} more values" if len(told) > _SHOWN else ""
        )


def differences(
    ours: Mapping[str, Any], theirs: Mapping[str, Any], *, partial: bool = False
) -> list[Difference]:
    """What differs, grouped by what it is about, the weightiest first.

    Args:
        ours: a manifest, or the facts of one.
        theirs: another.
        partial: of theirs only some keys are known: what is not there does not differ.
    """
    here, there = dict(_flat(ours)), dict(_flat(theirs))
    found: dict[tuple[str, bool], list[tuple[str, str, str]]] = {}
    for path in sorted(there if partial else here.keys() | there.keys()):
        one, other = here.get(path, _ABSENT), there.get(path, _ABSENT)
        if _IGNORED.search(path) or _alike(one, other):
            continue
        axis, matters = _axis(path)
        found.setdefault((axis, matters), []).append((path, _short(one), _short(other)))
    groups = [Difference(axis=axis, items=tuple(items), matters=m) for (axis, m), items in found.items()]
    if any(group.axis == "split" for group in groups):  # which has other judgments anyway
        groups = [group for group in groups if group.axis != "qrels version"]
    if any(group.matters and group.axis != "truncation" for group in groups):
        groups = [group for group in groups if group.axis != "truncation"]  # it follows from the others
    order = [axis for axis, _ in _AXES]
    return sorted(
        groups, key=lambda g: (not g.matters, order.index(g.axis) if g.axis in order else len(order), g.axis)
    )


def varied(manifests: Mapping[str, Mapping[str, Any]]) -> dict[str, dict[str, str]]:
    """What a ranking can depend on in which the retrievers of several results differ.

    Args:
        manifests: by system.

    Returns:
        For each key path below ``retriever`` the value of each system.
    """
    flat = {system: dict(_flat(manifest.get("retriever", {}))) for system, manifest in manifests.items()}
    found: dict[str, dict[str, str]] = {}
    for path in sorted({path for values in flat.values() for path in values}):
        values = {system: own.get(path, _ABSENT) for system, own in flat.items()}
        first = next(iter(values.values()))
        matters = _axis(f"retriever.{path}")[1] and not _IGNORED.search(path)
        if matters and not all(_alike(value, first) for value in values.values()):
            found[path] = {system: _short(value) for system, value in values.items()}
    return found


def mattering(groups: list[Difference]) -> list[Difference]:
    """Those that a ranking can depend on."""
    return [group for group in groups if group.matters]


def of_axis(facts: Mapping[str, Any], axis: str) -> str:
    """What a manifest says about one thing; empty: nothing."""
    told = (
        f"{path.removeprefix('retriever.')} {_short(value)}"
        for path, value in _flat(facts)
        if _axis(path) == (axis, True) and not path.endswith("sha256")
    )
    return ", ".join(told)


def _axis(path: str) -> tuple[str, bool]:
    if _HARMLESS.search(path):
        return "machine and versions", False
    for axis, pattern in _AXES:
        if re.search(pattern, path):
            return axis, True
    return "options of the retriever", True


def _flat(facts: Mapping[str, Any], path: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in facts.items():
        if isinstance(value, Mapping) and value:
            yield from _flat(value, f"{path}{key}.")
        else:
            yield f"{path}{key}", value


def _alike(one: Any, other: Any) -> bool:
    if isinstance(one, int | float) and isinstance(other, int | float):
        return float(one) == float(other)
    return bool(one == other)


def _short(value: Any) -> str:
    if isinstance(value, str) and re.fullmatch(r"[0-9a-f]{40,}", value):
        return value[:12]
    return repr(value) if isinstance(value, str) and value != _ABSENT else str(value)
