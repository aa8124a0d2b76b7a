"""From the paths that a user names to results of ``beirkit run``: folders, whole results folders, tables."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from beirkit.corpora.errors import DataError
from beirkit.runs import result_folder
from beirkit.stored import StoredResult, read_result, read_suite_results


def find_results(paths: Iterable[Path]) -> list[StoredResult]:
    """Every result that the paths lead to, each once, in the order named and sorted inside a folder.

    Args:
        paths: result folders, their run files, folders of many results, or the JSON of a suite.

    Raises:
        DataError: a path leads to no result, or to a damaged one.
    """
    found: dict[Path, StoredResult] = {}
    for path in paths:
        for result in _results_at(path):
            found.setdefault(result.folder.resolve(), result)
    return list(found.values())


def _results_at(path: Path) -> list[StoredResult]:
    suite = read_suite_results(path)
    if suite is not None:
        return list(suite.results)
    if result_folder(path) is not None or not path.is_dir():
        return [read_result(path)]
    inside = [manifest.parent for depth in ("*", "*/*") for manifest in path.glob(f"{depth}/manifest.json")]
    folders = sorted(folder for folder in inside if not folder.name.startswith("."))
    if not folders:
        raise DataError("holds no results of beirkit run", path=path, hint="name a folder that --out made")
    return [read_result(folder) for folder in folders]
