"""What a result's own report says that must be known to read its figures, in one line each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_ROLES = {"query": "queries", "document": "documents"}


def caveats(report: Mapping[str, Any], where: str) -> list[str]:
    """Texts cut, sparse vectors' size, what a service was paid, recall of an inexact search, odd prompts.

    Retrievers inside another are told under their names.

    Args:
        report: of a retriever, as a manifest has it.
        where: what the lines begin with, such as ``minilm on scifact``.
    """
    lines = [*_truncated(report), *_sparse(report), *_paid(report)]
    if shares := report.get("recall_against_exact"):
        found = ", ".join(f"{share:.4f} at {int(depth):,}" for depth, share in shares.items())
        lines.append(f"recall against exact search {found}")
    told = [f"{where}: {line}" for line in (*lines, *report.get("prompt_warnings", ()))]
    inner = [*report.get("members", ()), report.get("retriever")]
    stages = (one for one in inner if isinstance(one, dict) and isinstance(one.get("report"), dict))
    return told + [line for one in stages for line in caveats(one["report"], f"{where}, {one.get('name')}")]


def _by_role(report: Mapping[str, Any]) -> list[tuple[str, Mapping[str, Any]]]:
    return [(role, report[role]) for role in _ROLES if isinstance(report.get(role), dict)]


def _truncated(report: Mapping[str, Any]) -> list[str]:
    """Which texts a model read only the beginning of: a warning once, a line here always."""
    return [
        f"{facts['truncated']:,} of {facts['texts']:,} {role} texts truncated"
        for role, facts in _by_role(report)
        if facts.get("truncated")
    ]


def _sparse(report: Mapping[str, Any]) -> list[str]:
    """Size and cost of vectors of term weights, without which two sparse models cannot be compared."""
    active = {role: facts for role, facts in _by_role(report) if "active_dims" in facts}
    if not active:
        return []
    told = ", ".join(f"{facts['active_dims']:,.1f} of a {role}" for role, facts in active.items())
    lines = [f"active dimensions {told}; FLOPS {report.get('flops', 0):,.2f}"]
    for role, facts in active.items():
        for count, words in (("empty", "have no term"), ("missing", "have no vector")):
            if facts.get(count):
                lines.append(f"{facts[count]:,} of {facts['texts']:,} {_ROLES[role]} {words}")
    if dropped := active.get("document", {}).get("dropped"):
        lines.append(f"{dropped:,} vectors of documents that the corpus lacks are left out")
    return lines


def _paid(report: Mapping[str, Any]) -> list[str]:
    """What the vectors of an embedding service took, whenever they were asked for."""
    bill = report.get("service")
    if not isinstance(bill, dict):
        return []
    tokens = f"{bill['tokens']:,} tokens" + (
        " by estimate" if bill["tokens_counted_by"] == "estimate" else ""
    )
    cost = f", cost {bill['cost']:,.4f}" if bill["price_of_a_million"] else ""
    return [f"vectors of a service in {bill['requests']:,} requests, {tokens}{cost}"]
