"""Queries as BEIR published them, in the files of the handed data."""

from __future__ import annotations

import gzip
from pathlib import Path


def published_queries(path: Path) -> dict[str, str]:
    """The text of each query; a text may hold a tab, so a line is split once."""
    with gzip.open(path, "rt", encoding="utf-8", newline="\n") as file:
        return dict(line.removesuffix("\n").split("\t", 1) for line in file)
