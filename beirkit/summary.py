"""The table of a suite, for a terminal, a Markdown page and a machine; all three from the same rows."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from beirkit.caveats import caveats
from beirkit.configs.spec import INNER
from beirkit.configs.suites import SuiteNode
from beirkit.corpora.files import atomic_open
from beirkit.evaluate.measures import Measure
from beirkit.experiment import Cell
from beirkit.figures import figure
from beirkit.means import mean_rows
from beirkit.results import slug, write_json

_KEPT_IN_MANIFEST = {"block", "encoder", "name", "pystemmer", "stage", "unicode"}


_BY_ROLE = ("max_length", "prompts")
"""What a model has for queries and documents apart."""

_HASHES = ("model_sha256", "sha256")
"""Hashes of a model, a function, a file: they alone tell what ran where it has no public name."""

_PLAIN = re.compile(r"[\w.:/+#-]+")


class Summary:
    """The results of a suite side by side.

    Args:
        name: of the suite; names the files.
        title: of the table.
        cells: one per dataset and retriever, of one protocol.
        tree: the members of the suite, for its means; ``None``: datasets side by side, without a mean.
        tasks: what kind of retrieval each member is, as far as is known.
        families: of the members, alike.
        trained_on: what each retriever and its ancestors were trained on, as far as is declared.
    """

    def __init__(
        self,
        name: str,
        title: str,
        cells: Sequence[Cell],
        tree: SuiteNode | None = None,
        tasks: Mapping[str, str] | None = None,
        families: Mapping[str, str] | None = None,
        trained_on: Mapping[str, Sequence[Sequence[str] | None]] | None = None,
    ) -> None:
        self.name = name
        self.title = title
        self.cells = cells
        self.tree = tree
        self.measures: tuple[Measure, ...] = tuple(dict.fromkeys(m for cell in cells for m in cell.measures))
        self.means = mean_rows(
            tree or SuiteNode("", ()), cells, self.measures, tasks or {}, families or {}, trained_on or {}
        )

    @property
    def columns(self) -> tuple[str, ...]:
        """Heads of the columns."""
        return ("dataset", "retriever", "training", *map(str, self.measures), "queries")

    def rows(self) -> list[tuple[str, ...]]:
        """One row per cell, figures rounded as the protocol says; a measure not asked for is blank."""
        return [
            (
                f"{cell.dataset}@{cell.split}",
                cell.retriever,
                cell.zero_shot,
                *(_figure(cell, measure) for measure in self.measures),
                f"{cell.scores.n(cell.measures[0]):,}",
            )
            for cell in self.cells
        ]

    def mean_rows(self) -> list[tuple[str, ...]]:
        """One row per suite or task and retriever; never a figure where a member is missing."""
        rows = []
        for row in self.means:
            figures = dict(zip(row.means, row.figures(self.cells[0].protocol.digits), strict=True))
            shown = (figures.get(measure, "") for measure in self.measures)
            rows.append((f"mean of {row.name}", row.retriever, row.training, *shown, row.members))
        return rows

    def narrow(self) -> tuple[str, tuple[str, ...], list[tuple[str, ...]]]:
        """Title, heads and rows for a terminal: what is the same in every row stands in the title."""
        rows = self.rows()
        first = {row[0] for row in rows}
        if len(first) != 1 or self.means:
            return self.title, self.columns, rows + self.mean_rows()
        return f"{self.title}: {first.pop()}", self.columns[1:], [row[1:] for row in rows]

    def notes(self) -> list[str]:
        """What must be known to read the table: protocol, counts, resolved retrievers, samples."""
        if not self.cells:
            return []
        lines = [f"Protocol: {self.cells[0].protocol.describe()}"]
        if self.means:
            lines.append("Means: every member counts the same; the last column says of how many.")
        depths = sorted({cell.manifest["k"] for cell in self.cells})
        lines.append(f"Results kept per query: {', '.join(f'{k:,}' for k in depths)}")
        by_dataset: dict[str, list[Cell]] = {}
        for cell in self.cells:
            by_dataset.setdefault(f"{cell.dataset}@{cell.split}", []).append(cell)
        lines += [f"{name}: {_queries(cells)}" for name, cells in by_dataset.items()]
        lines += self._retrievers()
        for cell in self.cells:
            lines += caveats(cell.manifest["report"], f"{cell.retriever} on {cell.dataset}")
        if any(cell.sample for cell in self.cells):
            lines.append(
                "SAMPLE: scores of a part of a dataset; not comparable with anything but themselves."
            )
        return lines

    def _retrievers(self) -> list[str]:
        """What each retriever's results depend on; by dataset where that differs, as the language may."""
        resolved: dict[str, dict[str, list[str]]] = {}
        for cell in self.cells:
            options = _resolved(_model(cell) | cell.manifest["retriever"])
            resolved.setdefault(cell.retriever, {}).setdefault(options, []).append(cell.dataset)
        return [
            f"{name}: {options}" if len(variants) == 1 else f"{name} on {', '.join(datasets)}: {options}"
            for name, variants in resolved.items()
            for options, datasets in variants.items()
        ]

    def to_json(self) -> dict[str, Any]:
        """The table for machines: unrounded figures, counts, and where run and per-query scores are."""
        return {
            "title": self.title,
            "protocol": self.cells[0].protocol.describe() if self.cells else "",
            "suite": _members(self.tree) if self.tree is not None else None,
            "results": [_item(cell) for cell in self.cells],
            "means": [row.to_json() for row in self.means],
        }

    def markdown(self) -> str:
        """The table and its notes as a Markdown page."""
        lines = [
            f"# {self.title}",
            "",
            _row(self.columns),
            _row(["---", "---", "---", *["---:"] * (len(self.columns) - 3)]),
        ]
        lines += [_row(row) for row in (*self.rows(), *self.mean_rows())]
        lines += ["", *(f"- {note}" for note in self.notes()), "", "## Where the results are", ""]
        lines += [
            f"- {cell.retriever} on {cell.dataset}@{cell.split}: `{cell.path.as_posix()}`"
            for cell in self.cells
        ]
        return "\n".join(lines) + "\n"

    def write(self, results: Path) -> tuple[Path, Path]:
        """Write ``<suite>.json`` and ``<suite>.md`` into the results folder; returns both paths."""
        data = results / f"{slug(self.name)}.json"
        page = results / f"{slug(self.name)}.md"
        write_json(data, self.to_json())
        with atomic_open(page) as file:
            file.write(self.markdown())
        return data, page


def _members(tree: SuiteNode) -> dict[str, Any]:
    """A suite for machines: the name of each dataset, and the suites inside."""
    members = [_members(one) if isinstance(one, SuiteNode) else one for one in tree.members]
    return {"name": tree.name, "members": members}


def _item(cell: Cell) -> dict[str, Any]:
    counts = cell.scores.counts
    item: dict[str, Any] = {
        "dataset": cell.dataset,
        "retriever": cell.retriever,
        "training": cell.zero_shot,
        "split": cell.split,
        "protocol": cell.protocol.name,
        "measures": {str(measure): cell.scores.mean(measure) for measure in cell.measures},
        "queries": {
            "judged": counts.judged,
            "missing": counts.missing,
            "self_matches_removed": counts.self_matches_removed,
        },
        "path": str(cell.path),
    }
    if cell.sample is not None:
        item["sample"] = msgspec.to_builtins(cell.sample)
    return item


def _figure(cell: Cell, measure: Measure) -> str:
    if measure not in cell.measures:
        return ""
    return figure(cell.scores.mean(measure), cell.protocol.digits)


def _queries(cells: Sequence[Cell]) -> str:
    """How many queries the figures of one dataset are means of, and what was taken out."""
    parts = [f"{cells[0].scores.counts.judged:,} judged queries"]
    for count, words in (("missing", "without results"), ("self_matches_removed", "self-matches removed")):
        numbers = [getattr(cell.scores.counts, count) for cell in cells]
        if len(set(numbers)) == 1:
            parts.append(f"{numbers[0]:,} {words}")
        else:
            each = ", ".join(f"{cell.retriever} {n:,}" for cell, n in zip(cells, numbers, strict=True))
            parts.append(f"{words}: {each}")
    return "; ".join(parts)


def _model(cell: Cell) -> dict[str, Any]:
    """The public name of a model; its identity holds hashes only."""
    report: dict[str, Any] = cell.manifest["report"]
    return {key: report[key] for key in ("model", "revision") if key in report}


def _resolved(facts: dict[str, Any]) -> str:
    """The options a result depends on, with the hashes of what has no name, cut short.

    Other hashes, and versions, are in the manifest alone.
    """
    return ", ".join(f"{key}={value}" for key, value in _flat(facts))


def _flat(facts: dict[str, Any]) -> list[tuple[str, str]]:
    pairs: list[tuple[str, str]] = []
    for key, value in facts.items():
        if key == INNER and isinstance(value, dict):
            pairs.append((key, f"[{_resolved(value)}]"))
        elif isinstance(value, dict):
            if "name" in value:  # the analyzer, a class of the user's own
                pairs.append((key, str(value["name"])))
            # What encodes is of the kind of what it encodes for, which is told already.
            inside = {name: one for name, one in value.items() if key != "encoder" or name != "kind"}
            pairs += [(f"{key}.{inner}" if key in _BY_ROLE else inner, text) for inner, text in _flat(inside)]
        elif isinstance(value, list) and value and all(isinstance(item, dict) for item in value):
            pairs.append((key, "[" + "; ".join(map(_resolved, value)) + "]"))  # retrievers inside another
        elif key in _HASHES:
            pairs.append((key, str(value)[:8]))
        elif _is_told(key, value):
            pairs.append((key, _shown(value)))
    return pairs


def _is_told(key: str, value: Any) -> bool:
    """Whether a fact stands under the table; the version that a service was given is a fact of its user's."""
    if key == "version":
        return isinstance(value, str) and value != ""
    return key not in _KEPT_IN_MANIFEST and not re.fullmatch(r"[0-9a-f]{64}", str(value))


def _shown(value: Any) -> str:
    return repr(value) if isinstance(value, str) and not _PLAIN.fullmatch(value) else str(value)


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"
