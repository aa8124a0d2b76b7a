"""Quality against cost: charts over time and size, and costs of several results as one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from beirkit.evaluate.report.blocks import Block, Sentences
from beirkit.evaluate.report.charts import Point, front, tradeoff

_AXES = (
    ("time", "ms_per_query", "milliseconds per query, all searched together"),
    ("size", "index_bytes", "bytes of the index"),
)


def is_known(costs: Mapping[str, Any]) -> bool:
    """Whether anything was recorded that can be compared."""
    return any(costs.get(key) is not None for key in ("queries_per_second", "index_bytes", "latency_p50"))


def merged_costs(each: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Costs of a system over datasets: means of times, largest memory; only where every dataset tells.

    Args:
        each: as :class:`beirkit.costs.Cost` names them.
    """
    found: dict[str, Any] = dict(each[0]) if each else {}
    for key in ("queries_per_second", "documents_per_second", "latency_p50", "latency_p95", "index_bytes"):
        values = [one.get(key) for one in each]
        known = [float(value) for value in values if value]
        complete = bool(known) and len(known) == len(values)
        rate = key.endswith("per_second")
        mean = (
            (len(known) / sum(1 / v for v in known) if rate else sum(known) / len(known))
            if complete
            else None
        )
        found[key] = mean
    peaks = [one["peak_memory_mib"] for one in each if one.get("peak_memory_mib")]
    found["peak_memory_mib"] = max(peaks, default=None)
    found["machines"] = sorted({one["machine"] for one in each if one.get("machine")})
    speed = found["queries_per_second"]
    found["ms_per_query"] = 1000 / speed if speed else None
    return found


def cost_charts(
    name: str, measure: str, quality: Mapping[str, float], costs: Mapping[str, Mapping[str, Any]]
) -> tuple[list[Block], dict[str, int], dict[str, list[str]]]:
    """Quality over time and over size.

    Args:
        name: with which the names of the charts begin.
        measure: what quality is.
        quality: by system, in the order in which they are numbered.
        costs: by system, as :func:`merged_costs` makes them.

    Returns:
        The charts, none where nothing is known; the number of each system in them; and the charts on whose
        Pareto front it is.
    """
    numbers = {system: number for number, system in enumerate(quality, 1)}
    fronts: dict[str, list[str]] = {system: [] for system in quality}
    if not any(is_known(one) for one in costs.values()):
        return [], numbers, fronts
    machines = {machine for one in costs.values() for machine in one.get("machines", ())}
    blocks: list[Block] = []
    for word, key, axis in _AXES:
        points = [
            Point(numbers[system], system, costs[system][key], quality[system])
            for system in quality
            if costs[system].get(key)
        ]
        if len(points) < 2 or (word == "time" and len(machines) > 1):
            continue
        for one in front(points):
            fronts[one.name].append(word)
        title = f"{measure} over {axis}; diamonds are the Pareto front: nothing is better and cheaper"
        blocks.append(tradeoff(f"{name}-{word}", title, axis, measure, points))
    if len(machines) > 1:
        told = "Times were measured on several machines and cannot be compared, so they have no chart."
        blocks.append(Sentences((told,)))
    return blocks, numbers, fronts
