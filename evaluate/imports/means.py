"""Files of other benchmarks that hold means alone: CoIR and ViDoRe."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, ClassVar

from beirkit.corpora.errors import DataError
from beirkit.evaluate.imports.base import Importer, Means
from beirkit.evaluate.imports.reading import json_files, means_of, peek_json, read_json

_COIR = ("NDCG", "MAP", "Recall", "Precision")


class Coir(Importer):
    """``TASK.json`` of CoIR, or a folder of them, which is named after the system.

    Two boards show CoIR with other instructions and other figures; a file does not say which were used.
    """

    name: ClassVar[str] = "coir"
    summary: ClassVar[str] = "TASK.json of CoIR: means"

    def recognises(self, path: Path) -> bool:
        """See :class:`Importer`."""
        return any(_is_coir(peek_json(one)) for one in json_files(path)[:20])

    def read(self, path: Path) -> Iterator[Means]:
        """See :class:`Importer`."""
        for file in json_files(path):
            data = read_json(file)
            if path.is_dir() and not _is_coir(data):
                continue
            metrics = data.get("metrics") if isinstance(data, dict) else None
            if not isinstance(metrics, dict):
                raise DataError("metrics is no object", path=file)
            missing = [group for group in _COIR if not isinstance(metrics.get(group), dict)]
            if missing:
                raise DataError(
                    f"metrics.{missing[0]} is missing", path=file, hint=f"CoIR has {', '.join(_COIR)}"
                )
            cuts = {group: sorted(_cut(name) for name in metrics[group]) for group in _COIR}
            for group in _COIR[1:]:
                if cuts[group] != cuts[_COIR[0]]:
                    raise DataError(
                        f"metrics.{group} has the cut-offs {cuts[group]}, and NDCG {cuts[_COIR[0]]}",
                        path=file,
                    )
            means = {
                measure: value
                for group in _COIR
                for measure, value in means_of(metrics[group], file, f"metrics.{group}").items()
            }
            system = file.resolve().parent.name
            yield Means(
                system=system,
                dataset=file.stem,
                means=means,
                source=file,
                kept={f"{system}/{file.name}": file},
                facts={"instruction": "not stated"},
            )


class Vidore(Importer):
    """A file of the ViDoRe benchmark: the means of one model on several datasets."""

    name: ClassVar[str] = "vidore"
    summary: ClassVar[str] = "a model's file of ViDoRe: means"

    def recognises(self, path: Path) -> bool:
        """See :class:`Importer`."""
        return any(_is_vidore(peek_json(one)) for one in json_files(path)[:20])

    def read(self, path: Path) -> Iterator[Means]:
        """See :class:`Importer`."""
        for file in json_files(path):
            data = read_json(file)
            if path.is_dir() and not _is_vidore(data):
                continue
            metrics = data.get("metrics") if isinstance(data, dict) else None
            if not isinstance(metrics, dict):
                raise DataError("metrics is no object of datasets", path=file)
            told = data.get("metadata")
            version = told.get("vidore_benchmark_version") if isinstance(told, dict) else None
            for dataset, row in metrics.items():
                if not isinstance(row, dict):
                    raise DataError(f"metrics.{dataset} is no object of figures", path=file)
                means = means_of(row, file, f"metrics.{dataset}")
                if not means:
                    raise DataError(f"metrics.{dataset} holds no figure of a known measure", path=file)
                yield Means(
                    system=file.stem.removesuffix("_metrics"),
                    dataset=dataset,
                    means=means,
                    source=file,
                    kept={file.name: file},
                    facts={"vidore_benchmark": str(version or "")},
                )


def _is_coir(data: Any) -> bool:
    metrics = data.get("metrics") if isinstance(data, Mapping) else None
    return isinstance(metrics, Mapping) and any(group in metrics for group in _COIR)


def _is_vidore(data: Any) -> bool:
    if not isinstance(data, Mapping) or not isinstance(data.get("metadata"), Mapping):
        return False
    metrics = data.get("metrics")
    return isinstance(metrics, Mapping) and "vidore_benchmark_version" in data["metadata"]


def _cut(name: str) -> int:
    end = name.rpartition("@")[2]
    return int(end) if end.isdecimal() else 0
